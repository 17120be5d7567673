//! Hosts that the HTTP proxy of the project may reach although they are not public.

use maud::html;

use super::{Part, page, page_below};
use crate::{
    answer::Answer,
    places::{Context, or_not_found},
    problem::Result,
    ui::{
        credentials::{self, Listed},
        filled::Filled,
        form::{Confirmation, Outcome, account_field},
        paging, table, time,
    },
};

/// The hosts, and allowing one.
pub(super) async fn answer(context: &Context<'_>) -> Result<Answer> {
    let visit = context.visit;
    let mut filled = Filled::new(visit);
    if !visit.is_post() {
        return list(context, &filled).await;
    }
    let form = visit.form();
    let administration = context.client.administration();
    let call = administration
        .allowed_hosts()
        .create(form.text("host").trim());
    match call.idempotency_key(credentials::once(form)).send().await {
        Ok(_) => Ok(Answer::go(&Part::Hosts.place(context))),
        Err(error) => {
            filled.refuse(error, &["host"])?;
            list(context, &filled).await
        }
    }
}

async fn list(context: &Context<'_>, filled: &Filled<'_>) -> Result<Answer> {
    let texts = context.texts();
    let place = Part::Hosts.place(context);
    let listed = Listed::read(&context.visit.query()?);
    let administration = context.client.administration();
    let call = administration.allowed_hosts().list();
    let found = call.query(listed.query.clone()).send().await?;
    let hosts = html! {
        @for host in &found.results {
            tr {
                td { bdi { code { (host.host) } } }
                td { (time::minute(&context.account, &host.date_add)) }
                td {
                    a.button.danger href=(place.below([&host.host, "delete"])) { (texts.get("integrations-host-remove")) }
                }
            }
        }
    };
    let head = html! { tr {
        th scope="col" { (texts.get("host")) }
        th scope="col" { (texts.get("integrations-allowed-since")) }
        th scope="col" { span.visually-hidden { (texts.get("integrations-host-remove")) } }
    } };
    let (error, errors) = filled.errors_of("host");
    let main = html! {
        (filled.message())
        p.muted { (texts.get("integrations-hosts-what")) }
        form.toolbar method="post" action=(place) {
            (account_field(context.visit))
            (credentials::once_field())
            label { (texts.get("host")) " "
                input name="host" value=(filled.value("host", "")) required autocomplete="off" autocapitalize="none"
                    spellcheck="false" placeholder="crm.internal.example:8443"
                    aria-invalid=[error.as_ref().map(|_| "true")] aria-describedby=[error.as_deref()];
            }
            (errors)
            button.primary { (texts.get("integrations-host-allow")) }
        }
        @if found.results.is_empty() {
            p.empty-state { (texts.get("integrations-hosts-empty")) }
        } @else {
            (table::table(&texts.get("integrations-hosts"), &head, &hosts))
        }
        (paging::links(texts, &found, &listed.query, |query| listed.at(&place, query), &html! {}))
    };
    Ok(filled.answer(page(context, Part::Hosts, &main)))
}

/// Allows a host no more.
pub(super) async fn delete(context: &Context<'_>, host: &str) -> Result<Answer> {
    let (visit, texts) = (context.visit, context.texts());
    if !context.is_administrator() {
        // The service says why.
        let administration = context.client.administration();
        let hosts = administration.allowed_hosts();
        hosts.list().per_page(1).send().await?;
    }
    let place = Part::Hosts.place(context);
    let question = Confirmation {
        what: html! { p { (texts.with("integrations-host-what", [("host", host.into())])) } },
        action: place.below([host, "delete"]),
        cancel: place.clone(),
        button: texts.get("integrations-host-remove"),
        name: None,
        is_forbidden: false,
    };
    let outcome = question.ask(visit, async || {
        let administration = context.client.administration();
        administration
            .allowed_hosts()
            .delete(host)
            .send()
            .await
            .map_err(or_not_found)?;
        Ok(place.clone())
    });
    let main = match outcome.await? {
        Outcome::Done(to) => return Ok(Answer::go(&to)),
        Outcome::Ask(main) => main,
    };
    let title = texts.get("integrations-host-remove");
    Ok(Answer::page(page_below(context, Part::Hosts, title, &main)))
}
