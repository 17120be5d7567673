//! Lists: one page in its envelope, a bare array (specification, section 4; wire contract, section 4), or rows in
//! another form, with what the envelope says in headers.

use std::{collections::HashSet, net::IpAddr};

use axum::extract::ConnectInfo;
use bytes::Bytes;
use http::{HeaderValue, StatusCode, header, request::Parts};
use svc_data::{Field, Model, Page};
use svc_model::{Count, CountIs, Invalid, ListQuery, resources::FieldType, wire::BoxFuture};

use crate::{
    Config,
    auth::access::{Call, Read, Selection},
    http::{
        ApiError, ApiResult,
        error::suggestion,
        links,
        request::Peer,
        response::{
            Chunks, Kept, raw_json_response,
            rows::{Format, More, RowWriter, TOTAL_COUNT},
        },
    },
    state::statements::Running,
};

pub(super) async fn list(
    ConnectInfo(Peer(peer)): ConnectInfo<Peer>,
    call: Call<Read>,
) -> ApiResult {
    let query_text = call.request.query();
    let selection = call.access.select(|model| {
        ListQuery::parse(query_text, &|name| model.has_field(name))
            .map_err(|invalid| suggestion::in_list(&invalid, model))
    });
    let selection = selection.await?;
    let Selection { model, query, .. } = &selection;
    let asked = ListRequest {
        parts: &call.request.parts,
        config: &call.request.state.config,
        peer,
        completion: None,
    };
    let begin = || call.access.begin_request(&call.request);
    let read = Box::pin(selection.list());
    answer(asked, model, query, &begin, read).await
}

/// How a list was asked for.
pub(crate) struct ListRequest<'r> {
    pub(crate) parts: &'r Parts,
    pub(crate) config: &'r Config,
    pub(crate) peer: IpAddr,
    /// What is added to the rows.
    pub(crate) completion: Option<Completion>,
}

/// What is added to the rows of a list that their database does not hold.
pub(crate) struct Completion {
    /// The names of what each row gets behind its fields.
    pub(crate) columns: &'static [&'static str],
    /// Adds it to the rows of a JSON array.
    pub(crate) complete: Box<dyn Fn(Bytes) -> BoxFuture<'static, ApiResult<Bytes>> + Send + Sync>,
}

/// A list that is being read.
struct Reading {
    running: Running,
    completion: Option<Completion>,
}

impl Reading {
    /// Reads a part of the list.
    async fn part(
        &self,
        read: BoxFuture<'_, Result<Page, svc_data::Error>>,
        explain: impl FnOnce(svc_data::Error) -> ApiError,
    ) -> ApiResult<Page> {
        let read = self.running.unless_cancelled(read).await?;
        let mut page = read.map_err(explain)?;
        if let Some(Completion { complete, .. }) = &self.completion {
            page.results = complete(page.results).await?;
        }
        Ok(page)
    }
}

