//! The floor: the rows of a case fetched in process and written as JSON,
//! without HTTP and without a credential.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use svc_data::{Model, Resource, ResourceOptions, ResourceUrl};
use svc_model::records::{AggregateQuery, GroupQuery};
use svc_model::{ListQuery, RecordView};
use tokio::task::JoinSet;

use crate::Error;
use crate::cases::{Caller, Case, What};
use crate::dataset::ORDERS;
use crate::load::{Load, Measured};
use crate::usage;

/// Measures the case with as many calls at once as the load has connections.
pub fn measure(url: &ResourceUrl, case: &Case, load: &Load) -> Result<Measured, Error> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let resource = Resource::connect("bench", url, ResourceOptions::default()).await?;
        let floor = Arc::new(Floor {
            model: resource.model(ORDERS)?,
            resource,
        });
        floor.ask(case, load, load.warm_up).await?;
        let before = usage::of(std::process::id())?.cpu;
        let started = Instant::now();
        let latencies = floor.ask(case, load, load.measured).await?;
        let took = started.elapsed();
        let cpu = usage::of(std::process::id())?.cpu - before;
        Measured::new(latencies, took, cpu)
    })
}

struct Floor {
    resource: Resource,
    model: Arc<Model>,
}

/// The call to the driver for a case.
enum Call {
    List(Box<ListQuery>),
    Walk(Box<ListQuery>),
    Retrieve,
    Aggregate(AggregateQuery),
    Group(GroupQuery),
    Create,
}

impl Floor {
    fn call(&self, what: What) -> Result<Call, Error> {
        let is_field = |name: &str| self.model.has_field(name);
        Ok(match what {
            What::List(query) => Call::List(Box::new(ListQuery::parse(query, &is_field)?)),
            What::Walk => Call::Walk(Box::new(ListQuery::parse("_order_by=id", &is_field)?)),
            What::Retrieve => Call::Retrieve,
            What::Aggregate(query) => Call::Aggregate(AggregateQuery::parse(query, &is_field)?),
            What::Group(query) => Call::Group(GroupQuery::parse(query, &is_field)?),
            What::Create => Call::Create,
        })
    }

    async fn ask(
        self: &Arc<Self>,
        case: &Case,
        load: &Load,
        time: Duration,
    ) -> Result<Vec<Duration>, Error> {
        let until = Instant::now() + time;
        let mut calls = JoinSet::new();
        for number in 0..load.connections {
            let floor = Arc::clone(self);
            let mut call = self.call(case.what)?;
            let mut caller = Caller::new(case, number as u64, load.orders);
            calls.spawn(async move {
                let mut latencies = Vec::new();
                while Instant::now() < until {
                    let started = Instant::now();
                    floor.once(&mut call, &mut caller).await?;
                    latencies.push(started.elapsed());
                }
                Ok::<_, Error>(latencies)
            });
        }
        let mut latencies = Vec::new();
        while let Some(finished) = calls.join_next().await {
            latencies.extend(finished??);
        }
        Ok(latencies)
    }

    async fn once(&self, call: &mut Call, caller: &mut Caller) -> Result<(), Error> {
        let Self { resource, model } = self;
        let view = RecordView::default();
        match call {
            Call::List(query) => {
                let mut page = resource.list(model, query).await?;
                while let Some(rest) = page.rest.take() {
                    page = rest.read().await?;
                }
                black_box(page.results);
            }
            Call::Walk(query) => {
                let page = resource.list(model, query).await?;
                query.after = page.after;
                black_box(page.results);
            }
            Call::Retrieve => {
                let id = caller.key().to_string();
                black_box(resource.retrieve(model, &id, &view).await?.body);
            }
            Call::Aggregate(query) => {
                black_box(resource.aggregate(model, query).await?);
            }
            Call::Group(query) => {
                black_box(resource.group(model, query).await?);
            }
            Call::Create => {
                let record = serde_json::from_str(&caller.record())?;
                black_box(resource.create(model, &record, &view).await?.body);
            }
        }
        Ok(())
    }
}
