//! Static tokens: each opens one resource of the environment.

use http::StatusCode;
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
    places::Context,
    problem::Result,
    ui::{
        credentials::{self, Listed, Revoked, Row},
        form::{Outcome, account_field},
        notice, paging, secret,
    },
};

/// The resource of the built-in tools: users and teams.
const TOOLS: &str = "__svc_app__";

/// The tokens, and making one.
pub(super) async fn answer(context: &Context<'_>) -> Result<Answer> {
    let visit = context.visit;
    if !visit.is_post() {
        return list(context, &html! {}, StatusCode::OK).await;
    }
    let form = visit.form();
    let mut new = NewToken::new(form.text("resource"));
    (new.name, new.expires) = credentials::entered(&context.account, form);
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
    new.models = (!models.is_empty()).then_some(models);
    let administration = context.client.administration();
    let call = administration.tokens().create(new);
    match call.idempotency_key(credentials::once(form)).send().await {
        Ok(made) => {
            let message = issued(context, &made);
            Ok(list(context, &message, StatusCode::OK).await?.secret())
        }
        Err(error) => {
            let message = notice::refused(visit, error)?;
            list(context, &message, StatusCode::BAD_REQUEST).await
        }
    }
}

async fn list(context: &Context<'_>, message: &Markup, status: StatusCode) -> Result<Answer> {
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
        (message)
        p.muted { (texts.get("integrations-tokens-what")) }
        div.toolbar {
            (form(context, status != StatusCode::OK))
            div.grow {}
            (listed.toggle(texts, &place))
        }
        (credentials::list(texts, &context.account, (&names.0, &names.1), &rows))
        (paging::links(texts, &found, &listed.query, |query| listed.at(&place, query), &html! {}))
    };
    Ok(Answer::page(page(context, Part::Tokens, &main)).status(status))
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

fn form(context: &Context<'_>, is_open: bool) -> Markup {
    let texts = context.texts();
    let form = context.visit.form();
    let resources = context.project.resources.iter();
    let of_here = resources.filter(|resource| {
        resource.environment == context.scope.environment && resource.kind == "database"
    });
    let rights = [
        ("", texts.get("integrations-everything")),
        ("read", texts.get("integrations-read")),
        ("write", texts.get("integrations-write")),
        ("delete", texts.get("integrations-delete")),
    ];
    html! {
        details.menu open[is_open] {
            summary { (texts.get("integrations-token-new")) }
            div.panel {
                form.stack method="post" action=(Part::Tokens.place(context)) {
                    (account_field(context.visit))
                    (credentials::once_field())
                    label { (texts.get("integrations-opens"))
                        select name="resource" required {
                            @for resource in of_here {
                                option value=(resource.unique_name) selected[form.text("resource") == resource.unique_name.as_str()] {
                                    (resource.unique_name)
                                }
                            }
                            option value=(TOOLS) selected[form.text("resource") == TOOLS] { (texts.get("integrations-tools")) }
                        }
                    }
                    label { (texts.get("integrations-rights"))
                        select name="rights" {
                            @for (value, text) in &rights {
                                option value=(value) selected[form.text("rights") == *value] { (text) }
                            }
                        }
                    }
                    label { (texts.get("integrations-models"))
                        input name="models" value=(form.text("models")) autocomplete="off" autocapitalize="none" spellcheck="false";
                        span.small.muted { (texts.get("integrations-models-hint")) }
                    }
                    (credentials::name_and_end(texts, form))
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
