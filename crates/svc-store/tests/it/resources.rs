//! Connected databases.

use svc_model::Scope;
use svc_store::{Engine, ErrorKind, NewResource, NewStaticToken, ResourcePatch, Secret};

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

#[tokio::test]
async fn an_update_changes_what_is_given_and_keeps_the_tokens() {
    let fixture = Fixture::new().await;
    let (resources, prod) = (fixture.store.resources(), prod());
    let made = resources.create(&prod, shop("sqlite:/a.db")).await.unwrap();
    let (tokens, token) = (fixture.store.tokens(), NewStaticToken::new(&prod, "shop"));
    let token = tokens.create(token).await.unwrap();
    let shop = "shop".into();
    let revision = fixture.store.revision().await.unwrap();
    let unchanged = resources.update(&prod, &shop, ResourcePatch::default());
    assert_eq!(unchanged.await.unwrap(), made);
    assert_eq!(fixture.store.revision().await.unwrap(), revision);

    let mut patch = ResourcePatch::default();
    patch.name = Some("The shop".to_owned());
    patch.url = Some(Secret::new(
        "postgres://app:hunter2@db/shop?password=hunter2",
    ));
    let changed = resources.update(&prod, &shop, patch).await.unwrap();
    assert_eq!((changed.uid, changed.engine), (made.uid, Engine::Postgres));
    assert_eq!(changed.name, "The shop");
    assert_eq!(changed.params, "{}");
    let hint = Some("postgres://app@db/shop".to_owned());
    let listed = resources.list_with_hints(&prod).await.unwrap();
    assert_eq!(listed, [(changed, hint)]);
    let valid = tokens.authenticate(token.secret.expose()).await;
    assert!(valid.unwrap().is_some());
}

#[tokio::test]
async fn an_update_that_cannot_be_is_refused_on_its_field_and_changes_nothing() {
    let fixture = Fixture::new().await;
    let (resources, prod) = (fixture.store.resources(), prod());
    resources.create(&prod, shop("sqlite:/a.db")).await.unwrap();
    let shop = "shop".into();
    for url in [
        "oracle://app:hunter2@db/shop",
        "postgres://app:hunter2@db:port/shop",
        "postgres://app:hunter2@db/shop?sslmode=hunter2",
        "mysql://app:hunter2@db",
        "sqlite:/a.db?mode=rwc",
        "https://api.example.com",
    ] {
        let mut patch = ResourcePatch::default();
        patch.name = Some("changed".to_owned());
        patch.url = Some(Secret::new(url));
        let error = resources.update(&prod, &shop, patch).await.unwrap_err();
        assert_eq!(fields(&error), ["url"], "{url}");
        assert!(!format!("{error} {error:?}").contains("hunter2"), "{error}");
    }
    let mut patch = ResourcePatch::default();
    patch.params = Some("[]".to_owned());
    let error = resources.update(&prod, &shop, patch).await.unwrap_err();
    assert_eq!(fields(&error), ["params"]);
    let kept = resources.get(&prod, &shop).await.unwrap();
    assert_eq!(kept.url.expose(), "sqlite:/a.db");
    assert_eq!(kept.resource.name, "shop");
    let other = "other".into();
    let missing = resources.update(&prod, &other, ResourcePatch::default());
    assert_eq!(missing.await.unwrap_err().kind(), ErrorKind::NotFound);
}
