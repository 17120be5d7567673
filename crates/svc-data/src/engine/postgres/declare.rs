//! The database of the service itself, and models that a program declares over its views.

use std::sync::Arc;

use super::{
    Postgres,
    connect::{Lease, Pool, Source},
    value::TIME_OF_STORE,
};
use crate::{
    DeclaredModel, Error, Field, Model, ResourceOptions, Result, Structure,
    engine::{
        server::{ServerDriver, ServerEngine as _},
        sqlite::declare::{self, model_of},
    },
    structure::relate,
};

/// What the views of declared models are called: views over theirs, whose columns have the declared types.
const TYPED: &str = "typed_";

/// The database of the service itself.
pub(crate) struct Store {
    driver: ServerDriver<Postgres>,
    source: Arc<Source>,
}

/// Declared models, and the structure that has their views.
pub(super) struct Declared {
    found: Arc<Structure>,
    models: Vec<DeclaredModel>,
}

impl Store {
    /// The database that follows `postgres:` in a URL.
    pub(crate) fn connect(rest: &str, options: &ResourceOptions) -> Result<Self> {
        let mut source = Source::parse(rest, None)?;
        source.ask_for_writes();
        Ok(Self {
            driver: Postgres::over(&source, options)?,
            source: Arc::new(source),
        })
    }

    /// Where the server is.
    pub(crate) fn source(&self) -> &Arc<Source> {
        &self.source
    }

    pub(crate) fn pool(&self) -> &Pool {
        &self.driver.pool
    }

    /// The tables and views.
    pub(crate) async fn structure(&self, lease: &mut Lease) -> Result<Structure> {
        self.driver.engine.structure(lease).await
    }

    /// A driver of models that are declared over these views. It has the same connections.
    pub(crate) fn declared(
        &self,
        found: &Arc<Structure>,
        models: Vec<DeclaredModel>,
    ) -> ServerDriver<Postgres> {
        ServerDriver {
            engine: Postgres {
                declared: Some(Declared {
                    found: Arc::clone(found),
                    models,
                }),
                ..Postgres::default()
            },
            pool: Arc::clone(&self.driver.pool),
            sql: Arc::clone(&self.driver.sql),
            timeout: self.driver.timeout,
        }
    }
}

impl Declared {
    pub(super) fn structure(&self) -> Result<Structure> {
        let models = self.models.iter().map(|declared| self.model(declared));
        let mut models = models.collect::<Result<Vec<_>>>()?;
        relate(&mut models);
        Ok(Structure::new(models, self.found.version))
    }

    fn model(&self, declared: &DeclaredModel) -> Result<Model> {
        let view = format!("{TYPED}{}", declared.table);
        let missing = || Error::internal(format!("the store has no view {view}"));
        let view = self.found.model(&view).ok_or_else(missing)?;
        let fields = declared.fields.iter().map(|declared| {
            let found = view.field(declared.name).ok_or_else(missing)?;
            let told = declare::field(declared);
            Ok(Field {
                field_type: told.field_type,
                db_type: told.db_type,
                max_length: told.max_length,
                nullable: told.nullable,
                required: told.required,
                editable: told.editable,
                ..found.clone()
            })
        });
        let fields = fields.collect::<Result<_>>()?;
        let mut model = model_of(declared, &self.models, fields, self.found.version);
        model.schema.clone_from(&view.schema);
        model.table.clone_from(&view.table);
        Ok(model)
    }
}

/// The statements that make a view for declared models of a view with these columns, in which those that are fields have the
/// declared types.
pub(crate) fn typed_view(declared: &DeclaredModel, columns: &[String]) -> String {
    let columns = columns.iter().map(|column| {
        let quoted = crate::query::quoted(column);
        let field = declared.fields.iter().find(|field| field.name == column);
        match field.and_then(|field| cast(field.db_type)) {
            Some(cast) => format!("{quoted}::{cast} AS {quoted}"),
            None => quoted,
        }
    });
    let columns: Vec<String> = columns.collect();
    let view = declared.table;
    format!(
        "DROP VIEW IF EXISTS {TYPED}{view}; CREATE VIEW {TYPED}{view} AS SELECT {} FROM {view}; ",
        columns.join(", ")
    )
}

/// The type of a column whose values the store keeps as text.
fn cast(db_type: &str) -> Option<&'static str> {
    match db_type {
        TIME_OF_STORE => Some("timestamptz"),
        "JSON" => Some("json"),
        _ => None,
    }
}
