//! API keys and static tokens.

use svc_model::{ProjectName, ResourceName, Scope};
use svc_store::{
    CredentialHash, CredentialKind, ErrorKind, NewApiKey, NewProject, NewResource, NewStaticToken,
    Secret,
};

use crate::{Fixture, at, fields, main_project, prod};

#[tokio::test]
async fn an_api_key_opens_the_projects_of_its_account() {
    let fixture = Fixture::new().await;
    let store = &fixture.store;
    store
        .projects()
        .create(NewProject::new("second"))
        .await
        .unwrap();
    store
        .projects()
        .create(NewProject::new("foreign"))
        .await
        .unwrap();
    let created = store
        .api_keys()
        .create(NewApiKey::new("main", "ann@example.com"))
        .await
        .unwrap();
    store
        .members()
        .replace(&"second".into(), "ann@example.com", "Read Only")
        .await
        .unwrap();

    let identity = store
        .api_keys()
        .authenticate(created.secret.expose())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(identity.credential, created.credential);
    assert_eq!(
        identity.rights.in_project(&main_project()).unwrap().0.name,
        "Administrator"
    );
    assert_eq!(
        identity.rights.in_project(&"second".into()).unwrap().0.name,
        "Read Only"
    );
    assert_eq!(identity.rights.in_project(&"foreign".into()), None);
}

#[tokio::test]
async fn a_member_stays_in_its_team_when_it_gets_a_key() {
    let fixture = Fixture::new().await;
    let store = &fixture.store;
    store
        .members()
        .replace(&main_project(), "bob@example.com", "Editor")
        .await
        .unwrap();
    let created = store
        .api_keys()
        .create(NewApiKey::new("main", "BOB@example.com"))
        .await
        .unwrap();
    let identity = store
        .api_keys()
        .authenticate(created.secret.expose())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        identity.rights.in_project(&main_project()).unwrap().0.name,
        "Editor"
    );
}

#[tokio::test]
async fn unknown_and_malformed_credentials_are_nobody() {
    let fixture = Fixture::new().await;
    let store = &fixture.store;
    let created = store
        .api_keys()
        .create(NewApiKey::new("main", "ann@example.com"))
        .await
        .unwrap();
    let key = created.secret.expose();
    let token = store
        .tokens()
        .create(NewStaticToken::new(("main", "prod"), "__svc_app__"))
        .await
        .unwrap();
    let unknown = format!("svck_{}", "A".repeat(43));
    let padded = format!(" {key}");
    let shorter = &key[..key.len() - 1];
    for presented in [
        "",
        "svck_",
        &unknown,
        &padded,
        shorter,
        &key.to_uppercase(),
        token.secret.expose(),
    ] {
        assert_eq!(
            store.api_keys().authenticate(presented).await.unwrap(),
            None
        );
    }
    assert_eq!(store.tokens().authenticate(key).await.unwrap(), None);
    assert_eq!(CredentialKind::of(key), Some(CredentialKind::ApiKey));
    assert_eq!(
        CredentialKind::of(token.secret.expose()),
        Some(CredentialKind::StaticToken)
    );
}

#[tokio::test]
async fn a_key_ends_at_its_expiry_and_when_it_is_revoked() {
    let fixture = Fixture::new().await;
    let store = &fixture.store;
    let mut new = NewApiKey::new("main", "ann@example.com");
    new.expires = Some(at(1_800_000_060));
    let short = store.api_keys().create(new).await.unwrap();
    let long = store
        .api_keys()
        .create(NewApiKey::new("main", "ann@example.com"))
        .await
        .unwrap();

    let identity = store
        .api_keys()
        .authenticate(short.secret.expose())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(identity.credential.expires, Some(at(1_800_000_060)));
    assert!(!identity.is_expired(fixture.now()));
    fixture.pass(60);
    assert!(identity.is_expired(fixture.now()));
    assert_eq!(
        store
            .api_keys()
            .authenticate(short.secret.expose())
            .await
            .unwrap(),
        None
    );

    let revision = store.revision().await.unwrap();
    let revoked = store
        .api_keys()
        .revoke(&long.credential.prefix)
        .await
        .unwrap();
    assert_eq!(
        (revoked.uid, revoked.revoked),
        (long.credential.uid, Some(fixture.now()))
    );
    assert!(store.revision().await.unwrap() > revision);
    assert_eq!(
        store
            .api_keys()
            .authenticate(long.secret.expose())
            .await
            .unwrap(),
        None
    );
    assert_eq!(
        store.api_keys().list(&main_project()).await.unwrap().len(),
        2
    );
}

#[tokio::test]
async fn an_expiry_in_the_past_is_refused() {
    let fixture = Fixture::new().await;
    let mut new = NewApiKey::new("main", "ann@example.com");
    new.expires = Some(fixture.now());
    assert_eq!(
        fields(&fixture.store.api_keys().create(new).await.unwrap_err()),
        ["expires"]
    );
    let mut new = NewStaticToken::new(("main", "prod"), "__svc_app__");
    new.expires = Some(at(0));
    assert_eq!(
        fields(&fixture.store.tokens().create(new).await.unwrap_err()),
        ["expires"]
    );
    assert_eq!(fixture.count("accounts").await, 0);
}

#[tokio::test]
async fn a_credential_is_revoked_by_prefix_uid_or_itself_and_only_once() {
    let fixture = Fixture::new().await;
    let store = &fixture.store;
    for form in 0..3 {
        let created = store
            .tokens()
            .create(NewStaticToken::new(("main", "prod"), "__svc_app__"))
            .await
            .unwrap();
        let uid = created.credential.uid.to_string();
        let which = [
            created.credential.prefix.as_str(),
            &uid,
            created.secret.expose(),
        ][form];
        let first = store.tokens().revoke(which).await.unwrap();
        fixture.pass(10);
        let second = store.tokens().revoke(which).await.unwrap();
        assert_eq!(first, second);
        assert_eq!(
            store
                .tokens()
                .authenticate(created.secret.expose())
                .await
                .unwrap(),
            None
        );
    }
    let error = store.tokens().revoke("svct_nobody").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().contains("prefix"), "{error}");
}

