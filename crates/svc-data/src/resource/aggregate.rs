//! Aggregates of records, and of groups of them.

use std::sync::Arc;

use bytes::Bytes;
use svc_model::records::{AggregateQuery, GroupQuery};

use super::{Resource, StatementKind};
#[cfg(doc)]
use crate::ErrorKind;
use crate::{Model, Result, Structure, plan::AggregatePlan};

impl Resource {
    /// Aggregates records: the JSON `{"y_func": value}` (wire contract, section 4).
    ///
    /// # Errors
    /// As [`Resource::list`]; [`ErrorKind::Invalid`] also when the function does not fit the field.
    pub async fn aggregate(&self, model: &Arc<Model>, query: &AggregateQuery) -> Result<Bytes> {
        let plan = |structure: &Structure, model: &Arc<Model>| {
            AggregatePlan::of_all(structure, model, query)
        };
        self.aggregated(model, plan).await
    }

    /// Aggregates each group of records: a JSON array of `{"group", "group_2", ..., "y_func"}`, ascending by
    /// the groups, NULL first.
    ///
    /// # Errors
    /// As [`Resource::aggregate`].
    pub async fn group(&self, model: &Arc<Model>, query: &GroupQuery) -> Result<Bytes> {
        let plan = |structure: &Structure, model: &Arc<Model>| {
            AggregatePlan::of_groups(structure, model, query)
        };
        self.aggregated(model, plan).await
    }

    async fn aggregated(
        &self,
        model: &Arc<Model>,
        plan: impl Fn(&Structure, &Arc<Model>) -> Result<AggregatePlan>,
    ) -> Result<Bytes> {
        let kind = StatementKind::Aggregate;
        self.with_structure(model, kind, |driver, structure, model| {
            Ok(driver.aggregate(model, plan(structure, model)?))
        })
        .await
    }
}
