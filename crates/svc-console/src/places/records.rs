//! The records of a model as a table. The address is the whole state of it: it has the query string of the list that the
//! service is asked for.

mod away;
mod bar;
pub(crate) mod bulk;
mod chosen;
mod columns;
mod counting;
pub(crate) mod export;
mod filters;
mod layout;
mod loading;
mod saved;
mod speed;
mod table;
mod view;
pub(crate) mod views;

pub(crate) use self::{
    filters::narrowed,
    layout::TableColumn,
    table::{DataColumn, Record, cells},
};

use maud::{Markup, html};
use svc_api::Error;
use svc_model::{Count, Invalid, ListQuery, RecordId};

use self::{filters::builder, layout::Layout, saved::Saved, view::View};
use super::{Scope, controls, model::Model, record::history};
use crate::{
    answer::Answer,
    problem::{Problem, Result},
    ui::{frame::Stacked, notice},
    visit::{Form, Visit},
};

/// The table, or a part of it.
pub(crate) async fn answer(visit: &Visit, scope: &Scope, model: (&str, &str)) -> Result<Answer> {
    if visit.is_post() {
        return Err(Problem::OtherMethod);
    }
    let query = visit.query()?;
    if visit.fragment() == Some("away") {
        return Ok(Answer::page(away::load(visit, scope, model.0).await?));
    }
    let (opened, saved) = tokio::join!(
        Box::pin(Model::open(visit, scope, model)),
        Box::pin(Saved::load(visit, scope, model))
    );
    let model = opened?;
    if let Some(to) = saved.led_to(&model, &query, &kept(visit.raw_query())) {
        return Ok(Answer::see_other(&to));
    }
    let Read {
        wanted,
        gone,
        lost,
        invalid,
    } = read(
        &model,
        &without_controls(visit.raw_query()),
        query.get("_view").is_some(),
    );
    let layout = Layout::of_form(&query, &model);
    if visit.fragment() == Some("filter") {
        return Ok(Answer::page(builder::form(
            &model,
            &wanted,
            layout.as_ref(),
            &query,
        )));
    }
    if invalid.is_none()
        && let Some(to) = columns::led_to(&model, &query, &wanted, &saved)
            .or_else(|| builder::led_to(&model, &query, &wanted, layout.as_ref()))
    {
        return Ok(Answer::go(&to));
    }
    let view = View::new(&model, wanted, layout, &saved, gone);
    if visit.fragment() == Some("count") {
        let counted = counting::load(&view, Count::Auto).await?;
        return Ok(Answer::page(counting::shown(&view, Ok(counted))));
    }
    let frame = model.frame(model.name.to_string(), Vec::new());
    let deleted = match query.get("_gone") {
        Some(id) => Some(history::deleted(&model, &RecordId::from(id)).await),
        None => None,
    };
    let done = match bulk::done(&model, &query).await {
        None => done(visit, &query),
        done => done,
    };
    let bars = |wrong: Option<&Error>| {
        html! {
            @if let Some(done) = &done { (done) }
            @if let Some(deleted) = &deleted { (deleted) }
            @if let Some(field) = model.key_in_place() { p.muted { (visit.texts.with("why-key", [("field", field.into())])) } }
            (saved::bar(&view, &saved, &query))
            (bar::bar(&view, &saved, &query, wrong))
        }
    };
    let page = |bars: &Markup, slow: Option<&Markup>, rows: &Markup| {
        let notes = html! {
            @if let Some(slow) = slow { (slow) }
            (left_out(visit, "filters-gone", &lost))
            (left_out(visit, "columns-gone", &view.gone))
        };
        frame.page(&Stacked([bars, &notes, rows]))
    };
    if let Some(invalid) = &invalid {
        let message = message_of(visit, invalid);
        return Ok(Answer::page(page(&bars(None), None, &message)));
    }
    if query.get("_hold").is_some() {
        return Ok(Answer::page(page(&bars(None), None, &loading::held(&view))));
    }
    let around = loading::Around { bars, page };
    let counted = counting::of_form(&query);
    Ok(loading::page(&view, scope, &saved, counted, around).await)
}

/// What an address asks for.
struct Read {
    wanted: ListQuery,
    /// The columns that it names and that are not there.
    gone: Vec<String>,
    /// The columns that filters are about and that are not there.
    lost: Vec<String>,
    invalid: Option<Invalid>,
}

