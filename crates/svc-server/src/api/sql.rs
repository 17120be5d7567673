//! Read-only SQL on a resource (specification, section 1; wire contract, section 5).

use bytes::Bytes;
use http::{HeaderValue, StatusCode};
use serde_json::{Value, json};
use svc_data::{ErrorKind, SqlOutput};
use svc_model::{
    Invalid,
    sql::{self, SqlQuery, SqlRequest},
    wire::BoxFuture,
};

use crate::{
    api::routes::Routes,
    auth::access::{Access, Administer, Call},
    http::{
        ApiResult,
        response::{
            Chunks, Kept, ResponseKind, raw_json_response,
            rows::{Format, RowWriter, TOTAL_COUNT, TRUNCATED},
        },
    },
    state::statements::{Query, Running, StatementId},
};

pub(crate) fn routes() -> Routes {
    Routes::new().on::<sql::Query, _>(query)
}

async fn query(call: Call<Administer>) -> ApiResult {
    call.request.check_query()?;
    let body = call.request.read_object(call.body).await?;
    let format = Format::accepted(&call.request.parts.headers);
    let (body, id) = match (SqlRequest::parse(&body)?, format) {
        (SqlRequest::One(query), Some(Format::Csv(_))) if query.excerpt.is_some() => {
            let message = "CSV cannot tell what was cut; ask for JSON or NDJSON";
            return Err(Invalid::field("excerpt", message).into());
        }
        (SqlRequest::One(query), Some(format)) => {
            let running = call.access.begin(&call.request, Query::sql(&query.query))?;
            let answer = running.unless_cancelled(call.access.sql(&query)).await??;
            return in_format(format, answer, running.id());
        }
        (SqlRequest::One(query), None) => {
            let running = call.access.begin(&call.request, Query::sql(&query.query))?;
            let answer = running.unless_cancelled(call.access.sql(&query)).await??;
            (Chunks::from(pieces(answer)), running.id())
        }
        // The answers of a batch have columns of their own each.
        (SqlRequest::Batch(queries), _) => {
            let texts = queries.iter().flatten().map(|query| query.query.as_str());
            let running = call.access.begin(&call.request, Query::batch(texts))?;
            let id = running.id();
            (batch(call.access, running, queries.into_iter()).await?, id)
        }
        _ => return Err(Invalid::general("this form of a query is not supported").into()),
    };
    let mut answer = raw_json_response(StatusCode::OK, body);
    answer.extensions_mut().insert(ResponseKind::Read);
    id.tell(&mut answer);
    Ok(answer)
}

/// The rows of an answer in another form.
fn in_format(format: Format, answer: SqlOutput, id: StatementId) -> ApiResult {
    let columns = answer.columns.into_iter().map(|(name, _)| name);
    let kept = Kept(answer.data.len());
    let writer = RowWriter::new(format, columns.collect());
    let writer = match answer.cut {
        Some(cut) => writer.with_cut(cut),
        None => writer,
    };
    let head = Chunks::from([writer.head()?]);
    let rows = async move { Ok(writer.write(answer.data, |_| None)?) };
    let mut formatted = format.answer(head.followed_by(rows));
    formatted.extensions_mut().insert(ResponseKind::Read);
    formatted.extensions_mut().insert(kept);
    id.tell(&mut formatted);
    let headers = formatted.headers_mut();
    if let Some(count) = answer.count {
        headers.insert(TOTAL_COUNT, count.into());
    }
    if answer.truncated {
        headers.insert(TRUNCATED, HeaderValue::from_static("true"));
    }
    Ok(formatted)
}

/// The answer as JSON around the rows that the driver wrote.
fn pieces(answer: SqlOutput) -> [Bytes; 5] {
    let columns: Vec<&str> = answer
        .columns
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    let descriptions: serde_json::Map<String, Value> = answer
        .columns
        .iter()
        .map(|(name, field_type)| (name.clone(), json!({ "field": field_type })))
        .collect();
    let tail = format!(
        r#","columns":{},"column_descriptions":{},"row_count":{},"limit":{},"count":{},"truncated":{}"#,
        json!(columns),
        Value::Object(descriptions),
        answer.row_count,
        answer.limit,
        json!(answer.count),
        answer.truncated,
    );
    let head = Bytes::from_static(br#"{"data":"#);
    let key = match answer.cut {
        Some(_) => r#","_cut":"#,
        None => "",
    };
    let cut = answer.cut.unwrap_or_default();
    let end = Bytes::from_static(b"}");
    [head, answer.data, (tail + key).into(), cut, end]
}

/// The answers of several queries as one array. Each query is asked when the answer before is on its way, so
/// that they are never in memory together. A batch that is cancelled before it has an answer is a failure as a whole.
async fn batch(
    access: Access<Administer>,
    running: Running,
    mut queries: std::vec::IntoIter<BatchQuery>,
) -> ApiResult<Chunks> {
    let head = Bytes::from_static(b"[");
    let Some(first) = queries.next() else {
        return Ok([head, Bytes::from_static(b"]")].into());
    };
    let [data, rows, tail, cut, end] = answer_of(&access, &running, first).await?;
    let first = Chunks::from([head, data, rows, tail, cut, end]);
    Ok(first.followed_by(async move { Ok(rest_of_batch(access, running, queries).await) }))
}

fn rest_of_batch(
    access: Access<Administer>,
    running: Running,
    mut queries: std::vec::IntoIter<BatchQuery>,
) -> BoxFuture<'static, Chunks> {
    Box::pin(async move {
        let Some(query) = queries.next() else {
            return [Bytes::from_static(b"]")].into();
        };
        let answer = answer_of(&access, &running, query).await;
        let answer = answer.unwrap_or_else(|cancelled| error_piece(&cancelled.to_string()));
        let [head, rows, tail, cut, end] = answer;
        let separator = Bytes::from_static(b",");
        Chunks::from([separator, head, rows, tail, cut, end])
            .followed_by(async move { Ok(rest_of_batch(access, running, queries).await) })
    })
}

/// A query of a batch, if it could be read.
type BatchQuery = Result<SqlQuery, Invalid>;

/// The answer of a query of a batch, unless the batch is cancelled.
async fn answer_of(
    access: &Access<Administer>,
    running: &Running,
    query: BatchQuery,
) -> ApiResult<[Bytes; 5]> {
    Ok(match query {
        Ok(query) => match running.unless_cancelled(access.sql(&query)).await? {
            Ok(answer) => pieces(answer),
            Err(error) => failed(&error),
        },
        Err(invalid) => error_piece(&invalid.to_string()),
    })
}

/// A query of a batch that failed; the others are answered all the same.
fn failed(error: &svc_data::Error) -> [Bytes; 5] {
    match error.kind() {
        ErrorKind::Invalid => error_piece(&error.messages().to_string()),
        _ => {
            tracing::warn!(%error, "a query of a batch failed");
            error_piece(error.public_message())
        }
    }
}

fn error_piece(text: &str) -> [Bytes; 5] {
    let error = json!({ "error": text }).to_string().into();
    let nothing = Bytes::new;
    [error, nothing(), nothing(), nothing(), nothing()]
}
