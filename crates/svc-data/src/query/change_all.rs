//! Changes of all records that pass a test, as statements.

use sea_query::{
    CaseStatement, DeleteStatement, Expr, Func, Query, SelectStatement, UpdateStatement,
};

use svc_model::RecordId;

use super::{
    Dialect, SELF, all_fields, any_of,
    assignments::{assignments, set_values},
    column, is_record, select, test,
};
use crate::{
    Field, Model, Result,
    plan::Comparison,
    record::{
        Projection,
        change_all::{ChangeAll, MOST_CHANGED},
        read_key,
    },
    structure::{ColumnType, Kind},
    value::Scalar,
};

/// A change as statements.
pub(crate) struct ChangeAllQuery {
    /// The fields of the primary key.
    pub(crate) key: Projection,
    /// Counts the records.
    pub(crate) count: SelectStatement,
    /// Returns the key of each record.
    pub(crate) keys: SelectStatement,
    /// Returns all fields of each record.
    pub(crate) rows: SelectStatement,
    /// What reads the fields of the key.
    pub(crate) read_key: Vec<Expr>,
    pub(crate) change: Change,
}

pub(crate) enum Change {
    Update(UpdateStatement),
    Delete(DeleteStatement),
    /// An update that sets nothing.
    Nothing,
}

impl ChangeAllQuery {
    /// `stored` turns a value into the form that its column accepts.
    pub(crate) fn new(
        dialect: &dyn Dialect,
        model: &Model,
        request: &ChangeAll,
        stored: impl Fn(&Field, &Scalar) -> Result<Expr, String>,
    ) -> Result<Self> {
        let key = Projection::of_key(model)?;
        let passed = request.test.as_ref();
        let passed = passed.map(|passed| test(dialect, model, SELF, passed));
        let passed = passed.transpose()?;
        let mut count = select(dialect, model, passed.clone());
        count.expr(Func::count(Expr::cust("*")));
        let mut keys = select(dialect, model, passed.clone());
        let read_key = key.fields.iter();
        let read_key: Vec<Expr> = read_key
            .map(|index| Ok(dialect.read(SELF, model.at(*index)?)))
            .collect::<Result<_>>()?;
        keys.exprs(read_key.iter().cloned());
        keys.limit(MOST_CHANGED + 1);
        let mut rows = select(dialect, model, passed.clone());
        all_fields(dialect, &mut rows, model);
        rows.limit(MOST_CHANGED + 1);
        let change = match &request.values {
            None => {
                let mut delete = Query::delete();
                delete.from_table(dialect.table(model));
                passed.into_iter().for_each(|test| {
                    delete.and_where(test);
                });
                Change::Delete(delete)
            }
            Some(values) if values.is_empty() => Change::Nothing,
            Some(values) => {
                let mut set = assignments(model, values, stored)?;
                for ((index, expr), (_, value)) in set.iter_mut().zip(values) {
                    let field = model.at(*index)?;
                    if *value != Scalar::Null && holds_more_than_it_shows(field) {
                        // What has the value already keeps its spelling (wire contract, section 11, law 1).
                        let is_same = dialect.compare(SELF, field, Comparison::Equal, value)?;
                        let case = CaseStatement::new().case(is_same, column(SELF, &field.name));
                        *expr = case.finally(expr.clone()).into();
                    }
                }
                let mut update = Query::update();
                update.table(dialect.table(model));
                set_values(&mut update, model, &set)?;
                passed.into_iter().for_each(|test| {
                    update.and_where(test);
                });
                Change::Update(update)
            }
        };
        Ok(Self {
            key,
            count,
            keys,
            rows,
            read_key,
            change,
        })
    }
}

/// The query for all fields of the records that have these keys.
pub(crate) fn rows_again(
    dialect: &dyn Dialect,
    model: &Model,
    keys: &[RecordId],
) -> Result<SelectStatement> {
    let tests = keys.iter().map(|key| {
        let key = read_key(model, key.as_str())?;
        is_record(dialect, model, &key)
    });
    let test = any_of(tests.collect::<Result<_>>()?);
    let mut rows = select(dialect, model, Some(test));
    all_fields(dialect, &mut rows, model);
    Ok(rows)
}

/// Whether values that are equal may be stored in several ways that look the same.
fn holds_more_than_it_shows(field: &Field) -> bool {
    matches!(
        field.kind,
        Kind::Json | Kind::Date | Kind::Time | Kind::DateTime
    ) || field
        .column_type()
        .is_some_and(ColumnType::holds_more_than_it_shows)
        && !field.is_geometry()
}
