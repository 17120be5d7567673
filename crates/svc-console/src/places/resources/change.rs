//! Changing how a database is reached: another host, another password. It keeps its tokens and all that was made with it.

use maud::html;
use percent_encoding::percent_decode_str;
use svc_model::administration::resources::{Resource, ResourcePatch};

use super::{
    connect::{Connection, Kind},
    place, refuse, tested,
};
use crate::{
    answer::Answer,
    places::{Context, Scope, or_not_found},
    problem::Result,
    ui::{filled::Filled, frame::Area},
    visit::{Form, Visit},
};

/// The form with the address, filled with what is no secret in it.
pub(crate) async fn answer(visit: &Visit, scope: &Scope, name: &str) -> Result<Answer> {
    let context = Context::open(visit, scope).await?;
    context.check_administrator()?;
    let resource = load(&context, name).await?;
    let hint = resource.url_hint.unwrap_or_default();
    let known = Known::of(&hint, context.account.is_operator);
    let query = visit.query()?;
    let kind = match query.get("engine") {
        Some(engine) => Kind::of(engine, context.account.is_operator),
        None => known.kind,
    };
    let none = Form::default();
    let form = match visit.is_post() {
        true => visit.form(),
        false if kind == known.kind => &known.form,
        false => &none,
    };
    let mut connection = Connection::of(kind, form);
    connection.replaces = true;
    let mut filled = Filled::new(visit);
    if visit.is_post() {
        // Who sends the form again knows of the change, which the page has named.
        let is_saved = match visit.form().text("was") == hint {
            true => save(&context, name, &mut connection, &mut filled).await?,
            false => {
                filled.refuse_field("url", visit.texts.get("connection-changed"));
                false
            }
        };
        if is_saved {
            return Ok(Answer::go(&place(visit, scope, name).with("saved", "1")));
        }
    }
    let texts = visit.texts;
    let own = html! {
        input type="hidden" name="was" value=(hint);
        p.small.muted { (texts.get("connection-hint")) }
    };
    let here = place(visit, scope, name).below(["connection"]);
    let main = html! {
        (filled.message())
        (connection.form(&context, &here, &filled, &own, &texts.get("save")))
    };
    let above = vec![(name.to_owned(), place(visit, scope, name))];
    let title = texts.get("connection");
    Ok(filled.answer(context.page(Area::Data, title, above, &main)))
}

/// Tests or saves what was entered; says whether it was saved.
async fn save(
    context: &Context<'_>,
    name: &str,
    connection: &mut Connection<'_>,
    filled: &mut Filled<'_>,
) -> Result<bool> {
    let (form, texts) = (context.visit.form(), context.texts());
    if !connection.has_port() {
        filled.refuse_field("port", texts.get("connect-port-wrong"));
        return Ok(false);
    }
    if !connection.has_tls() {
        filled.refuse_field("tls", texts.get("tls-choose"));
        return Ok(false);
    }
    let administration = context.client.administration();
    let resources = administration.resources();
    if form.text("action") == "test" {
        let outcome = resources.test(connection.url()).send().await;
        tested(texts, outcome, connection, filled)?;
        return Ok(false);
    }
    let mut patch = ResourcePatch::new();
    patch.url = Some(connection.url().into());
    patch.unchecked = form.get("unchecked").map(|_| true);
    match resources.update(name, patch).send().await {
        Ok(_) => Ok(true),
        Err(error) => {
            refuse(error, connection, filled)?;
            Ok(false)
        }
    }
}

async fn load(context: &Context<'_>, name: &str) -> Result<Resource> {
    let administration = context.client.administration();
    let loaded = administration.resources().get(name).send().await;
    loaded.map_err(or_not_found)
}

/// What is known of an address.
struct Known {
    kind: Kind,
    form: Form,
}

impl Known {
    /// Reads the address without what is secret: as the form of its database system where that can say it, else as a URL.
    fn of(hint: &str, is_operator: bool) -> Self {
        Self::read(hint)
            .filter(|known| Kind::of(known.kind.name(), is_operator) == known.kind)
            .unwrap_or_else(|| Self::new(Kind::Url, [("url", hint)]))
    }

    fn read(hint: &str) -> Option<Self> {
        if let Some(path) = hint.strip_prefix("sqlite:") {
            return Some(Self::new(Kind::Sqlite, [("path", path)]));
        }
        let (scheme, rest) = hint.split_once("://")?;
        let kind = match scheme {
            "postgres" | "postgresql" => Kind::Postgres,
            "mysql" | "mariadb" => Kind::Mysql,
            _ => return None,
        };
        let (user, rest) = rest.rsplit_once('@')?;
        let (host, database) = rest.split_once('/')?;
        // Several servers have no form.
        if host.is_empty() || host.contains(',') {
            return None;
        }
        let (host, port) = match host.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => (host, port),
            _ => (host, ""),
        };
        let text = |part: &str| percent_decode_str(part).decode_utf8_lossy().into_owned();
        let fields = [
            ("host", host.to_owned()),
            ("port", port.to_owned()),
            ("database", text(database)),
            ("user", text(user)),
        ];
        Some(Self::new(kind, fields))
    }

    fn new<'a, V: Into<String>>(
        kind: Kind,
        fields: impl IntoIterator<Item = (&'a str, V)>,
    ) -> Self {
        let fields = fields.into_iter();
        let fields = fields.map(|(name, value)| (name.to_owned(), value.into()));
        Self {
            kind,
            form: Form::of(fields.collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_without_its_secrets_fills_the_form_of_its_database_system() {
        let url = |hint: &str| {
            let known = Known::read(hint)?;
            Some((known.kind, Connection::of(known.kind, &known.form).url()))
        };
        for (hint, kind) in [
            (
                "postgres://o%27neil@db.internal:5433/my%20db",
                Kind::Postgres,
            ),
            ("postgres://u@[::1]:5433/d", Kind::Postgres),
            ("postgres://u@[::1]/d", Kind::Postgres),
            ("mysql://u@h/d", Kind::Mysql),
            ("sqlite:/srv/a.db", Kind::Sqlite),
        ] {
            assert_eq!(url(hint), Some((kind, hint.to_owned())));
        }
        for hint in ["postgres://u@a,b/d", "postgres://...", "https://h/x", "..."] {
            assert_eq!(url(hint), None, "{hint}");
        }
    }
}
