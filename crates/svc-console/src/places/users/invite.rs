//! Inviting a user: an address and a team.

use maud::html;
use svc_api::Error;
use svc_model::administration::users::{NewUser, User};

use super::{
    super::{Context, rights::rules},
    above, teams_for_new,
};
use crate::{
    answer::Answer,
    problem::Result,
    ui::{
        filled::{Filled, Input},
        form::account_field,
        frame::Area,
    },
};

const FIELDS: [&str; 5] = ["email", "team", "first_name", "last_name", "password"];

pub(super) async fn answer(context: &Context<'_>) -> Result<Answer> {
    context.check_administrator()?;
    let (visit, texts) = (context.visit, context.texts());
    let query = visit.query()?;
    let teams = rules::teams(context).await?;
    let place = context.place(["users", "new"]);
    let mut filled = Filled::new(visit);
    if visit.is_post() {
        match create(context).await {
            Ok(user) => {
                let message = if user.has_password { "made" } else { "invited" };
                let place = context.place(["users", user.uid.as_str()]);
                return Ok(Answer::go(&place.with("done", message)));
            }
            Err(error) => filled.refuse(error, &FIELDS)?,
        }
    }
    let main = html! {
        (filled.message())
        form.stack method="post" action=(place) data-guard {
            (account_field(context.visit))
            (filled.text("email", &texts.get("email"), "", Input::EMAIL))
            (filled.choice("team", &texts.get("people-team"), query.text("team"), &teams_for_new(&teams)))
            p.small.muted {
                (texts.get("users-team-hint")) " "
                a href=(context.place(["teams", "new"])) { (texts.get("teams-new")) }
            }
            (filled.text("first_name", &texts.get("people-first-name"), "", Input::default()))
            (filled.text("last_name", &texts.get("people-last-name"), "", Input::default()))
            details open[!filled.value("password", "").is_empty()] {
                summary { (texts.get("users-with-password")) }
                (filled.text("password", &texts.get("password"), "", Input::PASSWORD))
                p.small.muted { (texts.get("users-password-hint")) }
            }
            div.actions {
                button.primary { (texts.get("users-invite")) }
                a.button href=(context.place(["users"])) { (texts.get("cancel")) }
            }
        }
    };
    let title = texts.get("users-invite");
    Ok(filled.answer(context.page(Area::Users, title, above(context), &main)))
}

async fn create(context: &Context<'_>) -> Result<User, Error> {
    let form = context.visit.form();
    let given = |name: &str| {
        let text = form.text(name).trim();
        (!text.is_empty()).then(|| text.to_owned())
    };
    let mut new = NewUser::new(form.text("email").trim(), form.text("team"));
    new.first_name = given("first_name");
    new.last_name = given("last_name");
    let password = form.text("password");
    new.password = (!password.is_empty()).then(|| password.into());
    let administration = context.client.administration();
    administration.users().create(new).send().await
}
