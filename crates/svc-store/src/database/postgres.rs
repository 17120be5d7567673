//! What of the store's statements PostgreSQL has other words for. Everything else is the same on both engines.

use svc_data::database::Wording;

/// How SQLite makes an identifier in a migration that gives rows one which had none.
const MADE_UID: &str =
    "lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-' || hex(randomblob(2)) || '-' || hex(randomblob(2))
        || '-' || hex(randomblob(6)))";

/// Texts that stand in statements and migrations, and what stands there instead.
pub(crate) const WORDING: Wording = &[
    ("json_object(", "json_build_object("),
    ("json_quote(", "to_json("),
    ("json_group_array(", "json_agg("),
    (MADE_UID, "gen_random_uuid()::text"),
    ("json_each(keys) AS key", ELEMENTS_OF_KEYS),
    ("json_each(held.keys) AS key", ELEMENTS_OF_HELD_KEYS),
    // Counted from 0 there, and from 1 here.
    ("MIN(key.key)", "MIN(key.key) - 1"),
];

const ELEMENTS_OF_KEYS: &str =
    "json_array_elements_text(keys::json) WITH ORDINALITY AS key(value, key)";
const ELEMENTS_OF_HELD_KEYS: &str =
    "json_array_elements_text(held.keys::json) WITH ORDINALITY AS key(value, key)";
