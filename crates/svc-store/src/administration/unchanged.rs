//! Changes that are made only if what they change is still what the caller has seen, whichever process changes it.

use svc_data::Value;
use svc_model::ProjectName;
use uuid::Uuid;

use super::{Administered, ListedOf};
use crate::database::{Store, Unchanged, values};
use crate::error::{Error, Result};

impl Store {
    /// The same store for one change of an entry, which is refused if the entry is changed between this call and that one.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such project or environment. The change is refused
    /// with [`ErrorKind::PreconditionFailed`](crate::ErrorKind::PreconditionFailed).
    pub async fn while_unchanged(
        &self,
        what: Administered,
        of: &ListedOf,
        key: &str,
    ) -> Result<Self> {
        let row = match what {
            Administered::Accounts => "SELECT * FROM accounts WHERE uid = ?1",
            Administered::Teams => "SELECT * FROM teams WHERE uid = ?1",
            Administered::Items => "SELECT * FROM items WHERE uid = ?1",
            Administered::Rights => "SELECT * FROM team_rights WHERE uid = ?1",
            Administered::Secrets => "SELECT * FROM secrets WHERE uid = ?1",
            Administered::Members => {
                "SELECT * FROM members WHERE account_uid = ?1 AND project_uid = ?2"
            }
            Administered::Environments => {
                "SELECT * FROM environments WHERE unique_name = ?1 AND project_uid = ?2"
            }
            Administered::Resources => {
                "SELECT * FROM resources WHERE unique_name = ?1 AND environment_uid = ?2"
            }
            _ => return Err(Error::internal("entries of this kind are not changed")),
        };
        // However a unique ID is written.
        let key = Uuid::parse_str(key).map_or_else(|_| key.to_owned(), |uid| uid.to_string());
        let mut values = values![key].to_vec();
        if row.contains("?2") {
            let scope = self.scope_of(what, of).await?;
            values.extend(scope.map(|(_, uid)| Value::Text(uid)));
        }
        self.while_row_unchanged(row, values).await
    }

    /// The same for a project, and how its users sign in.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn while_project_unchanged(&self, project: &ProjectName) -> Result<Self> {
        let row = "SELECT * FROM projects WHERE unique_name = ?1";
        self.while_row_unchanged(row, values![project].to_vec())
            .await
    }

    /// The same for a user or a team, as records of the built-in tools.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn while_user_or_team_unchanged(&self, uid: Uuid) -> Result<Self> {
        let row = "SELECT uid, email, team_uid, first_name, last_name, '' AS name FROM users WHERE uid = ?1 \
            UNION ALL SELECT uid, '', '', '', '', name FROM teams WHERE uid = ?1";
        self.while_row_unchanged(row, values![uid].to_vec()).await
    }

    async fn while_row_unchanged(&self, row: &'static str, key: Vec<Value>) -> Result<Self> {
        let read = self.read(move |reader| Unchanged::now(reader, row, key));
        Ok(self.holding(read.await?))
    }
}
