//! How many records a list has. Counting may take longer than the records, so it never delays them: a module asks for the
//! number afterwards, and without scripts a link does. Where the service only estimates, another link counts exactly.

use maud::{Markup, html};
use svc_api::Error;
use svc_model::{Count, CountIs, Paginated, wire::BoxFuture};

use super::View;
use crate::{href::Href, json::Row, places::controls::COUNTED, ui::notice, visit::Form};

/// How an address asks for the number, if it does.
pub(super) fn of_form(form: &Form) -> Option<Count> {
    Some(match form.get(COUNTED)? {
        "exact" => Count::Exact,
        _ => Count::Auto,
    })
}

/// What the service says about the number: a page of one record.
pub(super) fn load(
    view: &View<'_>,
    how: Count,
) -> BoxFuture<'static, Result<Paginated<Row>, Error>> {
    let model = view.model;
    let mut query = view.query.selection();
    query.time_zone.clone_from(&model.context.account.timezone);
    query.count = how;
    query.per_page = Some(1);
    let key = model.key_fields().into_iter().map(str::to_owned);
    query.fields = Some(key.collect());
    let records = model.records();
    let call = records.typed::<Row>().list().query(query);
    Box::pin(call.send())
}

/// What is known with the records of a page, and the way to the number.
pub(super) fn first(view: &View<'_>, page: &Paginated<Row>) -> Markup {
    let texts = view.model.texts();
    let shown = page.results.len();
    let is_whole = page.next.is_none() && page.previous.is_none() && view.query.page == 1;
    html! {
        @if is_whole {
            span #count.muted { (texts.with("count-exact", [("count", shown.into())])) }
        } @else {
            span #count.muted data-fragment="count" {
                (texts.with("shown", [("count", shown.into())])) " "
                a href=(link(view, "auto")) { (texts.get("count-all")) }
            }
        }
    }
}

/// The number.
pub(super) fn shown(view: &View<'_>, counted: Result<Paginated<Row>, Error>) -> Markup {
    let texts = view.model.texts();
    html! {
        span #count.muted {
            @match counted {
                Ok(page) => @match (page.count, page.count_is) {
                    (Some(count), Some(CountIs::Estimate)) => {
                        (texts.with("count-about", [("count", count.into())])) " "
                        a href=(link(view, "exact")) { (texts.get("count-exactly")) }
                    },
                    (Some(count), _) => (texts.with("count-exact", [("count", count.into())])),
                    (None, _) => {
                        (texts.get("count-unknown")) " "
                        a href=(link(view, "exact")) { (texts.get("count-exactly")) }
                    },
                },
                Err(error) => { (texts.get("count-unknown")) " " (notice::within_line(texts, &error)) },
            }
        }
    }
}

/// The same page of the list, with the number.
fn link(view: &View<'_>, how: &str) -> Href {
    view.at(&view.query).with(COUNTED, how)
}
