//! What is checked of a store in a PostgreSQL database.

use std::path::Path;

use svc_store::{DatabaseInspection, SealKey, Secret, Store, url_hint};

use super::{
    checks::{
        CLOCK_TOLERANCE, clock_alone, clock_of_store, key_check, not_looked_at, readable_by_others,
        resources, version,
    },
    report::{Check, Report},
};

pub(super) async fn run(url: &Secret, dir: &Path, key: Option<SealKey>) -> Report {
    let mut checks = vec![clock_alone()];
    let shown = url_hint(url);
    let found = match Store::inspect_database(url, dir, key.clone()).await {
        Ok(found) => found,
        Err(error) => {
            checks.push(Check::error(
                "connection",
                format!("the store {shown} cannot be read: {error}"),
                "look at the server and the network, and at --store (SVC_STORE)",
            ));
            return Report::new(checks);
        }
    };
    let server = &found.server_version;
    checks.push(Check::ok(
        "connection",
        format!("{shown} answers: PostgreSQL {server}"),
    ));
    checks.push(match found.version {
        None => Check::error(
            "version",
            format!("there is no store in {shown}"),
            "name its database with --store; the first command on an empty one makes a store, and svc store copy moves one there",
        ),
        some => version(some, found.known_version),
    });
    checks.extend(found.key.as_ref().map(key_check));
    checks.extend(permissions(&found));
    checks.push(rights(&found));
    checks.push(clock_of_server(&found));
    checks.extend(clock_of_store(found.newest_line));
    if found.version == Some(found.known_version) && matches!(found.key, Some(Ok(()))) {
        let store = Store::open_untouched_database(url, dir, key).await;
        checks.extend(resources(store).await);
    } else {
        checks.push(not_looked_at());
    }
    Report::new(checks)
}

/// Whether other users of this machine may read the key.
fn permissions(found: &DatabaseInspection) -> Option<Check> {
    found
        .key_file_readable_by_others
        .as_deref()
        .map(readable_by_others)
}

/// Whether the user of the database may do what the service does.
fn rights(found: &DatabaseInspection) -> Check {
    let (name, user) = ("rights", &found.user);
    let schema = found.schema.as_deref().unwrap_or("public");
    if found.may_write == Some(false) {
        return Check::error(
            name,
            format!("the user {user} may not write the tables of the store"),
            "let the service connect as the user who made the store",
        );
    }
    match found.may_change_structure {
        true => Check::ok(
            name,
            format!("the user {user} may write the store, and make tables"),
        ),
        false => Check::warning(
            name,
            format!(
                "the user {user} may not change the tables in the schema {schema}, which a later version of svc has to"
            ),
            format!(
                "let the service connect as the user who made the store, or: GRANT CREATE ON SCHEMA {schema} TO {user}"
            ),
        ),
    }
}

/// Whether the clocks agree: nodes are compared by what they write, and expiries by their own clocks.
fn clock_of_server(found: &DatabaseInspection) -> Check {
    let name = "clock of the server";
    let seconds = found.clock_ahead.as_secs();
    match found.clock_ahead.abs() > CLOCK_TOLERANCE {
        false => Check::ok(
            name,
            "the clock of the server agrees with that of this machine",
        ),
        true => Check::warning(
            name,
            format!(
                "the clock of the server is {} seconds {} that of this machine",
                seconds.unsigned_abs(),
                if seconds > 0 { "ahead of" } else { "behind" }
            ),
            "set both clocks, and keep them right with NTP: expiries of credentials depend on that of each machine",
        ),
    }
}
