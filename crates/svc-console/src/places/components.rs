//! Every component of `ui/` in all its states, for those who build the console: only in debug builds.
//!
//! The tests in a browser check their contrast here. A new component is one section here.

use maud::{Markup, html};
use svc_model::{ListQuery, Paginated, resources::FieldType};

use crate::{
    answer::Answer,
    problem::Result,
    ui::{
        cell::cell,
        form::{Confirmation, email_and_password},
        frame::Frame,
        notice, paging, table,
    },
    visit::Visit,
};

/// A value of each kind of cell, as JSON.
const VALUES: [(FieldType, &str); 14] = [
    (FieldType::CharField, r#""text""#),
    (FieldType::CharField, r#""""#),
    (FieldType::CharField, "null"),
    (FieldType::TextField, r#""first line\nsecond line""#),
    (FieldType::TextField, r#""https://example.com/a?b=c""#),
    (FieldType::IntegerField, "9007199254740993"),
    (FieldType::DecimalField, "12345678901234.5000"),
    (FieldType::BooleanField, "true"),
    (FieldType::BooleanField, "false"),
    (FieldType::DateField, r#""2024-02-29""#),
    (FieldType::DateTimeField, r#""2024-02-29T23:59:58Z""#),
    (FieldType::JsonField, r#"{"a": [1, null]}"#),
    (FieldType::BinaryField, r#""AP8Q""#),
    (FieldType::GeometryField, r#""POINT (1 2)""#),
];

/// The page.
pub(crate) async fn answer(visit: &Visit) -> Result<Answer> {
    let client = visit.client()?;
    let administration = client.administration();
    let account = administration.account().get().send().await?;
    let sections = [
        ("Buttons", buttons()),
        ("Fields", fields(visit)),
        ("Confirmations", confirmations(visit)),
        ("Notices", notices(visit)),
        ("Cells", cells(visit)),
        ("Lists", lists()),
        ("Menus", menus()),
        ("Pages", pages(visit)),
    ];
    let frame = Frame {
        visit,
        account: &account,
        scope: None,
        area: None,
        above: Vec::new(),
        title: "Components".to_owned(),
    };
    Ok(Answer::page(frame.page(&html! {
        @for (name, section) in &sections {
            section {
                h2 { (name) }
                (section)
            }
        }
    })))
}

fn buttons() -> Markup {
    html! {
        div.toolbar {
            button type="button" { "Button" }
            button.primary type="button" { "Primary" }
            button.danger type="button" { "Danger" }
            button.plain type="button" { "Plain" }
            button type="button" disabled { "Disabled" }
            a.button href="#main" { "Link" }
            a.button.primary href="#main" { "Primary link" }
            a.button.danger href="#main" { "Danger link" }
        }
    }
}

fn fields(visit: &Visit) -> Markup {
    html! {
        form.stack method="get" {
            (email_and_password(visit.texts, "ann@example.com", "off"))
            label { "Field with a hint"
                input name="hint" placeholder="as it may look";
                span.small.muted { "What belongs here." }
            }
            label.check { input type="checkbox" name="box" checked; "Box" }
        }
        div.fields {
            div.field {
                label for="c-one" { "Field" span.required title="required" { " *" } span.small.muted { " VARCHAR(80)" } }
                div {
                    input #c-one name="one" value="value";
                    span.states {
                        label.check { input type="radio" name="state" value="text" checked; "value" }
                        label.check { input type="radio" name="state" value="null"; "NULL" }
                    }
                }
            }
            div.field.wrong {
                label for="c-two" { "Wrong" }
                div {
                    textarea #c-two name="two" rows="2" aria-invalid="true" aria-describedby="c-two-error" { "many" }
                    p.field-error #c-two-error { "A valid integer is required." }
                    p.conflict { "Now in the database: " bdi { "5" } }
                }
            }
            div.field {
                label for="c-three" { "Choice" }
                div { select #c-three name="three" { option { "first" } option { "second" } } }
            }
            div.field {
                span { "Fixed" }
                div { p.fixed { span.null { "NULL" } } p.small.muted { "Refers to makers." } }
            }
        }
    }
}

fn confirmations(visit: &Visit) -> Markup {
    let one = |name: Option<&'static str>, is_forbidden: bool| Confirmation {
        what: html! { p { "The record 1 of parts is deleted for good." } },
        action: visit.root.below(["components"]),
        cancel: visit.root.below(["components"]),
        button: "Delete".to_owned(),
        name,
        is_forbidden,
    };
    html! {
        (one(None, false).form(visit, &html! {}))
        (one(Some("parts"), false).form(visit, &html! {}))
        (one(None, true).form(visit, &html! {}))
    }
}

fn notices(visit: &Visit) -> Markup {
    html! {
        (notice::done("Saved."))
        (notice::error(visit, "The database cannot be reached."))
        p.empty-state { "No record fits." }
    }
}

fn cells(visit: &Visit) -> Markup {
    let texts = visit.texts;
    let row = |kind: FieldType, json: &str, cut: Option<u64>| {
        html! {
            tr {
                td { a.key href="#main" { bdi { (format!("{kind:?}")) } } }
                td { (cell(texts, kind, Some(json), cut)) }
                td.number { (cell(texts, kind, Some(json), cut)) }
            }
        }
    };
    table::table(
        "Cells",
        &html! {
            tr {
                th scope="col" aria-sort="ascending" { a href="#main" { "type" span aria-hidden="true" { " ↑" } } }
                th scope="col" { "value" }
                th.number scope="col" { "as a number" }
            }
        },
        &html! {
            @for (kind, json) in VALUES { (row(kind, json, None)) }
            (row(FieldType::TextField, r#""what is left of a long text""#, Some(10_000_000)))
        },
    )
}

fn lists() -> Markup {
    html! {
        ul.cards { li { a.card href="#main" { strong { "Shop" } span.muted { "shop" } span.muted { "one database" } } } }
        ul.models {
            li { a href="#main" { "parts" } span.muted { "6 fields" } }
            li { a href="#main" { "part_names" } span.muted { "view · 2 fields" } }
        }
        ul.chips aria-label="Chips" {
            li { span { "amount is greater than " strong { "5" } } a href="#main" aria-label="Remove filter" { "×" } }
        }
        dl.facts {
            dt { "State" } dd { strong.up { "connected" } }
            dt { "State" } dd { strong.down { "not reachable" } }
            dt { "Address" } dd { code { "sqlite:shop.db" } }
        }
    }
}

fn menus() -> Markup {
    html! {
        nav.tabs aria-label="Tabs" {
            a href="#main" aria-current="page" { "This one" }
            a href="#main" { "Another" }
        }
        nav.areas aria-label="Areas" {
            a href="#main" aria-current="true" { "Data" }
            a href="#main" { "Pages" }
        }
        div.toolbar {
            details.menu { summary { "Menu" } div.panel { a href="#main" { "Entry" } } }
            details.menu.environment.production {
                summary { "Live" span.word { "production" } }
                div.panel { a href="#main" aria-current="page" { "Live" } a href="#main" { "Test" } }
            }
        }
    }
}

fn pages(visit: &Visit) -> Markup {
    let page = r#"{"count": null, "next": "?_after=a", "previous": "?_before=a", "results": []}"#;
    let Ok(page) = serde_json::from_str::<Paginated<u32>>(page) else {
        return html! {};
    };
    paging::links(
        visit.texts,
        &page,
        &ListQuery::new(),
        |_| visit.root.below(["components"]),
        &html! { span.muted { "about 1,234,567 records" } },
    )
}
