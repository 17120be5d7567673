//! What is checked.

use std::{path::Path, time::Duration};

use jiff::{SignedDuration, Timestamp};
use svc_data::{Resource, ResourceOptions, ResourceUrl};
use svc_store::{ConnectedResource, Inspection, SealKey, Store};

use super::report::{Check, Report};
use crate::{
    context::has_store,
    error::Error,
    output::{counted, time},
};

/// How long a database may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// How many databases are asked at once.
const AT_ONCE: usize = 8;
/// How far apart the clocks of two machines may be.
pub(super) const CLOCK_TOLERANCE: SignedDuration = SignedDuration::from_mins(1);
/// A clock that is before this time, when this program did not exist, is wrong.
const PROGRAM_BEGAN: &str = "2026-01-01T00:00:00Z";
/// Below this many free bytes the store takes no writes for much longer.
#[cfg(unix)]
const LITTLE_SPACE: u64 = 64 << 20;
/// Free space for a copy of the store and this much is enough.
#[cfg(unix)]
const ENOUGH_SPACE: u64 = 256 << 20;

pub(super) async fn run(dir: &Path, key: Option<SealKey>) -> Report {
    let mut checks = vec![clock_alone()];
    let shown = dir.display();
    if !has_store(dir) {
        checks.push(Check::error(
            "folder",
            format!("there is no store in {shown}"),
            "name its folder with --dir",
        ));
        return Report::new(checks);
    }
    let found = match Store::inspect(dir, key.clone()).await {
        Ok(found) => found,
        Err(error) => {
            let remedy = "run svc doctor as the user who runs the service, or name another folder with --dir";
            checks.push(Check::error("folder", error.to_string(), remedy));
            return Report::new(checks);
        }
    };
    checks.extend([
        integrity(&found, dir),
        version(found.version, found.known_version),
    ]);
    checks.extend(found.key.as_ref().map(key_check));
    checks.push(permissions(&found));
    checks.push(journal(&found));
    checks.extend(clock_of_store(found.newest_line));
    #[cfg(unix)]
    checks.push(space(&found, dir));
    let is_readable = found.integrity.is_ok() && found.version == Some(found.known_version);
    if is_readable && matches!(found.key, Some(Ok(()))) {
        checks.extend(resources(Store::open_untouched(dir, key).await).await);
    } else {
        checks.push(not_looked_at());
    }
    Report::new(checks)
}

/// What is said of the resources of a store that cannot be opened.
pub(super) fn not_looked_at() -> Check {
    Check::warning(
        "resources",
        "the resources were not looked at, since the store cannot be opened as it is",
        "do what the other checks say, and run svc doctor again",
    )
}

fn integrity(found: &Inspection, dir: &Path) -> Check {
    let name = "integrity";
    match &found.integrity {
        Ok(()) if found.skips_log => Check::warning(
            name,
            "the database is whole, but a log lies beside it that was not read: its program was killed, or it was \
             copied here",
            "keep the file store.db-wal; the next start of the service takes it over",
        ),
        Ok(()) => Check::ok(name, "the database of the store is whole"),
        Err(error) => Check::error(
            name,
            error.to_string(),
            format!(
                "stop the service, keep a copy of {} as it is, and make the store again with svc restore",
                dir.display()
            ),
        ),
    }
}

pub(super) fn version(found: Option<u32>, known: u32) -> Check {
    let (name, program) = ("version", env!("CARGO_PKG_VERSION"));
    match found {
        Some(version) if version == known => Check::ok(
            name,
            format!("the store has version {version}, that of svc {program}"),
        ),
        Some(version) if version < known => Check::warning(
            name,
            format!("the store has version {version}, and svc {program} makes version {known}"),
            "back it up, and start the service with this program, which brings the store to its version",
        ),
        Some(version) => Check::error(
            name,
            format!(
                "the store has version {version}, and svc {program} reads versions up to {known}"
            ),
            "use the version of svc that wrote the store, or a later one",
        ),
        None => Check::error(
            name,
            "the database has no version: it is empty, damaged, or not that of a store",
            "make the store again with svc restore, or name another folder with --dir",
        ),
    }
}

