//! The names that are used in paths, each with its own type so that two of them cannot be swapped
//! (specification, section 1). They are cheap to clone, since every call contains some.

use std::{fmt, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::wire::{BodyProperty, PathArguments, PathPart};

macro_rules! names {
    ($( $(#[$doc:meta])* $name:ident, )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl PathPart for $name {
            fn push_to<'a>(&'a self, arguments: &mut PathArguments<'a>) {
                arguments.push(&self.0);
            }

            fn take_from(segments: &mut impl Iterator<Item = String>) -> Option<Self> {
                segments.next().map(Self::from)
            }
        }

        impl BodyProperty for $name {
            const EXPECTED: &'static str = String::EXPECTED;

            fn read(json: &RawValue) -> Option<Self> {
                String::read(json).map(Self::from)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text.into())
            }
        }

        impl From<&String> for $name {
            fn from(text: &String) -> Self {
                Self(text.as_str().into())
            }
        }

        impl From<&Self> for $name {
            fn from(name: &Self) -> Self {
                name.clone()
            }
        }
    )*};
}

names! {
    /// The unique name of a project (`PROJECT_NAME`, `{{project_id}}`).
    ProjectName,
    /// The unique name of an environment (`ENV_NAME`). The published production environment is
    /// `prod`, which is the default.
    EnvironmentName,
    /// The API name of a connected resource (`{{resource_name}}`).
    ResourceName,
    /// The identifier of a collection in a resource (`{{model_id}}`): a table or view;
    /// `schema.table` outside the default schema.
    ModelName,
    /// The name of a field of a model.
    FieldName,
    /// The unique ID of a page (`UID`).
    PageUid,
    /// The unique ID of a team.
    TeamUid,
    /// The unique ID of a user.
    UserUid,
}

impl EnvironmentName {
    /// The name of the published production environment.
    pub const PROD: &str = "prod";
}

impl Default for EnvironmentName {
    fn default() -> Self {
        Self::from(Self::PROD)
    }
}

impl ResourceName {
    /// The name of the built-in tools resource, whose models are `users` and `groups`.
    pub const TOOLS: &str = "__svc_app__";
}

/// The primary key of a record as it is written in a path.
///
/// A key of several columns joins their parts with `,`; a comma inside a part is written `%2C`.
/// It can be made from any integer or text, and a composite key from an array of texts:
///
/// ```
/// use svc_model::RecordId;
///
/// assert_eq!(RecordId::from(42).as_str(), "42");
/// assert_eq!(RecordId::composite(["eu,de", "7"]).as_str(), "eu%2Cde,7");
/// assert_eq!(RecordId::from("eu%2Cde,7").parts(), ["eu,de", "7"]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RecordId(String);

impl RecordId {
    /// A composite key of these parts, in the order of the key's columns.
    pub fn composite<T: AsRef<str>>(parts: impl IntoIterator<Item = T>) -> Self {
        let escaped: Vec<_> = parts
            .into_iter()
            .map(|part| escape_part(part.as_ref()))
            .collect();
        Self(escaped.join(","))
    }

    /// The text as it is written in a path, before the path itself is escaped.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The parts of a composite key.
    pub fn parts(&self) -> Vec<String> {
        self.0
            .split(',')
            .map(|part| {
                part.replace("%2C", ",")
                    .replace("%2c", ",")
                    .replace("%25", "%")
            })
            .collect()
    }
}

/// `%` is escaped only where it would be read as an escape, so that nearly every key stays unchanged.
fn escape_part(part: &str) -> String {
    let mut escaped = String::with_capacity(part.len());
    for (index, character) in part.char_indices() {
        let rest = part.get(index..).unwrap_or_default();
        match character {
            ',' => escaped.push_str("%2C"),
            '%' if ["%25", "%2C", "%2c"]
                .iter()
                .any(|escape| rest.starts_with(escape)) =>
            {
                escaped.push_str("%25");
            }
            character => escaped.push(character),
        }
    }
    escaped
}

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl PathPart for RecordId {
    fn push_to<'a>(&'a self, arguments: &mut PathArguments<'a>) {
        arguments.push(&self.0);
    }

    fn take_from(segments: &mut impl Iterator<Item = String>) -> Option<Self> {
        segments.next().map(Self)
    }
}

impl From<&str> for RecordId {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl From<String> for RecordId {
    fn from(text: String) -> Self {
        Self(text)
    }
}

macro_rules! integer_ids {
    ($($type:ty),*) => {$(
        impl From<$type> for RecordId {
            fn from(number: $type) -> Self {
                Self(number.to_string())
            }
        }
    )*};
}

integer_ids!(i32, u32, i64, u64, usize);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_parts_of_a_composite_key_are_read_back(
            parts in prop::collection::vec("(%2C|%25|%2c|[a-z,%25C])*", 1..4),
        ) {
            prop_assert_eq!(RecordId::composite(&parts).parts(), parts);
        }
    }
}
