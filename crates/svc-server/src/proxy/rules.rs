//! What the proxy may do where: read from the store once, and again when the store changed.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use svc_model::{ResourceName, Scope};
use svc_store::{ProxyRules, Store};

use crate::http::ApiResult;

/// How many rules are remembered at most.
const MOST_KNOWN: usize = 10_000;

/// An environment, and perhaps one of its resources.
type RulesKey = (Scope, Option<ResourceName>);

/// The rules that were asked for, until the store changes.
#[derive(Debug, Default)]
pub(super) struct Rules(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    rules: HashMap<RulesKey, Arc<ProxyRules>>,
    /// Moves when the store changed, so that what was read before is not kept after.
    generation: u64,
}

impl Rules {
    /// Forgets everything: the store changed.
    pub(super) fn forget(&self) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.generation += 1;
        known.rules.clear();
    }

    /// What may be done there.
    pub(super) async fn get(&self, store: &Store, key: RulesKey) -> ApiResult<Arc<ProxyRules>> {
        let generation = {
            let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(rules) = known.rules.get(&key) {
                return Ok(Arc::clone(rules));
            }
            known.generation
        };
        let (scope, resource) = &key;
        let secrets = store.secret_tokens();
        let rules = secrets.proxy_rules(scope, resource.as_ref());
        let rules = Arc::new(rules.await?);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.generation == generation {
            if known.rules.len() >= MOST_KNOWN {
                known.rules.clear();
            }
            known.rules.insert(key, Arc::clone(&rules));
        }
        Ok(rules)
    }
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
        let rules = Rules::default();
        let key: RulesKey = (Scope::new("main", "prod"), None);
        let allowed = async || {
            let found = rules.get(&store, key.clone()).await.unwrap();
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