pub(super) fn key_check(found: &svc_store::Result<()>) -> Check {
    match found {
        Ok(()) => Check::ok("key", "the key belongs to the store"),
        Err(error) => Check::error(
            "key",
            error.to_string(),
            "put a copy of the right key in its place, or name one with --key-file; svc restore takes the key out of a \
             backup that was made with --with-key",
        ),
    }
}

/// The file of `--key-file` cannot be used.
pub(super) fn unusable_key(error: &Error) -> Check {
    Check::error(
        "key",
        error.to_string(),
        "set --key-file, SVC_KEY_FILE or key-file in the configuration file to the file that has the key of the store",
    )
}

/// Other users of this machine may read a file with a secret.
pub(super) fn readable_by_others(file: &Path) -> Check {
    let file = file.display();
    Check::warning(
        "permissions",
        format!("other users of this machine may read {file}"),
        format!("chmod 600 {file}"),
    )
}

/// Whether other users of this machine may read the file of `--key-file`.
#[cfg(unix)]
pub(super) fn readable_key(file: &Path) -> Option<Check> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::metadata(file).ok()?.permissions().mode();
    (mode & 0o077 != 0).then(|| readable_by_others(file))
}

#[cfg(not(unix))]
pub(super) fn readable_key(_: &Path) -> Option<Check> {
    None
}

fn permissions(found: &Inspection) -> Check {
    let name = "permissions";
    let Some(first) = found.readable_by_others.first() else {
        return Check::ok(name, "only the owner may read the folder and its files");
    };
    let names = found.readable_by_others.iter();
    let names: Vec<String> = names.map(|path| path.display().to_string()).collect();
    let remedy = match first.is_dir() {
        true => format!("chmod 700 {0} && chmod 600 {0}/store.*", first.display()),
        false => format!("chmod 600 {}", names.join(" ")),
    };
    Check::warning(
        name,
        format!("other users of this machine may read {}", names.join(", ")),
        remedy,
    )
}

fn journal(found: &Inspection) -> Check {
    let name = "audit journal";
    let journals = match &found.journals {
        None => {
            return Check::warning(
                name,
                "the journal was not read: another process opens the store at this moment",
                "run svc doctor again; when it stays so, look for a process that hangs while it opens the store",
            );
        }
        Some(Err(error)) => {
            let remedy = "run svc doctor as the user who runs the service";
            return Check::error(name, error.to_string(), remedy);
        }
        Some(Ok(journals)) => journals,
    };
    let services = match journals.running {
        0 => "no service runs".to_owned(),
        running => format!("{} running", counted(running, "service")),
    };
    if journals.unreadable > 0 {
        return Check::error(
            name,
            format!(
                "{} of the journal cannot be read; {services}",
                counted(journals.unreadable, "entry")
            ),
            "svc audit check compares the trail with the databases; keep the files store.writes.*",
        );
    }
    if journals.left > 0 {
        let (lines, unknown) = (
            counted(journals.lines, "line"),
            counted(journals.unknown, "write"),
        );
        return Check::warning(
            name,
            format!(
                "a service was killed and left its journal, with {lines} that the store does not have yet and {unknown} of \
                 unknown outcome; {services}"
            ),
            "start the service, which takes them over; then svc audit check names the writes to look at",
        );
    }
    Check::ok(name, format!("no journal was left behind; {services}"))
}

/// Whether the clock can be right at all.
pub(super) fn clock_alone() -> Check {
    let now = Timestamp::now();
    match PROGRAM_BEGAN.parse() {
        Ok(began) if now < began => Check::error(
            "clock",
            format!(
                "the clock of this machine says {}, which is in the past",
                time(now)
            ),
            "set the clock, and keep it right with NTP: expiries of credentials depend on it",
        ),
        _ => Check::ok(
            "clock",
            format!("the clock of this machine says {}", time(now)),
        ),
    }
}

/// Whether the clock has gone back since the store was written.
pub(super) fn clock_of_store(newest_line: Option<Timestamp>) -> Option<Check> {
    let newest = newest_line?;
    let ahead = newest.duration_since(Timestamp::now());
    (ahead > CLOCK_TOLERANCE).then(|| {
        Check::error(
            "clock of the store",
            format!(
                "the store was written at {}, which is in the future: the clock of this machine is behind, or was ahead",
                time(newest)
            ),
            "set the clock, and keep it right with NTP: expiries of credentials depend on it",
        )
    })
}

