//! Secret tokens: values that the HTTP proxy puts into requests, so that no client has to know them (wire contract,
//! section 8). They are kept sealed, and are bound to a resource and to the hosts that they may be sent to.

use std::collections::BTreeSet;

use jiff::Timestamp;
use svc_data::Row;
use svc_model::{ResourceName, Scope};
use uuid::Uuid;

use crate::clock;
use crate::database::{Reader, Tx, columns, handle, row, values};
use crate::error::{Error, Result};
use crate::projects::ScopeRow;
use crate::secrets::{HostName, HostPort, Sealer, Secret, allow_hosts};

/// The only type of secret token there is: a value that stays as it was set.
const STATIC: &str = "static";
/// Longest name, in characters.
const MAX_NAME: usize = 64;
/// Longest value, in bytes.
const MAX_VALUE: usize = 16 * 1024;

const COLUMNS: &str = "s.uid AS secret_uid, s.resource_uid, r.unique_name AS resource, s.name, s.type, s.hosts, s.value, \
     s.date_add, s.date_update";

/// A secret token as lists show it: everything but the value.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SecretToken {
    /// The resource it belongs to.
    pub resource: ResourceName,
    /// Its name, unique within the resource.
    pub name: String,
    /// Its type: `static`.
    pub kind: String,
    /// The hosts it may be sent to, by name.
    pub hosts: Vec<HostName>,
    /// When it was first set.
    pub date_add: Timestamp,
    /// When it was last set.
    pub date_update: Timestamp,
}

/// What a secret token is made of; see [`NewSecretToken::new`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NewSecretToken {
    /// The resource it belongs to.
    pub resource: ResourceName,
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Secret,
    /// The hosts it may be sent to; at least one.
    pub hosts: Vec<HostName>,
}

impl NewSecretToken {
    /// A secret token that may be sent to these hosts.
    pub fn new(
        resource: impl Into<ResourceName>,
        name: impl Into<String>,
        value: Secret,
        hosts: Vec<HostName>,
    ) -> Self {
        Self {
            resource: resource.into(),
            name: name.into(),
            value,
            hosts,
        }
    }
}

/// What the HTTP proxy may do in an environment for a resource.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProxyRules {
    /// Hosts that may be reached although they are not public.
    pub allow_hosts: Vec<HostPort>,
    /// The secret tokens of the resource, by name; none without a resource.
    pub secrets: Vec<OpenSecret>,
}

/// A secret token with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenSecret {
    /// Its name.
    pub name: String,
    /// The hosts it may be sent to.
    pub hosts: Vec<HostName>,
    /// Its value.
    pub value: Secret,
}

impl OpenSecret {
    /// A secret token that may be sent to these hosts.
    pub fn new(name: impl Into<String>, hosts: Vec<HostName>, value: Secret) -> Self {
        Self {
            name: name.into(),
            hosts,
            value,
        }
    }
}

handle! {
    /// The secret tokens of resources: [`Store::secret_tokens`](crate::Store::secret_tokens).
    SecretTokens,
    /// The secret tokens of resources.
    secret_tokens
}

