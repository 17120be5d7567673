//! Rows in another form than JSON, for callers whose `Accept` header asks for it: NDJSON, or CSV (RFC 4180).
//!
//! What drivers write is a JSON array; it is taken apart element by element as it is sent, so that no page is
//! in memory in two forms.

use std::{borrow::Cow, fmt, iter::repeat};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;
use svc_model::csv;

use crate::http::{
    ApiError, ApiResponse, ApiResult,
    response::{Chunks, CutOff, raw_json_response},
};

/// How many rows there are in all, in an answer without an envelope.
pub(crate) const TOTAL_COUNT: HeaderName = HeaderName::from_static("x-total-count");
/// Whether rows were left out because of the caps on rows and bytes, in an answer without an envelope.
pub(crate) const TRUNCATED: HeaderName = HeaderName::from_static("x-truncated");
/// How many bytes are turned at a time.
const PORTION: usize = 64 << 10;

/// The form that rows are asked for in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// An object for each row, each on a line.
    Ndjson,
    /// Comma-separated values with a header line.
    Csv(CsvOptions),
}

/// How CSV is written, by the parameters of `text/csv` in `Accept`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CsvOptions {
    /// `header=absent`
    no_header: bool,
    /// `escape-formulas=1`: texts that a spreadsheet would calculate get an apostrophe in front.
    escape_formulas: bool,
}

impl Format {
    /// Reads the `Accept` header (RFC 9110, section 12.5.1). None is JSON, which is also the answer to those who
    /// take neither form, and to those who take all.
    pub(crate) fn accepted(headers: &HeaderMap) -> Option<Self> {
        let mut best: (f32, Option<Self>) = (0.0, None);
        let values = headers.get_all(header::ACCEPT).iter();
        let ranges = values.filter_map(|value| value.to_str().ok());
        for range in ranges.flat_map(|value| value.split(',')) {
            let mut parts = range.split(';').map(str::trim);
            let media_type = parts.next().unwrap_or_default().to_ascii_lowercase();
            let mut quality = 1.0;
            let mut csv = CsvOptions::default();
            for parameter in parts {
                let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
                match (
                    name.trim().to_ascii_lowercase().as_str(),
                    value.trim().trim_matches('"'),
                ) {
                    ("q", value) => quality = value.parse().unwrap_or(0.0),
                    ("header", "absent") => csv.no_header = true,
                    ("escape-formulas", "1") => csv.escape_formulas = true,
                    _ => {}
                }
            }
            let format = match media_type.as_str() {
                "application/x-ndjson" | "application/ndjson" => Some(Self::Ndjson),
                "text/csv" => Some(Self::Csv(csv)),
                "application/json" | "application/*" | "*/*" => None,
                _ => continue,
            };
            if quality > best.0 {
                best = (quality, format);
            }
        }
        best.1
    }

    fn media_type(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Ndjson => "application/x-ndjson",
            Self::Csv(CsvOptions {
                no_header: true, ..
            }) => "text/csv; charset=utf-8; header=absent",
            Self::Csv(_) => "text/csv; charset=utf-8; header=present",
        })
    }

    /// An answer of rows in this form.
    pub(crate) fn answer(self, body: Chunks) -> ApiResponse {
        let mut answer = raw_json_response(StatusCode::OK, body);
        let headers = answer.headers_mut();
        headers.insert(header::CONTENT_TYPE, self.media_type());
        headers.insert(header::VARY, HeaderValue::from_static("accept"));
        answer
    }
}

/// Writes rows in a form.
#[derive(Clone, Debug)]
pub(crate) struct RowWriter {
    format: Format,
    columns: Vec<String>,
    /// Whether a column holds JSON, of those that are known to; the others are texts, numbers and the like.
    is_json: Vec<bool>,
    /// The whole lengths of values that were cut: a JSON array with an object or null for each row.
    cut: Bytes,
    cut_at: usize,
}

impl RowWriter {
    pub(crate) fn new(format: Format, columns: Vec<String>) -> Self {
        Self {
            format,
            columns,
            is_json: Vec::new(),
            cut: Bytes::new(),
            cut_at: 1,
        }
    }

