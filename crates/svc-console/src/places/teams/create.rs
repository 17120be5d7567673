//! A new team: what it may do at first is chosen with it.

use maud::html;
use svc_api::Error;
use svc_model::administration::{rights::NewRule, teams::Team};

use super::super::Context;
use crate::{
    answer::Answer,
    problem::Result,
    ui::{
        filled::{Filled, Input},
        form::account_field,
        frame::Area,
    },
};

/// What a team begins with that may do nothing until it is allowed.
const NOTHING: &str = "nothing";

pub(super) async fn answer(context: &Context<'_>) -> Result<Answer> {
    context.check_administrator()?;
    let (visit, texts) = (context.visit, context.texts());
    let mut filled = Filled::new(visit);
    let place = context.place(["teams", "new"]);
    if visit.is_post() {
        match create(context).await {
            Ok(team) => {
                let rights = context.place(["rights", team.uid.as_str()]);
                return Ok(Answer::go(&rights));
            }
            Err(error) => filled.refuse(error, &["name"])?,
        }
    }
    let begins = filled.value("begins", NOTHING).to_owned();
    let option = |value: &str, text: String| {
        html! {
            label.check { input type="radio" name="begins" value=(value) checked[begins == value]; (text) }
        }
    };
    let main = html! {
        (filled.message())
        form.stack method="post" action=(place) data-guard {
            (account_field(context.visit))
            (filled.text("name", &texts.get("people-name"), "", Input::REQUIRED))
            fieldset {
                legend { (texts.get("teams-begins")) }
                (option(NOTHING, texts.get("teams-group-nothing")))
                (option("read_only", texts.get("teams-group-read-only")))
                (option("editor", texts.get("teams-group-editor")))
                p.small.muted { (texts.get("teams-begins-hint")) }
            }
            div.actions {
                button.primary { (texts.get("create")) }
                a.button href=(context.place(["teams"])) { (texts.get("cancel")) }
            }
        }
    };
    let title = texts.get("teams-new");
    Ok(filled.answer(context.page(Area::Users, title, super::above(context), &main)))
}

/// Makes the team. Nobody is in it yet when the rule follows that takes the rights it would begin with.
async fn create(context: &Context<'_>) -> Result<Team, Error> {
    let form = context.visit.form();
    let administration = context.client.administration();
    let begins = form.text("begins");
    let group = match begins {
        "editor" => "editor",
        _ => "read_only",
    };
    let new = administration.teams().create(form.text("name").trim());
    let team = new.permissions_group(group).send().await?;
    if begins == NOTHING {
        let nothing: [&str; 0] = [];
        let rule = NewRule::new(team.uid.as_str(), nothing);
        if let Err(error) = administration.rights().set(rule).send().await {
            // Without the rule the team may do what nobody has chosen. What failed first is what is said.
            let _ = administration.teams().delete(&team.uid).send().await;
            return Err(error);
        }
    }
    Ok(team)
}
