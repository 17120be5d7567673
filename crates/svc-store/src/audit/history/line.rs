//! What a line of the trail says of each of its records.

use svc_data::Value;
use svc_model::administration::history::{LineQuery, WhichLine};
use svc_model::records::{Collection, HistoryEntry};
use uuid::Uuid;

use super::{COLUMNS, HistoryPage, Line, WRITES, by_field, unreadable};
use crate::audit::Audit;
use crate::audit::changes::Changes;
use crate::audit::line::read_keys;
use crate::database::{Reader, row, values};
use crate::error::{Error, Result};

/// What separates the line from the number in a cursor.
const SEPARATOR: char = '~';

/// What a page begins with: a record of a line, by its number.
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
        read().ok_or_else(not_a_cursor)
    }

    fn to_text(&self) -> String {
        format!("{}{SEPARATOR}{}", self.line.simple(), self.number)
    }
}

fn not_a_cursor() -> Error {
    Error::invalid_field("_after", "is not a cursor of this service")
}

const OF_UID: &str = "uid = ?5";
const OF_REQUEST: &str = "keys IS NOT NULL AND request_id = ?5";

/// The statement that finds a line.
fn sql(condition: &str) -> String {
    format!(
        "SELECT {COLUMNS}, NULL AS place, record, keys, changes FROM audit WHERE {condition} AND resource = ?1 \
         AND model = ?2 AND project = ?3 AND environment = ?4 AND {WRITES} ORDER BY uid DESC LIMIT 1"
    )
}

impl Audit<'_> {
    /// A part of what a line says of each of its records; nothing where there is no such line about records of the model. Fields
    /// that may not be read are left out.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when the line or the cursor is not valid, else when the store cannot be
    /// read.
    pub async fn history_of_line(
        &self,
        of: &Collection,
        query: &LineQuery,
        may_read: impl Fn(&str) -> bool + Send + 'static,
    ) -> Result<HistoryPage> {
        let place = query.page.after.as_deref();
        let place = place.map(Place::parse).transpose()?;
        // A cursor says which line it is of.
        let (sql, wanted) = match (&place, &query.which) {
            (place, WhichLine::Line(uid)) => {
                let uid: Uuid = uid
                    .parse()
                    .map_err(|_| Error::invalid_field("line", "must be the unique ID of a line"))?;
                if place.as_ref().is_some_and(|place| place.line != uid) {
                    return Err(not_a_cursor());
                }
                (sql(OF_UID), uid.to_string())
            }
            (Some(place), WhichLine::OfRequest(_)) => (sql(OF_UID), place.line.to_string()),
            (None, WhichLine::OfRequest(id)) => (sql(OF_REQUEST), id.clone()),
        };
        let of = of.clone();
        let per_page = query.page.per_page as usize;
        self.collect().await;
        self.store
            .read(move |reader| {
                let values = values![
                    of.resource.to_string(),
                    of.model.to_string(),
                    of.scope.project.to_string(),
                    of.scope.environment.to_string(),
                    wanted
                ];
                match (Found::read(reader, &sql, &values)?, place) {
                    (Some(found), place) => {
                        let first = place.map_or(0, |place| place.number);
                        found.page(first, per_page, &may_read)
                    }
                    // Its line has been removed since.
                    (None, Some(_)) => Err(not_a_cursor()),
                    (None, None) => Ok(HistoryPage::default()),
                }
            })
            .await
    }
}

/// A line with what it has of its records.
struct Found {
    line: Line,
    /// The one that it is about by itself.
    record: Option<String>,
    /// Their keys, as a JSON array.
    keys: Option<String>,
    /// What was done to each of those that have keys, or to that one.
    changes: Option<String>,
}

impl Found {
    fn read(reader: &mut Reader<'_>, sql: &str, values: &[Value]) -> Result<Option<Self>> {
        reader.find(sql, values, |found| {
            Ok(Self {
                line: Line::from_row(found)?,
                record: row::get(found, "record")?,
                keys: row::get(found, "keys")?,
                changes: row::get(found, "changes")?,
            })
        })
    }

    fn page(
        &self,
        first: usize,
        per_page: usize,
        may_read: &dyn Fn(&str) -> bool,
    ) -> Result<HistoryPage> {
        let changes = self.changes.as_deref();
        let (records, each) = match (&self.keys, &self.record) {
            (Some(keys), _) => {
                let each = changes.map(Changes::of_each).transpose();
                let each = each.map_err(unreadable)?.unwrap_or_default();
                (read_keys(Some(keys))?, each)
            }
            (None, Some(record)) => {
                let whole = changes.map(serde_json::from_str).transpose();
                (vec![record.clone()], vec![whole.map_err(unreadable)?])
            }
            (None, None) => return Ok(HistoryPage::default()),
        };
        let count = records.len();
        let wanted = records.into_iter().enumerate().skip(first).take(per_page);
        let entries = wanted.map(|(number, record)| {
            let mut entry: HistoryEntry = self.line.without_values();
            entry.line = Some(self.line.uid.to_string());
            entry.record = Some(record);
            let kept = each.get(number).copied().flatten();
            entry.changes = kept.map(|kept| by_field(kept, may_read)).transpose()?;
            Ok(entry)
        });
        let entries = entries.collect::<Result<Vec<_>>>()?;
        let next = Place {
            line: self.line.uid,
            number: first.saturating_add(entries.len()),
        };
        Ok(HistoryPage {
            entries,
            after: (next.number < count).then(|| next.to_text()),
            count: Some(count as u64),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;

    #[tokio::test]
    async fn a_line_is_found_by_an_index() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        for (condition, index) in [
            (OF_UID, "(uid=?)"),
            (OF_REQUEST, "(resource=? AND model=? AND request_id=?)"),
        ] {
            let explain = format!("EXPLAIN QUERY PLAN {}", sql(condition));
            let plan = store.read(move |reader| {
                let text = Value::Text("x".to_owned());
                let values = vec![text; 5];
                reader.list(&explain, &values, |row| Ok(row.get::<String>("detail")?))
            });
            let plan = plan.await.unwrap();
            assert!(plan[0].contains(index), "{plan:?}");
            assert_eq!(plan.len(), 1, "{plan:?}");
        }
    }
}
