//! Projects, environments, teams and members.

use svc_model::{Project, Scope, projects::Feature};
use svc_store::{
    AccountRights, ErrorKind, NewApiKey, NewEnvironment, NewProject, NewResource, NewStaticToken,
    PermissionsGroup, ProjectPatch, Secret, Store,
};

use uuid::Uuid;

use crate::{Fixture, fields, main_project, prod};

#[tokio::test]
async fn a_project_comes_with_prod_and_three_teams() {
    let fixture = Fixture::new().await;
    let environments = fixture
        .store
        .environments()
        .list(&main_project())
        .await
        .unwrap();
    assert_eq!(environments.len(), 1);
    assert_eq!(environments[0].unique_name, prod().environment);
    let teams = fixture.store.teams().list(&main_project()).await.unwrap();
    let shipped: Vec<_> = teams
        .iter()
        .map(|team| (team.name.as_str(), team.permissions_group, team.super_group))
        .collect();
    assert_eq!(
        shipped,
        [
            ("Administrator", PermissionsGroup::Administrator, true),
            ("Editor", PermissionsGroup::Editor, false),
            ("Read Only", PermissionsGroup::ReadOnly, false),
        ]
    );
}

#[tokio::test]
async fn a_taken_or_unfit_name_is_a_field_error() {
    let fixture = Fixture::new().await;
    for name in ["main", "Main", "a b", ""] {
        let error = fixture
            .store
            .projects()
            .create(NewProject::new(name))
            .await
            .unwrap_err();
        assert_eq!(fields(&error), ["unique_name"]);
    }
    for name in ["prod", "a/b"] {
        let new = NewEnvironment::new(name);
        let error = fixture
            .store
            .environments()
            .create(&main_project(), new)
            .await
            .unwrap_err();
        assert_eq!(fields(&error), ["unique_name"]);
    }
    assert_eq!(fixture.count("projects").await, 1);
}

