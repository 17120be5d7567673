//! The outbox.

use svc_model::{
    DEFAULT_PER_PAGE,
    administration::mails::{List, Mail},
};

use crate::{
    api::{call::Call, routes::Routes},
    http::{ApiResult, response::operation_response},
};

pub(super) fn routes() -> Routes {
    Routes::new().on::<List, _>(list)
}

async fn list(call: Call<List>) -> ApiResult {
    let List {
        page,
        per_page,
        codes,
        ..
    } = &call.operation;
    let (page, per_page) = (page.unwrap_or(1), per_page.unwrap_or(DEFAULT_PER_PAGE));
    let skip = (page - 1).saturating_mul(per_page.into());
    let (mails, count) = call.store.mails().list_part(skip, per_page).await?;
    let mails: Vec<_> = mails
        .into_iter()
        .map(|mail| shown(mail, codes.unwrap_or(false)))
        .collect();
    let envelope = call.page_of(mails, count, page, per_page);
    let mut answer = operation_response::<List>(&envelope);
    let no_store = http::HeaderValue::from_static("no-store");
    answer
        .headers_mut()
        .insert(http::header::CACHE_CONTROL, no_store);
    Ok(answer)
}

fn shown(mail: svc_store::Mail, with_codes: bool) -> Mail {
    let subject = mail.subject();
    let mut shown = Mail::new(mail.uid.to_string(), mail.to, mail.kind.as_str(), subject);
    shown.project = mail.project.map(|name| name.to_string());
    shown.environment = mail.environment.map(|name| name.to_string());
    shown.date_add = format!("{:.6}", mail.date_add);
    shown.attempts = mail.attempts;
    shown.last_error = mail.last_error;
    if with_codes {
        shown.code = mail.code.map(|code| code.expose().into());
        shown.link = mail.link.map(|link| link.expose().into());
    }
    shown
}
