//! The ways to the next and the previous page of a list.

use maud::{Markup, html};
use svc_model::{ListQuery, Paginated, query::parse_pairs};

use crate::{href::Href, texts::Texts, visit::Form};

/// Links to the pages beside this one; `at` gives the address of the place for a query, and `counted` says how much there is.
pub(crate) fn links<T>(
    texts: &Texts,
    page: &Paginated<T>,
    query: &ListQuery,
    at: impl Fn(&ListQuery) -> Href,
    counted: &Markup,
) -> Markup {
    html! {
        nav.pages aria-label=(texts.get("pages")) {
            @if let Some(link) = &page.previous {
                a.button rel="prev" href=(at(&place_of(link, query))) { (texts.get("previous")) }
            }
            @if let Some(link) = &page.next {
                a.button rel="next" href=(at(&place_of(link, query))) { (texts.get("next")) }
            }
            div.grow {}
            (counted)
        }
    }
}

/// The query with the place in the list that an address names, if it names one.
pub(crate) fn read(query: ListQuery, form: &Form) -> ListQuery {
    let given = |name: &str| form.get(name).filter(|text| !text.is_empty());
    match (given("_after"), given("_before")) {
        (Some(after), _) => query.after(after),
        (_, Some(before)) => query.before(before),
        _ => query,
    }
}

/// The address of the place in the list where a query is.
pub(crate) fn at(href: Href, query: &ListQuery) -> Href {
    match (&query.after, &query.before) {
        (Some(after), _) => href.with("_after", after),
        (_, Some(before)) => href.with("_before", before),
        _ => href,
    }
}

/// The place in the list that a link of the service leads to.
fn place_of(link: &str, from: &ListQuery) -> ListQuery {
    let mut query = from.clone();
    let (_, parameters) = link.split_once('?').unwrap_or_default();
    for (name, value) in parse_pairs(parameters).unwrap_or_default() {
        match &*name {
            "_after" => query = query.after(value),
            "_before" => query = query.before(value),
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
    fn a_place_in_the_list_is_taken_from_the_link_and_nothing_else() {
        let from = ListQuery::new().search("x").page(3);
        let link =
            "http://localhost/projects/p/prod/r/models/m/?_count=none&_fields=id&_after=abc%3D";
        let query = place_of(link, &from);
        assert_eq!(query.after.as_deref(), Some("abc="));
        assert_eq!((query.page, query.fields), (1, None));
        assert_eq!(query.search.as_deref(), Some("x"));
    }

    #[test]
    fn an_address_and_a_query_name_the_same_place_in_the_list() {
        let read = |form: &str| read(ListQuery::new(), &Form::parse(form).unwrap());
        let root = Href::root("");
        for form in ["_after=abc", "_before=abc"] {
            let href = at(root.clone(), &read(form));
            assert_eq!(href.to_string(), format!("/console/?{form}"));
        }
        let first = read("_after=&_before=&x=1");
        assert_eq!(at(root.clone(), &first), root);
    }
}
