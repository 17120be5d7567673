//! The built-in tools resource, `__svc_app__`: users and teams of an environment as models, so that their lists are
//! those of records (wire contract, section 6).

use svc_data::{DeclaredField, DeclaredModel, Resource};
use svc_model::{ResourceName, Scope};

use crate::database::Store;
use crate::error::Result;
use crate::projects::ScopeRow;

const USERS: &[DeclaredField] = &[
    read_only("uid", "UUID"),
    field("email", "VARCHAR(254)"),
    DeclaredField {
        related: Some("groups"),
        ..field("group", "UUID")
    },
    read_only("date_add", "DATETIME"),
    person_name("first_name"),
    person_name("last_name"),
];
const GROUPS: &[DeclaredField] = &[read_only("uid", "UUID"), field("name", "VARCHAR(255)")];

const fn field(name: &'static str, db_type: &'static str) -> DeclaredField {
    DeclaredField {
        name,
        db_type,
        nullable: false,
        editable: true,
        required: true,
        related: None,
    }
}

const fn read_only(name: &'static str, db_type: &'static str) -> DeclaredField {
    DeclaredField {
        editable: false,
        required: false,
        ..field(name, db_type)
    }
}

const fn person_name(name: &'static str) -> DeclaredField {
    DeclaredField {
        nullable: true,
        required: false,
        ..field(name, "VARCHAR(255)")
    }
}

/// The models of an environment, or of all.
pub(crate) fn models(scope: Option<ScopeRow>) -> Vec<DeclaredModel> {
    let [environment, project] = match scope {
        Some(scope) => [Some(scope.environment_uid), Some(scope.project_uid)],
        None => [None, None],
    };
    vec![
        DeclaredModel {
            name: "users",
            table: "api_users",
            fields: USERS,
            scope: environment.map(|uid| ("environment_uid", uid)),
        },
        DeclaredModel {
            name: "groups",
            table: "api_groups",
            fields: GROUPS,
            scope: project.map(|uid| ("project_uid", uid)),
        },
    ]
}

impl Store {
    /// Users and teams of an environment, to be listed. They are written through [`Store::users`] and
    /// [`Store::teams`].
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment.
    pub async fn tools(&self, scope: &Scope) -> Result<Resource> {
        let scope = self.read_in(scope.clone(), |_, scope: ScopeRow| Ok(scope));
        let scope = scope.await?;
        let models = models(Some(scope));
        Ok(self
            .database()
            .resource(ResourceName::TOOLS, models)
            .await?)
    }
}
