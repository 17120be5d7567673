//! Read-only SQL of clients (wire contract, section 5): what is asked, and what an engine has to do for it.
//!
//! Three locks, each enough alone: the [guard](crate::guard) in front, the engine's own read-only connection
//! or transaction, and limits of time, rows and bytes.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use bytes::Bytes;
use sea_query::SelectStatement;
use svc_model::{
    Count, Invalid, JsonObject, ListQuery, Operand, OrderBy, RecordView,
    records::{
        AggregateFunction, AggregateQuery, Aggregation, GroupColumn, GroupQuery, group_name,
    },
    resources::FieldType,
    sql::{DEFAULT_LIMIT, MAX_PARAMS, MAX_ROWS, Params, SqlQuery},
};

use crate::{
    Error, Field, Model, Result, Structure,
    guard::{self, Binds, Checked, Engine},
    plan::{AggregatePlan, ListPlan},
    query::{Dialect, PageQuery, excerpts, select},
    record::{Projection, excerpt::RowExcerpts},
    structure::Kind,
    value::{Scalar, time::Zone},
};

/// The most bytes of the rows of an answer.
pub(crate) const MAX_ANSWER: usize = 64 << 20;
/// The most bytes of the values that are bound to a query.
const MAX_BOUND: usize = 64 << 20;
/// The name that the client's query has in what is wrapped around it.
pub(crate) const QUERY: &str = "q";

/// What a query gave.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SqlOutput {
    /// The rows: a JSON array of arrays.
    pub data: Bytes,
    /// Names and types of the columns.
    pub columns: Vec<(String, FieldType)>,
    /// How many rows there are in `data`.
    pub row_count: usize,
    /// The most rows that could be given.
    pub limit: u32,
    /// How many rows there are in all, when it was requested.
    pub count: Option<u64>,
    /// Whether rows were left out because of the caps on rows and bytes.
    pub truncated: bool,
    /// The whole lengths of values that were cut: a JSON array with an object or null for each row. `None` where nothing was.
    pub cut: Option<Bytes>,
}

/// A query that passed the guard, for an engine to run.
#[derive(Debug)]
pub(crate) struct SqlJob {
    pub(crate) statement: Checked,
    /// The values of the placeholders, in their order.
    pub(crate) binds: Vec<Scalar>,
    /// Where names are looked for first.
    pub(crate) schema: Option<String>,
    /// What the administrator allows beyond the guard's lists.
    asked: SqlQuery,
    zone: Zone,
}

/// What an engine has to do once it knows the columns of a query.
#[derive(Debug)]
pub(crate) struct SqlPlan {
    /// The query as a model: its fields are the columns, its table is [`QUERY`], in no schema.
    pub(crate) model: Arc<Model>,
    pub(crate) task: SqlTask,
    /// The list whose records are counted, when it was requested.
    pub(crate) count: Option<ListPlan>,
    pub(crate) zone: Zone,
    /// The rows of the query as they stand, with the excerpts that are shown.
    pub(crate) shown: Projection,
}

/// What a query of a client asks for.
#[derive(Debug)]
pub(crate) enum SqlTask {
    /// The rows of the query as it stands: those after the first `skip`, at most `limit`.
    Rows { skip: u64, limit: u32 },
    /// Rows of the query, selected and ordered.
    List(ListPlan),
    /// One value over the rows, or one for each group.
    Aggregate(AggregatePlan),
}

/// The rows that an engine returned.
#[derive(Debug)]
pub(crate) struct SqlRows {
    /// A JSON array of arrays; of an aggregate what [`Driver::aggregate`](crate::engine::Driver) returns.
    pub(crate) data: Bytes,
    pub(crate) row_count: usize,
    /// Whether rows follow that were not given.
    pub(crate) more: bool,
    /// Whether they were left out because of the cap on bytes.
    pub(crate) too_large: bool,
    pub(crate) count: Option<u64>,
    /// The whole lengths of values that were cut.
    pub(crate) cut: Option<Bytes>,
    /// Names and types of the columns.
    pub(crate) columns: Vec<(String, FieldType)>,
}

