//! The API keys of people that reach the project. Their owners make them; an administrator can end their reach.

use maud::html;
use svc_model::Lookup;

use super::{Part, page, page_below};
use crate::{
    answer::Answer,
    places::Context,
    problem::{Problem, Result},
    ui::{
        credentials::{self, Listed, Row},
        form::{Confirmation, Outcome},
        paging,
    },
};

/// The keys.
pub(super) async fn answer(context: &Context<'_>) -> Result<Answer> {
    if context.visit.is_post() {
        return Err(Problem::OtherMethod);
    }
    let texts = context.texts();
    let listed = Listed::read(&context.visit.query()?);
    let place = Part::Keys.place(context);
    let administration = context.client.administration();
    let call = administration.project_keys().list();
    let call = call.query(listed.query.clone()).revoked(listed.revoked);
    let found = call.send().await?;
    let rows: Vec<Row<'_>> = found
        .results
        .iter()
        .map(|key| Row {
            name: key.name.as_deref(),
            prefix: &key.prefix,
            of: html! { bdi { (key.email) } },
            date_add: &key.date_add,
            last_use: key.last_use.as_deref(),
            expires: key.expires.as_deref(),
            revoked: key.revoked.as_deref(),
            revoke: place.below([&key.uid, "revoke"]),
        })
        .collect();
    let names = (texts.get("integrations-keys"), texts.get("email"));
    let own = context.visit.root.below(["profile", "keys"]);
    let main = html! {
        p.muted { (texts.get("integrations-keys-what")) " " a href=(own) { (texts.get("integrations-keys-own")) } }
        div.toolbar {
            div.grow {}
            (listed.toggle(texts, &place))
        }
        (credentials::list(texts, &context.account, (&names.0, &names.1), &rows))
        (paging::links(texts, &found, &listed.query, |query| listed.at(&place, query), &html! {}))
    };
    Ok(Answer::page(page(context, Part::Keys, &main)))
}

/// Ends the reach of a key into this project.
pub(super) async fn exclude(context: &Context<'_>, uid: &str) -> Result<Answer> {
    let (visit, texts) = (context.visit, context.texts());
    let administration = context.client.administration();
    let keys = administration.project_keys();
    let call = keys.list().filter("uid", Lookup::Exact, uid);
    let key = credentials::only(call.send().await)?;
    let place = Part::Keys.place(context);
    let question = Confirmation {
        what: html! {
            p { (texts.with("integrations-keys-exclude", [("email", key.email.as_str().into())])) }
        },
        action: place.below([uid, "revoke"]),
        cancel: place.clone(),
        button: texts.get("credentials-revoke"),
        name: None,
        is_forbidden: false,
    };
    let outcome = question.ask(visit, async || {
        keys.delete(uid).send().await?;
        Ok(place.clone())
    });
    let main = match outcome.await? {
        Outcome::Done(to) => return Ok(Answer::go(&to)),
        Outcome::Ask(main) => main,
    };
    let title = texts.get("credentials-revoke");
    Ok(Answer::page(page_below(context, Part::Keys, title, &main)))
}
