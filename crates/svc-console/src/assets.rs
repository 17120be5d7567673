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
pub(crate) static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    let bytes = include_bytes!("../assets/console.js");
    Asset::new("console", "js", "text/javascript; charset=utf-8", bytes)
});

/// The script that finds places, and lists the keys.
pub(crate) static PALETTE: LazyLock<Asset> = LazyLock::new(|| {
    let bytes = include_bytes!("../assets/palette.js");
    Asset::new("palette", "js", "text/javascript; charset=utf-8", bytes)
});

/// The script that keeps the places that were open last.
pub(crate) static RECENT: LazyLock<Asset> = LazyLock::new(|| {
    let bytes = include_bytes!("../assets/recent.js");
    Asset::new("recent", "js", "text/javascript; charset=utf-8", bytes)
});

/// The script that moves in a table with the keys.
pub(crate) static GRID: LazyLock<Asset> = LazyLock::new(|| {
    let bytes = include_bytes!("../assets/grid.js");
    Asset::new("grid", "js", "text/javascript; charset=utf-8", bytes)
});

/// The icon of the pages.
pub(crate) static ICON: LazyLock<Asset> = LazyLock::new(|| {
    let bytes = include_bytes!("../assets/icon.svg");
    Asset::new("icon", "svg", "image/svg+xml", bytes)
});

/// The file of this name.
pub(crate) fn find(name: &str) -> Result<Answer> {
    let all = [&*STYLES, &*SCRIPT, &*PALETTE, &*RECENT, &*GRID, &*ICON];
    let found = all.into_iter().find(|asset| asset.name == name);
    let found = found.ok_or(Problem::NotFound)?;
    Ok(Answer::file(found.media_type, found.bytes))
}
