//! A forgotten password: a mail with a link that sets another one.

use maud::{Markup, html};
use svc_api::auth::account::ResetPassword;
use svc_model::Realm;

use crate::{
    answer::Answer,
    problem::{Result, status_of},
    ui::{form::token_field, frame::plain_page, notice},
    visit::Visit,
};

/// The page that asks for the address, and sends the mail. Whether there is such an account, nobody is told.
pub(crate) async fn answer(visit: &Visit) -> Result<Answer> {
    let texts = visit.texts;
    let email = visit.form().text("email");
    if !visit.is_post() {
        return Ok(Answer::page(page(visit, email, None)));
    }
    let reset = ResetPassword::new(Realm::Service, email);
    match visit.client()?.call(reset).send().await {
        Ok(_) => {
            let message = notice::done(&texts.get("forgotten-sent"));
            Ok(Answer::page(page(visit, email, Some(message))))
        }
        Err(error) => {
            let status = status_of(&error);
            let message = notice::of_error(visit, &error);
            Ok(Answer::page(page(visit, email, Some(message))).status(status))
        }
    }
}

fn page(visit: &Visit, email: &str, message: Option<Markup>) -> Markup {
    let texts = visit.texts;
    let title = texts.get("forgotten");
    plain_page(
        visit,
        &title,
        &html! {
            p.brand { "svc" }
            h1 { (title) }
            @if let Some(message) = message { (message) }
            p { (texts.get("forgotten-what")) }
            form.stack method="post" action=(visit.root.below(["forgotten"])) {
                (token_field(visit))
                label { (texts.get("email"))
                    input type="email" name="email" value=(email) autocomplete="username" required autofocus;
                }
                div.actions {
                    button.primary { (texts.get("forgotten-send")) }
                    a.button href=(visit.root.below(["sign-in"])) { (texts.get("sign-in")) }
                }
            }
        },
    )
}
