//! Users of an application: the model `users` of the built-in tools resource (specification, section 4,
//! and wire contract, section 6).

use serde::{Deserialize, Serialize};

use crate::{
    ListQuery, Paginated, Scope, TeamUid, UserUid,
    wire::{Operation, ReadBody},
};

/// The model of the [tools resource](crate::ResourceName::TOOLS) whose records are the users.
pub const MODEL: &str = "users";

/// A user of an application.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct User {
    /// The unique ID.
    pub uid: UserUid,
    /// The e-mail address, which is unique in the environment, ignoring case.
    pub email: String,
    /// The team.
    pub group: TeamUid,
    /// The time of creation (RFC 3339).
    pub date_add: String,
    /// The given name.
    pub first_name: Option<String>,
    /// The family name.
    pub last_name: Option<String>,
}

impl User {
    /// A user without names.
    pub fn new(
        uid: impl Into<UserUid>,
        email: impl Into<String>,
        group: impl Into<TeamUid>,
        date_add: impl Into<String>,
    ) -> Self {
        Self {
            uid: uid.into(),
            email: email.into(),
            group: group.into(),
            date_add: date_add.into(),
            first_name: None,
            last_name: None,
        }
    }
}

/// The body of a request that creates a user. An unknown property is an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ReadBody)]
#[non_exhaustive]
pub struct NewUser {
    /// The e-mail address that the invitation is sent to.
    pub email: String,
    /// The team.
    pub group: TeamUid,
    /// The given name, beyond the specification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_name: Option<String>,
    /// The family name, beyond the specification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_name: Option<String>,
}

impl NewUser {
    /// A user without names.
    pub fn new(email: impl Into<String>, group: impl Into<TeamUid>) -> Self {
        Self {
            email: email.into(),
            group: group.into(),
            first_name: None,
            last_name: None,
        }
    }
}

/// The body of a change to a user: a property that is left out keeps its value. An unknown property is an error.
///
/// ```
/// use svc_model::users::UserPatch;
///
/// let mut patch = UserPatch::new();
/// patch.first_name = Some(Some("Ada".into()));
/// patch.last_name = Some(None);
/// let text = serde_json::to_string(&patch)?;
/// assert_eq!(text, r#"{"first_name":"Ada","last_name":null}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ReadBody)]
#[non_exhaustive]
pub struct UserPatch {
    /// The team.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[wire(present)]
    pub group: Option<TeamUid>,
    /// The given name, beyond the specification. `None` keeps it, `Some(None)` deletes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[wire(present)]
    pub first_name: Option<Option<String>>,
    /// The family name, beyond the specification. `None` keeps it, `Some(None)` deletes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[wire(present)]
    pub last_name: Option<Option<String>>,
}

impl UserPatch {
    /// An empty change.
    pub fn new() -> Self {
        Self::default()
    }
}

/// List users: `GET .../__svc_app__/models/users`, 200 with the paginated envelope, or an array with
/// `_no_pagination`.
///
/// The response is read as complete [`User`]s, so `_fields` would have to name all of their properties.
#[derive(Clone, Debug, Operation)]
#[operation(GET Data "/projects/{project}/{environment}/__svc_app__/models/users")]
#[operation(name = "users.list", credential = StaticToken, answer = Paginated<User>)]
#[operation(new = "Lists a page of the users of an environment.")]
#[non_exhaustive]
pub struct List {
    /// The environment of the users.
    #[wire(path)]
    pub scope: Scope,
    /// The query that selects the users.
    #[wire(query)]
    pub query: ListQuery,
}

/// Retrieve a user: `GET .../users/{uid}`, 200 with the [`User`].
#[derive(Clone, Debug, Operation)]
#[operation(GET Data "/projects/{project}/{environment}/__svc_app__/models/users/{uid}")]
#[operation(name = "users.get", credential = StaticToken, answer = User)]
#[operation(new = "Gets a user.")]
#[non_exhaustive]
pub struct Get {
    /// The environment of the users.
    #[wire(path)]
    pub scope: Scope,
    /// The user.
    #[wire(path)]
    pub uid: UserUid,
}

/// Create a user: `POST .../users`, 201 with the [`User`]. An invitation is mailed; the user exists before
/// the person accepts it.
#[derive(Clone, Debug, Operation)]
#[operation(POST Data "/projects/{project}/{environment}/__svc_app__/models/users")]
#[operation(name = "users.create", credential = StaticToken, answer = User)]
#[operation(new = "Creates a user.")]
#[non_exhaustive]
pub struct Create {
    /// The environment of the users.
    #[wire(path)]
    pub scope: Scope,
    /// The new user.
    #[wire(whole_body)]
    pub user: NewUser,
}

