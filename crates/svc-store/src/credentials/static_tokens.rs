//! Static tokens: what opens the records of one resource, or the users and teams of the built-in tools
//! (`Authorization: <API_TOKEN>`, raw; specification, section 5).

use svc_data::{Row, Value};
use svc_model::{ModelName, ResourceName, Scope};
use uuid::Uuid;

use crate::audit::AuditEntry;
use crate::credentials::{self, Credential, CredentialKind, Credentials, Grant, Identity};
use crate::credentials::{NewCredential, StoredGrant};
use crate::database::{Reader, Tx, json, row};
use crate::error::{Error, Result};
use crate::people::Rights;
use crate::projects::{Located, ScopeRow};

/// The most models that a token can be limited to.
const MAX_MODELS: usize = 1_000;

/// A static token as lists show it: everything but the token.
pub type StaticToken = Credential<ResourceGrant>;
/// What a new static token is made of.
pub type NewStaticToken = NewCredential<ResourceGrant>;
/// A valid static token that was presented.
pub type TokenIdentity = Identity<ResourceGrant>;

/// What a static token opens: one resource.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResourceGrant {
    /// The environment.
    pub scope: Scope,
    /// The resource; `__svc_app__` for the built-in tools.
    pub resource: ResourceName,
    /// What of it the token opens; `None` where that is everything.
    pub limits: Option<TokenLimits>,
}

/// What a limited static token may do: some of the rights, on some of the models or on all of them. It may neither run
/// SQL nor call functions nor reload the structure, which concern the resource as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TokenLimits {
    /// What may be done with the records.
    pub rights: Rights,
    /// The models, by name; `None` for all of them.
    pub models: Option<Vec<ModelName>>,
}

impl TokenLimits {
    /// These rights, on these models.
    pub fn new(rights: Rights, models: Option<Vec<ModelName>>) -> Self {
        let models = models.map(|mut models| {
            models.sort();
            models.dedup();
            models
        });
        Self { rights, models }
    }

    /// What may be done with the records of a model.
    pub fn on(&self, model: &str) -> Rights {
        let is_known = self.models.as_ref().is_none_or(|models| {
            let found = models.binary_search_by(|known| known.as_str().cmp(model));
            found.is_ok()
        });
        match is_known {
            true => self.rights,
            false => Rights::new(false, false, false),
        }
    }

    /// Refuses limits that allow nothing, too many models, and models without a name.
    fn check(&self, resource: &ResourceName) -> Result<()> {
        let Rights {
            read,
            write,
            delete,
        } = self.rights;
        if !(read || write || delete) {
            let message = "name at least one of read, write and delete";
            return Err(Error::invalid_field("rights", message));
        }
        let models = self.models.as_deref();
        if models.is_some_and(|models| models.is_empty() || models.len() > MAX_MODELS) {
            let message = format!("name 1 to {MAX_MODELS} models, or leave it out for all");
            return Err(Error::invalid_field("models", message));
        }
        if models.is_some_and(|models| models.iter().any(|name| name.as_str().is_empty())) {
            return Err(Error::invalid_field("models", "no model has an empty name"));
        }
        // The answer to a write is the user or team.
        if resource.as_str() == ResourceName::TOOLS && !read {
            let message = "a token of the built-in tools that may write may also read";
            return Err(Error::invalid_field("rights", message));
        }
        Ok(())
    }

    /// The columns of the limits.
    fn columns(limits: Option<&Self>) -> Result<(Option<String>, Option<String>)> {
        let Some(Self { rights, models }) = limits else {
            return Ok((None, None));
        };
        let models = models.as_ref().map(serde_json::to_string);
        let models = models.transpose().map_err(json::unwritable)?;
        Ok((Some(rights.words().join(",")), models))
    }

    /// Reads the limits from a row with these columns; `None` for a token without limits.
    pub(crate) fn from_row(row: &Row) -> Result<Option<Self>> {
        let Some(rights) = row::get::<Option<String>>(row, "rights")? else {
            return Ok(None);
        };
        let unreadable = "the store holds rights of a token that cannot be read";
        let rights = Rights::of_words(rights.split(',')).ok_or(Error::internal(unreadable))?;
        let models: Option<String> = row::get(row, "models")?;
        let models = models.map(|models| serde_json::from_str::<Vec<String>>(&models));
        let models = models.transpose().map_err(Error::caused(unreadable))?;
        let models = models.map(|models| models.into_iter().map(ModelName::from).collect());
        Ok(Some(Self::new(rights, models)))
    }
}

impl NewStaticToken {
    /// A token without a name and without an end, for a resource; `__svc_app__` for the built-in tools.
    pub fn new(scope: impl Into<Scope>, resource: impl Into<ResourceName>) -> Self {
        Self::without_end(ResourceGrant {
            scope: scope.into(),
            resource: resource.into(),
            limits: None,
        })
    }

    /// The same token, which may do this alone. All rights on all models are no limit.
    #[must_use]
    pub fn limited(mut self, limits: TokenLimits) -> Self {
        let is_all = limits.rights == Rights::ALL && limits.models.is_none();
        self.wanted.limits = (!is_all).then_some(limits);
        self
    }
}

impl TokenIdentity {
    /// Whether the token opens this resource.
    pub fn covers(&self, scope: &Scope, resource: &ResourceName) -> bool {
        let grant = &self.credential.grant;
        grant.scope == *scope && grant.resource == *resource
    }
}

impl Credentials<'_, ResourceGrant> {
    /// The tokens of an environment, revoked and expired ones too, the oldest first.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment.
    pub async fn list(&self, scope: &Scope) -> Result<Vec<StaticToken>> {
        credentials::list_of_environment(self.store, scope).await
    }

    /// Ends a token of an environment for good.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when the environment has no such token.
    pub async fn revoke_in(&self, scope: &Scope, uid: Uuid) -> Result<()> {
        credentials::revoke_in(self, scope, uid).await
    }
}

