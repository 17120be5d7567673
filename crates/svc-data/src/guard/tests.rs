//! Tests of the guard as a whole: tables of what passes and what does not, limits, and properties.

mod allowed;
mod binds;
mod effects;
mod limits;
mod properties;
mod refused;

use super::*;
use Engine::{Mysql, Postgres, Sqlite};

const ENGINES: [Engine; 3] = [Sqlite, Postgres, Mysql];

/// Checks a text without binds and options.
fn plain(engine: Engine, sql: &str) -> Result<Checked, Refusal> {
    check(sql, engine, Binds::NONE)
}

/// Engines, and the rule by which each of them refuses.
struct On<'e>(&'e [Engine], Rule);

impl On<'_> {
    /// Asserts that every text is refused, and that the message keeps to itself what strings contain.
    fn refuses(&self, texts: &[&str]) {
        let Self(engines, rule) = self;
        for engine in *engines {
            for sql in texts {
                match plain(*engine, sql) {
                    Ok(checked) => panic!("{engine:?} let pass: {sql}\nas: {}", checked.sql()),
                    Err(refusal) => {
                        assert_eq!(refusal.rule(), *rule, "{engine:?}: {sql}\n{refusal}");
                        let message = refusal.to_string();
                        assert!(!message.contains("secret"), "{message}");
                        assert!(message.len() < 200, "{message}");
                    }
                }
            }
        }
    }
}
