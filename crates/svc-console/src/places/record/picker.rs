//! Choosing the record that a field refers to: by its label, or by its key.

use std::{borrow::Cow, time::Duration};

use maud::{Markup, html};
use svc_model::{
    Count, Filter, JsonObject, ListQuery, Lookup, RecordId, resources::ModelDescription,
};

use super::step::{self, Step, entered_before, with_values};
use crate::{
    answer::Answer,
    href::Href,
    places::{
        Scope,
        model::{Model, Reference, is_text, label, plain_text},
    },
    problem::{Problem, Result},
    ui::form::token_field,
    visit::{Form, Visit},
};

/// How long somebody who types waits for suggestions. A search that takes longer ends then.
const PATIENCE: Duration = Duration::from_millis(150);
/// How many records are offered.
const OFFERED: u32 = 20;

/// The records that a field may refer to, for a script: a list of buttons.
pub(crate) async fn suggest(visit: &Visit, scope: &Scope, of: (&str, &str)) -> Result<Answer> {
    let model = Box::pin(Model::open(visit, scope, of)).await?;
    let query = visit.query()?;
    let reference = model.reference_of(query.text("_field"));
    let reference = reference.ok_or(Problem::NotFound)?;
    let Offer { found, is_whole } =
        find(&model, &reference, query.text("q"), Some(PATIENCE)).await?;
    let texts = visit.texts;
    Ok(Answer::page(html! {
        ul.suggestions #suggestions role="listbox" aria-label=(texts.get("pick-found")) {
            @for (at, one) in found.iter().enumerate() {
                li id=(format!("suggestion-{at}")) role="option" aria-selected="false" data-values=(one.values()) { (one.shown()) }
            }
            @if !is_whole { li.muted { (texts.get("pick-partly")) } }
            @else if found.is_empty() { li.muted { (texts.get("records-empty")) } }
        }
    }))
}

/// The form that was sent, one step further. `place` is where the form itself is, and `title` what its page is called.
pub(super) async fn step(model: &Model<'_>, place: &Href, title: String) -> Result<Step> {
    let form = model.context.visit.form();
    match form.get("picked").or(form.get("back")) {
        Some(_) => Ok(Step::Chosen(picked(model, form), None)),
        None => Ok(Step::Ask(page(model, form, place, title).await?)),
    }
}

/// The page on which a record is chosen. It has everything that was entered into the form before.
async fn page(model: &Model<'_>, form: &Form, place: &Href, title: String) -> Result<Answer> {
    let texts = model.texts();
    let field = form.text("pick");
    let reference = model.reference_of(field).ok_or(Problem::NotFound)?;
    let wanted = form.text("q");
    let Offer { found, .. } = find(model, &reference, wanted, None).await?;
    let main = html! {
        form.stack method="post" action=(place) {
            @for (name, value) in entered_before(form) { input type="hidden" name=(name) value=(value); }
            (token_field(model.context.visit))
            input type="hidden" name="pick" value=(field);
            label { (texts.with("pick-search", [("model", reference.model.model.as_str().into())]))
                input type="search" name="q" value=(wanted) autofocus;
            }
            div.actions {
                button.primary { (texts.get("search")) }
                @if reference.model.can.create { (step::make(texts, reference.model)) }
                button name="back" value="1" { (texts.get("pick-back")) }
            }
            ul.picks {
                @for one in &found {
                    li { button name="picked" value=(one.values()) { (one.shown()) } }
                }
            }
            @if found.is_empty() { p.empty-state { (texts.get("records-empty")) } }
        }
    };
    let above = vec![(model.name.to_string(), model.list())];
    let title = format!("{title}: {field}");
    Ok(Answer::page(model.frame(title, above).page(&main)))
}

