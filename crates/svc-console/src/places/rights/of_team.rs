//! What one team may do with a database and its models, as one form.

use maud::{Markup, html};
use svc_api::Error;
use svc_model::administration::{rights::Rule, teams::Team};

use super::{
    super::{Context, or_not_found},
    chosen,
    effective::{Granted, Subject, TeamRights},
    models, rule, rules, summary,
};
use crate::{
    answer::Answer,
    href::Href,
    problem::Result,
    ui::{form::account_field, frame::Area, notice, table::table},
    visit::Form,
};

/// How many models the form has.
const MOST_MODELS: usize = 100;
/// What stands in a form for the rights that come from above.
const INHERIT: &str = "inherit";
/// What stands in it for rights that the form does not offer.
const KEEP: &str = "keep";

pub(super) async fn answer(context: &Context<'_>, uid: &str) -> Result<Answer> {
    let (visit, texts) = (context.visit, context.texts());
    let query = visit.query()?;
    let resource = chosen(context, query.text("resource"))?;
    let search = query.text("_search");
    let administration = context.client.administration();
    let found = async {
        match resource {
            Some(resource) => Ok(models(context, resource, search).await),
            None => Ok(Ok(Vec::new())),
        }
    };
    let (team, found) = tokio::try_join!(
        async { administration.teams().get(uid).send().await },
        found
    )
    .map_err(or_not_found)?;
    let (found, mut message) = match found {
        Ok(found) => (found, None),
        Err(error) => (Vec::new(), Some(notice::refused(visit, error)?)),
    };
    let shown: Vec<&str> = found.iter().take(MOST_MODELS).map(String::as_str).collect();
    let place = |resource: Option<&str>| {
        let place = context.place(["rights", uid]);
        place.with("resource", resource.unwrap_or_default())
    };
    let here = match search {
        "" => place(resource),
        search => place(resource).with("_search", search),
    };
    if visit.is_post() && !team.super_group {
        match save(context, &team, resource).await {
            Ok(()) => return Ok(Answer::go(&here.with("saved", "1"))),
            Err(error) => message = Some(notice::refused(visit, error)?),
        }
    } else if query.get("saved").is_some() {
        message = Some(notice::done(&texts.get("saved")));
    }
    let (about, of_team) = tokio::try_join!(
        rules::about(context, resource, &shown),
        rules::of_team(context, team.uid.as_str())
    )?;
    let rights = TeamRights::new(&team, &about, context.scope.environment.as_str());
    let page = Page {
        context,
        rights: &rights,
        resource,
        here,
    };
    let main = html! {
        @if let Some(message) = message { (message) }
        (summary::of(context, &team, &of_team, false))
        @if team.super_group {
            p.muted { (texts.get("rights-administrators")) }
        } @else {
            (page.choices(search, &place(None)))
            (page.form(&shown))
            @if found.len() > shown.len() {
                p.muted { (texts.with("rights-more", [("count", found.len().saturating_sub(shown.len()).into())])) }
            }
        }
    };
    let above = vec![
        (texts.get("teams"), context.place(["teams"])),
        (team.name.clone(), context.place(["teams", uid])),
    ];
    let title = texts.with("rights-of", [("team", team.name.as_str().into())]);
    Ok(Answer::page(context.page(Area::Users, title, above, &main)))
}

/// Sets what was chosen otherwise than it was, the rights on the whole before those on its parts.
async fn save(context: &Context<'_>, team: &Team, resource: Option<&str>) -> Result<(), Error> {
    let form = context.visit.form();
    change(context, team, Subject::Everything, "all").await?;
    let Some(resource) = resource else {
        return Ok(());
    };
    change(context, team, Subject::Resource(resource), "whole").await?;
    let models = form
        .iter()
        .filter_map(|(name, _)| name.strip_prefix("set:model:"));
    for model in models {
        let field = format!("model:{model}");
        change(context, team, Subject::Model(resource, model), &field).await?;
    }
    Ok(())
}

/// Sets or removes one rule, where the form has another choice than it was opened with.
async fn change(
    context: &Context<'_>,
    team: &Team,
    subject: Subject<'_>,
    field: &str,
) -> Result<(), Error> {
    let form = context.visit.form();
    let (wanted, was) = sent(form, field);
    if wanted == was || wanted.is_empty() || wanted == KEEP {
        return Ok(());
    }
    let administration = context.client.administration();
    let rights = administration.rights();
    if let Some(granted) = of_choice(wanted) {
        let rule = rule::new_rule(team, subject, granted);
        return rights.set(rule).send().await.map(drop);
    }
    let known = form.text(&format!("rule:{field}"));
    if wanted != INHERIT || known.is_empty() {
        return Ok(());
    }
    match rights.delete(known).send().await {
        // Somebody else was quicker.
        Err(error) if error.is_not_found() => Ok(()),
        other => other,
    }
}

