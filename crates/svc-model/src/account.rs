//! Accounts of an application's users: the responses that contain no token (specification,
//! section 5; wire contract, section 9).
//!
//! The operations themselves handle tokens and passwords and are therefore in `svc-auth`.

use serde::{Deserialize, Serialize};

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
    /// The name that the user signs in with, if there is one.
    #[serde(default)]
    pub username: Option<String>,
    /// Whether the user has a password; users who sign in by other means have none.
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

/// The response to signing up, which does not sign the user in: `{"result": true, "user": {...}}`
/// or `{"result": false}`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Registered {
    /// Whether the account was created.
    pub result: bool,
    /// The new user, if the account was created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<UserInfo>,
}

impl Registered {
    /// The response when this user has signed up.
    pub fn new(user: UserInfo) -> Self {
        Self {
            result: true,
            user: Some(user),
        }
    }
}

/// The response to a request for a code: `{"result": true}`, whether or not the account exists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PasswordResetRequested {
    /// Whether the request was accepted.
    pub result: bool,
}

impl PasswordResetRequested {
    /// The response when the request was accepted.
    pub fn new() -> Self {
        Self { result: true }
    }
}

/// The response to a request to change the e-mail address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EmailChangeRequested {
    /// Whether the request was accepted.
    pub result: bool,
    /// The address that the confirmation code was sent to.
    #[serde(default)]
    pub sent_confirmation_to: Option<String>,
}

impl EmailChangeRequested {
    /// The response when a code was sent to this address.
    pub fn new(sent_confirmation_to: impl Into<String>) -> Self {
        Self {
            result: true,
            sent_confirmation_to: Some(sent_confirmation_to.into()),
        }
    }
}

/// The response to the confirmation of a new e-mail address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EmailChanged {
    /// Whether the address was changed.
    pub result: bool,
    /// The old address.
    #[serde(default)]
    pub old_email: Option<String>,
    /// The new address.
    #[serde(default)]
    pub new_email: Option<String>,
}

impl EmailChanged {
    /// The response when the address was changed.
    pub fn new(old_email: impl Into<String>, new_email: impl Into<String>) -> Self {
        Self {
            result: true,
            old_email: Some(old_email.into()),
            new_email: Some(new_email.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_is_written_with_every_field_and_can_be_read_from_the_id_alone() {
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
