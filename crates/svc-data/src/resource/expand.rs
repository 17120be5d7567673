//! Related records that come with each record: one query for each relation, whatever the number of records.

mod added;

use std::{borrow::Cow, collections::BTreeMap, sync::Arc};

use bytes::Bytes;
use svc_model::{Expand, Invalid, ListQuery, RecordView, wire::BoxFuture};

use self::added::{Added, Array, Found, Read, Records, most_of, write};
use super::keys::{Comparer, Key, equal_to_one, places};
use crate::{
    Error, Model, Resource, Result, StatementKind,
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

/// Which value the records that are read belong to.
#[derive(Clone, Copy)]
enum Owner<'o> {
    /// That which is equal.
    Equal(&'o BTreeMap<Key<'o>, usize>, &'o Comparer),
    /// This one.
    Known(usize),
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
        let places = values
            .iter()
            .map(|value| comparer.comparable(value))
            .zip(0..);
        let places: BTreeMap<_, usize> = places.collect();
        let mut read = Read::default();
        // Two values that are one number belong to no single place.
        let mut are_alike = places.len() < values.len();
        if !are_alike {
            let owner = Owner::Equal(&places, &comparer);
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
                .with_structure(
                    &related.model,
                    StatementKind::List,
                    |driver, structure, model| {
                        let mut plan = ListPlan::resolve(structure, model, query_now)?;
                        let fields = places(model, &related.fields)?;
                        plan.among = Some(equal_to_one(model, &fields, values, zone)?);
                        plan.most_of_each = relation.is_many.then_some(MostOfEach { fields, most });
                        plan.beside = Some(places(model, &related.expand.beside)?);
                        plan.limit = limit;
                        plan.is_internal = true;
                        Ok(driver.list(model, plan))
                    },
                )
                .await?;
            let beside = part.beside.unwrap_or_default();
            let records = Records::new(&part.results, &beside, related.expand.beside.len());
            read.of_value.reserve(beside.ends.len());
            for (number, json) in records.iter().enumerate() {
                self.take(json?)?;
                read.of_value.push(match owner {
                    Owner::Known(value) => Some(value),
                    Owner::Equal(places, comparer) => {
                        let key = records.values.key(number, &of_key)?;
                        key.and_then(|key| places.get(&comparer.comparable(&key)).copied())
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
