//! One value of a record by itself: to look at, to save as a file, and to replace by a file.

use bytes::BytesMut;
use http::StatusCode;
use maud::{Markup, html};
use svc_api::RequestOptions;
use svc_model::{
    JsonObject, RecordId,
    resources::{FieldDescription, FieldType},
};

use super::load;
use crate::{
    answer::Answer,
    places::{
        Scope,
        context::check_account,
        entered::{Entered, to_json},
        model::Model,
    },
    problem::{Problem, Result},
    ui::{form::account_field, notice},
    visit::{Form, Visit},
};

/// How many bytes of a value are shown.
const SHOWN: u64 = 100_000;
/// The largest file that replaces a value; of binary data, which has two digits for each byte, half as much.
const LARGEST: usize = 15 << 20;

/// A value, and replacing it.
pub(crate) async fn answer(
    visit: &mut Visit,
    scope: &Scope,
    of: (&str, &str),
    (id, field): (&str, &str),
) -> Result<Answer> {
    let file = match visit.take_upload() {
        Some(mut upload) => {
            // Nothing is read of somebody who may not replace it.
            let model = Box::pin(Model::open(visit, scope, of)).await?;
            let field = model.field(field).ok_or(Problem::NotFound)?;
            if !may_replace(&model, field) {
                return Err(Problem::Forbidden);
            }
            let fields = upload.fields().await?;
            visit.set_form(Form::of(fields))?;
            match upload.has_file() {
                true => {
                    let bytes = upload.into_body().collect(LARGEST).await;
                    Some(bytes.map_err(|_| Problem::TooLarge)?)
                }
                false => None,
            }
        }
        None => None,
    };
    let visit = &*visit;
    let model = Box::pin(Model::open(visit, scope, of)).await?;
    check_account(visit, &model.context.account)?;
    let id = RecordId::from(id);
    let model = model.for_record(&id).await?;
    let field = model.field(field).ok_or(Problem::NotFound)?;
    let (record, etag) = load(&model, &id).await?;
    let place = model.record(&id);
    let mut message = None;
    let mut status = StatusCode::OK;
    if visit.is_post() {
        if !may_replace(&model, field) {
            return Err(Problem::Forbidden);
        }
        // In the address: what follows the file in the form is not read.
        let entered = match (visit.query()?.text("set"), file) {
            ("null", _) => Ok(Entered::Null),
            (_, Some(bytes)) => text_of(field, &bytes),
            (_, None) => Err(visit.texts.get("import-no-file")),
        };
        let json = entered.and_then(|entered| json_of(field, &entered));
        match json {
            Err(reason) => message = Some(notice::error(visit, &reason)),
            Ok(json) => {
                let mut changes = JsonObject::new();
                changes.set_raw(&field.name, json);
                let records = model.records();
                let call = records
                    .typed::<JsonObject>()
                    .update(id.clone(), &changes)
                    .fields(model.key_fields());
                match call.if_match(visit.form().text("etag")).send().await {
                    Ok(_) => return Ok(Answer::go(&place.with("saved", "1"))),
                    Err(error) if error.is_precondition_failed() => {
                        message = Some(notice::error(visit, &visit.texts.get("value-changed")));
                    }
                    Err(error) => message = Some(notice::refused(visit, error)?),
                }
            }
        }
        status = StatusCode::BAD_REQUEST;
    }
    let shown = shown(&model, &id, field).await?;
    let texts = visit.texts;
    let here = model.below(&id, ["value", &field.name]);
    let main = html! {
        @if let Some(message) = message { (message) }
        (shown)
        div.actions {
            a.button href=(here.below(["file"])) download { (texts.get("value-save")) }
            a.button href=(place) { (texts.get("value-back")) }
        }
        @if may_replace(&model, field) {
            section.related {
                h2 { (texts.get("value-replace")) }
                form.stack method="post" action=(here) enctype="multipart/form-data" {
                    (account_field(model.context.visit))
                    input type="hidden" name="etag" value=(etag);
                    label { (texts.get("import-file")) input type="file" name="file" required; }
                    div.actions {
                        button.primary { (texts.get("value-replace-run")) }
                        @if field.null { button formaction=(here.clone().with("set", "null")) formnovalidate { (texts.get("value-null")) } }
                    }
                }
            }
        }
    };
    let above = vec![
        (model.name.to_string(), model.back_to(&id)),
        (super::title_of(&model, &id, &record), place),
    ];
    let page = model.frame(field.name.clone(), above).page(&main);
    Ok(Answer::page(page).status(status))
}

