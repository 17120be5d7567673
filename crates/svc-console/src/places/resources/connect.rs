//! The form with the address of a database: a form for each engine, or a URL.

use std::fmt::Write as _;

use maud::{Markup, html};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use svc_model::administration::account::Account;

use crate::{
    href::Href,
    ui::form::account_field,
    visit::{Form, Visit},
};

/// What stays as it is in the parts of a URL.
const PART: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// How the address is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Postgres,
    Mysql,
    Sqlite,
    Url,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Postgres, Self::Mysql, Self::Sqlite, Self::Url];

    /// The kind of this name, as the address of the page has it.
    pub(super) fn of(name: &str) -> Self {
        let mut all = Self::ALL.into_iter();
        all.find(|kind| kind.name() == name)
            .unwrap_or(Self::Postgres)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Postgres => "postgres",
            Self::Mysql => "mysql",
            Self::Sqlite => "sqlite",
            Self::Url => "url",
        }
    }

    /// What people call it.
    fn title(self) -> &'static str {
        match self {
            Self::Postgres => "PostgreSQL",
            Self::Mysql => "MySQL, MariaDB",
            Self::Sqlite => "SQLite",
            Self::Url => "URL",
        }
    }
}

/// The address of a database, as it was entered.
pub(super) struct Connection<'f> {
    kind: Kind,
    form: &'f Form,
}

impl<'f> Connection<'f> {
    pub(super) fn of(kind: Kind, form: &'f Form) -> Self {
        Self { kind, form }
    }

    /// The address as a URL.
    pub(super) fn url(&self) -> String {
        let text = |name: &str| self.form.text(name).trim();
        let part = |name: &str| utf8_percent_encode(self.form.text(name), PART);
        let scheme = match self.kind {
            Kind::Url => return text("url").to_owned(),
            Kind::Sqlite => return format!("sqlite:{}", text("path")),
            Kind::Postgres => "postgres",
            Kind::Mysql => "mysql",
        };
        let mut url = format!("{scheme}://{}", part("user"));
        // Writing into a text cannot fail.
        if !self.form.text("password").is_empty() {
            let _ = write!(url, ":{}", part("password"));
        }
        let _ = write!(url, "@{}", text("host"));
        if !text("port").is_empty() {
            let _ = write!(url, ":{}", text("port"));
        }
        let _ = write!(url, "/{}", part("database"));
        url
    }

    /// The form, with what was entered.
    pub(super) fn form(
        &self,
        visit: &Visit,
        home: &Href,
        account: &Account,
        offers_unchecked: bool,
    ) -> Markup {
        let texts = visit.texts;
        let place = |kind: Kind| home.below(["connect"]).with("engine", kind.name());
        html! {
            nav.tabs aria-label=(texts.get("engine")) {
                @for kind in Kind::ALL {
                    a href=(place(kind)) aria-current=[(kind == self.kind).then_some("page")] { (kind.title()) }
                }
            }
            form.stack method="post" action=(place(self.kind)) data-guard {
                (account_field(account))
                label { (texts.get("resource-name"))
                    input name="name" value=(self.form.text("name")) required autocomplete="off" autocapitalize="none" spellcheck="false";
                    span.small.muted { (texts.get("resource-name-hint")) }
                }
                @match self.kind {
                    Kind::Url => label { "URL"
                        input name="url" value=(self.form.text("url")) required autocomplete="off" spellcheck="false"
                            placeholder="postgres://user:password@host/database";
                    },
                    Kind::Sqlite => label { (texts.get("path"))
                        input name="path" value=(self.form.text("path")) required autocomplete="off" spellcheck="false"
                            placeholder="/srv/shop/shop.db";
                        span.small.muted { (texts.get("path-hint")) }
                    },
                    Kind::Postgres | Kind::Mysql => (self.server(visit)),
                }
                @if offers_unchecked {
                    label.check {
                        input type="checkbox" name="unchecked" value="1";
                        (texts.get("keep-unchecked"))
                    }
                }
                div.actions {
                    button.primary name="action" value="save" { (texts.get("connect-save")) }
                    button name="action" value="test" { (texts.get("connect-test")) }
                }
            }
        }
    }

    fn server(&self, visit: &Visit) -> Markup {
        let texts = visit.texts;
        let port = match self.kind {
            Kind::Mysql => "3306",
            _ => "5432",
        };
        html! {
            label { (texts.get("host"))
                input name="host" value=(self.form.text("host")) required autocomplete="off" spellcheck="false" placeholder="db.internal";
            }
            label { (texts.get("port"))
                input name="port" value=(self.form.text("port")) inputmode="numeric" autocomplete="off" placeholder=(port);
            }
            label { (texts.get("database"))
                input name="database" value=(self.form.text("database")) required autocomplete="off" spellcheck="false";
            }
            label { (texts.get("database-user"))
                input name="user" value=(self.form.text("user")) required autocomplete="off" spellcheck="false";
            }
            label { (texts.get("password"))
                input type="password" name="password" value=(self.form.text("password")) autocomplete="off";
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(kind: Kind, form: &str) -> String {
        Connection::of(kind, &Form::parse(form).unwrap()).url()
    }

    #[test]
    fn what_was_entered_becomes_one_url_and_no_part_of_it_another() {
        let form = "host=db.internal&port=&database=my+db&user=o%27neil&password=p%40ss%2Fw%3Ard";
        assert_eq!(
            url(Kind::Postgres, form),
            "postgres://o%27neil:p%40ss%2Fw%3Ard@db.internal/my%20db"
        );
        let form = "host=h&port=3307&database=d&user=u&password=";
        assert_eq!(url(Kind::Mysql, form), "mysql://u@h:3307/d");
        assert_eq!(url(Kind::Sqlite, "path=+%2Fsrv%2Fa.db"), "sqlite:/srv/a.db");
        assert_eq!(url(Kind::Url, "url=sqlite%3Aa.db"), "sqlite:a.db");
        assert_eq!(Kind::of("nothing"), Kind::Postgres);
    }
}
