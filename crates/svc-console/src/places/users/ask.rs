//! The questions before a user is suspended, signed out or deleted.

use maud::html;

use super::{
    super::{Context, or_not_found},
    above, sessions,
};
use crate::{
    answer::Answer,
    problem::Result,
    ui::{
        form::{Confirmation, Outcome},
        frame::Area,
    },
};

pub(super) async fn suspend(context: &Context<'_>, uid: &str) -> Result<Answer> {
    let texts = context.texts();
    let question = Question::open(context, uid).await?;
    let what = texts.with(
        "users-suspend-what",
        [
            ("email", question.email.as_str().into()),
            ("count", question.sessions.into()),
        ],
    );
    let button = texts.get("users-suspend");
    question
        .answer(what, button, "suspend", async || {
            let users = context.client.administration().users();
            users.suspend(uid).send().await.map(|_| "suspended")
        })
        .await
}

pub(super) async fn sign_out(context: &Context<'_>, uid: &str) -> Result<Answer> {
    let texts = context.texts();
    let question = Question::open(context, uid).await?;
    let what = texts.with(
        "people-sessions-end-what",
        [
            ("email", question.email.as_str().into()),
            ("count", question.sessions.into()),
        ],
    );
    let button = texts.get("people-sessions-end-all");
    question
        .answer(what, button, "sign-out", async || {
            sessions::end_all(context, uid).await.map(|()| "signed-out")
        })
        .await
}

pub(super) async fn delete(context: &Context<'_>, uid: &str) -> Result<Answer> {
    let texts = context.texts();
    let question = Question::open(context, uid).await?;
    let what = texts.with(
        "users-delete-what",
        [
            ("email", question.email.as_str().into()),
            ("count", question.sessions.into()),
        ],
    );
    let button = texts.get("delete");
    question
        .answer(what, button, "delete", async || {
            let deleted = context.client.users().delete(uid).send().await;
            deleted.map(|()| "deleted")
        })
        .await
}

/// A question about a user.
struct Question<'q> {
    context: &'q Context<'q>,
    uid: &'q str,
    email: String,
    sessions: u64,
}

impl<'q> Question<'q> {
    async fn open(context: &'q Context<'q>, uid: &'q str) -> Result<Self> {
        context.check_administrator()?;
        let users = context.client.administration().users();
        let (user, sessions) = tokio::try_join!(
            async { users.get(uid).send().await },
            sessions::count(context, uid)
        )
        .map_err(or_not_found)?;
        Ok(Self {
            context,
            uid,
            email: user.email,
            sessions,
        })
    }

    /// Asks, and does it when that was answered. Deleting leads to the list, anything else to the user; in `prod` the address
    /// is typed before a user is deleted.
    async fn answer(
        &self,
        what: String,
        button: String,
        part: &str,
        act: impl AsyncFnOnce() -> Result<&'static str, svc_api::Error>,
    ) -> Result<Answer> {
        let Self { context, uid, .. } = self;
        let visit = context.visit;
        let place = context.place(["users", uid]);
        let is_typed = part == "delete" && context.scope.is_production();
        let question = Confirmation {
            what: html! { p { (what) } },
            action: place.below([part]),
            cancel: place.clone(),
            button: button.clone(),
            name: is_typed.then_some(self.email.as_str()),
            is_forbidden: false,
        };
        let outcome = question.ask(visit, async || {
            Ok(match act().await? {
                "deleted" => context.place(["users"]),
                done => place.clone().with("done", done),
            })
        });
        let main = match outcome.await? {
            Outcome::Done(to) => return Ok(Answer::go(&to)),
            Outcome::Ask(main) => main,
        };
        let mut above = above(context);
        above.push((self.email.clone(), place));
        Ok(Answer::page(context.page(
            Area::Users,
            button,
            above,
            &main,
        )))
    }
}
