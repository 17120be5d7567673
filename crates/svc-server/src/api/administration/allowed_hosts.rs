//! The hosts that the HTTP proxy of a project may reach although they are not public.

use svc_model::administration::allowed_hosts::{Create, Delete, List};
use svc_store::{Administered, HostPort, ListedOf};

use super::{
    answered::Made,
    entries::{ListCall, entry},
};
use crate::{
    api::{call::Call, routes::Routes},
    http::{ApiError, ApiResult},
};

const WHAT: Administered = Administered::AllowedHosts;

pub(super) fn routes() -> Routes {
    Routes::new()
        .on::<List, _>(list)
        .on::<Create, _>(create)
        .on::<Delete, _>(delete)
}

async fn list(call: ListCall<List>) -> ApiResult {
    call.list(WHAT, call.of_project()).await
}

async fn create(call: Call<Create>) -> ApiResult {
    let Create {
        project,
        host,
        idempotency_key,
        ..
    } = &call.operation;
    let create = async || {
        let host = HostPort::parse(host)?;
        call.store.allow_hosts().add(project, &host).await?;
        call.state.sync_with_store().await?;
        let of = ListedOf::Project(project.clone());
        Made::entry(&entry(&call.state, WHAT, of, &host.to_string()).await?.body)
    };
    call.answer_once(idempotency_key.as_deref(), create).await
}

async fn delete(call: Call<Delete>) -> ApiResult {
    let Delete { project, host, .. } = &call.operation;
    // A text that is no host is on no list.
    let host = HostPort::parse(host)
        .map_err(|_| ApiError::NotFound("this host is not on the list".to_owned()))?;
    call.store.allow_hosts().remove(project, &host).await?;
    call.done().await
}
