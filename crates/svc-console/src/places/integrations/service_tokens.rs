//! Service tokens: each gives a program the rights of a team.

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
    places::{Context, users::team_choices},
    problem::Result,
    ui::{
        credentials::{self, Listed, Revoked, Row},
        filled::Filled,
        form::{Outcome, account_field},
        paging, secret,
    },
};

const FIELDS: [&str; 3] = ["team", credentials::NAME, credentials::EXPIRES];

/// How many teams the form offers.
const MOST_TEAMS: u32 = 200;

/// The tokens, and making one.
pub(super) async fn answer(context: &Context<'_>) -> Result<Answer> {
    let visit = context.visit;
    let mut filled = Filled::new(visit);
    if !visit.is_post() {
        return list(context, &filled, &html! {}).await;
    }
    let form = visit.form();
    let mut new = NewServiceToken::new(form.text("team"));
    new.name = credentials::name(form);
    new.expires = credentials::end(&context.account, form, &mut filled);
    if filled.is_refused() {
        return list(context, &filled, &html! {}).await;
    }
    let administration = context.client.administration();
    let call = administration.service_tokens().create(new);
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

/// The tokens; `made` is what is said about one that was just made.
async fn list(context: &Context<'_>, filled: &Filled<'_>, made: &Markup) -> Result<Answer> {
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
        (filled.message())
        (made)
        p.muted { (texts.get("integrations-service-tokens-what")) }
        div.toolbar {
            (form(context, filled, &teams.results))
            div.grow {}
            (listed.toggle(texts, &place))
        }
        (credentials::list(texts, &context.account, (&names.0, &names.1), &rows))
        (paging::links(texts, &found, &listed.query, |query| listed.at(&place, query), &html! {}))
    };
    Ok(filled.answer(page(context, Part::ServiceTokens, &main)))
}

fn form(context: &Context<'_>, filled: &Filled<'_>, teams: &[Team]) -> Markup {
    let texts = context.texts();
    html! {
        details.menu open[filled.is_refused()] {
            summary { (texts.get("integrations-token-new")) }
            div.panel {
                form.stack method="post" action=(Part::ServiceTokens.place(context)) {
                    (account_field(context.visit))
                    (credentials::once_field())
                    (filled.choice("team", &texts.get("integrations-team"), "", &team_choices(teams)))
                    p.small.muted { (texts.get("integrations-team-hint")) }
                    (credentials::name_and_end(texts, filled))
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
