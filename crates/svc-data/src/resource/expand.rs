//! Related records that come with each record: one query for each relation, whatever the number of records.

use std::{borrow::Cow, collections::HashMap, iter, sync::Arc};

use bytes::Bytes;
use svc_model::{Count, Expand, Invalid, ListQuery, RecordView, wire::BoxFuture};

use super::keys::{Comparer, Key, equal_to_one, key, places, unreadable, values};
use crate::{
    Error, Model, Resource, Result,
    plan::{
        ListPlan, MostOfEach,
        expand::{ExpandPlan, ExpandedRecords, RelatedRecords, Resolver},
    },
    record::Beside,
    value::time::Zone,
};

/// How many records an array of related ones has at most (wire contract, section 11).
const MOST_OF_EACH: usize = 100;
/// How many bytes the related records of an answer, or of a part of a long one, take at most while they are put together.
const MOST_BYTES: usize = 32 << 20;
/// How many bytes a record takes beside its text.
const RECORD: usize = 64;

/// What comes with each record of a list.
#[derive(Clone, Debug)]
pub(super) struct Expansion {
    records: Arc<ExpandedRecords>,
    zone: Zone,
}

/// A record, the values beside it, and what is added to it.
struct Record<'r> {
    json: &'r [u8],
    values: Vec<&'r [u8]>,
    /// `"name":value` for each relation.
    related: Vec<u8>,
    /// The relations of which it has more records.
    cut: Vec<&'r str>,
}

/// The records of a part. `results` is its JSON, `width` the number of values beside each.
fn records<'r>(results: &'r [u8], beside: &'r Beside, width: usize) -> Result<Vec<Record<'r>>> {
    let missing = || Error::internal("a record of a page is missing");
    let mut records = Vec::with_capacity(beside.ends.len());
    let mut start = 1;
    for (number, end) in beside.ends.iter().enumerate() {
        records.push(Record {
            json: results.get(start..*end).ok_or_else(missing)?,
            values: values(beside, number, width),
            related: Vec::new(),
            cut: Vec::new(),
        });
        // Behind the comma.
        start = *end + 1;
    }
    Ok(records)
}

impl Expansion {
    /// Resolves what is to come with the records of a model, which are shown so.
    pub(super) fn resolve(
        resource: &Resource,
        model: &Model,
        expand: &Expand,
        view: &RecordView,
    ) -> Result<Self> {
        let structure = resource.structure();
        let model = structure.model(&model.name).map_or(model, |model| model);
        let mut resolver = Resolver {
            structure: &structure,
            time_zone: view.time_zone.as_deref(),
            excerpt: view.excerpt,
            may_read: &|model| resource.may_read(model),
            invalid: Invalid::new(),
        };
        let records = resolver.resolve(model, expand, Vec::new());
        let zone = Zone::parse(view.time_zone.as_deref()).unwrap_or_else(|message| {
            resolver.invalid.push_field("tz", message);
            Zone::UTC
        });
        resolver.invalid.into_result()?;
        let records = Arc::new(records);
        Ok(Self { records, zone })
    }

    /// The fields that have to be read beside the records.
    pub(super) fn beside(&self) -> &[String] {
        &self.records.beside
    }

    /// The JSON array of the records of a part, with what belongs to each.
    pub(super) async fn of_part(
        &self,
        resource: &Resource,
        results: Bytes,
        beside: Beside,
    ) -> Result<Bytes> {
        let mut expander = Expander {
            resource,
            zone: &self.zone,
            left: MOST_BYTES,
        };
        let expanded = expander.expand(&self.records, results, beside).await?;
        Ok(expanded.json)
    }
}

struct Expander<'e> {
    resource: &'e Resource,
    zone: &'e Zone,
    /// How many bytes may still come.
    left: usize,
}

/// A JSON array of records, and where each of them ends.
struct Array {
    json: Bytes,
    ends: Vec<usize>,
}

impl Array {
    /// The records.
    fn records(&self) -> impl Iterator<Item = Bytes> {
        let starts = iter::once(1).chain(self.ends.iter().map(|end| end + 1));
        let ranges = starts.zip(&self.ends);
        ranges.map(|(start, end)| self.json.slice(start..*end))
    }
}

/// Related records.
#[derive(Default)]
struct Found {
    /// JSON objects.
    records: Vec<Bytes>,
    /// Which of them belong to each value that they were looked up by.
    of_value: Vec<Vec<usize>>,
}

