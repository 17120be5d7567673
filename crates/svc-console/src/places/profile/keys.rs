//! API keys: with one a program acts as its account.

use maud::{Markup, html};
use svc_model::{
    Lookup,
    administration::account_keys::{ApiKey, CreatedApiKey, NewApiKey},
    projects::Project,
};

use super::{Own, Part};
use crate::{
    answer::Answer,
    problem::Result,
    ui::{
        credentials::{self, Listed, Revoked, Row},
        filled::Filled,
        form::{Outcome, account_field},
        paging, secret,
    },
};

const FIELDS: [&str; 3] = [credentials::NAME, credentials::EXPIRES, "projects"];

/// How many projects the form offers.
const MOST_PROJECTS: u32 = 200;

/// The keys, and making one.
pub(super) async fn answer(own: &Own<'_>) -> Result<Answer> {
    let visit = own.visit;
    let mut filled = Filled::new(visit);
    if !visit.is_post() {
        return list(own, &filled, &html! {}).await;
    }
    let form = visit.form();
    let mut new = NewApiKey::new();
    new.name = credentials::name(form);
    new.expires = credentials::end(own.account, form, &mut filled);
    if filled.is_refused() {
        return list(own, &filled, &html! {}).await;
    }
    if form.text("reach") == "some" {
        let projects = form.iter().filter(|(name, _)| *name == "project");
        new.projects = Some(projects.map(|(_, project)| project.to_owned()).collect());
    }
    let administration = own.client.administration();
    let call = administration.account_keys().create(new);
    match call.idempotency_key(credentials::once(form)).send().await {
        Ok(made) => {
            let message = issued(own, &made);
            Ok(list(own, &filled, &message).await?.secret())
        }
        Err(error) => {
            filled.refuse(error, &FIELDS)?;
            list(own, &filled, &html! {}).await
        }
    }
}

/// The keys; `made` is what is said about one that was just made.
async fn list(own: &Own<'_>, filled: &Filled<'_>, made: &Markup) -> Result<Answer> {
    let texts = own.visit.texts;
    let listed = Listed::read(&own.visit.query()?);
    let place = own.place(Part::Keys);
    let administration = own.client.administration();
    let (keys, projects) = (administration.account_keys(), own.client.projects());
    let (found, projects) = tokio::try_join!(
        async {
            let call = keys.list().query(listed.query.clone());
            call.revoked(listed.revoked).send().await
        },
        async {
            projects
                .list()
                .order_by("date_add")
                .per_page(MOST_PROJECTS)
                .send()
                .await
        },
    )?;
    let rows: Vec<Row<'_>> = found
        .results
        .iter()
        .map(|key| Row {
            name: key.name.as_deref(),
            prefix: &key.prefix,
            of: reach(own, key),
            date_add: &key.date_add,
            last_use: key.last_use.as_deref(),
            expires: key.expires.as_deref(),
            revoked: key.revoked.as_deref(),
            revoke: place.below([&key.uid, "revoke"]),
        })
        .collect();
    let names = (texts.get("profile-keys"), texts.get("projects"));
    let main = html! {
        (filled.message())
        (made)
        p.muted { (texts.get("profile-keys-what")) }
        div.toolbar {
            (form(own, filled, &projects.results))
            div.grow {}
            (listed.toggle(texts, &place))
        }
        (credentials::list(texts, own.account, (&names.0, &names.1), &rows))
        (paging::links(texts, &found, &listed.query, |query| listed.at(&place, query), &html! {}))
    };
    Ok(filled.answer(own.page(Part::Keys, &main)))
}

