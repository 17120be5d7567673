//! Records that are changed where others have the same values in unique fields, and else created.

use std::sync::Arc;

use super::{Change, Create};
use crate::{
    ErrorKind, Model, RecordJson, Result,
    engine::{
        ChangeRequest, Update,
        sqlite::{fault::Fault, session::Session},
    },
    record::{Projection, RecordBody},
};

/// A record that a body describes, as statements.
pub(crate) enum NewRecord {
    Create(Create),
    Upsert(Box<Upsert>),
}

impl NewRecord {
    pub(crate) fn new(model: &Arc<Model>, body: &RecordBody, shown: Projection) -> Result<Self> {
        Ok(match body.unique.is_empty() {
            true => Self::Create(Create::new(model, &body.values, shown)?),
            false => Self::Upsert(Box::new(Upsert::new(model, body, shown)?)),
        })
    }

    pub(crate) fn run(&self, session: Session<'_>) -> Result<RecordJson, Fault> {
        session.check_version(match self {
            Self::Create(create) => &create.model,
            Self::Upsert(upsert) => &upsert.change.model,
        })?;
        self.run_unchecked(session)
    }

    /// Creates or changes the record. The caller has checked the version of the structure in this transaction.
    pub(super) fn run_unchecked(&self, session: Session<'_>) -> Result<RecordJson, Fault> {
        match self {
            Self::Create(create) => create.run_unchecked(session),
            Self::Upsert(upsert) => upsert.run_unchecked(session),
        }
    }
}

/// A record to be changed where another has the same values in unique fields, and else created.
pub(crate) struct Upsert {
    change: Change,
    /// What creates it, or why it cannot be created.
    create: Result<Create>,
}

impl Upsert {
    /// `body` has the values of unique fields.
    fn new(model: &Arc<Model>, body: &RecordBody, shown: Projection) -> Result<Self> {
        let request = ChangeRequest {
            key: body.unique.clone(),
            if_match: None,
            keeping: shown.keeping.clone(),
            update: Some(Update {
                body: body.without_unique(),
                replace: false,
                shown: shown.clone(),
            }),
        };
        Ok(Self {
            change: Change::new(model, request)?,
            create: match &body.incomplete {
                Some(incomplete) => Err(incomplete.clone()),
                None => Create::new(model, &body.values, shown),
            },
        })
    }

    /// Changes or creates the record in the transaction of the writer, so that nobody else can do so at the same time.
    fn run_unchecked(&self, session: Session<'_>) -> Result<RecordJson, Fault> {
        match self.change.run_unchecked(session) {
            Err(Fault::Translated(error)) if error.kind() == ErrorKind::NotFound => {}
            changed => return Ok(changed?.into_updated()?),
        }
        match &self.create {
            Ok(create) => create.run_unchecked(session),
            Err(error) => Err(error.clone().into()),
        }
    }
}
