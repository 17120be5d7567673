//! Create, and what becomes of a record that is there already (wire contract, section 11).

use std::marker::PhantomData;

use super::{Collection, Record, aggregate::SplitQuery};
use crate::{Invalid, JsonObject, RecordView, comma_list::read_fields, wire::Operation};

/// Create: `POST B`, 201 with the whole record. With `_on_conflict`, 200 where a record was there and was changed.
#[derive(Clone, Debug, Operation)]
#[operation(POST Data "/projects/{project}/{environment}/{resource}/models/{model}")]
#[operation(name = "records.create", status = CREATED, credential = StaticToken, tagged = T)]
#[operation(new = "Creates a record.")]
#[non_exhaustive]
pub struct Create<T = Record> {
    /// The collection.
    #[wire(path)]
    pub collection: Collection,
    /// The fields of the new record.
    #[wire(whole_body)]
    pub record: JsonObject,
    /// The view of the record in the response.
    #[wire(query, default)]
    pub view: RecordView,
    /// `_on_conflict`: unique fields. The record that has the same values in them is changed, if there is one: fields that
    /// are left out keep their values. Empty where a record is created in any case.
    #[wire(query = "_on_conflict", default)]
    pub on_conflict: Vec<String>,
    record_type: PhantomData<fn() -> T>,
}

/// The parameters of a create as the service reads them.
///
/// ```
/// use svc_model::records::CreateQuery;
///
/// let query = CreateQuery::parse("_on_conflict=shop,number&_fields=id")?;
/// assert_eq!(query.on_conflict, Some(vec!["shop".to_owned(), "number".to_owned()]));
/// assert!(CreateQuery::parse("_on_conflict=").is_err());
/// # Ok::<(), svc_model::Invalid>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CreateQuery {
    /// `_on_conflict`: unique fields. A record that has the same values in them is changed instead of creating another.
    pub on_conflict: Option<Vec<String>>,
    /// The view of the record in the response.
    pub view: RecordView,
}

impl CreateQuery {
    /// Reads the query string.
    ///
    /// # Errors
    /// [`Invalid`] with a message for each unknown parameter and malformed value.
    pub fn parse(query: &str) -> Result<Self, Invalid> {
        let mut parts = SplitQuery::new(query, &["_on_conflict"])?;
        Ok(Self {
            on_conflict: parts.on_conflict()?,
            view: parts.view()?,
        })
    }
}

impl SplitQuery {
    /// Removes `_on_conflict` and returns its fields.
    pub(super) fn on_conflict(&mut self) -> Result<Option<Vec<String>>, Invalid> {
        let list = self.last("_on_conflict");
        let fields = list.map(|list| {
            read_fields(&list).ok_or_else(|| {
                Invalid::field("_on_conflict", "must be a comma list of unique fields")
            })
        });
        fields.transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unique_fields_are_sent_as_a_list() {
        let collection = Collection::new(("p", "prod"), "r", "m");
        let mut create = Create::<Record>::new(collection, JsonObject::new());
        let query = |create: &Create| {
            let request = create.to_request("https://example.com").unwrap();
            request.uri().query().map(str::to_owned)
        };
        assert_eq!(query(&create), None);
        create.on_conflict = vec!["shop".to_owned(), "a,b".to_owned()];
        let sent = query(&create).unwrap();
        let read = CreateQuery::parse(&sent).unwrap();
        assert_eq!(read.on_conflict, Some(create.on_conflict));
    }

    #[test]
    fn other_parameters_of_lists_are_refused() {
        for wrong in ["_on_conflict=a,,b", "_order_by=id", "name=x", "_expand=a"] {
            assert!(CreateQuery::parse(wrong).is_err(), "{wrong}");
        }
        assert_eq!(CreateQuery::parse("").unwrap(), CreateQuery::default());
    }
}
