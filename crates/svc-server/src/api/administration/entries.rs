//! Lists and single entries of the administration.

use std::{borrow::Cow, marker::PhantomData, net::IpAddr, ops::Deref};

use axum::extract::{ConnectInfo, FromRequest, FromRequestParts as _, Request};
use bytes::Bytes;
use http::{StatusCode, request::Parts};
use svc_data::{IfMatch, RecordJson, Resource};
use svc_model::{
    Invalid, JsonObject, ListQuery, Lookup, ProjectName, RecordView, Scope,
    query::parse_pairs,
    wire::{Operation, OperationInfo},
};
use svc_store::{Actor, Administered, ListedOf, Store};
use uuid::Uuid;

use crate::{
    api::{
        call::Call,
        records::list::{self, Completion},
    },
    auth::account::{Account, account},
    http::{
        ApiError, ApiResult,
        error::suggestion,
        request::{Peer, path_values},
        response::{rows::Format, tagged_response},
    },
    state::{Shared, statements::Query},
};

/// A [call for a list](EntriesCall), by an account that has the level of the operation.
pub(super) struct ListCall<O> {
    call: EntriesCall,
    operation: PhantomData<O>,
}

impl<O: Operation + 'static> FromRequest<Shared> for ListCall<O> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &Shared) -> ApiResult<Self> {
        Ok(Self {
            call: EntriesCall::new(request, state, &O::INFO).await?,
            operation: PhantomData,
        })
    }
}

impl<O> Deref for ListCall<O> {
    type Target = EntriesCall;

    fn deref(&self) -> &EntriesCall {
        &self.call
    }
}

/// A call for a list, by an account.
pub(super) struct EntriesCall {
    request: EntriesRequest,
    account: Account,
    path: Vec<String>,
}

impl Deref for EntriesCall {
    type Target = EntriesRequest;

    fn deref(&self) -> &EntriesRequest {
        &self.request
    }
}

/// A request for a list, whose caller may see what is listed. Its query is read against the fields of that.
pub(in crate::api) struct EntriesRequest {
    state: Shared,
    parts: Parts,
    peer: IpAddr,
    actor: Actor,
}

/// A query as it is asked, and what is added to the rows that it finds.
pub(super) struct Refined {
    pub(super) query: ListQuery,
    pub(super) completion: Option<Completion>,
}

impl From<ListQuery> for Refined {
    fn from(query: ListQuery) -> Self {
        Self {
            query,
            completion: None,
        }
    }
}

/// Changes what is asked by the values of parameters.
type Refine<'r> = Box<dyn FnOnce(ListQuery, &[Option<String>]) -> ApiResult<Refined> + Send + 'r>;

impl EntriesCall {
    async fn new(request: Request, state: &Shared, operation: &OperationInfo) -> ApiResult<Self> {
        let (mut parts, _) = request.into_parts();
        let path = path_values(&mut parts).await?;
        let account = account(state, &parts.headers).await?;
        account.check_operation(operation, &path)?;
        Ok(Self {
            request: EntriesRequest::new(parts, state, account.actor()).await?,
            account,
            path,
        })
    }

    pub(super) fn account(&self) -> &Account {
        &self.account
    }

    /// The entries of the project that the path names.
    pub(super) fn of_project(&self) -> ListedOf {
        ListedOf::Project(ProjectName::from(self.path_value(0)))
    }

    /// The environment that the path names.
    pub(super) fn scope(&self) -> Scope {
        Scope::new(self.path_value(0), self.path_value(1))
    }

    /// The entries of the environment that the path names.
    pub(super) fn of_environment(&self) -> ListedOf {
        ListedOf::Environment(self.scope())
    }

    /// The value of a name in the path.
    pub(super) fn path_value(&self, index: usize) -> &str {
        self.path.get(index).map_or("", String::as_str)
    }
}

impl EntriesRequest {
    pub(in crate::api) async fn new(
        mut parts: Parts,
        state: &Shared,
        actor: Actor,
    ) -> ApiResult<Self> {
        let peer = ConnectInfo::<Peer>::from_request_parts(&mut parts, state).await;
        let ConnectInfo(Peer(peer)) =
            peer.map_err(|_| ApiError::Internal("a connection has no address".to_owned()))?;
        Ok(Self {
            state: Shared::clone(state),
            parts,
            peer,
            actor,
        })
    }

    pub(super) fn state(&self) -> &Shared {
        &self.state
    }

    /// Whether the answer is CSV.
    pub(super) fn is_csv(&self) -> bool {
        matches!(Format::accepted(&self.parts.headers), Some(Format::Csv(_)))
    }

