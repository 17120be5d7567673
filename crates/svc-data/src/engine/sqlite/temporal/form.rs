//! The form in which a column stores dates: seen in its values, and used for what is written.

use jiff::{Timestamp, tz::TimeZone};
use rusqlite::types::ValueRef;

use super::{MILLIS_FROM, write_civil};
use crate::{
    structure::{Kind, Storage, Suffix, TemporalForm},
    value::time::{LAST_DAYS, Written},
};

/// The forms that were seen in the values of a column.
#[derive(Default)]
pub(crate) struct Forms {
    forms: Vec<TemporalForm>,
    dates: usize,
    uuid_bytes: usize,
    others: usize,
}

impl Forms {
    pub(crate) fn see(&mut self, value: ValueRef<'_>) {
        let form = match value {
            ValueRef::Null => return,
            ValueRef::Integer(number) if number.abs() >= MILLIS_FROM => Some(TemporalForm::Millis),
            ValueRef::Integer(_) => Some(TemporalForm::Seconds),
            ValueRef::Text(text) => match Written::parse(text) {
                Some(written) if !written.has_time => {
                    self.dates += 1;
                    return;
                }
                Some(written) => form_of(text, &written),
                None => None,
            },
            ValueRef::Blob(bytes) if bytes.len() == 16 => {
                self.uuid_bytes += 1;
                return;
            }
            _ => None,
        };
        match form {
            Some(form) if !self.forms.contains(&form) => self.forms.push(form),
            Some(_) => {}
            None => self.others += 1,
        }
    }

    /// How the column is stored, as far as was seen; `default` when nothing was.
    pub(crate) fn storage(&self, kind: Kind, default: Storage) -> Storage {
        match kind {
            Kind::Boolean if self.others > 0 => Storage::Words,
            Kind::Uuid if self.uuid_bytes > 0 && self.others == 0 => Storage::UuidBytes,
            Kind::Date | Kind::DateTime => match (self.forms.as_slice(), default) {
                ([form, more @ ..], _) if kind == Kind::DateTime || self.dates == 0 => {
                    let uniform = more.is_empty() && self.others == 0 && self.dates == 0;
                    Storage::Temporal {
                        form: *form,
                        uniform: uniform && kind == Kind::DateTime,
                    }
                }
                ([], Storage::Temporal { form, .. })
                    if kind == Kind::Date && self.others == 0 && self.dates > 0 =>
                {
                    Storage::Temporal {
                        form,
                        uniform: true,
                    }
                }
                _ => default,
            },
            _ => default,
        }
    }
}

fn form_of(text: &[u8], written: &Written<'_>) -> Option<TemporalForm> {
    let suffix = match written.offset {
        None => Suffix::None,
        Some(0) if text.ends_with(b"Z") => Suffix::Z,
        Some(0) if text.ends_with(b"+00:00") => Suffix::Zero,
        Some(_) => return None,
    };
    let form = TemporalForm::Text {
        separator: written.separator,
        fraction: u8::try_from(written.fraction.len()).ok()?,
        suffix,
    };
    // Only a form that we would write in the same way compares as text.
    let mut again = Vec::new();
    write_form(&mut again, written.timestamp(&TimeZone::UTC)?, 0, form)?;
    (again == text).then_some(form)
}

/// A point in time in the form of a column. `None` when the form cannot hold it exactly.
pub(crate) enum Stored {
    Text(String),
    Integer(i64),
}

/// Puts a point in time into the form of a column.
pub(crate) fn store(timestamp: Timestamp, digits: u8, form: TemporalForm) -> Option<Stored> {
    match form {
        TemporalForm::Text { .. } => {
            let mut text = Vec::with_capacity(32);
            write_form(&mut text, timestamp, digits, form)?;
            String::from_utf8(text).ok().map(Stored::Text)
        }
        TemporalForm::Seconds => {
            (timestamp.subsec_nanosecond() == 0).then(|| Stored::Integer(timestamp.as_second()))
        }
        TemporalForm::Millis => (timestamp.subsec_nanosecond() % 1_000_000 == 0)
            .then(|| Stored::Integer(timestamp.as_millisecond())),
    }
}

/// Whether values of the form compare with this one as they are stored.
pub(crate) fn holds_exactly(timestamp: Timestamp, form: TemporalForm) -> bool {
    let nanoseconds = timestamp.subsec_nanosecond();
    match form {
        TemporalForm::Text { fraction, .. } => {
            let digits = u32::from(fraction.min(9));
            nanoseconds % 10_i32.pow(9 - digits) == 0
        }
        TemporalForm::Seconds => nanoseconds == 0,
        TemporalForm::Millis => nanoseconds % 1_000_000 == 0,
    }
}

