//! The grammar of lists: what is read can be written, and read again as the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use svc_model::ListQuery;

fuzz_target!(|text: &str| {
    let is_field = |name: &str| ["id", "status", "total", "a__b", "note", "_id"].contains(&name);
    let Ok(list) = ListQuery::parse(text, &is_field) else {
        return;
    };
    let written = list.to_query_string();
    let written = written.as_str();
    let again = ListQuery::parse(written, &is_field);
    assert_eq!(again.as_ref(), Ok(&list), "{written}");
});
