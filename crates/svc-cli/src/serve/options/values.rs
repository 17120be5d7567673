//! The values of options, which flags, variables and the configuration file read in the same way.

use std::{net::SocketAddr, str::FromStr, time::Duration};

use jiff::{Span, SpanRelativeTo};
use serde::{Deserialize, Deserializer, de::Error as _};
use svc_server::AuditValues;

/// A time in whole seconds.
#[derive(Clone, Copy)]
pub(crate) struct Seconds<T>(T);

impl<T: FromStr> FromStr for Seconds<T> {
    type Err = T::Err;

    fn from_str(text: &str) -> Result<Self, T::Err> {
        text.parse().map(Self)
    }
}

impl<T: Into<u64>> From<Seconds<T>> for Duration {
    fn from(Seconds(seconds): Seconds<T>) -> Self {
        Self::from_secs(seconds.into())
    }
}

/// A time from one thing to the next, in whole seconds: `30s`, `15m`, `24h`, `7d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval(pub(super) Duration);

impl FromStr for Interval {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = "must be a time such as 30s, 15m, 24h or 7d, of at least 1s and at most 10000d";
        let span: Span = text.parse().map_err(|_| wrong)?;
        let days = SpanRelativeTo::days_are_24_hours();
        let time = span.to_duration(days).map_err(|_| wrong)?;
        match u64::try_from(time.as_secs()) {
            Ok(seconds @ 1..=864_000_000) if time.subsec_nanos() == 0 => {
                Ok(Self(Duration::from_secs(seconds)))
            }
            _ => Err(wrong),
        }
    }
}

/// Reads an IP address and a port.
pub(super) fn parse_address(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse()
        .map_err(|_| "must be an IP address and a port, such as 127.0.0.1:8080 or [::]:8080")
}

/// Reads `on`, `off` or a comma list of resources.
pub(super) fn parse_audit_values(text: &str) -> Result<AuditValues, &'static str> {
    match text {
        "on" => Ok(AuditValues::On),
        "off" => Ok(AuditValues::Off),
        list => only_of(list.split(',').map(str::trim).map(str::to_owned).collect()),
    }
}

fn only_of(resources: Vec<String>) -> Result<AuditValues, &'static str> {
    let is_name = |name: &String| !matches!(name.as_str(), "" | "on" | "off");
    match resources.iter().all(is_name) {
        true => Ok(AuditValues::Only(resources)),
        false => Err("must be on, off, or names of resources with commas between them"),
    }
}

/// Reads them as the flag does, or an array of resources.
pub(super) fn audit_values<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<AuditValues>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        Text(String),
        Resources(Vec<String>),
    }
    let read = match Given::deserialize(deserializer)? {
        Given::Text(text) => parse_audit_values(&text),
        Given::Resources(resources) => only_of(resources),
    };
    read.map(Some).map_err(D::Error::custom)
}

/// Reads a number of at least 1.
pub(super) fn positive<T: FromStr>(text: &str) -> Result<T, &'static str> {
    text.parse()
        .map_err(|_| "must be a whole number of at least 1, without a unit")
}

/// Reads a number.
pub(super) fn whole<T: FromStr>(text: &str) -> Result<T, &'static str> {
    text.parse()
        .map_err(|_| "must be a whole number, without a unit")
}

/// Reads a number of at least 1 as its flag does.
pub(super) fn positive_number<'de, D: Deserializer<'de>, T: FromStr>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    number(deserializer, positive)
}

/// Reads a number as its flag does.
pub(super) fn whole_number<'de, D: Deserializer<'de>, T: FromStr>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    number(deserializer, whole)
}

fn number<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    read: fn(&str) -> Result<T, &'static str>,
) -> Result<Option<T>, D::Error> {
    let value = toml::Value::deserialize(deserializer)?;
    // What is no integer is no number in this form either.
    let text = value.as_integer().map(|number| number.to_string());
    let number = read(text.as_deref().unwrap_or_default());
    number.map(Some).map_err(D::Error::custom)
}

/// Reads an address as its flag does.
pub(super) fn address<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<SocketAddr>, D::Error> {
    let text = String::deserialize(deserializer)?;
    parse_address(&text).map(Some).map_err(D::Error::custom)
}

/// Reads a text as its flag does.
pub(super) fn text<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: std::fmt::Display>,
{
    let text = String::deserialize(deserializer)?;
    text.parse().map(Some).map_err(D::Error::custom)
}

/// Reads a list of texts, each as the flag of the same name reads it.
pub(super) fn texts<'de, D, T>(deserializer: D) -> Result<Option<Vec<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: std::fmt::Display>,
{
    let texts = Vec::<String>::deserialize(deserializer)?;
    let parse = |text: &String| text.parse().map_err(D::Error::custom);
    texts.iter().map(parse).collect::<Result<_, _>>().map(Some)
}
