//! The operations that JavaScript can call, by the names that they have in `svc-model` and `svc-auth`.

use svc_auth::account;
use svc_model::{
    pages, proxy, records, resources, sql, teams, users,
    wire::{Operation, OperationInfo},
};

/// The descriptions of the operations; their arguments come from JavaScript.
const OPERATIONS: &[&OperationInfo] = &[
    &<records::List>::INFO,
    &<records::Get>::INFO,
    &<records::Create>::INFO,
    &<records::Update>::INFO,
    &records::Delete::INFO,
    &records::Aggregate::INFO,
    &records::Group::INFO,
    &sql::Query::INFO,
    &users::List::INFO,
    &users::Get::INFO,
    &users::Create::INFO,
    &users::Update::INFO,
    &users::Delete::INFO,
    &teams::List::INFO,
    &teams::Get::INFO,
    &teams::Update::INFO,
    &resources::Reload::INFO,
    &resources::ModelDescriptions::INFO,
    &pages::List::INFO,
    &pages::Get::INFO,
    &pages::Create::INFO,
    &pages::Update::INFO,
    &pages::Delete::INFO,
    &pages::Publish::INFO,
    &pages::Discard::INFO,
    &pages::Revisions::INFO,
    &pages::Restore::INFO,
    &proxy::Send::INFO,
    &account::Login::INFO,
    &account::GetUser::INFO,
    &account::Register::INFO,
    &account::ChangePassword::INFO,
    &account::ResetPassword::INFO,
    &account::ResetPasswordComplete::INFO,
    &account::ChangeEmail::INFO,
    &account::ChangeEmailComplete::INFO,
    &account::AcceptInvitation::INFO,
];

/// The operation with this name.
pub(crate) fn named(name: &str) -> Option<&'static OperationInfo> {
    OPERATIONS.iter().copied().find(|info| info.name == name)
}

/// How the client's draft switch is sent with an operation.
pub(crate) enum Draft {
    /// As a parameter that is always sent, `0` or `1`.
    Always,
    /// As a parameter that is sent as `1` when the switch is on.
    WhenOn,
    Never,
}

/// The draft switch of an operation.
pub(crate) fn draft(info: &OperationInfo) -> Draft {
    match info.name.split('.').next() {
        Some("pages") => Draft::Always,
        // In its body.
        Some("proxy") => Draft::Never,
        _ => Draft::WhenOn,
    }
}
