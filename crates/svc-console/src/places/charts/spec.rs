//! What a chart of a model shows, as its address says: what is computed, by what, of which records, and how it is drawn.

use futures_util::FutureExt as _;
use svc_api::Error;
use svc_model::{
    ListQuery, Lookup, QueryString,
    query::parse_pairs,
    records::{AggregateFunction, Aggregation, DateUnit, GroupColumn, GroupLookup, GroupRow},
    resources::{FieldDescription, FieldType},
    wire::BoxFuture,
};

use super::{
    points::{Points, label, point},
    time,
};
use crate::{href::Href, places::model::Model, ui::chart::Shape};

/// How many groups are read at most.
const MOST_GROUPS: u32 = 5_000;
/// The parameters of a chart beside those of the list.
const OWN: [&str; 6] = [
    "_y_func",
    "_y_column",
    "_x_column",
    "_x_lookup",
    "_shape",
    "_chart",
];
/// What says that nothing is drawn, or what was done; no part of the chart.
const SAID: [&str; 2] = ["_hold", "_saved"];

/// What a chart of a model shows.
#[derive(Clone, Debug)]
pub(super) struct Spec {
    /// The records.
    pub(super) query: ListQuery,
    pub(super) aggregation: Aggregation,
    /// The field whose values are the labels.
    pub(super) column: Option<String>,
    pub(super) lookup: GroupLookup,
    pub(super) shape: Shape,
    /// The chart that was opened.
    pub(super) chart: Option<String>,
}

impl Spec {
    /// Reads an address. What is wrong with it is told beside the form.
    pub(super) fn read(model: &Model<'_>, query: &str) -> (Self, Option<String>) {
        let pairs = parse_pairs(query).unwrap_or_default();
        let get = |name: &str| {
            let found = pairs
                .iter()
                .find(|(known, value)| known == name && !value.is_empty());
            found.map(|(_, value)| value.as_ref())
        };
        let rest = query.split('&').filter(|part| {
            let name = part.split('=').next().unwrap_or_default();
            !OWN.contains(&name) && !SAID.contains(&name) && !part.is_empty() && *part != "_search="
        });
        let rest = rest.collect::<Vec<_>>().join("&");
        let is_field = |name: &str| model.field(name).is_some();
        let (selection, mut message) = match ListQuery::parse(&rest, &is_field) {
            Ok(query) => (query.selection(), None),
            Err(invalid) => (ListQuery::new(), Some(invalid.to_string())),
        };
        let func = get("_y_func").and_then(|word| word.parse().ok());
        let func = func.unwrap_or(AggregateFunction::Count);
        let aggregation = match get("_y_column") {
            Some(column) => Aggregation::of(func, column),
            // Only a number of records has no field.
            None => {
                if func != AggregateFunction::Count {
                    message = Some(model.texts().get("chart-needs-field"));
                }
                Aggregation::count()
            }
        };
        let column = get("_x_column").map(str::to_owned);
        let lookup = get("_x_lookup").and_then(|word| word.parse().ok());
        let described = column.as_deref().and_then(|name| model.field(name));
        let lookup = match (described.is_some_and(is_time), lookup) {
            (false, _) => GroupLookup::Plain,
            (true, None | Some(GroupLookup::Plain)) => GroupLookup::Auto,
            (true, Some(lookup)) => lookup,
        };
        let shape = match column {
            None => Shape::Number,
            Some(_) => get("_shape").and_then(Shape::of).unwrap_or_default(),
        };
        let spec = Self {
            query: selection,
            aggregation,
            column,
            lookup,
            shape,
            chart: get("_chart").map(str::to_owned),
        };
        (spec, message)
    }

    /// What the address says of it, without the chart that was opened.
    pub(super) fn to_query_string(&self) -> QueryString {
        let mut query = self.query.to_query_string();
        query.push("_y_func", self.aggregation.func.as_str());
        if let Some(column) = &self.aggregation.column {
            query.push("_y_column", column);
        }
        if let Some(column) = &self.column {
            query.push("_x_column", column);
            if self.lookup != GroupLookup::Plain {
                query.push("_x_lookup", &self.lookup.to_string());
            }
            query.push("_shape", self.shape.word());
        }
        query
    }

    /// The unit of time of the labels.
    fn unit(&self) -> Option<DateUnit> {
        match self.lookup {
            GroupLookup::Auto => Some(DateUnit::Day),
            GroupLookup::Date(unit) => Some(unit),
            _ => None,
        }
    }

    /// Asks for the numbers.
    pub(super) fn load(
        &self,
        model: &Model<'_>,
        statement: Option<&str>,
    ) -> BoxFuture<'static, Result<Points, Error>> {
        let records = model.records();
        let texts = model.texts();
        let zone = model.context.account.timezone.clone();
        let mut query = self.query.clone();
        query.time_zone = zone;
        let Aggregation { func, column, .. } = self.aggregation.clone();
        let adds_up = matches!(func, AggregateFunction::Count | AggregateFunction::Sum);
        let Some(by) = &self.column else {
            let mut call = match column {
                Some(column) => records.aggregate(func, column),
                None => records.count().typed(),
            };
            call = call.query(query).max_tries(1);
            if let Some(id) = statement {
                call = call.statement_id(id);
            }
            return async move {
                let value = call.send().await?;
                Ok(Points {
                    points: vec![point(String::new(), &value)],
                    ..Points::default()
                })
            }
            .boxed();
        };
        let mut group = GroupColumn::new(by);
        group.lookup = self.lookup;
        let mut call = records.group([group], self.aggregation.clone());
        call = call.query(query).limit(MOST_GROUPS).max_tries(1);
        if let Some(id) = statement {
            call = call.statement_id(id);
        }
        let (by, unit, list, selection) =
            (by.clone(), self.unit(), model.list(), self.query.clone());
        async move {
            let rows = call.send().await?;
            let is_cut = rows.len() >= MOST_GROUPS as usize;
            let points = rows.iter().map(|row| {
                let mut point = point(label(texts, group_of(row)), &row.value);
                point.href = records_of(&list, &selection, &by, group_of(row), unit);
                point
            });
            Ok(Points {
                points: points.collect(),
                unit,
                adds_up,
                keeps_order: false,
                note: is_cut.then(|| texts.with("chart-first", [("count", MOST_GROUPS.into())])),
            })
        }
        .boxed()
    }
}

fn group_of(row: &GroupRow) -> &serde_json::Value {
    row.groups.first().unwrap_or(&serde_json::Value::Null)
}

/// The list of the records that a point was computed of.
fn records_of(
    list: &Href,
    selection: &ListQuery,
    field: &str,
    value: &serde_json::Value,
    unit: Option<DateUnit>,
) -> Option<Href> {
    use serde_json::Value;
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let query = selection.clone();
    let query = match (value, unit) {
        (Value::Null, _) => query.filter(field, Lookup::Isnull, "true"),
        (_, Some(unit)) => {
            let next = time::next(&text, unit)?;
            query
                .filter(field, Lookup::Gte, text)
                .filter(field, Lookup::Lt, next)
        }
        _ => query.filter(field, Lookup::Exact, text),
    };
    Some(list.clone().query(query.to_query_string()))
}

/// Whether the values of a field are points in time.
pub(super) fn is_time(field: &FieldDescription) -> bool {
    matches!(field.field, FieldType::DateField | FieldType::DateTimeField)
}

/// Whether they can be added.
pub(super) fn is_number(field: &FieldDescription) -> bool {
    matches!(
        field.field,
        FieldType::IntegerField | FieldType::FloatField | FieldType::DecimalField
    )
}
