//! How nodes share the rate limits: each tells the others what it allowed, as far as it is more than an even part.

use std::time::Duration;

use tokio::{sync::watch, time::sleep};

use crate::state::State;

/// The shortest time from one notification to the next.
const TELL_EVERY: Duration = Duration::from_millis(250);

/// Tells and hears until the service ends.
pub(crate) async fn run(state: &State, mut stopped: watch::Receiver<bool>) {
    let Some(limits) = &state.rate_limits else {
        return;
    };
    let (node, nodes) = (state.nodes.uid(), state.store.nodes());
    let telling = async {
        loop {
            limits.used().await;
            if let Some(text) = limits.tell(node)
                && let Err(error) = nodes.tell(&text).await
            {
                tracing::debug!(%error, "the other nodes cannot be told what callers have used");
            }
            sleep(TELL_EVERY).await;
        }
    };
    let hearing = async {
        loop {
            let text = nodes.told().await;
            limits.hear(&text, node, state.nodes.count());
        }
    };
    tokio::select! {
        () = telling => {}
        () = hearing => {}
        _ = stopped.wait_for(|&stop| stop) => {}
    }
}
