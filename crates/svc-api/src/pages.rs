//! Page settings (specification, section 4, "Pages").

use serde::Serialize;
use svc_model::{
    Draft, JsonObject, PageSettings, PageUid, UpdatePageSettings, pages,
    wire::{HasQuery, Operation, RequestError},
};

use crate::{Call, Client};

/// The page settings of the client's project and environment, from [`Client::pages`].
///
/// ```
/// # use svc_api::{Client, Error, UpdatePageSettings};
/// # async fn example(client: Client) -> Result<(), Error> {
/// use serde_json::json;
///
/// let pages = client.pages();
/// let page = pages.create(&json!({"name": "Orders", "params": "{}"})).send().await?;
/// if let Some(uid) = page.uid() {
///     let update = UpdatePageSettings::params(&json!({"columns": ["id", "total"]}));
///     pages.update(uid, update).send().await?;
/// }
/// for page in pages.list().send().await? {
///     println!("{:?}", page.name());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Pages {
    client: Client,
}

impl Client {
    /// The page settings of the client's project and environment.
    pub fn pages(&self) -> Pages {
        Pages {
            client: self.clone(),
        }
    }
}

impl Pages {
    /// Lists all pages: `GET .../view_settings/`. With [`fields`](Call::fields) they have only these properties.
    ///
    /// ```
    /// # use svc_api::{Client, Error};
    /// # async fn example(client: Client) -> Result<(), Error> {
    /// for page in client.pages().list().fields(["uid", "name"]).await? {
    ///     println!("{:?} {:?}", page.uid(), page.name());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn list(&self) -> Call<pages::List> {
        let mut operation = pages::List::new(self.client.scope());
        operation.draft = self.draft();
        Call::new(&self.client, operation)
    }

    /// Creates a page with any properties, given as a `serde_json` object, a [`PageSettings`] or your own
    /// struct: `POST .../view_settings/`.
    pub fn create<T: Serialize + ?Sized>(&self, settings: &T) -> Call<pages::Create, PageSettings> {
        let operation = JsonObject::from_serialize(settings)
            .map_err(|error| {
                RequestError::new("page settings must be a JSON object").with_source(error)
            })
            .map(|settings| {
                let mut operation = pages::Create::new(self.client.scope(), settings);
                operation.draft = self.draft();
                operation
            });
        Call::untagged(&self.client, operation)
    }

    /// Gets a page: `GET .../view_settings/{UID}/`.
    pub fn get(&self, uid: impl Into<PageUid>) -> Call<pages::Get, PageSettings> {
        let mut operation = pages::Get::new(self.client.scope(), uid);
        operation.draft = self.draft();
        Call::untagged(&self.client, Ok(operation))
    }

    /// Changes a page: `PATCH .../view_settings/{UID}/`.
    pub fn update(
        &self,
        uid: impl Into<PageUid>,
        update: UpdatePageSettings,
    ) -> Call<pages::Update, PageSettings> {
        let mut operation = pages::Update::new(self.client.scope(), uid, update);
        operation.draft = self.draft();
        Call::untagged(&self.client, Ok(operation))
    }

    /// Deletes a page: `DELETE .../view_settings/{UID}/`.
    pub fn delete(&self, uid: impl Into<PageUid>) -> Call<pages::Delete> {
        let mut operation = pages::Delete::new(self.client.scope(), uid);
        operation.draft = self.draft();
        Call::new(&self.client, operation)
    }

    /// Publishes these drafts, all or none of them: `POST .../view_settings/publish/`. Returns the pages that had a draft.
    ///
    /// ```
    /// # use svc_api::{Client, Error, UpdatePageSettings};
    /// # async fn example(client: Client) -> Result<(), Error> {
    /// let pages = client.pages();
    /// let update = UpdatePageSettings::params_text(r#"{"columns":["id"]}"#);
    /// let page = pages.update("0197f3a0-5f0c-7e51-b1a6-0c35a8a0b9d1", update).draft(true).await?;
    /// assert!(page.draft());
    /// pages.publish(page.uid()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn publish<U: Into<PageUid>>(
        &self,
        uids: impl IntoIterator<Item = U>,
    ) -> Call<pages::Publish, Vec<PageUid>> {
        self.publishing(Some(uids.into_iter().map(Into::into).collect()))
    }

    /// Publishes all drafts of the environment: `POST .../view_settings/publish/`. Returns the pages that had a draft.
    pub fn publish_all(&self) -> Call<pages::Publish, Vec<PageUid>> {
        self.publishing(None)
    }

    fn publishing(&self, uids: Option<Vec<PageUid>>) -> Call<pages::Publish, Vec<PageUid>> {
        let mut operation = pages::Publish::new(self.client.scope());
        operation.uids = uids;
        Call::mapped(&self.client, Ok(operation), |done| Some(done.published))
    }

    /// Discards these drafts, all or none of them: `POST .../view_settings/discard/`. Returns the pages that had a draft.
    pub fn discard<U: Into<PageUid>>(
        &self,
        uids: impl IntoIterator<Item = U>,
    ) -> Call<pages::Discard, Vec<PageUid>> {
        self.discarding(Some(uids.into_iter().map(Into::into).collect()))
    }

    /// Discards all drafts of the environment: `POST .../view_settings/discard/`. Returns the pages that had a draft.
    pub fn discard_all(&self) -> Call<pages::Discard, Vec<PageUid>> {
        self.discarding(None)
    }

    fn discarding(&self, uids: Option<Vec<PageUid>>) -> Call<pages::Discard, Vec<PageUid>> {
        let mut operation = pages::Discard::new(self.client.scope());
        operation.uids = uids;
        Call::mapped(&self.client, Ok(operation), |done| Some(done.discarded))
    }

    /// Lists the changes of a page, the newest first: `GET .../view_settings/{UID}/revisions/`.
    pub fn revisions(&self, uid: impl Into<PageUid>) -> Call<pages::Revisions> {
        Call::new(
            &self.client,
            pages::Revisions::new(self.client.scope(), uid),
        )
    }

    /// Gets what a page held in a revision: `GET .../view_settings/{UID}/revisions/{number}/`.
    pub fn revision(&self, uid: impl Into<PageUid>, number: u64) -> Call<pages::GetRevision> {
        Call::new(
            &self.client,
            pages::GetRevision::new(self.client.scope(), uid, number),
        )
    }

    /// Restores a revision as the draft of its page: `POST .../view_settings/{UID}/revisions/{number}/restore/`.
    pub fn restore(
        &self,
        uid: impl Into<PageUid>,
        number: u64,
    ) -> Call<pages::Restore, PageSettings> {
        Call::untagged(
            &self.client,
            Ok(pages::Restore::new(self.client.scope(), uid, number)),
        )
    }

    fn draft(&self) -> Draft {
        self.client.draft().into()
    }
}

impl<O: Operation + HasQuery<Query = Draft>, V> Call<O, V> {
    /// Uses the draft layer or the published layer, overriding the setting of the client.
    pub fn draft(self, draft: impl Into<Draft>) -> Self {
        self.with(|operation| *operation.query_mut() = draft.into())
    }
}

impl<V> Call<pages::Create, V> {
    /// Names the call, so that a repeat with the same name within a day makes no second page and has the first response.
    pub fn idempotency_key(self, key: impl Into<String>) -> Self {
        self.with(|operation| operation.idempotency_key = Some(key.into()))
    }
}
