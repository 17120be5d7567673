//! What the tests of several modules share.

use proptest::prelude::ProptestConfig;

/// So many cases, unless `PROPTEST_CASES` asks for another number.
pub(crate) fn cases(number: u32) -> ProptestConfig {
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => ProptestConfig::default(),
        None => ProptestConfig::with_cases(number),
    }
}
