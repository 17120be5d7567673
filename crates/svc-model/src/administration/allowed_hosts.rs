//! The hosts that the HTTP proxy of a project may reach although they are not public (administration, section 2).

use serde::{Deserialize, Serialize};

use crate::{ListQuery, Paginated, ProjectName, wire::Operation};

/// A host that the proxy may reach.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AllowedHost {
    /// The name or address, with a port where only that is allowed.
    pub host: String,
    /// The time of creation (RFC 3339).
    pub date_add: String,
}

/// List the allowed hosts: `GET {app_base_url}/projects/{project}/allowed_hosts/`, 200 with the paginated envelope.
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/projects/{project}/allowed_hosts/")]
#[operation(name = "allowed_hosts.list", credential = ApiKey, level = Administrator, answer = Paginated<AllowedHost>)]
#[operation(new = "Lists the allowed hosts of a project.")]
#[non_exhaustive]
pub struct List {
    /// The project.
    #[wire(path)]
    pub project: ProjectName,
    /// The query that selects and orders them.
    #[wire(query)]
    pub query: ListQuery,
}

/// Allow a host: `POST .../allowed_hosts/`, 201 with the [`AllowedHost`].
#[derive(Clone, Debug, Operation)]
#[operation(POST Application "/projects/{project}/allowed_hosts/")]
#[operation(name = "allowed_hosts.create", read, status = CREATED, credential = ApiKey, level = Administrator, answer = AllowedHost)]
#[operation(new = "Allows a host.")]
#[non_exhaustive]
pub struct Create {
    /// The project.
    #[wire(path)]
    pub project: ProjectName,
    /// The name or address, with a port where only that is allowed.
    #[wire(body)]
    pub host: String,
    /// A name for this call: a second call with it gets the first answer.
    #[wire(header = "idempotency-key")]
    pub idempotency_key: Option<String>,
}

/// Allow a host no more: `DELETE .../allowed_hosts/{host}/`, 204.
#[derive(Clone, Debug, Operation)]
#[operation(DELETE Application "/projects/{project}/allowed_hosts/{host}/")]
#[operation(name = "allowed_hosts.delete", read, credential = ApiKey, level = Administrator)]
#[operation(new = "Removes an allowed host.")]
#[non_exhaustive]
pub struct Delete {
    /// The project.
    #[wire(path)]
    pub project: ProjectName,
    /// The host, as the list has it.
    #[wire(path)]
    pub host: String,
}
