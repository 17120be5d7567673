//! Lists for which the database reads a whole table, since no index helps: said where the table is large.

use std::time::Duration;

use maud::{Markup, html};
use svc_model::{Count, Filter, JsonObject, ListQuery, Lookup, resources::FieldDescription};

use super::View;

/// From how many records on a table is large.
const LARGE: u64 = 100_000;
/// How long it may take to find out how large a table is: the list waits no longer for it.
const PATIENCE: Duration = Duration::from_millis(150);
/// How many columns are named at most.
const MOST_NAMED: usize = 8;

/// A sentence about a list that is slow for want of an index, and how it becomes fast.
pub(super) async fn note(view: &View<'_>) -> Option<Markup> {
    let fields = &view.model.description.fields;
    // What a view or a relation reads is not known.
    if view.model.description.is_view || view.query.relation.is_some() {
        return None;
    }
    let key = view.model.key_fields();
    let whole = whole(fields, key.first().copied(), &view.query)?;
    let size = size(view).await;
    if size.is_some_and(|size| size < LARGE) {
        return None;
    }
    let texts = view.model.texts();
    let reads = match size {
        Some(size) => texts.with("slow-reads-count", [("count", size.into())]),
        None => texts.get("slow-reads"),
    };
    let joined = |names: &mut dyn Iterator<Item = &str>| {
        let names = names.take(MOST_NAMED).collect::<Vec<_>>();
        names.join(", ")
    };
    let remedy = match whole {
        Whole::Without(names) => {
            let names = joined(&mut names.into_iter());
            Some(texts.with("slow-index", [("names", names.into())]))
        }
        Whole::Always => {
            let indexed = fields.iter().filter(|field| field.indexed);
            let names = joined(&mut indexed.map(|field| field.name.as_str()));
            let has_some = !names.is_empty();
            has_some.then(|| texts.with("slow-narrow", [("names", names.into())]))
        }
    };
    Some(html! {
        p.small.slow { (reads) @if let Some(remedy) = remedy { " " (remedy) } }
    })
}

/// Why a whole table is read.
#[derive(Debug, PartialEq, Eq)]
enum Whole<'q> {
    /// These columns have no index.
    Without(Vec<&'q str>),
    /// The comparisons are of a kind that no index helps with.
    Always,
}

/// Whether the database has to read a whole table to give the first records of a list.
fn whole<'q>(
    fields: &'q [FieldDescription],
    key: Option<&'q str>,
    query: &'q ListQuery,
) -> Option<Whole<'q>> {
    let has_index = |name: &str| {
        fields
            .iter()
            .any(|field| field.name == name && field.indexed)
    };
    let is_filtered = query.search.is_some() || !query.filters.is_empty() || query.filter.is_some();
    if !is_filtered {
        // Without filters the order decides.
        let first = query.order_by.first().map(|order| order.field.as_str());
        let first = first.or(key)?;
        return (!has_index(first)).then(|| Whole::Without(vec![first]));
    }
    if is_found(query, &has_index) {
        return None;
    }
    let mut names = Vec::new();
    for filter in query.filters.iter().filter(|filter| !filter.exclude) {
        name(&filter.condition, &mut names);
    }
    if let Some(filter) = &query.filter {
        collect(filter, &mut names);
    }
    names.retain(|name| !has_index(name));
    let would_have = |name: &str| has_index(name) || names.contains(&name);
    Some(match is_found(query, &would_have) {
        true => Whole::Without(names),
        false => Whole::Always,
    })
}

/// Whether indexes lead to the records of a query. One condition is enough of those that must all hold.
fn is_found(query: &ListQuery, has_index: &dyn Fn(&str) -> bool) -> bool {
    let mut filters = query.filters.iter().filter(|filter| !filter.exclude);
    filters.any(|filter| leads(&filter.condition, has_index))
        || query
            .filter
            .as_ref()
            .is_some_and(|it| leads_to(it, has_index))
}

fn leads_to(filter: &Filter, has_index: &dyn Fn(&str) -> bool) -> bool {
    match filter {
        Filter::And(all) => all.iter().any(|one| leads_to(one, has_index)),
        Filter::Or(all) => !all.is_empty() && all.iter().all(|one| leads_to(one, has_index)),
        Filter::Condition(condition) => leads(condition, has_index),
        _ => false,
    }
}

