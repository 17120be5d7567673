//! Rotating the key that signs access tokens.

use maud::html;

use super::{Operated, Part};
use crate::{
    answer::Answer,
    problem::Result,
    ui::{form::Confirmation, notice},
};

/// The question, and rotating the key.
pub(super) async fn answer(operated: &Operated<'_>) -> Result<Answer> {
    let (visit, texts) = (operated.visit, operated.visit.texts);
    let administration = operated.client.administration();
    if !visit.is_post() {
        // Who may not do it is told so before.
        administration.service().get().send().await?;
    }
    let question = Confirmation {
        what: html! { p { (texts.get("service-signing-question")) } },
        action: visit.root.below(["service", "signing-keys"]),
        cancel: operated.place(Part::Overview),
        button: texts.get("service-signing-rotate"),
        name: None,
        is_forbidden: false,
    };
    let mut message = None;
    if visit.is_post() {
        let is_now = visit.form().get("now").is_some();
        match administration
            .signing_keys()
            .rotate()
            .now(is_now)
            .send()
            .await
        {
            Ok(key) => {
                let text = texts.with("service-signing-done", [("key", key.kid.into())]);
                message = Some(notice::done(&text));
            }
            Err(error) => message = Some(notice::refused(visit, error)?),
        }
    }
    let choice = html! {
        label.check {
            input type="checkbox" name="now" value="1";
            (texts.get("service-signing-now"))
        }
    };
    let above = vec![(texts.get("service"), operated.place(Part::Overview))];
    let frame = operated.frame(texts.get("service-signing-rotate"), above);
    Ok(Answer::page(frame.page(&html! {
        @match message {
            Some(message) => {
                (message)
                p { a.button href=(operated.place(Part::Overview)) { (texts.get("service")) } }
            },
            None => (question.form(visit, &choice)),
        }
    })))
}
