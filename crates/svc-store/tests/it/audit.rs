//! The audit trail: which line a write leaves, how lines are found, and how the oldest end.

use std::collections::BTreeSet;

use jiff::Timestamp;
use svc_model::{Draft, Scope};
use svc_store::{
    Actor, ActorKind, AuditEntry, AuditFilter, AuditLine, Clock, EnvironmentCopy, EnvironmentPatch,
    ErrorKind, NewApiKey, NewEnvironment, NewProject, NewResource, NewServiceToken, NewStaticToken,
    NewUser, ProjectPatch, Registration, Rights, RightsRule, Secret, Store, StoreOptions,
    UserPatch,
};
use uuid::Uuid;

use crate::{Fixture, main_project, prod};

const PASSWORD: &str = "correct horse battery";

async fn all(store: &Store) -> Vec<AuditLine> {
    let mut lines = store
        .audit()
        .list(&AuditFilter::default(), 10_000)
        .await
        .unwrap();
    lines.reverse();
    lines
}

/// The lines that this leaves.
macro_rules! lines_of {
    ($store:expr, $work:expr) => {{
        let before = all(&$store).await.len();
        let done = $work.await.unwrap();
        (done, all(&$store).await.split_off(before))
    }};
}

/// The one line that this leaves.
macro_rules! line_of {
    ($store:expr, $work:expr) => {{
        let (done, mut lines) = lines_of!($store, $work);
        assert_eq!(lines.len(), 1, "{lines:?}");
        (done, lines.remove(0))
    }};
}

fn shape(line: &AuditLine) -> (&str, bool, bool) {
    (&line.action, line.before.is_some(), line.after.is_some())
}

