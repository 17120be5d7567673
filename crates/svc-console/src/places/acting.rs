//! The places of an environment as one of its users would see them: `as/USER/` stands before the rest of their addresses.

use crate::{
    problem::{Problem, Result},
    visit::Visit,
};

/// The place that an address leads to, seen as the user that it names, if any.
pub(super) fn enter<'p, 's>(visit: &mut Visit, place: &'p [&'s str]) -> Result<&'p [&'s str]> {
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
    visit.act_as(user);
    Ok(rest)
}
