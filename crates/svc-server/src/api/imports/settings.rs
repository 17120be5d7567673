//! How the file of an import is read, as the store keeps it.

use http::{HeaderMap, HeaderValue, header};
use serde::{Deserialize, Serialize};
use svc_data::BulkOptions;
use svc_model::{
    Invalid,
    imports::{DEFAULT_BATCH, ImportQuery},
};

use super::row::{Columns, Form};
use crate::http::{ApiError, ApiResult};

/// How many rows are written together where each may change a record, which takes several statements.
const UPSERTS_AT_ONCE: u32 = 500;

/// How a file is read, and how its rows are written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Settings {
    pub(super) form: Form,
    #[serde(flatten)]
    pub(super) columns: Columns,
    pub(super) on_conflict: Option<Vec<String>>,
    /// How many rows are written in one transaction, at most.
    pub(super) batch: u32,
    /// How many rows at the beginning are left out.
    pub(super) skip: u64,
    time_zone: Option<String>,
}

impl Settings {
    /// Those of a request: the form is its media type.
    pub(super) fn new(headers: &HeaderMap, query: ImportQuery) -> ApiResult<Self> {
        // A compressed file is not unpacked: a small one could become a large one.
        let encoding = headers
            .get(header::CONTENT_ENCODING)
            .map(HeaderValue::as_bytes);
        if encoding.is_some_and(|encoding| !encoding.eq_ignore_ascii_case(b"identity")) {
            return Err(ApiError::UnsupportedFile);
        }
        let media_type = headers.get(header::CONTENT_TYPE);
        let media_type = media_type.and_then(|value| value.to_str().ok());
        let essence = media_type
            .unwrap_or_default()
            .split(';')
            .next()
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase();
        let form = match essence.as_str() {
            "text/csv" => Form::Csv {
                delimiter: query.delimiter.unwrap_or(b','),
            },
            "application/x-ndjson" | "application/ndjson" | "application/jsonl" => Form::Ndjson,
            _ => return Err(ApiError::UnsupportedFile),
        };
        if form == Form::Ndjson && query.delimiter.is_some() {
            return Err(Invalid::field("_delimiter", "is for CSV alone").into());
        }
        if form == Form::Ndjson && !query.empty_cells.is_empty() {
            return Err(Invalid::field("_empty", "is for CSV alone").into());
        }
        Ok(Self {
            form,
            columns: Columns {
                mapping: query.mapping,
                empty_cells: query.empty_cells,
            },
            batch: query.batch.unwrap_or(match query.on_conflict {
                Some(_) => UPSERTS_AT_ONCE,
                None => DEFAULT_BATCH,
            }),
            on_conflict: query.on_conflict,
            skip: query.skip,
            time_zone: query.time_zone,
        })
    }

    /// How the records are created. Of most of them nothing but the key is read back.
    pub(super) fn options(&self) -> BulkOptions {
        let mut options = BulkOptions::default();
        options.on_conflict.clone_from(&self.on_conflict);
        options.view.fields = Some(Vec::new());
        options.keys_suffice = true;
        options.view.time_zone.clone_from(&self.time_zone);
        options
    }

    pub(super) fn to_json(&self) -> ApiResult<String> {
        serde_json::to_string(self).map_err(|error| ApiError::Internal(error.to_string()))
    }

    pub(super) fn from_json(json: &str) -> ApiResult<Self> {
        let strange = |error| {
            ApiError::Internal(format!("the settings of an import cannot be read: {error}"))
        };
        serde_json::from_str(json).map_err(strange)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(media_type: &str, query: &str) -> ApiResult<Settings> {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, media_type.parse().unwrap());
        Settings::new(&headers, ImportQuery::parse(query).unwrap())
    }

    #[test]
    fn settings_of_an_import_that_was_begun_by_an_earlier_release_are_read() {
        let json = r#"{"form":{"csv":{"delimiter":44}},"mapping":{"a":"b","c":null},"on_conflict":null,"batch":5000,"skip":0,"time_zone":null}"#;
        let read = Settings::from_json(json).unwrap();
        assert_eq!(read.columns.mapping.field("a"), Some("b"));
        assert_eq!(
            read.to_json().unwrap(),
            json,
            "the same request is still the same"
        );
    }

    #[test]
    fn the_form_is_the_media_type_of_the_request() {
        let csv = settings("text/csv; charset=utf-8", "_delimiter=%3B").unwrap();
        assert_eq!(csv.form, Form::Csv { delimiter: b';' });
        assert_eq!(Settings::from_json(&csv.to_json().unwrap()).unwrap(), csv);
        let chosen = settings("text/csv", "_empty={\"a\":\"text\"}").unwrap();
        assert_eq!(
            Settings::from_json(&chosen.to_json().unwrap()).unwrap(),
            chosen
        );
        let ndjson = settings("Application/X-NDJSON", "").unwrap();
        assert_eq!(ndjson.form, Form::Ndjson);
        for (media_type, query) in [
            ("application/json", ""),
            ("text/plain", ""),
            ("application/x-ndjson", "_delimiter=%3B"),
            ("application/x-ndjson", "_empty={\"a\":\"text\"}"),
        ] {
            assert!(settings(media_type, query).is_err(), "{media_type}");
        }
        let mut packed = HeaderMap::new();
        packed.insert(header::CONTENT_TYPE, "text/csv".parse().unwrap());
        packed.insert(header::CONTENT_ENCODING, "gzip".parse().unwrap());
        assert!(Settings::new(&packed, ImportQuery::default()).is_err());
    }
}
