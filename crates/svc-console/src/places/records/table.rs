//! The table itself.

use std::{borrow::Cow, collections::HashSet};

use maud::{Markup, Render, html};
use svc_model::{
    ListQuery, OrderBy, Paginated, QueryString, RecordId, resources::ModelDescription,
};

use super::{
    View, away,
    chosen::can_name,
    counting,
    layout::{self, TableColumn},
};
use crate::{
    assets::{CELL, GRID, RECORDS, SAVED},
    href::Href,
    json::{Borrowed, Object as _, Row},
    places::model::{self, LIST, Model, Reference, row_anchor},
    texts::Around,
    ui::{cell::cell, escaped::Escaped, frame::Room, paging, table},
};

/// How long the query of a list may be, in bytes, to stand in the addresses of its records: each row has it.
const LONGEST: usize = 2 << 10;

/// The records of a page, with the ways to the next ones, and how many there are, where that is known.
pub(super) fn records(
    view: &View<'_>,
    table: &Head<'_>,
    page: &Paginated<Row>,
    counted: Option<Markup>,
) -> Markup {
    let model = view.model;
    let texts = model.texts();
    let in_order = table.columns.iter().enumerate();
    let rows = Rows {
        model,
        records: &page.results,
        columns: in_order
            .map(|(at, column)| DataColumn::new(model, column, at == 0))
            .collect(),
        place: model.list().below(["record"]),
        list: list_of(view),
        key: model.key_fields(),
        box_name: table.has_boxes.then(|| texts.around("choose-one", "key")),
    };
    let grid = table::grid(
        model.name.as_str(),
        &says(view),
        table.class.as_deref(),
        &table.colgroup,
        &table.row,
        &rows,
    );
    html! {
        (Room(grid.0.len()))
        @if page.results.is_empty() {
            p.empty-state { (texts.get("records-empty")) }
        } @else {
            (away::at_first(texts))
            (grid)
            (table.with_many)
            script type="module" src=(RECORDS.href(&model.context.visit.root)) {}
            script type="module" src=(GRID.href(&model.context.visit.root)) {}
            script type="module" src=(CELL.href(&model.context.visit.root)) {}
            script type="module" src=(SAVED.href(&model.context.visit.root)) {}
        }
        (paging::links(texts, page, &view.query, |query| view.at(query), &counted.unwrap_or_else(|| counting::first(view, page))))
    }
}

/// What there is of a table before its records are known.
pub(super) struct Head<'m> {
    columns: Vec<TableColumn<'m>>,
    has_boxes: bool,
    class: Option<String>,
    colgroup: Markup,
    row: Markup,
    with_many: Markup,
}

impl<'m> Head<'m> {
    pub(super) fn of(view: &View<'m>) -> Self {
        let model = view.model;
        let can_name = can_name(view);
        let can = model.description.can;
        let has_boxes = can_name && (can.update || can.delete);
        let columns = view.shown();
        let is_pinned = columns.iter().any(|column| column.is_pinned);
        Self {
            has_boxes,
            class: layout::class(&columns),
            colgroup: layout::colgroup(&columns, has_boxes),
            row: html! {
                tr {
                    @if has_boxes {
                        th.choose.pinned[is_pinned] scope="col" { span.visually-hidden { (model.texts().get("choose")) } }
                    }
                    @for column in &columns { (head(view, column)) }
                }
            },
            with_many: with_many(view, can_name),
            columns,
        }
    }
}

/// What the modules of the table say.
fn says(view: &View<'_>) -> table::Says {
    let texts = view.model.texts();
    let order = view.query.order_by.first();
    table::Says {
        sorted: order.map(|order| {
            let text = match order.descending {
                true => "sorted-down",
                false => "sorted-up",
            };
            texts.with(text, [("name", order.field.as_str().into())])
        }),
        has_edits: view.model.description.can.update,
        lost: texts.get("cell-lost"),
        unsaved: texts.get("cell-unsaved"),
    }
}

