//! Bulk create: records of one transaction, and whether one that was interrupted was committed.

use std::{collections::HashSet, fmt, ptr, sync::Arc};

use svc_model::{JsonObject, RecordId, RecordView};

use crate::{
    BeforeCommit, Error, ErrorKind, IfMatch, Model, RecordJson, Resource, Result, StatementKind,
    engine::{ChangeRequest, Update},
    record::{BulkPlan, Note, Projection, RecordBody, read_key, taken_back},
    resource::create::{read_new, unique_key},
    value::time::Zone,
};

/// How records are created in bulk.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct BulkOptions {
    /// All of the records or none.
    pub atomic: bool,
    /// Unique fields: a record that has the same values in them is changed instead of creating another.
    pub on_conflict: Option<Vec<String>>,
    /// What of the created records is answered.
    pub view: RecordView,
    /// Whether the primary key is all that has to be known of most created records. Then only some are read back whole, the
    /// first one among them, and the entity tag of the others is empty, of use for [`Resource::was_committed`] alone. All are
    /// read back whole where the view shows more than the key, where `on_conflict` is given, and where a record has values for
    /// columns that the database computes.
    pub keys_suffice: bool,
    /// The bodies as they were read before, so that this is not done again. It is done again where they are other ones, or
    /// were read against another model or in another way.
    pub read: Option<NewRecords>,
    /// Called right before the commit.
    pub before_commit: Option<BeforeCommit>,
}

/// Bodies of records that are to be created, read against a model.
#[derive(Clone)]
pub struct NewRecords {
    model: Arc<Model>,
    bodies: Arc<[JsonObject]>,
    time_zone: Option<String>,
    on_conflict: Option<Vec<String>>,
    records: Arc<[Result<RecordBody>]>,
}

impl NewRecords {
    /// Reads bodies. What is wrong with one is its own, and said when it is to be created.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] when the options do not fit the model.
    pub fn read(
        model: &Arc<Model>,
        bodies: &Arc<[JsonObject]>,
        options: &BulkOptions,
    ) -> Result<Self> {
        let zone = Projection::resolve(model, &options.view)?.zone;
        Ok(Self {
            records: read_all(model, bodies, &zone, options)?,
            model: Arc::clone(model),
            bodies: Arc::clone(bodies),
            time_zone: options.view.time_zone.clone(),
            on_conflict: options.on_conflict.clone(),
        })
    }

    /// What was read, if it was read of these bodies, against this model and in this way.
    fn of(
        &self,
        model: &Arc<Model>,
        bodies: &[JsonObject],
        options: &BulkOptions,
    ) -> Option<Arc<[Result<RecordBody>]>> {
        let is_the_same = Arc::ptr_eq(&self.model, model)
            && ptr::eq(&*self.bodies, bodies)
            && self.time_zone == options.view.time_zone
            && self.on_conflict == options.on_conflict;
        is_the_same.then(|| Arc::clone(&self.records))
    }
}

fn read_all(
    model: &Model,
    bodies: &[JsonObject],
    zone: &Zone,
    options: &BulkOptions,
) -> Result<Arc<[Result<RecordBody>]>> {
    let unique = unique_key(model, options.on_conflict.as_deref())?;
    let read = |body| read_new(model, body, zone, unique.as_ref());
    Ok(bodies.iter().map(read).collect())
}

impl fmt::Debug for NewRecords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewRecords")
            .field("model", &self.model.name)
            .field("records", &self.records.len())
            .finish()
    }
}

impl fmt::Debug for BulkOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BulkOptions")
            .field("atomic", &self.atomic)
            .field("on_conflict", &self.on_conflict)
            .field("view", &self.view)
            .field("keys_suffice", &self.keys_suffice)
            .field("read", &self.read)
            .finish_non_exhaustive()
    }
}

impl Resource {
    /// Creates records in one transaction and returns what became of each, in their order.
    ///
    /// A record that is refused does not prevent the others. With `atomic`, either all are created or none.
    /// Values of columns that the database computes have to be those that it computes.
    ///
    /// # Errors
    /// As [`Resource::create`] where it is about all of them; what is wrong with one is its own.
    pub async fn bulk_create(
        &self,
        model: &Arc<Model>,
        bodies: &[JsonObject],
        options: &BulkOptions,
    ) -> Result<Vec<Result<RecordJson>>> {
        self.create_all(model, bodies, options, &None).await
    }

