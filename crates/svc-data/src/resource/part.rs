//! Parts of lists, as a driver reads them.

use std::sync::Arc;

use svc_model::{JsonObject, ListQuery, RecordView};

use super::keys::places;
use crate::{
    Error, Model, Resource, Result, StatementKind,
    plan::{Comparison, ListPlan, Test},
    query::Buffers,
    record::{Part, Projection, read_key},
    value::Scalar,
};

/// How many keys are read at once.
const KEYS: u32 = 250_000;

/// Which records of a list are read, and what of them.
pub(super) enum ListPurpose<'a> {
    /// The records themselves.
    Page,
    /// Those of a page that was begun, in the memory of its earlier parts.
    Rest(&'a Buffers),
    /// The keys of as many records as are read at once.
    Keys,
    /// The keys of the last records.
    LastKeys,
    /// The record of a primary key, as it is in a path.
    One(&'a str),
    /// The records of a page that was begun that have these keys.
    Among(&'a [JsonObject], &'a Buffers),
}

impl Resource {
    /// Lists records, or the first part of them. `beside` are fields whose values are read beside them.
    pub(super) async fn list_part(
        &self,
        model: &Arc<Model>,
        query: &ListQuery,
        of: ListPurpose<'_>,
        beside: Option<&[String]>,
    ) -> Result<Part> {
        let of = &of;
        self.with_structure(model, StatementKind::List, |driver, structure, model| {
            let mut plan = ListPlan::resolve(structure, model, query)?;
            match of {
                ListPurpose::Page => {}
                ListPurpose::Rest(buffers) => {
                    plan.continues = true;
                    plan.buffers = Some(Buffers::clone(buffers));
                }
                ListPurpose::One(id) => {
                    let key = read_key(model, id)?.into_iter();
                    let is_equal = |(index, value)| Test::Compare(index, Comparison::Equal, value);
                    plan.among = Some(Test::All(key.map(is_equal).collect()));
                }
                ListPurpose::Keys | ListPurpose::LastKeys => {
                    plan.shown = Projection::of_key(model)?;
                    plan.limit = plan.limit.min(KEYS);
                    plan.is_internal = true;
                    plan.reversed = matches!(of, ListPurpose::LastKeys);
                }
                ListPurpose::Among(keys, buffers) => {
                    plan.among = Some(among(model, keys)?);
                    plan.buffers = Some(Buffers::clone(buffers));
                }
            }
            if let Some(names) = beside {
                plan.beside = Some(places(model, names)?);
                // What belongs to the records is looked up for more of them at once.
                plan.is_internal = true;
            }
            Ok(driver.list(model, plan))
        })
        .await
    }
}

/// The records that have these keys.
fn among(model: &Model, keys: &[JsonObject]) -> Result<Test> {
    let shown = Projection::resolve(model, &RecordView::default())?;
    let value = |index: usize, key: &JsonObject| -> Result<Scalar> {
        let field = model.at(index)?;
        let json = key
            .get_raw(&field.name)
            .ok_or_else(|| Error::internal("a record has no primary key"))?;
        let text: String = match json.as_bytes().first() {
            Some(b'n') => return Ok(Scalar::Null),
            Some(b'"') => serde_json::from_str(json)
                .map_err(|source| Error::internal("a key is no text").with_source(source))?,
            _ => json.to_owned(),
        };
        Scalar::from_text(field, &text, &shown.zone).map_err(Error::internal)
    };
    if let [index] = model.key.as_slice() {
        let values: Result<_> = keys.iter().map(|key| value(*index, key)).collect();
        return Ok(Test::In(*index, values?));
    }
    let tests = keys.iter().map(|key| {
        let parts = model.key.iter().map(|index| {
            Ok(match value(*index, key)? {
                Scalar::Null => Test::Null(*index),
                value => Test::Compare(*index, Comparison::Equal, value),
            })
        });
        Ok(Test::All(parts.collect::<Result<_>>()?))
    });
    Ok(Test::Any(tests.collect::<Result<_>>()?))
}