impl SecretTokens<'_> {
    /// Sets a secret token, in place of the one of that name. Says its identifier, and whether it is new.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment or resource; a field
    /// error on `name`, `value` (empty, too long, or with a line end or another control character in it) or `host`.
    /// It does not quote the value.
    pub async fn set(&self, scope: &Scope, new: NewSecretToken) -> Result<(Uuid, bool)> {
        check_name(&new.name)?;
        check_value(&new.value)?;
        let hosts: BTreeSet<&str> = new.hosts.iter().map(HostName::as_str).collect();
        if hosts.is_empty() {
            return Err(Error::invalid_field(
                "host",
                "name at least one host that the secret may be sent to",
            ));
        }
        let hosts = Vec::from_iter(hosts).join(" ");
        self.store
            .write_in(scope.clone(), move |tx, scope: ScopeRow| {
                let (resource, name) = (new.resource, new.name);
                let resource_uid = scope.resource_uid(tx, &resource)?;
                let now = clock::to_text(tx.now());
                let sql = "SELECT uid, date_add FROM secrets WHERE resource_uid = ?1 AND name = ?2";
                let old: Option<(Uuid, String)> =
                    tx.find(sql, &values![resource_uid, name], |row| {
                        Ok((row::get(row, "uid")?, row.get("date_add")?))
                    })?;
                let is_new = old.is_none();
                let (uid, date_add) = old.unwrap_or_else(|| (Uuid::now_v7(), now.clone()));
                let context = context(&uid.to_string(), &resource_uid, &name, &hosts);
                let sealed = tx.sealer().seal(&context, new.value.expose())?;
                tx.execute("DELETE FROM secrets WHERE uid = ?1", &values![uid])?;
                tx.insert(
                    "secrets",
                    &row! {
                        uid, resource_uid, name, type: STATIC, hosts, value: sealed, date_add,
                        date_update: now
                    },
                )?;
                let entry = scope.entry("secrets.set").resource(resource.as_str());
                tx.changed(entry.record(name));
                Ok((uid, is_new))
            })
            .await
    }

    /// The identifier of a secret token; `None` when there is none of that name.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment or resource.
    pub async fn find(
        &self,
        scope: &Scope,
        resource: &ResourceName,
        name: &str,
    ) -> Result<Option<Uuid>> {
        let (resource, name) = (resource.clone(), name.to_owned());
        self.store
            .read_in(scope.clone(), move |reader, scope: ScopeRow| {
                let resource_uid = scope.resource_uid(reader, &resource)?;
                let sql = "SELECT uid FROM secrets WHERE resource_uid = ?1 AND name = ?2";
                reader.find(sql, &values![resource_uid, name], |row| {
                    row::get(row, "uid")
                })
            })
            .await
    }

    /// The secret tokens of an environment, by resource and name.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment.
    pub async fn list(&self, scope: &Scope) -> Result<Vec<SecretToken>> {
        self.store
            .read_in(scope.clone(), |reader, scope: ScopeRow| {
                let sql = select("WHERE r.environment_uid = ?1 ORDER BY r.unique_name, s.name");
                reader.list(&sql, &values![scope.environment_uid], from_row)
            })
            .await
    }

    /// Removes a secret token.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is none of that name.
    pub async fn remove(&self, scope: &Scope, resource: &ResourceName, name: &str) -> Result<()> {
        let (resource, name) = (resource.clone(), name.to_owned());
        self.store
            .write_in(scope.clone(), move |tx, scope: ScopeRow| {
                let resource_uid = scope.resource_uid(tx, &resource)?;
                let sql = "DELETE FROM secrets WHERE resource_uid = ?1 AND name = ?2";
                if tx.execute(sql, &values![resource_uid, name])? == 0 {
                    return Err(Error::not_found(format!(
                        "resource {resource} has no secret {name}"
                    )));
                }
                let entry = scope.entry("secrets.delete").resource(resource.as_str());
                tx.changed(entry.record(name));
                Ok(())
            })
            .await
    }

    /// What the HTTP proxy may do in an environment, for a resource or for none.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment or resource;
    /// [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable) when a secret cannot be opened with the store's key.
    pub async fn proxy_rules(
        &self,
        scope: &Scope,
        resource: Option<&ResourceName>,
    ) -> Result<ProxyRules> {
        let resource = resource.cloned();
        self.store
            .read_in(scope.clone(), move |reader, scope: ScopeRow| {
                let allowed = allow_hosts::list(reader, &scope.project_uid)?;
                let secrets = match resource {
                    None => Vec::new(),
                    Some(resource) => {
                        let uid = scope.resource_uid(reader, &resource)?;
                        let sealer = reader.sealer();
                        let sql = select("WHERE s.resource_uid = ?1 ORDER BY s.name");
                        reader.list(&sql, &values![uid], |row| open(sealer, row))?
                    }
                };
                Ok(ProxyRules {
                    allow_hosts: allowed.into_iter().map(|allowed| allowed.host).collect(),
                    secrets,
                })
            })
            .await
    }
}

