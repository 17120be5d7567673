//! The built-in tools resource, `__svc_app__`: users and teams of an environment as models, so that their lists are
//! those of records (wire contract, section 6).

use svc_data::{DeclaredField, DeclaredModel, Resource};
use svc_model::{EnvironmentName, ProjectName, ResourceName};

use crate::database::Store;
use crate::error::Error;
use crate::projects::ScopeRow;

const FIELD: DeclaredField = DeclaredField {
    name: "",
    db_type: "",
    nullable: false,
    editable: true,
    required: true,
    related: None,
};
const UID: DeclaredField = DeclaredField {
    name: "uid",
    db_type: "UUID",
    editable: false,
    required: false,
    ..FIELD
};
const USERS: &[DeclaredField] = &[
    UID,
    DeclaredField {
        name: "email",
        db_type: "VARCHAR(254)",
        ..FIELD
    },
    DeclaredField {
        name: "group",
        db_type: "UUID",
        related: Some("groups"),
        ..FIELD
    },
    DeclaredField {
        name: "date_add",
        db_type: "DATETIME",
        editable: false,
        required: false,
        ..FIELD
    },
    person_name("first_name"),
    person_name("last_name"),
];
const GROUPS: &[DeclaredField] = &[
    UID,
    DeclaredField {
        name: "name",
        db_type: "VARCHAR(255)",
        ..FIELD
    },
];

const fn person_name(name: &'static str) -> DeclaredField {
    DeclaredField {
        name,
        db_type: "VARCHAR(255)",
        nullable: true,
        required: false,
        ..FIELD
    }
}

impl Store {
    /// Users and teams of an environment, to be listed. They are written through [`Store::users`] and
    /// [`Store::teams`].
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment.
    pub async fn tools(
        &self,
        project: &ProjectName,
        environment: &EnvironmentName,
    ) -> Result<Resource, Error> {
        let scope = self.read_scope(project, environment, |_, scope: ScopeRow| Ok(scope));
        let scope = scope.await?;
        let models = vec![
            DeclaredModel {
                name: "users",
                table: "api_users",
                fields: USERS,
                scope: ("environment_uid", scope.environment_uid),
            },
            DeclaredModel {
                name: "groups",
                table: "api_groups",
                fields: GROUPS,
                scope: ("project_uid", scope.project_uid),
            },
        ];
        Ok(self
            .database()
            .resource(ResourceName::TOOLS, models)
            .await?)
    }
}
