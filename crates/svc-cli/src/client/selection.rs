//! Which records: the options that lists of all kinds, aggregates, groups and exports have in common.

use clap::Args;
use svc_model::{ListQuery, Lookup, QueryString};

use crate::error::Error;

/// Which records.
#[derive(Args)]
pub(crate) struct Selection {
    /// Keep records whose field compares so; can be repeated, all must hold. exclude__ in front negates
    #[arg(long, value_name = "FIELD__LOOKUP=VALUE")]
    filter: Vec<String>,
    /// Keep records for which a tree of conditions holds: {"or": [{"field", "path", "lookup", "value"}, ...]}
    #[arg(long, value_name = "JSON")]
    filter_tree: Option<String>,
    /// Keep records in which this text occurs
    #[arg(long, value_name = "TEXT")]
    search: Option<String>,
}

impl Selection {
    /// The parameters of the selection.
    pub(crate) fn query_string(&self) -> Result<QueryString, Error> {
        let mut query = QueryString::new();
        for filter in &self.filter {
            let Some((key, value)) = filter.split_once('=') else {
                let wrong = "must be FIELD=VALUE or FIELD__LOOKUP=VALUE";
                return Err(Error::usage(format!("--filter {filter} {wrong}")));
            };
            if key.starts_with('_') || matches!(key, "page" | "tz" | "draft") {
                return Err(Error::usage(format!(
                    "--filter {key}: this name is a parameter; filter a field of this name with --filter-tree"
                )));
            }
            query.push(key, value);
        }
        push_given(&mut query, "_filter", self.filter_tree.as_deref());
        push_given(&mut query, "_search", self.search.as_deref());
        Ok(query)
    }

    /// The selection, with dates in a zone.
    pub(crate) fn query(&self, tz: Option<&str>) -> Result<ListQuery, Error> {
        let mut query = self.query_string()?;
        push_given(&mut query, "tz", tz);
        parse(query.as_str())
    }
}

/// Adds a parameter for which there is a value.
pub(crate) fn push_given(query: &mut QueryString, key: &str, value: Option<&str>) {
    if let Some(value) = value {
        query.push(key, value);
    }
}

/// Reads a query by the grammar that the service reads it with.
pub(crate) fn parse(query: &str) -> Result<ListQuery, Error> {
    // Which fields there are, only the service knows; here every name is one.
    let is_field = |name: &str| match name.rsplit_once("__") {
        _ if name.starts_with("exclude__") => false,
        Some((field, word)) => field.is_empty() || word.parse::<Lookup>().is_err(),
        None => true,
    };
    ListQuery::parse(query, &is_field)
        .map_err(|invalid| Error::usage(format!("the records cannot be asked for: {invalid}")))
}
