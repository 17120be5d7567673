use std::{future::Future, task::Poll};

use super::*;

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(30)
}

fn list(model: &str) -> Work {
    Work::new(model, "list", false)
}

/// The permit, if it is given at once.
async fn at_once(admission: &Admission, work: Work) -> Option<Permit> {
    let mut enter = std::pin::pin!(admission.enter(work, soon(), false));
    match std::future::poll_fn(|cx| Poll::Ready(enter.as_mut().poll(cx))).await {
        Poll::Ready(permit) => Some(permit.unwrap()),
        Poll::Pending => None,
    }
}

/// As many permits as are given at once.
async fn all(admission: &Admission, work: Work) -> Vec<Permit> {
    let mut permits = Vec::new();
    while let Some(permit) = at_once(admission, work).await {
        permits.push(permit);
    }
    permits
}

fn make_slow(admission: &Admission) {
    for running in &mut admission.state().running {
        running.since -= SLOW;
    }
}

#[tokio::test]
async fn each_model_leaves_as_many_connections_to_the_others_as_it_has() {
    let admission = Admission::shared(10);
    let mut held = Vec::new();
    for (model, expected) in [("first", 5), ("second", 3), ("third", 1)] {
        let permits = all(&admission, list(model)).await;
        assert_eq!(permits.len(), expected, "{model}");
        held.extend(permits);
    }
    assert!(at_once(&admission, list("other")).await.is_some());
}

#[tokio::test]
async fn a_model_is_never_kept_from_the_last_connection() {
    for size in 1..4 {
        let admission = Admission::shared(size);
        let mut held = Vec::new();
        for number in 0..size {
            let model = list(&number.to_string());
            held.push(at_once(&admission, model).await.unwrap());
        }
    }
}

#[tokio::test]
async fn searches_leave_connections_to_short_statements_of_the_same_model() {
    let admission = Admission::shared(10);
    let mut searches = Vec::new();
    for model in ["big", "long", "wide"] {
        searches.extend(all(&admission, Work::new(model, "search", true)).await);
    }
    assert_eq!(searches.len(), 8);
    let retrieve = Work::new("wide", "retrieve", false);
    let _retrieved = at_once(&admission, retrieve).await.unwrap();
    let other = Work::new("other", "search", true);
    assert!(at_once(&admission, other).await.is_none());
    drop(searches);
    assert!(at_once(&admission, other).await.is_some());
}

#[tokio::test]
async fn searches_do_not_hold_up_short_statements_of_a_model_that_has_its_share() {
    let admission = Admission::shared(10);
    let searches = all(&admission, Work::new("big", "search", true)).await;
    assert_eq!(searches.len(), 5);
    let retrieved = all(&admission, Work::new("big", "retrieve", false)).await;
    assert_eq!(retrieved.len(), 3);
    // Short ones that wait for a lock are slow after a while, and another shape leaves one to the others.
    make_slow(&admission);
    let retrieve = Work::new("big", "retrieve", false);
    assert!(at_once(&admission, retrieve).await.is_none());
    let other_shape = all(&admission, list("big")).await;
    assert_eq!(other_shape.len(), 1);
    assert!(at_once(&admission, list("other")).await.is_some());
}

#[tokio::test]
async fn a_shape_becomes_slow_while_it_runs_and_quick_again_when_it_was() {
    let admission = Admission::shared(10);
    let mut held = Vec::new();
    for model in ["t", "t", "t", "t", "u", "u", "v"] {
        held.push(at_once(&admission, list(model)).await.unwrap());
    }
    make_slow(&admission);
    assert!(at_once(&admission, list("v")).await.is_none());
    assert!(at_once(&admission, list("w")).await.is_some());
    for mut permit in held {
        permit.ran(SLOW * 4);
    }
    admission.state().running.clear();
    for _ in 0..16 {
        at_once(&admission, list("t"))
            .await
            .unwrap()
            .ran(Duration::ZERO);
    }
    assert_eq!(all(&admission, list("t")).await.len(), 5);
}

