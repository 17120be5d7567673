//! The settings of a project, for its administrators.

mod environments;
mod members;
mod project;
mod sign_in;

use super::{Context, Scope};
use crate::{
    answer::Answer,
    href::Href,
    problem::{Problem, Result},
    visit::Visit,
};

pub(super) async fn route(visit: &Visit, scope: &Scope, rest: &[&str]) -> Result<Answer> {
    let context = Context::open(visit, scope).await?;
    context.check_administrator()?;
    match *rest {
        [] => project::answer(&context).await,
        ["delete"] => project::delete(&context).await,
        ["environments"] => environments::list(&context).await,
        ["environments", "new"] => environments::create(&context).await,
        ["environments", name] => environments::answer(&context, name).await,
        ["environments", name, "delete"] => environments::delete(&context, name).await,
        ["members"] => members::list(&context).await,
        ["members", uid] => members::answer(&context, uid).await,
        ["members", uid, "delete"] => members::delete(&context, uid).await,
        ["sign-in"] => sign_in::answer(&context).await,
        _ => Err(Problem::NotFound),
    }
}

/// What stands above a page of a part of the settings.
fn above(context: &Context<'_>, name: String, part: &str) -> Vec<(String, Href)> {
    vec![
        (
            context.texts().get("area-settings"),
            context.place(["settings"]),
        ),
        (name, context.place(["settings", part])),
    ]
}