/// A moment of the last days of the calendar, which no point in time with a zone can hold, in the form of a column of
/// texts. It is in UTC.
pub(crate) fn last_moment(text: &str, form: TemporalForm) -> Option<String> {
    let written = Written::parse(text.as_bytes())?;
    let is_utc = matches!(written.offset, None | Some(0));
    let is_last = text.get(..10).is_some_and(|date| LAST_DAYS.contains(&date));
    let TemporalForm::Text {
        separator,
        fraction,
        suffix,
    } = form
    else {
        return None;
    };
    if !is_utc || !is_last || !written.has_time || written.timestamp(&TimeZone::UTC).is_some() {
        return None;
    }
    let civil = written.civil()?;
    let mut out = Vec::with_capacity(32);
    write_civil(&mut out, civil, separator);
    let mut digits = String::from_utf8(written.fraction.to_vec()).ok()?;
    while digits.len() < usize::from(fraction) {
        digits.push('0');
    }
    if !digits.is_empty() {
        out.push(b'.');
        out.extend_from_slice(digits.as_bytes());
    }
    out.extend_from_slice(written_suffix(suffix));
    String::from_utf8(out).ok()
}

/// How a date and time is written with other separators, and other signs that it is in UTC.
pub(crate) fn spellings(text: &str) -> impl Iterator<Item = String> {
    let bare = ["Z", "+00:00"]
        .into_iter()
        .find_map(|suffix| text.strip_suffix(suffix))
        .unwrap_or(text);
    let parts = bare.split_at_checked(10).zip(bare.get(11..));
    parts.into_iter().flat_map(|((date, _), clock)| {
        [" ", "T"].into_iter().flat_map(move |separator| {
            ["", "Z", "+00:00"]
                .into_iter()
                .map(move |suffix| format!("{date}{separator}{clock}{suffix}"))
        })
    })
}

fn written_suffix(suffix: Suffix) -> &'static [u8] {
    match suffix {
        Suffix::None => b"",
        Suffix::Z => b"Z",
        Suffix::Zero => b"+00:00",
    }
}

fn write_form(
    out: &mut Vec<u8>,
    timestamp: Timestamp,
    digits: u8,
    form: TemporalForm,
) -> Option<()> {
    use std::io::Write;
    let TemporalForm::Text {
        separator,
        fraction,
        suffix,
    } = form
    else {
        return None;
    };
    let civil = TimeZone::UTC.to_datetime(timestamp);
    write_civil(out, civil, separator);
    let digits = usize::from(digits.max(fraction));
    if digits > 0 {
        let nine = format!("{:09}", civil.subsec_nanosecond());
        write!(out, ".{}", nine.get(..digits.min(9)).unwrap_or(&nine)).ok()?;
    }
    out.extend_from_slice(written_suffix(suffix));
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::sqlite::temporal::micros;

    #[test]
    fn the_form_of_a_column_is_seen_and_written_again() {
        for sample in [
            "2026-01-31 13:30:00",
            "2026-01-31T13:30:00Z",
            "2026-01-31T13:30:00.123",
            "2026-01-31 13:30:00.123456+00:00",
        ] {
            let mut forms = Forms::default();
            forms.see(ValueRef::Text(sample.as_bytes()));
            let Storage::Temporal {
                form,
                uniform: true,
            } = forms.storage(Kind::DateTime, Storage::Native)
            else {
                panic!("{sample}");
            };
            let timestamp = Written::parse(sample.as_bytes())
                .unwrap()
                .timestamp(&TimeZone::UTC)
                .unwrap();
            match store(timestamp, 0, form) {
                Some(Stored::Text(text)) => assert_eq!(text, sample),
                _ => panic!("{sample}"),
            }
        }
    }

    #[test]
    fn forms_that_differ_are_compared_as_points_in_time() {
        let mut forms = Forms::default();
        forms.see(ValueRef::Text(b"2026-01-31 13:30:00"));
        forms.see(ValueRef::Text(b"2026-01-31T13:30:00Z"));
        assert!(matches!(
            forms.storage(Kind::DateTime, Storage::Native),
            Storage::Temporal { uniform: false, .. }
        ));
        assert_eq!(
            micros(ValueRef::Text(b"2026-01-31 13:30:00")),
            micros(ValueRef::Text(b"2026-01-31T15:30:00+02:00"))
        );
    }
}