    /// Answers with a page of entries.
    pub(super) async fn list(&self, what: Administered, of: ListedOf) -> ApiResult {
        self.list_with(what, of, &[], |query, _| Ok(query)).await
    }

    /// The same without what was revoked, unless that is asked for.
    pub(super) async fn list_valid(&self, what: Administered, of: ListedOf) -> ApiResult {
        self.list_with(what, of, &["revoked"], |query, values| {
            let all = values.first().and_then(Option::as_deref);
            Ok(match all.map(svc_model::parse_bool) {
                None => query.filter("revoked", Lookup::Isnull, "true"),
                Some(Some(true)) => query,
                Some(Some(false)) => query.filter("revoked", Lookup::Isnull, "true"),
                Some(None) => {
                    return Err(Invalid::field("revoked", "must be 1 or 0").into());
                }
            })
        })
        .await
    }

    /// Answers with a page of entries. `parameters` of the query are no fields: `refine` gets their values.
    pub(super) async fn list_with<R: Into<Refined>>(
        &self,
        what: Administered,
        of: ListedOf,
        parameters: &[&str],
        refine: impl FnOnce(ListQuery, &[Option<String>]) -> ApiResult<R> + Send,
    ) -> ApiResult {
        let refine: Refine<'_> = Box::new(|query, values| Ok(refine(query, values)?.into()));
        self.list_refined(what, of, parameters, refine).await
    }

    /// Compiled once, for all lists.
    async fn list_refined(
        &self,
        what: Administered,
        of: ListedOf,
        parameters: &[&str],
        refine: Refine<'_>,
    ) -> ApiResult {
        let (text, values) = self.split_query(parameters)?;
        let resource = entries(&self.state, what, of).await?;
        let read = resource.read_against(what.model(), |model| {
            ListQuery::parse(&text, &|name| model.has_field(name))
                .map_err(|invalid| suggestion::in_list(&invalid, model))
        });
        let (model, mut query) = read.await?;
        if let Some(field) = what.newest_first()
            && query.order_by.is_empty()
        {
            query = query.order_by(format!("-{field}").as_str());
        }
        if query.relation.is_some() {
            // It would lead to entries that are not the caller's to see.
            let message = "entries of the administration have no relations";
            return Err(Invalid::field("_relation", message).into());
        }
        let Refined { query, completion } = refine(query, &values)?;
        let asked = list::ListRequest {
            parts: &self.parts,
            config: &self.state.config,
            peer: self.peer,
            completion,
        };
        let begin = || {
            let Parts { method, uri, .. } = &self.parts;
            let query = Query::Request(method.clone(), uri.clone());
            let statements = &self.state.statements;
            Ok(statements.begin_unlisted(self.actor.clone(), query))
        };
        let read = Box::pin(resource.list(&model, &query));
        list::answer(asked, &model, &query, &begin, read).await
    }

    /// The query string without these parameters and `draft`, and their values.
    fn split_query(&self, parameters: &[&str]) -> ApiResult<(String, Vec<Option<String>>)> {
        let text = self.parts.uri.query().unwrap_or_default();
        let pairs = parse_pairs(text);
        let pairs = pairs.map_err(|error| Invalid::general(error.to_string()))?;
        let value_of = |name: &&str| {
            let mut found = pairs.iter().rev().filter(|(key, _)| key == name);
            found.next().map(|(_, value)| value.clone().into_owned())
        };
        let values = parameters.iter().map(value_of).collect();
        let is_field = |pair: &&str| {
            let key = pair.split('=').next().unwrap_or_default();
            !parameters.contains(&key)
        };
        let rest: Vec<&str> = text.split('&').filter(is_field).collect();
        Ok((rest.join("&"), values))
    }
}

/// The entries of the administration, from the store or from what is known of it.
pub(super) async fn entries(
    state: &Shared,
    what: Administered,
    of: ListedOf,
) -> ApiResult<Resource> {
    let read = state.store.administered(what, &of);
    let key = (what, of.clone());
    Ok(state.administered.get_or_read(key, read).await?)
}

/// One entry by its key.
pub(super) async fn entry(
    state: &Shared,
    what: Administered,
    of: ListedOf,
    key: &str,
) -> ApiResult<RecordJson> {
    let resource = entries(state, what, of).await?;
    let model = resource.find_model(what.model()).await?;
    let view = RecordView::default();
    let found = resource.retrieve(&model, &escaped(key), &view).await;
    found.map_err(|error| match error.kind() {
        // A text that cannot be a key is the key of nothing.
        svc_data::ErrorKind::NotFound | svc_data::ErrorKind::Invalid => {
            ApiError::NotFound("there is no such entry".to_owned())
        }
        _ => error.into(),
    })
}

