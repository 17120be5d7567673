//! Calls for programs without a runtime: they block the thread until they end.
//!
//! [`Wait`] is for one call, [`iter`] for a list. They work with every transport that needs no runtime on the calling
//! thread; the built-in one gets a runtime on a thread of its own from
//! [`build_blocking`](crate::ClientBuilder::build_blocking). Not to be used in async code, whose thread they would block.
//!
//! ```no_run
//! use svc_api::{ApiToken, Client, blocking::{self, Wait}};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::builder()
//!     .project("demo")
//!     .token_for("shop", ApiToken::new("svct_3f9a")?)
//!     .build_blocking()?;
//! let orders = client.records("shop", "orders");
//! println!("{} orders", orders.count().wait()?);
//! for order in blocking::iter(orders.list().by_item()) {
//!     println!("{}", order?["id"]);
//! }
//! # Ok(())
//! # }
//! ```

use std::{
    future::{IntoFuture, poll_fn},
    pin::Pin,
};

use futures_core::Stream;
use pollster::block_on;

/// Waits for a call, or for anything else that could be awaited.
pub trait Wait: IntoFuture + Sized {
    /// Blocks the thread until the result is there.
    fn wait(self) -> Self::Output {
        block_on(self.into_future())
    }
}

impl<F: IntoFuture> Wait for F {}

/// The pages or items of a list, each waited for when it is reached. See [`iter`].
#[derive(Debug)]
#[must_use = "an iterator does nothing until it is used"]
pub struct Iter<S> {
    stream: S,
}

/// Iterates over the pages or items of a list, such as `by_item()` gives.
pub fn iter<S: Stream + Unpin>(stream: S) -> Iter<S> {
    Iter { stream }
}

impl<S: Stream + Unpin> Iterator for Iter<S> {
    type Item = S::Item;

    fn next(&mut self) -> Option<S::Item> {
        block_on(poll_fn(|context| {
            Pin::new(&mut self.stream).poll_next(context)
        }))
    }
}