    /// The same, where these columns hold JSON. In CSV their texts are JSON too, so that they are told from numbers.
    pub(crate) fn with_json(self, is_json: Vec<bool>) -> Self {
        Self { is_json, ..self }
    }

    /// The same, for rows of which values were cut.
    pub(crate) fn with_cut(self, cut: Bytes) -> Self {
        Self { cut, ..self }
    }

    /// What comes in front of the rows.
    pub(crate) fn head(&self) -> ApiResult<Bytes> {
        match self.format {
            Format::Ndjson => Ok(Bytes::new()),
            Format::Csv(options) if options.no_header => Ok(Bytes::new()),
            Format::Csv(options) => {
                let names = self.columns.iter();
                let names = names.map(|name| Some(options.cell(Cow::Borrowed(name))));
                let mut line = Vec::new();
                csv::push_row(&mut line, names);
                Ok(line.into())
            }
        }
    }

    /// Turns the rows of a JSON array, portion by portion while they are sent, with `more` behind them.
    pub(crate) fn write(
        self,
        rows: Bytes,
        more: impl FnOnce(Self) -> Option<More> + Send + 'static,
    ) -> ApiResult<Chunks> {
        self.write_from(rows, 1, more)
    }

    fn write_from(
        mut self,
        rows: Bytes,
        mut at: usize,
        more: impl FnOnce(Self) -> Option<More> + Send + 'static,
    ) -> ApiResult<Chunks> {
        let mut portion = Vec::new();
        let end = at.saturating_add(PORTION);
        while let Some(element) = element(&rows, &mut at)? {
            self.push(&mut portion, element)?;
            if at > end {
                let chunks = Chunks::from([Bytes::from(portion)]);
                return Ok(chunks.followed_by(async move { Ok(self.write_from(rows, at, more)?) }));
            }
        }
        let chunks = Chunks::from([Bytes::from(portion)]);
        Ok(match more(self) {
            Some(more) => chunks.followed_by(more),
            None => chunks,
        })
    }

    /// Adds a row, which is an object of the columns or an array of their values.
    fn push(&mut self, out: &mut Vec<u8>, row: &RawValue) -> ApiResult<()> {
        match self.format {
            Format::Ndjson if row.get().starts_with('{') => push_line(out, row.get()),
            Format::Ndjson => {
                let Cells(cells) = serde_json::from_str(row.get()).map_err(|_| broken())?;
                for (position, (name, cell)) in self.columns.iter().zip(cells).enumerate() {
                    out.push(if position == 0 { b'{' } else { b',' });
                    serde_json::to_writer(&mut *out, name).map_err(|_| broken())?;
                    out.push(b':');
                    push_line(out, cell.get());
                }
                if self.columns.is_empty() {
                    out.push(b'{');
                }
                let cut = element(&self.cut, &mut self.cut_at)?;
                if let Some(cut) = cut.filter(|cut| cut.get().starts_with('{')) {
                    out.extend_from_slice(b",\"_cut\":");
                    out.extend_from_slice(cut.get().as_bytes());
                }
                out.push(b'}');
            }
            Format::Csv(options) => {
                let Cells(cells) = serde_json::from_str(row.get()).map_err(|_| broken())?;
                let is_json = self.is_json.iter().copied().chain(repeat(false));
                let texts = cells
                    .into_iter()
                    .zip(is_json)
                    .map(|(cell, is_json)| options.text(cell, is_json));
                let texts: Vec<_> = texts.collect::<Result<_, _>>()?;
                csv::push_row(out, texts);
                return Ok(());
            }
        }
        out.push(b'\n');
        Ok(())
    }
}

/// What follows rows, made when they are on their way.
pub(crate) type More = svc_model::wire::BoxFuture<'static, Result<Chunks, CutOff>>;

