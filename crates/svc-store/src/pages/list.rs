//! Long lists of pages, in parts.
//!
//! The first part records which pages there are and in which revision. The later ones read those revisions, from the
//! pages where they are still that, else from what is kept of before: so all parts show one moment, and nothing is
//! locked while the caller reads.

use std::collections::VecDeque;

use bytes::{BufMut as _, Bytes, BytesMut};

use svc_model::{Draft, EnvironmentName, JsonObject, Scope, pages::PropertyNames};

use super::rows::{self, PageRow};

use crate::database::{Reader, Store, json};
use crate::error::{Error, Result};
use crate::projects::ScopeRow;

/// How many bytes of JSON are in a part; one page more than fits is in it too.
const PART: usize = 256 * 1024;

/// A part of the JSON array of pages.
#[derive(Debug)]
#[non_exhaustive]
pub struct PageList {
    /// The bytes of this part. Those of all parts, one after the other, are the array.
    pub json: Bytes,
    /// What follows; `None` behind the last part.
    pub more: Option<MorePages>,
}

/// The parts of a list that were not read yet.
#[derive(Debug)]
pub struct MorePages {
    store: Store,
    environment: EnvironmentName,
    properties: Option<PropertyNames>,
    rest: VecDeque<PageRow>,
}

impl MorePages {
    /// Reads the next part.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable) when a page was deleted for good since the first
    /// part was read; the list is to be read again then.
    pub async fn next(self) -> Result<PageList> {
        let store = self.store.clone();
        store.read(move |reader| part(reader, self, b',')).await
    }
}

/// The first part of a list.
pub(super) async fn first(
    store: &Store,
    scope: &Scope,
    draft: Draft,
    properties: Option<PropertyNames>,
) -> Result<PageList> {
    let part = store.read_in(scope.clone(), move |reader, scope: ScopeRow| {
        let all = MorePages {
            store: reader.store().clone(),
            rest: rows::list(reader, &scope.environment_uid, draft)?.into(),
            environment: scope.names.environment,
            properties,
        };
        part(reader, all, b'[')
    });
    part.await
}

fn part(reader: &mut Reader<'_>, mut more: MorePages, begin: u8) -> Result<PageList> {
    let mut json = BytesMut::new();
    let mut before = Some(begin).filter(|_| begin == b'[' || !more.rest.is_empty());
    // What was read counts, of which less may be shown.
    let mut read = 0;
    while read < PART
        && let Some(row) = more.rest.pop_front()
    {
        json.put_u8(before.take().unwrap_or(b','));
        let begin = json.len();
        if !rows::write(reader, &row, &more.environment, &mut json)? {
            return Err(Error::unavailable(
                "a page was deleted while the list of pages was sent; read the list again",
            ));
        }
        read += json.len() - begin;
        if let Some(properties) = &more.properties {
            let shown = only(json.get(begin..).unwrap_or_default(), properties)?;
            json.truncate(begin);
            json.extend_from_slice(&shown);
        }
    }
    json.extend(before);
    if more.rest.is_empty() {
        json.put_u8(b']');
    }
    Ok(PageList {
        json: json.freeze(),
        more: (!more.rest.is_empty()).then_some(more),
    })
}

/// A page with those of its properties alone.
fn only(page: &[u8], properties: &PropertyNames) -> Result<Vec<u8>> {
    let mut page: JsonObject = serde_json::from_slice(page)
        .map_err(Error::caused("a stored page is not a JSON object"))?;
    page.retain(|name| properties.has(name));
    serde_json::to_vec(&page).map_err(json::unwritable)
}