    /// Creates records in one transaction; the note is of the only one.
    pub(super) async fn create_all(
        &self,
        model: &Arc<Model>,
        bodies: &[JsonObject],
        options: &BulkOptions,
        note: &Note,
    ) -> Result<Vec<Result<RecordJson>>> {
        self.with_structure(model, StatementKind::Create, |driver, _, model| {
            let keeping = self.kept(model);
            let wanted = Projection::resolve(model, &options.view)?.keeping(keeping.clone());
            let known = options.read.as_ref();
            let records = match known.and_then(|known| known.of(model, bodies, options)) {
                Some(records) => records,
                None => read_all(model, bodies, &wanted.zone, options)?,
            };
            let compares = records
                .iter()
                .any(|record| record.as_ref().is_ok_and(|record| !record.fixed.is_empty()));
            let shown = match compares {
                true => Projection::all(model, &wanted.zone).keeping(keeping),
                false => wanted.clone(),
            };
            let is_key = shown.is_key(model) && options.on_conflict.is_none() && !compares;
            let keys_suffice = options.keys_suffice && is_key;
            let plan = BulkPlan {
                records,
                atomic: options.atomic,
                shown,
                keys_suffice,
                before_commit: options.before_commit.clone(),
                note: note.clone(),
            };
            Ok(Box::pin(async move {
                if plan.atomic && plan.records.iter().any(Result::is_err) {
                    let each = plan.records.iter();
                    return Ok(each
                        .map(|record| Err(record.clone().err().unwrap_or_else(taken_back)))
                        .collect());
                }
                let mut results = driver.bulk_create(model, plan).await?;
                if compares {
                    for record in results.iter_mut().flatten() {
                        show_only(model, record, &wanted)?;
                    }
                }
                Ok(results)
            }))
        })
        .await
    }

    /// Whether a bulk create was committed of which [`Prepared`](crate::Prepared) gave this transaction and these
    /// records, by key and entity tag; the tag is empty where it is not known. `None` where that cannot be found out: the
    /// table has no primary key, or there are records with these keys and none of them has its known tag.
    ///
    /// # Errors
    /// As [`Resource::retrieve`].
    pub async fn was_committed(
        &self,
        model: &Arc<Model>,
        transaction: Option<&str>,
        records: &[(RecordId, String)],
    ) -> Result<Option<bool>> {
        if let Some(transaction) = transaction
            && let Some(outcome) = self.inner.driver.transaction_outcome(transaction).await?
        {
            return Ok(Some(outcome));
        }
        if model.primary_key_auto || model.is_view {
            return Ok(None);
        }
        let mut any_differs = false;
        for (id, etag) in records {
            // An update of nothing waits until no transaction locks the record.
            let found = self
                .with_structure(model, StatementKind::Update, |driver, _, model| {
                    let shown = Projection::of_key(model)?;
                    let key = read_key(model, id.as_str())?;
                    let request = ChangeRequest {
                        key,
                        if_match: Some(IfMatch::Tags(vec![etag.clone()])),
                        keeping: None,
                        update: Some(Update {
                            body: RecordBody::default(),
                            replace: false,
                            shown,
                        }),
                    };
                    Ok(driver.change(model, request, None))
                })
                .await;
            match found {
                Ok(_) => return Ok(Some(true)),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) if error.kind() == ErrorKind::PreconditionFailed => any_differs = true,
                // The user of this service may not lock records.
                Err(error) if error.kind() == ErrorKind::Invalid => {
                    match self
                        .retrieve(model, id.as_str(), &RecordView::default())
                        .await
                    {
                        Ok(record) if record.etag == *etag => return Ok(Some(true)),
                        Ok(_) => any_differs = true,
                        Err(error) if error.kind() == ErrorKind::NotFound => {}
                        Err(error) => return Err(error),
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Ok((!any_differs).then_some(false))
    }
}

/// Leaves out of a record what was read only to be compared.
fn show_only(model: &Model, record: &mut RecordJson, shown: &Projection) -> Result<()> {
    let strange = |source| Error::internal("a record is no JSON").with_source(source);
    let mut part: JsonObject = serde_json::from_slice(&record.body).map_err(strange)?;
    // Both are in the order of the columns.
    let shown: HashSet<usize> = shown.fields.iter().copied().collect();
    part.retain(|name| {
        model
            .index_of(name)
            .is_some_and(|index| shown.contains(&index))
    });
    record.body = serde_json::to_vec(&part).map_err(strange)?.into();
    Ok(())
}
