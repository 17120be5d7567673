//! Aggregates of large tables, of which several connections read a part each.
//!
//! Only what goes through the whole table row by row is read in parts: what an index answers is read by one.

use std::collections::BTreeMap;

use bytes::Bytes;
use rusqlite::{
    params_from_iter,
    types::{Value, ValueRef},
};
use sea_query::{Alias, ExprTrait as _, Func, Query};
use svc_model::records::AggregateFunction;

use super::Aggregate;
use crate::{
    Error, Field, Model, Result,
    engine::{
        answers::AggregateWriter,
        sqlite::{
            comparison::ordering,
            discover,
            fault::Fault,
            functions::exact,
            select::{MAX_BOUND, SqliteDialect, Statement},
            session::Session,
        },
    },
    plan::AggregatePlan,
    query::{Dialect as _, SELF, column},
    structure::Kind,
};

/// From how many row ids on a table is read in parts.
const LARGE: u64 = 250_000;
/// How many row ids a part has at least.
const LEAST: u64 = 1 << 16;
/// How many parts there are for each connection, so that none waits long for another at the end.
const PARTS_EACH: u64 = 8;

/// The row ids of a part: the first and the last.
pub(crate) type RowIds = (i64, i64);

/// The values of an aggregate of some rows, by what the records of each group have in common.
pub(crate) type Groups = BTreeMap<Vec<GroupKey>, Value>;

/// What the records of a group have in common, in the order of SQLite.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum GroupKey {
    Null,
    Integer(i64),
    Text(Vec<u8>),
}

impl GroupKey {
    /// `None` for what may equal a key that is written in another way.
    fn of(value: ValueRef<'_>) -> Option<Self> {
        match value {
            ValueRef::Null => Some(Self::Null),
            ValueRef::Integer(number) => Some(Self::Integer(number)),
            ValueRef::Text(text) => Some(Self::Text(text.to_vec())),
            ValueRef::Real(_) | ValueRef::Blob(_) => None,
        }
    }

    fn value(&self) -> ValueRef<'_> {
        match self {
            Self::Null => ValueRef::Null,
            Self::Integer(number) => ValueRef::Integer(*number),
            Self::Text(text) => ValueRef::Text(text),
        }
    }
}

/// The name by which a table may have row ids, where the values of parts can be put together.
pub(super) fn row_id(model: &Model, plan: &AggregatePlan) -> Option<&'static str> {
    let kind = plan.field_of(model).ok()?.map(|field| field.kind);
    let adds_up = match plan.function {
        AggregateFunction::Count => true,
        AggregateFunction::Sum => matches!(kind, Some(Kind::Integer | Kind::Decimal)),
        AggregateFunction::Min | AggregateFunction::Max => kind == Some(Kind::Integer),
        _ => false,
    };
    let has_keys = |field: &Field| {
        matches!(field.kind, Kind::Boolean | Kind::Integer | Kind::Text)
            && ordering(field).is_none()
    };
    let mut groups = plan.groups.iter();
    let have_keys =
        groups.all(|(index, unit)| unit.is_some() || model.at(*index).is_ok_and(has_keys));
    if !(model.is_stored && adds_up && have_keys) {
        return None;
    }
    discover::row_id(|name| {
        let mut fields = model.fields.iter();
        fields.any(|field| field.name.eq_ignore_ascii_case(name))
    })
}

impl Aggregate {
    /// Whether it may be read in parts.
    pub(crate) fn has_parts(&self) -> bool {
        self.row_id.is_some()
    }

    /// The parts for so many connections; none where the table is small, or not read as a whole.
    pub(crate) fn parts(
        &self,
        session: Session<'_>,
        connections: usize,
    ) -> Result<Vec<RowIds>, Fault> {
        session.check_version(&self.model)?;
        let (Some(first), Some(last)) = (self.end(session, "min"), self.end(session, "max")) else {
            return Ok(Vec::new());
        };
        let all = first.abs_diff(last);
        if all < LARGE || !self.reads_each_row(session, (first, last))? {
            return Ok(Vec::new());
        }
        let parts = Ord::clamp(all / LEAST, 1, connections as u64 * PARTS_EACH);
        let begin = |part: u64| first.saturating_add_unsigned(all / parts * part);
        // Rows that are added before the parts are read belong to the first or the last one, too.
        let parts = (0..parts).map(|part| {
            let first = if part == 0 { i64::MIN } else { begin(part) };
            match part + 1 < parts {
                true => (first, begin(part + 1).saturating_sub(1)),
                false => (first, i64::MAX),
            }
        });
        Ok(parts.collect())
    }

    /// The first or the last row id. `None` where the table has none; what else is wrong is found when it is read.
    fn end(&self, session: Session<'_>, function: &str) -> Option<i64> {
        let mut select = Query::select();
        SqliteDialect.from(&mut select, &self.model, SELF);
        let function = Func::cust(Alias::new(function));
        select.expr(function.arg(column(SELF, self.row_id?)));
        let sql = Statement::select(&select).sql;
        let mut prepared = session.prepare_cached(&sql).ok()?;
        prepared.query_row([], |row| row.get(0)).ok()?
    }

