//! The name of a new page, which none of its environment may have.

use svc_data::Row;
use svc_model::{Draft, Scope};

use super::fields::Fields;
use crate::database::{Bind as _, Tx, values};
use crate::error::Result;
use crate::projects::{Located as _, ScopeRow, names};
use crate::secrets::random_bytes;

/// How many numbered names are tried for a page without `unique_name` before one is drawn at random.
const NUMBERED_NAMES: u32 = 20;

/// What a page may be called, the best name first.
pub(super) struct Candidates(Vec<String>);

impl Candidates {
    /// Those of a new page. Whether a layer has the name that its maker gives to a draft is a question of its own.
    pub(super) fn of_new(draft: Draft, fields: &Fields) -> Self {
        Self(match (&fields.unique_name, draft) {
            (Some(given), Draft::Off) => vec![given.clone()],
            (Some(_), Draft::On) => Vec::new(),
            (None, _) => {
                let slug = slug(fields);
                let numbered = (2..=NUMBERED_NAMES).map(|number| format!("{slug}_{number}"));
                std::iter::once(slug.clone()).chain(numbered).collect()
            }
        })
    }

    /// Looks up the environment that a page is made in, and in the same statement which of these names another page has in one
    /// of the layers: the others can be published too.
    pub(super) fn locate(self, tx: &mut Tx<'_>, scope: &Scope) -> Result<(ScopeRow, Self)> {
        let Self(names) = self;
        if names.is_empty() {
            return Ok((ScopeRow::get(tx, scope)?, Self(names)));
        }
        let mut values = values![scope.project, scope.environment].to_vec();
        let placeholders: Vec<String> = names
            .iter()
            .map(|name| {
                values.push(name.bind());
                format!("?{}", values.len())
            })
            .collect();
        let sql = format!(
            "SELECT {}, t.unique_name AS taken FROM {} \
             LEFT JOIN pages t ON t.environment_uid = e.uid AND NOT t.deleted AND t.unique_name IN ({}) WHERE {}",
            ScopeRow::COLUMNS,
            ScopeRow::TABLES,
            placeholders.join(", "),
            ScopeRow::NAMED,
        );
        let rows = tx.query(&sql, &values)?;
        let Some(first) = rows.first() else {
            return Err(ScopeRow::missing(scope));
        };
        let found = ScopeRow::from_row(first)?;
        let taken = |row: &Row| Ok(row.get("taken")?);
        let taken: Vec<Option<String>> = rows.iter().map(taken).collect::<Result<_>>()?;
        let is_free = |name: &String| !taken.iter().flatten().any(|taken| taken == name);
        Ok((found, Self(names.into_iter().filter(is_free).collect())))
    }

    /// The best one.
    pub(super) fn first(&self) -> Option<&str> {
        self.0.first().map(String::as_str)
    }
}

/// A name that no page has, for where those with a number are taken.
pub(super) fn random(fields: &Fields) -> Result<String> {
    let number = u64::from_ne_bytes(random_bytes()?);
    Ok(format!("{}_{number:016x}", slug(fields)))
}

fn slug(fields: &Fields) -> String {
    names::slug(fields.name.as_deref().unwrap_or_default())
}