impl CsvOptions {
    /// A value as the text of a cell: none for NULL, JSON for what has parts.
    fn text(self, value: &RawValue, is_json: bool) -> ApiResult<Option<Cow<'_, str>>> {
        let json = value.get();
        Ok(match json.as_bytes().first() {
            Some(b'n') => None,
            Some(b'"') if !is_json => {
                let text: String = serde_json::from_str(json).map_err(|_| broken())?;
                Some(self.cell(Cow::Owned(text)))
            }
            _ => Some(Cow::Borrowed(json)),
        })
    }

    fn cell(self, text: Cow<'_, str>) -> Cow<'_, str> {
        let is_formula =
            text.starts_with(['=', '+', '-', '@', '\t', '\r']) && !is_negative_number(&text);
        match self.escape_formulas && is_formula {
            true => format!("'{text}").into(),
            false => text,
        }
    }
}

/// Whether a text is digits behind a minus, with at most one point: exact decimals are texts.
fn is_negative_number(text: &str) -> bool {
    let Some(number) = text.strip_prefix('-') else {
        return false;
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_digits(whole) && is_digits(fraction)
}

/// Adds JSON on one line: between its tokens a line may end, inside them none does.
fn push_line(out: &mut Vec<u8>, json: &str) {
    out.extend(json.bytes().map(|byte| match byte {
        b'\n' | b'\r' => b' ',
        byte => byte,
    }));
}

/// The element of an array that begins at a place, which is moved behind it; none at the end.
fn element<'a>(array: &'a [u8], at: &mut usize) -> ApiResult<Option<&'a RawValue>> {
    let rest = array.get(*at..).unwrap_or_default();
    let skipped = rest
        .iter()
        .take_while(|byte| matches!(byte, b',' | b' ' | b'\n' | b'\r' | b'\t'))
        .count();
    let rest = rest.get(skipped..).unwrap_or_default();
    if matches!(rest.first(), None | Some(b']')) {
        return Ok(None);
    }
    let mut reader = serde_json::Deserializer::from_slice(rest);
    let element = <&RawValue>::deserialize(&mut reader).map_err(|_| broken())?;
    *at += skipped + element.get().len();
    Ok(Some(element))
}

fn broken() -> ApiError {
    ApiError::Internal("rows cannot be turned into another form".to_owned())
}

/// The values of an object or an array, in their order.
struct Cells<'a>(Vec<&'a RawValue>);

