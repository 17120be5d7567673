//! In which line of the configuration file an option is set.

use std::path::Path;

use svc_server::SettingSource;
use toml::de::{DeTable, DeValue, Error};

use super::Sources;

/// The options that a file sets, with their lines; also the databases of its table `connect`, as `connect.NAME`.
pub(super) fn sources(path: &Path, text: &str) -> Result<Sources, Error> {
    let source = |at: usize| {
        let before = text.bytes().take(at);
        SettingSource::File {
            path: path.to_owned(),
            line: before.filter(|byte| *byte == b'\n').count() + 1,
        }
    };
    let mut sources = Sources::new();
    for (key, value) in DeTable::parse(text)?.get_ref() {
        let name = key.get_ref();
        sources.insert(name.to_string(), source(key.span().start));
        if let DeValue::Table(table) = value.get_ref() {
            for key in table.keys() {
                let name = format!("{name}.{}", key.get_ref());
                sources.insert(name, source(key.span().start));
            }
        }
    }
    Ok(sources)
}