fn leads(condition: &svc_model::Condition, has_index: &dyn Fn(&str) -> bool) -> bool {
    uses_index(condition.lookup) && has_index(&condition.field)
}

fn uses_index(lookup: Lookup) -> bool {
    matches!(
        lookup,
        Lookup::Exact
            | Lookup::Gt
            | Lookup::Gte
            | Lookup::Lt
            | Lookup::Lte
            | Lookup::In
            | Lookup::Range
            | Lookup::Isnull
    )
}

/// The fields on which an index would help.
fn collect<'q>(filter: &'q Filter, names: &mut Vec<&'q str>) {
    match filter {
        Filter::And(all) | Filter::Or(all) => all.iter().for_each(|one| collect(one, names)),
        Filter::Condition(condition) => name(condition, names),
        _ => {}
    }
}

fn name<'q>(condition: &'q svc_model::Condition, names: &mut Vec<&'q str>) {
    let field = condition.field.as_str();
    if uses_index(condition.lookup) && !names.contains(&field) {
        names.push(field);
    }
}

/// How many records the table has, counted or estimated; `None` where that takes long, so that it has many.
async fn size(view: &View<'_>) -> Option<u64> {
    let mut query = ListQuery::new().per_page(1);
    query.count = Count::Auto;
    let key = view.model.key_fields().into_iter().map(str::to_owned);
    query.fields = Some(key.collect());
    let records = view.model.records();
    let list = records.typed::<JsonObject>().list().query(query);
    match list.deadline(PATIENCE).max_tries(1).send().await {
        Ok(page) => page.count,
        Err(error) if error.is_timeout() => None,
        // The list says what is wrong.
        Err(_) => Some(0),
    }
}

#[cfg(test)]
mod tests {
    use svc_model::resources::FieldType;

    use super::*;

    fn read(query: &str) -> Option<String> {
        let fields: Vec<FieldDescription> = ["id", "a", "b", "text"]
            .into_iter()
            .map(|name| {
                let mut field = FieldDescription::new(name, FieldType::TextField, "text");
                field.indexed = matches!(name, "id" | "a");
                field
            })
            .collect();
        let query =
            ListQuery::parse(query, &|name| ["id", "a", "b", "text"].contains(&name)).unwrap();
        let whole = whole(&fields, Some("id"), &query)?;
        Some(match whole {
            Whole::Without(names) => names.join(","),
            Whole::Always => "always".to_owned(),
        })
    }

    fn tree(json: &str) -> Option<String> {
        let mut query = svc_model::QueryString::new();
        query.push("_filter", json);
        read(query.as_str())
    }

    #[test]
    fn a_whole_table_is_read_where_no_index_leads_to_the_records() {
        for found in [
            "",
            "_order_by=-a",
            "a=1",
            "text__icontains=x&a__gte=1",
            "b=1&a=2&_order_by=b",
        ] {
            assert_eq!(read(found), None, "{found}");
        }
        assert_eq!(read("_order_by=b,a").as_deref(), Some("b"));
        assert_eq!(read("b=1").as_deref(), Some("b"));
        assert_eq!(
            read("b=1&text__in=x,y&_order_by=a").as_deref(),
            Some("b,text")
        );
        for always in [
            "a__icontains=x",
            "exclude__a=1",
            "a__ne=1",
            "_search=x",
            "exclude__b=1",
        ] {
            assert_eq!(read(always).as_deref(), Some("always"), "{always}");
        }
    }

    #[test]
    fn each_alternative_has_to_lead_to_its_records() {
        let either = r#"{"or":[{"field":"a","value":"1"},{"field":"id","value":"1"}]}"#;
        assert_eq!(tree(either), None);
        let either = r#"{"or":[{"field":"a","value":"1"},{"field":"b","value":"1"}]}"#;
        assert_eq!(tree(either).as_deref(), Some("b"));
        let either = r#"{"or":[{"field":"b","value":"1"},{"field":"text","lookup":"icontains","value":"x"}]}"#;
        assert_eq!(tree(either).as_deref(), Some("always"));
        let both = r#"{"and":[{"not":{"field":"a","value":"1"}},{"field":"a","value":"1"}]}"#;
        assert_eq!(tree(both), None);
    }
}
