//! How a service starts, be it that of `svc serve` or that of `svc demo`.

use svc_server::Server;
use svc_store::{ErrorKind, NewProject, Store};

use super::{
    logging, open_files,
    options::{ServerOptions, Sources},
};
use crate::error::Error;

/// Starts logging, with this filter when none is set, and raises the limit of open files.
pub(crate) fn prepare_process(
    options: &ServerOptions,
    given: &Sources,
    log: &str,
) -> Result<(), Error> {
    logging::start(options, given, log)?;
    open_files::raise_limit();
    Ok(())
}

/// Makes a project. That another process made it in the meantime is as good.
pub(crate) async fn create_project(store: &Store, new: NewProject) -> Result<(), Error> {
    let name = new.unique_name.clone();
    match store.projects().create(new).await {
        Err(error)
            if error.kind() == ErrorKind::Invalid && store.projects().get(&name).await.is_ok() =>
        {
            Ok(())
        }
        other => Ok(other.map(drop)?),
    }
}

/// Keeps where the service can be reached, for the links that commands beside it make.
pub(crate) async fn announce(store: &Store, server: &Server) {
    let kept = store.set_service_address(server.base_url(), server.app_base_url());
    if let Err(error) = kept.await {
        tracing::warn!(%error, "the address of the service could not be written into the store");
    }
}
