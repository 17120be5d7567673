//! What stands beside the picture: its references as a table, and lists of models.

use maud::{Markup, html};

use super::{
    Place,
    graph::{Drawn, Graph, Node},
};
use crate::{href::Href, places::structure::key_of, ui::table};

/// How many models a list has.
const MOST: usize = 200;
/// How many of those with the most relations are offered.
const OFFERED: usize = 24;

/// The models that are drawn, with their keys and references.
pub(super) fn references(place: &Place<'_>, graph: &Graph<'_>, drawn: &Drawn) -> Markup {
    let texts = place.context.texts();
    let head = html! { tr {
        th scope="col" { (texts.get("diagram-model")) }
        th scope="col" { (texts.get("diagram-key")) }
        th scope="col" { (texts.get("diagram-references")) }
        th scope="col" { span.visually-hidden { (texts.get("diagram-around")) } }
    } };
    let rows = html! {
        @for node in &drawn.nodes {
            @let name = graph.name(*node);
            tr {
                th scope="row" { a href=(place.records(name)) { bdi { (name) } } }
                td.long {
                    @for (number, field) in graph.model(*node).map(key_of).into_iter().flatten().enumerate() {
                        @if number > 0 { ", " }
                        bdi { (field) }
                    }
                }
                td.long {
                    @for (relation, to) in graph.references(*node) {
                        div {
                            bdi { (relation.local_field.replace(',', ", ")) } " → "
                            a href=(place.records(graph.name(*to))) { bdi { (graph.name(*to)) } }
                            " (" bdi { (relation.related_field.replace(',', ", ")) } ")"
                        }
                    }
                }
                td { a href=(place.around(name)) aria-current=[(drawn.chosen == Some(*node)).then_some("true")] {
                    (texts.get("diagram-around")) span.visually-hidden { " " bdi { (name) } }
                } }
            }
        }
    };
    html! {
        h2.later { (texts.get("diagram-references")) }
        div.referring { (table::table(&texts.get("diagram-references"), &head, &rows)) }
    }
}

/// The models around the chosen one for which there is no place in the picture.
pub(super) fn left_out(place: &Place<'_>, graph: &Graph<'_>, drawn: &Drawn) -> Markup {
    let texts = place.context.texts();
    let count = drawn.left_out.len();
    html! {
        @if count > 0 {
            h2.later { (texts.get("diagram-left-out")) }
            p { (texts.with("diagram-left-out-what", [("count", count.into()), ("drawn", drawn.nodes.len().into())])) }
            (list(place, graph, &drawn.left_out, |name| place.around(name)))
        }
    }
}

/// The models that have no relations.
pub(super) fn unrelated(place: &Place<'_>, graph: &Graph<'_>) -> Markup {
    let unrelated = graph.unrelated();
    html! {
        @if !unrelated.is_empty() {
            h2.later { (place.context.texts().get("diagram-unrelated")) }
            (list(place, graph, &unrelated, |name| place.around(name)))
        }
    }
}

/// The models in whose names a text is.
pub(super) fn found(place: &Place<'_>, graph: &Graph<'_>, wanted: &str) -> Markup {
    let texts = place.context.texts();
    let found = graph.matching(wanted);
    html! {
        @if found.is_empty() {
            p.empty-state { (texts.get("diagram-none")) }
        } @else {
            h2 { (texts.get("diagram-found")) }
            (list(place, graph, &found, |name| place.around(name)))
        }
    }
}

/// The models with which one may begin in a large database.
pub(super) fn most_related(place: &Place<'_>, graph: &Graph<'_>) -> Markup {
    let texts = place.context.texts();
    let most = texts.with("diagram-large", [("most", super::MOST.into())]);
    html! {
        p { (most) }
        h2 { (texts.get("diagram-most-related")) }
        (list(place, graph, &graph.most_related(OFFERED), |name| place.around(name)))
    }
}

fn list(place: &Place<'_>, graph: &Graph<'_>, nodes: &[Node], to: impl Fn(&str) -> Href) -> Markup {
    let texts = place.context.texts();
    html! {
        ul.models {
            @for node in nodes.iter().take(MOST) {
                @let count = graph.count_neighbours(*node);
                li {
                    a href=(to(graph.name(*node))) { bdi { (graph.name(*node)) } }
                    @if count > 0 {
                        span.muted { (texts.with("diagram-related", [("count", count.into())])) }
                    }
                }
            }
        }
        @if nodes.len() > MOST {
            p.muted { (texts.with("sql-structure-more", [("count", (nodes.len() - MOST).into())])) }
        }
    }
}
