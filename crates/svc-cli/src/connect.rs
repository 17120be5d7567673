//! Databases to connect, as they are named on the command line, in `SVC_CONNECT` and in the
//! configuration file. Addresses may contain passwords, so that nothing here quotes one.

use std::{collections::HashSet, path::Path};

use svc_data::{ErrorKind, Resource, ResourceOptions, ResourceUrl};
use svc_model::ResourceName;
use svc_server::SettingSource;
use svc_store::Secret;

use crate::{error::Error, serve::options::ServerOptions};

/// How an SQLite file is named.
const SQLITE: &str = "sqlite:";
/// The variable with the databases to connect, one `NAME=URL` on each line.
pub(crate) const VARIABLE: &str = "SVC_CONNECT";

/// A database to connect.
pub(crate) struct Connect {
    /// The name of the resource.
    pub(crate) name: ResourceName,
    /// Its address; the path of an SQLite file is absolute.
    pub(crate) url: Secret,
    /// The option, and where it was set.
    place: String,
}

impl Connect {
    /// Reads `NAME=URL`.
    fn parse(text: &str, place: String) -> Result<Self, Error> {
        let wrong = || {
            Error::usage(format!(
                "{place}: must be NAME=URL, such as shop=sqlite:path/to/file.db"
            ))
        };
        let (name, url) = text.split_once('=').ok_or_else(wrong)?;
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if name.is_empty() || url.is_empty() || !name.chars().all(is_name) {
            return Err(wrong());
        }
        let (name, url) = (name.into(), resolve(url)?);
        Ok(Self { name, url, place })
    }
}

/// The databases to connect: those of the flags, else of the variable, else of the configuration file.
pub(crate) fn gather(flags: &[String], file: &ServerOptions) -> Result<Vec<Connect>, Error> {
    let named = |source| SettingSource::named("connect", Some(&source));
    let variable = std::env::var_os(VARIABLE).unwrap_or_default();
    let variable = variable.to_str().ok_or_else(|| {
        Error::usage(format!(
            "{VARIABLE} must be UTF-8 text, one NAME=URL on each line"
        ))
    })?;
    let connects: Vec<Connect> = if !flags.is_empty() {
        flags
            .iter()
            .map(|text| Connect::parse(text, named(SettingSource::Flag)))
            .collect::<Result<_, _>>()?
    } else if !variable.trim().is_empty() {
        let lines = variable.lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty());
        lines
            .map(|text| Connect::parse(text, named(SettingSource::Variable)))
            .collect::<Result<_, _>>()?
    } else {
        of_file(file)?
    };
    let mut known = HashSet::new();
    match connects.iter().find(|connect| !known.insert(&connect.name)) {
        Some(Connect { name, place, .. }) => Err(Error::usage(format!(
            "{place}: the resource {name} is connected twice; leave one out"
        ))),
        None => Ok(connects),
    }
}

/// The table `connect` of the configuration file.
fn of_file(file: &ServerOptions) -> Result<Vec<Connect>, Error> {
    let Some(value) = &file.connect else {
        return Ok(Vec::new());
    };
    let place = |key: &str| SettingSource::named("connect", file.in_file(key));
    let wrong = |key: &str| {
        Error::usage(format!(
            "{}: must be a table of texts, such as [connect] and below it shop = \"sqlite:path/to/file.db\"",
            place(key)
        ))
    };
    let table = value.as_table().ok_or_else(|| wrong("connect"))?;
    let each = table.iter().map(|(name, url)| {
        let key = format!("connect.{name}");
        let url = url.as_str().ok_or_else(|| wrong(&key))?;
        Ok(Connect {
            name: name.into(),
            url: resolve(url)?,
            place: place(&key),
        })
    });
    each.collect()
}

/// The address as the store keeps it: a path that means the same file wherever the service is started.
pub(crate) fn resolve(url: &str) -> Result<Secret, Error> {
    let Some(path) = url.strip_prefix(SQLITE) else {
        return Ok(Secret::new(url));
    };
    let path = Path::new(path);
    if path.as_os_str().is_empty() || path.has_root() {
        return Ok(Secret::new(url));
    }
    let absolute = std::path::absolute(path).map_err(|error| {
        Error::new(format!(
            "cannot find out where {} is: {error}",
            path.display()
        ))
    })?;
    let absolute = absolute.to_str().ok_or_else(|| {
        Error::new("the current folder has a name that is no UTF-8 text; work in another one")
    })?;
    Ok(Secret::new(format!("{SQLITE}{absolute}")))
}

/// Connects a database for a service that starts. `None` for a server that is not reached now: each request tries it
/// again.
pub(crate) async fn open_at_start(
    Connect { name, url, place }: &Connect,
    options: ResourceOptions,
) -> Result<Option<Resource>, Error> {
    match open_with(name.as_str(), url, options).await {
        Ok(resource) => Ok(Some(resource)),
        Err(error)
            if error.kind() == ErrorKind::Unavailable && !url.expose().starts_with(SQLITE) =>
        {
            tracing::warn!(resource = %name, %error, "the resource cannot be used yet");
            Ok(None)
        }
        Err(error) => Err(Error::new(format!("{place}: resource {name}: {error}"))),
    }
}

/// Connects a database under a name.
pub(crate) async fn open(name: &str, url: &Secret) -> Result<Resource, svc_data::Error> {
    open_with(name, url, ResourceOptions::default()).await
}

async fn open_with(
    name: &str,
    url: &Secret,
    options: ResourceOptions,
) -> Result<Resource, svc_data::Error> {
    let url: ResourceUrl = url.expose().parse()?;
    Resource::connect(name, &url, options).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(texts: &[&str]) -> Result<Vec<Connect>, Error> {
        let texts: Vec<_> = texts.iter().map(ToString::to_string).collect();
        gather(&texts, &ServerOptions::default())
    }

    #[test]
    fn a_relative_file_becomes_absolute_and_other_addresses_stay() {
        let connects = flags(&["shop=sqlite:a/b.db", "crm=postgres://app:pw@db/crm?x=y"]).unwrap();
        let here = std::env::current_dir().unwrap();
        assert_eq!(connects[0].name.as_str(), "shop");
        let absolute = format!("sqlite:{}", here.join("a/b.db").display());
        assert_eq!(connects[0].url.expose(), absolute);
        assert_eq!(connects[1].url.expose(), "postgres://app:pw@db/crm?x=y");
    }

    #[test]
    fn a_missing_name_is_refused_without_showing_the_address() {
        let url = "postgres://app:hunter2@db/crm?a=b";
        for text in [url, "hunter2", "=sqlite:hunter2", "shop="] {
            let error = flags(&[text]).err().unwrap();
            assert!(matches!(error, Error::Usage(_)), "{text}");
            assert!(!error.to_string().contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn one_name_for_two_databases_is_refused() {
        let error = flags(&["a=sqlite:/x", "a=sqlite:/y"]).err().unwrap();
        let text = error.to_string();
        assert!(text.contains("the resource a is connected twice"), "{text}");
    }

    #[test]
    fn the_file_names_databases_in_a_table() {
        let of = |connect: toml::Value| {
            let mut file = ServerOptions::default();
            file.connect = Some(connect);
            gather(&[], &file)
        };
        let table: toml::Value = toml::from_str("shop = \"sqlite:/x.db\"").unwrap();
        let connects = of(table).unwrap();
        assert_eq!(connects[0].url.expose(), "sqlite:/x.db");
        let error = of("hunter2".into()).err().unwrap();
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }
}
