//! The file of tokens.

use std::{fs, path::Path};

use svc_auth::{AuthState, FileStore, StoredTokens, Swap, TokenStore};

use crate::support::{at_once, block_on, poll, tokens};

fn stored(name: &str) -> StoredTokens {
    StoredTokens::begin(tokens(
        &format!("a-{name}"),
        &format!("r-{name}"),
        None,
        None,
    ))
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn tokens_are_put_taken_and_swapped() {
    let folder = tempfile::tempdir().unwrap();
    let store = FileStore::new(folder.path().join("tokens.json"));
    let (one, two) = (stored("1"), stored("2"));
    assert_eq!(at_once(store.load()).unwrap(), None);
    at_once(store.replace(None)).unwrap();
    assert_eq!(
        at_once(store.swap(&one, Some(&two))).unwrap(),
        Swap::Refused(None)
    );
    at_once(store.replace(Some(&one))).unwrap();
    assert_eq!(at_once(store.load()).unwrap().as_ref(), Some(&one));
    assert_eq!(
        at_once(store.swap(&two, None)).unwrap(),
        Swap::Refused(Some(one.clone()))
    );
    assert_eq!(at_once(store.swap(&one, Some(&two))).unwrap(), Swap::Done);
    assert_eq!(at_once(store.load()).unwrap().as_ref(), Some(&two));
    assert_eq!(at_once(store.swap(&two, None)).unwrap(), Swap::Done);
    assert_eq!(at_once(store.load()).unwrap(), None);
    assert_eq!(names(folder.path()), ["tokens.json", "tokens.json.lock"]);
}

#[test]
fn other_keys_stay_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.json");
    fs::write(&path, r#"{"theme": {"dark":  true}, "n": 1.0e400}"#).unwrap();
    let store = FileStore::new(&path);
    at_once(store.replace(Some(&stored("1")))).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(r#""theme":{"dark":  true}"#), "{text}");
    assert!(text.contains(r#""n":1.0e400"#), "{text}");
    at_once(store.replace(None)).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text, "{\"n\":1.0e400,\"theme\":{\"dark\":  true}}\n");
}

#[test]
fn an_entry_of_another_program_is_a_session_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens.json");
    fs::write(
        &path,
        r#"{"svc_auth":{"access_token":"a","refresh_token":"r"}}"#,
    )
    .unwrap();
    let kept = at_once(FileStore::new(&path).load()).unwrap().unwrap();
    let state: AuthState = tokens("a", "r", None, None);
    assert_eq!(kept, StoredTokens::begin(state));
}

#[test]
fn an_empty_file_keeps_nothing_and_a_damaged_one_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens.json");
    let store = FileStore::new(&path);
    fs::write(&path, "").unwrap();
    assert_eq!(at_once(store.load()).unwrap(), None);
    for damaged in [
        "{",
        "[]",
        "{\"svc_auth\":{\"access_token\":\"hidden",
        r#"{"svc_auth":{"access_token":"hidden"}}"#,
        r#"{"svc_auth":{"access_token":"hid den","refresh_token":"r"}}"#,
    ] {
        fs::write(&path, damaged).unwrap();
        let errors = [
            at_once(store.load()).unwrap_err(),
            at_once(store.replace(Some(&stored("1")))).unwrap_err(),
            at_once(store.swap(&stored("1"), None)).unwrap_err(),
        ];
        for error in errors {
            let message = error.to_string();
            assert!(message.contains(path.to_str().unwrap()), "{message}");
            assert!(message.contains("delete it"), "{message}");
            assert!(!format!("{error:?}").contains("hid"), "{error:?}");
        }
        // It may be the only copy of something.
        assert_eq!(fs::read_to_string(&path).unwrap(), damaged);
    }
}

#[test]
fn what_a_crash_left_is_no_obstacle() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens.json");
    fs::write(folder.path().join("tokens.json.tmp"), "{\"half").unwrap();
    let store = FileStore::new(&path);
    at_once(store.replace(Some(&stored("1")))).unwrap();
    assert_eq!(at_once(store.load()).unwrap(), Some(stored("1")));
    assert_eq!(names(folder.path()), ["tokens.json", "tokens.json.lock"]);
}

#[cfg(unix)]
#[test]
fn nobody_else_may_read_the_file_or_the_folder_that_is_made_for_it() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("made/here/tokens.json");
    let store = FileStore::new(&path);
    at_once(store.replace(Some(&stored("1")))).unwrap();
    drop(block_on(store.lease()).unwrap());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    for name in ["tokens.json", "tokens.json.lock", "tokens.json.refresh"] {
        assert_eq!(mode(&path.with_file_name(name)), 0o600, "{name}");
    }
    // A file that was too open is not so any more once it is written.
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    at_once(store.replace(Some(&stored("2")))).unwrap();
    assert_eq!(mode(&path), 0o600);
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_written_is_named() {
    let store = FileStore::new("/dev/null/tokens.json");
    let error = at_once(store.replace(Some(&stored("1")))).unwrap_err();
    assert!(
        error.to_string().contains("/dev/null/tokens.json"),
        "{error}"
    );
    assert!(std::error::Error::source(&error).is_some());
    assert!(block_on(store.lease()).is_err());
}

#[test]
fn one_at_a_time_has_the_lease() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens.json");
    let (one, two) = (FileStore::new(&path), FileStore::new(&path));
    let lease = block_on(one.lease()).unwrap();
    let mut waiting = Box::pin(two.lease());
    assert!(poll(&mut waiting).is_pending());
    // Anyone who gives up waiting does not keep the others from it.
    let mut gone = Box::pin(two.lease());
    assert!(poll(&mut gone).is_pending());
    drop(gone);
    // A change does not wait for the lease.
    at_once(two.replace(Some(&stored("1")))).unwrap();
    assert!(poll(&mut waiting).is_pending());
    drop(lease);
    let lease = block_on(waiting).unwrap();
    drop(lease);
    drop(block_on(one.lease()).unwrap());
}
