//! The claim of this process on an import: nobody else works on it meanwhile.

use std::sync::Arc;

use jiff::SignedDuration;
use svc_data::{BeforeCommit, ErrorKind, Prepared};
use svc_store::{Error, Store};
use uuid::Uuid;

/// How long nobody else goes on with an import after this process was heard of last.
pub(super) const CLAIMED_FOR: SignedDuration = SignedDuration::from_secs(6);

/// An import that this process has claimed.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    pub(super) store: Store,
    pub(super) import: Uuid,
    pub(super) runner: Uuid,
}

impl Claim {
    /// Keeps the claim. `false` where another process has it, or the import does not run any more.
    pub(super) async fn keep(&self) -> Result<bool, Error> {
        let imports = self.store.imports();
        imports.keep(self.import, self.runner, CLAIMED_FOR).await
    }

    /// Refuses to commit records of an import that was ended meanwhile, or that another process goes on with.
    pub(super) fn before_commit(&self) -> BeforeCommit {
        let claim = self.clone();
        Arc::new(move |_: &Prepared<'_>| {
            let claim = claim.clone();
            Box::pin(async move {
                let why = match claim.keep().await {
                    Ok(true) => return Ok(()),
                    Ok(false) => "the import was ended meanwhile".to_owned(),
                    Err(error) => format!("it is not known whether the import goes on: {error}"),
                };
                Err(svc_data::Error::new(ErrorKind::Unavailable, why))
            })
        })
    }
}
