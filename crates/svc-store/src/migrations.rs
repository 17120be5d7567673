//! The structure of the store's database, step by step. A step that was released never changes; a change
//! is a new step.

use svc_data::Migration;

pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration {
        version: 1,
        name: "control_plane",
        sql: include_str!("../migrations/0001_control_plane.sql"),
    },
    Migration {
        version: 2,
        name: "users",
        sql: include_str!("../migrations/0002_users.sql"),
    },
    Migration {
        version: 3,
        name: "page_revisions",
        sql: include_str!("../migrations/0003_page_revisions.sql"),
    },
    Migration {
        version: 4,
        name: "proxy",
        sql: include_str!("../migrations/0004_proxy.sql"),
    },
    Migration {
        version: 5,
        name: "audit",
        sql: include_str!("../migrations/0005_audit.sql"),
    },
    Migration {
        version: 6,
        name: "audit_status",
        sql: include_str!("../migrations/0006_audit_status.sql"),
    },
    Migration {
        version: 7,
        name: "write_marks",
        sql: include_str!("../migrations/0007_write_marks.sql"),
    },
    Migration {
        version: 8,
        name: "operations",
        sql: include_str!("../migrations/0008_operations.sql"),
    },
];
