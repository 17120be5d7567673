//! A spawner for tokio tasks.

use svc_model::wire::{BoxFuture, Spawner};
use tokio::runtime::Handle;

/// The [`Spawner`] of tokio, with which a session's refresh continues when its callers are cancelled.
///
/// A task that is spawned outside of a tokio runtime is dropped.
///
/// ```
/// use svc_model::wire::Spawner;
/// use svc_transport::TokioSpawner;
///
/// let (sender, receiver) = std::sync::mpsc::channel();
/// # let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build()?;
/// # let _inside = runtime.enter();
/// TokioSpawner.spawn(Box::pin(async move { sender.send("done").unwrap() }));
/// assert_eq!(receiver.recv()?, "done");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct TokioSpawner;

impl Spawner for TokioSpawner {
    fn spawn(&self, task: BoxFuture<'static, ()>) {
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(task);
        }
    }
}