    /// Whether SQLite goes through the table from one end to the other, and would find a part of it by its row ids.
    fn reads_each_row(&self, session: Session<'_>, all: RowIds) -> Result<bool, Fault> {
        let first_step = |statement: &Statement| {
            let mut explain = session.prepare(&format!("EXPLAIN QUERY PLAN {}", statement.sql))?;
            explain.query_row(params_from_iter(&statement.values), |row| {
                row.get::<_, String>(3)
            })
        };
        // SQLite says so of a least or greatest value without an index, too.
        let whole = [format!("SCAN {SELF}"), format!("SEARCH {SELF}")];
        let part = format!("SEARCH {SELF} USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)");
        Ok(whole.contains(&first_step(&self.statement)?)
            && first_step(&self.statement_of(all)?)? == part
            && !self.groups_by_collation(session)?)
    }

    /// Whether texts that are not the same may be one group. It is so in collations, which a part knows nothing of.
    fn groups_by_collation(&self, session: Session<'_>) -> Result<bool, Fault> {
        let mut groups = self.plan.groups.iter();
        if groups.all(|(_, unit)| unit.is_some()) {
            return Ok(false);
        }
        let sql: String = session.query_row(
            "SELECT sql FROM main.sqlite_schema WHERE type = 'table' AND name = ?1",
            [&self.model.table],
            |row| row.get(0),
        )?;
        Ok(sql.to_ascii_lowercase().contains("collate"))
    }

    /// The statement for a part.
    fn statement_of(&self, (first, last): RowIds) -> Result<Statement> {
        let mut select = Self::select(&self.model, &self.plan)?;
        if let Some(row_id) = self.row_id {
            select.and_where(column(SELF, row_id).between(first, last));
        }
        Statement::select(&select).limited(MAX_BOUND)
    }

    /// Reads a part. `None` where it has groups that cannot be told from those of other parts.
    pub(crate) fn part(&self, session: Session<'_>, part: RowIds) -> Result<Option<Groups>, Fault> {
        session.check_version(&self.model)?;
        self.misfits.check(session)?;
        let statement = self.statement_of(part)?;
        let mut prepared = session.prepare_cached(&statement.sql)?;
        let mut rows = prepared.query(params_from_iter(&statement.values))?;
        let width = self.plan.groups.len();
        let mut groups = Groups::new();
        while let Some(row) = rows.next()? {
            let mut key = Vec::with_capacity(width);
            for position in 0..width {
                match GroupKey::of(row.get_ref(position)?) {
                    Some(part) => key.push(part),
                    None => return Ok(None),
                }
            }
            groups.insert(key, row.get(width)?);
        }
        Ok(Some(groups))
    }

    /// The answer, from the values of all parts. `None` where they cannot be put together.
    pub(crate) fn put_together(&self, parts: Vec<Option<Groups>>) -> Result<Option<Bytes>> {
        let mut all = Groups::new();
        for part in parts {
            let Some(groups) = part else {
                return Ok(None);
            };
            for (key, value) in groups {
                let value = match all.remove(&key) {
                    Some(before) => self.both(before, value),
                    None => Some(value),
                };
                let Some(value) = value else {
                    return Ok(None);
                };
                all.insert(key, value);
            }
        }
        let columns = self.columns()?;
        let mut answer = AggregateWriter::new(self.plan.groups.len());
        let limit = match self.plan.groups.is_empty() {
            true => 1,
            false => self.plan.limit as usize,
        };
        for (key, value) in all.iter().take(limit) {
            let cell = |position: usize| match key.get(position) {
                Some(key) => Ok::<_, Error>(key.value()),
                None => Ok(value.into()),
            };
            self.write(&columns, &mut answer, cell)?;
        }
        Ok(Some(answer.finish()))
    }

