//! The lines as CSV: what the service answers, one page of it after the other.

use bytes::Bytes;
use futures_util::{Stream, TryStreamExt as _, stream};
use http::{HeaderMap, HeaderValue, Response, header};
use http_body::Frame;
use http_body_util::{BodyExt as _, StreamBody};
use jiff::Timestamp;
use svc_api::{Client, Error, RequestOptions};
use svc_model::{Count, ListQuery, MAX_PER_PAGE, query::parse_pairs, wire::Body};

use super::{Trail, filters::Filters};
use crate::{BoxError, answer::Answer, problem::Result};

const CSV: &str = "text/csv; charset=utf-8";

/// A file with all lines that the filters select.
pub(super) async fn answer(trail: &Trail<'_>) -> Result<Answer> {
    let filters = Filters::read(&trail.visit.query()?);
    let mut query = filters.query();
    (query.after, query.before) = (None, None);
    // Pages that are longer than a mebibyte know the next one by the number of lines alone.
    (query.per_page, query.count) = (Some(MAX_PER_PAGE), Count::Exact);
    let export = Export {
        client: trail.client.clone(),
        is_of_project: trail.context.is_some(),
        query,
        since: filters.since(trail.account),
        // Lines that come meanwhile move no page.
        until: filters
            .until(trail.account)
            .or_else(|| Some(Timestamp::now().to_string())),
    };
    let first = export.page(&Place::Start).await?;
    let frames = export.bytes(first).map_ok(Frame::data);
    let body = Body::stream(StreamBody::new(Box::pin(frames)));
    Ok(Answer::download("audit.csv", CSV, body))
}

/// Where a page begins.
enum Place {
    Start,
    /// Behind a cursor.
    After(String),
    /// At the page of this number.
    Page(u64),
}

/// What comes next.
enum Step {
    Answer(Response<Body>),
    Place(Place),
    End,
}

struct Export {
    client: Client,
    is_of_project: bool,
    query: ListQuery,
    since: Option<String>,
    until: Option<String>,
}

impl Export {
    /// A page of the lines.
    async fn page(&self, place: &Place) -> Result<Response<Body>, Error> {
        let mut query = self.query.clone();
        let mut accepted = "text/csv; header=absent; escape-formulas=1";
        match place {
            Place::Start => accepted = "text/csv; escape-formulas=1",
            Place::After(cursor) => query = query.after(cursor),
            Place::Page(number) => query = query.page(*number),
        }
        let options = RequestOptions::new().no_deadline();
        let options = options.header(header::ACCEPT, HeaderValue::from_static(accepted));
        let administration = self.client.administration();
        let audit = administration.audit();
        let (since, until) = (self.since.clone(), self.until.clone());
        match self.is_of_project {
            true => {
                let mut call = audit.list_of_project().query(query).options(options);
                if let Some(since) = since {
                    call = call.since(since);
                }
                if let Some(until) = until {
                    call = call.until(until);
                }
                call.send_streaming().await
            }
            false => {
                let mut call = audit.list().query(query).options(options);
                if let Some(since) = since {
                    call = call.since(since);
                }
                if let Some(until) = until {
                    call = call.until(until);
                }
                call.send_streaming().await
            }
        }
    }

    /// The bytes of all pages. The next page is asked for when the one before was read.
    fn bytes(self, first: Response<Body>) -> impl Stream<Item = Result<Bytes, BoxError>> + Send {
        let pages = stream::try_unfold((self, Step::Answer(first)), async |(export, step)| {
            let answer = match step {
                Step::Answer(answer) => answer,
                Step::Place(place) => export.page(&place).await?,
                Step::End => return Ok::<_, BoxError>(None),
            };
            let next = next_of(answer.headers()).map_or(Step::End, Step::Place);
            let bytes = answer.into_body().into_data_stream();
            Ok(Some((bytes.map_err(BoxError::from), (export, next))))
        });
        pages.try_flatten()
    }
}

/// Where the page begins that the answer's header `Link` names as the next one.
fn next_of(headers: &HeaderMap) -> Option<Place> {
    let links = headers.get_all(header::LINK).iter();
    let links = links.filter_map(|value| value.to_str().ok());
    let mut links = links.flat_map(|value| value.split(','));
    let link = links.find(|link| link.contains("rel=\"next\""))?;
    let (_, query) = link.split('>').next()?.split_once('?')?;
    let pairs = parse_pairs(query).ok()?;
    pairs.into_iter().find_map(|(name, value)| match &*name {
        "_after" => Some(Place::After(value.into_owned())),
        "page" => value.parse().ok().map(Place::Page),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_page_is_the_one_that_the_header_names() {
        let next = |link: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::LINK, link.parse().unwrap());
            next_of(&headers)
        };
        let link = "<http://a/?_before=x&model=a>; rel=\"prev\", <http://a/?model=a&_after=b%3D>; rel=\"next\"";
        assert!(matches!(next(link), Some(Place::After(cursor)) if cursor == "b="));
        assert!(matches!(
            next("<http://a/?page=3>; rel=\"next\""),
            Some(Place::Page(3))
        ));
        assert!(next("<http://a/?page=1>; rel=\"prev\"").is_none());
    }
}