#[tokio::test]
async fn everything_that_is_administered_leaves_a_line() {
    let fixture = Fixture::new().await;
    let store = &fixture.store;
    let (project, prod) = (main_project(), prod());

    let (_, line) = line_of!(store, store.projects().create(NewProject::new("crm")));
    assert_eq!(shape(&line), ("projects.create", false, true));
    assert_eq!(line.project.as_deref(), Some("crm"));
    assert_eq!(line.actor, Actor::program(None));
    let mut patch = ProjectPatch::default();
    patch.name = Some("Sales".to_owned());
    let crm = "crm".into();
    let (_, changed) = line_of!(store, store.projects().update(&crm, patch));
    assert_eq!(shape(&changed), ("projects.update", true, true));
    assert_eq!(changed.before, line.after);
    assert_ne!(changed.after, line.after);
    let (_, gone) = line_of!(store, store.projects().delete(&crm));
    assert_eq!(shape(&gone), ("projects.delete", true, false));
    assert_eq!(gone.before, changed.after);

    let new = NewEnvironment::new("stage");
    let (_, line) = line_of!(store, store.environments().create(&project, new));
    assert_eq!(shape(&line), ("environments.create", false, true));
    assert_eq!(line.environment.as_deref(), Some("stage"));
    let stage = Scope::new(&project, "stage");
    let mut patch = EnvironmentPatch::default();
    patch.params = Some(r#"{"hunter2":1}"#.to_owned());
    let (_, changed) = line_of!(store, store.environments().update(&stage, patch));
    assert_eq!(shape(&changed), ("environments.update", true, true));
    assert_eq!(changed.before, line.after);
    let mut copy = EnvironmentCopy::new("prod", "stage");
    copy.replace = true;
    let (_, copied) = line_of!(store, store.environments().copy(&project, copy));
    assert_eq!(shape(&copied), ("environments.copy", true, true));
    assert_eq!(copied.record.as_deref(), Some("prod"));
    assert_eq!((copied.before, copied.after), (changed.after, line.after));
    let (_, line) = line_of!(store, store.environments().delete(&stage));
    assert_eq!(shape(&line), ("environments.delete", true, false));

    let url = |path: &str| Secret::new(format!("sqlite:/{path}"));
    let connect = |path| NewResource::new("shop", url(path));
    let (_, line) = line_of!(
        store,
        store.resources().replace(&prod, connect("hunter2.db"))
    );
    assert_eq!(shape(&line), ("resources.create", false, true));
    assert_eq!(line.resource.as_deref(), Some("shop"));
    let (_, lines) = lines_of!(
        store,
        store.resources().replace(&prod, connect("hunter2.db"))
    );
    assert!(lines.is_empty(), "nothing was written: {lines:?}");
    let (_, changed) = line_of!(store, store.resources().replace(&prod, connect("b.db")));
    assert_eq!(shape(&changed), ("resources.update", true, true));

    let new = NewStaticToken::new(&prod, "shop");
    let (made, line) = line_of!(store, store.tokens().create(new));
    assert_eq!(shape(&line), ("tokens.create", false, true));
    assert_eq!(line.record, Some(made.credential.uid.to_string()));
    let (_, line) = line_of!(store, store.tokens().revoke(&made.credential.prefix));
    assert_eq!(shape(&line), ("tokens.revoke", true, true));
    assert_eq!(line.resource.as_deref(), Some("shop"));
    let new = NewServiceToken::new(&prod, "Editor");
    let (service, line) = line_of!(store, store.service_tokens().create(new));
    assert_eq!(shape(&line), ("service_tokens.create", false, true));
    let (_, line) = line_of!(
        store,
        store.service_tokens().revoke(&service.credential.prefix)
    );
    assert_eq!(shape(&line), ("service_tokens.revoke", true, true));
    let new = NewApiKey::new(&project, "ann@example.com");
    let (key, line) = line_of!(store, store.api_keys().create(new));
    assert_eq!(shape(&line), ("api_keys.create", false, true));
    store.api_keys().touch(key.credential.uid).await.unwrap();
    let (_, revoked) = line_of!(store, store.api_keys().revoke(&key.credential.prefix));
    assert_eq!(shape(&revoked), ("api_keys.revoke", true, true));
    assert_eq!(revoked.before, line.after, "its use does not change it");
    assert_eq!(revoked.project.as_deref(), Some("main"));

    let (_, line) = line_of!(
        store,
        store
            .members()
            .replace(&project, "bob@example.com", "Editor")
    );
    assert_eq!(shape(&line), ("members.replace", false, true));
    let (_, line) = line_of!(store, store.members().delete(&project, "bob@example.com"));
    assert_eq!(shape(&line), ("members.delete", true, false));

    let rule = RightsRule::new(Some("shop".into()), None, Rights::new(true, false, false));
    let (_, line) = line_of!(store, store.rights().set(&project, "Editor", rule));
    assert_eq!(shape(&line), ("rights.set", false, true));
    let (_, line) = line_of!(
        store,
        store
            .rights()
            .remove(&project, "Editor", Some("shop".into()), None)
    );
    assert_eq!(shape(&line), ("rights.remove", true, false));

    let team = store.teams().list(&project).await.unwrap().remove(1);
    let (_, line) = line_of!(store, store.teams().update(&project, team.uid, "Writers"));
    assert_eq!(shape(&line), ("teams.update", true, true));
    assert_eq!(line.model.as_deref(), Some("groups"));
    let (_, line) = line_of!(store, store.signing_keys().rotate(false));
    assert_eq!(shape(&line), ("signing_keys.rotate", false, false));

    let (_, gone) = line_of!(store, store.resources().delete(&prod, &"shop".into()));
    assert_eq!(shape(&gone), ("resources.delete", true, false));
    assert_eq!(gone.before, changed.after);
    // Lines outlive what they are about, and hold none of its secrets.
    let text = format!("{:?}", all(store).await);
    assert!(text.contains("\"crm\"") && !text.contains("hunter2"));
    for secret in [made.secret, service.secret, key.secret] {
        assert!(!text.contains(secret.expose()));
    }
}

#[tokio::test]
async fn pages_and_accounts_leave_a_line_by_whoever_they_were() {
    let fixture = Fixture::new().await;
    let (project, prod) = (main_project(), prod());
    let plain = &fixture.store;
    let key = Uuid::now_v7();
    let actor = Actor::new(ActorKind::ApiKey, key, "ann@example.com");
    let store = plain.acting(actor.clone(), Some("request-1"));

    let settings = serde_json::from_str(r#"{"name":"hidden words"}"#).unwrap();
    let pages = store.pages();
    let (page, line) = line_of!(plain, pages.create(&prod, Draft::Off, settings));
    assert_eq!(shape(&line), ("pages.create", false, true));
    assert_eq!(line.actor, actor);
    assert_eq!(line.request_id.as_deref(), Some("request-1"));
    assert_eq!(line.after.as_deref(), Some(page.etag.trim_matches('"')));
    let settings = page.settings().unwrap();
    let uid = settings.uid().unwrap();
    assert_eq!(line.record.as_deref(), Some(uid.as_str()));
    let patch: svc_model::JsonObject = serde_json::from_str(r#"{"params":"[1]"}"#).unwrap();
    let (_, line) = line_of!(
        plain,
        pages.update(&prod, Draft::Off, &uid, patch.clone(), None)
    );
    assert_eq!(shape(&line), ("pages.update", true, true));
    assert_ne!(line.before, line.after);
    let refused = pages.update(&prod, Draft::Off, &uid, patch, Some("\"other\""));
    let lines = all(plain).await.len();
    assert_eq!(
        refused.await.unwrap_err().kind(),
        ErrorKind::PreconditionFailed
    );
    assert_eq!(all(plain).await.len(), lines, "refused writes leave none");
    let (_, line) = line_of!(plain, pages.delete(&prod, Draft::Off, &uid, None));
    assert_eq!(shape(&line), ("pages.delete", true, false));

    let mut new = NewUser::new("eve@example.com", "Administrator");
    new.password = Some(Secret::new(PASSWORD));
    let users = store.users(&prod);
    let (user, line) = line_of!(plain, users.create(new, "http://a"));
    assert_eq!(shape(&line), ("users.create", false, true));
    assert_eq!(line.resource.as_deref(), Some("__svc_app__"));
    assert_eq!(line.model.as_deref(), Some("users"));
    let mut patch = UserPatch::default();
    patch.first_name = Some(Some("Eve".to_owned()));
    let (_, line) = line_of!(plain, users.update(user.uid, patch));
    assert_eq!(shape(&line), ("users.update", true, true));

    let visitor = plain.acting(Actor::anonymous(), Some("request-2"));
    let account = visitor.account(&prod, "http://a");
    let (_, lines) = lines_of!(
        plain,
        account.sign_in("eve@example.com", Secret::new("wrong password"))
    );
    assert!(lines.is_empty(), "{lines:?}");
    let (_, line) = line_of!(
        plain,
        account.sign_in("eve@example.com", Secret::new(PASSWORD))
    );
    assert_eq!(shape(&line), ("account.login", false, false));
    let eve = Actor::new(ActorKind::User, user.uid, "eve@example.com");
    assert_eq!(line.actor, eve);
    let (_, line) = line_of!(plain, account.reset_password("eve@example.com"));
    assert_eq!(shape(&line), ("account.reset_password", false, false));
    assert_eq!(line.actor, Actor::anonymous());
    assert_eq!(line.record, Some(user.uid.to_string()));
    let (_, line) = line_of!(plain, account.reset_password("typed-wrong@example.com"));
    assert_eq!(line.record, None, "what was typed is not kept");
    let new = Secret::new("battery horse correct");
    let current = Some(Secret::new(PASSWORD));
    let (_, line) = line_of!(plain, account.change_password(user.uid, new, current));
    assert_eq!(shape(&line), ("account.change_password", true, true));
    assert_ne!(line.before, line.after);

    let (_, lines) = lines_of!(
        plain,
        account.register(Registration::new("new@example.com", Secret::new(PASSWORD)))
    );
    assert!(lines.is_empty(), "sign-up is off");
    let mut patch = ProjectPatch::default();
    patch.sign_in.sign_up = Some(true);
    plain.projects().update(&project, patch).await.unwrap();
    for known in [false, true] {
        let (_, line) = line_of!(
            plain,
            account.register(Registration::new("new@example.com", Secret::new(PASSWORD)))
        );
        assert_eq!(shape(&line), ("account.register", known, true));
    }
    let text = format!("{:?}", all(plain).await);
    for word in [PASSWORD, "hidden words", "typed-wrong", "argon2", "battery"] {
        assert!(!text.contains(word), "{word}");
    }
}

#[tokio::test]
async fn a_refresh_leaves_no_line_until_a_token_is_used_again() {
    let fixture = Fixture::new().await;
    let prod = prod();
    let store = &fixture.store;
    let mut new = NewUser::new("eve@example.com", "Editor");
    new.password = Some(Secret::new(PASSWORD));
    store.users(&prod).create(new, "http://a").await.unwrap();
    let account = store.account(&prod, "http://a");
    let signed_in = account.sign_in("eve@example.com", Secret::new(PASSWORD));
    let svc_store::SignIn::Done(first, _) = signed_in.await.unwrap() else {
        panic!("not signed in");
    };
    let mut token = first.refresh_token.clone();
    let sessions = store.sessions();
    for _ in 0..3 {
        let (tokens, lines) = lines_of!(
            store,
            sessions.refresh(&prod.clone().into(), token.expose())
        );
        assert!(lines.is_empty(), "{lines:?}");
        token = tokens.unwrap().refresh_token;
        fixture.pass(60);
    }
    let (tokens, line) = line_of!(
        store,
        sessions.refresh(&prod.clone().into(), first.refresh_token.expose())
    );
    assert!(tokens.is_none());
    assert_eq!(shape(&line), ("account.end_session", false, false));
}

fn entry(action: &'static str, record: u32) -> AuditEntry {
    AuditEntry::new(action)
        .scope(&prod())
        .resource("shop")
        .model("orders")
        .record(record.to_string())
}

#[tokio::test]
async fn lines_are_found_by_what_they_say_the_newest_first() {
    let fixture = Fixture::new().await;
    let store = fixture.store.unaudited();
    assert!(!store.audit().is_on());
    let actor = Actor::new(ActorKind::StaticToken, Uuid::from_u128(7), "svct_abcdef");
    let acting = store.acting(actor, Some("r"));
    let begun = fixture.now();
    for number in 0..10 {
        let action = match number % 2 {
            0 => "records.create",
            _ => "records.update",
        };
        acting
            .audit()
            .append(vec![entry(action, number)])
            .await
            .unwrap();
        fixture.pass(1);
    }
    acting
        .audit()
        .append(vec![entry("recordsx.create", 99).project("other")])
        .await
        .unwrap();
    let found = async |set: &dyn Fn(&mut AuditFilter)| {
        let mut filter = AuditFilter::default();
        filter.resource = Some("shop".to_owned());
        set(&mut filter);
        let lines = store.audit().list(&filter, 100).await.unwrap();
        let records = lines.into_iter().map(|line| line.record.unwrap());
        records.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(found(&|_| ()).await, "99 9 8 7 6 5 4 3 2 1 0");
    assert_eq!(
        found(&|filter| filter.action = Some("records".to_owned())).await,
        "9 8 7 6 5 4 3 2 1 0"
    );
    assert_eq!(
        found(&|filter| filter.action = Some("records.update".to_owned())).await,
        "9 7 5 3 1"
    );
    assert_eq!(
        found(&|filter| filter.project = Some("other".into())).await,
        "99"
    );
    assert_eq!(
        found(&|filter| filter.record = Some("4".to_owned())).await,
        "4"
    );
    for actor in [
        "svct_abcdef",
        "static_token",
        "00000000-0000-0000-0000-000000000007",
    ] {
        let lines = found(&|filter| filter.actor = Some(actor.to_owned())).await;
        assert_eq!(lines.split(' ').count(), 11, "{actor}");
    }
    for nobody in ["%", "svct_abcde%", "user"] {
        let lines = found(&|filter| filter.actor = Some(nobody.to_owned())).await;
        assert_eq!(lines, "", "{nobody}");
    }
    let at = |second: i64| Timestamp::from_second(begun.as_second() + second).unwrap();
    assert_eq!(
        found(&|filter| {
            filter.since = Some(at(3));
            filter.until = Some(at(6));
        })
        .await,
        "5 4 3"
    );
    // Page by page it is the same.
    let (mut filter, mut walked) = (AuditFilter::default(), Vec::new());
    loop {
        let page = store.audit().list(&filter, 3).await.unwrap();
        filter.behind = page.last().map(|line| line.uid);
        walked.extend(page.iter().map(|line| line.uid));
        if page.len() < 3 {
            break;
        }
    }
    let whole = all(&store).await;
    let whole: Vec<_> = whole.iter().rev().map(|line| line.uid).collect();
    assert_eq!(walked, whole);
}

#[tokio::test]
async fn the_oldest_lines_are_taken_away_and_no_others() {
    let fixture = Fixture::new().await;
    let store = &fixture.store;
    let many: Vec<_> = (0..12_000)
        .map(|number| entry("records.bulk_create", number))
        .collect();
    store.audit().append(many).await.unwrap();
    fixture.pass(60);
    let cut = fixture.now();
    store
        .audit()
        .append(vec![entry("records.create", 1)])
        .await
        .unwrap();
    let revision = store.revision().await.unwrap();
    let before = {
        let mut filter = AuditFilter::default();
        filter.until = Some(cut);
        store.audit().list(&filter, 100_000).await.unwrap().len()
    };
    assert!(before >= 12_000);
    assert_eq!(store.audit().purge(cut).await.unwrap(), before as u64);
    let left = all(store).await;
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].action, "records.create");
    assert_eq!(store.revision().await.unwrap(), revision);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn lines_that_are_appended_at_once_are_all_there_in_one_order() {
    let folder = tempfile::tempdir().unwrap();
    // A clock that stands still: then only the counter tells lines apart.
    let mut options = StoreOptions::default();
    options.clock = Clock::from_fn(|| Timestamp::from_second(1_800_000_000).unwrap());
    let store = Store::open_with(folder.path(), options).await.unwrap();
    let tasks: Vec<_> = (0..8)
        .map(|task: u32| {
            let actor = Actor::new(ActorKind::User, Uuid::from_u128(task.into()), "a@b");
            let store = store.acting(actor, None);
            tokio::spawn(async move {
                for number in 0..100 {
                    let line = entry("records.create", number);
                    store.audit().append(vec![line]).await.unwrap();
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let lines = all(&store).await;
    assert_eq!(lines.len(), 800);
    let uids: BTreeSet<_> = lines.iter().map(|line| line.uid).collect();
    assert_eq!(uids.len(), 800);
    for task in 0..8_u32 {
        let uid = Uuid::from_u128(task.into());
        let mine = lines.iter().filter(|line| line.actor.uid == Some(uid));
        let records: Vec<u32> = mine
            .map(|line| line.record.as_deref().unwrap().parse().unwrap())
            .collect();
        assert_eq!(records, (0..100).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn a_store_without_a_trail_writes_all_the_same() {
    let fixture = Fixture::new().await;
    let lines = all(&fixture.store).await.len();
    let quiet = fixture.store.unaudited();
    quiet
        .projects()
        .create(NewProject::new("quiet"))
        .await
        .unwrap();
    quiet
        .audit()
        .append(vec![entry("records.create", 1)])
        .await
        .unwrap();
    assert_eq!(all(&fixture.store).await.len(), lines);
}
