//! The databases of an environment: connecting one, its state, and disconnecting it.

pub(crate) mod change;
mod connect;

use std::time::Duration;

use maud::{Markup, html};
use svc_api::{Client, Error};
use svc_model::{
    ResourceName,
    administration::resources::{NewResource, Resource, Status, TestOutcome},
};

use self::connect::{Connection, Kind};
use super::{Context, Scope, model::described_within};
use crate::{
    answer::Answer,
    href::Href,
    problem::{Problem, Result},
    texts::Texts,
    ui::{
        filled::Filled,
        form::{Confirmation, Outcome, account_field},
        frame::Area,
        notice,
    },
    visit::Visit,
};

/// How long a database may take to say what somebody may read of it.
const PATIENCE: Duration = Duration::from_secs(3);

/// The form that connects a database, which is tested before it is kept.
pub(crate) async fn create(visit: &Visit, scope: &Scope) -> Result<Answer> {
    let context = Context::open(visit, scope).await?;
    context.check_administrator()?;
    let query = visit.query()?;
    let kind = Kind::of(query.text("engine"), context.account.is_operator);
    let mut connection = Connection::of(kind, visit.form());
    let home = scope.home(visit);
    let mut filled = Filled::new(visit);
    if visit.is_post()
        && let Some(name) = connect(&context, &mut connection, &mut filled).await?
    {
        return Ok(Answer::go(&home.below(["records", name.as_str()])));
    }
    let main = html! {
        (filled.message())
        (connection.form(&context, &home.below(["connect"]), &filled, &connection.name(visit.texts, &filled), &visit.texts.get("connect-save")))
    };
    let title = visit.texts.get("connect");
    Ok(filled.answer(context.page(Area::Data, title, Vec::new(), &main)))
}

/// Tests or connects the database that was entered. Gives its name once it is connected.
async fn connect(
    context: &Context<'_>,
    connection: &mut Connection<'_>,
    filled: &mut Filled<'_>,
) -> Result<Option<ResourceName>> {
    let (form, texts) = (context.visit.form(), context.texts());
    if !connection.has_port() {
        filled.refuse_field("port", texts.get("connect-port-wrong"));
        return Ok(None);
    }
    let administration = context.client.administration();
    let resources = administration.resources();
    let name = form.text("name").trim();
    if form.text("action") == "test" {
        let outcome = resources.test(connection.url()).unique_name(name);
        tested(texts, outcome.send().await, connection, filled)?;
        return Ok(None);
    }
    let mut new = NewResource::new(name, connection.url());
    new.unchecked = form.get("unchecked").map(|_| true);
    match resources.create(new).send().await {
        Ok(created) => Ok(Some(created.resource.unique_name)),
        Err(error) => {
            refuse(error, connection, filled)?;
            Ok(None)
        }
    }
}

/// Says what a test has found.
fn tested(
    texts: &Texts,
    outcome: Result<TestOutcome, Error>,
    connection: &mut Connection<'_>,
    filled: &mut Filled<'_>,
) -> Result<()> {
    match outcome {
        Ok(outcome) if outcome.ok => filled.done(&passed(texts, &outcome)),
        Ok(outcome) => {
            let reason = outcome.reason.unwrap_or_else(|| texts.get("state-down"));
            connection.refuse(filled, reason);
        }
        Err(error) => refuse(error, connection, filled)?,
    }
    Ok(())
}

/// Says why a database was not kept.
fn refuse(error: Error, connection: &mut Connection<'_>, filled: &mut Filled<'_>) -> Result<()> {
    let mut fields = error.field_errors().iter();
    let about = fields.find(|(name, _)| name == "url");
    let reason = about.and_then(|(_, messages)| messages.iter().find_map(|it| reason_of(it)));
    match reason.map(str::to_owned) {
        Some(reason) => {
            connection.refuse(filled, reason);
            Ok(())
        }
        None => filled.refuse(error, &["unique_name", "url"]),
    }
}

/// Why a database cannot be reached that can be kept all the same: the form has a field for what the API offers then.
fn reason_of(message: &str) -> Option<&str> {
    message.strip_suffix("; unchecked keeps the address all the same")
}

/// The state of a database, and what can be done about it.
pub(crate) async fn answer(visit: &Visit, scope: &Scope, name: &str) -> Result<Answer> {
    let context = Context::open(visit, scope).await?;
    let seen = ensure_seen(&context, name);
    let ((resource, status), ()) = tokio::try_join!(load(&context.client, name), seen)?;
    let mut message = None;
    if visit.is_post() {
        match context.client.resource(name).reload().send().await {
            Ok(_) => return Ok(Answer::go(&place(visit, scope, name).with("reloaded", "1"))),
            Err(error) => message = Some(notice::refused(visit, error)?),
        }
    } else if visit.query()?.get("reloaded").is_some() {
        message = Some(notice::done(&visit.texts.get("reloaded")));
    } else if visit.query()?.get("saved").is_some() {
        message = Some(notice::done(&visit.texts.get("saved")));
    }
    let texts = visit.texts;
    let records = scope.home(visit).below(["records", name]);
    let main = html! {
        @if let Some(message) = message { (message) }
        (state(&context, &resource, &status))
        div.actions {
            a.button.primary href=(records) { (texts.get("open-records")) }
            a.button href=(diagram(visit, scope, name)) { (texts.get("diagram")) }
            @if context.is_administrator() {
                form method="post" action=(place(visit, scope, name)) {
                    (account_field(context.visit))
                    button { (texts.get("reload")) }
                }
                a.button href=(place(visit, scope, name).below(["connection"])) { (texts.get("connection")) }
                a.button.danger href=(place(visit, scope, name).below(["delete"])) { (texts.get("disconnect")) }
            }
        }
    };
    let page = context.page(Area::Data, name.to_owned(), Vec::new(), &main);
    Ok(Answer::page(page))
}

