//! Points in time, in the zone of who looks.

use jiff::{Timestamp, tz::TimeZone};
use maud::{Markup, html};
use svc_model::administration::account::Account;

/// A point in time as the service writes it (RFC 3339).
pub(crate) fn moment(account: &Account, rfc3339: &str) -> Markup {
    let Ok(timestamp) = rfc3339.parse::<Timestamp>() else {
        return html! { bdi { (rfc3339) } };
    };
    let zone = account.timezone.as_deref();
    let zone = zone.and_then(|name| TimeZone::get(name).ok());
    let zoned = timestamp.to_zoned(zone.unwrap_or(TimeZone::UTC));
    html! {
        time datetime=(rfc3339) { (zoned.strftime("%Y-%m-%d %H:%M %Z")) }
    }
}
