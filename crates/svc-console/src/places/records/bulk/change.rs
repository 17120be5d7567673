//! Changing fields of many records.

use std::collections::BTreeMap;

use http::StatusCode;
use maud::{Markup, html};
use sha2::{Digest as _, Sha256};
use svc_model::{
    Invalid, JsonObject, Paginated,
    records::ChangeAllQuery,
    resources::{FieldDescription, FieldType},
};

use super::{super::chosen::Chosen, sample};
use crate::{
    answer::Answer,
    href::Href,
    places::{
        Scope, controls,
        entered::{Entered, Input, input, to_json, with_lines_of},
        model::Model,
    },
    problem::{Problem, Result, status_of},
    ui::{
        form::{account_field, default_button},
        notice,
    },
    visit::{Form, Visit},
};

/// What is to become of the fields.
struct Changes {
    entered: BTreeMap<String, Entered>,
    json: JsonObject,
    errors: BTreeMap<String, Vec<String>>,
}

/// What is shown of a change.
struct Page<'a> {
    model: &'a Model<'a>,
    chosen: &'a Chosen,
    changes: &'a Changes,
    /// How many there are, and some of them.
    sample: &'a Paginated<JsonObject>,
    /// Whether it is shown what would become of them.
    is_preview: bool,
}

/// Fields and values for many records, a preview, and the change.
pub(crate) async fn change(visit: &Visit, scope: &Scope, model: (&str, &str)) -> Result<Answer> {
    let model = Model::open(visit, scope, model).await?;
    if !model.description.can.update {
        return Err(Problem::Forbidden);
    }
    let chosen = match Chosen::read(&model, visit, &visit.query()?) {
        Ok(chosen) => chosen,
        Err(invalid) => return Ok(refused_address(&model, &invalid)),
    };
    if chosen.is_none() {
        return Ok(nothing_chosen(
            &model,
            &chosen,
            &model.texts().get("bulk-change"),
        ));
    }
    let mut changes = Changes::read(&model, visit.form());
    let wants_preview = visit.is_post() && !changes.json.is_empty() && changes.errors.is_empty();
    let mut status = StatusCode::OK;
    let mut message = None;
    if visit.is_post() && !changes.errors.is_empty() {
        message = Some(notice::error(visit, &visit.texts.get("fields-wrong")));
        status = StatusCode::BAD_REQUEST;
    } else if visit.is_post() && changes.json.is_empty() {
        message = Some(notice::error(visit, &visit.texts.get("bulk-no-change")));
        status = StatusCode::BAD_REQUEST;
    }
    let selection = chosen.selection(&model);
    let is_run = wants_preview && visit.form().text("action") == "run";
    let is_previewed = visit.form().text("previewed") == changes.digest(&chosen);
    if is_run && !is_previewed {
        message = Some(notice::error(visit, &visit.texts.get("bulk-other-values")));
        status = StatusCode::BAD_REQUEST;
    } else if is_run
        && let Some(selection) = selection
        && let Ok(expected) = visit.form().text("expect").parse()
    {
        let mut query = ChangeAllQuery::from(selection).expect(expected);
        query.all = true;
        match model
            .records()
            .update_all(query, &changes.json)
            .send()
            .await
        {
            Ok(done) => {
                let list = model.list().query(chosen.of_list());
                return Ok(Answer::go(&did(visit, list, ("_changed", done.updated))));
            }
            Err(error) if error.is_precondition_failed() => {
                message = Some(notice::error(visit, &visit.texts.get("bulk-other-number")));
                status = StatusCode::PRECONDITION_FAILED;
            }
            Err(error) => {
                for (field, messages) in error.field_errors() {
                    if model.field(field).is_some() {
                        let message = changes.errors.entry(field.clone()).or_default();
                        message.extend(messages.iter().cloned());
                    }
                }
                message = Some(notice::refused(visit, error)?);
                status = StatusCode::BAD_REQUEST;
            }
        }
    }
    let fields: Vec<&str> = changes.json.iter().map(|(name, _)| name).collect();
    let is_preview = wants_preview && changes.errors.is_empty();
    let sample = sample::load(&model, &chosen, &fields, is_preview).await;
    let sample = match sample {
        Ok(Some(sample)) => sample,
        Ok(None) => return Ok(too_many(&model, &chosen)),
        Err(error) => return failed(&model, &chosen, error),
    };
    let page = Page {
        model: &model,
        chosen: &chosen,
        changes: &changes,
        sample: &sample,
        is_preview,
    };
    Ok(Answer::page(page.show(message)).status(status))
}

