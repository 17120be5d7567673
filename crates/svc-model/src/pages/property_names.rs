//! Which properties of pages a list has.

use std::{collections::BTreeSet, fmt};

use crate::{
    comma_list::{read_fields, write_list},
    wire::ParameterValue,
};

/// Names of properties of [page settings](super::PageSettings), on the wire a comma-separated list.
///
/// ```
/// use svc_model::pages::PropertyNames;
///
/// let names = PropertyNames::from(["uid", "name"].map(str::to_owned).to_vec());
/// assert_eq!(names.to_string(), "name,uid");
/// assert!(names.has("uid") && !names.has("params"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PropertyNames(BTreeSet<String>);

impl PropertyNames {
    /// Whether a property is one of them.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }
}

impl From<Vec<String>> for PropertyNames {
    fn from(names: Vec<String>) -> Self {
        Self(names.into_iter().collect())
    }
}

impl fmt::Display for PropertyNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&write_list(self.0.iter().cloned()))
    }
}

impl ParameterValue for PropertyNames {
    const EXPECTED: &'static str = "names of properties, separated by commas";

    fn read(text: &str) -> Option<Self> {
        read_fields(text).map(Self::from)
    }
}