/// The rows of a JSON array.
pub(super) fn read_rows(rows: &Bytes) -> ApiResult<Vec<JsonObject>> {
    serde_json::from_slice(rows).map_err(|error| ApiError::Internal(error.to_string()))
}

/// A JSON array of rows, once each was completed.
pub(super) fn write_rows(
    rows: &mut [JsonObject],
    complete: impl FnMut(&mut JsonObject) -> serde_json::Result<()>,
) -> ApiResult<Bytes> {
    let completed = rows.iter_mut().try_for_each(complete);
    let written = completed.and_then(|()| serde_json::to_vec(rows));
    let written = written.map_err(|error| ApiError::Internal(error.to_string()))?;
    Ok(written.into())
}

/// A failure of the store, with the name that a field has on the wire in place of the store's.
pub(super) fn named_field(error: svc_store::Error, stored: &str, wire: &str) -> ApiError {
    let Some(invalid) = error.invalid() else {
        return error.into();
    };
    let mut renamed = Invalid::new();
    for message in invalid.general_errors() {
        renamed.push_general(message);
    }
    for (field, messages) in invalid.field_errors() {
        let field = if field == stored { wire } else { field };
        for message in messages {
            renamed.push_field(field, message);
        }
    }
    renamed.into()
}

/// A key of one part as records write it.
fn escaped(key: &str) -> Cow<'_, str> {
    match key.contains([',', '%']) {
        true => svc_model::RecordId::composite([key])
            .as_str()
            .to_owned()
            .into(),
        false => key.into(),
    }
}

impl<O: Operation> Call<O> {
    /// Answers with an entry as it is now. To a read, 304 where the caller has it.
    pub(super) async fn answer_entry(
        &self,
        status: StatusCode,
        what: Administered,
        of: ListedOf,
        key: &str,
    ) -> ApiResult {
        let RecordJson { body, etag, .. } = entry(&self.state, what, of, key).await?;
        let headers = self.parts.method.is_safe().then_some(&self.parts.headers);
        Ok(tagged_response(status, [body], &etag, headers))
    }

    /// Answers to a write with the entry as it is now. The write takes effect for everybody from now on.
    pub(super) async fn written(
        &self,
        status: StatusCode,
        what: Administered,
        of: ListedOf,
        key: &str,
    ) -> ApiResult {
        self.state.sync_with_store().await?;
        self.answer_entry(status, what, of, key).await
    }

    /// Answers to a write that leaves nothing to show. It takes effect for everybody from now on.
    pub(super) async fn done(&self) -> ApiResult {
        self.state.sync_with_store().await?;
        Ok(crate::http::response::empty_response(
            StatusCode::NO_CONTENT,
        ))
    }

    /// The store for a write of an entry, which is held to the entity tags that it is for, where it names some.
    pub(super) async fn store_if_match(
        &self,
        tags: Option<&str>,
        what: Administered,
        of: &ListedOf,
        key: &str,
    ) -> ApiResult<Store> {
        let store = self.store.while_unchanged(what, of, key);
        let etag = async || Ok(entry(&self.state, what, of.clone(), key).await?.etag);
        self.store_if_tagged(tags, store, etag).await
    }

    /// The same for an entry that is replaced, which `find` finds. Where there is none yet, no entity tag is that of it.
    pub(super) async fn store_if_replaced(
        &self,
        tags: Option<&str>,
        what: Administered,
        of: &ListedOf,
        find: impl Future<Output = Result<Option<Uuid>, svc_store::Error>>,
    ) -> ApiResult<Store> {
        if tags.is_none() {
            return Ok(self.store.clone());
        }
        let Some(uid) = find.await? else {
            return Err(ApiError::changed());
        };
        match self.store_if_match(tags, what, of, &uid.to_string()).await {
            Err(ApiError::NotFound(_)) => Err(ApiError::changed()),
            store => store,
        }
    }

    /// The store for a write of what has this entity tag now. `store` refuses a write once that is another one.
    pub(super) async fn store_if_tagged(
        &self,
        tags: Option<&str>,
        store: impl Future<Output = Result<Store, svc_store::Error>>,
        etag: impl AsyncFnOnce() -> ApiResult<String>,
    ) -> ApiResult<Store> {
        let Some(tags) = tags else {
            return Ok(self.store.clone());
        };
        let tags = IfMatch::parse(tags)?;
        // Before it is read: another process may change it until it is written.
        let store = store.await?;
        match tags.holds(&etag().await?) {
            true => Ok(store),
            false => Err(ApiError::changed()),
        }
    }
}
