//! Accounts of an application's users: paths, and what is answered without a token (specification,
//! section 5; wire contract, section 9).
//!
//! The operations themselves speak of tokens and passwords, so that they are in `svc-auth`.

use serde::{Deserialize, Serialize};

use crate::{EnvironmentName, ProjectName, query::QueryString, wire::PathArguments};

/// The path of signing in.
pub const LOGIN_PATH: &str = "/projects/{project}/{environment}/auth/login";
/// The path of buying the next pair of tokens.
pub const REFRESH_PATH: &str = "/projects/{project}/{environment}/auth/refresh";
/// The path of the user who is signed in.
pub const USER_PATH: &str = "/projects/{project}/{environment}/auth/user";
/// The path of signing up.
pub const REGISTER_PATH: &str = "/projects/{project}/{environment}/auth/register";
/// The path of changing the password.
pub const CHANGE_PASSWORD_PATH: &str = "/projects/{project}/{environment}/auth/change_password";
/// The path of asking for a code that sets a forgotten password anew.
pub const RESET_PASSWORD_PATH: &str = "/projects/{project}/{environment}/auth/reset_password";
/// The path of setting a forgotten password with that code.
pub const RESET_PASSWORD_COMPLETE_PATH: &str =
    "/projects/{project}/{environment}/auth/reset_password_complete";
/// The path of asking for another e-mail address.
pub const CHANGE_EMAIL_PATH: &str = "/projects/{project}/{environment}/auth/change_email";
/// The path of confirming another e-mail address.
pub const CHANGE_EMAIL_COMPLETE_PATH: &str =
    "/projects/{project}/{environment}/auth/change_email_complete";
/// The path of accepting an invitation.
pub const ACCEPT_INVITATION_PATH: &str = "/projects/{project}/{environment}/auth/accept_invitation";
/// The path of ending the session on the server.
pub const LOGOUT_PATH: &str = "/projects/{project}/{environment}/auth/logout";

/// The users that an account call is about: those of one environment of a project.
///
/// ```
/// use svc_model::account::AccountScope;
///
/// let scope = AccountScope::new("demo", "prod");
/// assert_eq!(scope.query().as_str(), "");
/// assert_eq!(scope.draft(true).query().as_str(), "draft=1");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AccountScope {
    /// The project.
    pub project: ProjectName,
    /// The environment.
    pub environment: EnvironmentName,
    /// Whether the calls carry `draft=1`, as all calls of a client do that is made so.
    pub draft: bool,
}

impl AccountScope {
    /// The users of an environment.
    pub fn new(project: impl Into<ProjectName>, environment: impl Into<EnvironmentName>) -> Self {
        Self {
            project: project.into(),
            environment: environment.into(),
            draft: false,
        }
    }

    /// Sets whether the calls carry `draft=1`.
    #[must_use]
    pub fn draft(mut self, draft: bool) -> Self {
        self.draft = draft;
        self
    }

    /// The values of the names of the paths above.
    pub fn path_arguments(&self) -> PathArguments<'_> {
        [self.project.as_str(), self.environment.as_str()].into()
    }

    /// The query string of the calls.
    pub fn query(&self) -> QueryString {
        let mut query = QueryString::new();
        if self.draft {
            query.push("draft", "1");
        }
        query
    }
}

/// A user of an application, as the user sees it (specification, section 5, `UserInfo`).
///
/// ```
/// use svc_model::account::UserInfo;
///
/// let user: UserInfo = serde_json::from_str(r#"{"uid":"7f","has_password":true,"email":null}"#)?;
/// assert_eq!(user.uid, "7f");
/// assert_eq!(user.email, None);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UserInfo {
    /// The unique ID.
    pub uid: String,
    /// The name that the user signs in with, where there is one.
    #[serde(default)]
    pub username: Option<String>,
    /// Whether there is a password; users who sign in in another way have none.
    #[serde(default)]
    pub has_password: bool,
    /// The e-mail address.
    #[serde(default)]
    pub email: Option<String>,
    /// The first name.
    #[serde(default)]
    pub first_name: Option<String>,
    /// The last name.
    #[serde(default)]
    pub last_name: Option<String>,
    /// The language, such as `en`.
    #[serde(default)]
    pub language: Option<String>,
    /// The IANA time zone, such as `Europe/Berlin`.
    #[serde(default)]
    pub timezone: Option<String>,
}

/// The answer to signing up, which signs nobody in: `{"result": true, "user": {...}}` or
/// `{"result": false}`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Registered {
    /// Whether the account was made.
    pub result: bool,
    /// The new user, when there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<UserInfo>,
}

/// The answer to a call that asks for a code: `{"result": true}`, whether or not there is such an
/// account.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PasswordResetRequested {
    /// Whether the request was taken.
    pub result: bool,
}

/// The answer to asking for another e-mail address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EmailChangeRequested {
    /// Whether the request was taken.
    pub result: bool,
    /// Where the code of confirmation was sent to.
    #[serde(default)]
    pub sent_confirmation_to: Option<String>,
}

/// The answer to confirming another e-mail address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EmailChanged {
    /// Whether the address was changed.
    pub result: bool,
    /// The address until now.
    #[serde(default)]
    pub old_email: Option<String>,
    /// The address from now on.
    #[serde(default)]
    pub new_email: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_is_written_with_every_field_and_read_with_the_id_alone() {
        let user = UserInfo {
            uid: "7f".into(),
            email: Some("ann@example.com".into()),
            ..UserInfo::default()
        };
        let text = serde_json::to_string(&user).unwrap();
        assert_eq!(
            text,
            r#"{"uid":"7f","username":null,"has_password":false,"email":"ann@example.com","first_name":null,"last_name":null,"language":null,"timezone":null}"#
        );
        assert_eq!(serde_json::from_str::<UserInfo>(&text).unwrap(), user);
        let user: UserInfo = serde_json::from_str(r#"{"uid":"7f","later":1}"#).unwrap();
        assert_eq!(user.username, None);
        assert!(serde_json::from_str::<UserInfo>("{}").is_err());
    }
}
