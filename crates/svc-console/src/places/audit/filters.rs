//! What narrows the trail. All of it is in the address.

use std::collections::BTreeSet;

use maud::{Markup, html};
use svc_model::{Filter, ListQuery, Lookup, administration::account::Account};

use super::{Trail, actions};
use crate::{
    href::Href,
    places::{Context, record::history},
    texts::Texts,
    ui::{paging, time},
    visit::Form,
};

/// What somebody can show to the service who does something.
const ACTORS: [&str; 7] = [
    "account",
    "user",
    "api_key",
    "static_token",
    "service_token",
    "anonymous",
    "program",
];

/// The parameters of the address that are filters.
const NAMES: [&str; 11] = [
    "actor",
    "actor_kind",
    "action",
    "project",
    "environment",
    "resource",
    "model",
    "record",
    "since",
    "until",
    "request_id",
];

/// What the address asks for.
pub(super) struct Filters {
    form: Form,
}

impl Filters {
    pub(super) fn read(form: &Form) -> Self {
        Self { form: form.clone() }
    }

    fn text(&self, name: &str) -> &str {
        self.form.text(name).trim()
    }

    fn given(&self, name: &str) -> Option<&str> {
        Some(self.text(name)).filter(|text| !text.is_empty())
    }

    /// Not before this time.
    pub(super) fn since(&self, account: &Account) -> Option<String> {
        self.given("since").map(|text| time::entered(account, text))
    }

    /// Before this time.
    pub(super) fn until(&self, account: &Account) -> Option<String> {
        self.given("until").map(|text| time::entered(account, text))
    }

    /// The query for the lines.
    pub(super) fn query(&self) -> ListQuery {
        let mut query = ListQuery::new();
        for name in [
            "actor_kind",
            "project",
            "environment",
            "resource",
            "model",
            "request_id",
        ] {
            if let Some(value) = self.given(name) {
                query = query.filter(name, Lookup::Exact, value);
            }
        }
        if let Some(actor) = self.given("actor") {
            query = query.filter("actor", Lookup::Icontains, actor);
        }
        if let Some(action) = self.given("action") {
            query = match action.contains('.') {
                true => query.filter("action", Lookup::Exact, action),
                false => query.filter("action", Lookup::Startswith, format!("{action}.")),
            };
        }
        if let Some(record) = self.given("record") {
            // A line about several records has their keys.
            let key = serde_json::Value::from(record).to_string();
            query = query.filter_tree(Filter::or([
                Filter::field("record", Lookup::Exact, record),
                Filter::field("keys", Lookup::JsonIcontains, key),
            ]));
        }
        paging::read(query, &self.form)
    }

    /// The address of another part of the same lines.
    pub(super) fn at(&self, place: &Href, query: &ListQuery) -> Href {
        paging::at(self.everywhere(place), query)
    }

    /// An address with the same filters, from the newest line on.
    pub(super) fn everywhere(&self, place: &Href) -> Href {
        let given = NAMES
            .iter()
            .filter_map(|name| Some((name, self.given(name)?)));
        given.fold(place.clone(), |href, (name, value)| href.with(name, value))
    }
}

/// The form of the filters.
pub(super) fn bar(trail: &Trail<'_>, filters: &Filters) -> Markup {
    let texts = trail.visit.texts;
    let export = filters.everywhere(&trail.at.below(["export"]));
    let shows_project = trail.context.is_none();
    html! {
        form.filters role="search" method="get" action=(trail.at) {
            (input(filters, "actor", &texts.get("audit-who"), "ann@example.com"))
            (choice(filters, "actor_kind", &texts.get("audit-with"), &actors(texts)))
            label { (texts.get("audit-what")) (actions::choice(texts, filters.text("action"))) }
            @if shows_project { (input(filters, "project", &texts.get("audit-project"), "")) }
            @match trail.context {
                Some(context) => {
                    (choice(filters, "environment", &texts.get("environment"), &environments(texts, context)))
                    (choice(filters, "resource", &texts.get("audit-resource"), &resources(texts, context)))
                },
                None => {
                    (input(filters, "environment", &texts.get("environment"), ""))
                    (input(filters, "resource", &texts.get("audit-resource"), ""))
                },
            }
            (input(filters, "model", &texts.get("audit-model"), ""))
            (input(filters, "record", &texts.get("audit-record"), "42"))
            (input(filters, "since", &texts.get("audit-since"), "7d"))
            (input(filters, "until", &texts.get("audit-until"), "2026-11-25 14:00"))
            @if let Some(request) = filters.given("request_id") {
                input type="hidden" name="request_id" value=(request);
            }
            div.actions {
                button.primary { (texts.get("audit-show")) }
                a.button href=(trail.at) { (texts.get("audit-all")) }
                a.button href=(export) { "CSV" }
            }
        }
        p.small.muted { (texts.get("audit-hint")) }
    }
}

/// What somebody can have shown, each with its name.
fn actors(texts: &Texts) -> Vec<(String, String)> {
    let named = ACTORS.map(|kind| (kind.to_owned(), history::kind_of_actor(texts, kind)));
    any(texts, named)
}

fn environments(texts: &Texts, context: &Context<'_>) -> Vec<(String, String)> {
    let all = context.project.environments.iter();
    any(
        texts,
        all.map(|it| (it.unique_name.to_string(), it.name.clone())),
    )
}

/// The databases and APIs of all environments.
fn resources(texts: &Texts, context: &Context<'_>) -> Vec<(String, String)> {
    let all = context.project.resources.iter();
    let names: BTreeSet<&str> = all.map(|it| it.unique_name.as_str()).collect();
    let named = names
        .into_iter()
        .map(|name| (name.to_owned(), name.to_owned()));
    any(texts, named)
}

fn any(
    texts: &Texts,
    options: impl IntoIterator<Item = (String, String)>,
) -> Vec<(String, String)> {
    let any = (String::new(), texts.get("audit-any"));
    [any].into_iter().chain(options).collect()
}

/// A field for one of several values. One that is not among them, since it is gone, stays what is asked for.
fn choice(filters: &Filters, name: &str, label: &str, options: &[(String, String)]) -> Markup {
    let chosen = filters.text(name);
    let is_known = options.iter().any(|(value, _)| value == chosen);
    html! {
        label { (label)
            select name=(name) {
                @if !is_known { option value=(chosen) selected { (chosen) } }
                @for (value, text) in options {
                    option value=(value) selected[value == chosen] { (text) }
                }
            }
        }
    }
}

fn input(filters: &Filters, name: &str, label: &str, example: &str) -> Markup {
    html! {
        label { (label)
            input name=(name) value=(filters.text(name)) placeholder=(example) autocomplete="off" autocapitalize="none"
                spellcheck="false";
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_has_every_filter_and_becomes_one_query() {
        let form = "actor=ann&action=records&model=orders&record=7&since=7d&nothing=1&_after=x";
        let filters = Filters::read(&Form::parse(form).unwrap());
        let root = Href::root("");
        assert_eq!(
            filters.everywhere(&root).to_string(),
            "/console/?actor=ann&action=records&model=orders&record=7&since=7d"
        );
        let query = filters.query().to_query_string();
        let query = query.as_str();
        for part in [
            "model=orders",
            "actor__icontains=ann",
            "action__startswith=records.",
            "_after=x",
            "_filter=",
        ] {
            assert!(query.contains(part), "{part}: {query}");
        }
        let exact = Filters::read(&Form::parse("action=records.update").unwrap());
        assert_eq!(
            exact.query().to_query_string().as_str(),
            "action=records.update"
        );
    }
}
