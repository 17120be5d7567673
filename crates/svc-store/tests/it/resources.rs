//! Connected databases.

use svc_model::Scope;
use svc_store::{Engine, ErrorKind, NewResource, NewStaticToken, Secret};

use crate::{Fixture, fields, prod};

fn shop(url: &str) -> NewResource {
    NewResource::new("shop", Secret::new(url))
}

#[tokio::test]
async fn a_resource_is_listed_without_and_read_with_its_address() {
    let fixture = Fixture::new().await;
    let resources = fixture.store.resources();
    let made = resources
        .create(&prod(), shop("mysql://app:hunter2@db/shop"))
        .await
        .unwrap();
    assert_eq!(made.engine, Engine::Mysql);
    assert_eq!(made.name, "shop");
    assert_eq!(
        resources.list(&prod()).await.unwrap(),
        std::slice::from_ref(&made)
    );
    let read = resources.get(&prod(), &"shop".into()).await.unwrap();
    assert_eq!(read.resource, made);
    assert_eq!(read.url.expose(), "mysql://app:hunter2@db/shop");
    assert!(!format!("{read:?}").contains("hunter2"));
}

#[tokio::test]
async fn reserved_taken_and_unfit_names_and_addresses_are_field_errors() {
    let fixture = Fixture::new().await;
    let resources = fixture.store.resources();
    resources
        .create(&prod(), shop("sqlite:shop.db"))
        .await
        .unwrap();
    for name in ["shop", "auth", "__svc_app__", "Shop"] {
        let new = NewResource::new(name, Secret::new("sqlite:x.db"));
        let error = resources.create(&prod(), new).await.unwrap_err();
        assert_eq!(fields(&error), ["unique_name"], "{name}");
    }
    let error = resources
        .create(
            &prod(),
            NewResource::new("x", Secret::new("oracle://app:hunter2@db")),
        )
        .await
        .unwrap_err();
    assert_eq!(fields(&error), ["url"]);
    assert!(!format!("{error} {error:?}").contains("hunter2"));
    let mut new = NewResource::new("x", Secret::new("sqlite:x.db"));
    new.params = Some("7".to_owned());
    let error = resources.create(&prod(), new).await.unwrap_err();
    assert_eq!(fields(&error), ["params"]);
    let mut new = NewResource::new("x", Secret::new("sqlite:x.db"));
    new.params = Some(r#"{"functions": {}, "labels": {"orders": "number"}}"#.to_owned());
    let error = resources.create(&prod(), new).await.unwrap_err();
    assert_eq!(fields(&error), ["params.functions", "params.labels.orders"]);
    let error = resources
        .create(&Scope::new("main", "none"), shop("sqlite:x.db"))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
}

#[tokio::test]
async fn replacing_makes_changes_and_leaves_alone() {
    let fixture = Fixture::new().await;
    let store = &fixture.store;
    let prod = prod();
    let made = store
        .resources()
        .replace(&prod, shop("sqlite:a.db"))
        .await
        .unwrap();
    store
        .tokens()
        .create(NewStaticToken::new(("main", "prod"), "shop"))
        .await
        .unwrap();
    let revision = store.revision().await.unwrap();

    let same = store
        .resources()
        .replace(&prod, shop("sqlite:a.db"))
        .await
        .unwrap();
    assert_eq!(same, made);
    assert_eq!(store.revision().await.unwrap(), revision);

    let changed = store
        .resources()
        .replace(&prod, shop("postgres://db/a"))
        .await
        .unwrap();
    assert_eq!((changed.uid, changed.engine), (made.uid, Engine::Postgres));
    assert!(store.revision().await.unwrap() > revision);
    let read = store.resources().get(&prod, &"shop".into()).await.unwrap();
    assert_eq!(read.url.expose(), "postgres://db/a");
    assert_eq!(fixture.count("static_tokens").await, 1);
}

#[tokio::test]
async fn changed_settings_are_kept_as_they_are_written_and_are_a_change() {
    let fixture = Fixture::new().await;
    let store = &fixture.store;
    let prod = prod();
    let set = async |params: Option<&str>| {
        let mut new = shop("sqlite:a.db");
        new.params = params.map(str::to_owned);
        store.resources().replace(&prod, new).await.unwrap()
    };
    assert_eq!(set(None).await.params, "{}");
    let params = r#"{"x": 1.50, "functions": ["f(integer)"]}"#;
    let revision = store.revision().await.unwrap();
    assert_eq!(set(Some(params)).await.params, params);
    let changed = store.revision().await.unwrap();
    assert!(changed > revision);
    for same in [None, Some(params)] {
        assert_eq!(set(same).await.params, params);
        assert_eq!(store.revision().await.unwrap(), changed);
    }
    assert_eq!(
        store.resources().list(&prod).await.unwrap()[0].params,
        params
    );
}

#[tokio::test]
async fn a_disconnected_database_takes_its_tokens_along() {
    let fixture = Fixture::new().await;
    let store = &fixture.store;
    store
        .resources()
        .create(&prod(), shop("sqlite:shop.db"))
        .await
        .unwrap();
    let created = store
        .tokens()
        .create(NewStaticToken::new(("main", "prod"), "shop"))
        .await
        .unwrap();
    let tools = store
        .tokens()
        .create(NewStaticToken::new(("main", "prod"), "__svc_app__"))
        .await
        .unwrap();
    store
        .resources()
        .delete(&prod(), &"shop".into())
        .await
        .unwrap();
    assert_eq!(
        store
            .tokens()
            .authenticate(created.secret.expose())
            .await
            .unwrap(),
        None
    );
    assert!(
        store
            .tokens()
            .authenticate(tools.secret.expose())
            .await
            .unwrap()
            .is_some()
    );
    let error = store
        .resources()
        .delete(&prod(), &"shop".into())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
}