#[tokio::test]
async fn running_statements_count_as_slow_when_others_of_their_shape_were() {
    let admission = Admission::shared(10);
    let mut held = Vec::new();
    for model in ["t", "t", "t", "u", "u", "u"] {
        held.push(at_once(&admission, list(model)).await.unwrap());
    }
    for model in ["t", "u"] {
        let mut slow = at_once(&admission, list(model)).await.unwrap();
        slow.ran(SLOW * 8);
    }
    let search = Work::new("v", "search", true);
    let _searching = at_once(&admission, search).await.unwrap();
    assert!(at_once(&admission, search).await.is_none());
    for mut quick in held.drain(..3) {
        quick.ran(Duration::ZERO);
    }
    assert!(at_once(&admission, search).await.is_some());
}

#[tokio::test]
async fn what_the_service_needs_itself_is_not_stopped_by_slow_statements() {
    let admission = Admission::shared(10);
    let structure = Work::internal("structure");
    at_once(&admission, structure).await.unwrap().ran(SLOW * 8);
    let mut held = all(&admission, list("a")).await;
    held.extend(all(&admission, list("b")).await);
    held.extend(all(&admission, list("c")).await);
    make_slow(&admission);
    assert!(at_once(&admission, structure).await.is_some());
}

#[tokio::test]
async fn a_model_that_is_always_slow_is_not_stopped_by_others_alone() {
    let admission = Admission::shared(10);
    at_once(&admission, list("own"))
        .await
        .unwrap()
        .ran(SLOW * 8);
    let mut held = all(&admission, list("a")).await;
    held.extend(all(&admission, list("b")).await);
    make_slow(&admission);
    assert_eq!(all(&admission, list("own")).await.len(), 1);
}

#[tokio::test]
async fn the_model_with_the_fewest_running_statements_is_next() {
    let admission = Admission::shared(4);
    let mut busy = all(&admission, list("busy")).await;
    let other = at_once(&admission, list("other")).await.unwrap();
    let last = at_once(&admission, list("last")).await.unwrap();
    let mut first = std::pin::pin!(admission.enter(list("busy"), soon(), false));
    let mut second = std::pin::pin!(admission.enter(list("third"), soon(), false));
    for waiting in [&mut first, &mut second] {
        let polled = std::future::poll_fn(|cx| Poll::Ready(waiting.as_mut().poll(cx))).await;
        assert!(polled.is_pending());
    }
    drop(busy.pop());
    let third = second.await.unwrap();
    drop((other, last));
    drop((first.await.unwrap(), third));
}

#[tokio::test]
async fn callers_take_turns_where_one_statement_runs_at_a_time() {
    let admission = Admission::shared(1);
    let order = Arc::new(Mutex::new(Vec::new()));
    let first = admission.enter(list("a"), soon(), false).await.unwrap();
    let mut tasks = Vec::new();
    for name in ["a", "a", "a", "b", "b", "c"] {
        let (admission, order) = (admission.clone(), Arc::clone(&order));
        let enter = async move {
            let permit = admission.enter(list("a"), soon(), false).await.unwrap();
            order.lock().unwrap().push(name);
            drop(permit);
        };
        tasks.push(tokio::spawn(Caller::of(name).run(enter)));
        tokio::task::yield_now().await;
    }
    drop(first);
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(*order.lock().unwrap(), ["a", "b", "c", "a", "b", "a"]);
    assert!(admission.state().last_turns.is_empty());
}

#[tokio::test]
async fn the_caller_with_the_fewest_running_statements_is_next() {
    let admission = Admission::shared(2);
    let (greedy, other) = (Caller::of("greedy"), Caller::of("other"));
    let waiting = |caller: Caller, model| {
        let admission = admission.clone();
        let enter = async move { admission.enter(list(model), soon(), false).await };
        Box::pin(caller.run(enter))
    };
    let first = waiting(greedy, "a").await.unwrap();
    let _second = waiting(greedy, "b").await.unwrap();
    let mut more = Vec::new();
    // Not even one that asks for other models is before another caller.
    for model in ["c", "d", "e"] {
        let mut enter = waiting(greedy, model);
        let polled = std::future::poll_fn(|cx| Poll::Ready(enter.as_mut().poll(cx))).await;
        assert!(polled.is_pending());
        more.push(enter);
    }
    let mut enter = waiting(other, "a");
    let polled = std::future::poll_fn(|cx| Poll::Ready(enter.as_mut().poll(cx))).await;
    assert!(polled.is_pending());
    drop(first);
    tokio::time::timeout(Duration::from_secs(10), enter)
        .await
        .unwrap()
        .unwrap();
}

