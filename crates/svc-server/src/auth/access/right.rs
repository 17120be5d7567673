//! What a request can be about to do with a resource, each as a type.

use svc_store::Rights;

use crate::auth::limits::Limits;

/// What a request is about to do.
pub(crate) trait Right: Send + Sync + 'static {
    /// Why a caller with limits may not do it, given the caller's rights on the model that the path names.
    fn refusal(limits: Limits<'_>, on_model: impl FnOnce() -> Rights) -> Option<&'static str>;

    /// Why an account that does not administer the project may not do it with users and teams.
    fn refusal_of_tools() -> Option<&'static str> {
        Some("this requires an administrator of the project")
    }
}

/// Read records of a model.
#[derive(Debug)]
pub(crate) struct Read;

impl Right for Read {
    fn refusal(limits: Limits<'_>, on_model: impl FnOnce() -> Rights) -> Option<&'static str> {
        let said = limits.say(
            "the user's team may not read these records",
            "the static token may not read these records",
        );
        (!on_model().read).then_some(said)
    }

    fn refusal_of_tools() -> Option<&'static str> {
        None
    }
}

/// Create or change records of a model.
#[derive(Debug)]
pub(crate) struct Write;

impl Right for Write {
    fn refusal(limits: Limits<'_>, on_model: impl FnOnce() -> Rights) -> Option<&'static str> {
        let said = limits.say(
            "the user's team may not write these records",
            "the static token may not write these records",
        );
        (!on_model().write).then_some(said)
    }
}

/// Delete records of a model.
#[derive(Debug)]
pub(crate) struct Delete;

impl Right for Delete {
    fn refusal(limits: Limits<'_>, on_model: impl FnOnce() -> Rights) -> Option<&'static str> {
        let said = limits.say(
            "the user's team may not delete these records",
            "the static token may not delete these records",
        );
        (!on_model().delete).then_some(said)
    }
}

/// Learn which models there are, among those that may be read.
#[derive(Debug)]
pub(crate) struct Describe;

impl Right for Describe {
    fn refusal(_: Limits<'_>, _: impl FnOnce() -> Rights) -> Option<&'static str> {
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
    fn refusal(limits: Limits<'_>, _: impl FnOnce() -> Rights) -> Option<&'static str> {
        let said = limits.say(
            "this requires an administrator, or the resource's static token",
            "this requires an administrator, or a static token of the resource that has no limits",
        );
        (!limits.is_administrator()).then_some(said)
    }
}
