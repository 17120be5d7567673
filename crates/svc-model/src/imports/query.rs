//! The parameters of an import: how its file is read.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::EmptyCells;
use crate::{
    Draft, Invalid,
    comma_list::read_fields,
    parse_bool,
    query::{QueryString, parse_pairs},
    records::MAX_BULK,
    wire::QueryValue,
};

/// The fields that columns of a file become; `None` for a column that is left out.
///
/// ```
/// use svc_model::imports::Mapping;
///
/// let mapping = Mapping::from([("E-mail", "email")]).without("Remarks");
/// assert_eq!(mapping.field("E-mail"), Some("email"));
/// assert_eq!(mapping.field("name"), Some("name"));
/// assert_eq!(mapping.field("Remarks"), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Mapping(BTreeMap<String, Option<String>>);

impl Mapping {
    /// Leaves a column out.
    #[must_use]
    pub fn without(mut self, column: impl Into<String>) -> Self {
        self.0.insert(column.into(), None);
        self
    }

    /// The field that a column becomes: the one of its name, unless the mapping says otherwise.
    pub fn field<'a>(&'a self, column: &'a str) -> Option<&'a str> {
        match self.0.get(column) {
            None => Some(column),
            Some(field) => field.as_deref(),
        }
    }

    /// The columns that it names, and their fields.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        let entries = self.0.iter();
        entries.map(|(column, field)| (column.as_str(), field.as_deref()))
    }

    /// Whether it names no column.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<C: Into<String>, F: Into<String>, const N: usize> From<[(C, F); N]> for Mapping {
    fn from(fields: [(C, F); N]) -> Self {
        fields.into_iter().collect()
    }
}

impl<C: Into<String>, F: Into<String>> FromIterator<(C, F)> for Mapping {
    fn from_iter<I: IntoIterator<Item = (C, F)>>(fields: I) -> Self {
        let fields = fields.into_iter();
        Self(
            fields
                .map(|(column, field)| (column.into(), Some(field.into())))
                .collect(),
        )
    }
}

/// A JSON object; nothing where it is empty.
impl QueryValue for Mapping {
    fn write(&self, name: &str, query: &mut QueryString) {
        // An object of texts can always be written.
        if let (false, Ok(json)) = (self.is_empty(), serde_json::to_string(self)) {
            query.push(name, &json);
        }
    }
}

/// How the file of an import is read, as the service reads it from the query string.
///
/// ```
/// use svc_model::imports::ImportQuery;
///
/// let query = ImportQuery::parse("_mapping={\"Name\":\"name\"}&_dry_run=1&_delimiter=%09")?;
/// assert_eq!(query.mapping.field("Name"), Some("name"));
/// assert!(query.dry_run && query.delimiter == Some(b'\t'));
/// assert!(ImportQuery::parse("_delimiter=ab").is_err());
/// # Ok::<(), svc_model::Invalid>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImportQuery {
    /// The fields that columns of the file become.
    pub mapping: Mapping,
    /// What the empty cells of columns of CSV become.
    pub empty_cells: EmptyCells,
    /// Whether every row is tried and nothing is kept.
    pub dry_run: bool,
    /// What separates the columns of CSV; a comma when `None`.
    pub delimiter: Option<u8>,
    /// Unique fields. A record that has the same values in them is changed instead of creating another.
    pub on_conflict: Option<Vec<String>>,
    /// How many rows are written in one transaction, at most; the service chooses when `None`.
    pub batch: Option<u32>,
    /// How many rows at the beginning of the file are left out.
    pub skip: u64,
    /// UTC offset or IANA time zone of times without an offset.
    pub time_zone: Option<String>,
}

impl ImportQuery {
    /// Reads the query string.
    ///
    /// # Errors
    /// [`Invalid`] with a message for each unknown parameter and malformed value.
    pub fn parse(query: &str) -> Result<Self, Invalid> {
        let pairs = parse_pairs(query).map_err(|error| Invalid::general(error.to_string()))?;
        let mut read = Self::default();
        let mut invalid = Invalid::new();
        for (key, value) in &pairs {
            match read.set(key, value) {
                Some(Ok(())) => {}
                Some(Err(message)) => invalid.push_field(key, message),
                None => invalid.push_general(format!("unknown parameter {key:?}")),
            }
        }
        invalid.into_result().map(|()| read)
    }

