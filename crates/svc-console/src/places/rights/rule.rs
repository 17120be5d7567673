//! The rule about a team and a database or a model: rights as checkboxes, and where the rights come from that hold now.

use maud::{Markup, html};
use svc_model::administration::{
    rights::{NewRule, Rule},
    teams::Team,
};

use super::{
    super::{Context, or_not_found},
    effective::{Granted, Subject, TeamRights},
    models, rules,
};
use crate::{
    answer::Answer,
    href::Href,
    problem::{Problem, Result},
    ui::{filled::Filled, form::account_field, frame::Area},
};

/// That a rule is for this environment alone.
const HERE: &str = "here";

/// The address of the rule about a team and something.
pub(super) fn place(context: &Context<'_>, team: &str, subject: Subject<'_>) -> Href {
    let place = context.place(["rights", team, "rule"]);
    match subject {
        Subject::Everything => place,
        Subject::Resource(resource) => place.with("resource", resource),
        Subject::Model(resource, model) => place.with("resource", resource).with("model", model),
    }
}

pub(super) async fn answer(context: &Context<'_>, uid: &str) -> Result<Answer> {
    let visit = context.visit;
    let query = visit.query()?;
    let subject = match (query.text("resource"), query.text("model")) {
        ("", "") => Subject::Everything,
        ("", _) => return Err(Problem::NotFound),
        (resource, "") => Subject::Resource(resource),
        (resource, model) => Subject::Model(resource, model),
    };
    let administration = context.client.administration();
    let (resource, model) = parts(subject);
    let of: Vec<&str> = model.into_iter().collect();
    let (team, rules, is_missing) = tokio::try_join!(
        async { administration.teams().get(uid).send().await },
        rules::about(context, resource, &of),
        async { Ok(is_missing(context, subject).await) },
    )
    .map_err(or_not_found)?;
    let rights = TeamRights::new(&team, &rules, context.scope.environment.as_str());
    // A rule about a table that is gone can be removed.
    if is_missing && rights.own(subject) == (None, None) {
        return Err(Problem::NotFound);
    }
    let mut filled = Filled::new(visit);
    let place = place(context, uid, subject);
    if visit.is_post() {
        match change(context, &rights, subject).await {
            Ok(()) => {
                let place = match is_missing {
                    true => context.place(["rights", uid]),
                    false => place,
                };
                return Ok(Answer::go(&place.with("saved", visit.form().text("where"))));
            }
            Err(error) => filled.refuse(error, &[])?,
        }
    } else if let Some(saved) = query.get("saved") {
        let others = rights.own(subject).1.filter(|_| saved == HERE);
        filled.done(&saved_as(context, others));
    }
    let page = Rules {
        context,
        rights: &rights,
        subject,
        place,
    };
    let title = page.name();
    let main = html! { (filled.message()) (page.main()) };
    let above = vec![
        (context.texts().get("rights"), context.place(["rights"])),
        (team.name.clone(), context.place(["teams", uid])),
    ];
    Ok(filled.answer(context.page(Area::Users, title, above, &main)))
}

/// Whether a database says that it has no such model.
async fn is_missing(context: &Context<'_>, subject: Subject<'_>) -> bool {
    let Subject::Model(resource, model) = subject else {
        return false;
    };
    let known = models(context, resource, "").await;
    known.is_ok_and(|known| !known.iter().any(|name| name == model))
}

fn parts(subject: Subject<'_>) -> (Option<&str>, Option<&str>) {
    match subject {
        Subject::Everything => (None, None),
        Subject::Resource(resource) => (Some(resource), None),
        Subject::Model(resource, model) => (Some(resource), Some(model)),
    }
}

/// What is said of a rule that was saved, for this environment alone where there is one for the others.
fn saved_as(context: &Context<'_>, others: Option<&Rule>) -> String {
    let texts = context.texts();
    match others {
        None => texts.get("saved"),
        Some(rule) => {
            let environment = context.scope.environment.as_str();
            let rights = Granted::of(rule).text(texts);
            let values = [
                ("environment", environment.into()),
                ("rights", rights.into()),
            ];
            texts.with("rights-saved-here", values)
        }
    }
}

/// Sets the rule that was sent, or removes the one that was named.
async fn change(
    context: &Context<'_>,
    rights: &TeamRights<'_>,
    subject: Subject<'_>,
) -> Result<(), svc_api::Error> {
    let form = context.visit.form();
    let administration = context.client.administration();
    let remove = async |rule: &str| match administration.rights().delete(rule).send().await {
        // Somebody else was quicker.
        Err(error) if error.is_not_found() => Ok(()),
        other => other,
    };
    if let Some(rule) = form.get("remove") {
        return remove(rule).await;
    }
    let sent = form.iter().filter(|(name, _)| *name == "right");
    let granted = Granted::of_words(sent.map(|(_, value)| value));
    let mut rule = new_rule(rights.team, subject, granted);
    let is_here = form.text("where") == HERE;
    if is_here {
        rule.environment = Some(context.scope.environment.clone());
    }
    administration.rights().set(rule).send().await?;
    match rights.own(subject).0 {
        // It would count here before the one for all environments, which this one was made.
        Some(here) if !is_here => remove(&here.uid).await,
        _ => Ok(()),
    }
}

