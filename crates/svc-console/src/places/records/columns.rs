//! The form that chooses columns, how wide they are, and which of them stay visible.

use maud::{Markup, html};
use svc_model::{ListQuery, resources::FieldDescription};

use super::{
    View,
    layout::{Layout, MOST_PINNED, PIN, WIDTH, Width},
    saved::Saved,
    view::at_start,
};
use crate::{
    href::Href,
    places::{
        controls::{ARRANGED, MOVE},
        model::Model,
    },
    texts::{Around, Texts},
    ui::form::{account_field, default_button, hidden},
    visit::Form,
};

/// Where the form leads, when it was sent.
pub(super) fn led_to(
    model: &Model<'_>,
    form: &Form,
    wanted: &ListQuery,
    saved: &Saved,
) -> Option<Href> {
    let columns: Vec<&str> = form.all("_column").collect();
    if columns.is_empty() {
        return None;
    }
    let mut columns = columns;
    if let Some((side, name)) = form.get(MOVE).and_then(|text| text.split_once('.')) {
        move_to(&mut columns, side, name);
    }
    let pinned = form.all(PIN).filter(|name| columns.contains(name)).count();
    let layout = Layout::of_form(form, model).unwrap_or_default();
    let is_moved = form.get(MOVE).is_some_and(|text| !text.is_empty());
    let layout = match is_moved {
        true => layout.of_columns(&columns).in_order_of(&columns),
        false => layout.of_columns(&columns),
    };
    let mut query = at_start(wanted);
    query.fields = Some(columns.into_iter().map(str::to_owned).collect());
    let mut query = query.to_query_string();
    if !layout.is_empty() || !saved.layout(model).is_empty() {
        layout.add_to(&mut query);
    }
    if pinned > MOST_PINNED {
        query.push("_unpinned", "1");
    }
    if is_moved {
        query.push(ARRANGED, "1");
    }
    Some(model.list().query(query))
}

/// Exchanges a column with the one beside it.
fn move_to(columns: &mut [&str], side: &str, name: &str) {
    let Some(at) = columns.iter().position(|column| *column == name) else {
        return;
    };
    let other = match side {
        "left" => at.checked_sub(1),
        _ => Some(at + 1).filter(|other| *other < columns.len()),
    };
    if let Some(other) = other {
        columns.swap(at, other);
    }
}

/// Which columns are shown and how; that can be kept for the next time.
pub(super) fn menu(view: &View<'_>, saved: &Saved, form: &Form) -> Markup {
    let model = view.model;
    let texts = model.texts();
    let is_shown = |field: &&FieldDescription| view.columns.iter().any(|it| it.name == field.name);
    let others = model.description.fields.iter().filter(|it| !is_shown(it));
    html! {
        details.menu open[form.get(ARRANGED).is_some()] {
            summary { (texts.get("columns")) }
            div.panel.columns {
                input.find type="search" data-finds="columns" aria-label=(texts.get("columns-find"))
                    placeholder=(texts.get("columns-find")) autocomplete="off";
                form.stack method="get" action=(model.list()) {
                    (hidden(&view.at_start(), |query| query.fields = None))
                    (default_button(MOVE, ""))
                    div.checks #columns tabindex="0" role="group" aria-label=(texts.get("columns")) {
                        @let shown = view.shown();
                        @let labels = Labels::of(texts);
                        @for (at, column) in shown.iter().enumerate() {
                            // Pinned columns stay together.
                            @let may = |other: Option<usize>| other.and_then(|other| shown.get(other)).is_some_and(|other| other.is_pinned == column.is_pinned);
                            (one(view, &labels, column.field, may(at.checked_sub(1)), may(Some(at + 1))))
                        }
                        @for field in others {
                            div.column { (choice(field, false)) }
                        }
                    }
                    p.small.muted { (texts.get("columns-pin-hint")) }
                    button.primary { (texts.get("columns-apply")) }
                }
                (keep(view, saved))
            }
        }
    }
}

fn choice(field: &FieldDescription, is_shown: bool) -> Markup {
    html! {
        label.check {
            input type="checkbox" name="_column" value=(field.name) checked[is_shown];
            bdi { (field.name) }
        }
    }
}

/// What is said of each column, some of it around its name.
struct Labels {
    left: Around,
    right: Around,
    width: Around,
    automatic: String,
    widths: [(Width, String); Width::ALL.len()],
    pin: Around,
    pinned: String,
}

impl Labels {
    fn of(texts: &Texts) -> Self {
        let around = |id| texts.around(id, "name");
        Self {
            left: around("columns-left"),
            right: around("columns-right"),
            width: around("columns-width-of"),
            automatic: texts.get("width-automatic"),
            widths: Width::ALL.map(|width| (width, width.text(texts))),
            pin: around("columns-pin-of"),
            pinned: texts.get("columns-pin"),
        }
    }
}

/// A column that is shown, with how wide it is, whether it is pinned, and whether it may go to the left and to the right.
fn one(
    view: &View<'_>,
    labels: &Labels,
    field: &FieldDescription,
    left: bool,
    right: bool,
) -> Markup {
    let name = field.name.as_str();
    let (width, is_pinned) = (view.layout.width(name), view.layout.is_pinned(name));
    html! {
        div.column {
            (choice(field, true))
            span.moves {
                @for (side, sign, label, may) in [("left", "←", &labels.left, left), ("right", "→", &labels.right, right)] {
                    button name=(MOVE) value={ (side) "." (name) } disabled[!may] aria-label=(label.of(name)) { (sign) }
                }
            }
            select name=(WIDTH) aria-label=(labels.width.of(name)) {
                option value="" { (labels.automatic) }
                @for (one, text) in &labels.widths {
                    option value={ (one.word()) "." (name) } selected[width == Some(*one)] { (text) }
                }
            }
            label.check {
                input type="checkbox" name=(PIN) value=(name) checked[is_pinned]
                    aria-label=(labels.pin.of(name));
                (labels.pinned)
            }
        }
    }
}

/// The form that keeps what is shown for the next time, or forgets what was kept.
fn keep(view: &View<'_>, saved: &Saved) -> Markup {
    let model = view.model;
    let texts = model.texts();
    let is_named = view.query.fields.is_some() || view.named.is_some();
    html! {
        @if is_named || saved.columns().is_some() {
            form method="post" action=(model.list().below(["views", "columns"])) {
                (account_field(model.context.visit))
                (hidden(&view.at_start(), |query| query.fields = None))
                @if is_named {
                    @for column in &view.columns { input type="hidden" name="_column" value=(column.name); }
                    (view.layout.hidden())
                    button { (texts.get("columns-remember")) }
                } @else {
                    button { (texts.get("columns-forget")) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_changes_places_with_the_one_beside_it() {
        let moved = |side: &str, name: &str| {
            let mut columns = ["a", "b.c", "d"];
            move_to(&mut columns, side, name);
            columns.join(" ")
        };
        assert_eq!(moved("left", "b.c"), "b.c a d");
        assert_eq!(moved("right", "b.c"), "a d b.c");
        for (side, name) in [("left", "a"), ("right", "d"), ("left", "nothing")] {
            assert_eq!(moved(side, name), "a b.c d");
        }
    }
}
