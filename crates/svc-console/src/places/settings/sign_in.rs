//! How the users of the project sign in.

use maud::html;
use svc_model::administration::sign_in::{SignIn, SignInPatch};

use super::super::{Context, tabs::Setting};
use crate::{
    answer::Answer,
    problem::Result,
    ui::{
        filled::{Filled, Input},
        form::account_field,
        frame::Area,
    },
};

const FIELDS: [&str; 8] = [
    "sign_up",
    "sign_up_team",
    "email_domains",
    "confirm_email",
    "password_min_length",
    "access_token_seconds",
    "refresh_token_days",
    "mail_link",
];
/// The settings that are numbers.
const NUMBERS: [&str; 3] = [
    "password_min_length",
    "access_token_seconds",
    "refresh_token_days",
];

pub(super) async fn answer(context: &Context<'_>) -> Result<Answer> {
    let (visit, texts) = (context.visit, context.texts());
    let settings = context.client.administration().sign_in();
    let known = settings.get().send().await?;
    let place = context.place(["settings", "sign-in"]);
    let mut filled = Filled::over(visit);
    if visit.is_post() {
        let form = visit.form();
        let wrong: Vec<&str> = NUMBERS
            .into_iter()
            .filter(|name| form.text(name).trim().parse::<u32>().is_err())
            .collect();
        for name in &wrong {
            filled.refuse_field(name, texts.get("people-not-a-number"));
        }
        let patch = patch(&mut filled, &known);
        let saved = filled.save(patch, &FIELDS, async |patch| {
            settings.update(patch).send().await.map(drop)
        });
        if saved.await? {
            return Ok(Answer::go(&place.with("saved", "1")));
        }
    } else if visit.query()?.get("saved").is_some() {
        filled.done(&texts.get("saved"));
    }
    let teams = [
        ("read_only".to_owned(), texts.get("teams-group-read-only")),
        ("editor".to_owned(), texts.get("teams-group-editor")),
    ];
    let link = known.mail_link.as_deref().unwrap_or_default();
    let main = html! {
        (Setting::SignIn.tabs(context))
        (filled.message())
        form.stack method="post" action=(place) data-guard {
            (account_field(context.visit))
            fieldset {
                legend { (texts.get("settings-registering")) }
                (filled.check("sign_up", &texts.get("settings-sign-up"), known.sign_up))
                (filled.choice("sign_up_team", &texts.get("settings-sign-up-team"), &known.sign_up_team, &teams))
                (filled.text("email_domains", &texts.get("settings-domains"), &shown(&known.email_domains), Input::default()))
                p.small.muted { (texts.get("settings-domains-hint")) }
                (filled.check("confirm_email", &texts.get("settings-confirm"), known.confirm_email))
            }
            fieldset {
                legend { (texts.get("settings-security")) }
                (filled.text("password_min_length", &texts.get("settings-password-length"),
                    &known.password_min_length.to_string(), Input::NUMBER))
                (filled.text("access_token_seconds", &texts.get("settings-access-seconds"),
                    &known.access_token_seconds.to_string(), Input::NUMBER))
                (filled.text("refresh_token_days", &texts.get("settings-refresh-days"),
                    &known.refresh_token_days.to_string(), Input::NUMBER))
            }
            fieldset {
                legend { (texts.get("settings-mails")) }
                (filled.text("mail_link", &texts.get("settings-link"), link, Input::default()))
                p.small.muted { (texts.get("settings-link-hint")) " " code { "https://app.example.com/account/{call}#{code}" } }
            }
            div.actions { button.primary { (texts.get("save")) } }
        }
    };
    let above = vec![(texts.get("area-settings"), context.place(["settings"]))];
    let title = texts.get("settings-sign-in");
    Ok(filled.answer(context.page(Area::Settings, title, above, &main)))
}

/// What is to be changed. What is no number is not a part of it.
fn patch(filled: &mut Filled<'_>, known: &SignIn) -> SignInPatch {
    let mut patch = SignInPatch::new();
    patch.sign_up = filled.changed_check("sign_up", known.sign_up);
    patch.confirm_email = filled.changed_check("confirm_email", known.confirm_email);
    let team = filled.changed("sign_up_team", &known.sign_up_team);
    patch.sign_up_team = team.map(str::to_owned);
    let domains = filled.changed("email_domains", &shown(&known.email_domains));
    patch.email_domains = domains.map(read);
    let mut number = |name: &'static str, known: u32| {
        let typed = filled.changed(name, &known.to_string());
        typed.and_then(|typed| typed.parse().ok())
    };
    patch.password_min_length = number("password_min_length", known.password_min_length);
    patch.access_token_seconds = number("access_token_seconds", known.access_token_seconds);
    patch.refresh_token_days = number("refresh_token_days", known.refresh_token_days);
    patch.mail_link = filled.changed_or_emptied("mail_link", known.mail_link.as_deref());
    patch
}

/// The domains of addresses in one line.
fn shown(domains: &[String]) -> String {
    domains.join(", ")
}

fn read(domains: &str) -> Vec<String> {
    let domains = domains.split([',', ' ']);
    let domains = domains.filter(|domain| !domain.is_empty());
    domains.map(str::to_owned).collect()
}