/// A statement about a query, and how the values of its rows are cut.
pub(crate) struct SqlSelect {
    pub(crate) select: SelectStatement,
    pub(crate) excerpts: Option<RowExcerpts>,
}

impl SqlPlan {
    /// The statement of a list of rows of the query.
    pub(crate) fn page(&self, dialect: &dyn Dialect, plan: &ListPlan) -> Result<SqlSelect> {
        let query = PageQuery::new(dialect, &self.model, None, plan.clone())?;
        let page = query.pages.into_iter().next();
        let select = page.ok_or_else(|| Error::internal("a list has no statement"))?;
        let excerpts = query.excerpts;
        Ok(SqlSelect { select, excerpts })
    }

    /// The statement of the rows as they stand, where their values are cut.
    pub(crate) fn excerpts(&self, dialect: &dyn Dialect) -> Result<Option<SqlSelect>> {
        let excerpts = excerpts(dialect, &self.model, &self.shown)?;
        Ok(excerpts.map(|(columns, excerpts)| {
            let mut select = select(dialect, &self.model, None);
            select.exprs(columns);
            let excerpts = Some(excerpts);
            SqlSelect { select, excerpts }
        }))
    }

    /// The statement that counts the records of a list.
    pub(crate) fn counted(
        &self,
        dialect: &dyn Dialect,
        plan: &ListPlan,
    ) -> Result<SelectStatement> {
        let count = PageQuery::new(dialect, &self.model, None, plan.clone())?.count;
        count.ok_or_else(|| Error::internal("a count has no statement"))
    }

    /// The query of the client, in front of a statement about it.
    pub(crate) fn wrap(&self, query: &str, statement: &str, quoted: fn(&str) -> String) -> String {
        let names = self.model.fields.iter();
        let names: Vec<String> = names.map(|field| quoted(&field.name)).collect();
        let (name, names) = (quoted(QUERY), names.join(","));
        format!("WITH {name}({names}) AS ({query}) {statement}")
    }
}

impl SqlRows {
    /// The answer of an aggregate, which the caller takes apart.
    pub(crate) fn of_aggregate(data: Bytes) -> Self {
        Self {
            data,
            row_count: 0,
            more: false,
            too_large: false,
            count: None,
            cut: None,
            columns: Vec::new(),
        }
    }
}

impl SqlJob {
    /// Reads a query and lets the guard look at it.
    pub(crate) fn new(query: &SqlQuery, engine: Engine) -> Result<Self> {
        let zone = Zone::parse(query.timezone.as_deref())
            .map_err(|message| Error::invalid_field("timezone", message))?;
        let values = match &query.params {
            Some(Params::Values(values)) => values.clone(),
            Some(Params::Text(text)) if !text.is_empty() => {
                text.split(',').map(|text| text.trim().into()).collect()
            }
            _ => Vec::new(),
        };
        let names: Vec<&str> = query.params_obj.keys().map(String::as_str).collect();
        let binds = match query.v {
            Some(_) => Binds::Positional(values.len()),
            None => Binds::Named(&names),
        };
        let statement = guard::check(&query.query, engine, binds)?;
        let values: Vec<&serde_json::Value> = match query.v {
            Some(_) => values.iter().collect(),
            None => query.params_obj.values().collect(),
        };
        let key = match query.v {
            Some(_) => "params",
            None => "params_obj",
        };
        let binds = bind_all(statement.binds(), &values)
            .map_err(|message| Error::invalid_field(key, message))?;
        Ok(Self {
            statement,
            binds,
            schema: query.schema.clone(),
            asked: query.clone(),
            zone,
        })
    }

    /// A query that nobody has looked at, to test what protects the database besides the guard.
    #[cfg(test)]
    pub(crate) fn unchecked(sql: &str) -> Self {
        Self {
            statement: Checked::unchecked(sql),
            binds: Vec::new(),
            schema: None,
            asked: SqlQuery::new(sql),
            zone: Zone {
                zone: jiff::tz::TimeZone::UTC,
                is_utc: true,
            },
        }
    }

