//! Related records that come with each record: one query for each relation, whatever the number of records.

use std::{borrow::Cow, collections::HashMap, fmt, sync::Arc};

use bytes::Bytes;
use serde::{
    Deserialize,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;
use svc_model::{Count, Expand, Invalid, wire::BoxFuture};

use crate::{
    Error, Model, Resource, Result,
    plan::{
        Comparison, ListPlan, MostOfEach, Test,
        expand::{self, ExpandPlan, RelatedRecords, read_and_returned},
    },
    value::{Scalar, time::Zone},
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
    relations: Arc<[ExpandPlan]>,
    /// The fields of the records that are returned, where not all that are read.
    returned: Option<Arc<[String]>>,
    /// What is read of the records.
    pub(super) fields: Option<Vec<String>>,
    zone: Zone,
}

/// A record, and what is to be added to it.
struct Record<'r> {
    cells: Cells<'r>,
    /// `"name":value` for each relation.
    related: Vec<u8>,
    /// The relations of which it has more records.
    cut: Vec<&'r str>,
}

/// The properties of a record.
struct Cells<'r>(Vec<(Cow<'r, str>, &'r RawValue)>);

impl<'de> Deserialize<'de> for Cells<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Properties;
        impl<'de> Visitor<'de> for Properties {
            type Value = Cells<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a record")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Cells<'de>, A::Error> {
                let mut cells = Vec::with_capacity(16);
                while let Some(BorrowedName(name)) = map.next_key()? {
                    cells.push((name, map.next_value()?));
                }
                Ok(Cells(cells))
            }
        }
        deserializer.deserialize_map(Properties)
    }
}

/// A name that is copied only where it is written with escapes.
struct BorrowedName<'r>(Cow<'r, str>);

impl<'de> Deserialize<'de> for BorrowedName<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;
        impl<'de> Visitor<'de> for Name {
            type Value = BorrowedName<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_borrowed_str<E>(self, name: &'de str) -> Result<BorrowedName<'de>, E> {
                Ok(BorrowedName(Cow::Borrowed(name)))
            }

            fn visit_str<E>(self, name: &str) -> Result<BorrowedName<'de>, E> {
                Ok(BorrowedName(Cow::Owned(name.to_owned())))
            }
        }
        deserializer.deserialize_str(Name)
    }
}

/// The values of a record in the fields of a relation, as texts.
type Key = Vec<String>;

impl Cells<'_> {
    /// The values in these fields; `None` where one of them is NULL.
    fn key(&self, fields: &[String]) -> Result<Option<Key>> {
        let mut key = Vec::with_capacity(fields.len());
        for field in fields {
            let found = self.0.iter().find(|(name, _)| name == field);
            let (_, value) = found.ok_or_else(|| Error::internal("a record lacks a field"))?;
            let json = value.get();
            key.push(match json.as_bytes().first() {
                Some(b'n') => return Ok(None),
                Some(b'"') => serde_json::from_str(json).map_err(unreadable)?,
                _ => json.to_owned(),
            });
        }
        Ok(Some(key))
    }
}

/// A key as one text that is the same for numbers which are written with a different scale.
fn comparable(key: &[String]) -> String {
    let mut text = String::new();
    for part in key {
        let is_decimal = part.contains('.')
            && part
                .bytes()
                .all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'.'));
        let part = match is_decimal {
            true => part.trim_end_matches('0').trim_end_matches('.'),
            false => part.as_str(),
        };
        text.push_str(part);
        text.push('\0');
    }
    text
}

fn unreadable(source: serde_json::Error) -> Error {
    Error::internal("a record cannot be read").with_source(source)
}

/// The records of a JSON array.
fn elements(array: &[u8]) -> Result<Vec<&RawValue>> {
    serde_json::from_slice(array).map_err(unreadable)
}

impl Expansion {
    /// Resolves what is to come with the records of a model.
    pub(super) fn resolve(
        resource: &Resource,
        model: &Model,
        expand: &Expand,
        fields: Option<&[String]>,
        time_zone: Option<&str>,
    ) -> Result<Self> {
        let structure = resource.structure();
        let model = structure.model(&model.name).map_or(model, |model| model);
        let mut invalid = Invalid::new();
        let may_read = |model: &str| resource.may_read(model);
        let relations = expand::resolve(
            &structure,
            model,
            expand,
            time_zone,
            &may_read,
            &mut invalid,
        );
        let zone = Zone::parse(time_zone).unwrap_or_else(|message| {
            invalid.push_field("tz", message);
            Zone::UTC
        });
        invalid.into_result()?;
        let (fields, returned) = read_and_returned(model, fields, &relations, &[]);
        Ok(Self {
            relations: relations.into(),
            returned: returned.map(Into::into),
            fields,
            zone,
        })
    }

