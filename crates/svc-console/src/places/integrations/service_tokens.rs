//! Service tokens: each gives a program the rights of a team.

use http::StatusCode;
use maud::{Markup, html};
use svc_model::{
    Lookup,
    administration::{
        service_tokens::{CreatedServiceToken, NewServiceToken},
        teams::Team,
    },
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

/// How many teams the form offers.
const MOST_TEAMS: u32 = 200;

/// The tokens, and making one.
pub(super) async fn answer(context: &Context<'_>) -> Result<Answer> {
    let visit = context.visit;
    if !visit.is_post() {
        return list(context, &html! {}, StatusCode::OK).await;
    }
    let form = visit.form();
    let mut new = NewServiceToken::new(form.text("team"));
    (new.name, new.expires) = credentials::entered(&context.account, form);
    let administration = context.client.administration();
    let call = administration.service_tokens().create(new);
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
    let place = Part::ServiceTokens.place(context);
    let administration = context.client.administration();
    let (tokens, teams) = (administration.service_tokens(), administration.teams());
    let (found, teams) = tokio::try_join!(
        async {
            let call = tokens.list().query(listed.query.clone());
            call.revoked(listed.revoked).send().await
        },
        async { teams.list().per_page(MOST_TEAMS).send().await },
    )?;
    let rows: Vec<Row<'_>> = found
        .results
        .iter()
        .map(|token| Row {
            name: token.name.as_deref(),
            prefix: &token.prefix,
            of: html! { bdi { (token.team.name) } },
            date_add: &token.date_add,
            last_use: token.last_use.as_deref(),
            expires: token.expires.as_deref(),
            revoked: token.revoked.as_deref(),
            revoke: place.below([&token.uid, "revoke"]),
        })
        .collect();
    let names = (
        texts.get("integrations-service-tokens"),
        texts.get("integrations-team"),
    );
    let main = html! {
        (message)
        p.muted { (texts.get("integrations-service-tokens-what")) }
        div.toolbar {
            (form(context, &teams.results, status != StatusCode::OK))
            div.grow {}
            (listed.toggle(texts, &place))
        }
        (credentials::list(texts, &context.account, (&names.0, &names.1), &rows))
        (paging::links(texts, &found, &listed.query, |query| listed.at(&place, query), &html! {}))
    };
    Ok(Answer::page(page(context, Part::ServiceTokens, &main)).status(status))
}

fn form(context: &Context<'_>, teams: &[Team], is_open: bool) -> Markup {
    let texts = context.texts();
    let form = context.visit.form();
    html! {
        details.menu open[is_open] {
            summary { (texts.get("integrations-token-new")) }
            div.panel {
                form.stack method="post" action=(Part::ServiceTokens.place(context)) {
                    (account_field(context.visit))
                    (credentials::once_field())
                    label { (texts.get("integrations-team"))
                        select name="team" required {
                            @for team in teams {
                                option value=(team.uid.as_str()) selected[form.text("team") == team.uid.as_str()] { (team.name) }
                            }
                        }
                        span.small.muted { (texts.get("integrations-team-hint")) }
                    }
                    (credentials::name_and_end(texts, form))
                    button.primary { (texts.get("create")) }
                }
            }
        }
    }
}

/// The token that was just made, with the header that uses it.
fn issued(context: &Context<'_>, made: &CreatedServiceToken) -> Markup {
    let texts = context.texts();
    let text = made.token.as_ref().map(|token| token.expose());
    let usage = html! {
        @if let Some(text) = text {
            p { (texts.get("integrations-service-token-usage")) }
            (secret::copied(texts, &html! { "Authorization: JWT " (text) }))
        }
    };
    secret::issued(texts, text, &usage)
}

/// Ends a token.
pub(super) async fn revoke(context: &Context<'_>, uid: &str) -> Result<Answer> {
    let (visit, texts) = (context.visit, context.texts());
    let administration = context.client.administration();
    let tokens = administration.service_tokens();
    let call = tokens.list().filter("uid", Lookup::Exact, uid);
    let token = credentials::only(call.send().await)?;
    let place = Part::ServiceTokens.place(context);
    let revoked = Revoked {
        prefix: &token.prefix,
        name: token.name.as_deref(),
        last_use: token.last_use.as_deref(),
    };
    let places = (place.below([uid, "revoke"]), place);
    let outcome = revoked.ask(visit, &context.account, places, async || {
        tokens.delete(uid).send().await
    });
    let main = match outcome.await? {
        Outcome::Done(to) => return Ok(Answer::go(&to)),
        Outcome::Ask(main) => main,
    };
    let title = texts.get("credentials-revoke");
    let page = page_below(context, Part::ServiceTokens, title, &main);
    Ok(Answer::page(page))
}
