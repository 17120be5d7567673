//! Lists of credentials, and the forms that make them: tokens and API keys look and work the same everywhere.

use jiff::Timestamp;
use maud::{Markup, html};
use svc_api::Error;
use svc_model::{ListQuery, Paginated, administration::account::Account};

use crate::{
    href::Href,
    problem::{Problem, Result},
    texts::Texts,
    ui::{
        filled::Filled,
        form::{Confirmation, Outcome},
        paging, table, time,
    },
    visit::{Form, Visit},
};

/// How many a page has.
const PER_PAGE: u32 = 50;

/// A credential, without its text.
pub(crate) struct Row<'a> {
    pub(crate) name: Option<&'a str>,
    /// How its text begins.
    pub(crate) prefix: &'a str,
    /// What it opens.
    pub(crate) of: Markup,
    pub(crate) date_add: &'a str,
    pub(crate) last_use: Option<&'a str>,
    pub(crate) expires: Option<&'a str>,
    pub(crate) revoked: Option<&'a str>,
    /// Where it is revoked.
    pub(crate) revoke: Href,
}

/// What the address of a list of credentials asks for.
pub(crate) struct Listed {
    pub(crate) query: ListQuery,
    /// Whether those that were revoked are listed too.
    pub(crate) revoked: bool,
}

impl Listed {
    pub(crate) fn read(form: &Form) -> Self {
        Self {
            query: paging::read(ListQuery::new().per_page(PER_PAGE), form),
            revoked: form.get("revoked") == Some("1"),
        }
    }

    /// The address of another part of the list.
    pub(crate) fn at(&self, place: &Href, query: &ListQuery) -> Href {
        let mut href = place.clone();
        if self.revoked {
            href = href.with("revoked", "1");
        }
        paging::at(href, query)
    }

    /// The link that shows those that were revoked, or hides them again.
    pub(crate) fn toggle(&self, texts: &Texts, place: &Href) -> Markup {
        html! {
            @match self.revoked {
                false => a.button href=(place.clone().with("revoked", "1")) { (texts.get("credentials-revoked")) },
                true => a.button href=(place) { (texts.get("credentials-valid")) },
            }
        }
    }
}

