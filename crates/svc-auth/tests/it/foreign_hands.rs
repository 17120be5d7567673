//! A file of tokens that cannot be written, is damaged, or is changed by others while a session uses it.

use std::{fs, path::Path, pin::Pin, task::Poll};

use svc_auth::{AuthError, AuthErrorKind, AuthState, FileStore, Session, StoredTokens, TokenStore};

use crate::support::{Server, TestClock, at_once, block_on, builder, header, poll, tokens};

struct World {
    /// Deleted when it is dropped.
    folder: tempfile::TempDir,
    clock: TestClock,
    server: Server,
    session: Session,
}

impl World {
    /// A session whose token has 20 seconds to live.
    fn due(delay: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = TestClock::new();
        let server = Server::new(&clock).delay(delay);
        let server = server.grace(std::time::Duration::from_secs(10));
        let store = FileStore::new(folder.path().join("tokens.json"));
        let session = builder(&server).store(store).build();
        at_once(session.set(server.login())).unwrap();
        clock.pass(880);
        Self {
            folder,
            clock,
            server,
            session,
        }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    fn store(&self) -> FileStore {
        FileStore::new(self.path("tokens.json"))
    }

    fn kept(&self) -> Option<StoredTokens> {
        at_once(self.store().load()).unwrap()
    }

    fn call(&self) -> Result<String, AuthError> {
        block_on(header(&self.session)).map(Option::unwrap)
    }
}

/// The file is named, and what to do about it.
fn assert_names_the_file(error: &AuthError, remedy: &str) {
    assert_eq!(error.kind(), AuthErrorKind::Transient);
    assert_eq!(error.to_string(), "the session could not be refreshed");
    let cause = std::error::Error::source(error).unwrap().to_string();
    assert!(cause.contains("tokens.json"), "{cause}");
    assert!(cause.contains(remedy), "{cause}");
}

#[test]
fn with_a_file_that_cannot_be_written_the_valid_token_is_used_and_no_new_one_is_lost() {
    // What stands where a file has to be written, and how many refreshes are sent meanwhile.
    for (obstacle, refreshes) in [
        // Nothing in the folder can be made.
        ("tokens.json.refresh", 0),
        // The disk is full, or the file cannot be replaced.
        ("tokens.json.lock", 1),
        ("tokens.json.tmp", 1),
    ] {
        let world = World::due(0);
        let obstacle = world.path(obstacle);
        let _ = fs::remove_file(&obstacle);
        fs::create_dir_all(obstacle.join("in the way")).unwrap();
        for _ in 0..10 {
            assert_eq!(world.call().unwrap(), "JWT a1", "{obstacle:?}");
        }
        world.clock.pass(20);
        for _ in 0..10 {
            assert_names_the_file(
                &world.call().unwrap_err(),
                "may this program read and write it",
            );
        }
        assert_eq!(world.server.refreshes(), refreshes, "{obstacle:?}");
        assert_eq!(world.kept().unwrap().state().refresh_token.expose(), "r1");

        fs::remove_dir_all(&obstacle).unwrap();
        world.clock.pass(10);
        assert_eq!(world.call().unwrap(), "JWT a2");
        assert_eq!(world.server.refreshes(), 1, "{obstacle:?}");
        assert_eq!(
            world.kept().map(|kept| kept.state().clone()),
            world.session.tokens()
        );
    }
}

/// A permission that is missing. The superuser needs none.
#[cfg(unix)]
#[test]
fn in_a_folder_without_permission_to_write_the_tokens_are_read_and_used() {
    use std::os::unix::fs::PermissionsExt as _;

    let world = World::due(0);
    let mode = |mode| {
        let mode = fs::Permissions::from_mode(mode);
        fs::set_permissions(world.folder.path(), mode).unwrap();
    };
    mode(0o500);
    if fs::write(world.path("probe"), "").is_err() {
        let restored = builder(&world.server).store(world.store()).build();
        for session in [&world.session, &restored] {
            assert_eq!(at_once(header(session)).unwrap().unwrap(), "JWT a1");
        }
        assert!(at_once(world.session.set(world.server.login())).is_err());
        assert_eq!(world.server.refreshes(), 0);
    }
    mode(0o700);
}

#[cfg(unix)]
#[test]
fn on_a_full_disk_the_old_tokens_stay() {
    const FILE: &str = "SVC_AUTH_TEST_FULL";
    let stored = |name| StoredTokens::begin(tokens(name, name, None, None));
    if let Ok(path) = std::env::var(FILE) {
        let error = at_once(FileStore::new(path).replace(Some(&stored("new")))).unwrap_err();
        assert!(
            error.to_string().contains("tokens.json cannot be written"),
            "{error}"
        );
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let store = FileStore::new(folder.path().join("tokens.json"));
    at_once(store.replace(Some(&stored("old")))).unwrap();
    // A process for which every write to a file fails.
    let limited = "trap '' XFSZ; ulimit -f 0; exec \"$0\" --exact \"$1\"";
    let done = std::process::Command::new("sh")
        .args(["-c", limited])
        .arg(std::env::current_exe().unwrap())
        .arg("foreign_hands::on_a_full_disk_the_old_tokens_stay")
        .env(FILE, store.path())
        .output()
        .unwrap();
    let shown = String::from_utf8_lossy(&done.stdout);
    assert!(
        done.status.success() && shown.contains("1 passed"),
        "{shown}"
    );
    assert_eq!(at_once(store.load()).unwrap(), Some(stored("old")));
    assert!(is_clean(folder.path()));
}

/// What is in the file all of a sudden.
fn damages() -> [Vec<u8>; 7] {
    let huge = format!(r#"{{"padding":"{}"}}"#, "x".repeat(17 * 1024 * 1024));
    [
        br#"{"svc_auth":{"access_token":"a1","refr"#.to_vec(),
        b"\0\xff\xfe garbage".to_vec(),
        br#"{"svc_auth":{"version":2,"tokens":{}}}"#.to_vec(),
        br#"{"svc_auth":"another version"}"#.to_vec(),
        b"[]".to_vec(),
        "[".repeat(100_000).into_bytes(),
        huge.into_bytes(),
    ]
}

#[test]
fn a_file_that_is_damaged_while_it_is_used_is_named_and_left_as_it_is() {
    for damage in damages() {
        // Before the refresh reads the file, or between that and the write.
        for polls in [0, 1] {
            let world = World::due(4);
            let mut call = Box::pin(header(&world.session));
            for _ in 0..polls {
                assert!(poll(&mut call).is_pending());
            }
            let path = world.path("tokens.json");
            fs::write(&path, &damage).unwrap();
            assert_eq!(block_on(call).unwrap().unwrap(), "JWT a1");
            world.clock.pass(20);
            assert_names_the_file(&world.call().unwrap_err(), "delete it and sign in again");
            assert!(at_once(world.session.set(world.server.login())).is_err());
            assert_eq!(fs::read(&path).unwrap(), damage);
            // A session that is made now says the same.
            let restored = builder(&world.server).store(world.store()).build();
            let error = block_on(header(&restored)).unwrap_err();
            assert_eq!(error.kind(), AuthErrorKind::Permanent);

            // Who deletes the file signs nobody out who is here.
            fs::remove_file(&path).unwrap();
            world.clock.pass(10);
            assert_ne!(world.call().unwrap(), "JWT a1");
            assert_eq!(world.server.refreshes(), 1);
            let login = world.server.login();
            at_once(world.session.set(login.clone())).unwrap();
            assert_eq!(world.kept().map(|kept| kept.state().clone()), Some(login));
        }
    }
}

/// What another program does with the file.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Change {
    SignsOut,
    DeletesTheFile,
    SignsInAsAnother,
    SignsInElsewhere,
    Refreshes,
    KeepsSomethingOfItsOwn,
}

impl Change {
    fn make(self, world: &World) {
        let store = world.store();
        let put = |tokens: Option<&StoredTokens>| at_once(store.replace(tokens)).unwrap();
        match self {
            Self::SignsOut => put(None),
            Self::DeletesTheFile => fs::remove_file(store.path()).unwrap(),
            Self::SignsInAsAnother => put(Some(&StoredTokens::begin(world.server.login()))),
            Self::SignsInElsewhere => {
                let place = r#"{"api_base_url":"https://b.test","project":"p","environment":"e"}"#;
                let entry = format!(
                    r#"{{"svc_auth":{{"access_token":"b","refresh_token":"b","place":{place}}}}}"#
                );
                fs::write(store.path(), entry).unwrap();
            }
            Self::Refreshes => {
                let kept = world.kept().unwrap();
                let token = kept.state().refresh_token.expose();
                let (_, answer) = world
                    .server
                    .refresh(format!(r#"{{"refresh_token":"{token}"}}"#).as_bytes());
                let state: AuthState = serde_json::from_str(&answer).unwrap();
                put(Some(&kept.renewed(state)));
            }
            Self::KeepsSomethingOfItsOwn => {
                let text = fs::read_to_string(store.path()).unwrap();
                let theme = r#"{"theme":"dark","svc_auth":{"language":"en","#;
                let text = text.replacen(r#"{"svc_auth":{"#, theme, 1);
                fs::write(store.path(), text).unwrap();
            }
        }
    }
}

/// Runs a call of which the first polls come before the change.
fn run(world: &World, change: Change, polls: usize) -> (String, bool) {
    let mut call: Pin<Box<dyn Future<Output = _>>> = Box::pin(header(&world.session));
    for _ in 0..polls {
        if let Poll::Ready(sent) = poll(&mut call) {
            change.make(world);
            return (Result::unwrap(sent).unwrap(), true);
        }
    }
    change.make(world);
    (block_on(call).unwrap().unwrap(), false)
}

#[test]
fn what_another_program_does_with_the_file_at_any_moment_costs_nobody_a_session() {
    use Change::{
        DeletesTheFile, KeepsSomethingOfItsOwn, Refreshes, SignsInAsAnother, SignsInElsewhere,
        SignsOut,
    };

    for change in [
        SignsOut,
        DeletesTheFile,
        SignsInAsAnother,
        SignsInElsewhere,
        Refreshes,
        KeepsSomethingOfItsOwn,
    ] {
        for polls in 0..14 {
            let world = World::due(4);
            let (sent, was_early) = run(&world, change, polls);
            let what = format!("{change:?} after {polls} polls");
            let kept = world.kept().map(|kept| kept.state().clone());
            let own = world.session.tokens().unwrap();
            assert_ne!(sent, "JWT a1", "{what}");
            match change {
                SignsOut | DeletesTheFile => assert_eq!(kept, None, "{what}"),
                SignsInAsAnother => assert_ne!(kept, Some(own), "{what}"),
                SignsInElsewhere => assert_eq!(kept.unwrap().access_token.expose(), "b", "{what}"),
                // If the other one was faster, its tokens are used.
                Refreshes if was_early => assert_ne!(kept, Some(own), "{what}"),
                Refreshes => assert_eq!(kept, Some(own), "{what}"),
                KeepsSomethingOfItsOwn => {
                    let text = fs::read_to_string(world.path("tokens.json")).unwrap();
                    assert!(
                        text.contains("dark") && text.contains("language"),
                        "{what}: {text}"
                    );
                    assert_eq!(kept, Some(own), "{what}");
                }
            }
            // The session goes on, for as long as it likes.
            for _ in 0..5 {
                world.clock.pass(890);
                assert!(world.call().is_ok(), "{what}");
            }
            assert_eq!(world.server.ended(), 0, "{what}");
            assert!(is_clean(world.folder.path()), "{what}");
        }
    }
}

/// Whether no half of a file is left.
fn is_clean(folder: &Path) -> bool {
    !folder.join("tokens.json.tmp").exists()
}
