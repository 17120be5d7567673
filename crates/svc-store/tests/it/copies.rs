//! Environments that are copied: pages in both layers, and settings.

use svc_model::{Draft, JsonObject, PageSettings, Scope};
use svc_store::{EnvironmentCopy, ErrorKind, NewEnvironment};

use crate::{Fixture, fields, listed, main_project};

fn object(text: &str) -> JsonObject {
    serde_json::from_str(text).unwrap()
}

async fn add(fixture: &Fixture, name: &str, params: Option<&str>) -> Scope {
    let mut new = NewEnvironment::new(name);
    new.params = params.map(str::to_owned);
    let environments = fixture.store.environments();
    let made = environments.create(&main_project(), new).await.unwrap();
    Scope::new(main_project(), made.unique_name)
}

/// What is the same of a page and its copy.
fn comparable(pages: Vec<PageSettings>) -> Vec<JsonObject> {
    let mut pages: Vec<_> = pages
        .into_iter()
        .map(PageSettings::into_properties)
        .collect();
    for page in &mut pages {
        page.remove("uid");
        page.remove("environment");
    }
    pages
}

#[tokio::test]
async fn a_copy_has_the_pages_of_both_layers_in_their_order_and_the_settings() {
    let fixture = Fixture::new().await;
    let staging = add(&fixture, "staging", Some(r#"{"theme":"dark"}"#)).await;
    let target = add(&fixture, "target", None).await;
    let (project, pages) = (main_project(), fixture.store.pages());
    let mut made = Vec::new();
    for number in 0..6 {
        fixture.pass(1);
        let settings = object(&format!(r#"{{"name":"P{number}","zeta":1.50}}"#)).into();
        let draft = Draft::from(number == 5);
        let page = pages.create(&staging, draft, settings).await;
        made.push(page.unwrap().settings().unwrap().uid().unwrap());
    }
    pages
        .update(
            &staging,
            Draft::On,
            &made[1],
            object(r#"{"name":"D"}"#),
            None,
        )
        .await
        .unwrap();
    pages
        .delete(&staging, Draft::On, &made[2], None)
        .await
        .unwrap();

    let environments = fixture.store.environments();
    let copy = EnvironmentCopy::new("staging", "target");
    assert_eq!(environments.copy(&project, copy.clone()).await.unwrap(), 6);
    for draft in [Draft::Off, Draft::On] {
        let theirs = listed(&fixture.store, &staging, draft).await;
        let ours = listed(&fixture.store, &target, draft).await;
        assert_eq!(comparable(ours.unwrap()), comparable(theirs.unwrap()));
    }
    let listed_environments = environments.list(&project).await.unwrap();
    assert_eq!(listed_environments[2].params, r#"{"theme":"dark"}"#);
    assert_eq!(pages.publish(&target, None, None).await.unwrap().len(), 3);

    let error = environments.copy(&project, copy.clone()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(error.to_string().contains("target"), "{error}");
    let mut replacing = copy;
    replacing.replace = true;
    assert_eq!(environments.copy(&project, replacing).await.unwrap(), 6);
    assert_eq!(
        listed(&fixture.store, &target, Draft::On)
            .await
            .unwrap()
            .len(),
        5
    );
}

#[tokio::test]
async fn a_copy_takes_two_environments_that_exist() {
    let fixture = Fixture::new().await;
    let environments = fixture.store.environments();
    for (from, to) in [("prod", "none"), ("none", "prod")] {
        let copy = EnvironmentCopy::new(from, to);
        let error = environments.copy(&main_project(), copy).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound, "{from} {to}");
    }
    let itself = EnvironmentCopy::new("prod", "prod");
    let error = environments
        .copy(&main_project(), itself)
        .await
        .unwrap_err();
    assert!(
        fields(&error).is_empty() && error.to_string().contains("into itself"),
        "{error}"
    );
    add(&fixture, "other", Some(r#"{"a":1}"#)).await;
    let copy = EnvironmentCopy::new("prod", "other");
    let error = environments.copy(&main_project(), copy).await.unwrap_err();
    assert!(error.to_string().contains("settings of its own"), "{error}");
}
