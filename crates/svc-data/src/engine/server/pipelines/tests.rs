use std::{pin::Pin, sync::atomic::AtomicUsize, task::Poll};

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

/// A pool of which so many connections are open for reads that share them, and how many connections were closed.
fn pool(open: usize) -> (Connections<Fake>, Pipelines<Fake>, Arc<AtomicUsize>) {
    let closed = Arc::<AtomicUsize>::default();
    let admission = Admission::shared(10);
    let builder = Pool::builder(Fake);
    let pool = Connections::new(builder, 10, admission.clone(), Arc::clone(&closed));
    let sharing = Sharing {
        open,
        most: 3,
        depth: DEPTH,
    };
    let pipelines = Pipelines::new(admission, sharing);
    (pool.unwrap(), pipelines, closed)
}

fn list() -> Work {
    Work::new("t", "list", false)
}

async fn begin(pool: &Connections<Fake>, pipelines: &Pipelines<Fake>) -> Place<Fake> {
    let lease = pool.get(Work::pipeline(), deadline(), pool).await;
    pipelines.begin(lease.unwrap(), list())
}

fn join(pipelines: &Pipelines<Fake>) -> Option<Place<Fake>> {
    pipelines.join(list())
}

/// Whether something is not done at once.
async fn waits(mut future: Pin<&mut impl Future>) -> bool {
    std::future::poll_fn(|cx| Poll::Ready(future.as_mut().poll(cx).is_pending())).await
}

fn reads(pipelines: &Pipelines<Fake>) -> Vec<usize> {
    let state = pipelines.shared.state();
    state.all.iter().map(|(_, reads)| *reads).collect()
}

