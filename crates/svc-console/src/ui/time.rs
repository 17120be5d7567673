//! Points in time, in the time zone of the signed-in account.

use jiff::{
    Timestamp, Zoned,
    civil::{Date, DateTime, Time},
    tz::TimeZone,
};
use maud::{Markup, display, html};
use svc_model::administration::account::Account;

/// The time zone of an account; UTC where it has none.
fn zone_of(account: &Account) -> TimeZone {
    let zone = account.timezone.as_deref();
    let zone = zone.and_then(|name| TimeZone::get(name).ok());
    zone.unwrap_or(TimeZone::UTC)
}

/// A point in time, exact to a minute; what cannot be read is shown as it is.
pub(crate) fn minute(account: &Account, text: &str) -> Markup {
    shown(account, text, |_, _| String::new())
}

/// The time of day of a point in time, as plain text.
pub(crate) fn clock(account: &Account, text: &str) -> String {
    match text.parse::<Timestamp>() {
        Ok(time) => {
            let there = time.to_zoned(zone_of(account));
            there.strftime("%H:%M").to_string()
        }
        Err(_) => text.to_owned(),
    }
}

/// A point in time, exact to a second, with the short name of the time zone.
pub(crate) fn second(account: &Account, text: &str) -> Markup {
    shown(account, text, |there, seconds| {
        let offset = there.time_zone().to_offset_info(there.timestamp());
        format!("{seconds} {}", offset.abbreviation())
    })
}

/// A point in time, exact to a minute and with what `more` makes of it and of its seconds. The whole of it is in the title.
fn shown(account: &Account, text: &str, more: impl Fn(&Zoned, &str) -> String) -> Markup {
    let Ok(time) = text.parse::<Timestamp>() else {
        return html! { bdi { (text) } };
    };
    let there = time.to_zoned(zone_of(account));
    // The date is made once for both: a page has many.
    let whole = format!("{:.0}", there.datetime()).replacen('T', " ", 1);
    let (minute, seconds) = whole.split_at(whole.len().saturating_sub(":00".len()));
    let zone = there.strftime("%:z %Q");
    html! {
        time datetime=(display(format_args!("{time:.0}"))) title={ (whole) " " (display(zone)) } {
            (minute) (more(&there, seconds))
        }
    }
}

/// A value that is a point in time, as lists have it; what cannot be read is shown as it is.
pub(crate) fn value(account: &Account, text: &str) -> String {
    let Ok(time) = text.parse::<Timestamp>() else {
        return text.to_owned();
    };
    let there = time.to_zoned(zone_of(account));
    let fraction = text.split_once('.').map_or("", |(_, fraction)| fraction);
    let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
    let digits = digits.min(9);
    let whole = format!("{:.digits$}", there.datetime()).replacen('T', " ", 1);
    match there.offset().is_zero() {
        true => whole,
        false => format!("{whole}{}", there.strftime("%:z")),
    }
}

/// The end of a day that was entered, as the service reads it; `None` for what is no day.
pub(crate) fn end_of_day(account: &Account, text: &str) -> Option<String> {
    let date: Date = text.parse().ok()?;
    let start = date.tomorrow().ok()?.to_datetime(Time::midnight());
    in_zone(account, start)
}

/// A point in time as it was entered, such as `2026-11-25 14:00`, as the service reads it; other texts are passed on, since they may
/// be spans such as `7d`.
pub(crate) fn entered(account: &Account, text: &str) -> String {
    let time: Option<DateTime> = text.parse().ok();
    let is_whole = text.parse::<Timestamp>().is_ok();
    let time = time.filter(|_| !is_whole);
    let known = time.and_then(|time| in_zone(account, time));
    known.unwrap_or_else(|| text.to_owned())
}

fn in_zone(account: &Account, time: DateTime) -> Option<String> {
    let zoned: Zoned = time.to_zoned(zone_of(account)).ok()?;
    Some(zoned.timestamp().to_string())
}

/// Whether two texts are the same point in time.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    let read = |text: &str| text.parse::<Timestamp>().ok();
    one == other || read(one).is_some_and(|one| read(other) == Some(one))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(zone: Option<&str>) -> Account {
        let mut account = Account::new("1", "a@example.com");
        account.timezone = zone.map(str::to_owned);
        account
    }

    #[test]
    fn times_are_shown_in_the_zone_of_who_looks() {
        let time = "2026-07-01T22:30:15.123456Z";
        let berlin = second(&account(Some("Europe/Berlin")), time).into_string();
        assert_eq!(
            berlin,
            "<time datetime=\"2026-07-01T22:30:15Z\" title=\"2026-07-02 00:30:15 +02:00 Europe/Berlin\">\
             2026-07-02 00:30:15 CEST</time>"
        );
        let utc = minute(&account(None), time).into_string();
        assert!(utc.ends_with(">2026-07-01 22:30</time>"), "{utc}");
        assert_eq!(clock(&account(Some("Europe/Berlin")), time), "00:30");
        let shown = |zone, text| value(&account(zone), text);
        assert_eq!(
            shown(Some("Europe/Berlin"), time),
            "2026-07-02 00:30:15.123456+02:00"
        );
        assert_eq!(shown(None, "2026-07-01T22:30:15Z"), "2026-07-01 22:30:15");
        assert_eq!(
            shown(None, "2026-07-01T22:30:15.50Z"),
            "2026-07-01 22:30:15.50"
        );
        for other in ["infinity", "2026-07-01", "10:00", ""] {
            assert_eq!(shown(None, other), other);
        }
        assert_eq!(
            minute(&account(None), "<soon>").into_string(),
            "<bdi>&lt;soon&gt;</bdi>"
        );
    }

    #[test]
    fn what_is_entered_is_meant_in_the_zone_of_who_enters_it() {
        let berlin = account(Some("Europe/Berlin"));
        let end = end_of_day(&berlin, "2026-07-01");
        assert_eq!(end.as_deref(), Some("2026-07-01T22:00:00Z"));
        assert_eq!(end_of_day(&berlin, "soon"), None);
        assert_eq!(entered(&berlin, "2026-07-01 12:00"), "2026-07-01T10:00:00Z");
        assert_eq!(entered(&berlin, "2026-07-01"), "2026-06-30T22:00:00Z");
        for same in ["7d", "2026-07-01T12:00:00Z", "2026-07-01T12:00:00+05:00"] {
            assert_eq!(entered(&berlin, same), same);
        }
        assert!(is_same(
            "2026-07-01T12:00:00.100Z",
            "2026-07-01T12:00:00.1Z"
        ));
        assert!(!is_same("2026-07-01T12:00:00Z", "x"));
    }
}
