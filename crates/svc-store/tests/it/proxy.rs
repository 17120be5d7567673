//! What the HTTP proxy uses: secret tokens and allowed hosts.

use svc_data::Value;
use svc_model::Scope;
use svc_store::{
    ErrorKind, HostName, HostPort, NewApiKey, NewEnvironment, NewResource, NewSecretToken, Secret,
};

use crate::{Fixture, fields, main_project, prod};

fn host(text: &str) -> HostName {
    HostName::parse(text).unwrap()
}

fn token(name: &str, value: &str) -> NewSecretToken {
    let hosts = vec![host("b.example.com"), host("a.example.com")];
    NewSecretToken::new("crm", name, Secret::new(value), hosts)
}

async fn with_crm() -> Fixture {
    let fixture = Fixture::new().await;
    let url = Secret::new("https://api.crm.example");
    let new = NewResource::new("crm", url);
    let resources = fixture.store.resources();
    resources.create(&prod(), new).await.unwrap();
    fixture
}

#[tokio::test]
async fn a_secret_is_listed_without_its_value_and_given_to_the_proxy_with_it() {
    let fixture = with_crm().await;
    let (secrets, prod) = (fixture.store.secret_tokens(), prod());
    secrets.set(&prod, token("key", "hunter2")).await.unwrap();
    let listed = secrets.list(&prod).await.unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!(
        (listed[0].name.as_str(), listed[0].kind.as_str()),
        ("key", "static")
    );
    assert_eq!(
        listed[0].hosts,
        [host("a.example.com"), host("b.example.com")]
    );
    let crm = "crm".into();
    let rules = secrets.proxy_rules(&prod, Some(&crm)).await.unwrap();
    assert_eq!(rules.secrets[0].value.expose(), "hunter2");
    assert_eq!(rules.secrets[0].hosts, listed[0].hosts);
    assert!(!format!("{rules:?}").contains("hunter2"));
    // Without a resource there are none.
    let rules = secrets.proxy_rules(&prod, None).await.unwrap();
    assert!(rules.secrets.is_empty());
}

#[tokio::test]
async fn setting_again_replaces_value_and_hosts_and_keeps_the_first_date() {
    let fixture = with_crm().await;
    let (secrets, prod) = (fixture.store.secret_tokens(), prod());
    secrets.set(&prod, token("key", "old")).await.unwrap();
    fixture.pass(60);
    let mut new = token("key", "new");
    new.hosts = vec![host("c.example.com")];
    let revision = fixture.store.revision().await.unwrap();
    secrets.set(&prod, new).await.unwrap();
    assert!(fixture.store.revision().await.unwrap() > revision);
    let listed = secrets.list(&prod).await.unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].hosts, [host("c.example.com")]);
    assert!(listed[0].date_update > listed[0].date_add);
    let crm = "crm".into();
    let rules = secrets.proxy_rules(&prod, Some(&crm)).await;
    assert_eq!(rules.unwrap().secrets[0].value.expose(), "new");

    secrets.remove(&prod, &"crm".into(), "key").await.unwrap();
    let again = secrets.remove(&prod, &"crm".into(), "key").await;
    assert_eq!(again.unwrap_err().kind(), ErrorKind::NotFound);
}

#[tokio::test]
async fn what_is_wrong_with_a_secret_is_said_by_field_without_its_value() {
    let fixture = with_crm().await;
    let (secrets, prod) = (fixture.store.secret_tokens(), prod());
    let mut homeless = token("key", "hunter2");
    homeless.hosts.clear();
    for (new, field) in [
        (token("-key", "hunter2"), "name"),
        (token("key", "hunter2\r\nX-Evil: 1"), "value"),
        (token("key", ""), "value"),
        (homeless, "host"),
    ] {
        let error = secrets.set(&prod, new).await.unwrap_err();
        assert_eq!(fields(&error), [field]);
        assert!(!format!("{error} {error:?}").contains("hunter2"));
    }
    let mut elsewhere = token("key", "hunter2");
    elsewhere.resource = "none".into();
    let error = secrets.set(&prod, elsewhere).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
}

