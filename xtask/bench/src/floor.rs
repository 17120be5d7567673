//! The floor: the rows of a case fetched in process and written as JSON,
//! without HTTP and without a credential.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use svc_data::{Model, Resource, ResourceOptions, ResourceUrl};
use svc_model::{ListQuery, RecordView};
use tokio::task::JoinSet;

use crate::Error;
use crate::cases::{Case, What};
use crate::dataset::ORDERS;
use crate::load::{Load, Measured};
use crate::usage;

/// Measures the case with as many calls at once as the load has connections.
pub fn measure(database: &Path, case: &Case, load: &Load) -> Result<Measured, Error> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let url: ResourceUrl = format!("sqlite:{}", database.display()).parse()?;
        let resource = Resource::connect("bench", &url, ResourceOptions::default()).await?;
        let model = resource.model(ORDERS)?;
        let call = match case.what {
            What::List(query) => {
                let query = ListQuery::parse(query, &|name| model.has_field(name))?;
                Call::List(Box::new(query))
            }

            What::Retrieve => Call::Retrieve {
                orders: load.orders,
            },
        };
        let floor = Arc::new(Floor {
            resource,
            model,
            call,
        });
        floor.ask(load.connections, load.warm_up).await?;
        let before = usage::of(std::process::id())?.cpu;
        let started = Instant::now();
        let latencies = floor.ask(load.connections, load.measured).await?;
        let took = started.elapsed();
        let cpu = usage::of(std::process::id())?.cpu - before;
        Measured::new(latencies, took, cpu)
    })
}

struct Floor {
    resource: Resource,
    model: Arc<Model>,
    call: Call,
}

enum Call {
    List(Box<ListQuery>),
    Retrieve { orders: u32 },
}

impl Floor {
    async fn ask(self: &Arc<Self>, at_once: usize, time: Duration) -> Result<Vec<Duration>, Error> {
        let until = Instant::now() + time;
        let mut calls = JoinSet::new();
        for number in 0..at_once {
            let floor = Arc::clone(self);
            calls.spawn(async move {
                let mut random = fastrand::Rng::with_seed(number as u64);
                let mut latencies = Vec::new();
                while Instant::now() < until {
                    let started = Instant::now();
                    floor.once(&mut random).await?;
                    latencies.push(started.elapsed());
                }
                Ok::<_, svc_data::Error>(latencies)
            });
        }
        let mut latencies = Vec::new();
        while let Some(finished) = calls.join_next().await {
            latencies.extend(finished??);
        }
        Ok(latencies)
    }

    async fn once(&self, random: &mut fastrand::Rng) -> Result<(), svc_data::Error> {
        match &self.call {
            Call::List(query) => {
                let page = self.resource.list(&self.model, query).await?;
                std::hint::black_box(page.results);
            }
            Call::Retrieve { orders } => {
                let id = random.u32(1..=*orders).to_string();
                let view = RecordView::default();
                let record = self.resource.retrieve(&self.model, &id, &view).await?;
                std::hint::black_box(record.body);
            }
        }
        Ok(())
    }
}