impl Changes {
    /// What tells these changes, and the records that are left out, from others.
    fn digest(&self, chosen: &Chosen) -> String {
        let mut digest = Sha256::new();
        let mut add = |part: &str| {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        };
        for row in &chosen.left_out {
            add(row.as_str());
        }
        for (name, value) in self.json.iter() {
            add(name);
            add(value.get());
        }
        let digest = digest.finalize();
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn read(model: &Model<'_>, form: &Form) -> Self {
        let mut changes = Self {
            entered: BTreeMap::new(),
            json: JsonObject::new(),
            errors: BTreeMap::new(),
        };
        for field in fields_of(model) {
            let name = &field.name;
            let text = form.text(&format!("value:{name}"));
            let now = match form.text(&format!("state:{name}")) {
                "null" => Entered::Null,
                // A text that is typed beside the choice to keep the values is what was meant.
                "keep" | "" if text.is_empty() => continue,
                _ => Entered::Text(with_lines_of(text, &Entered::Untouched)),
            };
            match to_json(field, &now) {
                Ok(Some(json)) => changes.json.set_raw(name, json),
                Ok(None) => {}
                Err(message) => changes
                    .errors
                    .entry(name.clone())
                    .or_default()
                    .push(message),
            }
            changes.entered.insert(name.clone(), now);
        }
        changes
    }
}

/// The fields that can be changed in many records at once: not those of the key, which is of one record alone.
fn fields_of<'m>(model: &'m Model<'_>) -> impl Iterator<Item = &'m FieldDescription> {
    let key = model.key_fields();
    let fields = model.description.fields.iter();
    fields.filter(move |field| {
        field.editable
            && !field.read_only
            && field.field != FieldType::BinaryField
            && !key.contains(&field.name.as_str())
    })
}

impl Page<'_> {
    fn show(&self, message: Option<Markup>) -> Markup {
        let Self {
            model,
            chosen,
            sample,
            ..
        } = *self;
        let texts = model.texts();
        let place = model
            .list()
            .below(["change"])
            .query(chosen.to_query_string());
        let back = model.list().query(chosen.of_list());
        let fields: Vec<&str> = self.changes.json.iter().map(|(name, _)| name).collect();
        let main = html! {
            @if let Some(message) = message { (message) }
            p { (sample::which(model, chosen)) " " strong { (sample::number(model, sample)) } "." }
            form.record method="post" action=(place) data-guard {
                (account_field(model.context.visit))
                (default_button("action", "preview"))
                @for row in &chosen.left_out {
                    label.check { input type="checkbox" name="leave" value=(row) checked;
                        (texts.with("bulk-left-out", [("key", row.as_str().into())])) }
                }
                @if self.is_preview {
                    section {
                        h2 { (texts.get("bulk-preview")) }
                        (sample::shown(model, sample, &fields, Some(&self.changes.json), "leave"))
                    }
                    input type="hidden" name="previewed" value=(self.changes.digest(chosen));
                    input type="hidden" name="expect" value=(sample.count.unwrap_or_default());
                    div.actions {
                        button.primary name="action" value="run" {
                            (texts.with("bulk-change-run", [("count", sample.count.unwrap_or_default().into())]))
                        }
                        button name="action" value="preview" { (texts.get("bulk-preview-again")) }
                        a.button href=(back) { (texts.get("cancel")) }
                    }
                }
                h2 { (texts.get("bulk-fields")) }
                (self.fields())
                div.actions {
                    button.primary[!self.is_preview] name="action" value="preview" { (texts.get("bulk-preview")) }
                    a.button href=(back) { (texts.get("cancel")) }
                }
            }
        };
        let above = vec![(model.name.to_string(), back)];
        model.frame(texts.get("bulk-change"), above).page(&main)
    }