/// What a form has for a field now, and had when it was opened.
fn sent<'f>(form: &'f Form, field: &str) -> (&'f str, &'f str) {
    let wanted = form.text(&format!("set:{field}"));
    let was = form.text(&format!("was:{field}"));
    (wanted, was)
}

/// The choices of the form.
const CHOICES: [(&str, Granted); 4] = [
    ("nothing", Granted::NOTHING),
    ("read", Granted::READ),
    ("write", Granted::WRITE),
    ("all", Granted::ALL),
];

/// The rights of a choice; none when they come from above.
fn of_choice(choice: &str) -> Option<Granted> {
    let mut all = CHOICES.into_iter();
    all.find(|(name, _)| *name == choice)
        .map(|(_, granted)| granted)
}

/// The choice that a rule is.
fn choice_of(rule: Option<&Rule>) -> &'static str {
    let Some(rule) = rule else { return INHERIT };
    let granted = Granted::of(rule);
    let mut all = CHOICES.into_iter();
    all.find(|(_, known)| *known == granted)
        .map_or(KEEP, |(name, _)| name)
}

struct Page<'p> {
    context: &'p Context<'p>,
    rights: &'p TeamRights<'p>,
    resource: Option<&'p str>,
    here: Href,
}

impl Page<'_> {
    /// The choice of a database and of models.
    fn choices(&self, search: &str, action: &Href) -> Markup {
        let texts = self.context.texts();
        html! {
            @if let Some(resource) = self.resource {
                form.toolbar method="get" action=(action.path()) {
                    label.inline { (texts.get("database"))
                        select name="resource" {
                            @for name in rules::databases(self.context) {
                                option value=(name) selected[name.as_str() == resource] { (name) }
                            }
                        }
                    }
                    input type="search" name="_search" value=(search) aria-label=(texts.get("rights-search"))
                        placeholder=(texts.get("rights-search")) data-key="/";
                    button { (texts.get("rights-show")) }
                }
            }
        }
    }

    fn form(&self, models: &[&str]) -> Markup {
        let texts = self.context.texts();
        let head = html! {
            tr {
                th scope="col" { (texts.get("rights-what")) }
                th scope="col" { (texts.get("rights-choice")) }
                th scope="col" { (texts.get("rights-now")) }
            }
        };
        let body = html! {
            (self.row(Subject::Everything, &texts.get("rights-everywhere"), "all", true))
            @if let Some(resource) = self.resource {
                (self.row(Subject::Resource(resource), &texts.with("rights-whole", [("name", resource.into())]), "whole", true))
                @for model in models {
                    (self.row(Subject::Model(resource, model), model, &format!("model:{model}"), false))
                }
            }
        };
        html! {
            form method="post" action=(self.here) data-guard {
                (account_field(self.context.visit))
                div.matrix { (table(&texts.get("rights"), &head, &body)) }
                div.actions {
                    button.primary { (texts.get("save")) }
                    span.small.muted { (texts.get("rights-all-environments")) " " (texts.get("rights-pages")) }
                }
            }
        }
    }

    fn row(&self, subject: Subject<'_>, name: &str, field: &str, is_group: bool) -> Markup {
        let texts = self.context.texts();
        let (here, all) = self.rights.own(subject);
        let was = choice_of(all);
        let form = self.context.visit.form();
        let chosen = match sent(form, field).0 {
            "" => was,
            typed => typed,
        };
        let above = self.rights.inherited(subject).text(texts);
        let inherit = match subject {
            Subject::Everything => texts.with("rights-default", [("rights", above.into())]),
            _ => texts.with("rights-inherit", [("rights", above.into())]),
        };
        let team = self.rights.team.uid.as_str();
        html! {
            tr.group[is_group] {
                th scope="row" { bdi { (name) } }
                td {
                    select name=(format!("set:{field}")) aria-label=(name) {
                        option value=(INHERIT) selected[chosen == INHERIT] { (inherit) }
                        @for (value, granted) in CHOICES {
                            option value=(value) selected[chosen == value] { (granted.text(texts)) }
                        }
                        @if let (KEEP, Some(rule)) = (was, all) {
                            option value=(KEEP) selected[chosen == KEEP] { (Granted::of(rule).text(texts)) }
                        }
                    }
                    input type="hidden" name=(format!("was:{field}")) value=(was);
                    @if let Some(rule) = all {
                        input type="hidden" name=(format!("rule:{field}")) value=(rule.uid);
                    }
                }
                td {
                    a href=(rule::place(self.context, team, subject)) {
                        (self.rights.on(subject).0.text(texts))
                        span.visually-hidden { ": " (name) }
                    }
                    @if here.is_some() { " " span.muted { (texts.get("rights-only-here")) } }
                }
            }
        }
    }
}
