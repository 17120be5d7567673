//! What somebody may do, as far as the console has to know it to offer it. The service decides.

use svc_model::{administration::account::Account, projects::Project};

/// Whether an account may administer a project.
pub(crate) fn may_administer(account: &Account, project: &Project) -> bool {
    let group = project.group.as_ref();
    let group = group.and_then(|team| team.permissions_group.as_deref());
    account.is_operator || group == Some("administrator")
}

/// Whether an account may change the pages of a project.
pub(crate) fn may_edit(account: &Account, project: &Project) -> bool {
    let group = project.group.as_ref();
    let group = group.and_then(|team| team.permissions_group.as_deref());
    may_administer(account, project) || group == Some("editor")
}
