//! What the identifiers in lines of the trail stand for. What is gone keeps its identifier.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::future::join_all;
use maud::{Markup, html};
use svc_api::Client;
use svc_model::{ListQuery, Lookup, administration::audit::Line};

use super::Trail;
use crate::{href::Href, places::Context};

/// How many names are looked up at once, and in how many environments those of users.
const MOST: u32 = 100;
const MOST_ENVIRONMENTS: usize = 4;

/// Whose identifier it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Account,
    User,
    Team,
    Item,
    Token,
    ServiceToken,
    ApiKey,
}

/// The names of what lines are about and of those who did it, by kind and identifier.
#[derive(Default)]
pub(super) struct Names(BTreeMap<(Kind, String), (String, Option<Href>)>);

/// The kind of what a line is about, where it says so by an identifier.
fn kind_of(line: &Line) -> Option<Kind> {
    let (group, _) = line.action.split_once('.')?;
    match group {
        "members" | "accounts" => Some(Kind::Account),
        "account" if line.environment.is_none() => Some(Kind::Account),
        "account" | "users" => Some(Kind::User),
        "project_teams" | "teams" | "rights" => Some(Kind::Team),
        "items" => Some(Kind::Item),
        "tokens" => Some(Kind::Token),
        "service_tokens" => Some(Kind::ServiceToken),
        "api_keys" => Some(Kind::ApiKey),
        _ => None,
    }
}

fn kind_of_actor(line: &Line) -> Option<Kind> {
    match line.actor_kind.as_str() {
        "account" => Some(Kind::Account),
        "user" => Some(Kind::User),
        _ => None,
    }
}

impl Names {
    /// Looks up the names for these lines. The trail can be read without them.
    pub(super) async fn load(trail: &Trail<'_>, lines: &[Line]) -> Self {
        let mut wanted: BTreeMap<Kind, BTreeSet<&str>> = BTreeMap::new();
        let mut users: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
        for line in lines {
            let subject = kind_of(line).zip(line.record.as_deref());
            let actor = kind_of_actor(line).zip(line.actor_uid.as_deref());
            for (kind, uid) in subject.into_iter().chain(actor) {
                match (kind, line.project.as_deref(), line.environment.as_deref()) {
                    (Kind::User, Some(project), Some(environment)) => {
                        users.entry((project, environment)).or_default().insert(uid);
                    }
                    (Kind::User, ..) => {}
                    _ => {
                        wanted.entry(kind).or_default().insert(uid);
                    }
                }
            }
        }
        let users = users.iter().take(MOST_ENVIRONMENTS);
        let users = users.map(|(scope, uids)| users_of(trail, *scope, uids));
        let others = wanted
            .iter()
            .map(async |(kind, uids)| match (kind, trail.context) {
                (Kind::Account, _) => accounts_of(trail, uids).await,
                (_, Some(context)) => of_project(context, *kind, uids).await,
                (_, None) => Found::new(),
            });
        let (users, others) = tokio::join!(join_all(users), join_all(others));
        Self(users.into_iter().chain(others).flatten().collect())
    }

    fn find(&self, kind: Option<Kind>, uid: Option<&str>) -> Option<&(String, Option<Href>)> {
        self.0.get(&(kind?, uid?.to_owned()))
    }

    /// Who did it: the name that the line has, which leads to the person.
    pub(super) fn actor(&self, line: &Line) -> Option<Markup> {
        let found = self.find(kind_of_actor(line), line.actor_uid.as_deref());
        let name = line.actor.as_ref().or(found.map(|(name, _)| name))?;
        let href = found.and_then(|(_, href)| href.as_ref());
        Some(linked(name, href))
    }

    /// What it was done to, where that has a name besides its identifier.
    pub(super) fn subject(&self, line: &Line) -> Option<Markup> {
        let (name, href) = self.find(kind_of(line), line.record.as_deref())?;
        Some(linked(name, href.as_ref()))
    }
}

