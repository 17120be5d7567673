//! The structure of the store's database, step by step. A step that was released never changes; a change
//! is a new step.

use svc_data::Migration;

macro_rules! steps {
    ($($version:literal $name:ident $file:literal,)+) => {
        &[$(Migration {
            version: $version,
            name: stringify!($name),
            sql: include_str!(concat!("../../migrations/", $file)),
        }),+]
    };
}

pub(crate) const MIGRATIONS: &[Migration] = steps![
    1 control_plane "0001_control_plane.sql",
    2 users "0002_users.sql",
    3 page_revisions "0003_page_revisions.sql",
    4 proxy "0004_proxy.sql",
    5 audit "0005_audit.sql",
    6 audit_status "0006_audit_status.sql",
    7 write_marks "0007_write_marks.sql",
    8 operations "0008_operations.sql",
    9 audit_keys "0009_audit_keys.sql",
    10 imports "0010_imports.sql",
    11 accounts "0011_accounts.sql",
    12 administration "0012_administration.sql",
    13 static_token_limits "0013_static_token_limits.sql",
    14 audit_changes "0014_audit_changes.sql",
    15 keys "0015_keys.sql",
    16 nodes "0016_nodes.sql",
    17 node_questions "0017_node_questions.sql",
    18 lists "0018_lists.sql",
    19 user_states "0019_user_states.sql",
    20 audit_requests "0020_audit_requests.sql",
    21 audit_projects "0021_audit_projects.sql",
    22 indexes "0022_indexes.sql",
];