    /// What to do, given the columns of the query as the engine knows them.
    pub(crate) fn plan(&self, columns: Vec<Field>) -> Result<SqlPlan> {
        let asked = &self.asked;
        let model = Arc::new(self.model(columns)?);
        let structure = Structure::new(Vec::new(), 0);
        let mut query = ListQuery::new().count(Count::None);
        query.time_zone.clone_from(&asked.timezone);
        query.excerpt = asked.excerpt;
        let is_column = |name: &str| model.has_field(name);
        let mut invalid = Invalid::new();
        for filter in &asked.filters {
            let added = operand(&filter.value)
                .map_err(|message| Invalid::field(&filter.name, message))
                .and_then(|values| query.filter_by_key(&filter.name, values, &is_column));
            if let Err(error) = added {
                invalid.extend(error);
            }
        }
        for column in &asked.order_by {
            query = query.order_by(OrderBy::from(column.as_str()));
        }
        invalid.into_result()?;
        let limit = self.limit();
        let limited = |plan: &mut ListPlan| {
            plan.limit = limit;
            plan.offset = asked.offset.unwrap_or(0);
        };
        let column = |name: &str, lookup| {
            let mut group = GroupColumn::new(name);
            group.lookup = lookup;
            group
        };
        let groups = match (&asked.group, &asked.groups) {
            (Some(one), _) => vec![column(&one.x_column, one.x_lookup)],
            (None, Some(several)) => {
                let columns = several.x_columns.iter();
                columns
                    .map(|by| column(&by.x_column, by.x_lookup))
                    .collect()
            }
            (None, None) => Vec::new(),
        };
        let mut view = RecordView::default();
        view.excerpt = asked.excerpt;
        let mut shown = Projection::resolve(&model, &view)
            .map_err(|error| renamed(error, "_excerpt", "excerpt"))?;
        shown.zone = self.zone.clone();
        let task = if let Some(aggregation) = self.aggregation() {
            SqlTask::Aggregate(if asked.aggregate.is_some() {
                let query = AggregateQuery::new(&query, aggregation);
                AggregatePlan::of_all(&structure, &model, &query)?
            } else {
                let query = GroupQuery::new(&query, groups, aggregation, limit);
                AggregatePlan::of_groups(&structure, &model, &query)?
            })
        } else if asked.filters.is_empty() && asked.order_by.is_empty() {
            // As it stands it keeps its own order on every engine.
            SqlTask::Rows {
                skip: asked.offset.unwrap_or(0),
                limit,
            }
        } else {
            let mut plan = ListPlan::resolve(&structure, &model, &query)
                .map_err(|error| renamed(error, "_order_by", "order_by"))?;
            limited(&mut plan);
            SqlTask::List(plan)
        };
        let count = match asked.count {
            true => {
                let counted = query.selection().count(Count::Exact);
                Some(ListPlan::resolve(&structure, &model, &counted)?)
            }
            false => None,
        };
        Ok(SqlPlan {
            model,
            task,
            count,
            zone: self.zone.clone(),
            shown,
        })
    }

    /// What is to be computed over the rows, or over each group of them.
    fn aggregation(&self) -> Option<Aggregation> {
        let SqlQuery {
            aggregate,
            group,
            groups,
            ..
        } = &self.asked;
        let all = aggregate.as_ref().map(|of| (of.func, &of.column));
        let one = || group.as_ref().map(|of| (of.y_func, &of.y_column));
        let several = || groups.as_ref().map(|of| (of.y_func, &of.y_column));
        let (func, column) = all.or_else(one).or_else(several)?;
        let mut aggregation = Aggregation::count();
        aggregation.func = func;
        aggregation.column.clone_from(column);
        Some(aggregation)
    }

    /// The most rows of the answer.
    fn limit(&self) -> u32 {
        let default = match self.asked.is_wrapped() {
            true => DEFAULT_LIMIT,
            false => MAX_ROWS,
        };
        self.asked.limit.unwrap_or(default).min(MAX_ROWS)
    }