/// A note that names the keys that work as before once the password was changed; nothing when there are none.
pub(super) async fn still_valid(own: &Own<'_>) -> Result<Markup> {
    let texts = own.visit.texts;
    let administration = own.client.administration();
    let found = administration.account_keys().list().send().await?;
    let is_valid = |key: &&ApiKey| !key.expires.as_deref().is_some_and(credentials::is_past);
    let keys: Vec<&ApiKey> = found.results.iter().filter(is_valid).collect();
    Ok(html! {
        @if !keys.is_empty() {
            section {
                p { (texts.get("profile-password-keys")) }
                ul {
                    @for key in keys {
                        li {
                            code { (key.prefix) "…" } " "
                            bdi { (key.name.as_deref().unwrap_or_default()) } " "
                            span.muted { (reach(own, key)) }
                        }
                    }
                    @if found.has_next() { li { "…" } }
                }
                p { a href=(own.place(Part::Keys)) { (texts.get("profile-keys")) } }
            }
        }
    })
}

/// The projects that a key opens.
fn reach(own: &Own<'_>, key: &ApiKey) -> Markup {
    html! {
        @match &key.projects {
            None => (own.visit.texts.get("profile-key-all")),
            Some(projects) => @for (number, project) in projects.iter().enumerate() {
                @if number > 0 { ", " }
                bdi { (project) }
            },
        }
    }
}

fn form(own: &Own<'_>, filled: &Filled<'_>, projects: &[Project]) -> Markup {
    let texts = own.visit.texts;
    let form = own.visit.form();
    let is_chosen = |project: &Project| {
        let name = project.unique_name.as_str();
        form.iter()
            .any(|(field, value)| field == "project" && value == name)
    };
    let is_some = form.text("reach") == "some";
    html! {
        details.menu open[filled.is_refused()] {
            summary { (texts.get("profile-key-new")) }
            div.panel {
                form.stack method="post" action=(own.place(Part::Keys)) {
                    (account_field(own.visit))
                    (credentials::once_field())
                    (credentials::name_and_end(texts, filled))
                    fieldset {
                        legend { (texts.get("projects")) }
                        label.check {
                            input type="radio" name="reach" value="all" checked[!is_some];
                            (texts.get("profile-key-all"))
                        }
                        label.check {
                            input type="radio" name="reach" value="some" checked[is_some];
                            (texts.get("profile-key-some"))
                        }
                        div.checks {
                            @for project in projects {
                                label.check {
                                    input type="checkbox" name="project" value=(project.unique_name) checked[is_chosen(project)];
                                    bdi { (project.name) }
                                }
                            }
                        }
                        (filled.errors_of("projects").1)
                    }
                    button.primary { (texts.get("create")) }
                }
            }
        }
    }
}

/// The key that was just made, with a line that uses it.
fn issued(own: &Own<'_>, made: &CreatedApiKey) -> Markup {
    let texts = own.visit.texts;
    let text = made.api_key.as_ref().map(|key| key.expose());
    let url = format!("{}/projects/", own.visit.app_url()).replace('\'', "%27");
    let usage = html! {
        @if let Some(text) = text {
            p { (texts.get("profile-key-usage")) }
            (secret::copied(texts, &html! { "export SVC_API_KEY=" (text) "\ncurl -H \"Authorization: Bearer $SVC_API_KEY\" '" (url) "'" }))
        }
    };
    secret::issued(texts, text, &usage)
}

/// Ends a key.
pub(super) async fn revoke(own: &Own<'_>, uid: &str) -> Result<Answer> {
    let (visit, texts) = (own.visit, own.visit.texts);
    let administration = own.client.administration();
    let keys = administration.account_keys();
    let call = keys.list().filter("uid", Lookup::Exact, uid);
    let key = credentials::only(call.send().await)?;
    let place = own.place(Part::Keys);
    let revoked = Revoked {
        prefix: &key.prefix,
        name: key.name.as_deref(),
        last_use: key.last_use.as_deref(),
    };
    let places = (place.below([uid, "revoke"]), place);
    let outcome = revoked.ask(visit, own.account, places, async || {
        keys.delete(uid).send().await
    });
    let main = match outcome.await? {
        Outcome::Done(to) => return Ok(Answer::go(&to)),
        Outcome::Ask(main) => main,
    };
    let frame = own.frame(texts.get("credentials-revoke"), own.above(Part::Keys));
    Ok(Answer::page(frame.page(&main)))
}
