//! The lists of the administration, kept until the store changes.

use svc_data::Resource;
use svc_store::{Administered, ListedOf};

use super::cache::StoreCache;

/// How many lists are kept at most.
pub(super) const MOST_ADMINISTERED: usize = 10_000;

/// What is listed, of whom, until the store changes.
pub(crate) type AdministeredLists = StoreCache<(Administered, ListedOf), Resource>;