    /// The query as a model whose fields are its columns.
    fn model(&self, mut columns: Vec<Field>) -> Result<Model> {
        let mut invalid = Invalid::new();
        let names = columns.iter().map(|column| column.name.clone());
        let by_name: HashMap<String, usize> = names.zip(0..).collect();
        for declared in &self.asked.columns {
            let Some(word) = &declared.data_type else {
                continue;
            };
            let known = serde_json::from_value(word.as_str().into());
            let index = by_name.get(&declared.name);
            let column = index.and_then(|index| columns.get_mut(*index));
            match (column, known) {
                (None, _) => {
                    invalid
                        .push_field("columns", format!("there is no column {:?}", declared.name));
                }
                (_, Err(_)) => {
                    invalid.push_field("columns", format!("unknown type {word:?}"));
                }
                // What the database knows is not for the client to change.
                (Some(column), Ok(field_type)) if column.kind == Kind::Any => {
                    column.field_type = field_type;
                    column.kind = kind_of(field_type);
                }
                _ => {}
            }
        }
        invalid.into_result()?;
        // A column without a type may hold numbers, which the engine finds out.
        let summed = self.aggregation().map(|of| (of.func, of.column));
        if let Some((AggregateFunction::Sum | AggregateFunction::Avg, Some(name))) = summed {
            for column in &mut columns {
                if column.name == name && column.kind == Kind::Any {
                    column.kind = Kind::Float;
                    column.field_type = FieldType::FloatField;
                }
            }
        }
        Ok(Model::of_columns(QUERY, columns))
    }

    /// The answer, made of what the engine gave.
    pub(crate) fn answer(&self, plan: &SqlPlan, rows: SqlRows) -> Result<SqlOutput> {
        let limit = self.limit();
        let capped = rows.more && self.asked.limit.is_none_or(|asked| asked > MAX_ROWS);
        let mut answer = SqlOutput {
            row_count: rows.row_count,
            limit,
            count: rows.count,
            truncated: rows.too_large || (capped && limit == MAX_ROWS),
            columns: rows.columns,
            data: rows.data,
            cut: rows.cut,
        };
        if let SqlTask::Aggregate(aggregate) = &plan.task {
            (answer.data, answer.row_count) = values_of(&answer.data)?;
            answer.columns = aggregate_columns(&plan.model, aggregate)?;
        }
        Ok(answer)
    }
}

/// The values of the placeholders of a statement: each is an index into `values`. One value may be used in many places,
/// so that their number and their size together are limited, to what every engine accepts.
fn bind_all(places: &[usize], values: &[&serde_json::Value]) -> Result<Vec<Scalar>, String> {
    if places.len() > MAX_PARAMS {
        return Err(format!("at most {MAX_PARAMS} binds are allowed in a query"));
    }
    let mut left = MAX_BOUND;
    let mut binds = Vec::with_capacity(places.len());
    for place in places {
        let value = values.get(*place).ok_or("a bind has no value")?;
        let value = bound(value);
        let size = match &value {
            Scalar::Text(text) | Scalar::Json(text) => text.len(),
            _ => 0,
        };
        left = left.checked_sub(size).ok_or_else(|| {
            format!("the values of the binds are larger than {MAX_BOUND} bytes, each counted as often as it is bound")
        })?;
        binds.push(value);
    }
    Ok(binds)
}

/// A value of JSON as it is bound.
fn bound(value: &serde_json::Value) -> Scalar {
    use serde_json::Value;
    match value {
        Value::Null => Scalar::Null,
        Value::Bool(truth) => Scalar::Boolean(*truth),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(number), _) => Scalar::Integer(number),
            (None, Some(number)) => Scalar::Float(number),
            (None, None) => Scalar::Text(number.to_string()),
        },
        Value::String(text) => Scalar::Text(text.clone()),
        Value::Array(_) | Value::Object(_) => Scalar::Json(value.to_string()),
    }
}

/// The value of a filter as a query string would hold it.
fn operand(value: &serde_json::Value) -> Result<Operand, &'static str> {
    use serde_json::Value;
    let text = |value: &Value| match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(_) | Value::Bool(_) => Ok(value.to_string()),
        _ => Err("a filter must be a text, a number, true, false, or a list of these"),
    };
    match value {
        Value::Array(values) => values
            .iter()
            .map(text)
            .collect::<Result<_, _>>()
            .map(Operand::Many),
        value => text(value).map(Operand::One),
    }
}