/// What can be done with many records at once.
fn with_many(view: &View<'_>, can_name: bool) -> Markup {
    let model = view.model;
    let texts = model.texts();
    let can = model.description.can;
    if !can.update && !can.delete {
        return html! {};
    }
    html! {
        form.many #many method="get" action=(model.list().below(["change"])) {
            (view.hidden(|_| {}))
            label { span { (texts.get("bulk-with")) } " "
                select name="_which" {
                    @if can_name { option value="only" { (texts.get("bulk-only")) } }
                    option value="all" { (texts.get("bulk-all")) }
                    @if can_name { option value="except" { (texts.get("bulk-except")) } }
                }
            }
            @if can.update { button { (texts.get("bulk-change")) } }
            @if can.delete { button.danger formaction=(model.list().below(["delete"])) { (texts.get("bulk-delete")) } }
        }
    }
}

/// The head of a column, which orders by it: first upwards, then downwards, then no more.
fn head(view: &View<'_>, shown: &TableColumn<'_>) -> Markup {
    let column = shown.field;
    let is_here = |order: &&OrderBy| order.field == column.name;
    let asked = view.query.order_by.iter().find(is_here);
    // Where nothing is asked for, the key orders the records, the largest first.
    let key = view.model.key_fields();
    let key = key.first().map(|key| OrderBy::descending(*key));
    let first = view.query.order_by.first().or(key.as_ref());
    let is_first = first.is_some_and(|order| is_here(&order));
    let order = asked.or(first.filter(is_here));
    let mut query: ListQuery = view.at_start();
    query.order_by.clear();
    match asked.map(|order| order.descending) {
        None => query.order_by.push(OrderBy::ascending(&column.name)),
        Some(false) => query.order_by.push(OrderBy::descending(&column.name)),
        Some(true) => {}
    }
    let sorted = order.map(|order| match order.descending {
        true => "descending",
        false => "ascending",
    });
    html! {
        th class=[&shown.class] scope="col" aria-sort=[sorted.filter(|_| is_first)] {
            a.sorted[sorted.is_some()] href=(view.at(&query)) {
                bdi { (column.name) }
                @match sorted {
                    Some("ascending") => span aria-hidden="true" { "↑" },
                    Some(_) => span aria-hidden="true" { "↓" },
                    None => {},
                }
            }
        }
    }
}

/// What the address of a record has so that it leads back to the list.
fn list_of(view: &View<'_>) -> QueryString {
    let list = view.query_string(&view.query);
    let mut query = QueryString::new();
    if !list.is_empty() && list.as_str().len() <= LONGEST {
        query.push(LIST, list.as_str());
    }
    query
}

/// The rows of a page, with what they have in common.
struct Rows<'t> {
    model: &'t Model<'t>,
    records: &'t [Row],
    columns: Vec<DataColumn<'t>>,
    /// What the addresses of the records begin with.
    place: Href,
    /// What they have to lead back to the list.
    list: QueryString,
    /// What the box that chooses a row is called, around its key; `None` where there are no boxes.
    box_name: Option<Around>,
    /// The fields of the key.
    key: Vec<&'t str>,
}

impl Render for Rows<'_> {
    fn render_to(&self, buffer: &mut String) {
        let is_pinned = self.columns.iter().any(|column| column.shown.is_pinned);
        let mut length = 0;
        // Of a model without a key several records may be called alike: the first one has the identifier of the row.
        let mut known = HashSet::new();
        let has_key = !self.model.description.primary_key_auto;
        for (at, record) in self.records.iter().enumerate() {
            let record = Record::of(record);
            let id = model::id_by(&self.key, record.fields);
            let is_first = |id: &RecordId| has_key || known.insert(id.clone());
            let is_first = id.as_ref().is_some_and(is_first);
            let row = self.row(&record, id.as_ref(), is_first, is_pinned, length);
            row.render_to(buffer);
            // The next ones are about as long.
            length = row.0.len();
            if at == 0 {
                Room((self.records.len() - 1) * length).render_to(buffer);
            }
        }
    }
}

impl Rows<'_> {
    fn row(
        &self,
        record: &Record<'_>,
        id: Option<&RecordId>,
        is_first: bool,
        is_pinned: bool,
        length: usize,
    ) -> Markup {
        let href = id.map(|id| self.place.one_below(id.as_str()));
        let opened = href.map(|href| href.query(&self.list));
        html! {
            (Room(length))
            tr id=[id.filter(|_| is_first).map(row_anchor)] data-record=[&href] {
                @if let Some(name) = &self.box_name {
                    td.choose.pinned[is_pinned] {
                        @if let Some(id) = id {
                            label { input type="checkbox" form="many" name="_row" value=(Escaped(id.as_str())) aria-label=(name.of(id.as_str())); }
                        }
                    }
                }
                (cells(&self.columns, self.model, record, opened.as_ref(), length))
            }
        }
    }
}

