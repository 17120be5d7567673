//! What is shown of a model.

use maud::{Markup, html};
use svc_model::{
    Count, Expand, Expanded, ListQuery, Paginated, QueryString, resources::FieldDescription,
    wire::BoxFuture,
};

use super::{
    layout::{Layout, TableColumn},
    saved::Saved,
};
use crate::{href::Href, json::Row, places::model::Model, ui::form::hidden};

/// How many records a page has, unless the address says otherwise.
const PER_PAGE: u32 = 50;
/// How many there are at most.
const MOST_PER_PAGE: u32 = 100;
/// How many columns are shown at first, besides key and label.
const FIRST_COLUMNS: usize = 12;
/// How much of a long value is shown.
const EXCERPT: u32 = 120;

/// What is shown of a model.
#[derive(Debug)]
pub(super) struct View<'m> {
    pub(super) model: &'m Model<'m>,
    /// What the address asks for.
    pub(super) query: ListQuery,
    /// The columns, in their order.
    pub(super) columns: Vec<&'m FieldDescription>,
    /// Columns that are asked for and are not there.
    pub(super) gone: Vec<String>,
    /// How the columns are shown.
    pub(super) layout: Layout,
    /// The same where the address says it.
    pub(super) named: Option<Layout>,
}

impl<'m> View<'m> {
    /// The view of an address: with the columns that it names, else those that the signed-in account has chosen before, else the first ones.
    pub(super) fn new(
        model: &'m Model<'m>,
        query: ListQuery,
        named: Option<Layout>,
        saved: &Saved,
        mut gone: Vec<String>,
    ) -> Self {
        let known = |names: &[String]| -> Vec<&'m FieldDescription> {
            names.iter().filter_map(|name| model.field(name)).collect()
        };
        let own = saved.columns();
        let mut columns = match (&query.fields, &own) {
            (Some(fields), _) => known(fields),
            (None, Some(own)) => {
                gone.extend(
                    own.iter()
                        .filter(|name| model.field(name).is_none())
                        .cloned(),
                );
                known(own)
            }
            (None, None) => Vec::new(),
        };
        if columns.is_empty() {
            columns = first_columns(model);
        }
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        let named = named.map(|layout| layout.of_columns(&names));
        Self {
            model,
            query,
            columns,
            gone,
            layout: named.clone().unwrap_or_else(|| saved.layout(model)),
            named,
        }
    }

    /// The address of the same view with another query.
    pub(super) fn at(&self, query: &ListQuery) -> Href {
        self.model.list().query(self.query_string(query))
    }

    /// The query string of the same view with another query.
    pub(super) fn query_string(&self, query: &ListQuery) -> QueryString {
        let mut text = query.to_query_string();
        if let Some(layout) = &self.named {
            layout.add_to(&mut text);
        }
        text
    }

    /// The view as hidden fields of a form.
    pub(super) fn hidden(&self, without: impl FnOnce(&mut ListQuery)) -> Markup {
        html! {
            (hidden(&self.at_start(), without))
            @if let Some(layout) = &self.named { (layout.hidden()) }
        }
    }

    /// The columns as the table has them.
    pub(super) fn shown(&self) -> Vec<TableColumn<'m>> {
        self.layout.arrange(&self.columns)
    }

    /// The query without its place in the list.
    pub(super) fn at_start(&self) -> ListQuery {
        at_start(&self.query)
    }

    /// The records of the page.
    pub(super) fn load(&self) -> BoxFuture<'static, Result<Paginated<Row>, svc_api::Error>> {
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
        let records = self.model.records();
        let call = records.typed::<Row>().list().query(query);
        Box::pin(call.send())
    }
}

/// A query without its place in the list.
pub(super) fn at_start(query: &ListQuery) -> ListQuery {
    let mut query = query.clone();
    (query.page, query.after, query.before, query.last) = (1, None, None, false);
    query
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
