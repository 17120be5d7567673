//! The structure of a model: its fields with their types and keys, and its relations in both directions.

use maud::{Markup, html};
use svc_model::resources::{Direction, FieldDescription, ModelDescription, ModelRelation};

use super::{Context, Scope, model::Model};
use crate::{
    answer::Answer,
    href::Href,
    problem::{Problem, Result},
    texts::Texts,
    ui::table,
    visit::Visit,
};

/// The structure of a model.
pub(crate) async fn answer(visit: &Visit, scope: &Scope, of: (&str, &str)) -> Result<Answer> {
    if visit.is_post() {
        return Err(Problem::OtherMethod);
    }
    let model = Model::open(visit, scope, of).await?;
    let texts = visit.texts;
    let description = &model.description;
    let context = &model.context;
    let link = |name: &str| {
        let known = model.described(name)?;
        Some(place(context, of.0, &known.model))
    };
    let relations = |direction| {
        let all = description.relations.iter();
        all.filter(move |relation| relation.direction == direction)
    };
    let main = html! {
        p.muted {
            @if description.is_view { (texts.get("view")) " · " }
            (texts.with("fields-count", [("count", description.fields.len().into())]))
            @if description.primary_key_auto { " · " (texts.get("structure-without-key")) }
        }
        div.actions {
            a.button.primary href=(model.list()) { (texts.get("open-records")) }
            @if visit.is_own_view() {
                a.button href=(super::resources::diagram(visit, scope, of.0).with("model", of.1)) { (texts.get("diagram")) }
            }
        }
        (fields(texts, description, description.fields.len(), link))
        (related(texts, "diagram-refers", relations(Direction::ManyToOne), link))
        (related(texts, "structure-referred", relations(Direction::OneToMany), link))
    };
    let above = vec![(model.name.to_string(), model.list())];
    let page = model.frame(texts.get("structure"), above).page(&main);
    Ok(Answer::page(page))
}

/// The address of the structure of a model.
pub(crate) fn place(context: &Context<'_>, resource: &str, model: &str) -> Href {
    context.place(["records", resource, model, "structure"])
}

/// The fields of the key of a model; none where it has no key of its own.
pub(crate) fn key_of(model: &ModelDescription) -> Vec<&str> {
    let fields = model.primary_key_field.split(',');
    let fields = fields.filter(|field| !field.is_empty() && !model.primary_key_auto);
    fields.collect()
}

/// The fields of a model as a table, at most so many; `link` gives the address of another model, where it is seen.
pub(crate) fn fields(
    texts: &Texts,
    model: &ModelDescription,
    most: usize,
    link: impl Fn(&str) -> Option<Href>,
) -> Markup {
    let key = key_of(model);
    let title = texts.with("diagram-fields", [("model", model.model.as_str().into())]);
    let head = html! { tr {
        th scope="col" { (texts.get("field")) }
        th scope="col" { (texts.get("diagram-type")) }
        th scope="col" { (texts.get("diagram-key")) }
        th scope="col" { "NULL" }
        th scope="col" { (texts.get("structure-index")) }
        th scope="col" { (texts.get("structure-default")) }
        th scope="col" { (texts.get("diagram-refers")) }
    } };
    let yes = |is_so: bool| html! { @if is_so { (texts.get("yes")) } };
    let rows = html! {
        @for field in model.fields.iter().take(most) {
            tr {
                th scope="row" { bdi { (field.name) } }
                td { bdi { (field.db_field) } }
                td { (yes(key.contains(&field.name.as_str()))) }
                td { (yes(field.null)) }
                td { (yes(field.indexed)) }
                td { (default(texts, field)) }
                td {
                    @for relation in model.relations.iter().filter(|relation| leads_from(relation, field)) {
                        div { (name(&relation.related_model, &link)) }
                    }
                }
            }
        }
    };
    html! {
        h2.later { (title) }
        (table::table(&title, &head, &rows))
        @if model.fields.len() > most {
            p.muted { (texts.with("sql-more", [("count", (model.fields.len() - most).into())])) }
        }
    }
}

fn leads_from(relation: &ModelRelation, field: &FieldDescription) -> bool {
    relation.direction == Direction::ManyToOne
        && relation
            .local_field
            .split(',')
            .any(|part| part == field.name)
}

/// What a field holds where nothing is given for it.
fn default(texts: &Texts, field: &FieldDescription) -> Markup {
    html! {
        @match (field.default_type.as_deref(), &field.default_value) {
            (Some("value"), Some(value)) => bdi { code { (value) } },
            (Some("datetime_now"), _) => (texts.get("structure-now")),
            (Some("auto_increment"), _) => (texts.get("structure-numbered")),
            (Some(_), _) => (texts.get("structure-computed")),
            (None, _) if !field.editable => (texts.get("by-database")),
            (None, _) => {},
        }
    }
}

/// The relations of one direction.
fn related<'m>(
    texts: &Texts,
    title: &str,
    relations: impl Iterator<Item = &'m ModelRelation>,
    link: impl Fn(&str) -> Option<Href>,
) -> Markup {
    let mut relations = relations.peekable();
    if relations.peek().is_none() {
        return html! {};
    }
    html! {
        section.related {
            h2 { (texts.get(title)) }
            ul.relations {
                @for relation in relations {
                    li {
                        bdi { (relation.local_field.replace(',', ", ")) }
                        @if relation.direction == Direction::ManyToOne { " → " } @else { " ← " }
                        (name(&relation.related_model, &link))
                        " (" bdi { (relation.related_field.replace(',', ", ")) } ")"
                    }
                }
            }
        }
    }
}

/// The name of another model, which leads to its structure.
fn name(model: &str, link: impl Fn(&str) -> Option<Href>) -> Markup {
    html! {
        @match link(model) {
            Some(link) => a href=(link) { bdi { (model) } },
            None => bdi { (model) },
        }
    }
}