/// The value as a file, which passes through as it arrives.
pub(crate) async fn file(
    visit: &Visit,
    scope: &Scope,
    of: (&str, &str),
    (id, field): (&str, &str),
) -> Result<Answer> {
    let model = Box::pin(Model::open(visit, scope, of)).await?;
    let records = model.records();
    let call = records.value(RecordId::from(id), field);
    let options = RequestOptions::new().no_deadline();
    let answer = match call.options(options).send_streaming().await {
        Ok(answer) if answer.status() == StatusCode::NO_CONTENT => return Err(Problem::NotFound),
        Ok(answer) => answer,
        Err(error) if error.is_not_found() => return Err(Problem::NotFound),
        Err(error) => return Err(error.into()),
    };
    let kind = model.field(field).map(|field| field.field);
    let (ending, media_type) = match kind {
        Some(FieldType::BinaryField) => ("bin", "application/octet-stream"),
        Some(FieldType::JsonField | FieldType::ArrayField) => ("json", "application/json"),
        _ => ("txt", "text/plain; charset=utf-8"),
    };
    let name = format!("{}-{id}-{field}.{ending}", model.name);
    Ok(Answer::download(&name, media_type, answer.into_body()))
}

/// Whether the value may be replaced.
fn may_replace(model: &Model<'_>, field: &FieldDescription) -> bool {
    let is_key = model.key_fields().contains(&field.name.as_str());
    model.description.can.update && field.editable && !field.read_only && !is_key
}

/// The beginning of the value.
async fn shown(model: &Model<'_>, id: &RecordId, field: &FieldDescription) -> Result<Markup> {
    let texts = model.texts();
    let records = model.records();
    let mut call = records.value(id.clone(), field.name.as_str());
    if let Some(zone) = &model.context.account.timezone {
        call = call.time_zone(zone);
    }
    let value = match call.range(0..=SHOWN - 1).send().await {
        Ok(value) => value,
        // An empty value has no first byte.
        Err(error) if error.status() == Some(StatusCode::RANGE_NOT_SATISFIABLE) => {
            return Ok(html! { p { span.empty { (texts.get("empty")) } } });
        }
        Err(error) if error.is_not_found() => return Err(Problem::NotFound),
        Err(error) => return Err(error.into()),
    };
    let Some(value) = value else {
        return Ok(html! { p { span.null { "NULL" } } });
    };
    let whole = value
        .part
        .map_or(value.bytes.len() as u64, |(_, whole)| whole);
    let size = texts.with("bytes", [("count", whole.into())]);
    if field.field == FieldType::BinaryField {
        return Ok(html! { p.binary { (size) } });
    }
    let text = String::from_utf8_lossy(&value.bytes);
    Ok(html! {
        p.muted {
            (size)
            @if whole > SHOWN { " · " (texts.with("value-beginning", [("count", SHOWN.into())])) }
        }
        pre.long tabindex="0" { bdi { (text) } }
    })
}

/// A file as the text of a value.
fn text_of(field: &FieldDescription, bytes: &[u8]) -> Result<Entered, String> {
    if field.field != FieldType::BinaryField {
        let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
        return Ok(Entered::Text(text.to_owned()));
    }
    let mut digits = BytesMut::with_capacity(bytes.len() * 2);
    for byte in bytes {
        for half in [byte >> 4, byte & 15] {
            digits.extend([match half {
                0..10 => b'0' + half,
                _ => b'a' + half - 10,
            }]);
        }
    }
    let digits = String::from_utf8(digits.to_vec()).map_err(|error| error.to_string())?;
    Ok(Entered::Text(digits))
}

fn json_of(
    field: &FieldDescription,
    entered: &Entered,
) -> Result<Box<serde_json::value::RawValue>, String> {
    to_json(field, entered)?.ok_or_else(String::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_digits_and_text_stays_as_it_is() {
        let binary = FieldDescription::new("b", FieldType::BinaryField, "bytea");
        assert_eq!(
            text_of(&binary, &[0, 0xAB, 0xFF]),
            Ok(Entered::Text("00abff".to_owned()))
        );
        let text = FieldDescription::new("t", FieldType::TextField, "text");
        assert_eq!(
            text_of(&text, b"a\n\r\n"),
            Ok(Entered::Text("a\n\r\n".to_owned()))
        );
        assert!(text_of(&text, &[0xFF]).is_err());
    }
}
