//! Names, language and time zone.

use jiff::{Timestamp, tz};
use maud::{Markup, html};
use svc_model::administration::account::{Account, AccountPatch};

use super::{Own, Part};
use crate::{
    answer::Answer,
    problem::Result,
    texts::Texts,
    ui::{
        filled::{Filled, Input},
        form::account_field,
        time,
    },
};

/// The form, and what it sends.
pub(super) async fn answer(own: &Own<'_>) -> Result<Answer> {
    let visit = own.visit;
    let mut filled = Filled::over(visit);
    if visit.is_post() {
        let patch = patch(&mut filled, own.account);
        let administration = own.client.administration();
        let saved = filled.save(patch, &FIELDS, async |patch| {
            let changed = administration.account().update(patch);
            changed.send().await.map(drop)
        });
        if saved.await? {
            return Ok(Answer::go(&own.place(Part::Names).with("saved", "1")));
        }
    } else if visit.query()?.get("saved").is_some() {
        filled.done(&visit.texts.get("saved"));
    }
    Ok(filled.answer(page(own, &filled)))
}

const FIELDS: [&str; 4] = ["first_name", "last_name", "language", "timezone"];

/// What is to be changed.
fn patch(filled: &mut Filled<'_>, account: &Account) -> AccountPatch {
    let mut patch = AccountPatch::new();
    patch.first_name = filled.changed_or_emptied("first_name", account.first_name.as_deref());
    patch.last_name = filled.changed_or_emptied("last_name", account.last_name.as_deref());
    patch.language = filled.changed_or_emptied("language", account.language.as_deref());
    patch.timezone = filled.changed_or_emptied("timezone", account.timezone.as_deref());
    patch
}

fn page(own: &Own<'_>, filled: &Filled<'_>) -> Markup {
    let (texts, account) = (own.visit.texts, own.account);
    let now = Timestamp::now().to_string();
    let known = |text: &Option<String>| text.clone().unwrap_or_default();
    let (language, zone) = (known(&account.language), known(&account.timezone));
    let spoken = Texts::of_language(&language).map(|texts| texts.get("language-name"));
    let (language_id, said_of_language) =
        filled.said_of("language", spoken.as_deref().unwrap_or(&language));
    let (zone_id, said_of_zone) = filled.said_of("timezone", &zone);
    let named = |autocomplete: &'static str| Input {
        autocomplete: Some(autocomplete),
        ..Input::default()
    };
    own.page(
        Part::Names,
        &html! {
            (filled.message())
            form.stack method="post" action=(own.place(Part::Names)) data-guard {
                (account_field(own.visit))
                (filled.text("first_name", &texts.get("profile-first-name"), &known(&account.first_name), named("given-name")))
                (filled.text("last_name", &texts.get("profile-last-name"), &known(&account.last_name), named("family-name")))
                label { (texts.get("profile-language"))
                    (languages(texts, filled.value("language", &language), language_id.as_deref()))
                }
                (filled.base("language", &language))
                (said_of_language)
                label { (texts.get("profile-zone"))
                    input name="timezone" value=(filled.value("timezone", &zone)) list="zones" placeholder="Europe/Berlin"
                        autocomplete="off" autocapitalize="none" spellcheck="false" aria-invalid=[zone_id.as_ref().map(|_| "true")]
                        aria-describedby=[zone_id];
                    span.small.muted { (texts.get("profile-zone-hint")) " " (time::minute(account, &now)) }
                }
                (filled.base("timezone", &zone))
                (said_of_zone)
                datalist #zones {
                    @for zone in tz::db().available() { option value=(zone.as_str()) {} }
                }
                div.actions { button.primary { (texts.get("save")) } }
            }
        },
    )
}

/// The languages of the console. One that the account has and the console does not stays as it is.
fn languages(texts: &Texts, chosen: &str, said: Option<&str>) -> Markup {
    let known = Texts::of_language(chosen).map(Texts::language);
    html! {
        select name="language" aria-invalid=[said.map(|_| "true")] aria-describedby=[said] {
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
