use std::{future::pending, sync::atomic::AtomicUsize, task::Poll};

use deadpool::managed::{Manager, Metrics, Pool, RecycleResult};

use super::{
    super::{connections::Connections, lease::Faults},
    *,
};
use crate::{
    Error, Model,
    admission::{Admission, Work},
};

/// Makes connections that do nothing, and counts those that are closed.
struct Fake;

impl Manager for Fake {
    type Type = ();
    type Error = Error;

    async fn create(&self) -> Result<()> {
        Ok(())
    }

    async fn recycle(&self, _: &mut (), _: &Metrics) -> RecycleResult<Error> {
        Ok(())
    }
}

impl Faults for Fake {
    fn unreachable(error: Error) -> Error {
        error
    }

    fn is_full(_: &Error) -> bool {
        false
    }

    fn breaks_the_connection(error: &Error) -> bool {
        error.kind() == crate::ErrorKind::Timeout
    }

    fn explain(_: &Model, error: Error, _: bool) -> Error {
        error
    }
}

impl ConnectionManager for Fake {
    type Ender = Arc<AtomicUsize>;

    async fn ping(_: &mut ()) -> Result<()> {
        Ok(())
    }

    fn end(_: (), closed: Self::Ender) {
        closed.fetch_add(1, Ordering::Relaxed);
    }
}

/// A pool whose reads share `enough` connections, and how many connections were closed.
fn pool(enough: usize) -> (Connections<Fake>, Pipelines<Fake>, Arc<AtomicUsize>) {
    let closed = Arc::<AtomicUsize>::default();
    let admission = Admission::shared(10);
    let builder = Pool::builder(Fake);
    let pool = Connections::new(builder, 10, admission.clone(), Arc::clone(&closed));
    let mut pipelines = Pipelines::new(admission);
    pipelines.share(Sharing { enough, most: 3 });
    (pool.unwrap(), pipelines, closed)
}

fn list() -> Work {
    Work::new("t", "list", false)
}

async fn begin(pool: &Connections<Fake>, pipelines: &Pipelines<Fake>) -> Place<Fake> {
    let deadline = std::time::Instant::now() + Duration::from_secs(30);
    let lease = pool.get(Work::pipeline(), deadline, pool).await;
    pipelines.begin(lease.unwrap(), list())
}

fn join(pipelines: &Pipelines<Fake>) -> Option<Place<Fake>> {
    pipelines.join(list(), false)
}

fn reads(pipelines: &Pipelines<Fake>) -> Vec<usize> {
    let state = pipelines.shared.state();
    state.all.iter().map(|(_, reads)| *reads).collect()
}