/// The form with the fields that were chosen, or as it was.
fn picked(model: &Model<'_>, form: &Form) -> Form {
    let values: Option<Vec<String>> = form
        .get("picked")
        .and_then(|values| serde_json::from_str(values).ok());
    let reference = model.reference_of(form.text("pick"));
    with_values(form, reference.as_ref(), values.unwrap_or_default())
}

/// A record that may be chosen.
struct Found {
    label: String,
    /// The values of the fields that the reference is made of.
    parts: Vec<String>,
}

/// The records that may be chosen.
struct Offer {
    found: Vec<Found>,
    /// Whether all records were searched in time.
    is_whole: bool,
}

impl Found {
    fn values(&self) -> String {
        serde_json::Value::from(self.parts.clone()).to_string()
    }

    fn shown(&self) -> Markup {
        let key = self.parts.join(", ");
        html! {
            @if self.label != key && !self.label.is_empty() { bdi { (self.label) } " " span.muted { bdi { (key) } } }
            @else { bdi { (key) } }
        }
    }
}

/// The records whose label contains the text; that with this key comes first.
async fn find(
    model: &Model<'_>,
    reference: &Reference<'_>,
    wanted: &str,
    patience: Option<Duration>,
) -> Result<Offer> {
    let records = model
        .context
        .client
        .records(&model.resource, reference.model.model.as_str())
        .typed::<JsonObject>();
    let wanted = wanted.trim();
    let mut base = ListQuery::new().count(Count::None).per_page(OFFERED);
    let fields = reference.related.iter().map(|field| (*field).to_owned());
    let labels = reference.model.label_fields.iter().cloned();
    base.fields = Some(fields.chain(labels).collect());
    let (mut by_key, mut by_label) = (None, Some(base.clone()));
    if !wanted.is_empty() {
        let parts = match reference.related.len() {
            1 => vec![wanted.to_owned()],
            _ => RecordId::from(wanted).parts(),
        };
        if parts.len() == reference.related.len() {
            let fields = reference.related.iter().zip(parts);
            by_key = Some(fields.fold(base.clone(), |query, (field, part)| {
                query.filter(*field, Lookup::Exact, part.trim())
            }));
        }
        by_label = labelled(reference.model, wanted).map(|filter| base.filter_tree(filter));
    }
    let list = async |query: Option<ListQuery>| {
        let Some(query) = query else {
            return Ok(Vec::new());
        };
        let mut call = records.list().query(query);
        if let Some(patience) = patience {
            call = call.deadline(patience).max_tries(1);
        }
        call.send().await.map(|page| page.results)
    };
    // A text that cannot be a key of this type finds nothing.
    let (by_key, by_label) = tokio::join!(list(by_key), list(by_label));
    let mut all: Vec<JsonObject> = by_key.unwrap_or_default();
    let is_whole = match by_label {
        Ok(records) => {
            all.extend(records);
            true
        }
        Err(error) if error.is_timeout() && patience.is_some() => false,
        Err(error) => return Err(error.into()),
    };
    let mut found: Vec<Found> = Vec::new();
    for record in &all {
        let parts = reference
            .related
            .iter()
            .map(|field| plain_text(record, field).map(Cow::into_owned));
        let Some(parts) = parts.collect::<Option<Vec<String>>>() else {
            continue;
        };
        if !found.iter().any(|known| known.parts == parts) {
            found.push(Found {
                label: label(reference.model, record),
                parts,
            });
        }
    }
    Ok(Offer { found, is_whole })
}

/// That one of the labels contains each word; `None` where no label is text.
fn labelled(model: &ModelDescription, wanted: &str) -> Option<Filter> {
    let labels = model.label_fields.iter();
    let labels: Vec<&String> = labels.filter(|name| is_text(model, name)).collect();
    let contains = |word: &str| {
        let labels = labels.iter();
        Filter::or(labels.map(|label| Filter::field(label.as_str(), Lookup::Icontains, word)))
    };
    let words = wanted.split_whitespace().take(8);
    (!labels.is_empty()).then(|| Filter::and(words.map(contains)))
}