impl Grant for ResourceGrant {
    type Wanted = Self;
    type Rights = ();
}

impl StoredGrant for ResourceGrant {
    const KIND: CredentialKind = CredentialKind::StaticToken;
    const WHAT: &'static str = "static token";
    const TABLE: &'static str = "static_tokens";
    const ACTIONS: [&'static str; 2] = ["tokens.create", "tokens.revoke"];
    const COLUMNS: &'static [&'static str] = &[
        "p.unique_name AS project",
        "e.unique_name AS environment",
        "r.unique_name AS resource",
        "c.rights",
        "c.models",
    ];
    const JOINS: &'static str = "JOIN environments e ON e.uid = c.environment_uid \
         JOIN projects p ON p.uid = e.project_uid LEFT JOIN resources r ON r.uid = c.resource_uid";

    fn from_row(row: &Row) -> Result<Self> {
        let resource: Option<ResourceName> = row::get(row, "resource")?;
        Ok(Self {
            scope: row::scope(row)?,
            resource: resource.unwrap_or_else(|| ResourceName::TOOLS.into()),
            limits: TokenLimits::from_row(row)?,
        })
    }

    fn columns(tx: &mut Tx<'_>, wanted: &Self) -> Result<Vec<(&'static str, Value)>> {
        if let Some(limits) = &wanted.limits {
            limits.check(&wanted.resource)?;
        }
        let (rights, models) = TokenLimits::columns(wanted.limits.as_ref())?;
        let scope = ScopeRow::get(tx, &wanted.scope)?;
        let resource_uid = match wanted.resource.as_str() {
            ResourceName::TOOLS => None,
            _ => Some(scope.resource_uid(tx, &wanted.resource)?),
        };
        Ok(row! { environment_uid: scope.environment_uid, resource_uid, rights, models }.into())
    }

    fn locate(
        &self,
        _: &mut Reader<'_>,
        entry: AuditEntry,
        _: Option<&Self>,
    ) -> Result<AuditEntry> {
        Ok(entry.scope(&self.scope).resource(self.resource.as_str()))
    }

    fn rights(&self, _: &mut Reader<'_>, _: Uuid) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use svc_model::ProjectName;

    use super::*;
    use crate::projects::{NewProject, NewResource};
    use crate::{Secret, Store};

    const READ: Rights = Rights {
        read: true,
        write: false,
        delete: false,
    };
    const NONE: Rights = Rights {
        read: false,
        write: false,
        delete: false,
    };

    fn models(names: &[&str]) -> Option<Vec<ModelName>> {
        Some(names.iter().map(|name| ModelName::from(*name)).collect())
    }

    async fn store_with_shop(folder: &std::path::Path) -> (Store, Scope) {
        let store = Store::open(folder).await.unwrap();
        let new = NewProject::new(ProjectName::from("main"));
        store.projects().create(new).await.unwrap();
        let scope = Scope::new("main", "prod");
        let shop = NewResource::new("shop", Secret::new("sqlite:/shop.db"));
        store.resources().create(&scope, shop).await.unwrap();
        (store, scope)
    }

    #[tokio::test]
    async fn a_limited_token_keeps_its_limits_and_others_have_none() {
        let folder = tempfile::tempdir().unwrap();
        let (store, scope) = store_with_shop(folder.path()).await;
        let limits = TokenLimits::new(READ, models(&["orders", "a,b", "orders"]));
        let new = NewStaticToken::new(&scope, "shop").limited(limits.clone());
        let made = store.tokens().create(new).await.unwrap();
        let found = store.tokens().authenticate(made.secret.expose()).await;
        let found = found.unwrap().unwrap().credential.grant.limits.unwrap();
        assert_eq!(found, limits);
        assert_eq!(found.on("orders"), READ);
        assert_eq!(found.on("a,b"), READ);
        for model in ["a", "Orders", ""] {
            assert_eq!(found.on(model), NONE, "{model}");
        }

        let all = TokenLimits::new(Rights::ALL, None);
        let new = NewStaticToken::new(&scope, "shop").limited(all);
        store.tokens().create(new).await.unwrap();
        let listed = store.tokens().list(&scope).await.unwrap();
        let listed: Vec<_> = listed.into_iter().map(|token| token.grant.limits).collect();
        assert_eq!(listed, [Some(limits), None]);
    }

    #[tokio::test]
    async fn limits_that_nothing_can_be_done_with_are_refused_on_their_field() {
        let folder = tempfile::tempdir().unwrap();
        let (store, scope) = store_with_shop(folder.path()).await;
        let write = Rights::new(false, true, false);
        let many: Vec<_> = (0..=MAX_MODELS)
            .map(|n| ModelName::from(n.to_string()))
            .collect();
        for (resource, rights, models, field) in [
            ("shop", NONE, None, "rights"),
            ("shop", READ, models(&[]), "models"),
            ("shop", READ, models(&[""]), "models"),
            ("shop", READ, Some(many), "models"),
            (ResourceName::TOOLS, write, None, "rights"),
        ] {
            let new = NewStaticToken::new(&scope, resource);
            let new = new.limited(TokenLimits::new(rights, models));
            let refused = store.tokens().create(new).await.unwrap_err();
            let fields = refused.invalid().unwrap().field_errors();
            assert!(fields.iter().any(|(name, _)| name == field), "{refused}");
        }
        let tools = NewStaticToken::new(&scope, ResourceName::TOOLS);
        let tools = tools.limited(TokenLimits::new(READ, models(&["users"])));
        store.tokens().create(tools).await.unwrap();
    }
}
