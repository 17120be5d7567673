//! Many records at once: bulk create.

use std::marker::PhantomData;

use bytes::Bytes;
use http::Method;
use serde::{Deserialize, de::DeserializeOwned};

use super::{Collection, Record, aggregate::Taken, info, with_draft};
use crate::{
    ErrorResponse, Invalid, JsonObject, QueryString, RecordView, ResponseError, decode_json,
    operation::encode,
    parse_bool,
    wire::{Operation, OperationInfo, PathArguments, RequestError},
};

/// The path of the bulk create of a model.
pub const BULK_CREATE_PATH: &str =
    "/projects/{project}/{environment}/{resource}/models/{model}/bulk_create";
/// The most records of one bulk create.
pub const MAX_BULK: usize = 10_000;

/// Bulk create: `POST B/bulk_create` with a JSON array, 200 with an array of [`BulkResult`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BulkCreate<T = Record> {
    /// Where.
    pub collection: Collection,
    /// The new records, at most [`MAX_BULK`].
    pub records: Vec<JsonObject>,
    /// `_atomic`: all of them or none.
    pub atomic: bool,
    /// Whether the client sends `draft=1`.
    pub draft: bool,
    answer: PhantomData<fn() -> T>,
}

impl<T> BulkCreate<T> {
    /// New records, each created or refused by itself.
    pub fn new(collection: Collection, records: Vec<JsonObject>) -> Self {
        Self {
            collection,
            records,
            atomic: false,
            draft: false,
            answer: PhantomData,
        }
    }
}

impl<T: DeserializeOwned> Operation for BulkCreate<T> {
    type Response = Vec<BulkResult<T>>;

    const INFO: OperationInfo = info("records.bulk_create", Method::POST, BULK_CREATE_PATH, false);

    fn path_arguments(&self) -> PathArguments<'_> {
        self.collection.arguments()
    }

    fn query(&self) -> QueryString {
        let mut query = QueryString::new();
        if self.atomic {
            query.push("_atomic", "1");
        }
        with_draft(query, self.draft)
    }

    fn body(&self) -> Result<Option<Bytes>, RequestError> {
        encode(&self.records).map(Some)
    }

    fn parse_success(response: http::Response<Bytes>) -> Result<Self::Response, ResponseError> {
        decode_json(response)
    }
}

/// The parameters of a bulk create as the service reads them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BulkQuery {
    /// `_atomic`: all of the records or none.
    pub atomic: bool,
    /// How the created records are shown.
    pub view: RecordView,
}

impl BulkQuery {
    /// Reads the query string.
    ///
    /// # Errors
    /// [`Invalid`] with a message for each unknown parameter and malformed value.
    pub fn parse(query: &str) -> Result<Self, Invalid> {
        let mut taken = Taken::take(query, &["_atomic"])?;
        let atomic = match taken.last("_atomic") {
            None => false,
            Some(word) => parse_bool(&word)
                .ok_or_else(|| Invalid::field("_atomic", "must be true or false"))?,
        };
        Ok(Self {
            atomic,
            view: taken.view()?,
        })
    }
}

/// What became of one record of a bulk create: `{"success": true, "record": {...}}` or
/// `{"success": false, "errors": {...}}`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "Wire<T>", bound(deserialize = "T: Deserialize<'de>"))]
pub enum BulkResult<T = Record> {
    /// It was created.
    Created(T),
    /// It was refused, and why.
    Refused(Invalid),
}

#[derive(Deserialize)]
struct Wire<T> {
    success: bool,
    record: Option<T>,
    errors: Option<Box<serde_json::value::RawValue>>,
}

impl<T> TryFrom<Wire<T>> for BulkResult<T> {
    type Error = &'static str;

    fn try_from(wire: Wire<T>) -> Result<Self, &'static str> {
        if wire.success {
            return wire
                .record
                .map(Self::Created)
                .ok_or("a success without its record");
        }
        // The errors have the shape of an error body, which one place takes apart.
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
    fn its_parameters_are_atomic_and_those_of_a_record() {
        let query = BulkQuery::parse("_atomic=yes&_fields=id&tz=%2B02:00").unwrap();
        assert!(query.atomic);
        assert_eq!(query.view.fields, Some(vec!["id".to_owned()]));
        assert_eq!(BulkQuery::parse("").unwrap(), BulkQuery::default());
        for wrong in ["_atomic=maybe", "_atomic=", "name=x", "_order_by=id"] {
            assert!(BulkQuery::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn each_record_tells_what_became_of_it() {
        let body = r#"[{"success":true,"record":{"id":1}},{"success":false,"errors":{"name":["this field is required"]}}]"#;
        let results =
            BulkCreate::<Record>::parse_response(http::Response::new(body.into())).unwrap();
        assert!(matches!(&results[0], BulkResult::Created(record) if record["id"] == 1));
        assert_eq!(
            results[1],
            BulkResult::Refused(Invalid::field("name", "this field is required"))
        );
        let wrong = http::Response::new(r#"[{"success":true}]"#.into());
        assert!(BulkCreate::<Record>::parse_response(wrong).is_err());
    }
}
