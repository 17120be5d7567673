//! Pages whose last part may take long: the rest of the page is there meanwhile, with a way to end what is waited for.

use std::{
    fmt::Write as _,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use maud::{Markup, html};
use sha2::{Digest as _, Sha256};
use svc_model::wire::BoxFuture;

use super::{form::account_field, frame::until_whole};
use crate::{answer::Answer, href::Href, visit::Visit};

/// How long a page waits to be whole before its beginning is sent.
const PATIENCE: Duration = Duration::from_millis(300);

/// The identifier of a statement of this visit, under which it can be cancelled.
pub(crate) fn statement_id(visit: &Visit) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.unwrap_or_default().as_nanos();
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let text = format!("{number} {now} {}", visit.request_id().unwrap_or_default());
    let mut id = "console-".to_owned();
    for byte in Sha256::digest(text).iter().take(12) {
        let _ = write!(id, "{byte:02x}");
    }
    id
}

/// What can be cancelled: a statement of a database.
#[derive(Debug)]
pub(crate) struct Running<'a> {
    pub(crate) visit: &'a Visit,
    /// Where the form that cancels it is sent to.
    pub(crate) cancel: Href,
    /// The identifier of the statement.
    pub(crate) statement: &'a str,
}

impl Running<'_> {
    fn cancel_form(&self) -> Markup {
        html! {
            div.running role="status" {
                p { (self.visit.texts.get("waiting-runs")) }
                form method="post" action=(self.cancel) {
                    (account_field(self.visit))
                    input type="hidden" name="statement" value=(self.statement);
                    button.danger { (self.visit.texts.get("waiting-cancel")) }
                }
            }
        }
    }
}

/// A page with a part that may take long, which `page` puts into its place. Where it does take long, the beginning of the
/// page is sent at once, and says that something runs. Styles hide that once the part has come.
pub(crate) async fn page(
    running: &Running<'_>,
    mut part: BoxFuture<'static, Markup>,
    page: impl FnOnce(Markup) -> Markup,
) -> Answer {
    if let Ok(done) = tokio::time::timeout(PATIENCE, &mut part).await {
        return Answer::page(page(done));
    }
    // Nobody can know the identifier before.
    let gap = format!("the part of {} comes here", running.statement);
    in_parts(&gap, &running.cancel_form(), part, page).await
}

/// The first part of what takes long, where it does not.
pub(crate) async fn soon<T>(part: impl Future<Output = T>) -> Option<T> {
    tokio::time::timeout(PATIENCE, part).await.ok()
}

/// A page whose part takes long, and ends when the browser goes away: by a link to another place, which is shown meanwhile.
pub(crate) async fn left_by(
    visit: &Visit,
    to: &Href,
    part: BoxFuture<'static, Markup>,
    page: impl FnOnce(Markup) -> Markup,
) -> Answer {
    let texts = visit.texts;
    let link = html! {
        div.running role="status" {
            p { (texts.get("waiting-runs")) }
            a.button.danger href=(to) { (texts.get("waiting-cancel")) }
        }
    };
    let gap = format!("the part of {} comes here", statement_id(visit));
    in_parts(&gap, &link, part, page).await
}

async fn in_parts(
    gap: &str,
    meanwhile: &Markup,
    part: BoxFuture<'static, Markup>,
    page: impl FnOnce(Markup) -> Markup,
) -> Answer {
    let whole = page(html! { (meanwhile) (gap) }).into_string();
    let Some((first, rest)) = whole.split_once(gap) else {
        return Answer::page(html! { (part.await) });
    };
    // This page is shown before its end is there.
    let first = first.replacen(&until_whole().into_string(), "", 1);
    let rest = rest.to_owned();
    let rest = async move { part.await.into_string() + &rest };
    Answer::page_in_parts(first, Box::pin(rest))
}
