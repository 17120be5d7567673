//! Records of connected databases (specification, section 4, "Records list").

use js_sys::Promise;
use serde::Deserialize;
use svc_model::{
    JsonObject, RecordId, RecordView,
    records::{self, Aggregation, Collection, GroupColumn},
};
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::AbortSignal;

use crate::{
    Client,
    error::{self, Failed},
    list::Selection,
};

/// Where the records are.
#[derive(Deserialize)]
struct Place {
    resource: String,
    model: String,
}

#[derive(Deserialize)]
struct List {
    place: Place,
    selection: Selection,
}

/// One record, what is done with it, and how it is shown.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Item {
    place: Place,
    /// The parts of the primary key; none for a record that is created.
    #[serde(default)]
    id: Vec<String>,
    #[serde(default)]
    record: JsonObject,
    fields: Option<Vec<String>>,
    timezone: Option<String>,
    if_match: Option<String>,
}

#[derive(Deserialize)]
struct Aggregate {
    place: Place,
    selection: Selection,
    func: String,
    column: Option<String>,
}

#[derive(Deserialize)]
struct Group {
    place: Place,
    selection: Selection,
    func: String,
    column: Option<String>,
    by: Vec<Column>,
    limit: Option<u32>,
}

#[derive(Deserialize)]
struct Column {
    column: String,
    lookup: Option<String>,
}

#[wasm_bindgen]
impl Client {
    /// Lists records.
    #[wasm_bindgen(js_name = recordsList)]
    pub fn records_list(
        &self,
        arguments: &str,
        options: &str,
        signal: Option<AbortSignal>,
    ) -> Promise {
        self.call(
            arguments,
            options,
            signal,
            |client, List { place, selection }| {
                let query = selection.into_query()?;
                let mut operation: records::List =
                    records::List::new(client.collection(place), query);
                operation.draft = client.inner().draft();
                Ok(operation)
            },
        )
    }

    /// Gives one record.
    #[wasm_bindgen(js_name = recordsGet)]
    pub fn records_get(
        &self,
        arguments: &str,
        options: &str,
        signal: Option<AbortSignal>,
    ) -> Promise {
        self.call(arguments, options, signal, |client, item: Item| {
            let (id, view) = (item.id(), item.view());
            let mut operation: records::Get = records::Get::new(client.collection(item.place), id);
            operation.view = view;
            operation.draft = client.inner().draft();
            Ok(operation)
        })
    }

    /// Creates a record.
    #[wasm_bindgen(js_name = recordsCreate)]
    pub fn records_create(
        &self,
        arguments: &str,
        options: &str,
        signal: Option<AbortSignal>,
    ) -> Promise {
        self.call(arguments, options, signal, |client, item: Item| {
            let view = item.view();
            let collection = client.collection(item.place);
            let mut operation: records::Create = records::Create::new(collection, item.record);
            operation.view = view;
            operation.draft = client.inner().draft();
            Ok(operation)
        })
    }

    /// Changes columns of a record.
    #[wasm_bindgen(js_name = recordsUpdate)]
    pub fn records_update(
        &self,
        arguments: &str,
        options: &str,
        signal: Option<AbortSignal>,
    ) -> Promise {
        self.call(arguments, options, signal, |client, item: Item| {
            let (id, view) = (item.id(), item.view());
            let collection = client.collection(item.place);
            let mut operation: records::Update = records::Update::new(collection, id, item.record);
            operation.view = view;
            operation.if_match = item.if_match;
            operation.draft = client.inner().draft();
            Ok(operation)
        })
    }

    /// Deletes a record.
    #[wasm_bindgen(js_name = recordsDelete)]
    pub fn records_delete(
        &self,
        arguments: &str,
        options: &str,
        signal: Option<AbortSignal>,
    ) -> Promise {
        self.call(arguments, options, signal, |client, item: Item| {
            let id = item.id();
            let mut operation = records::Delete::new(client.collection(item.place), id);
            operation.if_match = item.if_match;
            operation.draft = client.inner().draft();
            Ok(operation)
        })
    }

    /// A function over the selected records.
    #[wasm_bindgen(js_name = recordsAggregate)]
    pub fn records_aggregate(
        &self,
        arguments: &str,
        options: &str,
        signal: Option<AbortSignal>,
    ) -> Promise {
        self.call(arguments, options, signal, |client, given: Aggregate| {
            let aggregation = aggregation(&given.func, given.column)?;
            let query = given.selection.into_query()?;
            let collection = client.collection(given.place);
            let mut operation = records::Aggregate::new(collection, query, aggregation);
            operation.draft = client.inner().draft();
            Ok(operation)
        })
    }

    /// A function over each group of the selected records.
    #[wasm_bindgen(js_name = recordsGroup)]
    pub fn records_group(
        &self,
        arguments: &str,
        options: &str,
        signal: Option<AbortSignal>,
    ) -> Promise {
        self.call(arguments, options, signal, |client, given: Group| {
            let aggregation = aggregation(&given.func, given.column)?;
            let query = given.selection.into_query()?;
            let columns: Result<Vec<_>, _> = given.by.into_iter().map(group_column).collect();
            let collection = client.collection(given.place);
            let mut operation = records::Group::new(collection, query, columns?, aggregation);
            operation.limit = given.limit;
            operation.draft = client.inner().draft();
            Ok(operation)
        })
    }
}

impl Client {
    fn collection(&self, place: Place) -> Collection {
        let (project, environment) = self.place();
        Collection::new(project, environment, place.resource, place.model)
    }
}

impl Item {
    fn id(&self) -> RecordId {
        match self.id.as_slice() {
            // As it is: a text may be a whole key, as it stands in a path.
            [id] => RecordId::from(id.as_str()),
            parts => RecordId::composite(parts),
        }
    }

    fn view(&self) -> RecordView {
        let mut view = RecordView::default();
        view.fields.clone_from(&self.fields);
        view.time_zone.clone_from(&self.timezone);
        view
    }
}

fn aggregation(func: &str, column: Option<String>) -> Result<Aggregation, Failed> {
    let func = func
        .parse()
        .map_err(|error| error::request(format!("func: {error}")))?;
    let mut aggregation = Aggregation::count();
    aggregation.func = func;
    aggregation.column = column;
    Ok(aggregation)
}

fn group_column(column: Column) -> Result<GroupColumn, Failed> {
    let mut group = GroupColumn::new(column.column);
    if let Some(lookup) = column.lookup {
        group.lookup = lookup
            .parse()
            .map_err(|error| error::request(format!("lookup: {error}")))?;
    }
    Ok(group)
}
