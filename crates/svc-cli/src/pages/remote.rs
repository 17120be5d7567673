//! The pages of a service, which are written only while they are what is known of them.

use std::collections::VecDeque;

use svc_api::Client;
use svc_model::{Draft, PageSettings, PageUid};

use super::content::Content;
use crate::error::Error;

/// A page of the service.
#[derive(Clone, Debug)]
pub(super) struct Remote {
    pub(super) uid: PageUid,
    pub(super) unique_name: String,
    /// Whether its draft differs from what is published.
    pub(super) draft: bool,
    pub(super) content: Content,
}

impl Remote {
    pub(super) fn of(page: PageSettings) -> Result<Self, Error> {
        let (Some(uid), Some(unique_name)) = (page.uid(), page.unique_name()) else {
            return Err(Error::new(
                "the service gave a page without uid or unique_name",
            ));
        };
        Ok(Self {
            uid,
            unique_name,
            draft: page.draft(),
            content: Content::of_page(page)?,
        })
    }

    /// The pages of the environment as a layer shows them.
    pub(super) async fn list(client: &Client, draft: Draft) -> Result<Vec<Self>, Error> {
        let pages = client.pages().list().draft(draft).send().await?;
        pages.into_iter().map(Self::of).collect()
    }

    /// The entity tag of the page, which messages call `label`: it must still be what is known of it, unless that is
    /// forced.
    pub(super) async fn etag(
        &self,
        client: &Client,
        draft: Draft,
        force: bool,
        label: &str,
    ) -> Result<String, Error> {
        let call = client.pages().get(self.uid.clone()).draft(draft);
        let now = call.send_tagged().await?;
        let same = Content::of_page(now.value)?.digest()? == self.content.digest()?;
        let etag = now.etag.filter(|_| same || force);
        etag.ok_or_else(|| changed_meanwhile(label))
    }
}

/// Why a page could not be written.
pub(super) enum Refused {
    NameTaken(Error),
    Other(Error),
}

impl Refused {
    pub(super) fn of(label: &str, error: svc_api::Error) -> Self {
        if error.is_precondition_failed() {
            return Self::Other(changed_meanwhile(label));
        }
        let mut fields = error.field_errors().iter();
        let about_the_name = fields.any(|(field, _)| field == "unique_name");
        let error = Error::new(format!("{label}: {}", Error::from(error)));
        match about_the_name {
            true => Self::NameTaken(error),
            false => Self::Other(error),
        }
    }
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self::Other(error)
    }
}

/// Makes changes one after the other. A name may become free when another page is written: changes that meet one that
/// is taken wait, as long as anything goes on.
pub(super) async fn make_in_turn<T: Copy>(
    changes: impl IntoIterator<Item = T>,
    mut make: impl AsyncFnMut(T) -> Result<(), Refused>,
) -> Result<(), Error> {
    let mut waiting: VecDeque<T> = changes.into_iter().collect();
    let mut waited = 0;
    while let Some(change) = waiting.pop_front() {
        match make(change).await {
            Ok(()) => waited = 0,
            Err(Refused::NameTaken(_)) if waited < waiting.len() => {
                waited += 1;
                waiting.push_back(change);
            }
            Err(Refused::NameTaken(error) | Refused::Other(error)) => return Err(error),
        }
    }
    Ok(())
}

fn changed_meanwhile(label: &str) -> Error {
    Error::new(format!(
        "the page of {label} was changed on the service in this moment; run the command again"
    ))
}
