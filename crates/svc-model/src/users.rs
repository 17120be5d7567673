//! Users of an application: the model `users` of the built-in tools resource (specification, section 4,
//! and wire contract, section 6).

use bytes::Bytes;
use http::Method;
use serde::{Deserialize, Serialize};

use crate::{
    EnvironmentName, ListQuery, Paginated, ProjectName, QueryString, TeamUid, UserUid,
    operation::{encode, present},
    records::{info, with_draft},
    response::{ResponseError, decode_json},
    wire::{Operation, OperationInfo, PathArguments, RequestError},
};

/// The model of the [tools resource](crate::ResourceName::TOOLS) whose records are the users.
pub const MODEL: &str = "users";
/// The path of the users of an environment.
pub const LIST_PATH: &str = "/projects/{project}/{environment}/__svc_app__/models/users";
/// The path of one user.
pub const ITEM_PATH: &str = "/projects/{project}/{environment}/__svc_app__/models/users/{uid}";

/// A user of an application.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct User {
    /// The unique ID.
    pub uid: UserUid,
    /// The e-mail address, unique in the environment whatever its case.
    pub email: String,
    /// The team.
    pub group: TeamUid,
    /// Since when (RFC 3339).
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

/// The body that makes a user. Another property than these is an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct NewUser {
    /// The e-mail address, to which the invitation goes.
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

/// The body that changes a user: what is left out keeps its value. Another property than these is an error.
///
/// ```
/// use svc_model::users::UserPatch;
///
/// let mut patch = UserPatch::new();
/// patch.first_name = Some(Some("Ada".into()));
/// patch.last_name = Some(None);
/// let text = serde_json::to_string(&patch)?;
/// assert_eq!(text, r#"{"first_name":"Ada","last_name":null}"#);
/// assert_eq!(serde_json::from_str::<UserPatch>(&text)?, patch);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct UserPatch {
    /// The team.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub group: Option<TeamUid>,
    /// The given name, beyond the specification. Outer: whether it changes. Inner: whether there is one.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub first_name: Option<Option<String>>,
    /// The family name, beyond the specification. Outer: whether it changes. Inner: whether there is one.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub last_name: Option<Option<String>>,
}

impl UserPatch {
    /// A change of nothing yet.
    pub fn new() -> Self {
        Self::default()
    }
}

/// List users: `GET .../__svc_app__/models/users`, 200 with the paginated envelope, or an array with
/// `_no_pagination`.
///
/// A [`User`] is read whole, so that `_fields` would have to name all of its properties.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct List {
    /// The project.
    pub project: ProjectName,
    /// The environment.
    pub environment: EnvironmentName,
    /// Which users.
    pub query: ListQuery,
    /// Whether the client sends `draft=1`.
    pub draft: bool,
}

impl List {
    /// A page of the users of an environment.
    pub fn new(
        project: impl Into<ProjectName>,
        environment: impl Into<EnvironmentName>,
        query: ListQuery,
    ) -> Self {
        Self {
            project: project.into(),
            environment: environment.into(),
            query,
            draft: false,
        }
    }
}

impl Operation for List {
    type Response = Paginated<User>;

    const INFO: OperationInfo = info("users.list", Method::GET, LIST_PATH, true);

    fn path_arguments(&self) -> PathArguments<'_> {
        [self.project.as_str(), self.environment.as_str()].into()
    }

    fn query(&self) -> QueryString {
        with_draft(self.query.to_query_string(), self.draft)
    }

    fn parse_success(response: http::Response<Bytes>) -> Result<Self::Response, ResponseError> {
        decode_json(response)
    }
}

/// Retrieve a user: `GET .../users/{uid}`, 200 with the [`User`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Get {
    /// The project.
    pub project: ProjectName,
    /// The environment.
    pub environment: EnvironmentName,
    /// The user.
    pub uid: UserUid,
    /// Whether the client sends `draft=1`.
    pub draft: bool,
}

impl Get {
    /// One user.
    pub fn new(
        project: impl Into<ProjectName>,
        environment: impl Into<EnvironmentName>,
        uid: impl Into<UserUid>,
    ) -> Self {
        Self {
            project: project.into(),
            environment: environment.into(),
            uid: uid.into(),
            draft: false,
        }
    }
}

impl Operation for Get {
    type Response = User;

    const INFO: OperationInfo = info("users.get", Method::GET, ITEM_PATH, true);

    fn path_arguments(&self) -> PathArguments<'_> {
        [
            self.project.as_str(),
            self.environment.as_str(),
            self.uid.as_str(),
        ]
        .into()
    }

    fn query(&self) -> QueryString {
        with_draft(QueryString::new(), self.draft)
    }

    fn parse_success(response: http::Response<Bytes>) -> Result<Self::Response, ResponseError> {
        decode_json(response)
    }
}

/// Create a user: `POST .../users`, 201 with the [`User`]. An invitation is mailed; the user is there before
/// the person accepts it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Create {
    /// The project.
    pub project: ProjectName,
    /// The environment.
    pub environment: EnvironmentName,
    /// The new user.
    pub user: NewUser,
    /// Whether the client sends `draft=1`.
    pub draft: bool,
}

impl Create {
    /// Makes a user.
    pub fn new(
        project: impl Into<ProjectName>,
        environment: impl Into<EnvironmentName>,
        user: NewUser,
    ) -> Self {
        Self {
            project: project.into(),
            environment: environment.into(),
            user,
            draft: false,
        }
    }
}

impl Operation for Create {
    type Response = User;

    const INFO: OperationInfo = info("users.create", Method::POST, LIST_PATH, false);

