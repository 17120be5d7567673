//! Callers that are dropped somewhere on the way.

use std::{future::poll_fn, task::Poll, time::Duration};

use super::service::{Service, call, client};

const ROUNDS: u32 = 40;
const CALLERS: u32 = 250;
/// How many unused connections the transport keeps.
const IDLE: usize = 32;

/// Polls so many times; `None` if that was not enough.
async fn polled<F: Future + Unpin>(mut future: F, mut polls: u32) -> Option<F::Output> {
    poll_fn(|context| {
        if polls == 0 {
            return Poll::Ready(None);
        }
        polls -= 1;
        std::pin::Pin::new(&mut future).poll(context).map(Some)
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_callers_of_whom_any_may_be_dropped_leave_nothing_behind() {
    let service = Service::default();
    let server = service.start().await;
    let (client, _) = client(&server, false);
    let (mut random, mut dropped) = (0x2545_f491_u32, 0);
    for round in 1..=ROUNDS {
        // Every second round needs a refresh, whose token works once: if its answer were lost, the session would end.
        if round % 2 == 1 {
            service.revoke();
        }
        let mut calls = tokio::task::JoinSet::new();
        for id in 0..CALLERS {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let polls = random >> 28;
            let call = polled(call(&client, id), polls);
            calls.spawn(async move { (id, call.await) });
        }
        for (id, result) in calls.join_all().await {
            match result {
                Some(record) => assert_eq!(record.unwrap()["id"], id, "round {round}"),
                None => dropped += 1,
            }
        }
        let last = tokio::time::timeout(Duration::from_secs(20), call(&client, 7));
        let last = last.await.expect("no refresh is stuck");
        assert_eq!(last.unwrap()["id"], 7);
        assert_eq!(server.requests("refresh").len(), round.div_ceil(2) as usize);
    }
    let callers = ROUNDS * CALLERS;
    assert!(
        (callers / 5..callers / 5 * 4).contains(&dropped),
        "{dropped} of {callers} were dropped"
    );
    // Every connection of a dropped caller is closed, and of the others as many as are too many.
    assert!(server.most() <= 2 * CALLERS as usize, "{}", server.most());
    server.has_at_most(IDLE).await;
    assert!(client.account().session().is_signed_in());
}
