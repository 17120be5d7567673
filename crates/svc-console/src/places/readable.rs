//! What the signed-in account may read in an environment, as its databases say now.

use std::time::Duration;

use futures_util::future::join_all;
use svc_api::Error;
use svc_model::ResourceName;

use super::{Context, model::described_within};
use crate::descriptions::Models;

/// How long a database may take to say what it has.
const PATIENCE: Duration = Duration::from_secs(3);

/// The databases of an environment, with the models of each that the signed-in account may read.
#[derive(Debug)]
pub(crate) struct Readable<'c> {
    /// Whether the account may read everything.
    everything: bool,
    databases: Vec<(&'c ResourceName, Result<Models, Error>)>,
}

impl<'c> Readable<'c> {
    /// What there is to read. One database that does not answer keeps the others waiting for a while only.
    pub(crate) async fn load(context: &'c Context<'_>) -> Self {
        let described = context.databases().into_iter().map(async |name| {
            let (visit, client, scope) = (context.visit, &context.client, &context.scope);
            let described = described_within(visit, client, scope, name.as_str(), Some(PATIENCE));
            (name, described.await)
        });
        Self {
            everything: context.is_administrator(),
            databases: join_all(described).await,
        }
    }

    /// The same where only what may not be read has to be known: of administrators no database is asked.
    pub(crate) async fn limits(context: &'c Context<'_>) -> Self {
        match context.is_administrator() {
            true => Self {
                everything: true,
                databases: Vec::new(),
            },
            false => Self::load(context).await,
        }
    }

    /// The databases of which something may be read, or may be: what one that does not answer has is not known.
    pub(crate) fn databases(
        &self,
    ) -> impl Iterator<Item = (&'c ResourceName, &Result<Models, Error>)> {
        let all = self.databases.iter().map(|(name, models)| (*name, models));
        all.filter(|(_, models)| match models {
            Ok(models) => self.everything || !models.is_empty(),
            Err(error) => !error.is_forbidden(),
        })
    }

    /// Whether the records of a model may be read, as far as that is known.
    pub(crate) fn has(&self, resource: &str, model: &str) -> bool {
        let mut databases = self.databases();
        self.everything
            || databases.any(|(name, models)| {
                let is_there = |models: &Models| models.iter().any(|known| known.model == model);
                name.as_str() == resource && models.as_ref().map_or(true, is_there)
            })
    }
}