/// Credentials as a table; `of` is what the column says that they open.
pub(crate) fn list(
    texts: &Texts,
    account: &Account,
    (name, of): (&str, &str),
    rows: &[Row<'_>],
) -> Markup {
    if rows.is_empty() {
        return html! { p.empty-state { (texts.get("credentials-empty")) } };
    }
    table::table(
        name,
        &html! { tr {
            th scope="col" { (texts.get("credentials-name")) }
            th scope="col" { (of) }
            th scope="col" { (texts.get("credentials-begins")) }
            th scope="col" { (texts.get("credentials-made")) }
            th scope="col" { (texts.get("credentials-used")) }
            th scope="col" { (texts.get("credentials-ends")) }
            th scope="col" { span.visually-hidden { (texts.get("credentials-revoke")) } }
        } },
        &html! { @for row in rows { (one(texts, account, row)) } },
    )
}

fn one(texts: &Texts, account: &Account, row: &Row<'_>) -> Markup {
    let is_over = row.expires.is_some_and(is_past);
    html! {
        tr {
            td {
                @match row.name {
                    Some(name) => bdi { (name) },
                    None => span.muted { (texts.get("credentials-unnamed")) },
                }
            }
            td { (row.of) }
            td { code { (row.prefix) "…" } }
            td { (time::minute(account, row.date_add)) }
            td {
                @match row.last_use {
                    Some(time) => (time::minute(account, time)),
                    None => span.muted { (texts.get("credentials-never-used")) },
                }
            }
            td {
                @match row.expires {
                    Some(time) => {
                        (time::minute(account, time))
                        @if is_over { " " strong.down { (texts.get("credentials-over")) } }
                    },
                    None => span.muted { (texts.get("credentials-never-ends")) },
                }
            }
            td {
                @match row.revoked {
                    Some(time) => { span.down { (texts.get("credentials-was-revoked")) } " " (time::minute(account, time)) },
                    None => a.button.danger href=(row.revoke) { (texts.get("credentials-revoke")) },
                }
            }
        }
    }
}

/// Whether a time is over.
pub(crate) fn is_past(text: &str) -> bool {
    text.parse::<Timestamp>()
        .is_ok_and(|time| time <= Timestamp::now())
}

/// The names of the fields that every new credential has.
pub(crate) const NAME: &str = "name";
pub(crate) const EXPIRES: &str = "expires";

/// The fields that every new credential has: what people call it, and its last day.
pub(crate) fn name_and_end(texts: &Texts, filled: &Filled<'_>) -> Markup {
    let (name_error, name_errors) = filled.errors_of(NAME);
    let (end_error, end_errors) = filled.errors_of(EXPIRES);
    html! {
        label { (texts.get("credentials-name"))
            input name=(NAME) value=(filled.value(NAME, "")) autocomplete="off"
                aria-invalid=[name_error.as_ref().map(|_| "true")] aria-describedby=[name_error.as_deref()];
            span.small.muted { (texts.get("credentials-name-hint")) }
        }
        (name_errors)
        label { (texts.get("credentials-last-day"))
            input type="date" name=(EXPIRES) value=(filled.value(EXPIRES, ""))
                aria-invalid=[end_error.as_ref().map(|_| "true")] aria-describedby=[end_error.as_deref()];
            span.small.muted { (texts.get("credentials-last-day-hint")) }
        }
        (end_errors)
    }
}

/// The name of a new credential as it was entered.
pub(crate) fn name(form: &Form) -> Option<String> {
    let name = form.text(NAME).trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// The end of a new credential, which is that of the day that was entered; `None` for one without end. What is no day, and a
/// day that is over, is refused beside the field.
pub(crate) fn end(account: &Account, form: &Form, filled: &mut Filled<'_>) -> Option<String> {
    let day = form.text(EXPIRES).trim();
    if day.is_empty() {
        return None;
    }
    let end = time::end_of_day(account, day).filter(|end| !is_past(end));
    if end.is_none() {
        filled.refuse_field(EXPIRES, filled.texts().get("credentials-last-day-wrong"));
    }
    end
}

/// A field with which a form that is sent twice makes one thing.
pub(crate) fn once_field() -> Markup {
    html! {
        input type="hidden" name="once" value=(format!("console-{}", Timestamp::now().as_nanosecond()));
    }
}

/// What such a field holds.
pub(crate) fn once(form: &Form) -> String {
    match form.text("once") {
        "" => format!("console-{}", Timestamp::now().as_nanosecond()),
        once => once.to_owned(),
    }
}

/// The one entry that a list was asked for. What is no identifier is the identifier of nothing.
pub(crate) fn only<T>(found: Result<Paginated<T>, Error>) -> Result<T> {
    match found {
        Ok(page) => page.results.into_iter().next().ok_or(Problem::NotFound),
        Err(error) if !error.field_errors().is_empty() => Err(Problem::NotFound),
        Err(error) => Err(error.into()),
    }
}

/// A credential that is revoked.
pub(crate) struct Revoked<'a> {
    /// How its text begins.
    pub(crate) prefix: &'a str,
    pub(crate) name: Option<&'a str>,
    pub(crate) last_use: Option<&'a str>,
}

impl Revoked<'_> {
    /// Asks at the address `action`, and revokes it by `act`; both ways lead to the list.
    pub(crate) async fn ask(
        &self,
        visit: &Visit,
        account: &Account,
        (action, list): (Href, Href),
        act: impl AsyncFnOnce() -> Result<(), Error>,
    ) -> Result<Outcome> {
        let question = Confirmation {
            what: self.what(visit.texts, account),
            action,
            cancel: list.clone(),
            button: visit.texts.get("credentials-revoke"),
            name: None,
            is_forbidden: false,
        };
        let revoke = question.ask(visit, async || {
            act().await?;
            Ok(list)
        });
        revoke.await
    }

    fn what(&self, texts: &Texts, account: &Account) -> Markup {
        html! {
            p {
                @match self.name {
                    Some(name) => { bdi { strong { (name) } } " (" code { (self.prefix) "…" } ")" },
                    None => code { (self.prefix) "…" },
                }
                " " (texts.get("credentials-revoke-what"))
            }
            p.muted {
                @match self.last_use {
                    Some(time) => { (texts.get("credentials-used")) ": " (time::minute(account, time)) },
                    None => (texts.get("credentials-never-used")),
                }
            }
        }
    }
}
