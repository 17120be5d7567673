//! The service itself: its version, its nodes, its settings and its figures.

use jiff::Timestamp;
use svc_model::administration::service::{Get, GetMetrics, Metrics, Node, Service};

use crate::{
    api::{call::Call, routes::Routes},
    http::{ApiResult, response::operation_response},
    state::{State, VERSION},
};

pub(super) fn routes() -> Routes {
    Routes::new().on::<Get, _>(get).on::<GetMetrics, _>(metrics)
}

async fn get(call: Call<Get>) -> ApiResult {
    let mut service = Service::default();
    service.version = VERSION.to_owned();
    // A command on the store is no node, and has no settings that anybody else would meet.
    if call.state.serves_since.get().is_some() {
        service.nodes = nodes(&call.state);
        service.settings = call.state.config.in_effect();
    }
    Ok(operation_response::<Get>(&service))
}

/// The figures of this node, over time.
async fn metrics(call: Call<GetMetrics>) -> ApiResult {
    let now = call.state.totals().await;
    let node = call.state.node();
    let mut shown = Metrics::default();
    (shown.node, shown.address) = (node.name, node.address);
    call.state.metrics.history.show(&now, &mut shown);
    Ok(operation_response::<GetMetrics>(&shown))
}

/// The nodes that live; this one where there are no others, or none that said so yet.
fn nodes(state: &State) -> Vec<Node> {
    let living = state.nodes.living();
    if living.is_empty() {
        return vec![shown(state.node(), Timestamp::now())];
    }
    living
        .into_iter()
        .map(|node| {
            let last_seen = node.last_seen;
            shown(node, last_seen)
        })
        .collect()
}

fn shown(node: svc_store::Node, last_seen: Timestamp) -> Node {
    let mut shown = Node::default();
    shown.name = node.name;
    shown.version = node.version;
    shown.address = node.address;
    shown.since = node.since.to_string();
    shown.last_seen = last_seen.to_string();
    shown
}
