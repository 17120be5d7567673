//! What the proxy may do where: read from the store once, and again when the store changed.

use std::sync::Arc;

use svc_model::{ResourceName, Scope};
use svc_store::{ProxyRules, Store};

use crate::{http::ApiResult, state::cache::StoreCache};

/// How many rules are remembered at most.
pub(super) const MOST_KNOWN: usize = 10_000;

/// An environment, and perhaps one of its resources.
type RulesKey = (Scope, Option<ResourceName>);

/// The rules that were asked for, until the store changes.
pub(super) type Rules = StoreCache<RulesKey, Arc<ProxyRules>>;

/// What may be done in an environment for a resource.
pub(super) async fn get(rules: &Rules, store: &Store, key: RulesKey) -> ApiResult<Arc<ProxyRules>> {
    let (scope, resource) = key.clone();
    let read = async {
        let secrets = store.secret_tokens();
        let rules = secrets.proxy_rules(&scope, resource.as_ref());
        rules.await.map(Arc::new)
    };
    Ok(rules.get_or_read(key, read).await?)
}

#[cfg(test)]
mod tests {
    use svc_model::ProjectName;
    use svc_store::{HostPort, NewProject};

    use super::*;

    #[tokio::test]
    async fn rules_are_read_again_when_the_store_changed() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let project = ProjectName::from("main");
        let new = NewProject::new(project.clone());
        store.projects().create(new).await.unwrap();
        let rules = Rules::new(MOST_KNOWN);
        let key: RulesKey = (Scope::new("main", "prod"), None);
        let allowed = async || {
            let found = get(&rules, &store, key.clone()).await.unwrap();
            found.allow_hosts.len()
        };
        assert_eq!(allowed().await, 0);
        let host = HostPort::parse("intranet").unwrap();
        store.allow_hosts().add(&project, &host).await.unwrap();
        assert_eq!(allowed().await, 0);
        rules.forget();
        assert_eq!(allowed().await, 1);
    }
}
