//! The form with the address of a database: a form for each engine, or a URL.

use std::{fmt::Write as _, num::NonZeroU16};

use maud::{Markup, html};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::{
    href::Href,
    places::Context,
    texts::Texts,
    ui::{filled::Filled, form::account_field},
    visit::Form,
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

    /// The kind of this name, as the address of the page has it, where it is offered to who looks.
    pub(super) fn of(name: &str, is_operator: bool) -> Self {
        let mut offered = Self::offered(is_operator);
        offered
            .find(|kind| kind.name() == name)
            .unwrap_or(Self::Postgres)
    }

    /// Those that somebody may use: files of the machine are for operators. Those in a folder that the service opens to others
    /// have URLs.
    fn offered(is_operator: bool) -> impl Iterator<Item = Self> {
        let all = Self::ALL.into_iter();
        all.filter(move |kind| is_operator || *kind != Self::Sqlite)
    }

    pub(super) fn name(self) -> &'static str {
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
    /// Whether the database cannot be reached, which is all that is wrong with it.
    pub(super) may_be_kept: bool,
    /// Whether it takes the place of an address whose choice of TLS is not shown: it is made again, not weakened by chance.
    pub(super) replaces: bool,
}

impl<'f> Connection<'f> {
    pub(super) fn of(kind: Kind, form: &'f Form) -> Self {
        Self {
            kind,
            form,
            may_be_kept: false,
            replaces: false,
        }
    }

    /// Whether it says how the connection is encrypted, where that has to be said.
    pub(super) fn has_tls(&self) -> bool {
        let is_server = matches!(self.kind, Kind::Postgres | Kind::Mysql);
        !self.replaces || !is_server || Tls::of(self.form.text("tls")).is_some()
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
        if let Some(tls) = Tls::of(text("tls")).and_then(|tls| tls.parameter(self.kind)) {
            let _ = write!(url, "?{tls}");
        }
        url
    }

    /// The database cannot be reached: why stands beside the field that it is about.
    pub(super) fn refuse(&mut self, filled: &mut Filled<'_>, reason: String) {
        let is_server = matches!(self.kind, Kind::Postgres | Kind::Mysql);
        let has = |word: &str| is_server && reason.contains(word);
        let field = match () {
            () if has("password") => "password",
            () if has("database of this name") => "database",
            () if has("TLS") || has("certificate") => "tls",
            () => "url",
        };
        filled.refuse_field(field, reason);
        self.may_be_kept = true;
    }

    /// Whether the port can be one, or is left out.
    pub(super) fn has_port(&self) -> bool {
        let port = self.form.text("port").trim();
        let is_asked = matches!(self.kind, Kind::Postgres | Kind::Mysql);
        !is_asked || port.is_empty() || port.parse::<NonZeroU16>().is_ok()
    }

    /// The form, with what was entered. It is sent to `place`; `own` are the fields before those of the address.
    pub(super) fn form(
        &self,
        context: &Context<'_>,
        place: &Href,
        filled: &Filled<'_>,
        own: &Markup,
        save: &str,
    ) -> Markup {
        let texts = context.texts();
        let place = |kind: Kind| place.clone().with("engine", kind.name());
        let field = |field: &Field<'_>| self.field(filled, field);
        html! {
            nav.tabs aria-label=(texts.get("engine")) {
                @for kind in Kind::offered(context.account.is_operator) {
                    a href=(place(kind)) aria-current=[(kind == self.kind).then_some("page")] { (kind.title()) }
                }
            }
            form.stack method="post" action=(place(self.kind)) data-guard {
                (account_field(context.visit))
                (own)
                @match self.kind {
                    Kind::Url => (field(&Field {
                        placeholder: Some("postgres://user:password@host/database"),
                        hint: (!context.account.is_operator).then(|| texts.get("connect-url-hint")),
                        ..Field::required("url", "URL".to_owned())
                    })),
                    Kind::Sqlite => (field(&Field {
                        about: "url",
                        placeholder: Some("/srv/shop/shop.db"),
                        hint: Some(texts.get("path-hint")),
                        ..Field::required("path", texts.get("path"))
                    })),
                    Kind::Postgres | Kind::Mysql => (self.server(texts, filled)),
                }
                @if self.may_be_kept {
                    label.check {
                        input type="checkbox" name="unchecked" value="1" checked[self.form.get("unchecked").is_some()];
                        (texts.get("keep-unchecked"))
                    }
                }
                div.actions {
                    button.primary name="action" value="save" { (save) }
                    button name="action" value="test" { (texts.get("connect-test")) }
                }
            }
        }
    }

    /// The field for the name of a new database.
    pub(super) fn name(&self, texts: &Texts, filled: &Filled<'_>) -> Markup {
        let name = Field {
            about: "unique_name",
            hint: Some(texts.get("resource-name-hint")),
            ..Field::required("name", texts.get("resource-name"))
        };
        self.field(filled, &name)
    }

