//! Streams of lists: page by page, or item by item.

use std::{
    fmt,
    future::poll_fn,
    mem,
    pin::Pin,
    task::{Context, Poll, ready},
    vec,
};

use futures_core::Stream;
use svc_model::{
    Paginated,
    wire::{BoxFuture, PagedOperation},
};

use crate::{Call, Client, Error, RequestOptions};

/// The pages of a list, as a [`Stream`]. Each page is requested when the previous one was consumed.
///
/// It follows the `next` links but uses only their cursor: requests are sent to the client's own base
/// URL whatever host a link names, so that credentials are never sent elsewhere. It ends after the
/// last page, and after an error, from which [`resume`](Self::resume) lets it go on.
///
/// ```
/// # use svc_api::{Client, Error};
/// # #[cfg(feature = "records")]
/// # async fn example(client: Client) -> Result<(), Error> {
/// let mut pages = client.records("shop", "orders").list().per_page(1000).by_page();
/// while let Some(page) = pages.try_next().await? {
///     println!("{} of {:?}", page.results.len(), page.count);
/// }
/// # Ok(())
/// # }
/// ```
#[must_use = "a stream does nothing until it is polled"]
pub struct PageStream<T> {
    state: State<T>,
}

enum State<T> {
    /// The next page was not requested yet.
    Ready(NextPage<T>),
    /// The next page was requested.
    Waiting(Fetching<T>),
    /// An error to return.
    Failed(Error),
    /// An error was returned; this requests the same page again.
    Stopped(NextPage<T>),
    Done,
}

/// A function that requests a page.
type NextPage<T> = Box<dyn FnOnce() -> Fetching<T> + Send>;

/// A page that was requested.
type Fetching<T> = BoxFuture<'static, Result<Step<T>, Stop<T>>>;

/// A page, and the function that requests the next one.
struct Step<T> {
    page: Paginated<T>,
    next: Option<Result<NextPage<T>, Error>>,
}

/// An error, and the function that requests the same page again.
struct Stop<T> {
    error: Error,
    again: NextPage<T>,
}

impl<O: PagedOperation> Call<O> {
    /// Sets the number of the page, starting at 1.
    pub fn page(self, page: u64) -> Self {
        self.with(|operation| operation.set_page(page))
    }

    /// Sets the number of entries on a page: 25 by default, at most 10000.
    pub fn per_page(self, per_page: u32) -> Self {
        self.with(|operation| operation.set_per_page(per_page))
    }
}

impl<O: PagedOperation<Item: Send> + 'static> Call<O> {
    /// Returns this page and all following pages, each requested when the previous one was consumed.
    pub fn by_page(self) -> PageStream<O::Item> {
        let state = match self.operation {
            Ok(operation) => State::Ready(Box::new(|| fetch(self.client, operation, self.options))),
            Err(error) => State::Failed(Error::request(&O::INFO, error)),
        };
        PageStream { state }
    }

    /// Returns the items of this page and of all following pages.
    pub fn by_item(self) -> ItemStream<O::Item> {
        ItemStream::new(self.by_page())
    }
}

fn fetch<O: PagedOperation<Item: Send> + 'static>(
    client: Client,
    mut operation: O,
    options: RequestOptions,
) -> Fetching<O::Item> {
    Box::pin(async move {
        let page = match client.execute(&operation, &options).await {
            Ok(page) => page,
            Err(error) => {
                let again: NextPage<O::Item> = Box::new(|| fetch(client, operation, options));
                return Err(Stop { error, again });
            }
        };
        let next = page.has_next().then(|| {
            let query = page.next_query().ok_or_else(|| {
                Error::unusable_answer(&O::INFO, "the `next` link of the answer names no page")
            })?;
            if !operation.seek(query) {
                let message = "the `next` link of the answer leads to the page that it stands on";
                return Err(Error::unusable_answer(&O::INFO, message));
            }
            let next: NextPage<O::Item> = Box::new(|| fetch(client, operation, options));
            Ok(next)
        });
        Ok(Step { page, next })
    })
}

