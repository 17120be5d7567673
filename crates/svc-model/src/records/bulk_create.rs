//! Bulk create: many records in one request.

use std::marker::PhantomData;

use bytes::Bytes;
use http::HeaderName;
use serde::Deserialize;

use super::{Collection, Record, aggregate::SplitQuery};
use crate::{ErrorResponse, Invalid, JsonObject, RecordView, parse_bool, wire::Operation};

/// The header that identifies a bulk create, so that it is done only once when it is sent again.
pub const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// The maximum length of an [`IDEMPOTENCY_KEY`], in characters.
pub const MAX_IDEMPOTENCY_KEY: usize = 200;
/// The maximum number of records in one bulk create.
pub const MAX_BULK: usize = 10_000;

/// Bulk create: `POST B/bulk_create` with a JSON array, 200 with an array of [`BulkResult`].
#[derive(Clone, Debug, Operation)]
#[operation(POST Data "/projects/{project}/{environment}/{resource}/models/{model}/bulk_create")]
#[operation(name = "records.bulk_create", credential = StaticToken, answer = Vec<BulkResult<T>>)]
#[operation(new = "Creates records, each of them independently of the others.")]
#[non_exhaustive]
pub struct BulkCreate<T = Record> {
    /// The collection.
    #[wire(path)]
    pub collection: Collection,
    /// The new records, at most [`MAX_BULK`].
    #[wire(whole_body)]
    pub records: Vec<JsonObject>,
    /// `_atomic`: creates all of the records or none.
    #[wire(query = "_atomic")]
    pub atomic: bool,
    /// `_on_conflict`: unique fields. A record that has the same values in them is changed instead of creating another. Empty
    /// where records are created in any case.
    #[wire(query = "_on_conflict", default)]
    pub on_conflict: Vec<String>,
    /// `Idempotency-Key`: the same records with the same key are created once, however often they are sent.
    /// The response to a repetition has the result for each record, but with empty records.
    #[wire(header = "idempotency-key")]
    pub idempotency_key: Option<String>,
    record_type: PhantomData<fn() -> T>,
}

/// The parameters of a bulk create as the service reads them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BulkQuery {
    /// `_atomic`: creates all of the records or none.
    pub atomic: bool,
    /// `_on_conflict`: unique fields. A record that has the same values in them is changed instead of creating another.
    pub on_conflict: Option<Vec<String>>,
    /// The view of the created records in the response.
    pub view: RecordView,
}

impl BulkQuery {
    /// Reads the query string.
    ///
    /// # Errors
    /// [`Invalid`] with a message for each unknown parameter and malformed value.
    pub fn parse(query: &str) -> Result<Self, Invalid> {
        let mut parts = SplitQuery::new(query, &["_atomic", "_on_conflict"])?;
        let atomic = match parts.last("_atomic") {
            None => false,
            Some(word) => parse_bool(&word)
                .ok_or_else(|| Invalid::field("_atomic", "must be true or false"))?,
        };
        Ok(Self {
            atomic,
            on_conflict: parts.on_conflict()?,
            view: parts.view()?,
        })
    }
}

/// The result for one record of a bulk create: `{"success": true, "record": {...}}`, with `"updated": true` where a record
/// was there and was changed, or `{"success": false, "errors": {...}}`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "Wire<T>", bound(deserialize = "T: Deserialize<'de>"))]
#[non_exhaustive]
pub enum BulkResult<T = Record> {
    /// The record was created.
    Created(T),
    /// A record with the same values in the unique fields was there, and was changed.
    Updated(T),
    /// The record was refused, for these reasons.
    Refused(Invalid),
}

#[derive(Deserialize)]
struct Wire<T> {
    success: bool,
    #[serde(default)]
    updated: bool,
    record: Option<T>,
    errors: Option<Box<serde_json::value::RawValue>>,
}

impl<T> TryFrom<Wire<T>> for BulkResult<T> {
    type Error = &'static str;

    fn try_from(wire: Wire<T>) -> Result<Self, &'static str> {
        if wire.success {
            let of_record = match wire.updated {
                true => Self::Updated,
                false => Self::Created,
            };
            return wire
                .record
                .map(of_record)
                .ok_or("a success without its record");
        }
        // The errors have the shape of an error body, so they are read by the same code.
        let body = wire
            .errors
            .map_or_else(Bytes::new, |errors| Bytes::from(errors.get().to_owned()));
        let error = ErrorResponse::new(http::StatusCode::BAD_REQUEST, Default::default(), body);
        Ok(Self::Refused(error.invalid().clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parameters_are_those_of_a_bulk_create_and_of_a_record_view() {
        let query =
            BulkQuery::parse("_atomic=yes&_on_conflict=a,b&_fields=id&tz=%2B02:00").unwrap();
        assert!(query.atomic);
        assert_eq!(
            query.on_conflict,
            Some(vec!["a".to_owned(), "b".to_owned()])
        );
        assert_eq!(query.view.fields, Some(vec!["id".to_owned()]));
        assert_eq!(BulkQuery::parse("").unwrap(), BulkQuery::default());
        for wrong in ["_atomic=maybe", "_atomic=", "name=x", "_order_by=id"] {
            assert!(BulkQuery::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_idempotency_key_is_sent_as_a_header() {
        let collection = Collection::new(("p", "prod"), "r", "m");
        let mut create = BulkCreate::<Record>::new(collection, Vec::new());
        let headers = |create: &BulkCreate| {
            let request = create.to_request("https://example.com").unwrap();
            request.headers().get(IDEMPOTENCY_KEY).cloned()
        };
        assert_eq!(headers(&create), None);
        create.idempotency_key = Some("import-1".to_owned());
        assert_eq!(headers(&create).unwrap(), "import-1");
    }

    #[test]
    fn each_record_has_a_result() {
        let body = r#"[{"success":true,"record":{"id":1}},{"success":true,"updated":true,"record":{"id":2}},{"success":false,"errors":{"name":["this field is required"]}}]"#;
        let results =
            BulkCreate::<Record>::parse_response(http::Response::new(body.into())).unwrap();
        assert!(matches!(&results[0], BulkResult::Created(record) if record["id"] == 1));
        assert!(matches!(&results[1], BulkResult::Updated(record) if record["id"] == 2));
        assert_eq!(
            results[2],
            BulkResult::Refused(Invalid::field("name", "this field is required"))
        );
        let wrong = http::Response::new(r#"[{"success":true}]"#.into());
        assert!(BulkCreate::<Record>::parse_response(wrong).is_err());
    }
}