    /// A JSON array of records, with what belongs to each.
    pub(super) async fn of_array(&self, resource: &Resource, array: &Bytes) -> Result<Bytes> {
        let records = elements(array)?;
        let records = records.iter().map(|record| record.get());
        let expanded = self.expand(resource, records.collect()).await?;
        let bytes: usize = expanded.iter().map(|record| record.len() + 1).sum();
        let mut out = Vec::with_capacity(bytes + 2);
        out.push(b'[');
        for (number, record) in expanded.iter().enumerate() {
            if number > 0 {
                out.push(b',');
            }
            out.extend_from_slice(record);
        }
        out.push(b']');
        Ok(out.into())
    }

    /// A record, with what belongs to it.
    pub(super) async fn of_record(&self, resource: &Resource, record: &Bytes) -> Result<Bytes> {
        let text = std::str::from_utf8(record)
            .map_err(|source| Error::internal("a record is no text").with_source(source))?;
        let mut expanded = self.expand(resource, vec![text]).await?;
        expanded
            .pop()
            .map(Into::into)
            .ok_or_else(|| Error::internal("a record is missing"))
    }

    async fn expand(&self, resource: &Resource, records: Vec<&str>) -> Result<Vec<Vec<u8>>> {
        let mut expander = Expander {
            resource,
            zone: &self.zone,
            left: MOST_BYTES,
        };
        let returned = self.returned.as_deref();
        expander.expand(&self.relations, returned, records).await
    }
}

struct Expander<'e> {
    resource: &'e Resource,
    zone: &'e Zone,
    /// How many bytes may still come.
    left: usize,
}

/// Related records.
#[derive(Default)]
struct Found {
    /// JSON objects.
    records: Vec<Vec<u8>>,
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