#[tokio::test]
async fn another_address_of_the_resource_clears_its_secrets_and_the_same_one_keeps_them() {
    let fixture = with_crm().await;
    let (store, prod) = (&fixture.store, prod());
    let secrets = store.secret_tokens();
    secrets.set(&prod, token("key", "hunter2")).await.unwrap();
    let at = |url: &str| NewResource::new("crm", Secret::new(url));
    let mut renamed = at("https://api.crm.example");
    renamed.name = Some("Customers".to_owned());
    for new in [at("https://api.crm.example"), renamed] {
        store.resources().replace(&prod, new).await.unwrap();
        assert_eq!(fixture.count("secrets").await, 1);
    }
    let evil = at("https://evil.example");
    store.resources().replace(&prod, evil).await.unwrap();
    assert_eq!(fixture.count("secrets").await, 0);
    // Nor do they outlive the resource.
    secrets.set(&prod, token("key", "hunter2")).await.unwrap();
    let crm = "crm".into();
    store.resources().delete(&prod, &crm).await.unwrap();
    assert_eq!(fixture.count("secrets").await, 0);
}

#[tokio::test]
async fn a_secret_that_was_moved_to_other_hosts_behind_the_stores_back_does_not_open() {
    let fixture = with_crm().await;
    let (secrets, prod) = (fixture.store.secret_tokens(), prod());
    secrets.set(&prod, token("key", "hunter2")).await.unwrap();
    let database = fixture.database().await;
    let moved = database.write(|conn| {
        let hosts = Value::from("evil.example");
        conn.execute("UPDATE secrets SET hosts = ?1", &[hosts])
    });
    let moved: Result<u64, svc_data::Error> = moved.await;
    assert_eq!(moved.unwrap(), 1);
    let crm = "crm".into();
    let error = secrets.proxy_rules(&prod, Some(&crm)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
}

#[tokio::test]
async fn a_member_is_told_the_names_of_secrets_and_the_database_holds_no_value() {
    let fixture = with_crm().await;
    let (store, project, prod) = (&fixture.store, main_project(), prod());
    store
        .secret_tokens()
        .set(&prod, token("key", "hunter2"))
        .await
        .unwrap();
    let key = NewApiKey::new(project.clone(), "ann@example.com");
    let created = store.api_keys().create(key).await.unwrap();
    let identity = store.api_keys().authenticate(created.secret.expose()).await;
    let account = identity.unwrap().unwrap().credential.grant.account_uid;
    let rights = store.accounts().rights(account).await.unwrap();
    let view = store
        .projects()
        .get_for(account, &rights, &project)
        .await
        .unwrap();
    let crm = &view.resources[0];
    assert_eq!((crm.kind.as_str(), crm.type_item.as_str()), ("api", "http"));
    assert_eq!(crm.secret_tokens.len(), 1);
    assert_eq!(crm.secret_tokens[0].name, "key");
    assert_eq!(crm.secret_tokens[0].kind, "static");
    // An API is no database to connect to.
    assert!(store.resources().list_connected().await.unwrap().is_empty());
    let bytes = fixture.everything().await;
    assert!(!bytes.windows(7).any(|window| window == b"hunter2"));
}

#[tokio::test]
async fn hosts_are_allowed_for_a_project_once_and_until_they_are_removed() {
    let fixture = Fixture::new().await;
    let host = |text: &str| HostPort::parse(text).unwrap();
    let (hosts, project) = (fixture.store.allow_hosts(), main_project());
    for name in ["10.0.0.7", "INTRANET", "10.0.0.7", "intranet:8443"] {
        hosts.add(&project, &host(name)).await.unwrap();
    }
    let staging = NewEnvironment::new("staging");
    let environments = fixture.store.environments();
    environments.create(&project, staging).await.unwrap();
    for environment in ["prod", "staging"] {
        let rules = fixture
            .store
            .secret_tokens()
            .proxy_rules(&Scope::new(&project, environment), None)
            .await
            .unwrap();
        let allowed = [host("10.0.0.7"), host("intranet"), host("intranet:8443")];
        assert_eq!(rules.allow_hosts, allowed);
    }
    hosts.remove(&project, &host("intranet")).await.unwrap();
    let error = hosts.remove(&project, &host("intranet")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    let left = hosts.list(&project).await.unwrap();
    assert_eq!(left.len(), 2, "the entry with a port is one of its own");
    let error = hosts.add(&"none".into(), &host("a")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
}
