//! What API keys, static tokens and service tokens have in common.

use clap::Args;
use jiff::Timestamp;

use super::moment::expiry;

/// What can be said of any credential that is made.
#[derive(Args)]
pub(crate) struct NewCredential {
    /// When it ends: 90d, 12h, 1y from now, or a date such as 2027-01-31; never when not given
    #[arg(long, value_name = "D", allow_hyphen_values = true, value_parser = expiry)]
    pub(super) expires: Option<Timestamp>,
    /// A name to know it by
    #[arg(long, value_name = "TEXT")]
    pub(super) name: Option<String>,
}

/// A credential as lists show it; the column behind the prefix says of what it is.
macro_rules! listed {
    ($credential:ident, $column:ident: $of:expr) => {
        $crate::output::row! {
            prefix: &$credential.prefix,
            $column: $of,
            name: &$credential.name,
            date_add: $crate::output::time($credential.date_add),
            last_use: $credential.last_use.map($crate::output::time),
            expires: $credential.expires.map($crate::output::time),
            revoked: $credential.revoked.map($crate::output::time),
            uid: $credential.uid.to_string(),
        }
    };
}
pub(super) use listed;

/// Whether one of these credentials is meant: by its uid, or by itself or its prefix.
macro_rules! is_among {
    ($meant:expr, $credentials:expr) => {
        $credentials
            .iter()
            .any(|one| *$meant == one.uid.to_string() || $meant.starts_with(&one.prefix))
    };
}
pub(super) use is_among;
