//! The records of a model as a table. The address is the whole state of it: it has the query string of the list that the
//! service is asked for.

mod filters;
mod table;

pub(crate) use self::table::cut;

use maud::{Markup, html};
use svc_model::{
    Count, Expand, Expanded, Invalid, JsonObject, ListQuery, Operand, Paginated, RecordId,
    resources::FieldDescription,
};

use super::{Scope, model::Model};
use crate::{
    answer::Answer,
    href::Href,
    problem::Result,
    ui::notice,
    visit::{Form, Visit},
};

/// How many records a page has, unless the address says otherwise.
const PER_PAGE: u32 = 50;
/// How many there are at most.
const MOST_PER_PAGE: u32 = 100;
/// How many columns are shown at first, besides key and label.
const FIRST_COLUMNS: usize = 12;
/// How much of a long value is shown.
const EXCERPT: u32 = 120;

/// The table, or its count alone.
pub(crate) async fn answer(visit: &Visit, scope: &Scope, model: (&str, &str)) -> Result<Answer> {
    if visit.is_post() {
        return Err(crate::problem::Problem::OtherMethod);
    }
    let model = Model::open(visit, scope, model).await?;
    let query = visit.query()?;
    let is_field = |name: &str| model.field(name).is_some();
    let kept = without_controls(visit.raw_query());
    let parsed = ListQuery::parse(&kept, &is_field);
    let (wanted, invalid) = match parsed {
        Ok(wanted) => (wanted, None),
        Err(invalid) => (ListQuery::new(), Some(invalid)),
    };
    if invalid.is_none()
        && let Some(to) = controlled(&model, &query, &wanted)?
    {
        return Ok(Answer::go(&to));
    }
    let view = View::new(&model, wanted);
    if visit.fragment() == Some("count") {
        return Ok(Answer::page(counted(&view).await?));
    }
    let page = match &invalid {
        None => Some(view.load().await),
        Some(_) => None,
    };
    let frame = model.frame(model.name.to_string(), Vec::new());
    let main = html! {
        @if let Some(id) = query.get("_deleted") {
            (deleted(&model, &RecordId::from(id)))
        }
        (filters::bar(&view, &query))
        @if let Some(invalid) = &invalid { (told(visit, invalid)) }
        @match page {
            Some(Ok(page)) => (table::records(&view, &page)),
            Some(Err(error)) => (notice::of_error(visit, &error)),
            None => {}
        }
    };
    Ok(Answer::page(frame.page(&main)))
}

/// What is shown of a model.
#[derive(Debug)]
pub(super) struct View<'m> {
    pub(super) model: &'m Model<'m>,
    /// What the address asks for.
    pub(super) query: ListQuery,
    /// The columns, in their order.
    pub(super) columns: Vec<&'m FieldDescription>,
}

impl<'m> View<'m> {
    fn new(model: &'m Model<'m>, query: ListQuery) -> Self {
        let columns = match &query.fields {
            Some(fields) => fields.iter().filter_map(|name| model.field(name)).collect(),
            None => first_columns(model),
        };
        Self {
            model,
            query,
            columns,
        }
    }

    /// The address of the same view with another query.
    pub(super) fn at(&self, query: &ListQuery) -> Href {
        self.model.list().query(query.to_query_string())
    }

    /// The query without its place in the list.
    pub(super) fn at_start(&self) -> ListQuery {
        let mut query = self.query.clone();
        (query.page, query.after, query.before, query.last) = (1, None, None, false);
        query
    }

    async fn load(&self) -> Result<Paginated<JsonObject>, svc_api::Error> {
        let mut query = self.query.clone();
        query.per_page = Some(query.per_page.unwrap_or(PER_PAGE).min(MOST_PER_PAGE));
        query.count = Count::None;
        query.excerpt = Some(EXCERPT);
        query.no_pagination = false;
        query
            .time_zone
            .clone_from(&self.model.context.account.timezone);
        let names = self.columns.iter().map(|field| field.name.clone());
        query.fields = Some(names.collect());
        let mut expand = Expand::default();
        for field in &self.columns {
            if let Some((_, related)) = self.model.leads_to(&field.name) {
                expand.add(Expanded::new(&field.name).fields(related.label_fields.clone()));
            }
        }
        query.expand = (!expand.is_empty()).then_some(expand);
        let model = self.model;
        let records = model.records();
        records
            .typed::<JsonObject>()
            .list()
            .query(query)
            .send()
            .await
    }
}