#[tokio::test(start_paused = true)]
async fn reads_share_the_first_connections_and_give_them_back() {
    let (pool, pipelines, closed) = pool(2);
    assert!(join(&pipelines).is_none());
    let first = begin(&pool, &pipelines).await;
    assert!(join(&pipelines).is_none(), "another connection is better");
    drop(pipelines.join(list(), true).unwrap());
    let mut places = vec![begin(&pool, &pipelines).await, first];
    for _ in 2..2 * DEPTH {
        places.push(join(&pipelines).unwrap());
    }
    assert_eq!(reads(&pipelines), [DEPTH, DEPTH]);
    assert!(join(&pipelines).is_none(), "both have enough to do");
    for place in places {
        assert_eq!(place.answer(async { Ok(7) }).await, Some(7));
    }
    assert!(reads(&pipelines).is_empty());
    assert_eq!(
        (closed.load(Ordering::Relaxed), pool.pool_use().used),
        (0, 0)
    );
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_gives_no_answer_is_left_by_all_and_closed() {
    let (pool, pipelines, closed) = pool(1);
    let slow = begin(&pool, &pipelines).await;
    let behind = join(&pipelines).unwrap();
    let answers = tokio::join!(
        slow.answer(pending::<Result<()>>()),
        behind.answer(pending::<Result<()>>())
    );
    assert_eq!(answers, (None, None));
    drop(slow);
    assert!(join(&pipelines).is_none(), "nobody waits behind it");
    assert_eq!(closed.load(Ordering::Relaxed), 0, "one is still there");
    drop(behind);
    assert_eq!(closed.load(Ordering::Relaxed), 1);
}

#[tokio::test(start_paused = true)]
async fn a_read_waits_for_others_as_long_as_these_are_answered() {
    let (pool, pipelines, closed) = pool(1);
    let last = begin(&pool, &pipelines).await;
    let answered = async {
        let mut read = 0;
        while read < 4 {
            // It takes no more for some time.
            let Some(other) = join(&pipelines) else {
                break;
            };
            let pause = tokio::time::sleep(PATIENCE * 3 / 4);
            let answer = other.answer(async {
                pause.await;
                Ok(())
            });
            assert_eq!(answer.await, Some(()));
            read += 1;
        }
        Ok(read)
    };
    let answer = last.answer(answered).await;
    assert!(answer.is_some_and(|read| read > 1), "{answer:?}");
    drop(last);
    assert_eq!(closed.load(Ordering::Relaxed), 0);
}

#[tokio::test(start_paused = true)]
async fn only_an_error_that_breaks_a_connection_closes_it() {
    let (pool, pipelines, closed) = pool(1);
    let place = begin(&pool, &pipelines).await;
    let refused = async { Err::<(), _>(Error::invalid("no")) };
    assert_eq!(place.answer(refused).await, None);
    drop(place);
    assert_eq!(
        (closed.load(Ordering::Relaxed), pool.pool_use().used),
        (0, 0)
    );
    let place = begin(&pool, &pipelines).await;
    let broken = async { Err::<(), _>(Error::timeout("no answer")) };
    assert_eq!(place.answer(broken).await, None);
    drop(place);
    assert_eq!(closed.load(Ordering::Relaxed), 1);
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_was_left_is_kept_where_a_later_read_was_answered() {
    let (pool, pipelines, closed) = pool(1);
    let left = begin(&pool, &pipelines).await;
    let later = join(&pipelines).unwrap();
    {
        let mut read = pin!(left.answer(pending::<Result<()>>()));
        let polled = std::future::poll_fn(|cx| Poll::Ready(read.as_mut().poll(cx)));
        assert!(polled.await.is_pending());
    }
    drop(left);
    assert!(join(&pipelines).is_none(), "it may still run");
    assert_eq!(later.answer(async { Ok(()) }).await, Some(()));
    assert!(join(&pipelines).is_some(), "it runs no more");
    drop(later);
    assert_eq!(
        (closed.load(Ordering::Relaxed), pool.pool_use().used),
        (0, 0)
    );
}

#[tokio::test]
async fn a_shape_that_is_slow_on_average_shares_nothing_for_a_while() {
    let (pool, pipelines, _) = pool(1);
    drop(pool);
    let admission = &pipelines.shared.admission;
    let enter = admission.enter(list(), std::time::Instant::now(), false);
    enter.await.unwrap().ran(Duration::ZERO);
    assert!(pipelines.may_have(&list()));
    let mut state = pipelines.shared.state();
    let mut slow = |answers: u32, took| {
        let answers = (0..answers).filter(|_| state.are_slow(list().shape(), took));
        answers.count()
    };
    assert_eq!(slow(ANSWERS * 4, QUICK), 0);
    assert_eq!(slow(ANSWERS - 1, QUICK), 0);
    assert_eq!(
        slow(1, Duration::from_secs(1)),
        1,
        "it is more than the average"
    );
    assert_eq!(slow(ANSWERS / 4, QUICK * 4), 0);
    assert_eq!(slow(1, QUICK * 4), 1);
    assert_eq!(slow(1, Duration::from_secs(1)), 0, "one of few says little");
    drop(state);
    admission.was_long(&list());
    assert!(!pipelines.may_have(&list()));
}

#[test]
fn the_time_of_the_server_begins_with_the_answer_before() {
    let short = u64::try_from(SHORT.as_micros()).unwrap();
    for (sent, before, now, expected) in [
        (100, 5_000, 5_300, 300),
        (100, 5_000, 5_000, 1),
        // The way to the server and back counts here.
        (100, 0, 100 + short, 0),
        (100, 0, 101 + short, short + 1),
        (100, 100, 200, 0),
    ] {
        assert_eq!(
            time_of_server(sent, before, now),
            expected,
            "{sent} {before} {now}"
        );
    }
}

#[tokio::test]
async fn a_connection_is_shared_only_when_nobody_waits_for_one() {
    let (_pool, pipelines, _) = pool(1);
    let admission = &pipelines.shared.admission;
    let permits: Vec<_> = (0..3).map(|_| pipelines.enter().unwrap()).collect();
    assert!(pipelines.enter().is_none(), "there are three");
    drop(permits);
    let deadline = std::time::Instant::now() + Duration::from_secs(30);
    let mut others = Vec::new();
    for model in 0..10 {
        let work = Work::new(&model.to_string(), "list", false);
        others.push(admission.enter(work, deadline, false).await.unwrap());
    }
    assert!(pipelines.enter().is_none(), "there is no connection");
    let mut waiting = pin!(admission.enter(list(), deadline, false));
    let polled = std::future::poll_fn(|cx| Poll::Ready(waiting.as_mut().poll(cx)));
    assert!(polled.await.is_pending());
    drop(others.pop());
    assert!(pipelines.enter().is_none(), "it is for the one that waits");
}

#[test]
fn of_few_connections_some_are_left_to_all_others() {
    for (size, most) in [(1, 0), (2, 1), (3, 1), (6, 2), (10, 3)] {
        let far = Sharing::of(size, false);
        assert_eq!((far.enough, far.most), (most, most), "{size}");
        let near = Sharing::of(size, true);
        assert!(near.enough <= most && near.most == most, "{size}");
    }
}