    fn fields(&self) -> Markup {
        html! {
            div.fields {
                @for (at, field) in fields_of(self.model).enumerate() { (self.field(at, field)) }
            }
        }
    }

    fn field(&self, at: usize, field: &FieldDescription) -> Markup {
        let texts = self.model.texts();
        let now = self.changes.entered.get(&field.name);
        let errors = self.changes.errors.get(&field.name);
        let (id, error_id) = (format!("f{at}"), format!("e{at}"));
        let state = format!("state:{}", field.name);
        let named = Input {
            name: &format!("value:{}", field.name),
            id: &id,
            error: errors.map(|_| error_id.as_str()),
            is_cell: false,
        };
        let choice = |value: &str, is_chosen: bool, text: &str| {
            html! { label.check { input type="radio" name=(state) value=(value) checked[is_chosen]; (text) } }
        };
        html! {
            div.field.wrong[errors.is_some()] {
                label for=(id) { bdi { (field.name) } span.small.muted { " " (field.db_field) } }
                div {
                    (input(texts, field, now.unwrap_or(&Entered::Untouched), &named))
                    span.states {
                        (choice("keep", now.is_none(), &texts.get("bulk-keep")))
                        (choice("text", matches!(now, Some(Entered::Text(_))), &texts.get("state-value")))
                        @if field.null { (choice("null", now == Some(&Entered::Null), "NULL")) }
                    }
                    @if let Some(messages) = errors {
                        p.field-error id=(error_id) { (messages.join("; ")) }
                    }
                }
            }
        }
    }
}

/// The list, which says what was done to how many of its records.
pub(super) fn did(visit: &Visit, list: Href, (what, count): (&str, u64)) -> Href {
    let list = list.with(what, &count.to_string());
    match visit.request_id() {
        Some(request) => list.with(controls::REQUEST, request),
        None => list,
    }
}

/// The address cannot be read.
pub(super) fn refused_address(model: &Model<'_>, invalid: &Invalid) -> Answer {
    let message = super::super::message_of(model.context.visit, invalid);
    let above = vec![(model.name.to_string(), model.list())];
    let page = model
        .frame(model.texts().get("problem-title"), above)
        .page(&message);
    Answer::page(page).status(StatusCode::BAD_REQUEST)
}

/// No record was chosen.
pub(super) fn nothing_chosen(model: &Model<'_>, chosen: &Chosen, title: &str) -> Answer {
    let texts = model.texts();
    instead(
        model,
        chosen,
        title,
        &html! { p.empty-state { (texts.get("bulk-none")) } },
    )
}

/// More records are named than a query can name.
pub(super) fn too_many(model: &Model<'_>, chosen: &Chosen) -> Answer {
    let texts = model.texts();
    let message = notice::error(model.context.visit, &texts.get("bulk-too-many"));
    instead(model, chosen, &texts.get("problem-title"), &message).status(StatusCode::BAD_REQUEST)
}

/// The records could not be read.
pub(super) fn failed(model: &Model<'_>, chosen: &Chosen, error: svc_api::Error) -> Result<Answer> {
    let status = status_of(&error);
    let message = notice::refused(model.context.visit, error)?;
    let title = model.texts().get("problem-title");
    Ok(instead(model, chosen, &title, &message).status(status))
}

fn instead(model: &Model<'_>, chosen: &Chosen, title: &str, main: &Markup) -> Answer {
    let back: Href = model.list().query(chosen.of_list());
    let main = html! {
        (main)
        p { a.button href=(back) { (model.texts().get("back-to-list")) } }
    };
    let above = vec![(model.name.to_string(), back)];
    Answer::page(model.frame(title.to_owned(), above).page(&main))
}