/// Disconnects a database, which stays as it is.
pub(crate) async fn delete(visit: &Visit, scope: &Scope, name: &str) -> Result<Answer> {
    let context = Context::open(visit, scope).await?;
    context.check_administrator()?;
    let (resource, _) = load(&context.client, name).await?;
    let texts = visit.texts;
    let what = texts.with(
        "disconnect-what",
        [("name", resource.unique_name.as_str().into())],
    );
    let place = place(visit, scope, name);
    let question = Confirmation {
        what: html! { p { (what) } },
        action: place.below(["delete"]),
        cancel: place.clone(),
        button: texts.get("disconnect"),
        name: Some(name),
        is_forbidden: false,
    };
    let outcome = question.ask(visit, async || {
        let administration = context.client.administration();
        administration.resources().delete(name).send().await?;
        Ok(scope.home(visit))
    });
    let main = match outcome.await? {
        Outcome::Done(to) => return Ok(Answer::go(&to)),
        Outcome::Ask(main) => main,
    };
    let above = vec![(name.to_owned(), place)];
    let page = context.page(Area::Data, texts.get("disconnect"), above, &main);
    Ok(Answer::page(page))
}

/// Refuses a database of which somebody may read nothing, as far as it says so, like one that is not there.
async fn ensure_seen(context: &Context<'_>, name: &str) -> Result<()> {
    if context.is_administrator() {
        return Ok(());
    }
    let (visit, client, scope) = (context.visit, &context.client, &context.scope);
    match described_within(visit, client, scope, name, Some(PATIENCE)).await {
        Ok(models) if models.is_empty() => Err(Problem::NotFound),
        Err(error) if error.is_forbidden() => Err(Problem::NotFound),
        // Why it cannot be reached is what its state is looked at for.
        _ => Ok(()),
    }
}

async fn load(client: &Client, name: &str) -> Result<(Resource, Status)> {
    let administration = client.administration();
    let resources = administration.resources();
    let loaded = tokio::try_join!(async { resources.get(name).send().await }, async {
        resources.status(name).send().await
    },);
    match loaded {
        Ok(loaded) => Ok(loaded),
        Err(error) if error.is_not_found() => Err(Problem::NotFound),
        Err(error) => Err(error.into()),
    }
}

/// The address of a database.
pub(crate) fn place(visit: &Visit, scope: &Scope, name: &str) -> Href {
    scope.home(visit).below(["resources", name])
}

/// The address of the diagram of a database.
pub(crate) fn diagram(visit: &Visit, scope: &Scope, name: &str) -> Href {
    place(visit, scope, name).below(["diagram"])
}

/// What a test has found.
fn passed(texts: &Texts, outcome: &TestOutcome) -> String {
    let engine = outcome.engine.clone().unwrap_or_default();
    let version = outcome.version.clone().unwrap_or_default();
    texts.with(
        "test-passed",
        [
            ("engine", engine.into()),
            ("version", version.into()),
            ("models", outcome.models.unwrap_or_default().into()),
            (
                "milliseconds",
                outcome.milliseconds.unwrap_or_default().into(),
            ),
        ],
    )
}

/// How a database is. Where it is and how it is used is for administrators.
fn state(context: &Context<'_>, resource: &Resource, status: &Status) -> Markup {
    let texts = context.texts();
    let is_administrator = context.is_administrator();
    let word = match status.state.as_str() {
        "up" => texts.get("state-up"),
        "down" => texts.get("state-down"),
        _ => texts.get("state-connecting"),
    };
    html! {
        dl.facts {
            dt { (texts.get("state")) }
            dd { strong.up[status.state == "up"].down[status.state == "down"] { (word) } }
            @if let Some(reason) = &status.reason {
                dt { (texts.get("reason")) }
                dd { (reason) }
            }
            dt { (texts.get("engine")) }
            dd { (resource.type_item) }
            @if let Some(url) = resource.url_hint.as_ref().filter(|_| is_administrator) {
                dt { (texts.get("address")) }
                dd { bdi { code { (url) } } }
            }
            @if let Some(models) = status.models.filter(|_| is_administrator) {
                dt { (texts.get("models")) }
                dd { (models) }
            }
            @if let Some(pool) = status.pool.filter(|_| is_administrator) {
                dt { (texts.get("pool")) }
                dd { (texts.with("pool-use", [("used", pool.used.into()), ("size", pool.size.into()), ("waiting", pool.waiting.into())])) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_has_nothing_that_only_the_api_offers() {
        let message = "there is no such file; unchecked keeps the address all the same";
        assert_eq!(reason_of(message), Some("there is no such file"));
        assert_eq!(reason_of("is no URL; give one"), None);
    }
}