#[tokio::test(start_paused = true)]
async fn reads_share_connections_and_give_them_back() {
    let (pool, pipelines, closed) = pool(2);
    assert!(join(&pipelines).is_none());
    let first = begin(&pool, &pipelines).await;
    assert!(join(&pipelines).is_none(), "another connection is better");
    drop(pipelines.join_any(list()).unwrap());
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
        assert!(waits(read.as_mut()).await);
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

#[tokio::test(start_paused = true)]
async fn a_connection_is_closed_when_a_read_gets_no_answer_and_a_later_one_did() {
    let (pool, pipelines, closed) = pool(1);
    let earlier = begin(&pool, &pipelines).await;
    let later = join(&pipelines).unwrap();
    // As where the first one is sent after the second, since its statement is prepared before.
    let answers = tokio::join!(
        earlier.answer(pending::<Result<()>>()),
        later.answer(async { Ok(()) })
    );
    assert_eq!(answers, (None, Some(())));
    drop((later, earlier));
    assert_eq!(closed.load(Ordering::Relaxed), 1);
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
    // A few may take longer.
    assert_eq!(slow(ANSWERS / 4, QUICK * 4), 0);
    assert_eq!(slow(ANSWERS * 3 / 4, QUICK), 0);
    assert_eq!(slow(ANSWERS / 4, QUICK * 4), 0);
    assert_eq!(slow(1, QUICK * 4), 1);
    // But not much longer.
    assert_eq!(slow(ANSWERS / 8, AVERAGE * 8), 0);
    assert_eq!(slow(1, AVERAGE), 1);
    assert_eq!(slow(1, AVERAGE * ANSWERS), 0, "one alone says little");
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
async fn no_further_connection_is_taken_for_sharing_while_others_wait() {
    let (_pool, pipelines, _) = pool(3);
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
    assert!(waits(waiting.as_mut()).await);
    drop(others.pop());
    assert!(pipelines.enter().is_none(), "it is for the one that waits");
}

#[test]
fn of_few_connections_some_are_left_to_all_others() {
    for (size, most) in [(1, 0), (2, 1), (3, 1), (6, 2), (10, 3)] {
        let sharing = Sharing {
            open: most,
            most,
            depth: DEPTH,
        };
        assert_eq!(Sharing::of(size, None), sharing, "{size}");
        assert_eq!(Sharing::of(size, Some(16)), sharing, "{size}");
    }
    for (cores, open) in [(1, 1), (2, 1), (4, 2)] {
        let sharing = Sharing {
            open,
            most: 3,
            depth: DEEPEST,
        };
        assert_eq!(Sharing::of(10, Some(cores)), sharing, "{cores}");
    }
}

/// A pool of which three connections are shared, that knows lists as short, and its turns.
async fn known_pool() -> (Connections<Fake>, Admission) {
    let admission = Admission::shared(10);
    let pool = Connections::new(Pool::builder(Fake), 10, admission.clone(), Arc::default());
    let pool = pool.unwrap().with_pipelines(false);
    let known = admission.enter(list(), deadline(), false).await;
    known.unwrap().ran(Duration::ZERO);
    (pool, admission)
}

fn deadline() -> std::time::Instant {
    std::time::Instant::now() + Duration::from_secs(30)
}

/// As many connections of a pool, each for another model.
async fn some_of(pool: &Connections<Fake>, number: usize) -> Vec<Lease<Fake>> {
    let mut some = Vec::new();
    for model in 0..number {
        let work = Work::new(&model.to_string(), "list", false);
        some.push(pool.get(work, deadline(), pool).await.unwrap());
    }
    some
}

#[tokio::test]
async fn a_read_that_has_waited_shares_its_connection_with_those_behind_it() {
    let (pool, admission) = known_pool().await;
    let mut others = some_of(&pool, 10).await;
    let mut waiting: Vec<_> = (0..DEEPEST + 2)
        .map(|_| Box::pin(pool.get_for_read(list(), deadline(), &pool)))
        .collect();
    for read in &mut waiting {
        assert!(waits(read.as_mut()).await);
    }
    assert_eq!(admission.waiting(), DEEPEST + 2);
    others.pop().unwrap().give_back(Ok(())).unwrap();
    let mut places = Vec::new();
    for read in waiting.drain(..DEEPEST) {
        match read.await.unwrap() {
            ReadOn::Shared(place) => places.push(place),
            ReadOn::Own(_) => panic!("it had a connection for itself"),
        }
    }
    assert_eq!((pool.pool_use().used, admission.waiting()), (10, 2));
    // The last ones wait for room, and each is told that there is some.
    drop((places.pop(), places.pop()));
    for read in waiting {
        match read.await.unwrap() {
            ReadOn::Shared(place) => places.push(place),
            ReadOn::Own(_) => panic!("it had a connection for itself"),
        }
    }
    assert_eq!((places.len(), pool.pool_use().used), (DEEPEST, 10));
}

#[tokio::test]
async fn a_read_shares_nothing_when_its_shape_took_long_while_it_waited() {
    let (pool, admission) = known_pool().await;
    let mut others = some_of(&pool, 10).await;
    let mut waiting: Vec<_> = (0..2)
        .map(|_| Box::pin(pool.get_for_read(list(), deadline(), &pool)))
        .collect();
    for read in &mut waiting {
        assert!(waits(read.as_mut()).await);
    }
    admission.was_long(&list());
    others.pop().unwrap().give_back(Ok(())).unwrap();
    for read in waiting {
        match read.await.unwrap() {
            ReadOn::Own(lease) => lease.give_back(Ok(())).unwrap(),
            ReadOn::Shared(_) => panic!("it shared a connection"),
        }
    }
}

#[tokio::test]
async fn connections_that_are_free_are_used_before_shared_ones_get_long_queues() {
    let (pool, _) = known_pool().await;
    for lease in some_of(&pool, 10).await {
        lease.give_back(Ok(())).unwrap();
    }
    let mut places = Vec::new();
    for _ in 0..3 * DEPTH {
        match pool.get_for_read(list(), deadline(), &pool).await.unwrap() {
            ReadOn::Shared(place) => places.push(place),
            ReadOn::Own(_) => panic!("it had a connection for itself"),
        }
    }
    assert_eq!(pool.pool_use().used, 3);
    let read = pool.get_for_read(list(), deadline(), &pool).await;
    assert!(matches!(read.unwrap(), ReadOn::Own(_)));
    let _others = some_of(&pool, 7).await;
    let read = pool.get_for_read(list(), deadline(), &pool).await;
    assert!(matches!(read.unwrap(), ReadOn::Shared(_)));
}