/// Key and label first, then the others, as many as fit.
fn first_columns<'m>(model: &'m Model<'_>) -> Vec<&'m FieldDescription> {
    let key = model.key_fields();
    let labels = &model.description.label_fields;
    let is_first = |field: &&FieldDescription| {
        key.contains(&field.name.as_str()) || labels.contains(&field.name)
    };
    let fields = model.description.fields.iter();
    let (first, rest): (Vec<_>, Vec<_>) = fields.partition(is_first);
    first
        .into_iter()
        .chain(rest.into_iter().take(FIRST_COLUMNS))
        .collect()
}

/// The parameters that forms of the place add, and the list does not know.
const CONTROLS: [&str; 5] = ["_deleted", "add_field", "add_lookup", "add_value", "column"];

/// The query string without what forms add.
fn without_controls(query: &str) -> String {
    let parts = query.split('&').filter(|part| {
        let name = part.split('=').next().unwrap_or_default();
        // An empty box is not a search for the empty text.
        !CONTROLS.contains(&name) && *part != "_search=" && !part.is_empty()
    });
    parts.collect::<Vec<_>>().join("&")
}

/// Where a form of the place leads.
fn controlled(model: &Model<'_>, form: &Form, wanted: &ListQuery) -> Result<Option<Href>> {
    let view = View::new(model, wanted.clone());
    let mut query = view.at_start();
    let columns: Vec<&str> = form
        .iter()
        .filter_map(|(name, value)| (name == "column").then_some(value))
        .collect();
    if !columns.is_empty() {
        query.fields = Some(columns.into_iter().map(str::to_owned).collect());
        return Ok(Some(view.at(&query)));
    }
    let field = form.text("add_field");
    if field.is_empty() {
        return Ok(None);
    }
    let key = format!("{field}__{}", form.text("add_lookup"));
    let value = Operand::One(form.text("add_value").to_owned());
    let is_field = |name: &str| model.field(name).is_some();
    match query.filter_by_key(&key, value, &is_field) {
        Ok(()) => Ok(Some(view.at(&query))),
        // The place shows what is wrong with it, beside the form.
        Err(_) => Ok(None),
    }
}

/// A record was deleted: its history has the button that brings it back.
fn deleted(model: &Model<'_>, id: &RecordId) -> Markup {
    let texts = model.texts();
    let place = model.record_of(model.name.as_str(), id).below(["history"]);
    let action = html! { a.button href=(place) { (texts.get("undo")) } };
    let text = texts.with("deleted", [("key", id.as_str().into())]);
    notice::done_with(&text, &action)
}

/// How many records there are, which may take longer than the records themselves.
async fn counted(view: &View<'_>) -> Result<Markup> {
    let mut query = view.query.selection();
    query.count = Count::Auto;
    query.per_page = Some(1);
    query.fields = Some(
        view.model
            .key_fields()
            .into_iter()
            .map(str::to_owned)
            .collect(),
    );
    let model = view.model;
    let records = model.records();
    let page = records
        .typed::<JsonObject>()
        .list()
        .query(query)
        .send()
        .await?;
    Ok(table::count(view, &page))
}

/// What is wrong with the address.
fn told(visit: &Visit, invalid: &Invalid) -> Markup {
    let messages = invalid.field_errors().iter();
    let messages = messages.map(|(name, messages)| format!("{name}: {}", messages.join("; ")));
    let general = invalid.general_errors().iter().cloned();
    let all: Vec<String> = general.chain(messages).collect();
    notice::error(visit, &all.join(" · "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_forms_add_is_no_part_of_the_list() {
        let query = "_search=&a=1&add_field=b&add_lookup=exact&add_value=&column=c";
        assert_eq!(without_controls(query), "a=1");
    }
}
