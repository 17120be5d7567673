//! What limits a caller of the data host: the rights of a team, or those of a static token that does not open its whole
//! resource.

use svc_store::{Rights, Team, TeamRights, TokenLimits};

/// The limits of a caller.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Limits<'a> {
    /// What the team of a user or a service may do.
    Team(&'a Team, &'a TeamRights),
    /// What a static token may do.
    Token(&'a TokenLimits),
}

/// The limits of a caller, to be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum KeptLimits {
    Team(TeamRights),
    Token(TokenLimits),
}

impl Limits<'_> {
    /// The rights on a model of a resource.
    pub(crate) fn on(self, resource: &str, model: &str) -> Rights {
        match self {
            Self::Team(_, rights) => rights.on(resource, model),
            Self::Token(limits) => limits.on(model),
        }
    }

    /// Whether the caller is an administrator, whom no rights limit.
    pub(crate) fn is_administrator(self) -> bool {
        matches!(self, Self::Team(team, _) if team.super_group)
    }

    /// The sentence for a team, or the one for a static token.
    pub(crate) fn say(self, of_team: &'static str, of_token: &'static str) -> &'static str {
        match self {
            Self::Team(..) => of_team,
            Self::Token(_) => of_token,
        }
    }

    /// The same, to be kept.
    pub(crate) fn keep(self) -> KeptLimits {
        match self {
            Self::Team(_, rights) => KeptLimits::Team(rights.clone()),
            Self::Token(limits) => KeptLimits::Token(limits.clone()),
        }
    }
}

impl KeptLimits {
    /// The rights on a model of a resource.
    pub(crate) fn on(&self, resource: &str, model: &str) -> Rights {
        match self {
            Self::Team(rights) => rights.on(resource, model),
            Self::Token(limits) => limits.on(model),
        }
    }
}
