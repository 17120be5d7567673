//! The tests that are running, how their threads end with them, and the end of a process whose tests take too long.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, Once, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// How long all tests of a process may take together.
const ALL_TESTS: Duration = Duration::from_secs(40 * 60);

/// When each test that started a program or a server began to do so.
static RUNNING: Mutex<BTreeMap<String, Instant>> = Mutex::new(BTreeMap::new());

thread_local! {
    static THIS: Running = Running::begin();
}

/// The test of this thread, until the thread ends: the test harness gives each test a thread with its name.
struct Running(Option<String>);

impl Running {
    fn begin() -> Self {
        let name = thread::current().name().map(str::to_owned);
        if let Some(name) = &name {
            running(|tests| tests.insert(name.clone(), Instant::now()));
        }
        Self(name)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(name) = &self.0 {
            running(|tests| tests.remove(name));
        }
    }
}

fn running<T>(use_them: impl FnOnce(&mut BTreeMap<String, Instant>) -> T) -> T {
    use_them(&mut RUNNING.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Tells other threads to end when it is dropped: also when a test fails, which waits for its threads.
#[derive(Debug)]
pub struct End<'a>(pub &'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Ends the process when its tests take too long, and names those that are not done, so that one that waits for ever
/// keeps nobody else waiting.
pub(crate) fn limit_time() {
    static LIMIT: Once = Once::new();
    let _ = THIS.try_with(|_| ());
    LIMIT.call_once(|| {
        thread::spawn(|| {
            thread::sleep(ALL_TESTS);
            let minutes = ALL_TESTS.as_secs() / 60;
            eprintln!("the tests did not end within {minutes} minutes; these are not done:");
            running(|tests| {
                for (test, begun) in tests.iter() {
                    eprintln!("  {test}, begun {} s ago", begun.elapsed().as_secs());
                }
            });
            std::process::abort();
        });
    });
}
