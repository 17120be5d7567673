//! Users of an application (specification, section 4, "Users and Teams").

use svc_model::{
    ListQuery, TeamUid, UserUid,
    users::{self, NewUser, UserPatch},
};

use crate::{Call, Client};

/// The users of the client's project and environment, from [`Client::users`].
///
/// They require the static token of the built-in tools resource.
///
/// ```
/// # use svc_api::{ApiToken, Client, Lookup};
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// # #[cfg(feature = "hyper")] {
/// use svc_api::model::ResourceName;
///
/// let client = Client::builder()
///     .project("demo")
///     .token_for(ResourceName::TOOLS, ApiToken::new("svct_7c1d")?)
///     .build()?;
///
/// let users = client.users();
/// let mut ours = users.list().filter("email", Lookup::Iendswith, "@example.com").by_item();
/// while let Some(user) = ours.try_next().await? {
///     println!("{} {:?}", user.email, user.first_name);
/// }
///
/// let ada = users.create("ada@example.com", "0b7e").first_name("Ada").await?;
/// users.update(&ada.uid).group("5d21").clear_first_name().await?;
/// users.delete(&ada.uid).await?;
/// # }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Users {
    client: Client,
}

impl Client {
    /// The users of the client's project and environment.
    pub fn users(&self) -> Users {
        Users {
            client: self.clone(),
        }
    }
}

impl Users {
    /// Lists users, a page at a time or all of them: `GET .../models/users`.
    pub fn list(&self) -> Call<users::List> {
        Call::new(
            &self.client,
            users::List::new(self.client.scope(), ListQuery::new()),
        )
    }

    /// Gets a user: `GET .../models/users/{uid}`.
    pub fn get(&self, uid: impl Into<UserUid>) -> Call<users::Get> {
        Call::new(&self.client, users::Get::new(self.client.scope(), uid))
    }

    /// Creates a user in a team and invites them by e-mail: `POST .../models/users`.
    pub fn create(
        &self,
        email: impl Into<String>,
        group: impl Into<TeamUid>,
    ) -> Call<users::Create> {
        Call::new(
            &self.client,
            users::Create::new(self.client.scope(), NewUser::new(email, group)),
        )
    }

    /// Changes the properties of a user that are set on the call: `PATCH .../models/users/{uid}`.
    pub fn update(&self, uid: impl Into<UserUid>) -> Call<users::Update> {
        Call::new(
            &self.client,
            users::Update::new(self.client.scope(), uid, UserPatch::new()),
        )
    }

    /// Deletes a user, whose sessions end at once: `DELETE .../models/users/{uid}`.
    pub fn delete(&self, uid: impl Into<UserUid>) -> Call<users::Delete> {
        Call::new(&self.client, users::Delete::new(self.client.scope(), uid))
    }
}

impl Call<users::Create> {
    /// Sets the given name.
    pub fn first_name(self, name: impl Into<String>) -> Self {
        self.with(|operation| operation.user.first_name = Some(name.into()))
    }

    /// Sets the family name.
    pub fn last_name(self, name: impl Into<String>) -> Self {
        self.with(|operation| operation.user.last_name = Some(name.into()))
    }
}

impl Call<users::Update> {
    /// Moves the user to this team.
    pub fn group(self, group: impl Into<TeamUid>) -> Self {
        self.with(|operation| operation.patch.group = Some(group.into()))
    }

    /// Sets the given name.
    pub fn first_name(self, name: impl Into<String>) -> Self {
        self.with(|operation| operation.patch.first_name = Some(Some(name.into())))
    }

    /// Removes the given name.
    pub fn clear_first_name(self) -> Self {
        self.with(|operation| operation.patch.first_name = Some(None))
    }

    /// Sets the family name.
    pub fn last_name(self, name: impl Into<String>) -> Self {
        self.with(|operation| operation.patch.last_name = Some(Some(name.into())))
    }

    /// Removes the family name.
    pub fn clear_last_name(self) -> Self {
        self.with(|operation| operation.patch.last_name = Some(None))
    }
}
