//! The places of an environment as one of its users would see them: `as/USER/` stands before the rest of their addresses.

use super::Scope;
use crate::{
    acting::ActingAs,
    problem::{Problem, Result},
    visit::Visit,
};

/// The place that an address leads to, seen as the user that it names, if any.
pub(super) async fn enter<'p, 's>(
    visit: &mut Visit,
    scope: &Scope,
    place: &'p [&'s str],
) -> Result<&'p [&'s str]> {
    let ["as", user, rest @ ..] = place else {
        return Ok(place);
    };
    if visit.is_post() {
        return Err(Problem::OnlySeeing);
    }
    match rest {
        ["records", _, _, "new", ..] | ["records", _, _, "record", _, "delete", ..] => {
            return Err(Problem::OnlySeeing);
        }
        [] | ["find"] | ["records", ..] => {}
        _ => return Err(Problem::NotFound),
    }
    let client = visit.client_in(&scope.project, &scope.environment)?;
    let user = ActingAs::look_up(&client.administration().users(), user).await?;
    visit.act_as(user);
    Ok(rest)
}