#[tokio::test]
async fn a_patch_changes_what_it_names() {
    let fixture = Fixture::new().await;
    let projects = fixture.store.projects();
    let mut patch = ProjectPatch::default();
    patch.color = Some(Some("#336699".to_owned()));
    patch.sign_in.sign_up = Some(true);
    patch.params = Some(r#"{"theme": "dark"}"#.to_owned());
    projects.update(&main_project(), patch).await.unwrap();
    let mut patch = ProjectPatch::default();
    patch.name = Some("Main office".to_owned());
    let project = projects.update(&main_project(), patch).await.unwrap();
    assert_eq!(project.name, "Main office");
    assert_eq!(project.color.as_deref(), Some("#336699"));
    assert!(project.sign_up);
    assert_eq!(project.params, r#"{"theme": "dark"}"#);

    let mut patch = ProjectPatch::default();
    patch.params = Some("[]".to_owned());
    assert_eq!(
        fields(&projects.update(&main_project(), patch).await.unwrap_err()),
        ["params"]
    );
}

#[tokio::test]
async fn a_member_sees_the_project_and_others_do_not() {
    let fixture = Fixture::new().await;
    let store = &fixture.store;
    let shop = NewResource::new("shop", Secret::new("postgres://app:hunter2@db/shop"));
    store.resources().create(&prod(), shop).await.unwrap();
    let ann = store
        .members()
        .replace(&main_project(), "Ann@example.com", "administrator")
        .await
        .unwrap();
    let bob = store
        .members()
        .replace(&main_project(), "bob@example.com", "Read Only")
        .await
        .unwrap();

    let seen = store
        .projects()
        .get_for(
            bob.account.uid,
            &rights_of(store, bob.account.uid).await,
            &main_project(),
        )
        .await
        .unwrap();
    assert!(!seen.is_owner);
    assert_eq!(
        seen.owner.as_ref().unwrap().uid,
        ann.account.uid.to_string()
    );
    assert_eq!(
        seen.owner.as_ref().unwrap().email.as_deref(),
        Some("Ann@example.com")
    );
    assert_eq!(seen.user.as_ref().unwrap().uid, bob.account.uid.to_string());
    assert_eq!(
        seen.group.as_ref().unwrap().permissions_group.as_deref(),
        Some("read_only")
    );
    assert_eq!(seen.default_environment, Some(prod().environment));
    assert_eq!(seen.environments.len(), 1);
    assert_eq!(seen.features["sign_up"], Feature::from(false));
    assert_eq!(seen.resources[0].type_item, "postgres");
    let json = serde_json::to_string(&seen).unwrap();
    assert!(
        !json.contains("hunter2") && !json.contains("postgres://"),
        "{json}"
    );

    assert!(
        store
            .projects()
            .get_for(
                ann.account.uid,
                &rights_of(store, ann.account.uid).await,
                &main_project()
            )
            .await
            .unwrap()
            .is_owner
    );
    store
        .projects()
        .create(NewProject::new("other"))
        .await
        .unwrap();
    let error = store
        .projects()
        .get_for(
            bob.account.uid,
            &rights_of(store, bob.account.uid).await,
            &"other".into(),
        )
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    let names: Vec<_> = projects_of(store, bob.account.uid).await;
    assert_eq!(names.len(), 1);
}

#[tokio::test]
async fn an_address_in_another_case_is_the_same_account() {
    let fixture = Fixture::new().await;
    let members = fixture.store.members();
    let ann = members
        .replace(&main_project(), "Ann@example.com", "Editor")
        .await
        .unwrap();
    let again = members
        .replace(&main_project(), "ann@EXAMPLE.com", "Read Only")
        .await
        .unwrap();
    assert_eq!(ann.account.uid, again.account.uid);
    assert_eq!(again.team.name, "Read Only");
    assert_eq!(members.list(&main_project()).await.unwrap().len(), 1);
    let found = fixture
        .store
        .accounts()
        .find("ANN@example.com")
        .await
        .unwrap();
    assert_eq!(found.as_ref(), Some(&ann.account));
    assert_eq!(
        fixture.store.accounts().get(ann.account.uid).await.unwrap(),
        ann.account
    );
    assert_eq!(
        fixture.store.accounts().list().await.unwrap(),
        [ann.account]
    );
}

#[tokio::test]
async fn an_unknown_team_is_refused_with_the_choice() {
    let fixture = Fixture::new().await;
    let error = fixture
        .store
        .members()
        .replace(&main_project(), "a@b", "Owner")
        .await
        .unwrap_err();
    assert_eq!(fields(&error), ["team"]);
    assert!(
        error
            .to_string()
            .contains("Administrator, Editor, Read Only"),
        "{error}"
    );
    assert_eq!(fixture.count("accounts").await, 0);
}

#[tokio::test]
async fn the_last_administrator_stays() {
    let fixture = Fixture::new().await;
    let members = fixture.store.members();
    members
        .replace(&main_project(), "ann@example.com", "Administrator")
        .await
        .unwrap();
    let moved = members
        .replace(&main_project(), "ann@example.com", "Editor")
        .await
        .unwrap_err();
    let removed = members
        .delete(&main_project(), "ann@example.com")
        .await
        .unwrap_err();
    for error in [moved, removed] {
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert!(error.to_string().contains("last administrator"), "{error}");
    }
    members
        .replace(&main_project(), "bob@example.com", "Administrator")
        .await
        .unwrap();
    members
        .delete(&main_project(), "ann@example.com")
        .await
        .unwrap();
    let error = members
        .delete(&main_project(), "ann@example.com")
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
}

#[tokio::test]
async fn a_team_can_be_renamed_but_not_to_another_teams_name() {
    let fixture = Fixture::new().await;
    let teams = fixture.store.teams();
    let editor = teams.list(&main_project()).await.unwrap()[1].clone();
    let renamed = teams
        .update(&main_project(), editor.uid, "Authors")
        .await
        .unwrap();
    assert_eq!(
        (renamed.uid, renamed.name.as_str()),
        (editor.uid, "Authors")
    );
    for name in ["Administrator", "", "  "] {
        let error = teams
            .update(&main_project(), editor.uid, name)
            .await
            .unwrap_err();
        assert_eq!(fields(&error), ["name"]);
    }
    fixture
        .store
        .projects()
        .create(NewProject::new("other"))
        .await
        .unwrap();
    let error = teams
        .update(&"other".into(), editor.uid, "Mine now")
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
}

#[tokio::test]
async fn removing_a_project_removes_what_belongs_to_it_and_nothing_else() {
    let fixture = Fixture::new().await;
    fill(&fixture, "main", "prod").await;
    fixture
        .store
        .projects()
        .create(NewProject::new("other"))
        .await
        .unwrap();
    fill(&fixture, "other", "prod").await;
    fixture
        .store
        .projects()
        .delete(&main_project())
        .await
        .unwrap();
    for (table, left) in [
        ("projects", 1),
        ("environments", 1),
        ("teams", 3),
        ("members", 1),
        ("resources", 1),
        ("static_tokens", 2),
        ("pages", 1),
        ("accounts", 1),
        ("api_keys", 2),
    ] {
        assert_eq!(fixture.count(table).await, left, "{table}");
    }
    let error = fixture
        .store
        .projects()
        .delete(&main_project())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
}

#[tokio::test]
async fn removing_an_environment_removes_what_belongs_to_it_and_nothing_else() {
    let fixture = Fixture::new().await;
    fill(&fixture, "main", "prod").await;
    let staging = NewEnvironment::new("staging");
    fixture
        .store
        .environments()
        .create(&main_project(), staging)
        .await
        .unwrap();
    fill(&fixture, "main", "staging").await;
    fixture
        .store
        .environments()
        .delete(&Scope::new("main", "staging"))
        .await
        .unwrap();
    for (table, left) in [
        ("environments", 1),
        ("resources", 1),
        ("static_tokens", 2),
        ("pages", 1),
        ("teams", 3),
    ] {
        assert_eq!(fixture.count(table).await, left, "{table}");
    }
}

#[tokio::test]
async fn prod_stays_as_long_as_its_project() {
    let fixture = Fixture::new().await;
    let error = fixture
        .store
        .environments()
        .delete(&prod())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(
        error.to_string().contains("remove the project instead"),
        "{error}"
    );
    assert_eq!(fixture.count("environments").await, 1);
}

/// One of everything that can belong to an environment, two tokens, and an API key.
async fn fill(fixture: &Fixture, project: &str, environment: &str) {
    let store = &fixture.store;
    let scope = Scope::new(project, environment);
    let shop = NewResource::new("shop", Secret::new("sqlite:shop.db"));
    store.resources().create(&scope, shop).await.unwrap();
    for resource in ["shop", "__svc_app__"] {
        store
            .tokens()
            .create(NewStaticToken::new(&scope, resource))
            .await
            .unwrap();
    }
    let page = serde_json::from_str(r#"{"name":"Orders"}"#).unwrap();
    store
        .pages()
        .create(&scope, svc_model::Draft::Off, page)
        .await
        .unwrap();
    store
        .api_keys()
        .create(NewApiKey::new(project, "ann@example.com"))
        .await
        .unwrap();
}

async fn rights_of(store: &Store, account: Uuid) -> AccountRights {
    store.accounts().rights(account).await.unwrap()
}

async fn projects_of(store: &Store, account: Uuid) -> Vec<Project> {
    let rights = rights_of(store, account).await;
    let names = rights.memberships.iter().map(|open| open.project.clone());
    let (names, projects) = (names.collect(), store.projects());
    let found = projects.get_all_for(account, &rights, names).await;
    found.unwrap()
}
