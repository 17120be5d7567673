//! Projects and what they consist of.

use svc_model::{Project, ProjectName, projects};

use crate::{
    Call, Client,
    paging::{Cursor, ItemStream, PageStream, Paged},
};

/// The projects that the API key reaches. It comes from [`Client::projects`].
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
    /// The projects that the API key reaches, whichever project the client itself is for.
    pub fn projects(&self) -> Projects {
        Projects {
            client: self.clone(),
        }
    }
}

impl Projects {
    /// Gives the projects, a page at a time: `GET /api/projects/`.
    pub fn list(&self) -> Call<projects::List> {
        Call::new(&self.client, projects::List::new())
    }

    /// Gives one project: `GET /api/projects/{PROJECT_NAME}/`.
    pub fn get(&self, project: impl Into<ProjectName>) -> Call<projects::Get> {
        Call::new(&self.client, projects::Get::new(project))
    }
}

impl Call<projects::List> {
    /// Asks for this page, from 1.
    pub fn page(self, page: u64) -> Self {
        self.with(|operation| operation.page = Some(page))
    }

    /// Asks for this many projects on a page.
    pub fn per_page(self, per_page: u32) -> Self {
        self.with(|operation| operation.per_page = Some(per_page))
    }

    /// Gives this page and all that follow.
    pub fn by_page(self) -> PageStream<Project> {
        PageStream::new(self)
    }

    /// Gives the projects of this page and of all that follow.
    pub fn by_item(self) -> ItemStream<Project> {
        ItemStream::new(self.by_page())
    }
}

impl Paged<Project> for projects::List {
    fn turn(&mut self, next: Cursor) -> bool {
        let moved = next.page.is_some() && next.page != Some(self.page.unwrap_or(1));
        self.page = next.page;
        moved
    }
}
