//! Accounts of an application's users: what is answered without a token (specification,
//! section 5; wire contract, section 9).
//!
//! The operations themselves speak of tokens and passwords, so that they are in `svc-auth`.

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

impl Registered {
    /// This user signed up.
    pub fn new(user: UserInfo) -> Self {
        Self {
            result: true,
            user: Some(user),
        }
    }
}

/// The answer to a call that asks for a code: `{"result": true}`, whether or not there is such an
/// account.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PasswordResetRequested {
    /// Whether the request was taken.
    pub result: bool,
}

impl PasswordResetRequested {
    /// The request was taken.
    pub fn new() -> Self {
        Self { result: true }
    }
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

impl EmailChangeRequested {
    /// A code was sent to this address.
    pub fn new(sent_confirmation_to: impl Into<String>) -> Self {
        Self {
            result: true,
            sent_confirmation_to: Some(sent_confirmation_to.into()),
        }
    }
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

impl EmailChanged {
    /// The address was changed.
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
