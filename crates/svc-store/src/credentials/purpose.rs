//! What codes that are mailed are for.

use jiff::SignedDuration;

/// What a code is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    Invitation,
    ResetPassword,
    /// The account gets this address; or, when it has it already, is known to own it.
    ChangeEmail,
    /// A session begins, without a password.
    SignIn,
}

impl Purpose {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Invitation => "invitation",
            Self::ResetPassword => "reset_password",
            Self::ChangeEmail => "change_email",
            Self::SignIn => "sign_in",
        }
    }

    /// How long such a code is good.
    pub(crate) fn lifetime(self) -> SignedDuration {
        match self {
            Self::Invitation => SignedDuration::from_hours(7 * 24),
            Self::ResetPassword => SignedDuration::from_hours(1),
            Self::ChangeEmail | Self::SignIn => SignedDuration::from_hours(24),
        }
    }

    /// The account call that the code is sent to.
    pub(crate) fn call(self) -> &'static str {
        match self {
            Self::Invitation => "accept_invitation",
            Self::ResetPassword => "reset_password_complete",
            Self::ChangeEmail => "change_email_complete",
            // It is sent to the console.
            Self::SignIn => "login",
        }
    }
}
