//! A database in a folder of its own, and short ways to ask it.

use std::{path::PathBuf, sync::Arc};

use serde_json::Value;
use svc_data::{Before, Error, Model, Page, RecordJson, Resource, ResourceOptions, UpdateOptions};
use svc_model::{JsonObject, ListQuery, RecordView};

pub(crate) struct Shop {
    pub(crate) resource: Resource,
    pub(crate) path: PathBuf,
    _folder: tempfile::TempDir,
}

impl Shop {
    /// Creates a database with this SQL and connects it.
    pub(crate) async fn new(sql: &str) -> Self {
        Self::with_options(sql, ResourceOptions::default()).await
    }

    pub(crate) async fn with_options(sql: &str, options: ResourceOptions) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shop.db");
        rusqlite::Connection::open(&path)
            .unwrap()
            .execute_batch(sql)
            .unwrap();
        let url = format!("sqlite:{}", path.display()).parse().unwrap();
        let resource = Resource::connect("shop", &url, options).await.unwrap();
        Self {
            resource,
            path,
            _folder: folder,
        }
    }

    /// A connection of somebody else.
    pub(crate) fn other(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(&self.path).unwrap()
    }

    pub(crate) fn model(&self, name: &str) -> Arc<Model> {
        self.resource.model(name).unwrap()
    }

    /// Lists with a query string as it would stand in a URL, not escaped.
    pub(crate) async fn page(&self, model: &str, query: &str) -> Result<Page, Error> {
        let model = self.resource.model(model)?;
        let query = ListQuery::parse(query, &|name| model.has_field(name))?;
        self.resource.list(&model, &query).await
    }

    pub(crate) async fn list(&self, model: &str, query: &str) -> Vec<Value> {
        let page = self
            .page(model, query)
            .await
            .unwrap_or_else(|e| panic!("{query}: {e}"));
        let Value::Array(rows) = serde_json::from_slice(&page.results).unwrap() else {
            panic!("no array")
        };
        assert_eq!(rows.len(), page.len);
        rows
    }

    /// The values of one column, as JSON text.
    pub(crate) async fn column(&self, model: &str, column: &str, query: &str) -> String {
        let rows = self.list(model, query).await;
        let values: Vec<String> = rows.iter().map(|row| row[column].to_string()).collect();
        values.join(" ")
    }

    /// The message of a refused list.
    pub(crate) async fn refused(&self, model: &str, query: &str) -> String {
        match self.page(model, query).await {
            Ok(page) => panic!("{query} was taken: {:?}", page.results),
            Err(error) => {
                assert_eq!(error.kind(), svc_data::ErrorKind::Invalid, "{error}");
                error.to_string()
            }
        }
    }

    pub(crate) async fn get(&self, model: &str, id: &str) -> Result<RecordJson, Error> {
        self.resource
            .retrieve(&self.model(model), id, &RecordView::default())
            .await
    }

    pub(crate) async fn text(&self, model: &str, id: &str) -> String {
        body(self.get(model, id).await.unwrap())
    }

    pub(crate) async fn create(&self, model: &str, json: &str) -> Result<RecordJson, Error> {
        self.resource
            .create(&self.model(model), &object(json), &RecordView::default())
            .await
    }

    pub(crate) async fn update(
        &self,
        model: &str,
        id: &str,
        json: &str,
    ) -> Result<RecordJson, Error> {
        self.update_with(model, id, json, &UpdateOptions::default())
            .await
    }

    pub(crate) async fn replace(
        &self,
        model: &str,
        id: &str,
        json: &str,
    ) -> Result<RecordJson, Error> {
        let mut options = UpdateOptions::default();
        options.replace = true;
        self.update_with(model, id, json, &options).await
    }

    async fn update_with(
        &self,
        model: &str,
        id: &str,
        json: &str,
        options: &UpdateOptions,
    ) -> Result<RecordJson, Error> {
        let (model, body) = (self.model(model), object(json));
        self.resource.update(&model, id, &body, options).await
    }

    pub(crate) async fn delete(&self, model: &str, id: &str) -> Result<Before, Error> {
        self.resource.delete(&self.model(model), id, None).await
    }
}

pub(crate) fn object(json: &str) -> JsonObject {
    serde_json::from_str(json).unwrap()
}

pub(crate) fn body(record: RecordJson) -> String {
    String::from_utf8(record.body.into()).unwrap()
}

/// The messages of an invalid request as the body of a 400.
pub(crate) fn messages(error: &Error) -> String {
    assert_eq!(error.kind(), svc_data::ErrorKind::Invalid, "{error:?}");
    serde_json::to_string(error.messages()).unwrap()
}
