//! Units of time between the labels of a chart.

use jiff::{Span, Timestamp, ToSpan as _, civil::Date};
use svc_model::records::DateUnit;

use crate::ui::chart::Point;

/// The points with those between them that have no records, unless they would be more than `most`: of what adds up these
/// are 0, of anything else they have no number.
pub(super) fn without_gaps(
    points: Vec<Point>,
    unit: DateUnit,
    adds_up: bool,
    most: usize,
) -> Vec<Point> {
    let mut filled: Vec<Point> = Vec::with_capacity(points.len());
    for point in &points {
        while let Some(before) = filled.last()
            && let Some(next) = next(&before.label, unit)
            && is_before(&next, &point.label)
        {
            if filled.len() >= most {
                return points;
            }
            filled.push(Point {
                label: next,
                exact: if adds_up { "0" } else { "NULL" }.to_owned(),
                value: adds_up.then_some(0.0),
                href: None,
            });
        }
        filled.push(point.clone());
    }
    filled
}

/// The beginning of the unit that follows; `None` where the label is no beginning of one.
pub(super) fn next(label: &str, unit: DateUnit) -> Option<String> {
    let span: Span = match unit {
        DateUnit::Day => 1.day(),
        DateUnit::Week => 1.week(),
        DateUnit::Month => 1.month(),
        DateUnit::Quarter => 3.months(),
        DateUnit::Year => 1.year(),
        // Shorter units have an offset, which may change between two of them.
        DateUnit::Hour => 1.hour(),
        DateUnit::Minute => 1.minute(),
        _ => return None,
    };
    if unit.is_date() {
        let date: Date = label.parse().ok()?;
        return Some(date.checked_add(span).ok()?.to_string());
    }
    let is_utc = label.ends_with('Z') || label.ends_with("+00:00");
    let at: Timestamp = label.parse().ok().filter(|_| is_utc)?;
    Some(at.checked_add(span).ok()?.to_string())
}

fn is_before(a: &str, b: &str) -> bool {
    if let (Ok(a), Ok(b)) = (a.parse::<Date>(), b.parse::<Date>())
        && !b.to_string().is_empty()
        && !a.to_string().is_empty()
    {
        return a < b;
    }
    match (a.parse::<Timestamp>(), b.parse::<Timestamp>()) {
        (Ok(a), Ok(b)) => a < b,
        _ => false,
    }
}

/// A label without what its unit does not need.
pub(super) fn short(label: &str, unit: DateUnit) -> String {
    let part = |length: usize| label.get(..length).unwrap_or(label).to_owned();
    if unit.is_date() && label.parse::<Date>().is_err() {
        return label.to_owned();
    }
    match unit {
        DateUnit::Year => part(4),
        DateUnit::Month => part(7),
        DateUnit::Quarter => {
            let month: u8 = label
                .get(5..7)
                .and_then(|month| month.parse().ok())
                .unwrap_or(1);
            format!("{} Q{}", part(4), month.div_ceil(3))
        }
        DateUnit::Hour | DateUnit::Minute => part(16).replacen('T', " ", 1),
        _ => label.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(known: &[&str], unit: DateUnit) -> Vec<String> {
        let points = known.iter().map(|label| Point {
            label: (*label).to_owned(),
            exact: "5".to_owned(),
            value: Some(5.0),
            href: None,
        });
        let filled = without_gaps(points.collect(), unit, true, 10);
        filled
            .into_iter()
            .map(|point| format!("{}={}", point.label, point.exact))
            .collect()
    }

    #[test]
    fn units_without_records_are_there_too_unless_they_are_too_many() {
        assert_eq!(
            labels(&["NULL", "2025-12-01", "2026-03-01"], DateUnit::Month),
            [
                "NULL=5",
                "2025-12-01=5",
                "2026-01-01=0",
                "2026-02-01=0",
                "2026-03-01=5"
            ]
        );
        assert_eq!(
            labels(&["2026-01-05", "2026-01-19"], DateUnit::Week).len(),
            3
        );
        assert_eq!(
            labels(&["1970-01-01", "2026-01-01"], DateUnit::Day).len(),
            2
        );
        assert_eq!(
            labels(
                &["2026-01-01T10:00:00Z", "2026-01-01T12:00:00Z"],
                DateUnit::Hour
            ),
            [
                "2026-01-01T10:00:00Z=5",
                "2026-01-01T11:00:00Z=0",
                "2026-01-01T12:00:00Z=5"
            ]
        );
    }

    #[test]
    fn a_label_says_no_more_than_its_unit() {
        assert_eq!(short("2026-04-01", DateUnit::Quarter), "2026 Q2");
        assert_eq!(short("2026-04-01", DateUnit::Month), "2026-04");
        assert_eq!(short("2026-01-01", DateUnit::Year), "2026");
        assert_eq!(short("NULL", DateUnit::Year), "NULL");
        assert_eq!(
            short("2026-01-01T10:00:00Z", DateUnit::Hour),
            "2026-01-01 10:00"
        );
    }
}
