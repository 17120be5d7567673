//! Related records that come with each record: one query for each relation, whatever the number of records.

use std::{borrow::Cow, collections::BTreeMap, iter, ops::Range, sync::Arc};

use bytes::Bytes;
use svc_model::{Expand, Invalid, ListQuery, RecordView, wire::BoxFuture};

use super::keys::{Comparer, Key, Values, equal_to_one, places, unreadable};
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
/// How many related records are asked for at least: the statement is then the same for every page of a usual length.
const FEW: u32 = 200;
/// How many bytes a record takes beside its text.
const RECORD: usize = 64;

/// What comes with each record of a list.
#[derive(Clone, Debug)]
pub(super) struct Expansion {
    records: Arc<ExpandedRecords>,
    zone: Zone,
}

/// The records of a part: its JSON, and what was read beside it.
struct Records<'r> {
    json: &'r [u8],
    ends: &'r [usize],
    values: Values<'r>,
}

impl<'r> Records<'r> {
    fn new(json: &'r [u8], beside: &'r Beside, width: usize) -> Self {
        Self {
            json,
            ends: &beside.ends,
            values: Values::new(beside, width),
        }
    }

    /// Each record as a JSON object.
    fn iter(&self) -> impl Iterator<Item = Result<&'r [u8]>> {
        let json = self.json;
        let missing = || Error::internal("a record of a page is missing");
        ranges(self.ends).map(move |range| json.get(range).ok_or_else(missing))
    }
}

/// Where the elements of a JSON array are, by their ends: behind the bracket, and behind the comma of the one before.
fn ranges(ends: &[usize]) -> impl Iterator<Item = Range<usize>> {
    let starts = iter::once(1).chain(ends.iter().map(|end| end + 1));
    starts.zip(ends).map(|(start, end)| start..*end)
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
        ranges(&self.ends).map(|range| self.json.slice(range))
    }
}

/// What comes with records by one relation.
struct Added<'r> {
    relation: &'r ExpandPlan,
    /// Which value each record was looked up by.
    of_record: Vec<Option<usize>>,
    found: Found,
}

impl Added<'_> {
    /// The related records of a record.
    fn of(&self, record: usize) -> &[usize] {
        let value = self.of_record.get(record).copied().flatten();
        value.map_or(&[], |value| self.found.of_value(value))
    }

    fn json(&self, related: usize) -> &[u8] {
        self.found.records.get(related).map_or(b"null", |json| json)
    }

    /// Writes what belongs to a record.
    fn write(&self, out: &mut Vec<u8>, record: usize) {
        let related = self.of(record);
        if !self.relation.is_many || self.relation.records.is_none() {
            let json = related
                .first()
                .map_or(&b"null"[..], |first| self.json(*first));
            out.extend_from_slice(json);
            return;
        }
        out.push(b'[');
        for (number, related) in related.iter().take(MOST_OF_EACH).enumerate() {
            if number > 0 {
                out.push(b',');
            }
            out.extend_from_slice(self.json(*related));
        }
        out.push(b']');
    }
}

/// Related records.
#[derive(Default)]
struct Found {
    /// JSON objects.
    records: Vec<Bytes>,
    /// These in the order of the values that they were looked up by, and where those of each value end.
    order: Vec<usize>,
    ends: Vec<usize>,
}

impl Found {
    /// Assigns records to so many values.
    fn new(read: Read, values: usize) -> Self {
        let mut ends = vec![0; values];
        for value in read.of_value.iter().flatten() {
            if let Some(end) = ends.get_mut(*value) {
                *end += 1;
            }
        }
        let mut all = 0;
        for end in &mut ends {
            all += *end;
            *end = all;
        }
        let records = read.of_value.iter().enumerate();
        let assigned = records.filter_map(|(number, value)| Some((value.as_ref()?, number)));
        let mut order: Vec<_> = assigned.collect();
        order.sort();
        Self {
            order: order.into_iter().map(|(_, number)| number).collect(),
            records: read.records,
            ends,
        }
    }