/// What sort of values a type has whose column the engine does not know.
fn kind_of(field_type: FieldType) -> Kind {
    match field_type {
        FieldType::BooleanField => Kind::Boolean,
        FieldType::IntegerField => Kind::Integer,
        FieldType::FloatField => Kind::Float,
        FieldType::DecimalField => Kind::Decimal,
        FieldType::DateField => Kind::Date,
        FieldType::TimeField => Kind::Time,
        FieldType::DateTimeField => Kind::DateTime,
        FieldType::JsonField | FieldType::ArrayField => Kind::Json,
        FieldType::BinaryField => Kind::Binary,
        FieldType::UuidField => Kind::Uuid,
        FieldType::CharField
        | FieldType::FixedCharField
        | FieldType::TextField
        | FieldType::SelectField => Kind::Text,
        _ => Kind::Any,
    }
}

/// Moves messages from the name that lists have for a parameter to that of the body.
fn renamed(error: Error, from: &str, to: &str) -> Error {
    let mut invalid = Invalid::new();
    for (field, messages) in error.messages().field_errors() {
        for message in messages {
            invalid.push_field(if field == from { to } else { field }, message);
        }
    }
    match invalid.is_empty() {
        true => error,
        false => invalid.into(),
    }
}

/// The objects of an aggregate's answer as rows, and how many there are.
fn values_of(json: &[u8]) -> Result<(Bytes, usize)> {
    let wrong = |error| Error::internal("an aggregate is no JSON").with_source(error);
    let rows: Vec<JsonObject> = match json.first() {
        Some(b'[') => serde_json::from_slice(json).map_err(wrong)?,
        _ => vec![serde_json::from_slice(json).map_err(wrong)?],
    };
    let mut out = Vec::with_capacity(json.len());
    for (number, row) in rows.iter().enumerate() {
        out.extend_from_slice(if number > 0 { b",[" } else { b"[[" });
        for (position, (_, value)) in row.iter().enumerate() {
            if position > 0 {
                out.push(b',');
            }
            out.extend_from_slice(value.get().as_bytes());
        }
        out.push(b']');
    }
    out.extend_from_slice(if rows.is_empty() { b"[]" } else { b"]" });
    Ok((out.into(), rows.len()))
}

/// Names and types of the columns of an aggregate.
fn aggregate_columns(model: &Model, plan: &AggregatePlan) -> Result<Vec<(String, FieldType)>> {
    let mut columns = Vec::with_capacity(plan.groups.len() + 1);
    for (position, (index, unit)) in plan.groups.iter().enumerate() {
        let field_type = match unit {
            None => model.at(*index)?.field_type,
            Some(unit) if unit.is_date() => FieldType::DateField,
            Some(_) => FieldType::DateTimeField,
        };
        columns.push((group_name(position), field_type));
    }
    let of = plan.field.map(|index| model.at(index)).transpose()?;
    let field_type = match (plan.function, of) {
        (AggregateFunction::Count | AggregateFunction::CountDistinct, _) | (_, None) => {
            FieldType::IntegerField
        }
        (AggregateFunction::Avg, Some(field)) if field.kind != Kind::Decimal => {
            FieldType::FloatField
        }
        (_, Some(field)) => field.field_type,
    };
    columns.push(("y_func".to_owned(), field_type));
    Ok(columns)
}

/// Names for the columns of a query, each of which is there once and none of which is empty.
pub(crate) fn column_names<'n>(names: impl IntoIterator<Item = &'n str>) -> Vec<String> {
    let mut unique_names: Vec<String> = Vec::new();
    let mut taken: HashSet<String> = HashSet::new();
    // The number that a name got last, so that many columns of one name do not count from the beginning each.
    let mut numbers: HashMap<String, usize> = HashMap::new();
    for name in names {
        let base = match name.trim() {
            "" | "?column?" => "column",
            _ => name,
        };
        let mut unique = base.to_owned();
        if !taken.insert(base.to_ascii_lowercase()) {
            let number = numbers.entry(base.to_ascii_lowercase()).or_insert(1);
            loop {
                *number += 1;
                unique = format!("{base}_{number}");
                if taken.insert(unique.to_ascii_lowercase()) {
                    break;
                }
            }
        }
        unique_names.push(unique);
    }
    unique_names
}

#[cfg(test)]
mod tests;
