//! Names, language and time zone.

use http::StatusCode;
use jiff::{Timestamp, tz};
use maud::{Markup, html};
use svc_model::administration::account::AccountPatch;

use super::{Own, Part};
use crate::{
    answer::Answer,
    problem::Result,
    texts::Texts,
    ui::{form::account_field, notice, time},
};

/// The form, and what it sends.
pub(super) async fn answer(own: &Own<'_>) -> Result<Answer> {
    let (visit, account) = (own.visit, own.account);
    if !visit.is_post() {
        let is_saved = visit.query()?.get("saved").is_some();
        let message = is_saved.then(|| notice::done(&visit.texts.get("saved")));
        let was = |text: &Option<String>| text.clone().unwrap_or_default();
        let fields = Fields {
            first_name: was(&account.first_name),
            last_name: was(&account.last_name),
            language: was(&account.language),
            timezone: was(&account.timezone),
        };
        return Ok(Answer::page(page(own, &fields, message)));
    }
    let text = |name: &str| visit.form().text(name).trim().to_owned();
    let fields = Fields {
        first_name: text("first_name"),
        last_name: text("last_name"),
        language: text("language"),
        timezone: text("timezone"),
    };
    let given = |text: &String| Some(Some(text.clone()).filter(|text| !text.is_empty()));
    let mut patch = AccountPatch::new();
    patch.first_name = given(&fields.first_name);
    patch.last_name = given(&fields.last_name);
    patch.language = given(&fields.language);
    patch.timezone = given(&fields.timezone);
    let administration = own.client.administration();
    match administration.account().update(patch).send().await {
        Ok(_) => Ok(Answer::go(&own.place(Part::Names).with("saved", "1"))),
        Err(error) => {
            let message = notice::refused(visit, error)?;
            let page = page(own, &fields, Some(message));
            Ok(Answer::page(page).status(StatusCode::BAD_REQUEST))
        }
    }
}

struct Fields {
    first_name: String,
    last_name: String,
    language: String,
    timezone: String,
}

fn page(own: &Own<'_>, fields: &Fields, message: Option<Markup>) -> Markup {
    let texts = own.visit.texts;
    let now = Timestamp::now().to_string();
    own.page(
        Part::Names,
        &html! {
            @if let Some(message) = message { (message) }
            form.stack method="post" action=(own.place(Part::Names)) data-guard {
                (account_field(own.visit))
                label { (texts.get("profile-first-name"))
                    input name="first_name" value=(fields.first_name) autocomplete="given-name";
                }
                label { (texts.get("profile-last-name"))
                    input name="last_name" value=(fields.last_name) autocomplete="family-name";
                }
                label { (texts.get("profile-language"))
                    (languages(texts, &fields.language))
                }
                label { (texts.get("profile-zone"))
                    input name="timezone" value=(fields.timezone) list="zones" placeholder="Europe/Berlin" autocomplete="off"
                        autocapitalize="none" spellcheck="false";
                    span.small.muted { (texts.get("profile-zone-hint")) " " (time::minute(own.account, &now)) }
                }
                datalist #zones {
                    @for zone in tz::db().available() { option value=(zone.as_str()) {} }
                }
                div.actions { button.primary { (texts.get("save")) } }
            }
        },
    )
}

/// The languages of the console. One that the account has and the console does not stays as it is.
fn languages(texts: &Texts, chosen: &str) -> Markup {
    let known = Texts::of_language(chosen).map(Texts::language);
    html! {
        select name="language" {
            option value="" selected[chosen.is_empty()] { (texts.get("profile-language-browser")) }
            @for texts in Texts::all() {
                @let is_chosen = known == Some(texts.language());
                option value=(if is_chosen { chosen } else { texts.language() }) lang=(texts.language()) selected[is_chosen] {
                    (texts.get("language-name"))
                }
            }
            @if !chosen.is_empty() && known.is_none() { option value=(chosen) selected { (chosen) } }
        }
    }
}