    /// Reads a parameter; `None` where it is not known.
    fn set(&mut self, key: &str, value: &str) -> Option<Result<(), String>> {
        let read = match key {
            "_mapping" => serde_json::from_str(value)
                .map(|mapping| self.mapping = mapping)
                .map_err(|error| {
                    format!(
                        "must be a JSON object of columns of the file and their fields: {error}"
                    )
                }),
            "_empty" => serde_json::from_str(value)
                .map(|empty_cells| self.empty_cells = empty_cells)
                .map_err(|error| {
                    format!(
                        "must be a JSON object of columns of the file and null, text or default: {error}"
                    )
                }),
            "_dry_run" => parse_bool(value)
                .map(|dry_run| self.dry_run = dry_run)
                .ok_or_else(|| "must be true or false".to_owned()),
            "_delimiter" => read_delimiter(value)
                .map(|delimiter| self.delimiter = Some(delimiter))
                .ok_or_else(|| {
                    "must be one character of ASCII that is no quote, letter or digit".to_owned()
                }),
            "_on_conflict" => read_fields(value)
                .map(|fields| self.on_conflict = Some(fields))
                .ok_or_else(|| "must be a comma list of unique fields".to_owned()),
            "_batch" => value
                .parse()
                .ok()
                .filter(|batch: &u32| (1..=MAX_BULK).contains(&(*batch as usize)))
                .map(|batch| self.batch = Some(batch))
                .ok_or_else(|| format!("must be a number from 1 to {MAX_BULK}")),
            "_skip" => value
                .parse()
                .map(|skip| self.skip = skip)
                .map_err(|_| "must be a number of rows".to_owned()),
            "tz" if !value.is_empty() => {
                self.time_zone = Some(value.to_owned());
                Ok(())
            }
            "tz" => Err(
                "must be a UTC offset such as +02:00 or a zone such as Europe/Berlin".to_owned(),
            ),
            // A client with `draft` on sends this parameter with every request.
            "draft" => value
                .parse::<Draft>()
                .map(drop)
                .map_err(|error| error.to_string()),
            _ => return None,
        };
        Some(read)
    }
}

/// A character that can separate columns.
fn read_delimiter(text: &str) -> Option<u8> {
    match text.as_bytes() {
        [byte @ (b'\t' | b' '..=b'~')] if !byte.is_ascii_alphanumeric() && *byte != b'"' => {
            Some(*byte)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        imports::{Begin, EmptyCell},
        records::Collection,
        wire::{Operation as _, Upload},
    };

    #[test]
    fn what_a_client_sends_is_read_by_the_service() {
        let collection = Collection::new(("p", "prod"), "r", "m");
        let file = Upload::bytes("text/csv", "a\n1\n");
        let mut begin = Begin::new(collection, file)
            .mapping(Mapping::from([("a b", "a")]).without("c"))
            .empty_cells([("a b", EmptyCell::Text), ("d", EmptyCell::Default)])
            .delimiter('\t')
            .batch(10_u32)
            .skip(3_u64)
            .time_zone("+02:00");
        begin.on_conflict = vec!["a,b".to_owned()];
        let request = begin.to_request("https://example.com").unwrap();
        let read = ImportQuery::parse(request.uri().query().unwrap()).unwrap();
        assert_eq!(read.mapping, begin.mapping);
        assert_eq!(read.empty_cells, begin.empty_cells);
        assert_eq!(read.delimiter, Some(b'\t'));
        assert_eq!((read.batch, read.skip), (Some(10), 3));
        assert_eq!(read.on_conflict.as_deref(), Some(&["a,b".to_owned()][..]));
        assert_eq!(read.time_zone.as_deref(), Some("+02:00"));
        assert!(!read.dry_run);
    }

    #[test]
    fn each_malformed_parameter_has_its_message() {
        for (query, field) in [
            ("_mapping=[]", "_mapping"),
            ("_mapping={\"a\":1}", "_mapping"),
            ("_empty=a", "_empty"),
            ("_empty={\"a\":\"zero\"}", "_empty"),
            ("_empty={\"a\":null}", "_empty"),
            ("_dry_run=maybe", "_dry_run"),
            ("_delimiter=%22", "_delimiter"),
            ("_delimiter=", "_delimiter"),
            ("_delimiter=a", "_delimiter"),
            ("_delimiter=%C3%A9", "_delimiter"),
            ("_on_conflict=", "_on_conflict"),
            ("_batch=0", "_batch"),
            ("_batch=10001", "_batch"),
            ("_skip=-1", "_skip"),
            ("tz=", "tz"),
        ] {
            let invalid = ImportQuery::parse(query).unwrap_err();
            assert_eq!(invalid.field_errors()[0].0, field, "{query}");
        }
        assert!(ImportQuery::parse("_atomic=1").is_err());
        assert!(ImportQuery::parse("draft=1").is_ok());
    }
}
