//! Secrets of other services, which the HTTP proxy sends for callers who do not know them. Their values are never shown.

use http::StatusCode;
use maud::{Markup, html};
use svc_model::administration::secrets::{NewSecret, Secret};

use super::{Part, page, page_below};
use crate::{
    answer::Answer,
    places::{Context, or_not_found},
    problem::Result,
    ui::{
        credentials::Listed,
        form::{Confirmation, Outcome, SECRET, account_field},
        notice, paging, table, time,
    },
};

/// The secrets, and setting one.
pub(super) async fn answer(context: &Context<'_>) -> Result<Answer> {
    let visit = context.visit;
    let place = Part::Secrets.place(context);
    if !visit.is_post() {
        let is_set = visit.query()?.get("set").is_some();
        let message = is_set.then(|| notice::done(&visit.texts.get("saved")));
        return list(context, message, StatusCode::OK).await;
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
            let message = notice::refused(visit, error)?;
            list(context, Some(message), StatusCode::BAD_REQUEST).await
        }
    }
}

async fn list(
    context: &Context<'_>,
    message: Option<Markup>,
    status: StatusCode,
) -> Result<Answer> {
    let texts = context.texts();
    let place = Part::Secrets.place(context);
    let listed = Listed::read(&context.visit.query()?);
    let administration = context.client.administration();
    let call = administration.secrets().list();
    let found = call.query(listed.query.clone()).send().await?;
    let main = html! {
        @if let Some(message) = message { (message) }
        p.muted { (texts.get("integrations-secrets-what")) }
        div.toolbar { (form(context, status != StatusCode::OK)) }
        @if found.results.is_empty() {
            p.empty-state { (texts.get("integrations-secrets-empty")) }
        } @else {
            (rows(context, &found.results))
        }
        (paging::links(texts, &found, &listed.query, |query| listed.at(&place, query), &html! {}))
    };
    Ok(Answer::page(page(context, Part::Secrets, &main)).status(status))
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

fn form(context: &Context<'_>, is_open: bool) -> Markup {
    let texts = context.texts();
    let form = context.visit.form();
    let resources = context.project.resources.iter();
    let of_here: Vec<_> = resources
        .filter(|resource| resource.environment == context.scope.environment && !resource.deleted)
        .collect();
    html! {
        details.menu open[is_open] {
            summary { (texts.get("integrations-secret-set")) }
            div.panel {
                form.stack method="post" action=(Part::Secrets.place(context)) data-guard {
                    (account_field(context.visit))
                    label { (texts.get("integrations-resource"))
                        select name="resource" required {
                            @for resource in &of_here {
                                option value=(resource.unique_name) selected[form.text("resource") == resource.unique_name.as_str()] {
                                    (resource.unique_name)
                                }
                            }
                        }
                    }
                    label { (texts.get("credentials-name"))
                        input name="name" value=(form.text("name")) required autocomplete="off" autocapitalize="none" spellcheck="false";
                        span.small.muted { (texts.get("integrations-secret-hint")) }
                    }
                    label { (texts.get("integrations-sent-to"))
                        input name="hosts" value=(form.text("hosts")) required autocomplete="off" autocapitalize="none"
                            spellcheck="false" placeholder="api.example.com, api.example.org";
                        span.small.muted { (texts.get("integrations-sent-to-hint")) }
                    }
                    label { (texts.get("integrations-value"))
                        input type="password" name=(SECRET) value=(form.text(SECRET)) required autocomplete="off";
                        span.small.muted { (texts.get("integrations-value-hint")) }
                    }
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