impl Expander<'_> {
    /// Counts a record.
    fn take(&mut self, record: &[u8]) -> Result<()> {
        let left = self.left.checked_sub(record.len() + RECORD);
        self.left = left.ok_or_else(|| {
            let mebibytes = MOST_BYTES >> 20;
            let message = format!(
                "the related records take more than {mebibytes} MiB; ask for fewer records (_per_page), fewer paths, or fewer fields, in parentheses"
            );
            Error::invalid_field("_expand", message)
        })?;
        Ok(())
    }

    /// The records of a part, with what belongs to each.
    fn expand<'f>(
        &'f mut self,
        expanded: &'f ExpandedRecords,
        json: Bytes,
        beside: Beside,
    ) -> BoxFuture<'f, Result<Array>> {
        Box::pin(async move {
            if expanded.relations.is_empty() {
                let ends = beside.ends;
                return Ok(Array { json, ends });
            }
            let mut records = records(&json, &beside, expanded.beside.len())?;
            for relation in &expanded.relations {
                self.add(relation, &mut records).await?;
            }
            write(&records)
        })
    }

    /// Adds what belongs to each record by one relation.
    async fn add<'r>(
        &mut self,
        relation: &'r ExpandPlan,
        records: &mut [Record<'r>],
    ) -> Result<()> {
        let mut values: Vec<Key> = Vec::new();
        let mut places: HashMap<Key, usize> = HashMap::new();
        let mut of_record = Vec::with_capacity(records.len());
        for record in records.iter() {
            let key = match relation.records {
                Some(_) => key(&record.values, relation.local.iter().copied())?,
                None => None,
            };
            of_record.push(key.map(|key| {
                *places.entry(key).or_insert_with_key(|key| {
                    values.push(key.clone());
                    values.len() - 1
                })
            }));
        }
        let found = match &relation.records {
            Some(related) if !values.is_empty() => self.find(relation, related, &values).await?,
            _ => Found::default(),
        };
        for (record, value) in records.iter_mut().zip(of_record) {
            let nothing = Vec::new();
            let related = value.and_then(|value| found.of_value.get(value));
            let related = related.unwrap_or(&nothing);
            let out = &mut record.related;
            let found = related.iter().filter_map(|place| found.records.get(*place));
            let bytes: usize = found.clone().map(|json| json.len() + 1).sum();
            out.reserve(bytes + relation.name.len() + 8);
            if !out.is_empty() {
                out.push(b',');
            }
            serde_json::to_writer(&mut *out, &relation.name).map_err(unreadable)?;
            out.push(b':');
            match (&relation.records, relation.is_many) {
                (None, _) => out.extend_from_slice(b"null"),
                (Some(_), false) => match found.into_iter().next() {
                    Some(json) => {
                        self.take(json)?;
                        out.extend_from_slice(json);
                    }
                    None => out.extend_from_slice(b"null"),
                },
                (Some(_), true) => {
                    out.push(b'[');
                    for (number, json) in found.take(MOST_OF_EACH).enumerate() {
                        if number > 0 {
                            out.push(b',');
                        }
                        self.take(json)?;
                        out.extend_from_slice(json);
                    }
                    out.push(b']');
                    if related.len() > MOST_OF_EACH {
                        record.cut.push(&relation.name);
                    }
                }
            }
        }
        Ok(())
    }

    /// Reads the related records of these values.
    async fn find(
        &mut self,
        relation: &ExpandPlan,
        related: &RelatedRecords,
        values: &[Key],
    ) -> Result<Found> {
        let is_many = relation.is_many;
        let left = self.left;
        let mut read = self.read(is_many, related, values).await?;
        let comparer = Comparer::of(&related.model, &related.fields);
        let places = values.iter().map(|value| comparer.text(value)).zip(0..);
        let places: HashMap<_, usize> = places.collect();
        // Two values that are one number belong to no single place.
        let assigned = match places.len() == values.len() {
            true => assign(&read.keys, &places, &comparer),
            false => None,
        };
        // The database may treat values as equal that are written in another way: these are looked up one by one.
        let are_alike = assigned.is_none();
        let mut of_value = assigned.unwrap_or_else(|| {
            read = Read::default();
            self.left = left;
            vec![Vec::new(); values.len()]
        });
        if are_alike || !is_many {
            let pairs = values.iter().zip(&of_value);
            let missing = pairs.filter(|(_, found)| found.is_empty());
            let missing: Vec<Key> = missing.map(|(value, _)| value.clone()).collect();
            let is_any = match (are_alike, missing.len()) {
                (true, _) => true,
                (false, 0) => false,
                // None was found at all.
                (false, number) if number == values.len() => false,
                (false, _) => !self.read(is_many, related, &missing).await?.keys.is_empty(),
            };
            if is_any {
                for (value, found) in values.iter().zip(&mut of_value) {
                    if found.is_empty() {
                        let of_one = self.read(is_many, related, std::slice::from_ref(value));
                        let of_one = of_one.await?;
                        *found = (read.keys.len()..read.keys.len() + of_one.keys.len()).collect();
                        read.append(of_one);
                    }
                }
            }
        }
        Ok(Found {
            records: read.records,
            of_value,
        })
    }

    /// Reads the records that have one of these values, at most one more of each than are returned.
    async fn read(
        &mut self,
        is_many: bool,
        related: &RelatedRecords,
        values: &[Key],
    ) -> Result<Read> {
        let zone = self.zone;
        let most = match is_many {
            true => MOST_OF_EACH + 1,
            false => 1,
        };
        let limit = u32::try_from(values.len().saturating_mul(most)).unwrap_or(u32::MAX);
        let mut query = related.query.clone().count(Count::None);
        let mut read = Read::default();
        loop {
            let query_now: &ListQuery = &query;
            let part = self
                .resource
                .with_structure(&related.model, |driver, structure, model| {
                    let mut plan = ListPlan::resolve(structure, model, query_now)?;
                    let fields = places(model, &related.fields)?;
                    plan.among = Some(equal_to_one(model, &fields, values, zone)?);
                    plan.most_of_each = is_many.then_some(MostOfEach { fields, most });
                    plan.beside = Some(places(model, &related.expand.beside)?);
                    plan.limit = limit;
                    plan.is_internal = true;
                    Ok(driver.list(model, plan))
                })
                .await?;
            let beside = part.beside.unwrap_or_default();
            for record in records(&part.results, &beside, related.expand.beside.len())? {
                self.take(record.json)?;
                let fields = 0..related.fields.len();
                read.keys.push(key(&record.values, fields)?);
            }
            let expanded = self.expand(&related.expand, part.results, beside);
            read.records.extend(expanded.await?.records());
            match part.after.filter(|_| part.has_more && part.len > 0) {
                Some(after) => query.after = Some(after),
                None => return Ok(read),
            }
        }
    }
}