impl<T> PageStream<T> {
    /// Lets a stream that ended with an error go on with the page that could not be read. Does nothing otherwise.
    ///
    /// ```
    /// # use svc_api::{Client, Error};
    /// # #[cfg(feature = "records")]
    /// # async fn example(client: Client) -> Result<(), Error> {
    /// let mut orders = client.records("shop", "orders").list().by_item();
    /// let mut errors = 0;
    /// loop {
    ///     match orders.try_next().await {
    ///         Ok(Some(order)) => println!("{order:?}"),
    ///         Ok(None) => return Ok(()),
    ///         Err(error) if error.is_retryable() && errors < 5 => {
    ///             errors += 1;
    ///             orders.resume();
    ///         }
    ///         Err(error) => return Err(error),
    ///     }
    /// }
    /// # }
    /// ```
    pub fn resume(&mut self) {
        self.state = match mem::replace(&mut self.state, State::Done) {
            State::Stopped(again) => State::Ready(again),
            other => other,
        };
    }

    /// The next page, `None` after the last one.
    ///
    /// # Errors
    /// The [`Error`] of the call. The stream ends with it, unless it is [resumed](Self::resume).
    pub async fn try_next(&mut self) -> Result<Option<Paginated<T>>, Error> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context))
            .await
            .transpose()
    }
}

impl<T> Stream for PageStream<T> {
    type Item = Result<Paginated<T>, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            match mem::replace(&mut this.state, State::Done) {
                State::Ready(next) => this.state = State::Waiting(next()),
                State::Waiting(mut page) => {
                    let Poll::Ready(step) = page.as_mut().poll(context) else {
                        this.state = State::Waiting(page);
                        return Poll::Pending;
                    };
                    return Poll::Ready(Some(match step {
                        Ok(step) => {
                            this.state = match step.next {
                                Some(Ok(next)) => State::Ready(next),
                                Some(Err(error)) => State::Failed(error),
                                None => State::Done,
                            };
                            Ok(step.page)
                        }
                        Err(stop) => {
                            this.state = State::Stopped(stop.again);
                            Err(stop.error)
                        }
                    }));
                }
                State::Failed(error) => return Poll::Ready(Some(Err(error))),
                State::Stopped(again) => {
                    this.state = State::Stopped(again);
                    return Poll::Ready(None);
                }
                State::Done => return Poll::Ready(None),
            }
        }
    }
}

impl<T> fmt::Debug for PageStream<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PageStream").finish_non_exhaustive()
    }
}

/// The items of all pages of a list, as a [`Stream`]. See [`PageStream`].
#[must_use = "a stream does nothing until it is polled"]
pub struct ItemStream<T> {
    pages: PageStream<T>,
    items: vec::IntoIter<T>,
}

// Items are only moved, never pinned.
impl<T> Unpin for ItemStream<T> {}

impl<T> ItemStream<T> {
    pub(crate) fn new(pages: PageStream<T>) -> Self {
        Self {
            pages,
            items: Vec::new().into_iter(),
        }
    }

    /// Lets a stream that ended with an error go on with the first item that was not read. Does nothing otherwise. See
    /// [`PageStream::resume`].
    pub fn resume(&mut self) {
        self.pages.resume();
    }

    /// The next item, `None` after the last one.
    ///
    /// # Errors
    /// The [`Error`] of the call for its page. The stream ends with it, unless it is [resumed](Self::resume).
    pub async fn try_next(&mut self) -> Result<Option<T>, Error> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context))
            .await
            .transpose()
    }
}

impl<T> Stream for ItemStream<T> {
    type Item = Result<T, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            if let Some(item) = this.items.next() {
                return Poll::Ready(Some(Ok(item)));
            }
            match ready!(Pin::new(&mut this.pages).poll_next(context)) {
                Some(Ok(page)) => this.items = page.results.into_iter(),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
    }
}

impl<T> fmt::Debug for ItemStream<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ItemStream")
            .field("remaining", &self.items.len())
            .finish_non_exhaustive()
    }
}