/// Answers with a page of the entries of a model, which `read` reads.
pub(crate) async fn answer(
    ListRequest {
        parts,
        config,
        peer,
        completion,
    }: ListRequest<'_>,
    model: &Model,
    query: &ListQuery,
    begin: &(dyn Fn() -> ApiResult<Running> + Sync),
    read: BoxFuture<'_, Result<Page, svc_data::Error>>,
) -> ApiResult {
    let query_text = parts.uri.query().unwrap_or_default();
    let format = Format::accepted(&parts.headers);
    if matches!(format, Some(Format::Csv(_))) {
        let refused = |key, message| Err(ApiError::Invalid(Invalid::field(key, message)));
        if query.expand.is_some() {
            let message = "CSV has no related records; ask for JSON or NDJSON";
            return refused("_expand", message);
        }
        if query.excerpt.is_some() {
            let message = "CSV cannot tell what was cut; ask for JSON or NDJSON";
            return refused("_excerpt", message);
        }
    }
    let reading = Reading {
        running: begin()?,
        completion,
    };
    let explain = |error| explained(error, model, query);
    let page = reading.part(read, explain).await?;
    let envelope = (!query.no_pagination).then(|| Envelope {
        link: format!(
            "{}{}",
            links::origin(config, &parts.headers, peer),
            parts.uri.path().trim_end_matches('/')
        ),
        query_text: query_text.to_owned(),
        before: page.before.clone(),
        number: match (&query.after, &query.before, query.last) {
            (None, None, false) => Some(query.page),
            _ => None,
        },
        end: match (&query.before, query.last, page.offset) {
            (None, false, Some(offset)) => Some(offset.saturating_add(u64::from(query.limit()))),
            _ => None,
        },
        is_past_end: page.len == 0 && query.after.is_none(),
        per_page: u64::from(query.limit()),
        count: page.count,
        count_is: page
            .count_is
            .filter(|_| matches!(query.count, Count::Auto | Count::Estimated)),
    });
    if let Some(format) = format {
        return in_format(format, model, query, page, envelope.as_ref(), reading);
    }
    let id = reading.running.id();
    let body = match (envelope, &page.rest) {
        (None, None) => [page.results].into(),
        (Some(envelope), None) => [
            Bytes::from(format!("{{{},\"results\":", envelope.fields(&page))),
            page.results,
            Bytes::from_static(b"}"),
        ]
        .into(),
        (None, Some(_)) => streamed(Bytes::new(), page, reading, |_| Bytes::new()),
        // What follows the page is known when all of it was read.
        (Some(envelope), Some(_)) => {
            let tail = move |last: &Page| format!(",{}}}", envelope.fields(last)).into();
            streamed(Bytes::from_static(b"{\"results\":"), page, reading, tail)
        }
    };
    let mut answer = raw_json_response(StatusCode::OK, body);
    let vary = HeaderValue::from_static("accept");
    answer.headers_mut().insert(header::VARY, vary);
    id.tell(&mut answer);
    Ok(answer)
}

/// The failure of a list, with what was meant most likely where a field is not known, or an operator stands in front of a
/// value.
fn explained(error: svc_data::Error, model: &Model, query: &ListQuery) -> ApiError {
    let invalid = match ApiError::from(error) {
        ApiError::Invalid(invalid) => invalid,
        failure => return failure,
    };
    let invalid = suggestion::with_fields(&invalid, model);
    ApiError::Invalid(suggestion::with_operators(&invalid, query))
}

/// A page as rows of another form.
fn in_format(
    format: Format,
    model: &Model,
    query: &ListQuery,
    page: Page,
    envelope: Option<&Envelope>,
    reading: Reading,
) -> ApiResult {
    let wanted: Option<HashSet<&str>> = query
        .fields
        .as_ref()
        .map(|names| names.iter().map(String::as_str).collect());
    let is_selected = |field: &&Field| {
        let wanted = wanted.as_ref();
        wanted.is_none_or(|names| names.contains(field.name.as_str()))
            || model.primary_key().any(|key| key.name == field.name)
    };
    let selected = model.fields().iter().filter(is_selected);
    let is_json = selected
        .clone()
        .map(|field| field.field_type == FieldType::JsonField);
    let columns = selected.map(|field| field.name.clone());
    let added = reading.completion.as_ref();
    let added = added.map_or(&[][..], |completion| completion.columns);
    let columns = columns.chain(added.iter().map(|name| (*name).to_owned()));
    let writer = RowWriter::new(format, columns.collect()).with_json(is_json.collect());
    let mut links = Vec::new();
    if let Some(envelope) = envelope {
        // Where a page is long, its end is not known yet; its number and the count may tell.
        let next = match &page.rest {
            None => envelope.next(&page),
            Some(_) => envelope.next_by_number(),
        };
        links.extend(next.map(|url| format!("<{url}>; rel=\"next\"")));
        links.extend(
            envelope
                .previous()
                .map(|url| format!("<{url}>; rel=\"prev\"")),
        );
    }
    let count = page.count;
    let kept = Kept(page.results.len());
    let id = reading.running.id();
    let head = Chunks::from([writer.head()?]);
    let mut answer =
        format.answer(head.followed_by(async move { Ok(rows(writer, page, reading)?) }));
    answer.extensions_mut().insert(kept);
    id.tell(&mut answer);
    let headers = answer.headers_mut();
    if let Ok(value) = HeaderValue::try_from(links.join(", "))
        && !links.is_empty()
    {
        headers.insert(header::LINK, value);
    }
    if let Some(count) = count {
        headers.insert(TOTAL_COUNT, count.into());
    }
    Ok(answer)
}

