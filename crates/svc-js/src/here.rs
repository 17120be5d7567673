//! Futures of JavaScript where futures that may move between threads are asked for.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use fragile::Fragile;
use svc_model::wire::BoxFuture;

/// A future that stays on the thread it was made on; there is but one. Polled on another one it would panic.
struct Here<T>(Fragile<Pin<Box<dyn Future<Output = T>>>>);

impl<T> Future for Here<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        self.0.get_mut().as_mut().poll(context)
    }
}

/// The future, as the contracts of transports and timers ask for it.
pub(crate) fn here<T: 'static>(future: impl Future<Output = T> + 'static) -> BoxFuture<'static, T> {
    Box::pin(Here(Fragile::new(Box::pin(future))))
}
