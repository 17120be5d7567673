//! Which database an address means, without what is secret in it.

use crate::secrets::Secret;

/// The address of a resource without its password and its parameters, which may contain passwords too.
///
/// ```
/// use svc_store::{Secret, url_hint};
///
/// let url = Secret::new("postgres://app:secret@db.internal/shop?sslmode=require");
/// assert_eq!(url_hint(&url), "postgres://app@db.internal/shop");
/// ```
pub fn url_hint(url: &Secret) -> String {
    let url = url.expose();
    if let Some(path) = url.strip_prefix("sqlite:") {
        let path = path.rsplit_once('?').map_or(path, |(path, _)| path);
        return format!("sqlite:{path}");
    }
    let (address, _) = url.split_once(['?', '#']).unwrap_or((url, ""));
    let Some((scheme, rest)) = address.split_once("://") else {
        return "...".to_owned();
    };
    let (authority, path) = match rest.find('/') {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    // Nothing of an address that cannot be parsed is shown: `user:secret/x@host/name` is a typing mistake.
    if path.contains('@') {
        return format!("{scheme}://...");
    }
    // A password may contain an @ that was not escaped.
    let Some((user, host)) = authority.rsplit_once('@') else {
        return format!("{scheme}://{authority}{path}");
    };
    let user = user.split_once(':').map_or(user, |(user, _)| user);
    format!("{scheme}://{user}@{host}{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_and_the_database_are_shown_and_no_password() {
        for (url, hint) in [
            (
                "postgres://app:hunter2@db.example:5432/shop?password=hunter2",
                "postgres://app@db.example:5432/shop",
            ),
            ("mysql://app:hunter2@db/shop", "mysql://app@db/shop"),
            ("postgres://app:hun@ter2@db/shop", "postgres://app@db/shop"),
            ("postgres://app:hunter2/x@db/shop", "postgres://..."),
            ("postgres://db/shop", "postgres://db/shop"),
            ("postgres://app@db/shop", "postgres://app@db/shop"),
            ("sqlite:/srv/a://b.db?mode=ro", "sqlite:/srv/a://b.db"),
            ("sqlite:/srv/shop.db", "sqlite:/srv/shop.db"),
            (
                "https://me:hunter2@api.example/v1?key=hunter2#hunter2",
                "https://me@api.example/v1",
            ),
        ] {
            let shown = url_hint(&Secret::new(url));
            assert!(!shown.contains("hunter2"), "{shown}");
            assert_eq!(shown, hint);
        }
    }
}
