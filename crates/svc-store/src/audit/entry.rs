//! The description of a change for the audit trail, without who made it and when.

use std::collections::HashMap;

use svc_model::{EnvironmentName, ProjectName, ResourceName, Scope, users::MODEL as USERS};
use uuid::Uuid;

use super::actor::{Actor, ActorKind};
use super::changes::{Changes, together};

/// A change, as the audit trail describes it.
///
/// ```
/// use svc_model::Scope;
/// use svc_store::AuditEntry;
///
/// let entry = AuditEntry::new("records.update")
///     .scope(&Scope::new("crm", "prod"))
///     .resource("shop")
///     .model("orders")
///     .record("42")
///     .before("\"n4bQ\"")
///     .after("\"7d86\"");
/// assert_eq!(entry.after.as_deref(), Some("7d86"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditEntry {
    /// What was done: a group and a verb, such as `records.update`.
    pub action: &'static str,
    /// The project.
    pub project: Option<String>,
    /// The environment.
    pub environment: Option<String>,
    /// The resource.
    pub resource: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The primary key of a record, as it is written in a path; the uid or the name of anything else.
    pub record: Option<String>,
    /// The primary keys of several records, as they are written in paths; empty for anything else.
    pub keys: Vec<String>,
    /// The entity tag of what it was, without quotes; `None` where it was not there.
    pub before: Option<String>,
    /// The entity tag of what it is, without quotes; `None` where it was deleted.
    pub after: Option<String>,
    /// The status of the answer to a request that was sent elsewhere; `None` for anything else, and where none came.
    pub status: Option<u16>,
    /// What it did to the values of the record, or of each of several.
    pub changes: Option<Changes>,
    /// Who it turned out to be, where the request did not say.
    pub(super) actor: Option<Actor>,
}

impl AuditEntry {
    /// A change of nothing yet.
    #[must_use]
    pub fn new(action: &'static str) -> Self {
        Self {
            action,
            ..Self::default()
        }
    }

    /// In this environment.
    #[must_use]
    pub fn scope(self, scope: &Scope) -> Self {
        self.project(&scope.project).environment(&scope.environment)
    }

    /// In this project.
    #[must_use]
    pub fn project(mut self, project: impl Into<ProjectName>) -> Self {
        self.project = Some(project.into().to_string());
        self
    }

    /// In this environment of the project.
    #[must_use]
    pub(crate) fn environment(mut self, environment: impl Into<EnvironmentName>) -> Self {
        self.environment = Some(environment.into().to_string());
        self
    }

    /// Of this resource.
    #[must_use]
    pub fn resource(mut self, resource: impl Into<String>) -> Self {
        self.resource = Some(resource.into());
        self
    }

    /// Of this model.
    #[must_use]
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Of this record, or whatever else has a key, uid or name.
    #[must_use]
    pub fn record(mut self, record: impl Into<String>) -> Self {
        self.record = Some(record.into());
        self
    }

    /// Of these records, which have no entity tag together, each by its key with what was done to its values as
    /// [`Changes::of_records`] takes it. A record that comes several times is there once, with all that was done to it.
    #[must_use]
    pub fn records(
        mut self,
        each: impl IntoIterator<Item = (impl Into<String>, Option<String>)>,
    ) -> Self {
        let mut places: HashMap<String, usize> = HashMap::new();
        let (mut keys, mut all): (_, Vec<Option<String>>) = (Vec::new(), Vec::new());
        for (key, changes) in each {
            let key = key.into();
            // A record of a table without a key is never the same as another.
            let known = places.get(&key).and_then(|place| all.get_mut(*place));
            match known.filter(|_| !key.is_empty()) {
                Some(known) => *known = together(known.as_deref(), changes.as_deref()),
                None => {
                    places.insert(key.clone(), keys.len());
                    keys.push(key);
                    all.push(changes);
                }
            }
        }
        self.keys = keys;
        self.changes = Changes::of_records(all);
        self
    }

    /// It was this, by its entity tag. Quotes are left out.
    #[must_use]
    pub fn before(mut self, tag: impl Into<EntityTag>) -> Self {
        self.before = tag.into().0;
        self
    }

    /// It is this, by its entity tag. Quotes are left out.
    #[must_use]
    pub fn after(mut self, tag: impl Into<EntityTag>) -> Self {
        self.after = tag.into().0;
        self
    }

    /// It did this to the values of the record, or of each of several.
    #[must_use]
    pub fn changes(mut self, changes: Option<Changes>) -> Self {
        self.changes = changes;
        self
    }

    /// It was answered so.
    #[must_use]
    pub fn status(mut self, status: impl Into<Option<u16>>) -> Self {
        self.status = status.into();
        self
    }

    /// Of this user.
    pub(crate) fn user(self, uid: Uuid) -> Self {
        self.resource(ResourceName::TOOLS)
            .model(USERS)
            .record(uid.to_string())
    }

    /// It was this user, who has shown that by the call itself.
    pub(crate) fn by_user(mut self, uid: Uuid, email: &str) -> Self {
        self.actor = Some(Actor::new(ActorKind::User, uid, email));
        self
    }

    /// It was this account, which has shown that by the call itself.
    pub(crate) fn by_account(mut self, uid: Uuid, email: &str) -> Self {
        self.actor = Some(Actor::new(ActorKind::Account, uid, email));
        self
    }
}

/// An entity tag without its quotes, or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityTag(Option<String>);

impl From<&str> for EntityTag {
    fn from(tag: &str) -> Self {
        Self(Some(tag.trim_matches('"').to_owned()))
    }
}

impl From<&String> for EntityTag {
    fn from(tag: &String) -> Self {
        Self::from(tag.as_str())
    }
}

impl From<Option<String>> for EntityTag {
    fn from(tag: Option<String>) -> Self {
        tag.map_or(Self(None), |tag| Self::from(tag.as_str()))
    }
}
