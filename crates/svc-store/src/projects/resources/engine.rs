//! The engines that a resource can be of, and how an address names its engine.

use crate::database::stored_by_name;
use crate::error::{Error, Result};
use crate::secrets::Secret;

/// The engines that can be connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Engine {
    /// An SQLite file: `sqlite:PATH`.
    Sqlite,
    /// PostgreSQL and databases with its protocol: `postgres://...`.
    Postgres,
    /// MySQL or MariaDB: `mysql://...`.
    Mysql,
    /// No database: an API that is called through the HTTP proxy, `https://...`.
    Http,
}

impl Engine {
    /// Whether it keeps records.
    pub fn is_database(self) -> bool {
        self != Self::Http
    }

    /// The engine an address names.
    ///
    /// # Errors
    /// A field error on `url` that lists the forms; it does not quote the address.
    pub fn of_url(url: &Secret) -> Result<Self> {
        let url = url.expose();
        let forms = [
            (Self::Sqlite, "sqlite:"),
            (Self::Postgres, "postgres://"),
            (Self::Postgres, "postgresql://"),
            (Self::Mysql, "mysql://"),
            (Self::Mysql, "mariadb://"),
            (Self::Http, "https://"),
            (Self::Http, "http://"),
        ];
        forms
            .into_iter()
            .find(|(_, form)| url.len() > form.len() && url.starts_with(form))
            .map(|(engine, _)| engine)
            .ok_or_else(|| {
                Error::invalid_field(
                    "url",
                    "must look like sqlite:PATH, postgres://HOST/NAME, mysql://HOST/NAME or https://HOST",
                )
            })
    }
}

stored_by_name!(Engine, "the store holds a resource of an unknown engine", {
    Sqlite: "sqlite",
    Postgres: "postgres",
    Mysql: "mysql",
    Http: "http",
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_its_engine() {
        let engine = |url: &str| Engine::of_url(&Secret::new(url));
        assert_eq!(engine("sqlite:shop.db").unwrap(), Engine::Sqlite);
        assert_eq!(engine("postgres://db/shop").unwrap(), Engine::Postgres);
        assert_eq!(engine("postgresql://db/shop").unwrap(), Engine::Postgres);
        assert_eq!(engine("mysql://db/shop").unwrap(), Engine::Mysql);
        assert_eq!(engine("https://api.example.com").unwrap(), Engine::Http);
    }

    #[test]
    fn another_address_is_refused_without_being_quoted() {
        for url in [
            "",
            "sqlite:",
            "shop.db",
            "oracle://app:hunter2@db",
            "POSTGRES://db/shop",
        ] {
            let error = Engine::of_url(&Secret::new(url)).unwrap_err();
            assert!(error.to_string().contains("sqlite:PATH"));
            assert!(!error.to_string().contains("hunter2"));
        }
    }
}