/// Forgets the secrets of a resource: they were set for another address.
pub(crate) fn clear(tx: &mut Tx<'_>, resource_uid: Uuid) -> Result<()> {
    let sql = "DELETE FROM secrets WHERE resource_uid = ?1";
    tx.execute(sql, &values![resource_uid]).map(drop)
}

/// The names and types of the secrets of all environments of a project, with the resource of each, by name.
pub(crate) fn names_of_project(
    reader: &mut Reader<'_>,
    project_uid: &str,
) -> Result<Vec<(Uuid, SecretToken)>> {
    let sql = select(
        "JOIN environments e ON e.uid = r.environment_uid WHERE e.project_uid = ?1 ORDER BY s.name",
    );
    reader.list(&sql, &values![project_uid], |row| {
        Ok((row::get(row, "resource_uid")?, from_row(row)?))
    })
}

fn check_name(name: &str) -> Result<()> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let ends_well = |c: char| c.is_ascii_alphanumeric() || c == '_';
    // A dash at an end could be mistaken for that of `{-name-}`.
    if name.len() > MAX_NAME
        || !name.starts_with(ends_well)
        || !name.ends_with(ends_well)
        || !name.chars().all(fits)
    {
        return Err(Error::invalid_field(
            "name",
            "use letters a-z, digits, _, - and ., beginning and ending with a letter, digit or _, at most 64 characters",
        ));
    }
    Ok(())
}

fn check_value(value: &Secret) -> Result<()> {
    let value = value.expose();
    if value.is_empty() || value.len() > MAX_VALUE || value.chars().any(char::is_control) {
        return Err(Error::invalid_field(
            "value",
            "must be 1 to 16384 bytes of text in one line, without control characters",
        ));
    }
    Ok(())
}

/// What binds a sealed value to its row, and to where it may be sent.
fn context(uid: &str, resource_uid: &str, name: &str, hosts: &str) -> String {
    format!("secret {uid} of resource {resource_uid} named {name} for {hosts}")
}

fn select(rest: &str) -> String {
    format!("SELECT {COLUMNS} FROM secrets s JOIN resources r ON r.uid = s.resource_uid {rest}")
}

fn hosts(row: &Row) -> Result<Vec<HostName>> {
    let hosts: String = row.get("hosts")?;
    Ok(hosts.split(' ').map(HostName::stored).collect())
}

fn open(sealer: &Sealer, row: &Row) -> Result<OpenSecret> {
    let (uid, resource_uid): (String, String) = (row.get("secret_uid")?, row.get("resource_uid")?);
    let name: String = row.get("name")?;
    let context = context(&uid, &resource_uid, &name, &row.get::<String>("hosts")?);
    let value = sealer
        .open(&context, &row.get::<String>("value")?)
        .map_err(|_| {
            Error::unavailable(format!(
                "the secret {name} cannot be opened with the store's key; set it again"
            ))
        })?;
    Ok(OpenSecret {
        name,
        hosts: hosts(row)?,
        value,
    })
}

fn from_row(row: &Row) -> Result<SecretToken> {
    columns!(row => SecretToken {
        kind: row.get("type")?, hosts: hosts(row)?, resource, name, date_add, date_update
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_can_be_told_from_what_stands_around_it() {
        for name in ["token", "API_KEY", "a", "a-b.c", "_x_", "7"] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        for name in [
            "",
            "-a",
            "a-",
            ".a",
            "a.",
            "a b",
            "a}",
            "ä",
            &"a".repeat(65),
        ] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }

    #[test]
    fn a_value_is_one_line_and_not_quoted_when_it_is_refused() {
        assert!(check_value(&Secret::new("Grüße, welt")).is_ok());
        for value in ["", "hunter2\r\nX-Evil: 1", "hunter2\n", "hunter2\0"] {
            let error = check_value(&Secret::new(value)).unwrap_err();
            assert!(!error.to_string().contains("hunter2"));
        }
        assert!(check_value(&Secret::new("x".repeat(16 * 1024 + 1))).is_err());
    }
}
