//! A record to be changed or deleted in a database server.

use std::sync::Arc;

use sea_query::Expr;

use super::ServerEngine;
use crate::{
    Before, Field, IfMatch, Model, RecordJson, Result,
    engine::{ChangeRequest, Update},
    query::assignments::{Assignment, assignments},
    record::{
        Projection, check_precondition,
        fixed::FixedValues,
        several_records,
        unchanged::{ComparedValues, compare},
    },
    structure::ColumnType,
    value::Values,
};

/// A record to be changed or deleted.
pub(crate) struct Change {
    pub(crate) model: Arc<Model>,
    pub(crate) key: Values,
    /// What is kept of the record as it was.
    pub(crate) key_shown: Projection,
    if_match: Option<IfMatch>,
    /// What the record has to have already.
    fixed: FixedValues,
    /// What is not written where the record has it already.
    compared: ComparedValues,
    /// None where the record is deleted.
    pub(crate) setting: Option<Setting>,
}

/// What an update sets.
pub(crate) struct Setting {
    pub(crate) values: Values,
    pub(crate) assignments: Vec<Assignment>,
    pub(crate) shown: Projection,
}

impl Setting {
    /// The columns that are set, but for those of unchanged fields.
    pub(crate) fn changed(&self, unchanged: &[usize]) -> impl Iterator<Item = &Assignment> {
        let is_changed = |(index, _): &&Assignment| !unchanged.contains(index);
        self.assignments.iter().filter(is_changed)
    }
}

impl Change {
    pub(super) fn new<E: ServerEngine>(model: &Arc<Model>, request: ChangeRequest) -> Result<Self> {
        let mut change = Self {
            model: Arc::clone(model),
            key: request.key,
            key_shown: Projection::of_key(model)?,
            if_match: request.if_match,
            fixed: FixedValues::default(),
            compared: ComparedValues::default(),
            setting: None,
        };
        let Some(Update {
            body,
            replace,
            shown,
        }) = request.update
        else {
            return Ok(change);
        };
        let mut assignments = assignments(model, &body.values, E::stored)?;
        if replace {
            // A view has no defaults of its own; PostgreSQL takes those of its table.
            let left_out = body.left_out(model);
            assignments.extend(left_out.map(|(index, _)| (index, Expr::cust("DEFAULT"))));
        }
        let holds_more = |field: &Field| {
            let known = field.column_type();
            known.is_some_and(ColumnType::holds_more_than_it_shows)
        };
        change.compared = ComparedValues::of(model, &body.values, holds_more)?;
        change.fixed = body.fixed;
        change.setting = Some(Setting {
            values: body.values,
            assignments,
            shown,
        });
        Ok(change)
    }

    /// Whether a record is to be stored, rather than deleted.
    pub(crate) fn is_write(&self) -> bool {
        self.setting.is_some()
    }

    /// Whether nobody has to look at the record before it is changed.
    pub(crate) fn is_unconditional(&self) -> bool {
        self.if_match.is_none() && self.fixed.is_empty() && self.compared.is_empty()
    }

    /// What the record was, of which the [key](Self::key_shown) is shown; refused where the precondition does not
    /// hold, and where its key is that of several.
    pub(crate) fn before(&self, found: RecordJson, is_only: bool) -> Result<Before> {
        check_precondition(self.if_match.as_ref(), &found)?;
        match is_only {
            true => Before::of(&self.model, found),
            false => Err(several_records()),
        }
    }

    /// Checks what the record has to have already, and returns the fields that have their value already. `read` gives
    /// the record as it was found, with the requested fields.
    pub(crate) fn unchanged(
        &self,
        read: impl Fn(&Projection) -> Result<RecordJson>,
    ) -> Result<Vec<usize>> {
        let Some(Setting { shown, .. }) = &self.setting else {
            return Ok(Vec::new());
        };
        compare(&self.model, &shown.zone, &self.fixed, &self.compared, read)
    }
}
