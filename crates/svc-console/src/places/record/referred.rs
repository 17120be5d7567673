//! Making the record that a field is to refer to, where none can be chosen yet. The form that it is made from has everything that
//! was entered into the form around it, which is shown again with the new record chosen.

use std::borrow::Cow;

use http::StatusCode;
use maud::{Markup, html};
use svc_model::{JsonObject, QueryString};

use super::{
    fields::{self, About},
    refused,
    sent::Sent,
    status_again,
    step::{MAKE, Step, entered_before, with_values},
};
use crate::{
    answer::Answer,
    href::Href,
    places::{
        Scope,
        model::{Model, is_text, plain_text},
    },
    problem::{Problem, Result},
    ui::{
        form::{AROUND, account_field, default_button},
        notice,
    },
    visit::Form,
};

/// Whether a form is about a new record.
pub(super) fn is_open(form: &Form) -> bool {
    form.get(MAKE).is_some() || form.get(AROUND).is_some()
}

/// Asks for the record, or makes it.
pub(super) async fn step(
    model: &Model<'_>,
    scope: &Scope,
    place: &Href,
    title: String,
) -> Result<Step> {
    let visit = model.context.visit;
    let form = visit.form();
    let field = form.text("pick");
    let reference = model.reference_of(field).ok_or(Problem::NotFound)?;
    let related = (model.resource.as_str(), reference.model.model.as_str());
    let related = Model::open(visit, scope, related).await?;
    if !related.description.can.create {
        return Err(Problem::Forbidden);
    }
    let page = |around: &str, sent: &Sent, message: Option<Markup>| {
        let above = vec![(model.name.to_string(), model.list())];
        let frame = model.frame(format!("{title}: {field}"), above);
        frame.page(&new_record(&related, (place, field, around), sent, message))
    };
    let Some(around) = form.get(AROUND) else {
        let sent = Sent::of_new(&related, &begun(&related, form.text("q")));
        return Ok(Step::Ask(Answer::page(page(&packed(form), &sent, None))));
    };
    let before = Form::parse(around)?;
    if form.get("back").is_some() {
        return Ok(Step::Chosen(before, None));
    }
    let sent = Sent::of_form(&related, form, None);
    if !sent.errors.is_empty() {
        let message = notice::error(visit, &visit.texts.get("fields-wrong"));
        let page = page(around, &sent, Some(message));
        let answer = Answer::page(page).status(StatusCode::BAD_REQUEST);
        return Ok(Step::Ask(answer));
    }
    let records = related.records().typed::<JsonObject>();
    let call = records.create(&sent.changes);
    match related.in_zone(call).send().await {
        Ok(made) => {
            let values = reference.related.iter();
            let values: Option<Vec<String>> = values
                .map(|field| plain_text(&made, field).map(Cow::into_owned))
                .collect();
            let label = related.label_of(&made);
            let text = match values.is_some() {
                true => "pick-is-made",
                // It exists, and may be chosen by hand.
                false => "pick-is-made-only",
            };
            let message = notice::done(&visit.texts.with(text, [("name", label.into())]));
            let form = with_values(&before, Some(&reference), values.unwrap_or_default());
            Ok(Step::Chosen(form, Some(message)))
        }
        Err(error) => {
            let status = status_again(&error);
            let (sent, message) = refused(visit, sent, error)?;
            let page = page(around, &sent, message);
            Ok(Step::Ask(Answer::page(page).status(status)))
        }
    }
}

/// What was entered into the form around, as one text.
fn packed(form: &Form) -> String {
    let mut packed = QueryString::new();
    for (name, value) in entered_before(form) {
        packed.push(name, value);
    }
    packed.as_str().to_owned()
}

/// What is in the form already: what was looked for is what the record is called, where one field says that.
fn begun(related: &Model<'_>, wanted: &str) -> Form {
    let fields = match &related.description.label_fields[..] {
        [label] if !wanted.trim().is_empty() && is_text(&related.description, label) => {
            vec![(label.clone(), wanted.trim().to_owned())]
        }
        _ => Vec::new(),
    };
    Form::of(fields)
}

fn new_record(
    related: &Model<'_>,
    (place, field, around): (&Href, &str, &str),
    sent: &Sent,
    message: Option<Markup>,
) -> Markup {
    let texts = related.texts();
    html! {
        @if let Some(message) = message { (message) }
        h2 { (texts.with("pick-make", [("model", related.name.as_str().into())])) }
        form.record method="post" action=(place) autocomplete="off" data-guard {
            (account_field(related.context.visit))
            (default_button("action", "save"))
            input type="hidden" name="pick" value=(field);
            input type="hidden" name=(AROUND) value=(around);
            (fields::fields(related, sent, About::Referred))
            div.actions {
                button.primary { (texts.get("pick-made")) }
                button name="back" value="1" formnovalidate { (texts.get("pick-back")) }
            }
        }
    }
}