#[cfg(unix)]
fn space(found: &Inspection, dir: &Path) -> Check {
    let name = "free space";
    let mebibytes = |bytes: u64| format!("{} MiB", bytes >> 20);
    let system = match rustix::fs::statvfs(dir) {
        Ok(system) => system,
        Err(error) => {
            let message = format!("the free space cannot be found out: {error}");
            return Check::warning(name, message, "look at it with df");
        }
    };
    let free = system.f_bavail.saturating_mul(system.f_frsize);
    let message = format!(
        "{} free; the store has {}",
        mebibytes(free),
        mebibytes(found.bytes)
    );
    let remedy = "free some space; lines of the audit trail are removed after --audit-days";
    if free < LITTLE_SPACE {
        Check::error(name, message, remedy)
    } else if free < found.bytes.saturating_add(ENOUGH_SPACE) {
        Check::warning(name, message, remedy)
    } else {
        Check::ok(name, message)
    }
}

/// Whether each resource can be reached.
pub(super) async fn resources(store: svc_store::Result<Store>) -> Vec<Check> {
    let connected = match store {
        Ok(store) => store.resources().list_connected().await,
        Err(error) => Err(error),
    };
    let connected = match connected {
        Ok(connected) => connected,
        Err(error) => {
            let remedy = "connect the resource that is named again with svc resource set";
            return vec![Check::error("resources", error.to_string(), remedy)];
        }
    };
    if connected.is_empty() {
        return vec![Check::ok("resources", "no resource is connected")];
    }
    let mut checks = Vec::with_capacity(connected.len());
    for group in connected.chunks(AT_ONCE) {
        let tasks: Vec<_> = group
            .iter()
            .cloned()
            .map(|resource| tokio::spawn(reach(resource)))
            .collect();
        for task in tasks {
            checks.extend(task.await);
        }
    }
    checks
}

/// Whether a resource can be reached. Nothing is created beside it.
async fn reach(connected: ConnectedResource) -> Check {
    let ConnectedResource { resource, url, .. } = connected;
    let scope = &resource.scope;
    let (project, environment) = (&scope.project, &scope.environment);
    let name = format!("resource {project}/{environment}/{}", resource.unique_name);
    let remedy = "look at the database and the network; svc resource test tries an address, and svc resource set changes it";
    let url = match url.expose().parse::<ResourceUrl>() {
        Ok(url) => url,
        Err(error) => return Check::error(name, error.to_string(), remedy),
    };
    let options = ResourceOptions::default();
    match tokio::time::timeout(PATIENCE, Resource::examine(&url, &options)).await {
        Ok(Ok(examined)) => Check::ok(name, format!("it can be reached: {}", examined.version)),
        Ok(Err(error)) => Check::error(name, error.to_string(), remedy),
        Err(_) => {
            let message = format!("it does not answer within {} seconds", PATIENCE.as_secs());
            Check::error(name, message, remedy)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admin::doctor::report::State;

    #[tokio::test]
    async fn a_folder_without_a_store_is_an_error_and_stays_empty() {
        let folder = tempfile::tempdir().unwrap();
        let report = run(folder.path(), None).await;
        assert_eq!(report.exit_status(), 2);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[tokio::test]
    async fn a_clock_that_went_back_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        drop(Store::open(folder.path()).await.unwrap());
        let mut found = Store::inspect(folder.path(), None).await.unwrap();
        assert!(clock_of_store(found.newest_line).is_none());
        found.newest_line = Some(Timestamp::now() + Duration::from_secs(3_600));
        assert_eq!(
            clock_of_store(found.newest_line).unwrap().state(),
            State::Error
        );
        assert_eq!(clock_alone().state(), State::Ok);
    }

    #[test]
    fn a_version_decides_by_that_of_the_program() {
        let known = 7;
        for (found, state) in [
            (Some(known), State::Ok),
            (Some(known - 1), State::Warning),
            (Some(known + 1), State::Error),
            (None, State::Error),
        ] {
            assert_eq!(version(found, known).state(), state, "{found:?}");
        }
    }
}