/// Update a user: `PATCH .../users/{uid}`, 200 with the [`User`].
///
/// It is not repeated after a failure: like every PATCH, a second one may undo somebody else's change.
#[derive(Clone, Debug, Operation)]
#[operation(PATCH Data "/projects/{project}/{environment}/__svc_app__/models/users/{uid}")]
#[operation(name = "users.update", credential = StaticToken, answer = User)]
#[operation(new = "Changes a user.")]
#[non_exhaustive]
pub struct Update {
    /// The environment of the users.
    #[wire(path)]
    pub scope: Scope,
    /// The user.
    #[wire(path)]
    pub uid: UserUid,
    /// What to change.
    #[wire(whole_body)]
    pub patch: UserPatch,
}

/// Delete a user: `DELETE .../users/{uid}`, 204 without a body. The user's sessions end at once.
#[derive(Clone, Debug, Operation)]
#[operation(DELETE Data "/projects/{project}/{environment}/__svc_app__/models/users/{uid}")]
#[operation(name = "users.delete", credential = StaticToken)]
#[operation(new = "Deletes a user.")]
#[non_exhaustive]
pub struct Delete {
    /// The environment of the users.
    #[wire(path)]
    pub scope: Scope,
    /// The user.
    #[wire(path)]
    pub uid: UserUid,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Invalid, Lookup, ResourceName};

    fn read<T: ReadBody>(body: &str) -> Result<T, Invalid> {
        T::from_body(serde_json::from_str(body).unwrap())
    }

    #[test]
    fn the_paths_name_the_tools_resource_and_the_model() {
        let (list, item) = (List::INFO.path_template, Get::INFO.path_template);
        let models = format!("/{}/models/{MODEL}", ResourceName::TOOLS);
        assert!(list.ends_with(&models), "{list}");
        assert_eq!(item, format!("{list}/{{uid}}"));
    }

    #[test]
    fn a_list_accepts_the_query_of_any_list() {
        let query = ListQuery::new()
            .filter("email", Lookup::Iendswith, "@example.com")
            .order_by("-date_add")
            .per_page(2);
        let list = List::new(("demo", "prod"), query);
        let request = list.to_request("https://data.example.com").unwrap();
        assert_eq!(
            request.uri(),
            "https://data.example.com/projects/demo/prod/__svc_app__/models/users\
             ?email__iendswith=%40example.com&_order_by=-date_add&_per_page=2",
        );
        let user = User::new("u1", "ada@example.com", "t1", "2026-01-02T03:04:05Z");
        let body =
            serde_json::json!({"count": 1, "next": null, "previous": null, "results": [user]});
        let page = List::parse_response(http::Response::new(body.to_string().into())).unwrap();
        assert_eq!((page.count, page.results), (Some(1), vec![user]));
    }

    #[test]
    fn a_user_without_names_has_them_as_null() {
        let user = User::new("u1", "ada@example.com", "t1", "2026-01-02T03:04:05Z");
        assert_eq!(
            serde_json::to_string(&user).unwrap(),
            r#"{"uid":"u1","email":"ada@example.com","group":"t1","date_add":"2026-01-02T03:04:05Z","first_name":null,"last_name":null}"#
        );
    }

    #[test]
    fn a_new_user_contains_only_what_was_set() {
        let mut user = NewUser::new("ada@example.com", "t1");
        let text = r#"{"email":"ada@example.com","group":"t1"}"#;
        assert_eq!(serde_json::to_string(&user).unwrap(), text);
        assert_eq!(read::<NewUser>(text), Ok(user.clone()));
        user.first_name = Some("Ada".to_owned());
        assert!(
            serde_json::to_string(&user)
                .unwrap()
                .ends_with(r#","first_name":"Ada"}"#)
        );
    }

    #[test]
    fn a_patch_distinguishes_an_absent_name_from_null() {
        let patch: UserPatch = read(r#"{"first_name":null}"#).unwrap();
        assert_eq!((patch.first_name, patch.last_name), (Some(None), None));
        assert_eq!(serde_json::to_string(&UserPatch::new()).unwrap(), "{}");
    }

    #[test]
    fn a_read_only_property_is_refused() {
        for text in [r#"{"uid":"u1"}"#, r#"{"email":"a@b"}"#, r#"{"group":null}"#] {
            assert!(read::<UserPatch>(text).is_err(), "{text}");
        }
        let text = r#"{"email":"a@b","group":"t1","date_add":"2026-01-02T03:04:05Z"}"#;
        assert!(read::<NewUser>(text).is_err());
    }
}
