//! Static tokens: each opens one resource of the environment.

use maud::{Markup, html};
use svc_model::{
    Lookup,
    administration::tokens::{CreatedToken, NewToken, Token},
    resources::ModelDescriptions,
    wire::Operation as _,
};

use super::{Part, page, page_below};
use crate::{
    answer::Answer,
    places::{Context, rights::models},
    problem::Result,
    ui::{
        credentials::{self, Listed, Revoked, Row},
        filled::Filled,
        form::{Outcome, account_field},
        paging, secret,
    },
};

const FIELDS: [&str; 5] = [
    "resource",
    "rights",
    "models",
    credentials::NAME,
    credentials::EXPIRES,
];

/// The resource of the built-in tools: users and teams.
const TOOLS: &str = "__svc_app__";

/// The tokens, and making one.
pub(super) async fn answer(context: &Context<'_>) -> Result<Answer> {
    let visit = context.visit;
    let mut filled = Filled::new(visit);
    if !visit.is_post() {
        return list(context, &filled, &html! {}).await;
    }
    let form = visit.form();
    let mut new = NewToken::new(form.text("resource"));
    new.name = credentials::name(form);
    new.expires = credentials::end(&context.account, form, &mut filled);
    new.rights = match form.text("rights") {
        "read" => Some(vec!["read".to_owned()]),
        "write" => Some(vec!["read".to_owned(), "write".to_owned()]),
        "delete" => Some(["read", "write", "delete"].map(str::to_owned).to_vec()),
        _ => None,
    };
    let models = form.text("models").split(',').map(str::trim);
    let models: Vec<String> = models
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect();
    let resource = form.text("resource");
    let unknown = unknown_models(context, resource, &models).await;
    if !unknown.is_empty() {
        let names = [
            ("resource", resource.into()),
            ("names", unknown.join(", ").into()),
        ];
        let text = visit.texts.with("integrations-models-unknown", names);
        filled.refuse_field("models", text);
    }
    new.models = (!models.is_empty()).then_some(models);
    if filled.is_refused() {
        return list(context, &filled, &html! {}).await;
    }
    let administration = context.client.administration();
    let call = administration.tokens().create(new);
    match call.idempotency_key(credentials::once(form)).send().await {
        Ok(made) => {
            let message = issued(context, &made);
            Ok(list(context, &filled, &message).await?.secret())
        }
        Err(error) => {
            filled.refuse(error, &FIELDS)?;
            list(context, &filled, &html! {}).await
        }
    }
}

/// The names that no model of a database has; none of them where the database does not say what it has.
async fn unknown_models(context: &Context<'_>, resource: &str, names: &[String]) -> Vec<String> {
    if names.is_empty() {
        return Vec::new();
    }
    let Ok(known) = models(context, resource, "").await else {
        return Vec::new();
    };
    let unknown = names.iter().filter(|name| !known.contains(name));
    unknown.cloned().collect()
}

/// The tokens; `made` is what is said about one that was just made.
async fn list(context: &Context<'_>, filled: &Filled<'_>, made: &Markup) -> Result<Answer> {
    let texts = context.texts();
    let listed = Listed::read(&context.visit.query()?);
    let place = Part::Tokens.place(context);
    let administration = context.client.administration();
    let call = administration.tokens().list().query(listed.query.clone());
    let found = call.revoked(listed.revoked).send().await?;
    let revoke = |token: &Token| place.below(["tokens", &token.uid, "revoke"]);
    let rows: Vec<Row<'_>> = found
        .results
        .iter()
        .map(|token| Row {
            name: token.name.as_deref(),
            prefix: &token.prefix,
            of: opened(context, token),
            date_add: &token.date_add,
            last_use: token.last_use.as_deref(),
            expires: token.expires.as_deref(),
            revoked: token.revoked.as_deref(),
            revoke: revoke(token),
        })
        .collect();
    let names = (
        texts.get("integrations-tokens"),
        texts.get("integrations-opens"),
    );
    let main = html! {
        (filled.message())
        (made)
        p.muted { (texts.get("integrations-tokens-what")) }
        div.toolbar {
            (form(context, filled))
            div.grow {}
            (listed.toggle(texts, &place))
        }
        (credentials::list(texts, &context.account, (&names.0, &names.1), &rows))
        (paging::links(texts, &found, &listed.query, |query| listed.at(&place, query), &html! {}))
    };
    Ok(filled.answer(page(context, Part::Tokens, &main)))
}

