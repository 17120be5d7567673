//! What a request can be about to do with a resource, each as a type.

use svc_store::{Rights, Team};

/// What a request is about to do.
pub(crate) trait Right: Send + Sync + 'static {
    /// Why a team may not do it, given the team's rights on the model that the path names.
    fn refusal(team: &Team, on_model: impl FnOnce() -> Rights) -> Option<&'static str>;

    /// Why an account that does not administer the project may not do it with users and teams.
    fn refusal_of_tools() -> Option<&'static str> {
        Some("this requires an administrator of the project")
    }
}

/// Read records of a model.
#[derive(Debug)]
pub(crate) struct Read;

impl Right for Read {
    fn refusal(_: &Team, on_model: impl FnOnce() -> Rights) -> Option<&'static str> {
        (!on_model().read).then_some("the user's team may not read these records")
    }

    fn refusal_of_tools() -> Option<&'static str> {
        None
    }
}

/// Create or change records of a model.
#[derive(Debug)]
pub(crate) struct Write;

impl Right for Write {
    fn refusal(_: &Team, on_model: impl FnOnce() -> Rights) -> Option<&'static str> {
        (!on_model().write).then_some("the user's team may not write these records")
    }
}

/// Delete records of a model.
#[derive(Debug)]
pub(crate) struct Delete;

impl Right for Delete {
    fn refusal(_: &Team, on_model: impl FnOnce() -> Rights) -> Option<&'static str> {
        (!on_model().delete).then_some("the user's team may not delete these records")
    }
}

/// Learn which models there are, among those that may be read.
#[derive(Debug)]
pub(crate) struct Describe;

impl Right for Describe {
    fn refusal(_: &Team, _: impl FnOnce() -> Rights) -> Option<&'static str> {
        None
    }

    fn refusal_of_tools() -> Option<&'static str> {
        None
    }
}

/// Something about the resource as a whole: SQL, which sees everything, and a reload, which concerns everybody.
#[derive(Debug)]
pub(crate) struct Administer;

impl Right for Administer {
    fn refusal(team: &Team, _: impl FnOnce() -> Rights) -> Option<&'static str> {
        (!team.super_group)
            .then_some("this requires an administrator, or the resource's static token")
    }
}
