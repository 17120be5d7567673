//! Routes: operations by their declarations, with and without a trailing slash. What the API definitions say of an
//! operation beside its declaration is given where its handler is named.

use axum::{
    Router,
    handler::Handler,
    routing::{self, MethodFilter, MethodRouter},
};
use http::Method;
use svc_model::wire::{Host, Operation, OperationInfo};

use crate::state::Shared;

/// The path prefix of the application host (specification, section 1).
pub(crate) const PREFIX: &str = "/api";

/// Which hosts a listener serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hosts {
    Both,
    Data,
    Application,
}

/// Routes, and what the API definitions say of the operations behind them.
#[derive(Debug, Default)]
pub(crate) struct Routes {
    router: Router<Shared>,
    pub(crate) operations: Vec<Described>,
}

/// An operation as an API definition describes it. Schemas are those of the definition, by their names; those of records
/// have `{}` in place of the model's name.
#[derive(Clone, Debug)]
pub(crate) struct Described {
    pub(crate) info: OperationInfo,
    /// The schema of the body.
    pub(crate) body: Option<&'static str>,
    /// The schema of what a success holds.
    pub(crate) answer: Option<&'static str>,
    /// Parameters beside those of the declaration.
    pub(crate) parameters: &'static [&'static str],
    /// Whether each field of the model is a parameter too, by which records are selected.
    pub(crate) has_filters: bool,
    /// Whether the answer is rows, which are also given as lines of JSON and as CSV.
    pub(crate) has_row_formats: bool,
}

impl Routes {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Has a handler answer an operation: its host, method and path are those of its declaration.
    pub(crate) fn on<O: Operation, T: 'static>(mut self, handler: impl Handler<T, Shared>) -> Self {
        self.operations.push(Described {
            info: O::INFO,
            body: None,
            answer: None,
            parameters: &[],
            has_filters: false,
            has_row_formats: false,
        });
        self.on_method(&O::INFO, O::INFO.method, handler)
    }

    /// Has a handler answer an operation that asks something, also by `GET`: this is the form that the API definition
    /// describes.
    pub(crate) fn on_question<O: Operation, T: 'static>(
        self,
        handler: impl Handler<T, Shared>,
    ) -> Self {
        let mut routes = self.on::<O, T>(handler.clone());
        if let Some(last) = routes.operations.last_mut() {
            last.info.method = Method::GET;
        }
        routes.on_method(&O::INFO, Method::GET, handler)
    }

    fn on_method<T: 'static>(
        self,
        info: &OperationInfo,
        method: Method,
        handler: impl Handler<T, Shared>,
    ) -> Self {
        // Operations have the methods that routes can have.
        let method = MethodFilter::try_from(method).unwrap_or(MethodFilter::GET);
        let methods = routing::on(method, handler);
        match info.host {
            Host::Application => self.at(&format!("{PREFIX}{}", info.path_template), methods),
            _ => self.at(info.path_template, methods),
        }
    }

    /// Adds a route that answers with and without a trailing slash, without a redirect.
    pub(crate) fn at(mut self, path: &str, methods: MethodRouter<Shared>) -> Self {
        let bare = path.trim_end_matches('/');
        let router = self.router.route(&format!("{bare}/"), methods.clone());
        self.router = match bare {
            "" => router,
            bare => router.route(bare, methods),
        };
        self
    }

    /// The schema of the body of the operation before.
    pub(crate) fn body_schema(self, schema: &'static str) -> Self {
        self.describe(|last| last.body = Some(schema))
    }

    /// The schema of what the operation before answers.
    pub(crate) fn answer_schema(self, schema: &'static str) -> Self {
        self.describe(|last| last.answer = Some(schema))
    }

    /// Parameters of the operation before, beside those of its declaration.
    pub(crate) fn parameters(self, names: &'static [&'static str]) -> Self {
        self.describe(|last| last.parameters = names)
    }

    /// The operation before is about the records that a query selects.
    pub(crate) fn filters(self, names: &'static [&'static str]) -> Self {
        self.parameters(names)
            .describe(|last| last.has_filters = true)
    }

    /// The operation before answers rows, in each form that rows have.
    pub(crate) fn in_row_formats(self) -> Self {
        self.describe(|last| last.has_row_formats = true)
    }

    fn describe(mut self, describe: impl FnOnce(&mut Described)) -> Self {
        self.operations.last_mut().map(describe);
        self
    }

    pub(crate) fn merge(mut self, other: Self) -> Self {
        self.router = self.router.merge(other.router);
        self.operations.extend(other.operations);
        self
    }

    /// The same with something around each route.
    pub(crate) fn layered(mut self, layer: impl FnOnce(Router<Shared>) -> Router<Shared>) -> Self {
        self.router = layer(self.router);
        self
    }

    pub(crate) fn into_router(self) -> Router<Shared> {
        self.router
    }
}