/// What a token opens, and what may be done there.
fn opened(context: &Context<'_>, token: &Token) -> Markup {
    let texts = context.texts();
    html! {
        @match token.resource.as_str() {
            TOOLS => (texts.get("integrations-tools")),
            name => bdi { (name) },
        }
        @if let Some(models) = &token.models { " " bdi { (models.join(", ")) } }
        " " span.small.muted {
            @match &token.rights {
                None => (texts.get("integrations-everything")),
                Some(rights) => (rights.join(", ")),
            }
        }
    }
}

fn form(context: &Context<'_>, filled: &Filled<'_>) -> Markup {
    let texts = context.texts();
    let databases = context.databases().into_iter().map(ToString::to_string);
    let mut opens: Vec<(String, String)> = databases.map(|name| (name.clone(), name)).collect();
    opens.push((TOOLS.to_owned(), texts.get("integrations-tools")));
    let rights = [
        ("", texts.get("integrations-everything")),
        ("read", texts.get("integrations-read")),
        ("write", texts.get("integrations-write")),
        ("delete", texts.get("integrations-delete")),
    ];
    let rights = rights.map(|(value, text)| (value.to_owned(), text));
    let (error, errors) = filled.errors_of("models");
    html! {
        details.menu open[filled.is_refused()] {
            summary { (texts.get("integrations-token-new")) }
            div.panel {
                form.stack method="post" action=(Part::Tokens.place(context)) {
                    (account_field(context.visit))
                    (credentials::once_field())
                    (filled.choice("resource", &texts.get("integrations-opens"), "", &opens))
                    (filled.choice("rights", &texts.get("integrations-rights"), "", &rights))
                    label { (texts.get("integrations-models"))
                        input name="models" value=(filled.value("models", "")) autocomplete="off" autocapitalize="none"
                            spellcheck="false" aria-invalid=[error.as_ref().map(|_| "true")] aria-describedby=[error.as_deref()];
                        span.small.muted { (texts.get("integrations-models-hint")) }
                    }
                    (errors)
                    (credentials::name_and_end(texts, filled))
                    button.primary { (texts.get("create")) }
                }
            }
        }
    }
}

/// The token that was just made, with a line that uses it.
fn issued(context: &Context<'_>, made: &CreatedToken) -> Markup {
    let texts = context.texts();
    let scope = &context.scope;
    let scope = (scope.project.clone(), scope.environment.clone());
    let structure = ModelDescriptions::new(scope, made.credential.resource.clone());
    let url = structure.to_request(&context.visit.data_url());
    let text = made.token.as_ref().map(|token| token.expose());
    let usage = html! {
        @if let (Some(text), Ok(url)) = (text, url) {
            p { (texts.get("integrations-token-usage")) }
            (secret::copied(texts, &html! { "export SVC_API_TOKEN=" (text) "\ncurl -H \"Authorization: $SVC_API_TOKEN\" '" (url.uri()) "'" }))
        }
    };
    secret::issued(texts, text, &usage)
}

/// Ends a token.
pub(super) async fn revoke(context: &Context<'_>, uid: &str) -> Result<Answer> {
    let (visit, texts) = (context.visit, context.texts());
    let administration = context.client.administration();
    let tokens = administration.tokens();
    let call = tokens.list().filter("uid", Lookup::Exact, uid);
    let token = credentials::only(call.send().await)?;
    let place = Part::Tokens.place(context);
    let revoked = Revoked {
        prefix: &token.prefix,
        name: token.name.as_deref(),
        last_use: token.last_use.as_deref(),
    };
    let places = (place.below(["tokens", uid, "revoke"]), place);
    let outcome = revoked.ask(visit, &context.account, places, async || {
        tokens.delete(uid).send().await
    });
    let main = match outcome.await? {
        Outcome::Done(to) => return Ok(Answer::go(&to)),
        Outcome::Ask(main) => main,
    };
    let title = texts.get("credentials-revoke");
    Ok(Answer::page(page_below(
        context,
        Part::Tokens,
        title,
        &main,
    )))
}
