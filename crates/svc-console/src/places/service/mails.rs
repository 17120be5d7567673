//! Mails that wait to be sent. Their codes and links are not shown.

use maud::html;
use svc_model::ListQuery;

use super::{super::outbox, Operated, Part};
use crate::{
    answer::Answer,
    problem::Result,
    ui::{paging, secret, table, time},
};

/// How many a page has.
const PER_PAGE: u32 = 50;

/// The mails, the newest first.
pub(super) async fn answer(operated: &Operated<'_>) -> Result<Answer> {
    let (visit, texts) = (operated.visit, operated.visit.texts);
    let query = paging::read(ListQuery::new().per_page(PER_PAGE), &visit.query()?);
    let mails = operated.client.administration().mails();
    let (found, service) = tokio::try_join!(
        async { Ok(mails.list().query(query.clone()).send().await?) },
        operated.load()
    )?;
    let head = html! { tr {
        th scope="col" { (texts.get("service-mail-to")) }
        th scope="col" { (texts.get("service-mail-subject")) }
        th scope="col" { (texts.get("service-mail-of")) }
        th scope="col" { (texts.get("credentials-made")) }
        th.number scope="col" { (texts.get("service-mail-attempts")) }
        th scope="col" { (texts.get("service-mail-error")) }
    } };
    let rows = html! {
        @for mail in &found.results {
            tr {
                td { bdi { (mail.recipient) } }
                td { bdi { (mail.subject) } " " span.small.muted { (mail.kind) } }
                td {
                    bdi { (mail.project.as_deref().unwrap_or_default()) } " "
                    bdi { (mail.environment.as_deref().unwrap_or_default()) }
                }
                td { (time::minute(operated.account, &mail.date_add)) }
                td.number { (mail.attempts) }
                td.long { bdi { (mail.last_error.as_deref().unwrap_or_default()) } }
            }
        }
    };
    let place = operated.place(Part::Mails);
    let at = |query: &ListQuery| paging::at(place.clone(), query);
    let main = html! {
        p.muted { (texts.get("service-mails-what")) }
        @if let Some(command) = outbox::command(&service.settings) {
            p.muted { (texts.get("outbox-command")) }
            (secret::copied(texts, &html! { (command) }))
        }
        @if found.results.is_empty() {
            p.empty-state { (texts.get("service-mails-empty")) }
        } @else {
            (table::table(&texts.get("service-mails"), &head, &rows))
        }
        (paging::links(texts, &found, &query, at, &html! {}))
    };
    Ok(Answer::page(operated.page(Part::Mails, &main)))
}