#[tokio::test]
async fn a_caller_that_leaves_while_it_waits_takes_no_turn() {
    let admission = Admission::in_order(1);
    let held = at_once(&admission, list("t")).await.unwrap();
    for _ in 0..3 {
        assert!(at_once(&admission, list("t")).await.is_none());
    }
    drop(held);
    assert!(at_once(&admission, list("t")).await.is_some());
    assert!(admission.state().running.is_empty());
}

#[tokio::test]
async fn a_refused_connection_makes_fewer_enough_and_the_number_grows_again() {
    let admission = Admission::in_order(10);
    let mut held = Vec::new();
    for _ in 0..6 {
        held.push(at_once(&admission, list("t")).await.unwrap());
    }
    held.pop().unwrap().unused();
    admission.shrink(5);
    assert!(at_once(&admission, list("t")).await.is_none());
    held.pop();
    held.push(at_once(&admission, list("t")).await.unwrap());
    // The server accepts one again after the pause.
    if let Some((at, _)) = &mut admission.state().grow {
        *at = Instant::now();
    }
    held.push(at_once(&admission, list("t")).await.unwrap());
    admission.accepted();
    held.extend(all(&admission, list("t")).await);
    assert_eq!(held.len(), 7, "one at a time is tried");
}

#[tokio::test]
async fn statements_known_as_quick_are_not_limited_by_slow_ones_on_threads() {
    let admission = Admission::for_threads(2);
    drop(at_once(&admission, list("t")).await);
    let slow = all(&admission, Work::new("big", "search", true)).await;
    assert_eq!(slow.len(), 1);
    let quick: Vec<_> = [
        at_once(&admission, list("t")).await,
        at_once(&admission, list("t")).await,
    ]
    .into();
    assert!(quick.iter().all(Option::is_some));
}

#[tokio::test]
async fn a_turn_that_does_not_come_by_the_deadline_is_an_error() {
    let admission = Admission::in_order(1);
    let _held = at_once(&admission, list("t")).await.unwrap();
    let late = admission.enter(list("t"), Instant::now(), false).await;
    assert_eq!(late.err().unwrap().kind(), crate::ErrorKind::Unavailable);
}

#[tokio::test]
async fn a_permission_is_passed_on_to_the_service_as_often_as_it_may_be() {
    let admission = Admission::shared(10);
    let mut permits = Vec::new();
    for model in ["a", "b", "c"] {
        permits.push(at_once(&admission, list(model)).await.unwrap());
    }
    let passed: Vec<bool> = permits
        .iter_mut()
        .map(|permit| permit.pass_to(Work::pipeline(), 2))
        .collect();
    assert_eq!(passed, [true, true, false]);
    assert!(admission.try_enter(Work::pipeline(), 2).is_none());
    drop(permits);
    assert!(admission.is_idle());
}

#[tokio::test]
async fn of_few_turns_that_are_left_the_service_gets_few() {
    let admission = Admission::shared(10);
    let mut permits = all(&admission, list("a")).await;
    admission.shrink(3);
    let passed = permits
        .iter_mut()
        .filter_map(|permit| permit.pass_to(Work::pipeline(), 3).then_some(()));
    assert_eq!(passed.count(), 1);
    admission.shrink(1);
    drop(permits);
    assert!(admission.try_enter(Work::pipeline(), 3).is_none());
}

#[tokio::test]
async fn a_permission_that_is_passed_on_lets_another_of_its_model_run() {
    let admission = Admission::shared(10);
    let mut permits = all(&admission, list("a")).await;
    let mut waiting = std::pin::pin!(admission.enter(list("a"), soon(), false));
    let polled = std::future::poll_fn(|cx| Poll::Ready(waiting.as_mut().poll(cx)));
    assert!(polled.await.is_pending());
    assert!(permits[0].pass_to(Work::pipeline(), 3));
    assert!(waiting.await.is_ok());
}
