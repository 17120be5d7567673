//! The service itself: its version, its nodes and its settings.

use jiff::Timestamp;
use svc_model::administration::service::{Get, Node, Service};

use crate::{
    api::{call::Call, routes::Routes},
    http::{ApiResult, response::operation_response},
    state::State,
};

const VERSION: &str = env!("CARGO_PKG_VERSION");

pub(super) fn routes() -> Routes {
    Routes::new().on::<Get, _>(get)
}

async fn get(call: Call<Get>) -> ApiResult {
    let mut service = Service::default();
    service.version = VERSION.to_owned();
    // A command on the store is no node, and has no settings that anybody else would meet.
    if let Some(since) = call.state.serves_since.get() {
        service.nodes = vec![this_node(&call.state, *since)];
        service.settings = call.state.config.in_effect();
    }
    Ok(operation_response::<Get>(&service))
}

fn this_node(state: &State, since: Timestamp) -> Node {
    let mut node = Node::default();
    node.name.clone_from(&state.config.node_name);
    node.version = VERSION.to_owned();
    node.address = state.config.listen.to_string();
    node.since = since.to_string();
    node.last_seen = Timestamp::now().to_string();
    node
}