/// A record, with what came besides its fields.
pub(crate) struct Record<'r> {
    fields: &'r Row,
    /// How long values were before they were cut.
    cut: Borrowed<'r>,
    /// The records that fields refer to.
    expanded: Borrowed<'r>,
}

impl<'r> Record<'r> {
    pub(crate) fn of(fields: &'r Row) -> Self {
        Self {
            cut: fields.object("_cut"),
            expanded: fields.object("_expand"),
            fields,
        }
    }
}

/// A column, with what its cells need to know of the model.
pub(crate) struct DataColumn<'t> {
    shown: &'t TableColumn<'t>,
    /// Whether its cells lead to the record.
    is_key: bool,
    reference: Option<Referring<'t>>,
}

/// What the cells of a column refer to.
struct Referring<'t> {
    model: &'t ModelDescription,
    /// What the addresses of its records begin with; `None` where the field leads to another column than its key.
    place: Option<Href>,
    /// The fields whose values are its key together, where the field is one of several that refer to it.
    key: Vec<&'t str>,
}

impl<'t> DataColumn<'t> {
    /// A column; the first one of a table leads to the records, as those of the key do.
    pub(crate) fn new(model: &'t Model<'_>, shown: &'t TableColumn<'t>, is_first: bool) -> Self {
        let name = shown.field.name.as_str();
        Self {
            shown,
            is_key: is_first || model.key_fields().contains(&name),
            reference: model
                .reference_of(name)
                .map(|reference| Referring::of(model, &reference)),
        }
    }
}

impl<'t> Referring<'t> {
    fn of(model: &Model<'_>, reference: &Reference<'t>) -> Self {
        let key = reference.key();
        let related = &reference.model.model;
        Self {
            model: reference.model,
            place: key.is_some().then(|| model.records_of(related)),
            key: key.filter(|key| key.len() > 1).unwrap_or_default(),
        }
    }
}

/// The cells of a record, of which those of the key lead to `href`, of about this length. A row has one template, since a table has
/// thousands of cells.
pub(crate) fn cells(
    columns: &[DataColumn<'_>],
    model: &Model<'_>,
    record: &Record<'_>,
    href: Option<&impl Render>,
    length: usize,
) -> Markup {
    html! {
        (Room(length))
        @for DataColumn { shown: TableColumn { field, class, .. }, is_key, reference } in columns {
            td class=[class] data-field=(Escaped(&field.name)) {
                @let text = || model::plain_text(record.fields, &field.name);
                @let cut = || record.cut.raw(&field.name)?.parse().ok();
                @let value = || cell(model.texts(), field.field, record.fields.raw(&field.name), cut());
                @match (href.filter(|_| *is_key), reference) {
                    (Some(href), _) => a.key href=(href) {
                        @match text().as_deref() {
                            Some("") => (value()),
                            text => bdi { (Escaped(text.unwrap_or("NULL"))) },
                        }
                    },
                    (None, _) if *is_key && text().is_some_and(|text| !model::has_address(&text)) => {
                        (value()) " " span.muted { (model.texts().get("key-no-address")) }
                    },
                    (None, None) => (value()),
                    (None, Some(referring)) => @match text() {
                        None => (value()),
                        Some(key) => {
                            @let label = model::label(referring.model, &record.expanded.object(&field.name));
                            @let label = Some(label).filter(|label| !label.is_empty() && **label != *key);
                            @let id = match referring.key.as_slice() {
                                [] => Some(Cow::Borrowed(&*key)),
                                fields => model::id_by(fields, record.fields).map(|id| id.as_str().to_owned().into()),
                            };
                            @match (&referring.place, &id) {
                                (Some(place), Some(id)) => a.reference href=(place.one_below(id)) {
                                    bdi { (Escaped(label.as_deref().unwrap_or(&key))) }
                                },
                                _ => (value()),
                            }
                            @if label.is_some() { " " span.muted { bdi { (Escaped(&key)) } } }
                        },
                    },
                }
            }
        }
    }
}