#[tokio::test]
async fn a_prefix_that_means_several_revokes_none() {
    let fixture = Fixture::new().await;
    let store = &fixture.store;
    let new = || NewStaticToken::new(("main", "prod"), "__svc_app__");
    let one = store.tokens().create(new()).await.unwrap();
    let two = store.tokens().create(new()).await.unwrap();
    let prefix = one.credential.prefix.clone();
    let same = fixture.database().await;
    same.write(move |conn| conn.execute("UPDATE static_tokens SET prefix = ?1", &[prefix.into()]))
        .await
        .unwrap();
    let error = store
        .tokens()
        .revoke(&one.credential.prefix)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    for created in [one, two] {
        assert!(
            store
                .tokens()
                .authenticate(created.secret.expose())
                .await
                .unwrap()
                .is_some()
        );
    }
}

#[tokio::test]
async fn a_static_token_opens_one_resource_of_one_environment() {
    let fixture = Fixture::new().await;
    let store = &fixture.store;
    let shop = NewResource::new("shop", Secret::new("sqlite:shop.db"));
    store.resources().create(&prod(), shop).await.unwrap();
    let created = store
        .tokens()
        .create(NewStaticToken::new(("main", "prod"), "shop"))
        .await
        .unwrap();
    let identity = store
        .tokens()
        .authenticate(created.secret.expose())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(identity.credential, created.credential);
    assert!(identity.covers(&prod(), &"shop".into()));
    assert!(!identity.covers(&prod(), &ResourceName::from(ResourceName::TOOLS)));
    assert!(!identity.covers(&Scope::new("other", "prod"), &"shop".into()));
    assert!(!identity.covers(&Scope::new("main", "staging"), &"shop".into()));

    let tools = store
        .tokens()
        .create(NewStaticToken::new(("main", "prod"), "__svc_app__"))
        .await
        .unwrap();
    let identity = store
        .tokens()
        .authenticate(tools.secret.expose())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        identity.credential.grant.resource.as_str(),
        ResourceName::TOOLS
    );

    let listed = store.tokens().list(&prod()).await.unwrap();
    assert_eq!(listed, [created.credential, tools.credential]);
}

#[tokio::test]
async fn a_credential_for_nothing_is_not_made() {
    let fixture = Fixture::new().await;
    let store = &fixture.store;
    for new in [
        NewStaticToken::new(("main", "prod"), "shop"),
        NewStaticToken::new(("main", "staging"), "__svc_app__"),
        NewStaticToken::new(("none", "prod"), "__svc_app__"),
    ] {
        assert_eq!(
            store.tokens().create(new).await.unwrap_err().kind(),
            ErrorKind::NotFound
        );
    }
    let error = store
        .api_keys()
        .create(NewApiKey::new("none", "ann@example.com"))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    let error = store
        .api_keys()
        .create(NewApiKey::new("main", "ann"))
        .await
        .unwrap_err();
    assert_eq!(fields(&error), ["email"]);
    assert_eq!(
        fixture.count("static_tokens").await + fixture.count("api_keys").await,
        0
    );
}

#[tokio::test]
async fn the_last_use_is_written_at_most_once_a_minute_and_moves_no_revision() {
    let fixture = Fixture::new().await;
    let store = &fixture.store;
    let key = store
        .api_keys()
        .create(NewApiKey::new("main", "ann@example.com"))
        .await
        .unwrap()
        .credential;
    let new = NewStaticToken::new(("main", "prod"), "__svc_app__");
    let token = store.tokens().create(new).await.unwrap().credential;
    assert_eq!((key.last_use, token.last_use), (None, None));
    let revision = store.revision().await.unwrap();
    let first = fixture.now();
    for (pass, expected) in [(0, first), (59, first), (1, at(first.as_second() + 60))] {
        fixture.pass(pass);
        store.api_keys().touch(key.uid).await.unwrap();
        store.tokens().touch(token.uid).await.unwrap();
        assert_eq!(
            store.api_keys().list(&main_project()).await.unwrap()[0].last_use,
            Some(expected)
        );
        assert_eq!(
            store.tokens().list(&prod()).await.unwrap()[0].last_use,
            Some(expected)
        );
    }
    assert_eq!(store.revision().await.unwrap(), revision);
}

#[tokio::test]
async fn nothing_that_can_be_printed_or_read_from_the_database_holds_a_credential() {
    let fixture = Fixture::new().await;
    let store = &fixture.store;
    let project = ProjectName::from("main");
    let key = store
        .api_keys()
        .create(NewApiKey::new(project.clone(), "ann@example.com"))
        .await
        .unwrap();
    let token = store
        .tokens()
        .create(NewStaticToken::new(("main", "prod"), "__svc_app__"))
        .await
        .unwrap();
    let identity = store
        .api_keys()
        .authenticate(key.secret.expose())
        .await
        .unwrap();
    let shown = format!(
        "{key:?} {token:?} {identity:?} {:?} {store:?}",
        CredentialHash::of(key.secret.expose())
    );
    let bytes = fixture.everything().await;
    for secret in [key.secret.expose(), token.secret.expose()] {
        assert!(!shown.contains(secret));
        // Not even the part that the prefix does not show.
        let rest = &secret.as_bytes()[11..];
        assert!(!bytes.windows(rest.len()).any(|window| window == rest));
    }
}