/// Related records, and the values by which they are found.
#[derive(Default)]
struct Read {
    records: Vec<Bytes>,
    keys: Vec<Option<Key>>,
}

impl Read {
    fn append(&mut self, other: Self) {
        self.records.extend(other.records);
        self.keys.extend(other.keys);
    }
}

/// Which records belong to each value; `None` where one belongs to none of them by its text.
fn assign(
    keys: &[Option<Key>],
    places: &HashMap<Cow<'_, str>, usize>,
    comparer: &Comparer,
) -> Option<Vec<Vec<usize>>> {
    let mut of_value = vec![Vec::new(); places.len()];
    for (number, key) in keys.iter().enumerate() {
        let place = places.get(&comparer.text(key.as_ref()?))?;
        of_value.get_mut(*place)?.push(number);
    }
    Some(of_value)
}

/// The records with what was added to them.
fn write(records: &[Record<'_>]) -> Result<Array> {
    const ADDED: usize = 32;
    let sizes = records.iter();
    let sizes = sizes.map(|record| record.json.len() + record.related.len() + ADDED);
    let mut out = Vec::with_capacity(sizes.sum::<usize>() + 2);
    let mut ends = Vec::with_capacity(records.len());
    out.push(b'[');
    for (number, record) in records.iter().enumerate() {
        if number > 0 {
            out.push(b',');
        }
        let fields = record.json.strip_suffix(b"}").unwrap_or(record.json);
        out.extend_from_slice(fields);
        if fields.len() > 1 {
            out.push(b',');
        }
        out.extend_from_slice(b"\"_expand\":{");
        out.extend_from_slice(&record.related);
        if !record.cut.is_empty() {
            out.extend_from_slice(b",\"_more\":");
            serde_json::to_writer(&mut out, &record.cut).map_err(unreadable)?;
        }
        out.extend_from_slice(b"}}");
        ends.push(out.len());
    }
    out.push(b']');
    let json = out.into();
    Ok(Array { json, ends })
}