fn linked(name: &str, href: Option<&Href>) -> Markup {
    html! {
        @match href {
            Some(href) => a href=(href) { bdi { (name) } },
            None => bdi { (name) },
        }
    }
}

type Found = Vec<((Kind, String), (String, Option<Href>))>;

/// The entries with these identifiers.
fn query(uids: &BTreeSet<&str>) -> ListQuery {
    // What is no unique ID is that of nothing.
    let uids = uids.iter().filter(|uid| uid.len() == 36);
    let uids: Vec<&str> = uids.copied().collect();
    let mut query = ListQuery::new().per_page(MOST);
    query.count = svc_model::Count::None;
    query.filter("uid", Lookup::In, uids)
}

/// Accounts: an operator looks at all of them, others at the members of the project.
async fn accounts_of(trail: &Trail<'_>, uids: &BTreeSet<&str>) -> Found {
    let administration = trail.client.administration();
    let named = |uid: &str, email: &str, href| {
        (
            (Kind::Account, uid.to_owned()),
            (email.to_owned(), Some(href)),
        )
    };
    if uids.is_empty() {
        return Found::new();
    }
    if trail.account.is_operator {
        let accounts = trail.visit.root.below(["accounts"]);
        let call = administration.accounts().list().query(query(uids));
        let found = call.send().await.into_iter().flat_map(|page| page.results);
        return found
            .map(|it| named(&it.uid, &it.email, accounts.below([&it.uid])))
            .collect();
    }
    let Some(context) = trail.context else {
        return Found::new();
    };
    let members = context.place(["settings", "members"]);
    let call = administration.members().list().query(query(uids));
    let found = call.send().await.into_iter().flat_map(|page| page.results);
    found
        .map(|it| named(&it.uid, &it.email, members.below([&it.uid])))
        .collect()
}

async fn users_of(
    trail: &Trail<'_>,
    (project, environment): (&str, &str),
    uids: &BTreeSet<&str>,
) -> Found {
    let client = trail.visit.client_in(&project.into(), &environment.into());
    let Ok(client): Result<Client, _> = client else {
        return Found::new();
    };
    let root = &trail.visit.root;
    let users = root.below(["projects", project, environment, "users"]);
    let administration = client.administration();
    let call = administration.users().list().query(query(uids));
    let found = call.send().await.into_iter().flat_map(|page| page.results);
    found
        .map(|it| {
            let href = users.below([it.uid.as_str()]);
            ((Kind::User, it.uid.to_string()), (it.email, Some(href)))
        })
        .collect()
}

/// What belongs to the project, or to the environment from which the trail is read.
async fn of_project(context: &Context<'_>, kind: Kind, uids: &BTreeSet<&str>) -> Found {
    let administration = context.client.administration();
    let query = query(uids);
    macro_rules! named {
        ($call:expr, $entry:ident => $name:expr, $href:expr) => {
            match $call.await {
                Ok(found) => found
                    .results
                    .into_iter()
                    .map(|$entry| ((kind, $entry.uid.to_string()), ($name, $href)))
                    .collect(),
                Err(_) => Found::new(),
            }
        };
    }
    match kind {
        Kind::Team => named!(
            administration.teams().list().query(query).send(),
            it => it.name, Some(context.place(["teams", it.uid.as_str()]))
        ),
        Kind::Item => named!(
            administration.items().list().query(query).send(), it => it.name, None
        ),
        Kind::Token => named!(
            administration.tokens().list().query(query).revoked(true).send(),
            it => it.name.unwrap_or(it.prefix), None
        ),
        Kind::ServiceToken => named!(
            administration.service_tokens().list().query(query).revoked(true).send(),
            it => it.name.unwrap_or(it.prefix), None
        ),
        Kind::ApiKey => named!(
            administration.project_keys().list().query(query).revoked(true).send(),
            it => it.name.unwrap_or(it.prefix), None
        ),
        Kind::Account | Kind::User => Found::new(),
    }
}
