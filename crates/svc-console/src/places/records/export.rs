//! The records of a list as a file. They are read page by page as the browser takes them, so that no more than a page is in
//! memory, whatever the list has.

use bytes::Bytes;
use futures_util::stream::try_unfold;
use http_body::Frame;
use http_body_util::StreamBody;
use serde_json::value::RawValue;
use svc_api::{Error, Records};
use svc_model::{
    Count, Invalid, JsonObject, ListQuery, Paginated, csv,
    query::parse_pairs,
    resources::FieldType,
    wire::{Body, BoxError},
};

use super::{message_of, without_controls};
use crate::{
    answer::Answer,
    places::{Scope, model::Model},
    problem::Result,
    visit::Visit,
};

/// How many records are read at first, before it is known how long they are.
const FIRST_PAGE: u32 = 50;
/// How many there are on a page at most.
const LONGEST_PAGE: u32 = 5_000;
/// About how many bytes a page has.
const PAGE_BYTES: usize = 2 << 20;

/// The form of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Csv,
    Ndjson,
}

/// The file.
pub(crate) async fn answer(visit: &Visit, scope: &Scope, model: (&str, &str)) -> Result<Answer> {
    let model = Model::open(visit, scope, model).await?;
    let format = match visit.query()?.text("_format") {
        "ndjson" => Format::Ndjson,
        _ => Format::Csv,
    };
    let is_field = |name: &str| model.field(name).is_some();
    let query = match ListQuery::parse(&without_controls(visit.raw_query()), &is_field) {
        Ok(query) => query,
        Err(invalid) => return Ok(refused(&model, &invalid)),
    };
    let mut query = super::view::at_start(&query);
    let all = model.description.fields.iter();
    let all = || all.clone().map(|field| field.name.clone()).collect();
    let mut names: Vec<String> = query.fields.clone().unwrap_or_else(all);
    names.retain(|name| is_field(name));
    query.fields = Some(names.clone());
    let is_json = |name: &str| {
        let field = model.field(name);
        field.is_some_and(|field| field.field == FieldType::JsonField)
    };
    let columns = names.into_iter().map(|name| {
        let is_json = is_json(&name);
        (name, is_json)
    });
    query.time_zone.clone_from(&model.context.account.timezone);
    let mut export = Export {
        records: model.records(),
        format,
        columns: columns.collect(),
        next: Some(query),
        per_page: FIRST_PAGE,
    };
    // What goes wrong at once is said on a page.
    let mut first = export.head();
    first.extend(export.page().await?);
    let name = match format {
        Format::Csv => format!("{}.csv", model.name),
        Format::Ndjson => format!("{}.ndjson", model.name),
    };
    let media_type = match format {
        Format::Csv => "text/csv; charset=utf-8",
        Format::Ndjson => "application/x-ndjson",
    };
    Ok(Answer::download(&name, media_type, export.into_body(first)))
}

fn refused(model: &Model<'_>, invalid: &Invalid) -> Answer {
    let message = message_of(model.context.visit, invalid);
    let above = vec![(model.name.to_string(), model.list())];
    let page = model
        .frame(model.texts().get("export"), above)
        .page(&message);
    Answer::page(page).status(http::StatusCode::BAD_REQUEST)
}

/// A file that is being written.
struct Export {
    records: Records,
    format: Format,
    /// The names of the columns, and whether they hold JSON.
    columns: Vec<(String, bool)>,
    /// The next page; `None` behind the last.
    next: Option<ListQuery>,
    per_page: u32,
}

impl Export {
    /// The line of the names.
    fn head(&self) -> Vec<u8> {
        let mut line = Vec::new();
        if self.format == Format::Csv {
            csv::push_row(&mut line, self.columns.iter().map(|(name, _)| Some(name)));
        }
        line
    }

    /// The rows of the next page. One that is too long to be read at once is asked for in smaller parts.
    async fn page(&mut self) -> Result<Vec<u8>, Error> {
        let Some(asked) = self.next.clone() else {
            return Ok(Vec::new());
        };
        let page: Paginated<Box<RawValue>> = loop {
            let mut query = asked.clone();
            query.per_page = Some(self.per_page);
            query.count = Count::None;
            let records = self.records.clone().typed::<Box<RawValue>>();
            match records.list().query(query).send().await {
                Ok(page) => break page,
                // An answer that cannot be taken as a whole, and no refusal.
                Err(error) if error.status().is_none() && self.per_page > 1 => {
                    self.per_page = (self.per_page / 10).max(1);
                }
                Err(error) => return Err(error),
            }
        };
        self.next = page.next.as_deref().map(|link| following(link, &asked));
        let mut rows = Vec::new();
        let mut bytes = 0;
        for record in &page.results {
            bytes += record.get().len();
            match self.format {
                Format::Ndjson => {
                    rows.extend_from_slice(record.get().as_bytes());
                    rows.push(b'\n');
                }
                Format::Csv => self.write(record, &mut rows),
            }
        }
        if !page.results.is_empty() {
            let fitting = PAGE_BYTES / (bytes / page.results.len()).max(1);
            let fitting = u32::try_from(fitting).unwrap_or(LONGEST_PAGE);
            // Grows step by step: the records behind these may be longer.
            let most = self.per_page.saturating_mul(20).min(LONGEST_PAGE);
            self.per_page = fitting.clamp(1, most);
        }
        Ok(rows)
    }

    fn write(&self, record: &RawValue, rows: &mut Vec<u8>) {
        let record: JsonObject = serde_json::from_str(record.get()).unwrap_or_default();
        let columns = self.columns.iter();
        let cells = columns.map(|(name, is_json)| match record.get_raw(name) {
            None | Some("null") => None,
            // As the service writes it: a string in JSON has its quotes.
            Some(raw) if *is_json => Some(raw.to_owned()),
            Some(raw) => Some(serde_json::from_str(raw).unwrap_or_else(|_| raw.to_owned())),
        });
        csv::push_row::<String>(rows, cells);
    }

    /// The whole file, of which this is the beginning. What goes wrong later cuts it off, which a browser says.
    fn into_body(self, first: Vec<u8>) -> Body {
        let chunks = try_unfold((self, Some(first)), |(mut export, first)| async move {
            let rows = match first {
                Some(first) => first,
                None if export.next.is_none() => return Ok(None),
                None => export.page().await.map_err(BoxError::from)?,
            };
            let frame = Frame::data(Bytes::from(rows));
            Ok::<_, BoxError>(Some((frame, (export, None))))
        });
        Body::stream(StreamBody::new(Box::pin(chunks)))
    }
}

/// The query of the page that a link leads to: only its place in the list is taken from the link.
fn following(link: &str, from: &ListQuery) -> ListQuery {
    let (_, parameters) = link.split_once('?').unwrap_or_default();
    let pairs = parse_pairs(parameters).unwrap_or_default();
    let mut query = from.clone();
    for (name, value) in pairs {
        match &*name {
            "_after" => query = query.after(value),
            "page" => query = query.page(value.parse().unwrap_or(1)),
            _ => {}
        }
    }
    query
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_page_is_of_the_same_list() {
        let from = ListQuery::new().search("x").after("a");
        let next = following("http://h/m/?_count=none&_after=b%3D&_search=y", &from);
        assert_eq!(next, ListQuery::new().search("x").after("b="));
    }
}
