//! Names that are part of paths: of projects, environments and resources. Checked once, when the thing gets
//! its name, so that every name in the store can be used in a URL, a file name and a command line.

use svc_model::{EnvironmentName, ProjectName, ResourceName};

use crate::error::{Error, Result};

/// Longest unique name, in characters.
const MAX_LENGTH: usize = 64;
/// What a unique name may look like, in words.
const RULE: &str = "use lower-case letters a-z, digits, - and _, beginning with a letter or digit, at most 64 characters";

/// Refuses what cannot name a new project.
pub(crate) fn check_project(name: &ProjectName) -> Result<()> {
    check("project", name.as_str())
}

/// The calls of a project, which have the paths that environments of these names would have.
const CALLS_OF_PROJECTS: [&str; 8] = [
    "environments",
    "members",
    "teams",
    "rights",
    "allowed_hosts",
    "sign_in",
    "audit",
    "api_keys",
];

/// Refuses what cannot name a new environment: the calls of a project have paths of their own.
pub(crate) fn check_environment(name: &EnvironmentName) -> Result<()> {
    match CALLS_OF_PROJECTS.contains(&name.as_str()) {
        true => Err(invalid_name(format!(
            "{name} is the name of a call of the project; choose another name"
        ))),
        false => check("environment", name.as_str()),
    }
}

/// Refuses what cannot name a new resource: the account calls have the path `auth`, the built-in tools
/// resource its own name.
pub(crate) fn check_resource(name: &ResourceName) -> Result<()> {
    match name.as_str() {
        ResourceName::TOOLS => Err(invalid_name(format!(
            "{} is the built-in tools resource; choose another name",
            ResourceName::TOOLS
        ))),
        "auth" => Err(invalid_name(
            "auth is reserved for the account calls; choose another name",
        )),
        name => check("resource", name),
    }
}

/// The thing with its article.
fn one(what: &str) -> String {
    let article = if what.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {what}")
}

fn check(what: &str, name: &str) -> Result<()> {
    if name.is_empty() {
        return Err(invalid_name(format!("the {what} needs a name: {RULE}")));
    }
    let starts_well = name.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    if !starts_well || !name.chars().all(fits) || name.len() > MAX_LENGTH {
        return Err(invalid_name(format!(
            "this is not a valid name for {}: {RULE}",
            one(what)
        )));
    }
    Ok(())
}

fn invalid_name(message: impl Into<String>) -> Error {
    Error::invalid_field("unique_name", message)
}

/// Makes a page's unique name from its name: lower case, every run of other characters one `_`, at
/// most 64 characters. Letters of other alphabets stay, since the name is not part of a path. An empty or
/// unusable name gives `page`.
pub(crate) fn slug(name: &str) -> String {
    let mut slug = String::new();
    for c in name.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('_') {
            slug.push('_');
        }
    }
    let mut slug: String = slug.chars().take(MAX_LENGTH).collect();
    while slug.ends_with('_') {
        slug.pop();
    }
    if slug.is_empty() {
        "page".to_owned()
    } else {
        slug
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn plain_names_are_accepted() {
        for name in ["main", "a", "0", "shop-2", "a_b", &"x".repeat(64)] {
            assert!(check_project(&name.into()).is_ok(), "{name}");
            assert!(check_environment(&name.into()).is_ok(), "{name}");
            assert!(check_resource(&name.into()).is_ok(), "{name}");
        }
    }

    #[test]
    fn names_of_calls_name_no_environment() {
        for name in CALLS_OF_PROJECTS {
            assert!(check_environment(&name.into()).is_err(), "{name}");
        }
    }

    #[test]
    fn names_unfit_for_a_path_are_refused_with_the_rule() {
        for name in [
            "",
            "A",
            "a b",
            "_a",
            "-a",
            "a/b",
            "..",
            "a.b",
            "ä",
            "a\0",
            &"x".repeat(65),
        ] {
            let error = check_resource(&name.into()).unwrap_err();
            assert_eq!(error.invalid().unwrap().field_errors()[0].0, "unique_name");
            assert!(
                error.to_string().contains("lower-case letters a-z"),
                "{error}"
            );
        }
    }

    #[test]
    fn auth_and_the_tools_resource_are_reserved_among_resources() {
        for name in ["auth", "__svc_app__"] {
            let error = check_resource(&name.into()).unwrap_err();
            assert!(error.to_string().contains("choose another name"), "{error}");
        }
        assert!(check_project(&"auth".into()).is_ok());
    }

    #[test]
    fn a_slug_is_readable() {
        assert_eq!(slug("Order list"), "order_list");
        assert_eq!(slug("  Orders -- 2026! "), "orders_2026");
        assert_eq!(slug("Übersicht"), "übersicht");
        assert_eq!(slug("顧客"), "顧客");
        assert_eq!(slug("!!!"), "page");
        assert_eq!(slug(""), "page");
    }

    proptest! {
        #[test]
        fn a_slug_is_short_never_empty_and_a_slug_of_itself(name in ".{0,200}") {
            let made = slug(&name);
            prop_assert!(!made.is_empty());
            prop_assert!(made.chars().count() <= MAX_LENGTH);
            prop_assert!(made.chars().all(|c| c == '_' || c.is_alphanumeric()));
            prop_assert!(!made.starts_with('_') && !made.ends_with('_'));
            prop_assert_eq!(slug(&made), made);
        }

        #[test]
        fn a_name_is_accepted_exactly_when_the_rule_holds(name in "[a-zA-Z0-9_./ -]{0,70}") {
            let fits = (1..=64).contains(&name.len())
                && name.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
                && name.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-'))
                && name != "auth";
            prop_assert_eq!(check_resource(&name.into()).is_ok(), fits);
        }
    }
}