    /// The value of two parts, from that of each.
    fn both(&self, one: Value, other: Value) -> Option<Value> {
        let (one, other) = match (one, other) {
            (Value::Null, value) | (value, Value::Null) => return Some(value),
            both => both,
        };
        match (self.plan.function, one, other) {
            (AggregateFunction::Count, Value::Integer(one), Value::Integer(other)) => {
                one.checked_add(other).map(Value::Integer)
            }
            (AggregateFunction::Sum, one, other) => {
                let field = self.plan.field_of(&self.model).ok()?;
                exact::sum_of(&[one, other], field?.scale.unwrap_or(0))
            }
            (AggregateFunction::Min, Value::Integer(one), Value::Integer(other)) => {
                Some(Value::Integer(Ord::min(one, other)))
            }
            (AggregateFunction::Max, Value::Integer(one), Value::Integer(other)) => {
                Some(Value::Integer(Ord::max(one, other)))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use svc_model::records::{AggregateQuery, GroupQuery};

    use super::*;
    use crate::{
        Structure,
        engine::sqlite::{connection::Role, discover::discover, test_file::File},
    };

    const ROWS: &str = "CREATE TABLE t (id INTEGER PRIMARY KEY, number INTEGER, amount DECIMAL(12,2), large INTEGER,
            note TEXT, other TEXT COLLATE NOCASE, at DATETIME, flag BOOLEAN, anything, _rowid_ TEXT);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 130000)
        INSERT INTO t SELECT i * 3 - 500, i % 7, CASE i % 5 WHEN 0 THEN NULL WHEN 1 THEN 'x' WHEN 2 THEN i / 1000.0 ELSE i / 100.0 END,
            9223372036854775807 - i, 'note ' || (i % 11), 'a', '2026-01-01T00:00:00Z', i % 2, i % 3, 'r' FROM n;";

    impl File {
        fn aggregate(&self, query: &str) -> Aggregate {
            let model = self.structure.model("t").unwrap();
            let is_field = |name: &str| model.has_field(name);
            let plan = match query.contains("_x_column") {
                true => {
                    let query = GroupQuery::parse(query, &is_field).unwrap();
                    AggregatePlan::of_groups(&self.structure, model, &query)
                }
                false => {
                    let query = AggregateQuery::parse(query, &is_field).unwrap();
                    AggregatePlan::of_all(&self.structure, model, &query)
                }
            };
            Aggregate::new(model, plan.unwrap()).unwrap()
        }

        fn parts(&self, query: &str) -> Vec<RowIds> {
            let aggregate = self.aggregate(query);
            match aggregate.has_parts() {
                true => aggregate.parts(self.session(), 2).unwrap(),
                false => Vec::new(),
            }
        }
    }

    #[test]
    fn the_values_of_all_parts_together_are_those_of_the_whole() {
        let folder = tempfile::tempdir().unwrap();
        let file = File::of(
            folder.path(),
            &ROWS.replace(" COLLATE NOCASE", ""),
            Role::Reader,
        );
        for query in [
            "_y_func=count&_y_column=amount",
            "_y_func=sum&_y_column=amount",
            "_y_func=sum&_y_column=large",
            "_y_func=sum&_y_column=amount&note__contains=1",
            "_y_func=min&_y_column=large",
            "_y_func=max&_y_column=number&flag=true",
            "_x_column=note&_y_func=sum&_y_column=amount",
            "_x_column=note&_y_func=count&_per_page=3",
            "_x_column=number&_x_column=flag&_y_func=max&_y_column=large",
            "_x_column=at&_x_lookup=date_month&_y_func=count",
        ] {
            let aggregate = file.aggregate(query);
            let parts = file.parts(query);
            assert!(parts.len() > 3, "{query}: {parts:?}");
            let ends = (parts.first().unwrap().0, parts.last().unwrap().1);
            assert_eq!(ends, (i64::MIN, i64::MAX));
            assert!(parts.windows(2).all(|two| two[0].1 + 1 == two[1].0));
            let whole = aggregate.run(file.session()).unwrap();
            let parts = parts.into_iter();
            let parts = parts.map(|part| aggregate.part(file.session(), part).unwrap());
            let together = aggregate.put_together(parts.collect()).unwrap();
            assert_eq!(together, Some(whole), "{query}");
        }
    }

    #[test]
    fn only_what_goes_through_a_large_table_is_read_in_parts() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = File::of(folder.path(), ROWS, Role::Reader);
        for query in [
            // SQLite counts pages for this one.
            "_y_func=count",
            // Texts that are equal in their collation may be in several parts.
            "_x_column=other&_y_func=count",
            "_x_column=anything&_y_func=count",
            "_y_func=avg&_y_column=amount",
            "_y_func=min&_y_column=amount",
            "id__lt=1000&_y_func=sum&_y_column=amount",
        ] {
            assert_eq!(file.parts(query), [], "{query}");
        }
        let query = "_y_func=sum&_y_column=amount&number=3";
        for (change, is_parted) in [
            ("", true),
            ("CREATE INDEX by_number ON t (number)", false),
            ("DROP INDEX by_number", true),
            ("DELETE FROM t WHERE id > 1000", false),
        ] {
            let other = rusqlite::Connection::open(file.slot.path()).unwrap();
            other.execute_batch(change).unwrap();
            let (models, version) = discover(&file.session()).unwrap();
            file.structure = Structure::new(models, version);
            assert_eq!(!file.parts(query).is_empty(), is_parted, "{change}");
        }
    }

    #[test]
    fn a_group_of_cells_that_may_equal_others_is_left_to_one_reader() {
        let folder = tempfile::tempdir().unwrap();
        let sql = ROWS.replace(" COLLATE NOCASE", "").replace(
            "'a', '2026",
            "CASE i WHEN 77777 THEN x'61' ELSE 'a' END, '2026",
        );
        let file = File::of(folder.path(), &sql, Role::Reader);
        let query = "_x_column=other&_y_func=count";
        let aggregate = file.aggregate(query);
        let parts = file.parts(query).into_iter();
        let parts = parts.map(|part| aggregate.part(file.session(), part).unwrap());
        assert_eq!(aggregate.put_together(parts.collect()).unwrap(), None);
    }
}
