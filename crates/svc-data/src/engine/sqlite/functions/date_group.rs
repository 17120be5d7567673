//! The start of the unit of time that a stored date or point in time is in.

use jiff::{
    Span, Timestamp, ToSpan as _,
    civil::{Date, Weekday},
    tz::TimeZone,
};
use rusqlite::{
    Connection, Error, Result,
    functions::{Context, FunctionFlags},
    types::Value,
};
use svc_model::records::DateUnit;

use crate::{
    engine::sqlite::temporal,
    value::time::{Zone, parse_date},
};

/// Adds `svc_date_group(value, is_date, unit, zone)` to a connection: a date as text for a day and longer,
/// microseconds since 1970 for shorter units, NULL for what is no date.
pub(crate) fn register(connection: &Connection, flags: FunctionFlags) -> Result<()> {
    connection.create_scalar_function("svc_date_group", 4, flags, |context| {
        let unit = context.get_or_create_aux(2, |unit| -> std::result::Result<_, String> {
            let unit = unit.as_str().map_err(|error| error.to_string())?;
            let found = DateUnit::ALL
                .into_iter()
                .find(|known| known.as_str() == unit);
            found.ok_or_else(|| "no unit of time".to_owned())
        })?;
        let zone = context.get_or_create_aux(3, |zone| -> std::result::Result<_, String> {
            let zone = zone.as_str().map_err(|error| error.to_string())?;
            Zone::parse(Some(zone).filter(|zone| !zone.is_empty()))
        })?;
        group(context, *unit, &zone.zone)
    })
}

fn group(context: &Context<'_>, unit: DateUnit, zone: &TimeZone) -> Result<Value> {
    let value = context.get_raw(0);
    if context.get::<bool>(1)? {
        let date = temporal::date_of(value).and_then(|date| parse_date(date.as_bytes()));
        let Some(date) = date else {
            return Ok(Value::Null);
        };
        return match unit {
            DateUnit::Day
            | DateUnit::Week
            | DateUnit::Month
            | DateUnit::Quarter
            | DateUnit::Year => {
                Ok(start_of(date, unit).map_or(Value::Null, |date| Value::Text(date.to_string())))
            }
            // A date begins at its first moment.
            _ => Ok(date.to_zoned(zone.clone()).map_or(Value::Null, |start| {
                Value::Integer(start.timestamp().as_microsecond())
            })),
        };
    }
    let Some(instant) = temporal::micros(value) else {
        return Ok(Value::Null);
    };
    let Ok(timestamp) = Timestamp::from_microsecond(instant) else {
        return Ok(Value::Null);
    };
    let micros = match unit {
        DateUnit::Microsecond => 1,
        DateUnit::Millisecond => 1_000,
        DateUnit::Second => 1_000_000,
        DateUnit::Minute => 60_000_000,
        DateUnit::Hour => 3_600_000_000,
        _ => {
            let date = start_of(zone.to_datetime(timestamp).date(), unit);
            return Ok(date.map_or(Value::Null, |date| Value::Text(date.to_string())));
        }
    };
    // Cut in local time, since there are zones that are half an hour off; the offset tells the two
    // passes of a repeated hour apart.
    let offset = i64::from(zone.to_offset(timestamp).seconds()) * 1_000_000;
    let out_of_range = || Error::UserFunctionError("integer overflow".into());
    let local = instant.checked_add(offset).ok_or_else(out_of_range)?;
    Ok(Value::Integer(local - local.rem_euclid(micros) - offset))
}

/// The first day of the unit that a day is in.
fn start_of(date: Date, unit: DateUnit) -> Option<Date> {
    let back = |span: Span| date.checked_sub(span).ok();
    match unit {
        DateUnit::Week => back(i64::from(date.weekday().since(Weekday::Monday)).days()),
        DateUnit::Month => Some(date.first_of_month()),
        DateUnit::Quarter => Date::new(date.year(), (date.month() - 1) / 3 * 3 + 1, 1).ok(),
        DateUnit::Year => Some(date.first_of_year()),
        _ => Some(date),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(value: &str, is_date: bool, unit: &str, zone: &str) -> Value {
        let connection = Connection::open_in_memory().unwrap();
        register(&connection, FunctionFlags::SQLITE_UTF8).unwrap();
        let sql = "SELECT svc_date_group(?1, ?2, ?3, ?4)";
        connection
            .query_row(sql, (value, is_date, unit, zone), |row| row.get(0))
            .unwrap()
    }

    fn date(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    fn instant(text: &str) -> Value {
        Value::Integer(text.parse::<Timestamp>().unwrap().as_microsecond())
    }

    #[test]
    fn a_unit_begins_in_the_zone_that_is_asked_for() {
        let night = "2024-03-31 22:30:00";
        for (unit, zone, begins) in [
            ("day", "", "2024-03-31"),
            ("day", "Europe/Berlin", "2024-04-01"),
            ("month", "Europe/Berlin", "2024-04-01"),
            ("quarter", "", "2024-01-01"),
            ("week", "", "2024-03-25"),
            ("week", "+02:00", "2024-04-01"),
            ("year", "-05:00", "2024-01-01"),
        ] {
            assert_eq!(ask(night, false, unit, zone), date(begins), "{unit} {zone}");
        }
        let late = "2024-03-31 22:59:59.123456";
        for (value, unit, zone, begins) in [
            (night, "hour", "Asia/Kolkata", "2024-03-31T22:30:00Z"),
            (late, "minute", "", "2024-03-31T22:59:00Z"),
            (late, "millisecond", "", "2024-03-31T22:59:59.123Z"),
        ] {
            assert_eq!(ask(value, false, unit, zone), instant(begins), "{unit}");
        }
    }

    #[test]
    fn the_two_passes_of_a_repeated_hour_are_told_apart() {
        let zone = "Europe/Berlin";
        let first = ask("2024-10-27 00:30:00", false, "hour", zone);
        let second = ask("2024-10-27 01:30:00", false, "hour", zone);
        assert_eq!(first, instant("2024-10-27T00:00:00Z"));
        assert_eq!(second, instant("2024-10-27T01:00:00Z"));
    }

    #[test]
    fn a_date_has_no_zone_and_what_is_none_has_no_group() {
        assert_eq!(
            ask("2024-05-17", true, "month", "Asia/Tokyo"),
            date("2024-05-01")
        );
        assert_eq!(
            ask("2024-05-17", true, "hour", "Europe/Berlin"),
            instant("2024-05-16T22:00:00Z")
        );
        assert_eq!(ask("soon", false, "day", ""), Value::Null);
        assert_eq!(ask("soon", true, "day", ""), Value::Null);
    }
}