    fn path_arguments(&self) -> PathArguments<'_> {
        [self.project.as_str(), self.environment.as_str()].into()
    }

    fn query(&self) -> QueryString {
        with_draft(QueryString::new(), self.draft)
    }

    fn body(&self) -> Result<Option<Bytes>, RequestError> {
        encode(&self.user).map(Some)
    }

    fn parse_success(response: http::Response<Bytes>) -> Result<Self::Response, ResponseError> {
        decode_json(response)
    }
}

/// Update a user: `PATCH .../users/{uid}`, 200 with the [`User`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Update {
    /// The project.
    pub project: ProjectName,
    /// The environment.
    pub environment: EnvironmentName,
    /// The user.
    pub uid: UserUid,
    /// What to change.
    pub patch: UserPatch,
    /// Whether the client sends `draft=1`.
    pub draft: bool,
}

impl Update {
    /// Changes a user.
    pub fn new(
        project: impl Into<ProjectName>,
        environment: impl Into<EnvironmentName>,
        uid: impl Into<UserUid>,
        patch: UserPatch,
    ) -> Self {
        Self {
            project: project.into(),
            environment: environment.into(),
            uid: uid.into(),
            patch,
            draft: false,
        }
    }
}

impl Operation for Update {
    type Response = User;

    // As every PATCH: a second one may undo what somebody else did in between.
    const INFO: OperationInfo = info("users.update", Method::PATCH, ITEM_PATH, false);

    fn path_arguments(&self) -> PathArguments<'_> {
        [
            self.project.as_str(),
            self.environment.as_str(),
            self.uid.as_str(),
        ]
        .into()
    }

    fn query(&self) -> QueryString {
        with_draft(QueryString::new(), self.draft)
    }

    fn body(&self) -> Result<Option<Bytes>, RequestError> {
        encode(&self.patch).map(Some)
    }

    fn parse_success(response: http::Response<Bytes>) -> Result<Self::Response, ResponseError> {
        decode_json(response)
    }
}

/// Delete a user: `DELETE .../users/{uid}`, 204 without a body. The user's sessions end at once.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Delete {
    /// The project.
    pub project: ProjectName,
    /// The environment.
    pub environment: EnvironmentName,
    /// The user.
    pub uid: UserUid,
    /// Whether the client sends `draft=1`.
    pub draft: bool,
}

impl Delete {
    /// Deletes a user.
    pub fn new(
        project: impl Into<ProjectName>,
        environment: impl Into<EnvironmentName>,
        uid: impl Into<UserUid>,
    ) -> Self {
        Self {
            project: project.into(),
            environment: environment.into(),
            uid: uid.into(),
            draft: false,
        }
    }
}

impl Operation for Delete {
    type Response = ();

    const INFO: OperationInfo = info("users.delete", Method::DELETE, ITEM_PATH, true);

    fn path_arguments(&self) -> PathArguments<'_> {
        [
            self.project.as_str(),
            self.environment.as_str(),
            self.uid.as_str(),
        ]
        .into()
    }

    fn query(&self) -> QueryString {
        with_draft(QueryString::new(), self.draft)
    }

    fn parse_success(_: http::Response<Bytes>) -> Result<(), ResponseError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Lookup, ResourceName};

    #[test]
    fn the_paths_name_the_tools_resource_and_the_model() {
        let models = format!("/{}/models/{MODEL}", ResourceName::TOOLS);
        assert!(LIST_PATH.ends_with(&models), "{LIST_PATH}");
        assert_eq!(ITEM_PATH, format!("{LIST_PATH}/{{uid}}"));
    }

    #[test]
    fn a_list_takes_the_query_of_any_list() {
        let query = ListQuery::new()
            .filter("email", Lookup::Iendswith, "@example.com")
            .order_by("-date_add")
            .per_page(2);
        let mut list = List::new("demo", "prod", query);
        list.draft = true;
        let request = list.to_request("https://data.example.com").unwrap();
        assert_eq!(
            request.uri(),
            "https://data.example.com/projects/demo/prod/__svc_app__/models/users\
             ?email__iendswith=%40example.com&_order_by=-date_add&_per_page=2&draft=1",
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
    fn a_new_user_tells_only_what_was_set() {
        let mut user = NewUser::new("ada@example.com", "t1");
        let text = r#"{"email":"ada@example.com","group":"t1"}"#;
        assert_eq!(serde_json::to_string(&user).unwrap(), text);
        assert_eq!(serde_json::from_str::<NewUser>(text).unwrap(), user);
        user.first_name = Some("Ada".to_owned());
        assert!(
            serde_json::to_string(&user)
                .unwrap()
                .ends_with(r#","first_name":"Ada"}"#)
        );
    }

    #[test]
    fn a_patch_tells_an_absent_name_from_a_null() {
        let patch: UserPatch = serde_json::from_str(r#"{"first_name":null}"#).unwrap();
        assert_eq!((patch.first_name, patch.last_name), (Some(None), None));
        assert_eq!(serde_json::to_string(&UserPatch::new()).unwrap(), "{}");
    }

    #[test]
    fn a_property_that_is_not_for_writing_is_refused() {
        for text in [r#"{"uid":"u1"}"#, r#"{"email":"a@b"}"#, r#"{"group":null}"#] {
            assert!(serde_json::from_str::<UserPatch>(text).is_err(), "{text}");
        }
        let text = r#"{"email":"a@b","group":"t1","date_add":"2026-01-02T03:04:05Z"}"#;
        assert!(serde_json::from_str::<NewUser>(text).is_err());
    }
}