/// The rows of a page, and of its rest.
fn rows(writer: RowWriter, page: Page, reading: Reading) -> ApiResult<Chunks> {
    let rest = page.rest;
    writer.write(page.results, |writer| {
        let rest = rest?;
        let more: More = Box::pin(async move {
            let page = reading.part(Box::pin(rest.read()), ApiError::from).await?;
            Ok(rows(writer, page, reading)?)
        });
        Some(more)
    })
}

/// The parts of a page as one array between `head` and what `tail` makes of the last part.
fn streamed(
    head: Bytes,
    page: Page,
    reading: Reading,
    tail: impl FnOnce(&Page) -> Bytes + Send + 'static,
) -> Chunks {
    let Some(rest) = page.rest else {
        let tail = tail(&page);
        return [head, page.results, tail].into();
    };
    // Each part is an array: without its end, and the next without its beginning, they are one.
    let inside = page.results.slice(..page.results.len().saturating_sub(1));
    Chunks::from([head, inside]).followed_by(async move {
        let mut next = reading.part(Box::pin(rest.read()), ApiError::from).await?;
        next.results = next.results.slice(Ord::min(1, next.results.len())..);
        let comma: &[u8] = if next.len > 0 { b"," } else { b"" };
        Ok(streamed(Bytes::from_static(comma), next, reading, tail))
    })
}

/// The paginated envelope around records.
struct Envelope {
    /// The address of the list, without a query string.
    link: String,
    query_text: String,
    /// The cursor before the first record.
    before: Option<String>,
    /// The number of the page, where it has one.
    number: Option<u64>,
    /// How many records are before its end, where that is known.
    end: Option<u64>,
    is_past_end: bool,
    per_page: u64,
    count: Option<u64>,
    count_is: Option<CountIs>,
}

impl Envelope {
    fn page(&self, place: &str, value: &str) -> String {
        let query = links::page_query(&self.query_text, (place, value));
        format!("{}?{query}", self.link)
    }

    /// The link to the next page, given this one, or its last part.
    fn next(&self, page: &Page) -> Option<String> {
        let after = page.after.as_deref().filter(|_| page.has_more);
        after.map(|after| self.page("_after", after))
    }

    /// The link to the next page where the number of all records says that there is one.
    fn next_by_number(&self) -> Option<String> {
        let end = self.end?;
        let is_exact = !matches!(self.count_is, Some(CountIs::Estimate));
        let more = self.count.is_some_and(|count| is_exact && end < count);
        more.then(|| self.page("_after", &svc_data::cursor_behind(end)))
    }

    /// The link to the page before; from a page past the end, that is the last one.
    fn previous(&self) -> Option<String> {
        if self.is_past_end
            && let Some(number) = self.number.filter(|number| *number > 1)
        {
            let last = self.pages().map_or(u64::MAX, |pages| pages.max(1));
            return Some(self.page("page", &Ord::min(number - 1, last).to_string()));
        }
        self.before
            .as_deref()
            .map(|before| self.page("_before", before))
    }

    /// How many pages there are.
    fn pages(&self) -> Option<u64> {
        self.count.map(|count| count.div_ceil(self.per_page))
    }

    /// The fields of the envelope but the records, given the page, or its last part.
    fn fields(&self, page: &Page) -> String {
        let number = |number: Option<u64>| {
            number.map_or_else(|| "null".to_owned(), |number| number.to_string())
        };
        // A text can always be JSON.
        let text = |text: Option<String>| serde_json::to_string(&text).unwrap_or_default();
        format!(
            r#""count":{}{},"next":{},"previous":{},"num_pages":{},"per_page":{},"has_more":{}"#,
            number(self.count),
            match self.count_is {
                Some(CountIs::Exact) => r#","count_is":"exact""#,
                Some(CountIs::Estimate) => r#","count_is":"estimate""#,
                _ => "",
            },
            text(self.next(page)),
            text(self.previous()),
            number(self.pages()),
            self.per_page,
            page.has_more,
        )
    }
}
