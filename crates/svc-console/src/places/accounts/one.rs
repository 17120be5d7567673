//! One account: names, whether it operates the service, suspending and deleting it.

use maud::{Markup, html};
use svc_api::Error;
use svc_model::administration::accounts::{Account, AccountPatch};

use super::{
    super::{or_not_found, outbox},
    Operator,
};
use crate::{
    answer::Answer,
    problem::Result,
    ui::{
        filled::{Filled, Input},
        form::{Confirmation, Outcome, account_field},
        standing::Standing,
    },
};

/// How it stands with an account.
pub(super) fn standing(account: &Account) -> Standing {
    Standing {
        is_suspended: account.suspended,
        has_password: account.has_password,
        // Accounts are invited, or made by who has the store.
        is_confirmed: true,
    }
}

pub(super) async fn answer(operator: &Operator<'_>, uid: &str) -> Result<Answer> {
    let (visit, texts) = (operator.visit, operator.visit.texts);
    let account = load(operator, uid).await?;
    let place = operator.place().below([uid]);
    let mut filled = Filled::over(visit);
    let mut hint = Markup::default();
    if visit.is_post() {
        let patch = patch(operator, &mut filled, &account);
        let accounts = operator.client.administration().accounts();
        let saved = filled.save(patch, &["first_name", "last_name"], async |patch| {
            accounts.update(uid, patch).send().await.map(drop)
        });
        if saved.await? {
            return Ok(Answer::go(&place.with("done", "saved")));
        }
    } else {
        match visit.query()?.text("done") {
            "saved" => filled.done(&texts.get("saved")),
            "invited" => {
                filled.done(&texts.get("users-done-invited"));
                hint = outbox::hint(visit, &operator.client, &operator.account).await?;
            }
            "suspended" => filled.done(&texts.get("users-done-suspended")),
            _ => {}
        }
    }
    let known = |name: &Option<String>| name.clone().unwrap_or_default();
    let main = html! {
        (filled.message())
        (hint)
        dl.facts {
            dt { (texts.get("state")) } dd { (standing(&account).shown(texts)) }
            dt { (texts.get("people-since")) } dd { (super::super::users::day(&account.date_add)) }
        }
        form.stack method="post" action=(place) {
            (account_field(visit))
            (filled.text("first_name", &texts.get("people-first-name"), &known(&account.first_name), Input::default()))
            (filled.text("last_name", &texts.get("people-last-name"), &known(&account.last_name), Input::default()))
            (filled.check("is_operator", &texts.get("accounts-is-operator"), account.is_operator))
            p.small.muted {
                (texts.get("accounts-operator-hint"))
                @if account.uid == operator.account.uid { " " strong { (texts.get("accounts-self")) } }
            }
            div.actions { button.primary { (texts.get("save")) } }
        }
        section.destroys {
            div.actions {
                @if account.suspended {
                    form method="post" action=(place) {
                        (account_field(visit))
                        button name="action" value="resume" { (texts.get("users-resume")) }
                    }
                } @else {
                    a.button.danger href=(place.below(["suspend"])) { (texts.get("users-suspend")) }
                }
                a.button.danger href=(place.below(["delete"])) { (texts.get("delete")) }
            }
        }
    };
    let title = account.email.clone();
    Ok(filled.answer(operator.page(title, operator.above(), &main)))
}

async fn load(operator: &Operator<'_>, uid: &str) -> Result<Account> {
    let accounts = operator.client.administration().accounts();
    accounts.get(uid).send().await.map_err(or_not_found)
}

/// What is to be changed.
fn patch(operator: &Operator<'_>, filled: &mut Filled<'_>, account: &Account) -> AccountPatch {
    let mut patch = AccountPatch::new();
    if operator.visit.form().text("action") == "resume" {
        patch.suspended = Some(false);
    } else {
        patch.first_name = filled.changed_or_emptied("first_name", account.first_name.as_deref());
        patch.last_name = filled.changed_or_emptied("last_name", account.last_name.as_deref());
        patch.is_operator = filled.changed_check("is_operator", account.is_operator);
    }
    patch
}

pub(super) async fn suspend(operator: &Operator<'_>, uid: &str) -> Result<Answer> {
    let texts = operator.visit.texts;
    let account = load(operator, uid).await?;
    let what = texts.with(
        "accounts-suspend-what",
        [("email", account.email.as_str().into())],
    );
    let (part, button) = ("suspend", texts.get("users-suspend"));
    ask(operator, &account, (part, what, button), async || {
        let mut patch = AccountPatch::new();
        patch.suspended = Some(true);
        let accounts = operator.client.administration().accounts();
        accounts.update(uid, patch).send().await.map(drop)
    })
    .await
}

pub(super) async fn delete(operator: &Operator<'_>, uid: &str) -> Result<Answer> {
    let texts = operator.visit.texts;
    let account = load(operator, uid).await?;
    let what = texts.with(
        "accounts-delete-what",
        [("email", account.email.as_str().into())],
    );
    let (part, button) = ("delete", texts.get("delete"));
    ask(operator, &account, (part, what, button), async || {
        let accounts = operator.client.administration().accounts();
        accounts.delete(uid).send().await
    })
    .await
}

/// Asks before something is done with an account, and does it when that was answered. Before it is deleted its address is typed.
async fn ask(
    operator: &Operator<'_>,
    account: &Account,
    (part, what, button): (&str, String, String),
    act: impl AsyncFnOnce() -> Result<(), Error>,
) -> Result<Answer> {
    let (visit, texts) = (operator.visit, operator.visit.texts);
    let place = operator.place().below([&account.uid]);
    let is_deleted = part == "delete";
    let question = Confirmation {
        what: html! {
            p { (what) }
            @if account.is_operator { p { (texts.get("accounts-operator-hint")) } }
            @if account.uid == operator.account.uid { p { strong { (texts.get("accounts-self")) } } }
        },
        action: place.below([part]),
        cancel: place.clone(),
        button: button.clone(),
        name: is_deleted.then_some(account.email.as_str()),
        is_forbidden: false,
    };
    let outcome = question.ask(visit, async || {
        act().await?;
        Ok(match is_deleted {
            true => operator.place(),
            false => place.clone().with("done", "suspended"),
        })
    });
    let main = match outcome.await? {
        Outcome::Done(to) => return Ok(Answer::go(&to)),
        Outcome::Ask(main) => main,
    };
    let mut above = operator.above();
    above.push((account.email.clone(), place));
    Ok(Answer::page(operator.page(button, above, &main)))
}
