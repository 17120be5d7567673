//! One user: names, team, state, and what can be done about them.

use maud::{Markup, html};
use svc_model::{
    administration::{teams::Team, users::User as Standing},
    users::{Update, User, UserPatch},
};

use super::{
    super::{
        Context, or_not_found, outbox,
        rights::{rules, summary},
    },
    above, day, full_name, sessions, standing, team_choices,
};
use crate::{
    answer::Answer,
    href::Href,
    problem::Result,
    texts::Texts,
    ui::{
        filled::{Filled, Input},
        form::account_field,
        frame::Area,
    },
};

pub(super) async fn answer(context: &Context<'_>, uid: &str) -> Result<Answer> {
    let (visit, texts) = (context.visit, context.texts());
    if !context.is_administrator() {
        return shown(context, uid).await;
    }
    let (users, administration) = (context.client.users(), context.client.administration());
    let (user, standing, teams) = tokio::try_join!(
        async { users.get(uid).send().await },
        async { administration.users().get(uid).send().await },
        rules::teams(context)
    )
    .map_err(or_not_found)?;
    let place = context.place(["users", uid]);
    let mut filled = Filled::over(visit);
    let mut hint = Markup::default();
    if visit.is_post() {
        if let Some(done) = act(context, &mut filled, &user).await? {
            return Ok(Answer::go(&place.with("done", done)));
        }
    } else {
        let query = visit.query()?;
        let done = query.text("done");
        tell_done(&mut filled, done, texts);
        if done == "invited" {
            hint = outbox::hint(visit, &context.client, &context.account).await?;
        }
    }
    let (rules, open) = tokio::try_join!(
        rules::of_team(context, user.group.as_str()),
        sessions::count(context, uid)
    )?;
    let team = teams.iter().find(|team| team.uid == user.group);
    let page = Page {
        context,
        user: &user,
        standing: &standing,
        place,
    };
    let main = html! {
        (filled.message())
        (hint)
        (page.state(open))
        (page.actions(open))
        section {
            h2 { (texts.get("users-fields")) }
            (page.form(&filled, &teams))
        }
        @if let Some(team) = team {
            section {
                h2 { (texts.with("users-may", [("team", team.name.as_str().into())])) }
                (summary::of(context, team, &rules, true))
            }
        }
    };
    let title = user.email.clone();
    Ok(filled.answer(context.page(Area::Users, title, above(context), &main)))
}

/// The user for somebody who may only look.
async fn shown(context: &Context<'_>, uid: &str) -> Result<Answer> {
    if context.visit.is_post() {
        context.check_administrator()?;
    }
    let texts = context.texts();
    let user = context.client.users().get(uid).send().await;
    let user = user.map_err(or_not_found)?;
    let main = html! {
        dl.facts {
            dt { (texts.get("people-name")) } dd { bdi { (full_name(&user.first_name, &user.last_name)) } }
            dt { (texts.get("people-since")) } dd { (day(&user.date_add)) }
        }
        p.muted { (texts.get("people-only-read")) }
    };
    let page = context.page(Area::Users, user.email, above(context), &main);
    Ok(Answer::page(page))
}

/// Does what the form asks for; gives the word for what was done.
async fn act(
    context: &Context<'_>,
    filled: &mut Filled<'_>,
    user: &User,
) -> Result<Option<&'static str>> {
    let users = context.client.administration().users();
    let done = match context.visit.form().text("action") {
        "resume" => users.resume(&user.uid).send().await.map(|_| "resumed"),
        "invite" => users.invite(&user.uid).send().await.map(|_| "invited"),
        _ => {
            let is_saved = change(context, filled, user).await?;
            return Ok(is_saved.then_some("saved"));
        }
    };
    match done {
        Ok(done) => Ok(Some(done)),
        Err(error) => {
            filled.refuse(error, &[])?;
            Ok(None)
        }
    }
}

