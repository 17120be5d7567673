//! Lists: one page in its envelope, or a bare array (specification, section 4; wire contract, section 4).

use axum::extract::{ConnectInfo, Request, State};
use bytes::Bytes;
use http::StatusCode;
use svc_data::Page;
use svc_model::ListQuery;

use super::{CollectionSegments, read_against};
use crate::{
    answer::{Answer, Chunks, raw_json_answer},
    credentials::authorized,
    failure::Failure,
    links,
    listener::Peer,
    request::Segments,
    state::Shared,
};

pub(super) async fn list(
    State(state): State<Shared>,
    ConnectInfo(Peer(peer)): ConnectInfo<Peer>,
    Segments((project, environment, resource, model)): CollectionSegments,
    request: Request,
) -> Result<Answer, Failure> {
    let (parts, _) = request.into_parts();
    let resource = authorized(&state, &parts, project, environment, resource).await?;
    let query_text = parts.uri.query().unwrap_or_default();
    let (model, query) = read_against(&resource, &model, |model| {
        ListQuery::parse(query_text, &|name| model.has_field(name))
    })
    .await?;
    let page = resource.list(&model, &query).await?;
    let envelope = (!query.no_pagination).then(|| Envelope {
        link: format!(
            "{}{}",
            links::origin(&state.config, &parts.headers, peer),
            parts.uri.path().trim_end_matches('/')
        ),
        query_text: query_text.to_owned(),
        number: query.page,
        per_page: u64::from(query.limit()),
        count: page.count,
    });
    let body = match (envelope, &page.rest) {
        (None, None) => [page.results].into(),
        (Some(envelope), None) => [
            Bytes::from(format!("{{{},\"results\":", envelope.fields(&page))),
            page.results,
            Bytes::from_static(b"}"),
        ]
        .into(),
        (None, Some(_)) => streamed(Bytes::new(), page, |_| Bytes::new()),
        // What follows the page is known when all of it was read.
        (Some(envelope), Some(_)) => {
            streamed(Bytes::from_static(b"{\"results\":"), page, move |last| {
                format!(",{}}}", envelope.fields(last)).into()
            })
        }
    };
    Ok(raw_json_answer(StatusCode::OK, body))
}

/// The parts of a page as one array between `head` and what `tail` makes of the last part.
fn streamed(head: Bytes, page: Page, tail: impl FnOnce(&Page) -> Bytes + Send + 'static) -> Chunks {
    let Some(rest) = page.rest else {
        let tail = tail(&page);
        return [head, page.results, tail].into();
    };
    // Each part is an array: without its end, and the next without its beginning, they are one.
    let inside = page.results.slice(..page.results.len().saturating_sub(1));
    Chunks::from([head, inside]).followed_by(async move {
        let mut next = rest.read().await?;
        next.results = next.results.slice(Ord::min(1, next.results.len())..);
        let comma: &[u8] = if next.len > 0 { b"," } else { b"" };
        Ok(streamed(Bytes::from_static(comma), next, tail))
    })
}

/// The paginated envelope around records.
struct Envelope {
    /// The address of the list, without a query string.
    link: String,
    query_text: String,
    number: u64,
    per_page: u64,
    count: Option<u64>,
}

impl Envelope {
    /// The fields of the envelope but the records, given the page, or its last part.
    fn fields(&self, page: &Page) -> String {
        let link = |number: u64, after: Option<&str>| {
            let query = links::page_query(&self.query_text, number, after);
            format!("{}?{query}", self.link)
        };
        let next = page
            .has_more
            .then(|| link(self.number.saturating_add(1), page.after.as_deref()));
        // From a page past the end, the last one comes before.
        let pages = self.count.map(|count| count.div_ceil(self.per_page));
        let last = pages.map_or(u64::MAX, |pages| pages.max(1));
        let previous = (self.number > 1).then(|| link(Ord::min(self.number - 1, last), None));
        let number = |number: Option<u64>| {
            number.map_or_else(|| "null".to_owned(), |number| number.to_string())
        };
        let text = |text: Option<String>| serde_json::Value::from(text).to_string();
        format!(
            r#""count":{},"next":{},"previous":{},"num_pages":{},"per_page":{},"has_more":{}"#,
            number(self.count),
            text(next),
            text(previous),
            number(pages),
            self.per_page,
            page.has_more,
        )
    }
}