    /// The places of the records of a value.
    fn of_value(&self, value: usize) -> &[usize] {
        let before = value
            .checked_sub(1)
            .and_then(|before| self.ends.get(before));
        let end = self.ends.get(value).copied().unwrap_or(0);
        let range = before.copied().unwrap_or(0)..end;
        self.order.get(range).unwrap_or_default()
    }
}

/// Which value the records that are read belong to.
#[derive(Clone, Copy)]
enum Owner<'o> {
    /// That which has the same text.
    ByText(&'o BTreeMap<Cow<'o, str>, usize>, &'o Comparer),
    /// This one.
    Known(usize),
}

/// Related records that were read, and which value each belongs to; `None` where it belongs to none of them by its text.
#[derive(Default)]
struct Read {
    records: Vec<Bytes>,
    of_value: Vec<Option<usize>>,
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
            let records = Records::new(&json, &beside, expanded.beside.len());
            let mut added = Vec::with_capacity(expanded.relations.len());
            for relation in &expanded.relations {
                added.push(self.related(relation, &records).await?);
            }
            write(&records, &added)
        })
    }

    /// Finds what belongs to each record by one relation.
    async fn related<'r>(
        &mut self,
        relation: &'r ExpandPlan,
        records: &Records<'_>,
    ) -> Result<Added<'r>> {
        let mut values: Vec<Key<'_>> = Vec::new();
        let mut places: BTreeMap<Key<'_>, usize> = BTreeMap::new();
        let mut of_record = Vec::with_capacity(records.ends.len());
        for record in 0..records.ends.len() {
            let key = match relation.records {
                Some(_) => records.values.key(record, &relation.local)?,
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
        let added = Added {
            relation,
            of_record,
            found,
        };
        // It may come with several records.
        for record in 0..records.ends.len() {
            for related in added.of(record).iter().take(most_of(relation)) {
                self.take(added.json(*related))?;
            }
        }
        Ok(added)
    }

    /// Reads the related records of these values.
    async fn find(
        &mut self,
        relation: &ExpandPlan,
        related: &RelatedRecords,
        values: &[Key<'_>],
    ) -> Result<Found> {
        let left = self.left;
        let comparer = Comparer::of(&related.model, &related.fields);
        let places = values.iter().map(|value| comparer.text(value)).zip(0..);
        let places: BTreeMap<_, usize> = places.collect();
        let mut read = Read::default();
        // Two values that are one number belong to no single place.
        let mut are_alike = places.len() < values.len();
        if !are_alike {
            let owner = Owner::ByText(&places, &comparer);
            self.read(relation, related, values, owner, &mut read)
                .await?;
            are_alike = read.of_value.iter().any(Option::is_none);
        }
        // The database may treat values as equal that are written in another way: these are looked up one by one.
        if are_alike {
            read = Read::default();
            self.left = left;
        }
        if are_alike || !relation.is_many {
            let mut is_found = vec![false; values.len()];
            for value in read.of_value.iter().flatten() {
                if let Some(is_found) = is_found.get_mut(*value) {
                    *is_found = true;
                }
            }
            let missing = || {
                (0..)
                    .zip(values)
                    .zip(&is_found)
                    .filter(|(_, found)| !**found)
            };
            let is_any = match (are_alike, missing().count()) {
                (true, _) => true,
                (false, 0) => false,
                // None was found at all.
                (false, number) if number == values.len() => false,
                (false, _) => {
                    let missing: Vec<_> = missing().map(|((_, key), _)| key.clone()).collect();
                    let mut any = Read::default();
                    self.read(relation, related, &missing, Owner::Known(0), &mut any)
                        .await?;
                    !any.records.is_empty()
                }
            };
            if is_any {
                for ((value, key), _) in missing() {
                    let key = std::slice::from_ref(key);
                    self.read(relation, related, key, Owner::Known(value), &mut read)
                        .await?;
                }
            }
        }
        Ok(Found::new(read, values.len()))
    }

    /// Reads the records that have one of these values, at most one more of each than are returned.
    async fn read(
        &mut self,
        relation: &ExpandPlan,
        related: &RelatedRecords,
        values: &[Key<'_>],
        owner: Owner<'_>,
        read: &mut Read,
    ) -> Result<()> {
        let zone = self.zone;
        let most = match relation.is_many {
            true => MOST_OF_EACH + 1,
            false => 1,
        };
        let limit = u32::try_from(values.len().saturating_mul(most)).unwrap_or(u32::MAX);
        let limit = match limit <= FEW {
            true => FEW,
            false => limit.checked_next_power_of_two().unwrap_or(limit),
        };
        let of_key: Vec<usize> = (0..related.fields.len()).collect();
        let mut query = Cow::Borrowed(&related.query);
        loop {
            let query_now: &ListQuery = &query;
            let part = self
                .resource
                .with_structure(&related.model, |driver, structure, model| {
                    let mut plan = ListPlan::resolve(structure, model, query_now)?;
                    let fields = places(model, &related.fields)?;
                    plan.among = Some(equal_to_one(model, &fields, values, zone)?);
                    plan.most_of_each = relation.is_many.then_some(MostOfEach { fields, most });
                    plan.beside = Some(places(model, &related.expand.beside)?);
                    plan.limit = limit;
                    plan.is_internal = true;
                    Ok(driver.list(model, plan))
                })
                .await?;
            let beside = part.beside.unwrap_or_default();
            let records = Records::new(&part.results, &beside, related.expand.beside.len());
            read.of_value.reserve(beside.ends.len());
            for (number, json) in records.iter().enumerate() {
                self.take(json?)?;
                read.of_value.push(match owner {
                    Owner::Known(value) => Some(value),
                    Owner::ByText(places, comparer) => {
                        let key = records.values.key(number, &of_key)?;
                        key.and_then(|key| places.get(&comparer.text(&key)).copied())
                    }
                });
            }
            let expanded = self.expand(&related.expand, part.results, beside);
            read.records.extend(expanded.await?.records());
            match part.after.filter(|_| part.has_more && part.len > 0) {
                Some(after) => query.to_mut().after = Some(after),
                None => return Ok(()),
            }
        }
    }
}

/// How many related records are returned with a record.
fn most_of(relation: &ExpandPlan) -> usize {
    match relation.is_many {
        true => MOST_OF_EACH,
        false => 1,
    }
}

/// The records of a part with what was added to them.
fn write(records: &Records<'_>, added: &[Added<'_>]) -> Result<Array> {
    const ADDED: usize = 32;
    let count = records.ends.len();
    let names = added.iter().map(|added| {
        let name = serde_json::to_string(&added.relation.name).map_err(unreadable)?;
        Ok(format!("{name}:"))
    });
    let names: Vec<String> = names.collect::<Result<_>>()?;
    let mut size = records.json.len() + 2;
    for (added, name) in added.iter().zip(&names) {
        let related = (0..count).flat_map(|record| added.of(record));
        let related = related.map(|related| added.json(*related).len() + 1);
        size += related.sum::<usize>() + count * name.len();
    }
    let mut out = Vec::with_capacity(size + count * ADDED);
    let mut ends = Vec::with_capacity(count);
    out.push(b'[');
    for (number, json) in records.iter().enumerate() {
        if number > 0 {
            out.push(b',');
        }
        let json = json?;
        let fields = json.strip_suffix(b"}").unwrap_or(json);
        out.extend_from_slice(fields);
        if fields.len() > 1 {
            out.push(b',');
        }
        out.extend_from_slice(b"\"_expand\":{");
        for (place, (added, name)) in added.iter().zip(&names).enumerate() {
            if place > 0 {
                out.push(b',');
            }
            out.extend_from_slice(name.as_bytes());
            added.write(&mut out, number);
        }
        let cut = added
            .iter()
            .filter(|added| added.of(number).len() > most_of(added.relation));
        let cut = cut.filter(|added| added.relation.is_many);
        let cut: Vec<&str> = cut.map(|added| added.relation.name.as_str()).collect();
        if !cut.is_empty() {
            out.extend_from_slice(b",\"_more\":");
            serde_json::to_writer(&mut out, &cut).map_err(unreadable)?;
        }
        out.extend_from_slice(b"}}");
        ends.push(out.len());
    }
    out.push(b']');
    let json = out.into();
    Ok(Array { json, ends })
}
