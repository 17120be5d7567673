//! Teams of a project (specification, section 4, "Users and Teams").

use svc_model::{
    ListQuery, TeamUid,
    teams::{self, TeamPatch},
};

use crate::{Call, Client};

/// The teams of the client's project, from [`Client::teams`].
///
/// They require the static token of the built-in tools resource. Teams cannot be created or deleted: each
/// project has a fixed set of them.
///
/// ```
/// # use svc_api::{Client, Error, Lookup};
/// # async fn example(client: Client) -> Result<(), Error> {
/// let editors = client.teams().list().filter("name", Lookup::Exact, "Editor").await?;
/// if let Some(team) = editors.results.first() {
///     client.teams().update(&team.uid).name("Back office").await?;
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Teams {
    client: Client,
}

impl Client {
    /// The teams of the client's project.
    pub fn teams(&self) -> Teams {
        Teams {
            client: self.clone(),
        }
    }
}

impl Teams {
    /// Lists teams, a page at a time or all of them: `GET .../models/groups`.
    pub fn list(&self) -> Call<teams::List> {
        Call::new(
            &self.client,
            teams::List::new(self.client.scope(), ListQuery::new()),
        )
    }

    /// Gets a team: `GET .../models/groups/{uid}`.
    pub fn get(&self, uid: impl Into<TeamUid>) -> Call<teams::Get> {
        Call::new(&self.client, teams::Get::new(self.client.scope(), uid))
    }

    /// Changes the properties of a team that are set on the call: `PATCH .../models/groups/{uid}`.
    pub fn update(&self, uid: impl Into<TeamUid>) -> Call<teams::Update> {
        Call::new(
            &self.client,
            teams::Update::new(self.client.scope(), uid, TeamPatch::new()),
        )
    }
}

impl Call<teams::Update> {
    /// Sets the name.
    pub fn name(self, name: impl Into<String>) -> Self {
        self.with(|operation| operation.patch.name = Some(name.into()))
    }
}
