//! Group lookups: how the values of a column are grouped.

use std::{fmt, str::FromStr};

/// How the values of a column are grouped.
///
/// ```
/// use svc_model::records::{DateUnit, GroupLookup};
///
/// assert_eq!("date_month".parse(), Ok(GroupLookup::Date(DateUnit::Month)));
/// assert_eq!("date".parse(), Ok(GroupLookup::Date(DateUnit::Day)));
/// assert_eq!(GroupLookup::Auto.to_string(), "auto");
/// assert!("date_month; drop table".parse::<GroupLookup>().is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GroupLookup {
    /// Each value is a group.
    #[default]
    Plain,
    /// Each value is a group, but dates and times are grouped by day.
    Auto,
    /// Dates and times are grouped by the start of the unit that they fall into.
    Date(DateUnit),
}

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum DateUnit {
    /// A millionth of a second.
    Microsecond,
    /// A thousandth of a second.
    Millisecond,
    /// A second.
    Second,
    /// A minute.
    Minute,
    /// An hour.
    Hour,
    /// A day.
    Day,
    /// A week, starting on Monday (ISO 8601).
    Week,
    /// A month.
    Month,
    /// A quarter of a year; the first starts in January.
    Quarter,
    /// A year.
    Year,
}

impl DateUnit {
    /// Every unit, the shortest first.
    pub const ALL: [Self; 10] = [
        Self::Microsecond,
        Self::Millisecond,
        Self::Second,
        Self::Minute,
        Self::Hour,
        Self::Day,
        Self::Week,
        Self::Month,
        Self::Quarter,
        Self::Year,
    ];

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Microsecond => "microsecond",
            Self::Millisecond => "millisecond",
            Self::Second => "second",
            Self::Minute => "minute",
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Quarter => "quarter",
            Self::Year => "year",
        }
    }

    /// Whether the start of a unit is a date, as it is for a day and every longer unit.
    pub fn is_date(self) -> bool {
        matches!(
            self,
            Self::Day | Self::Week | Self::Month | Self::Quarter | Self::Year
        )
    }
}

impl fmt::Display for GroupLookup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain => f.write_str("plain"),
            Self::Auto => f.write_str("auto"),
            Self::Date(unit) => write!(f, "date_{}", unit.as_str()),
        }
    }
}

impl FromStr for GroupLookup {
    type Err = UnknownGroupLookup;

    fn from_str(word: &str) -> Result<Self, UnknownGroupLookup> {
        let word = word.to_ascii_lowercase();
        match word.as_str() {
            "" | "plain" => Ok(Self::Plain),
            "auto" => Ok(Self::Auto),
            "date" => Ok(Self::Date(DateUnit::Day)),
            word => word
                .strip_prefix("date_")
                .and_then(|word| DateUnit::ALL.into_iter().find(|unit| unit.as_str() == word))
                .map(Self::Date)
                .ok_or(UnknownGroupLookup(())),
        }
    }
}

/// The error for a word that is not the name of a [`GroupLookup`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be plain, auto, date or date_ with one of {}", DateUnit::ALL.map(DateUnit::as_str).join(", "))]
pub struct UnknownGroupLookup(());
