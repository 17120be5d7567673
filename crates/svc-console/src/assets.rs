//! Styles and scripts, each under an address that changes with its contents.

use std::sync::LazyLock;

use sha2::{Digest as _, Sha256};

use crate::{
    answer::Answer,
    href::Href,
    problem::{Problem, Result},
};

/// A file of the console.
#[derive(Debug)]
pub(crate) struct Asset {
    name: String,
    media_type: &'static str,
    bytes: &'static [u8],
}

impl Asset {
    fn new(name: &str, extension: &str, media_type: &'static str, bytes: &'static [u8]) -> Self {
        let digest = Sha256::digest(bytes);
        let hash: String = digest
            .iter()
            .take(6)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        Self {
            name: format!("{name}-{hash}.{extension}"),
            media_type,
            bytes,
        }
    }

    /// Its address.
    pub(crate) fn href(&self, root: &Href) -> String {
        format!("{}assets/{}", root.path(), self.name)
    }
}

/// The styles.
pub(crate) static STYLES: LazyLock<Asset> = LazyLock::new(|| {
    let bytes = include_bytes!("../assets/console.css");
    Asset::new("console", "css", "text/css; charset=utf-8", bytes)
});

/// The script that every page has.
pub(crate) static SCRIPT: LazyLock<Asset> =
    LazyLock::new(|| script("console", include_bytes!("../assets/console.js")));

/// What makes lists and forms of records quicker to use.
pub(crate) static RECORDS: LazyLock<Asset> =
    LazyLock::new(|| script("records", include_bytes!("../assets/records.js")));

/// What shows the rest of a form that depends on a choice.
pub(crate) static PARTIAL: LazyLock<Asset> =
    LazyLock::new(|| script("partial", include_bytes!("../assets/partial.js")));

/// What makes cells of a table of records change in their place.
pub(crate) static CELL: LazyLock<Asset> =
    LazyLock::new(|| script("cell", include_bytes!("../assets/cell.js")));

/// What says that a cell was saved, and takes that back.
pub(crate) static SAVED: LazyLock<Asset> =
    LazyLock::new(|| script("saved", include_bytes!("../assets/saved.js")));

/// What makes a table of records one that is moved in by keys.
pub(crate) static GRID: LazyLock<Asset> =
    LazyLock::new(|| script("grid", include_bytes!("../assets/grid.js")));

/// The script of pages on which JSON is edited.
pub(crate) static EDITOR: LazyLock<Asset> =
    LazyLock::new(|| script("editor", include_bytes!("../assets/editor.js")));

/// The script of the editor of queries.
pub(crate) static SQL: LazyLock<Asset> =
    LazyLock::new(|| script("sql", include_bytes!("../assets/sql.js")));

/// What keeps what is typed into a form until it is sent.
pub(crate) static TYPED: LazyLock<Asset> =
    LazyLock::new(|| script("typed", include_bytes!("../assets/typed.js")));

/// The script that finds places, and lists the keys.
pub(crate) static PALETTE: LazyLock<Asset> =
    LazyLock::new(|| script("palette", include_bytes!("../assets/palette.js")));

/// The script that keeps the places that were open last.
pub(crate) static RECENT: LazyLock<Asset> =
    LazyLock::new(|| script("recent", include_bytes!("../assets/recent.js")));

/// The icon of the pages.
pub(crate) static ICON: LazyLock<Asset> = LazyLock::new(|| {
    let bytes = include_bytes!("../assets/icon.svg");
    Asset::new("icon", "svg", "image/svg+xml", bytes)
});

fn script(name: &str, bytes: &'static [u8]) -> Asset {
    Asset::new(name, "js", "text/javascript; charset=utf-8", bytes)
}

/// All scripts.
static SCRIPTS: [&LazyLock<Asset>; 11] = [
    &SCRIPT, &RECORDS, &PARTIAL, &CELL, &SAVED, &GRID, &EDITOR, &SQL, &TYPED, &PALETTE, &RECENT,
];

/// The file of this name.
pub(crate) fn find(name: &str) -> Result<Answer> {
    let mut all = SCRIPTS.into_iter().chain([&STYLES, &ICON]);
    let found = all.find(|asset| asset.name == name);
    let found = found.ok_or(Problem::NotFound)?;
    Ok(Answer::file(found.media_type, found.bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_script_is_over_4_kib_and_all_together_are_under_25() {
        let sizes = SCRIPTS.map(|script| script.bytes.len());
        assert!(sizes.iter().all(|size| *size <= 4 << 10), "{sizes:?}");
        assert!(sizes.iter().sum::<usize>() < 25 << 10, "{sizes:?}");
    }
}