/// Saves what was changed; says whether it is saved.
async fn change(context: &Context<'_>, filled: &mut Filled<'_>, user: &User) -> Result<bool> {
    let mut patch = UserPatch::new();
    patch.first_name = filled.changed_or_emptied("first_name", user.first_name.as_deref());
    patch.last_name = filled.changed_or_emptied("last_name", user.last_name.as_deref());
    let group = filled.changed("group", user.group.as_str());
    patch.group = group.map(Into::into);
    let saved = filled.save(
        patch,
        &["first_name", "last_name", "group"],
        async |patch| {
            let scope = (&context.scope.project, &context.scope.environment);
            let update = Update::new(scope, &user.uid, patch);
            context.client.call(update).send().await.map(drop)
        },
    );
    saved.await
}

struct Page<'p> {
    context: &'p Context<'p>,
    user: &'p User,
    standing: &'p Standing,
    place: Href,
}

impl Page<'_> {
    /// How it stands with the user.
    fn state(&self, open: u64) -> Markup {
        let texts = self.context.texts();
        html! {
            dl.facts {
                dt { (texts.get("state")) }
                dd { (standing(self.standing).shown(texts)) }
                dt { (texts.get("sessions")) }
                dd {
                    a href=(self.place.below(["sessions"])) {
                        (texts.with("people-sessions-count", [("count", open.into())]))
                    }
                }
                dt { (texts.get("people-since")) }
                dd { (day(&self.user.date_add)) }
            }
        }
    }

    fn actions(&self, open: u64) -> Markup {
        let texts = self.context.texts();
        let home = self.context.scope.home(self.context.visit);
        html! {
            div.actions {
                @if !self.standing.suspended {
                    a.button href=(home.below(["as", self.user.uid.as_str()])) { (texts.get("users-see-as")) }
                }
                @if self.standing.suspended { (self.action("resume", &texts.get("users-resume"))) }
                @if !self.standing.has_password && !self.standing.suspended {
                    (self.action("invite", &texts.get("users-invite-again")))
                }
                @if open > 0 {
                    a.button href=(self.place.below(["sign-out"])) { (texts.get("people-sessions-end-all")) }
                }
                @if !self.standing.suspended {
                    a.button.danger href=(self.place.below(["suspend"])) { (texts.get("users-suspend")) }
                }
                a.button.danger href=(self.place.below(["delete"])) { (texts.get("delete")) }
            }
        }
    }

    /// A button for something that destroys nothing.
    fn action(&self, action: &str, text: &str) -> Markup {
        html! {
            form method="post" action=(self.place) {
                (account_field(self.context.visit))
                button name="action" value=(action) { (text) }
            }
        }
    }

    fn form(&self, filled: &Filled<'_>, teams: &[Team]) -> Markup {
        let (texts, user) = (self.context.texts(), self.user);
        let known = |name: &Option<String>| name.clone().unwrap_or_default();
        let group = user.group.as_str();
        html! {
            form.stack method="post" action=(self.place) {
                (account_field(self.context.visit))
                (filled.choice("group", &texts.get("people-team"), group, &team_choices(teams)))
                (filled.text("first_name", &texts.get("people-first-name"), &known(&user.first_name), Input::default()))
                (filled.text("last_name", &texts.get("people-last-name"), &known(&user.last_name), Input::default()))
                div.actions { button.primary { (texts.get("save")) } }
            }
        }
    }
}

/// Says what was done, by the word for it in the address.
fn tell_done(filled: &mut Filled<'_>, word: &str, texts: &Texts) {
    match word {
        "saved" => filled.done(&texts.get("saved")),
        "made" => filled.done(&texts.get("users-done-made")),
        "invited" => filled.done(&texts.get("users-done-invited")),
        "resumed" => filled.done(&texts.get("users-done-resumed")),
        "suspended" => filled.done(&texts.get("users-done-suspended")),
        "signed-out" => filled.done(&texts.get("users-done-signed-out")),
        _ => {}
    }
}
