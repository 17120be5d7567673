//! Where somebody is signed in, as a table.

use maud::{Markup, html};
use svc_model::administration::{Session, account::Account};

use crate::{
    texts::Texts,
    ui::{table, time},
};

/// How much of what a browser calls itself is shown.
const LONGEST_AGENT: usize = 90;

/// The sessions, each with what can be done about it. Times are those of the account that looks.
pub(crate) fn sessions(
    texts: &Texts,
    account: &Account,
    all: &[Session],
    action: impl Fn(&Session) -> Markup,
) -> Markup {
    let head = html! { tr {
        th scope="col" { (texts.get("session-what")) }
        th scope="col" { (texts.get("session-address")) }
        th scope="col" { (texts.get("session-since")) }
        th scope="col" { (texts.get("credentials-used")) }
        th scope="col" { span.visually-hidden { (texts.get("session-end")) } }
    } };
    let rows = html! {
        @for session in all {
            tr {
                td.long { (agent(texts, session)) }
                td { bdi { (session.address.as_deref().unwrap_or_default()) } }
                td { (time::minute(account, &session.date_add)) }
                td { (time::minute(account, &session.last_use)) }
                td { (action(session)) }
            }
        }
    };
    table::table(&texts.get("sessions"), &head, &rows)
}

/// What the browser or the program calls itself.
fn agent(texts: &Texts, session: &Session) -> Markup {
    let name = session.user_agent.as_deref().unwrap_or_default();
    let short: String = name.chars().take(LONGEST_AGENT).collect();
    html! {
        @if session.current { strong.up { (texts.get("session-this")) } " " }
        @if short.is_empty() {
            span.muted { (texts.get("session-unknown")) }
        } @else {
            bdi title=(name) { (short) }
        }
    }
}
