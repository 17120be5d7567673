//! Long lists of pages, in parts.
//!
//! The first part records which pages there are and in which revision. The later ones read those revisions, from the
//! pages where they are still that, else from what is kept of before: so all parts show one moment, and nothing is
//! locked while the caller reads.

use std::collections::VecDeque;

use bytes::{BufMut as _, Bytes, BytesMut};

use svc_model::{Draft, EnvironmentName, Scope};

use super::rows::{self, PageRow};

use crate::database::{Reader, Store};
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
    rest: VecDeque<PageRow>,
}

impl MorePages {
    /// Reads the next part.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable) when a page was deleted for good since the first
    /// part was read; the list is to be read again then.
    pub async fn next(self) -> Result<PageList> {
        let (environment, rest) = (self.environment, self.rest);
        let part = move |reader: &mut Reader<'_>| part(reader, environment, rest, b',');
        self.store.read(part).await
    }
}

/// The first part of a list.
pub(super) async fn first(store: &Store, scope: &Scope, draft: Draft) -> Result<PageList> {
    let part = store.read_in(scope.clone(), move |reader, scope: ScopeRow| {
        let rest = rows::list(reader, &scope.environment_uid, draft)?.into();
        part(reader, scope.names.environment, rest, b'[')
    });
    part.await
}

fn part(
    reader: &mut Reader<'_>,
    environment: EnvironmentName,
    mut rest: VecDeque<PageRow>,
    begin: u8,
) -> Result<PageList> {
    let mut json = BytesMut::new();
    let mut before = Some(begin).filter(|_| begin == b'[' || !rest.is_empty());
    while json.len() < PART
        && let Some(row) = rest.pop_front()
    {
        json.put_u8(before.take().unwrap_or(b','));
        if !rows::write(reader, &row, &environment, &mut json)? {
            return Err(Error::unavailable(
                "a page was deleted while the list of pages was sent; read the list again",
            ));
        }
    }
    json.extend(before);
    if rest.is_empty() {
        json.put_u8(b']');
    }
    let more = MorePages {
        store: reader.store().clone(),
        environment,
        rest,
    };
    Ok(PageList {
        json: json.freeze(),
        more: (!more.rest.is_empty()).then_some(more),
    })
}