/// A rule for all environments.
pub(super) fn new_rule(team: &Team, subject: Subject<'_>, granted: Granted) -> NewRule {
    let mut rule = NewRule::new(team.uid.as_str(), granted.words());
    let (resource, model) = parts(subject);
    rule.resource = resource.map(Into::into);
    rule.model = model.map(Into::into);
    rule
}

struct Rules<'r> {
    context: &'r Context<'r>,
    rights: &'r TeamRights<'r>,
    subject: Subject<'r>,
    place: Href,
}

impl Rules<'_> {
    /// What the rule is about, for people.
    fn name(&self) -> String {
        name(self.context, self.subject)
    }

    fn main(&self) -> Markup {
        let texts = self.context.texts();
        let team = self.rights.team.name.as_str();
        let (granted, _) = self.rights.on(self.subject);
        let sentence = texts.with(
            "rights-sentence",
            [
                ("team", team.into()),
                ("name", self.name().into()),
                ("rights", granted.text(texts).into()),
            ],
        );
        html! {
            p.lead { (sentence) }
            @if self.rights.team.super_group {
                p.muted { (texts.get("rights-administrators")) }
            } @else {
                (self.form())
                (self.ladder())
            }
        }
    }

    /// The rule that counts now, or what would be one.
    fn form(&self) -> Markup {
        let texts = self.context.texts();
        let (here, all) = self.rights.own(self.subject);
        let (granted, _) = self.rights.on(self.subject);
        let right = |word: &str, text: String, has: bool| {
            html! {
                label.check { input type="checkbox" name="right" value=(word) checked[has]; (text) }
            }
        };
        let environment = self.context.scope.environment.as_str();
        let is_here = here.is_some();
        html! {
            form.stack method="post" action=(self.place) {
                (account_field(self.context.visit))
                fieldset {
                    legend { (texts.get("rights-own")) }
                    (right("read", texts.get("rights-may-read"), granted.read))
                    (right("write", texts.get("rights-may-write"), granted.write))
                    (right("delete", texts.get("rights-may-delete"), granted.delete))
                    p.small.muted { (texts.get("rights-none-hint")) }
                }
                fieldset {
                    legend { (texts.get("rights-where")) }
                    label.check {
                        input type="radio" name="where" value="all" checked[!is_here];
                        (texts.get("rights-where-all"))
                    }
                    label.check {
                        input type="radio" name="where" value=(HERE) checked[is_here];
                        (texts.with("rights-where-here", [("environment", environment.into())]))
                    }
                }
                div.actions {
                    button.primary {
                        @if here.is_some() || all.is_some() { (texts.get("save")) } @else { (texts.get("rights-set")) }
                    }
                    a.button href=(self.context.place(["rights", self.rights.team.uid.as_str()])) { (texts.get("rights-all-of-team")) }
                }
            }
        }
    }

    /// The rules that are about this or what it is part of, the one that counts first.
    fn ladder(&self) -> Markup {
        let texts = self.context.texts();
        let ladder = self.rights.ladder(self.subject);
        let begins = Granted::of_group(self.rights.team);
        html! {
            section.ladder {
                h2 { (texts.get("rights-ladder")) }
                p.small.muted { (texts.get("rights-ladder-hint")) }
                ol {
                    @for rule in &ladder {
                        li { (self.step(rule)) }
                    }
                    li {
                        (texts.get("rights-begins")) ": " strong { (begins.text(texts)) }
                    }
                }
            }
        }
    }

    fn step(&self, rule: &Rule) -> Markup {
        let texts = self.context.texts();
        let resource = rule.resource.as_ref().map(AsRef::as_ref);
        let model = rule.model.as_ref().map(AsRef::as_ref);
        let subject = match (resource, model) {
            (Some(resource), Some(model)) => Subject::Model(resource, model),
            (Some(resource), None) => Subject::Resource(resource),
            (None, _) => Subject::Everything,
        };
        let name = name(self.context, subject);
        let place = match rule.environment.as_ref() {
            Some(environment) => {
                texts.with("rights-in", [("environment", environment.as_str().into())])
            }
            None => texts.get("rights-where-all"),
        };
        let team = self.rights.team.uid.as_str();
        html! {
            bdi { (name) } ", " (place) ": " strong { (Granted::of(rule).text(texts)) }
            @if self.subject.is_of(rule) {
                form.inline method="post" action=(self.place) {
                    (account_field(self.context.visit))
                    input type="hidden" name="remove" value=(rule.uid);
                    button { (texts.get("rights-remove")) }
                }
            } @else {
                " " a href=(super::rule::place(self.context, team, subject)) { (texts.get("rights-change")) }
            }
        }
    }
}

/// What rights are about, for people.
fn name(context: &Context<'_>, subject: Subject<'_>) -> String {
    let texts = context.texts();
    match subject {
        Subject::Everything => texts.get("rights-everywhere"),
        Subject::Resource(resource) => texts.with("rights-whole", [("name", resource.into())]),
        Subject::Model(resource, model) => format!("{resource}.{model}"),
    }
}
