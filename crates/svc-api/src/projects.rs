//! Projects and their parts.

use svc_model::{ListQuery, ProjectName, projects};

use crate::{Call, Client};

/// The projects that the API key has access to, from [`Client::projects`].
///
/// ```
/// # use svc_api::{Client, Error};
/// # async fn example(client: Client) -> Result<(), Error> {
/// let mut projects = client.projects().list().by_item();
/// while let Some(project) = projects.try_next().await? {
///     println!("{}", project.unique_name);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Projects {
    client: Client,
}

impl Client {
    /// The projects that the API key has access to, independent of the client's own project.
    pub fn projects(&self) -> Projects {
        Projects {
            client: self.clone(),
        }
    }
}

impl Projects {
    /// Lists the projects, a page at a time: `GET /api/projects/`.
    pub fn list(&self) -> Call<projects::List> {
        Call::new(&self.client, projects::List::new(ListQuery::new()))
    }

    /// Gets a project: `GET /api/projects/{PROJECT_NAME}/`.
    pub fn get(&self, project: impl Into<ProjectName>) -> Call<projects::Get> {
        Call::new(&self.client, projects::Get::new(project))
    }
}
