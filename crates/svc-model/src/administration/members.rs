//! The members of a project: accounts, each in a team (administration, section 2).

use serde::{Deserialize, Serialize};

use crate::{ListQuery, Paginated, ProjectName, administration::TeamName, wire::Operation};

/// A member of a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Member {
    /// The unique ID of the account.
    pub uid: String,
    /// The e-mail address.
    pub email: String,
    /// The given name.
    pub first_name: Option<String>,
    /// The family name.
    pub last_name: Option<String>,
    /// The team.
    pub team: TeamName,
    /// Whether the person has chosen a password, and so accepted an invitation.
    pub has_password: bool,
    /// The time since when the account is a member (RFC 3339).
    pub date_add: String,
}

/// List the members: `GET {app_base_url}/projects/{project}/members/`, 200 with the paginated envelope.
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/projects/{project}/members/")]
#[operation(name = "members.list", credential = ApiKey, level = Member, answer = Paginated<Member>)]
#[operation(new = "Lists the members of a project.")]
#[non_exhaustive]
pub struct List {
    /// The project.
    #[wire(path)]
    pub project: ProjectName,
    /// The query that selects and orders them.
    #[wire(query)]
    pub query: ListQuery,
}

/// Add a member: `POST .../members/`, 201 with the [`Member`].
#[derive(Clone, Debug, Operation)]
#[operation(POST Application "/projects/{project}/members/")]
#[operation(name = "members.create", read, status = CREATED, credential = ApiKey, level = Administrator, answer = Member)]
#[operation(new = "Adds a member.")]
#[non_exhaustive]
pub struct Create {
    /// The project.
    #[wire(path)]
    pub project: ProjectName,
    /// The e-mail address. One without an account gets an invitation.
    #[wire(body)]
    pub email: String,
    /// The team, by its unique ID or its name.
    #[wire(body)]
    pub team: String,
    /// A name for this call: a second call with it gets the first answer.
    #[wire(header = "idempotency-key")]
    pub idempotency_key: Option<String>,
}

/// Get a member: `GET .../members/{uid}/`, 200 with the [`Member`].
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/projects/{project}/members/{uid}/")]
#[operation(name = "members.get", read, credential = ApiKey, level = Member, answer = Member)]
#[operation(new = "Gets a member.")]
#[non_exhaustive]
pub struct Get {
    /// The project.
    #[wire(path)]
    pub project: ProjectName,
    /// The account of the member.
    #[wire(path)]
    pub uid: String,
}

/// Move a member to another team: `PATCH .../members/{uid}/`, 200 with the [`Member`].
#[derive(Clone, Debug, Operation)]
#[operation(PATCH Application "/projects/{project}/members/{uid}/")]
#[operation(name = "members.update", read, credential = ApiKey, level = Administrator, answer = Member)]
#[operation(new = "Moves a member to another team.")]
#[non_exhaustive]
pub struct Update {
    /// The project.
    #[wire(path)]
    pub project: ProjectName,
    /// The account of the member.
    #[wire(path)]
    pub uid: String,
    /// The team, by its unique ID or its name.
    #[wire(body)]
    pub team: String,
    /// Only when the member still has this entity tag.
    #[wire(header = "if-match")]
    pub if_match: Option<String>,
}

/// Remove a member: `DELETE .../members/{uid}/`, 204. The account stays.
#[derive(Clone, Debug, Operation)]
#[operation(DELETE Application "/projects/{project}/members/{uid}/")]
#[operation(name = "members.delete", read, credential = ApiKey, level = Administrator)]
#[operation(new = "Removes a member.")]
#[non_exhaustive]
pub struct Delete {
    /// The project.
    #[wire(path)]
    pub project: ProjectName,
    /// The account of the member.
    #[wire(path)]
    pub uid: String,
    /// Only when the member still has this entity tag.
    #[wire(header = "if-match")]
    pub if_match: Option<String>,
}
