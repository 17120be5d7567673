//! JavaScript futures for traits that require `Send` futures.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use fragile::Fragile;
use svc_model::wire::BoxFuture;

/// A future that stays on the thread on which it was made; there is only one. It would panic on another thread.
struct LocalFuture<T>(Fragile<Pin<Box<dyn Future<Output = T>>>>);

impl<T> Future for LocalFuture<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        self.0.get_mut().as_mut().poll(context)
    }
}

/// Boxes a future for the traits of transports and timers.
pub(crate) fn local<T: 'static>(
    future: impl Future<Output = T> + 'static,
) -> BoxFuture<'static, T> {
    Box::pin(LocalFuture(Fragile::new(Box::pin(future))))
}