    /// Adds to each record what belongs to it.
    fn expand<'f>(
        &'f mut self,
        relations: &'f [ExpandPlan],
        returned: Option<&'f [String]>,
        records: Vec<&'f str>,
    ) -> BoxFuture<'f, Result<Vec<Vec<u8>>>> {
        Box::pin(async move {
            let mut expanded = Vec::with_capacity(records.len());
            for record in &records {
                expanded.push(Record {
                    cells: serde_json::from_str(record).map_err(unreadable)?,
                    related: Vec::new(),
                    cut: Vec::new(),
                });
            }
            for relation in relations {
                self.add(relation, &mut expanded).await?;
            }
            let written = expanded.iter().zip(records);
            written
                .map(|(record, text)| write(record, text, returned))
                .collect()
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
                Some(_) => record.cells.key(&relation.local)?,
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
            if !out.is_empty() {
                out.push(b',');
            }
            serde_json::to_writer(&mut *out, &relation.name).map_err(unreadable)?;
            out.push(b':');
            let jsons = related.iter().filter_map(|place| found.records.get(*place));
            match (&relation.records, relation.is_many) {
                (None, _) => out.extend_from_slice(b"null"),
                (Some(_), false) => match jsons.into_iter().next() {
                    Some(json) => {
                        self.take(json)?;
                        out.extend_from_slice(json);
                    }
                    None => out.extend_from_slice(b"null"),
                },
                (Some(_), true) => {
                    out.push(b'[');
                    for (number, json) in jsons.take(MOST_OF_EACH).enumerate() {
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
        let mut records = self.read(relation, related, values).await?;
        let places = values.iter().map(|value| comparable(value)).zip(0..);
        let places: HashMap<String, usize> = places.collect();
        let assigned = assign(relation, &records, &places)?;
        // The database may treat values as equal that are written in another way: these are looked up one by one.
        let are_alike = assigned.is_none();
        let mut of_value = assigned.unwrap_or_else(|| {
            records.clear();
            vec![Vec::new(); values.len()]
        });
        if are_alike || !relation.is_many {
            let pairs = values.iter().zip(&of_value);
            let missing = pairs.filter(|(_, found)| found.is_empty());
            let missing: Vec<Key> = missing.map(|(value, _)| value.clone()).collect();
            let is_any = match (are_alike, missing.as_slice()) {
                (true, _) => true,
                (false, []) => false,
                // All of them, if none was found; else they may just have no record.
                (false, missing) if missing.len() == values.len() => false,
                (false, missing) => !self.read(relation, related, missing).await?.is_empty(),
            };
            if is_any {
                for (value, found) in values.iter().zip(&mut of_value) {
                    if found.is_empty() {
                        let of_one = self.read(relation, related, std::slice::from_ref(value));
                        let of_one = of_one.await?;
                        *found = (records.len()..records.len() + of_one.len()).collect();
                        records.extend(of_one);
                    }
                }
            }
        }
        let texts = records.iter().map(|record| &**record);
        let returned = related.returned.as_deref();
        let records = match related.expand.is_empty() && returned.is_none() {
            true => texts.map(|text| text.as_bytes().to_vec()).collect(),
            false => {
                let expanded = self.expand(&related.expand, returned, texts.collect());
                expanded.await?
            }
        };
        Ok(Found { records, of_value })
    }

    /// Reads the records that have one of these values, at most one more of each than are returned.
    async fn read(
        &mut self,
        relation: &ExpandPlan,
        related: &RelatedRecords,
        values: &[Key],
    ) -> Result<Vec<String>> {
        let zone = self.zone;
        let most = match relation.is_many {
            true => MOST_OF_EACH + 1,
            false => 1,
        };
        let limit = u32::try_from(values.len().saturating_mul(most)).unwrap_or(u32::MAX);
        let mut query = related.query.clone().count(Count::None);
        let mut records = Vec::new();
        loop {
            let query_now = &query;
            let part = self
                .resource
                .with_structure(&related.model, |driver, structure, model| {
                    let mut plan = ListPlan::resolve(structure, model, query_now)?;
                    let fields: Option<Vec<usize>> = relation
                        .related
                        .iter()
                        .map(|name| model.index_of(name))
                        .collect();
                    let fields = fields.ok_or_else(|| {
                        Error::structure_changed("the columns of a relation have changed")
                    })?;
                    plan.among = Some(equal_to_one(model, &fields, values, zone)?);
                    plan.most_of_each = relation.is_many.then_some(MostOfEach { fields, most });
                    plan.limit = limit;
                    plan.is_internal = true;
                    Ok(driver.list(model, plan))
                })
                .await?;
            for record in elements(&part.results)? {
                self.take(record.get().as_bytes())?;
                records.push(record.get().to_owned());
            }
            match part.after.filter(|_| part.has_more && part.len > 0) {
                Some(after) => query.after = Some(after),
                None => return Ok(records),
            }
        }
    }
}

/// Which records belong to each value; `None` where one belongs to none of them by its text.
fn assign(
    relation: &ExpandPlan,
    records: &[String],
    places: &HashMap<String, usize>,
) -> Result<Option<Vec<Vec<usize>>>> {
    let mut of_value = vec![Vec::new(); places.len()];
    for (number, record) in records.iter().enumerate() {
        let cells: Cells<'_> = serde_json::from_str(record).map_err(unreadable)?;
        let place = match cells.key(&relation.related)? {
            Some(key) => places.get(&comparable(&key)),
            None => None,
        };
        match place.and_then(|place| of_value.get_mut(*place)) {
            Some(of_value) => of_value.push(number),
            None => return Ok(None),
        }
    }
    Ok(Some(of_value))
}

/// Whether fields equal one of the values. A value that the fields cannot have equals none.
fn equal_to_one(model: &Model, fields: &[usize], values: &[Key], zone: &Zone) -> Result<Test> {
    let scalars = |value: &Key| -> Result<Option<Vec<(usize, Scalar)>>> {
        let mut scalars = Vec::with_capacity(fields.len());
        for (index, text) in fields.iter().zip(value) {
            match Scalar::to_find(model.at(*index)?, text, zone) {
                Ok(scalar) => scalars.push((*index, scalar)),
                Err(_) => return Ok(None),
            }
        }
        Ok(Some(scalars))
    };
    let mut keys = Vec::with_capacity(values.len());
    for value in values {
        keys.extend(scalars(value)?);
    }
    if let [index] = fields {
        let scalars = keys.into_iter().flatten().map(|(_, scalar)| scalar);
        return Ok(Test::In(*index, scalars.collect()));
    }
    let of_key = |key: Vec<(usize, Scalar)>| {
        let parts = key.into_iter();
        let parts = parts.map(|(index, scalar)| Test::Compare(index, Comparison::Equal, scalar));
        Test::All(parts.collect())
    };
    Ok(Test::Any(keys.into_iter().map(of_key).collect()))
}

/// A record with what was added to it. `text` is its JSON.
fn write(record: &Record<'_>, text: &str, returned: Option<&[String]>) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() + record.related.len() + 64);
    match returned {
        None => out.extend_from_slice(text.strip_suffix('}').unwrap_or(text).as_bytes()),
        Some(returned) => {
            out.push(b'{');
            let cells = record.cells.0.iter();
            for (name, value) in cells.filter(|(name, _)| returned.iter().any(|r| r == name)) {
                if out.len() > 1 {
                    out.push(b',');
                }
                serde_json::to_writer(&mut out, name).map_err(unreadable)?;
                out.push(b':');
                out.extend_from_slice(value.get().as_bytes());
            }
        }
    }
    if record.related.is_empty() {
        out.push(b'}');
        return Ok(out);
    }
    if out.len() > 1 {
        out.push(b',');
    }
    out.extend_from_slice(b"\"_expand\":{");
    out.extend_from_slice(&record.related);
    if !record.cut.is_empty() {
        out.extend_from_slice(b",\"_more\":");
        serde_json::to_writer(&mut out, &record.cut).map_err(unreadable)?;
    }
    out.extend_from_slice(b"}}");
    Ok(out)
}