/// Reads an address. That of a saved view may be older than the structure of the database: what is gone is left out.
fn read(model: &Model<'_>, query: &str, is_saved: bool) -> Read {
    let is_field = |name: &str| model.field(name).is_some();
    let (mut gone, mut lost) = (Vec::new(), Vec::new());
    let mut read = match ListQuery::parse(query, &is_field) {
        Ok(wanted) => wanted,
        Err(invalid) if !is_saved => {
            return Read {
                wanted: ListQuery::new(),
                gone,
                lost,
                invalid: Some(invalid),
            };
        }
        Err(_) => {
            let mut parts = Vec::new();
            for part in query.split('&') {
                match ListQuery::parse(part, &is_field) {
                    Ok(_) => parts.push(part),
                    Err(_) => lost.push(name_of(part)),
                }
            }
            ListQuery::parse(&parts.join("&"), &is_field).unwrap_or_default()
        }
    };
    if let Some(fields) = &mut read.fields {
        gone.extend(fields.iter().filter(|name| !is_field(name)).cloned());
        fields.retain(|name| is_field(name));
    }
    if is_saved {
        let orders = read.order_by.iter().map(|order| order.field.clone());
        gone.extend(orders.filter(|name| !is_field(name)));
        read.order_by.retain(|order| is_field(&order.field));
    }
    Read {
        wanted: read,
        gone,
        lost,
        invalid: None,
    }
}

/// The field that a part of a query string is about.
fn name_of(part: &str) -> String {
    let pairs = Form::parse(part).unwrap_or_default();
    let name = pairs.iter().next().map_or("", |(name, _)| name);
    let name = name.strip_prefix("exclude__").unwrap_or(name);
    let (field, _) = name.rsplit_once("__").unwrap_or((name, ""));
    field.to_owned()
}

/// Says what was left out, and each name once.
fn left_out(visit: &Visit, text: &str, names: &[String]) -> Markup {
    if names.is_empty() {
        return html! {};
    }
    let once = names
        .iter()
        .enumerate()
        .filter(|(at, name)| !names[..*at].contains(name));
    let once: Vec<&str> = once.map(|(_, name)| name.as_str()).collect();
    let text = visit.texts.with(text, [("names", once.join(", ").into())]);
    notice::error(visit, &text)
}

/// What a form of the place has done.
fn done(visit: &Visit, query: &Form) -> Option<Markup> {
    let texts = visit.texts;
    let text = match query.get("_saved") {
        Some(_) => texts.get("saved"),
        None => {
            query.get("_unpinned")?;
            texts.get("columns-unpinned")
        }
    };
    Some(notice::done(&text))
}

/// The query string of the list: without what forms add, and how columns are shown.
pub(crate) fn without_controls(query: &str) -> String {
    without(query, |name| {
        controls::is_control(name) || layout::PARAMETERS.contains(&name)
    })
}

/// What a view keeps of a query string.
fn kept(query: &str) -> String {
    without(query, controls::is_control)
}

fn without(query: &str, is_left_out: impl Fn(&str) -> bool) -> String {
    let parts = query.split('&').filter(|part| {
        let name = part.split('=').next().unwrap_or_default();
        // An empty box is not a search for the empty text.
        !is_left_out(name) && *part != "_search=" && !part.is_empty()
    });
    parts.collect::<Vec<_>>().join("&")
}

/// What is wrong with the address.
fn message_of(visit: &Visit, invalid: &Invalid) -> Markup {
    notice::error(visit, &notice::words_of(invalid))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_forms_add_is_no_part_of_the_list() {
        let query = "_search=&a=1&_add_field=b&_add_lookup=exact&_add_value=&_column=c&column=d";
        assert_eq!(without_controls(query), "a=1&column=d");
        let query = "_gone=1&a=1&_pin=a&_width=wide.a";
        assert_eq!(without_controls(query), "a=1");
        assert_eq!(kept(query), "a=1&_pin=a&_width=wide.a");
    }

    #[test]
    fn a_filter_on_a_column_that_is_gone_is_named_by_the_column() {
        assert_eq!(name_of("exclude__a__b__icontains=x"), "a__b");
        assert_eq!(name_of("a=x"), "a");
    }
}
