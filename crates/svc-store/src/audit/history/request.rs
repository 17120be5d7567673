//! What one request did to several records.

use svc_model::Scope;
use svc_model::records::HistoryQuery;
use uuid::Uuid;

use super::{COLUMNS, HistoryPage, Line, by_field, unreadable};
use crate::audit::Audit;
use crate::audit::changes::Changes;
use crate::audit::line::read_keys;
use crate::database::{row, values};
use crate::error::{Error, Result};

/// What separates the line from the place in a cursor.
const SEPARATOR: char = '~';

/// The request, and the model whose records it wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RequestOf {
    /// The environment.
    pub scope: Scope,
    /// The resource.
    pub resource: String,
    /// The model.
    pub model: String,
    /// The request, by its `X-Request-Id`.
    pub request_id: String,
}

impl RequestOf {
    /// The request of this ID.
    pub fn new(
        scope: Scope,
        resource: impl Into<String>,
        model: impl Into<String>,
        request_id: impl Into<String>,
    ) -> Self {
        Self {
            scope,
            resource: resource.into(),
            model: model.into(),
            request_id: request_id.into(),
        }
    }
}

/// What a page begins with: a record of a line.
struct Place {
    line: Uuid,
    number: usize,
}

impl Place {
    fn parse(text: &str) -> Result<Self> {
        let read = || {
            let (line, number) = text.split_once(SEPARATOR)?;
            Some(Self {
                line: line.parse().ok()?,
                number: number.parse().ok()?,
            })
        };
        read().ok_or_else(|| Error::invalid_field("_after", "is not a cursor of this service"))
    }

    fn to_text(&self) -> String {
        format!("{}{SEPARATOR}{}", self.line.simple(), self.number)
    }
}

impl Audit<'_> {
    /// A part of what the newest request of this ID did to several records, in the order of their keys; nothing where no such
    /// request is known. Fields that may not be read are left out.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when the cursor is not valid, else when the store cannot be read.
    pub async fn history_of_request(
        &self,
        of: &RequestOf,
        query: &HistoryQuery,
        may_read: impl Fn(&str) -> bool + Send + 'static,
    ) -> Result<HistoryPage> {
        let from = query.after.as_deref().map(Place::parse).transpose()?;
        self.collect().await;
        let (of, wanted) = (of.clone(), query.per_page as usize);
        self.store
            .read(move |reader| {
                let nothing = HistoryPage {
                    entries: Vec::new(),
                    after: None,
                };
                let sql = format!(
                    "SELECT {COLUMNS}, NULL AS place FROM audit WHERE keys IS NOT NULL AND resource = ?1 AND model = ?2 \
                     AND project = ?3 AND environment = ?4 AND request_id = ?5 AND uid <= ?6 ORDER BY uid DESC LIMIT 1"
                );
                let newest = from.as_ref().map_or(Uuid::max(), |from| from.line);
                let (project, environment) =
                    (of.scope.project.to_string(), of.scope.environment.to_string());
                let values = values![
                    of.resource,
                    of.model,
                    project,
                    environment,
                    of.request_id,
                    newest.to_string()
                ];
                let Some(line) = reader.find(&sql, &values, Line::from_row)? else {
                    return Ok(nothing);
                };
                let sql = "SELECT keys, changes FROM audit WHERE uid = ?1";
                let kept = reader.find(sql, &values![line.uid], |line| {
                    Ok((
                        row::get::<Option<String>>(line, "keys")?,
                        row::get::<Option<String>>(line, "changes")?,
                    ))
                })?;
                let Some((keys, changes)) = kept else {
                    return Ok(nothing);
                };
                let keys = read_keys(keys.as_deref())?;
                let each = changes.as_deref().map(Changes::of_each).transpose();
                let each = each.map_err(unreadable)?.unwrap_or_default();
                let first = from.filter(|from| from.line == line.uid);
                let first = first.map_or(0, |from| from.number);
                let count = keys.len();
                let records = keys.into_iter().enumerate().skip(first).take(wanted);
                let entries = records.map(|(number, record)| {
                    let mut entry = line.without_values();
                    entry.record = Some(record);
                    let changes = each.get(number).copied().flatten();
                    entry.changes = changes.map(|kept| by_field(kept, &may_read)).transpose()?;
                    Ok(entry)
                });
                let entries = entries.collect::<Result<Vec<_>>>()?;
                let next = Place {
                    line: line.uid,
                    number: first.saturating_add(entries.len()),
                };
                let after = (next.number < count).then(|| next.to_text());
                Ok(HistoryPage { entries, after })
            })
            .await
    }
}