    fn server(&self, texts: &Texts, filled: &Filled<'_>) -> Markup {
        let port = match self.kind {
            Kind::Mysql => "3306",
            _ => "5432",
        };
        let fields = [
            Field {
                about: "url",
                placeholder: Some("db.internal"),
                ..Field::required("host", texts.get("host"))
            },
            Field {
                is_required: false,
                keyboard: Some("numeric"),
                placeholder: Some(port),
                ..Field::required("port", texts.get("port"))
            },
            Field::required("database", texts.get("database")),
            Field::required("user", texts.get("database-user")),
            Field {
                is_required: false,
                kind: Some("password"),
                ..Field::required("password", texts.get("password"))
            },
        ];
        let tls = self.form.text("tls");
        let (error, errors) = filled.errors_of("tls");
        html! {
            @for field in &fields { (self.field(filled, field)) }
            label { "TLS"
                select name="tls" required[self.replaces] aria-invalid=[error.as_ref().map(|_| "true")] aria-describedby=[error.as_deref()] {
                    @if self.replaces { option value="" { (texts.get("tls-choose")) } }
                    @for mode in Tls::ALL {
                        option value=(mode.name()) selected[mode.name() == tls] { (mode.text(texts)) }
                    }
                }
            }
            (errors)
        }
    }

    /// A field, with what is wrong with it.
    fn field(&self, filled: &Filled<'_>, field: &Field<'_>) -> Markup {
        let (error, errors) = filled.errors_of(field.about);
        html! {
            label { (field.label)
                input type=[field.kind] name=(field.name) value=(self.form.text(field.name)) required[field.is_required]
                    inputmode=[field.keyboard] placeholder=[field.placeholder] autocomplete="off" autocapitalize="none"
                    spellcheck="false" aria-invalid=[error.as_ref().map(|_| "true")] aria-describedby=[error.as_deref()];
                @if let Some(hint) = &field.hint { span.small.muted { (hint) } }
            }
            (errors)
        }
    }
}

/// Whether the connection is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tls {
    IfOffered,
    Never,
    Always,
    Verified,
}

impl Tls {
    const ALL: [Self; 4] = [Self::IfOffered, Self::Never, Self::Always, Self::Verified];

    fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }

    fn name(self) -> &'static str {
        match self {
            Self::IfOffered => "if-offered",
            Self::Never => "never",
            Self::Always => "always",
            Self::Verified => "verified",
        }
    }

    /// The parameter of the URL, in the words of each database system; none where it is left to the server.
    fn parameter(self, kind: Kind) -> Option<&'static str> {
        Some(match (self, kind) {
            (Self::IfOffered, _) => return None,
            (Self::Never, Kind::Mysql) => "ssl-mode=DISABLED",
            (Self::Always, Kind::Mysql) => "ssl-mode=REQUIRED",
            (Self::Verified, Kind::Mysql) => "ssl-mode=VERIFY_IDENTITY",
            (Self::Never, _) => "sslmode=disable",
            (Self::Always, _) => "sslmode=require",
            (Self::Verified, _) => "sslmode=verify-full",
        })
    }

    fn text(self, texts: &Texts) -> String {
        match self {
            Self::IfOffered => texts.get("tls-if-offered"),
            Self::Never => texts.get("tls-never"),
            Self::Always => texts.get("tls-always"),
            Self::Verified => texts.get("tls-verified"),
        }
    }
}

/// A field of the form.
struct Field<'f> {
    name: &'f str,
    label: String,
    /// The field of the API: what the service says about it stands beside this one.
    about: &'f str,
    is_required: bool,
    kind: Option<&'f str>,
    keyboard: Option<&'f str>,
    placeholder: Option<&'f str>,
    hint: Option<String>,
}

impl<'f> Field<'f> {
    fn required(name: &'f str, label: String) -> Self {
        Self {
            name,
            label,
            about: name,
            is_required: true,
            kind: None,
            keyboard: None,
            placeholder: None,
            hint: None,
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
        assert_eq!(
            url(Kind::Mysql, &format!("{form}&tls=verified")),
            "mysql://u@h:3307/d?ssl-mode=VERIFY_IDENTITY"
        );
        assert_eq!(
            url(Kind::Postgres, &format!("{form}&tls=never")),
            "postgres://u@h:3307/d?sslmode=disable"
        );
        assert_eq!(url(Kind::Sqlite, "path=+%2Fsrv%2Fa.db"), "sqlite:/srv/a.db");
        assert_eq!(url(Kind::Url, "url=sqlite%3Aa.db"), "sqlite:a.db");
    }

    #[test]
    fn files_are_offered_to_operators_alone() {
        assert_eq!(Kind::of("nothing", false), Kind::Postgres);
        assert_eq!(Kind::of("sqlite", false), Kind::Postgres);
        assert_eq!(Kind::of("mysql", false), Kind::Mysql);
        assert_eq!(Kind::of("sqlite", true), Kind::Sqlite);
    }

    #[test]
    fn a_port_is_a_number_where_one_is_asked_for() {
        let has_port = |kind: Kind, port: &str| {
            let form = Form::parse(&format!("port={port}")).unwrap();
            Connection::of(kind, &form).has_port()
        };
        for port in ["", "+", "5432"] {
            assert!(has_port(Kind::Postgres, port), "{port}");
        }
        for port in ["x", "0", "65536", "5432/other"] {
            assert!(!has_port(Kind::Mysql, port), "{port}");
            assert!(has_port(Kind::Sqlite, port), "{port}");
        }
    }
}
