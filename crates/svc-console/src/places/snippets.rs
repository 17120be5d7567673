//! Code for what is on the screen: requests that give the same records to a program, and work when they are pasted.

mod code;

use maud::{Markup, html};
use svc_model::{ListQuery, RecordId};

use self::code::{Code, Wanted};
use super::{Scope, model::Model};
use crate::{
    answer::Answer,
    href::Href,
    problem::{Problem, Result},
    ui::secret,
    visit::Visit,
};

/// The address of the code for a list of records.
pub(crate) fn of_list(model: &Model<'_>, query: &ListQuery) -> Href {
    let mut query = query.clone();
    (query.after, query.before, query.last) = (None, None, false);
    place(model).query(query.to_query_string())
}

/// The address of the code for a record.
pub(crate) fn of_record(model: &Model<'_>, id: &RecordId) -> Href {
    place(model).below(["record", id.as_str()])
}

fn place(model: &Model<'_>) -> Href {
    let (resource, name) = (model.resource.as_str(), model.name.as_str());
    model.context.place(["snippets", resource, name])
}

/// The code for a list, or for the record of this key.
pub(crate) async fn answer(
    visit: &Visit,
    scope: &Scope,
    model: (&str, &str),
    id: Option<&str>,
) -> Result<Answer> {
    if visit.is_post() {
        return Err(Problem::OtherMethod);
    }
    let model = Model::open(visit, scope, model).await?;
    let mut above = vec![(model.name.to_string(), model.list())];
    let wanted = match id {
        Some(id) => {
            let record = RecordId::from(id);
            let place = model.record_of(model.name.as_str(), &record);
            above.push((id.to_owned(), place));
            Wanted::Record(record)
        }
        None => {
            let is_field = |name: &str| model.field(name).is_some();
            let query = ListQuery::parse(visit.raw_query(), &is_field);
            Wanted::List(Box::new(query.map_err(|_| Problem::NotFound)?))
        }
    };
    let code = Code {
        base_url: visit.data_url(),
        scope: &model.context.scope,
        resource: model.resource.as_str(),
        model: model.name.as_str(),
        wanted,
    };
    let main = shown(&model, &code).ok_or(Problem::NotFound)?;
    let frame = model.frame(visit.texts.get("snippets"), above);
    Ok(Answer::page(frame.page(&main)))
}

fn shown(model: &Model<'_>, code: &Code<'_>) -> Option<Markup> {
    let texts = model.texts();
    let snippet = |title: &str, code: &str| {
        html! {
            section {
                h2 { (title) }
                (secret::copied(texts, &html! { (code) }))
            }
        }
    };
    let (curl, rust, javascript) = (code.curl()?, code.rust()?, code.javascript()?);
    Some(html! {
        p { (texts.with("snippets-what", [("resource", model.resource.as_str().into())])) }
        pre.copied tabindex="0" { code { "export SVC_API_TOKEN=..." } }
        @if model.context.is_administrator() {
            p { a href=(model.context.place(["integrations"])) { (texts.get("snippets-token")) } }
        }
        (snippet("curl", &curl))
        (snippet("Rust", &rust))
        (snippet("JavaScript", &javascript))
    })
}
