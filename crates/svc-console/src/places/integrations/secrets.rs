//! Secrets of other services, which the HTTP proxy sends for callers who do not know them. Their values are never shown.

use maud::{Markup, html};
use svc_model::administration::secrets::{NewSecret, Secret};

use super::{Part, page, page_below};
use crate::{
    answer::Answer,
    places::{Context, or_not_found},
    problem::Result,
    ui::{
        credentials::Listed,
        filled::Filled,
        form::{Confirmation, Outcome, SECRET, account_field},
        paging, table, time,
    },
};

const FIELDS: [&str; 4] = ["resource", "name", "hosts", "value"];

/// The secrets, and setting one.
pub(super) async fn answer(context: &Context<'_>) -> Result<Answer> {
    let visit = context.visit;
    let place = Part::Secrets.place(context);
    let mut filled = Filled::new(visit);
    if !visit.is_post() {
        if visit.query()?.get("set").is_some() {
            filled.done(&visit.texts.get("saved"));
        }
        return list(context, &filled).await;
    }
    let form = visit.form();
    let value = form.text(SECRET).to_owned();
    let mut new = NewSecret::new(form.text("resource"), form.text("name").trim(), "", value);
    let hosts = form.text("hosts").split([',', '\n']).map(str::trim);
    new.hosts = hosts
        .filter(|host| !host.is_empty())
        .map(str::to_owned)
        .collect();
    let administration = context.client.administration();
    match administration.secrets().set(new).send().await {
        Ok(_) => Ok(Answer::go(&place.with("set", "1"))),
        Err(error) => {
            filled.refuse(error, &FIELDS)?;
            list(context, &filled).await
        }
    }
}

async fn list(context: &Context<'_>, filled: &Filled<'_>) -> Result<Answer> {
    let texts = context.texts();
    let place = Part::Secrets.place(context);
    let listed = Listed::read(&context.visit.query()?);
    let administration = context.client.administration();
    let call = administration.secrets().list();
    let found = call.query(listed.query.clone()).send().await?;
    let main = html! {
        (filled.message())
        p.muted { (texts.get("integrations-secrets-what")) }
        div.toolbar { (form(context, filled)) }
        @if found.results.is_empty() {
            p.empty-state { (texts.get("integrations-secrets-empty")) }
        } @else {
            (rows(context, &found.results))
        }
        (paging::links(texts, &found, &listed.query, |query| listed.at(&place, query), &html! {}))
    };
    Ok(filled.answer(page(context, Part::Secrets, &main)))
}

fn rows(context: &Context<'_>, secrets: &[Secret]) -> Markup {
    let texts = context.texts();
    let place = Part::Secrets.place(context);
    table::table(
        &texts.get("integrations-secrets"),
        &html! { tr {
            th scope="col" { (texts.get("integrations-resource")) }
            th scope="col" { (texts.get("credentials-name")) }
            th scope="col" { (texts.get("integrations-sent-to")) }
            th scope="col" { (texts.get("integrations-changed")) }
            th scope="col" { span.visually-hidden { (texts.get("delete")) } }
        } },
        &html! {
            @for secret in secrets {
                tr {
                    td { bdi { (secret.resource) } }
                    td { bdi { code { (secret.name) } } }
                    td { bdi { (secret.hosts.join(", ")) } }
                    td { (time::minute(&context.account, &secret.date_update)) }
                    td {
                        a.button.danger href=(place.below([secret.resource.as_str(), &secret.name, "delete"])) {
                            (texts.get("delete"))
                        }
                    }
                }
            }
        },
    )
}

fn form(context: &Context<'_>, filled: &Filled<'_>) -> Markup {
    let texts = context.texts();
    let resources = context.project.resources.iter();
    let of_here: Vec<_> = resources
        .filter(|resource| resource.environment == context.scope.environment && !resource.deleted)
        .collect();
    let of_here: Vec<(String, String)> = of_here
        .iter()
        .map(|resource| resource.unique_name.to_string())
        .map(|name| (name.clone(), name))
        .collect();
    let (name_error, name_errors) = filled.errors_of("name");
    let (hosts_error, hosts_errors) = filled.errors_of("hosts");
    let (value_error, value_errors) = filled.errors_of("value");
    html! {
        details.menu open[filled.is_refused()] {
            summary { (texts.get("integrations-secret-set")) }
            div.panel {
                form.stack method="post" action=(Part::Secrets.place(context)) data-guard {
                    (account_field(context.visit))
                    (filled.choice("resource", &texts.get("integrations-resource"), "", &of_here))
                    label { (texts.get("credentials-name"))
                        input name="name" value=(filled.value("name", "")) required autocomplete="off" autocapitalize="none"
                            spellcheck="false" aria-invalid=[name_error.as_ref().map(|_| "true")]
                            aria-describedby=[name_error.as_deref()];
                        span.small.muted { (texts.get("integrations-secret-hint")) }
                    }
                    (name_errors)
                    label { (texts.get("integrations-sent-to"))
                        input name="hosts" value=(filled.value("hosts", "")) required autocomplete="off" autocapitalize="none"
                            spellcheck="false" placeholder="api.example.com, api.example.org"
                            aria-invalid=[hosts_error.as_ref().map(|_| "true")] aria-describedby=[hosts_error.as_deref()];
                        span.small.muted { (texts.get("integrations-sent-to-hint")) }
                    }
                    (hosts_errors)
                    label { (texts.get("integrations-value"))
                        input type="password" name=(SECRET) required autocomplete="off"
                            aria-invalid=[value_error.as_ref().map(|_| "true")] aria-describedby=[value_error.as_deref()];
                        span.small.muted { (texts.get("integrations-value-hint")) }
                    }
                    (value_errors)
                    button.primary { (texts.get("save")) }
                }
            }
        }
    }
}

/// Removes a secret.
pub(super) async fn delete(
    context: &Context<'_>,
    (resource, name): (&str, &str),
) -> Result<Answer> {
    let (visit, texts) = (context.visit, context.texts());
    if !context.is_administrator() {
        // The service says why.
        let administration = context.client.administration();
        administration.secrets().list().per_page(1).send().await?;
    }
    let place = Part::Secrets.place(context);
    let is_production = context.scope.is_production();
    let question = Confirmation {
        what: html! {
            p { (texts.with("integrations-secret-delete", [("name", name.into()), ("resource", resource.into())])) }
        },
        action: place.below([resource, name, "delete"]),
        cancel: place.clone(),
        button: texts.get("delete"),
        name: is_production.then_some(name),
        is_forbidden: false,
    };
    let outcome = question.ask(visit, async || {
        let administration = context.client.administration();
        administration
            .secrets()
            .delete(resource, name)
            .send()
            .await
            .map_err(or_not_found)?;
        Ok(place.clone())
    });
    let main = match outcome.await? {
        Outcome::Done(to) => return Ok(Answer::go(&to)),
        Outcome::Ask(main) => main,
    };
    let title = texts.get("delete");
    Ok(Answer::page(page_below(
        context,
        Part::Secrets,
        title,
        &main,
    )))
}
