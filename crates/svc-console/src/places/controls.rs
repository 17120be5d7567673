//! The parameters with which the address of a list says more than the list that the service is asked for.

use svc_model::{QueryString, query::parse_pairs};

/// The parameter with which the form of the columns moves one: `left` or `right`, a point, and the column.
pub(crate) const MOVE: &str = "_move";
/// The parameter with which that form stays open then.
pub(crate) const ARRANGED: &str = "_arranged";
/// The parameter that asks for the number of records.
pub(crate) const COUNTED: &str = "_counted";

/// The parameter that names the line of the audit trail about a change of many records.
pub(crate) const LINE: &str = "_line";
/// The parameter that names the request which changed many records.
pub(crate) const REQUEST: &str = "_request";

/// The parameter that names a field to which the database gave another value than it had before.
pub(crate) const EXCEPT: &str = "_except";

/// The parameters that forms of a list add, and the list does not know. No field is called like them in an address.
const CONTROLS: [&str; 25] = [
    "_add_alone",
    "_add_field",
    "_add_lookup",
    "_add_value",
    ARRANGED,
    "_changed",
    "_column",
    COUNTED,
    "_deleted",
    "_edit",
    EXCEPT,
    "_format",
    "_gone",
    "_group",
    "_hold",
    "_leave",
    LINE,
    MOVE,
    REQUEST,
    "_row",
    "_saved",
    "_undone",
    "_unpinned",
    "_view",
    "_which",
];

/// Whether a parameter is one that forms of a list add.
pub(crate) fn is_control(name: &str) -> bool {
    CONTROLS.contains(&name)
}

/// The query string of a list that somebody comes back to: what happened there is not said again.
pub(crate) fn as_list(query: &str) -> QueryString {
    escaped(query, |name| name == "_view" || !is_control(name))
}

/// A query string with nothing in it that could end an address; of those parameters alone.
pub(crate) fn escaped(query: &str, is_kept: impl Fn(&str) -> bool) -> QueryString {
    let mut written = QueryString::new();
    for (name, value) in parse_pairs(query).unwrap_or_default() {
        if is_kept(&name) {
            written.push(&name, &value);
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_one_comes_back_to_does_not_say_again_what_happened_there() {
        let query = "_gone=1&_view=v&a=1%26b&_after=c&_pin=a&_saved=1";
        assert_eq!(as_list(query).as_str(), "_view=v&a=1%26b&_after=c&_pin=a");
    }
}
