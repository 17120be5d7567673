//! A record to be changed or deleted in a database server.

use std::{collections::HashMap, sync::Arc};

use sea_query::Expr;
use serde_json::value::RawValue;

use crate::{
    Before, Error, ErrorKind, Field, IfMatch, Model, RecordJson, Result,
    engine::answers::Cells,
    engine::{ChangeRequest, Update},
    query::assignments::{Assignment, assignments},
    record::{
        Changed, Projection, check_precondition, fixed::FixedValues, no_such_record,
        several_records,
    },
    structure::ColumnType,
    value::{Scalar, Values},
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
    /// Values of columns that may hold more than they show: bounds of arrays, blanks and order of keys of JSON, the JSON
    /// `null` beside NULL, and the reference system of shapes. One that the record has already is not written again, so
    /// that what its column holds stays (wire contract, section 11, law 1).
    compared: Values,
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
    /// `stored` gives a value in the form that a column accepts.
    pub(super) fn new(
        model: &Arc<Model>,
        request: ChangeRequest,
        stored: impl Fn(&Field, &Scalar) -> Result<Expr, String>,
    ) -> Result<Self> {
        let mut change = Self {
            model: Arc::clone(model),
            key: request.key,
            key_shown: Projection::of_key(model)?.keeping(request.keeping),
            if_match: request.if_match,
            fixed: FixedValues::default(),
            compared: Values::new(),
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
        let mut assignments = assignments(model, &body.values, stored)?;
        if replace {
            // A view has no defaults of its own; PostgreSQL takes those of its table.
            let left_out = body.left_out(model);
            assignments.extend(left_out.map(|(index, _)| (index, Expr::cust("DEFAULT"))));
        }
        for (index, value) in &body.values {
            let known = model.at(*index)?.column_type();
            if known.is_some_and(ColumnType::holds_more_than_it_shows) {
                change.compared.push((*index, value.clone()));
            }
        }
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

    /// The row of the record among those of its key, and what the record was; refused where the precondition does not
    /// hold, and where the key is that of several.
    pub(crate) fn found<R: Cells<Error = Error>>(&self, rows: Vec<R>) -> Result<(R, Before)> {
        let is_only = rows.len() == 1;
        let row = rows.into_iter().next();
        let row = row.ok_or_else(|| no_such_record(&self.model))?;
        let found = row.record(&self.model.fields, &self.key_shown)?;
        check_precondition(self.if_match.as_ref(), &found)?;
        match is_only {
            true => Ok((row, Before::of(&self.model, found)?)),
            false => Err(several_records()),
        }
    }

    /// Checks what the record has to have already, and returns the fields that have their value already. `read` gives
    /// the record as it was found, with the requested fields.
    pub(crate) fn unchanged(
        &self,
        read: impl Fn(&Projection) -> Result<RecordJson>,
    ) -> Result<Vec<usize>> {
        let (model, mut unchanged) = (&self.model, Vec::new());
        let Some(zone) = self.setting.as_ref().map(|setting| &setting.shown.zone) else {
            return Ok(unchanged);
        };
        if !self.fixed.is_empty() {
            let found = read(&self.fixed.shown(zone))?;
            self.fixed.check(model, &found, zone)?;
        }
        if self.compared.is_empty() {
            return Ok(unchanged);
        }
        let shown = Projection {
            fields: self.compared.iter().map(|(index, _)| *index).collect(),
            excerpt: None,
            keeping: None,
            zone: zone.clone(),
        };
        let record = read(&shown)?.fields()?;
        let stored: HashMap<&str, &RawValue> = record.iter().collect();
        for (index, given) in &self.compared {
            let field = model.at(*index)?;
            let stored = stored.get(field.name.as_str());
            let stored = stored.and_then(|raw| Scalar::from_json(field, raw, zone).ok());
            if stored.is_some_and(|stored| stored.is_same(given)) {
                unchanged.push(*index);
            }
        }
        Ok(unchanged)
    }
}

/// What became of the record that a change looked for, where there was one.
pub(crate) fn found(changed: Result<Changed>) -> Result<Option<Changed>> {
    match changed {
        Ok(changed) => Ok(Some(changed)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