impl<'de> Deserialize<'de> for Cells<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CellsVisitor;
        impl<'de> Visitor<'de> for CellsVisitor {
            type Value = Cells<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a row")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Cells<'de>, A::Error> {
                let mut cells = Vec::new();
                while let Some((IgnoredAny, cell)) = map.next_entry()? {
                    cells.push(cell);
                }
                Ok(Cells(cells))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Cells<'de>, A::Error> {
                let mut cells = Vec::new();
                while let Some(cell) = seq.next_element()? {
                    cells.push(cell);
                }
                Ok(Cells(cells))
            }
        }
        deserializer.deserialize_any(CellsVisitor)
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;

    use super::*;

    fn asked(accept: &str) -> Option<Format> {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, accept.parse().unwrap());
        Format::accepted(&headers)
    }

    #[test]
    fn the_form_with_the_highest_quality_is_taken_and_json_otherwise() {
        let csv = Some(Format::Csv(CsvOptions::default()));
        assert_eq!(asked("text/csv"), csv);
        assert_eq!(asked("application/json, text/csv;q=0.9"), None);
        assert_eq!(asked("application/json;q=0.5, TEXT/CSV ; q=0.9"), csv);
        assert_eq!(asked("application/x-ndjson"), Some(Format::Ndjson));
        assert_eq!(asked("text/html, */*;q=0.8"), None);
        assert_eq!(asked("text/csv;q=0"), None);
        assert_eq!(
            asked("text/csv; header=absent; escape-formulas=\"1\""),
            Some(Format::Csv(CsvOptions {
                no_header: true,
                escape_formulas: true
            }))
        );
        assert_eq!(Format::accepted(&HeaderMap::new()), None);
    }

    async fn turned(format: Format, columns: &[&str], rows: &str) -> String {
        let columns = columns.iter().map(ToString::to_string).collect();
        let writer = RowWriter::new(format, columns);
        let mut text = writer.head().unwrap().to_vec();
        let body = writer.write(rows.to_owned().into(), |_| None).unwrap();
        text.extend(body.collect().await.unwrap().to_bytes());
        String::from_utf8(text).unwrap()
    }

    #[tokio::test]
    async fn rows_become_lines_whatever_they_hold() {
        let rows = "[{\"a\":1,\"b\":\"x,\\\"y\\\"\\n\"},{\"a\":null,\"b\":{\n\"c\": [1,\r\n2]}}]";
        let csv = Format::Csv(CsvOptions::default());
        assert_eq!(
            turned(csv, &["a", "b"], rows).await,
            "a,b\r\n1,\"x,\"\"y\"\"\n\"\r\n,\"{\n\"\"c\"\": [1,\r\n2]}\"\r\n"
        );
        assert_eq!(
            turned(csv, &["a", "b"], "[[null,\"\"],[\"\",null]]").await,
            "a,b\r\n,\"\"\r\n\"\",\r\n",
            "the empty text and NULL are two things"
        );
        assert_eq!(
            turned(Format::Ndjson, &["a", "b"], rows).await,
            "{\"a\":1,\"b\":\"x,\\\"y\\\"\\n\"}\n{\"a\":null,\"b\":{ \"c\": [1,  2]}}\n"
        );
        assert_eq!(
            turned(Format::Ndjson, &["a", "b\""], "[[1,2.50],[null,\"\"]]").await,
            "{\"a\":1,\"b\\\"\":2.50}\n{\"a\":null,\"b\\\"\":\"\"}\n"
        );
        assert_eq!(turned(csv, &["a"], "[]").await, "a\r\n");
    }

    #[tokio::test]
    async fn a_text_in_a_column_of_json_is_json() {
        let columns = vec!["doc".to_owned(), "name".to_owned()];
        let csv = Format::Csv(CsvOptions::default());
        let writer = RowWriter::new(csv, columns).with_json(vec![true]);
        let rows = r#"[["12","12"],[12,""],[null,"x"],[{"a":"b"},null]]"#;
        let body = writer.write(rows.into(), |_| None).unwrap();
        let text = body.collect().await.unwrap().to_bytes();
        assert_eq!(
            text,
            "\"\"\"12\"\"\",12\r\n12,\"\"\r\n,x\r\n\"{\"\"a\"\":\"\"b\"\"}\",\r\n"
        );
    }

    #[tokio::test]
    async fn a_line_tells_what_of_its_row_was_cut() {
        let writer = RowWriter::new(Format::Ndjson, vec!["a".to_owned()]);
        let writer = writer.with_cut(Bytes::from_static(b"[null,{\"a\":9},null]"));
        let rows = Bytes::from_static(b"[[\"x\"],[\"yy\"],[null]]");
        let body = writer.write(rows, |_| None).unwrap();
        let text = body.collect().await.unwrap().to_bytes();
        assert_eq!(
            text,
            "{\"a\":\"x\"}\n{\"a\":\"yy\",\"_cut\":{\"a\":9}}\n{\"a\":null}\n"
        );
    }

    #[tokio::test]
    async fn formulas_are_escaped_on_request_and_numbers_are_not() {
        let rows = "[[\"=1+1\",\"-x\",-5,\"-12.50\",\"-1+1\"]]";
        let columns = ["=a", "b", "c", "d", "e"];
        let plain = Format::Csv(CsvOptions::default());
        assert_eq!(
            turned(plain, &columns, rows).await,
            "=a,b,c,d,e\r\n=1+1,-x,-5,-12.50,-1+1\r\n"
        );
        let escaped = Format::Csv(CsvOptions {
            escape_formulas: true,
            ..CsvOptions::default()
        });
        assert_eq!(
            turned(escaped, &columns, rows).await,
            "'=a,b,c,d,e\r\n'=1+1,'-x,-5,-12.50,'-1+1\r\n"
        );
    }

    #[tokio::test]
    async fn many_rows_are_turned_portion_by_portion_and_none_is_lost() {
        let rows: Vec<String> = (0..50_000)
            .map(|number| format!("[{number},\"text\"]"))
            .collect();
        let text = turned(
            Format::Ndjson,
            &["n", "t"],
            &format!("[{}]", rows.join(",")),
        )
        .await;
        assert_eq!(text.lines().count(), 50_000);
        assert!(text.ends_with("{\"n\":49999,\"t\":\"text\"}\n"));
    }
}
