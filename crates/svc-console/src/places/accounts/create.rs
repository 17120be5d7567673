//! Inviting somebody who builds or administers.

use maud::html;
use svc_model::administration::accounts::NewAccount;

use super::Operator;
use crate::{
    answer::Answer,
    problem::Result,
    ui::{
        filled::{Filled, Input},
        form::account_field,
    },
};

const FIELDS: [&str; 4] = ["email", "first_name", "last_name", "is_operator"];

pub(super) async fn answer(operator: &Operator<'_>) -> Result<Answer> {
    let (visit, texts) = (operator.visit, operator.visit.texts);
    let place = operator.place();
    let mut filled = Filled::new(visit);
    if visit.is_post() {
        let form = visit.form();
        let given = |name: &str| {
            let text = form.text(name).trim();
            (!text.is_empty()).then(|| text.to_owned())
        };
        let mut new = NewAccount::new(form.text("email").trim());
        new.first_name = given("first_name");
        new.last_name = given("last_name");
        new.is_operator = form.get("is_operator").map(|_| true);
        let accounts = operator.client.administration().accounts();
        match accounts.create(new).send().await {
            Ok(made) => {
                let place = place.below([&made.uid]);
                return Ok(Answer::go(&place.with("done", "invited")));
            }
            Err(error) => filled.refuse(error, &FIELDS)?,
        }
    }
    let main = html! {
        (filled.message())
        form.stack method="post" action=(place.below(["new"])) data-guard {
            (account_field(visit))
            (filled.text("email", &texts.get("email"), "", Input::EMAIL))
            (filled.text("first_name", &texts.get("people-first-name"), "", Input::default()))
            (filled.text("last_name", &texts.get("people-last-name"), "", Input::default()))
            (filled.check("is_operator", &texts.get("accounts-is-operator"), false))
            p.small.muted { (texts.get("accounts-invite-hint")) }
            div.actions {
                button.primary { (texts.get("accounts-invite")) }
                a.button href=(place) { (texts.get("cancel")) }
            }
        }
    };
    let title = texts.get("accounts-invite");
    Ok(filled.answer(operator.page(title, operator.above(), &main)))
}
