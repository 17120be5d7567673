//! The sizes of the files, raw and compressed.

use std::{collections::BTreeMap, fmt, io::Write as _};

use flate2::{Compression, write::GzEncoder};

use crate::Result;

/// A table of the sizes of files.
#[derive(Debug)]
pub struct Report {
    files: Vec<File>,
}

#[derive(Debug)]
struct File {
    name: String,
    raw: usize,
    gzipped: usize,
}

impl File {
    /// Whether a page that uses the package loads the file. Node has its own entry point instead of `index.js`.
    fn is_loaded(&self) -> bool {
        (self.name.ends_with(".js") || self.name.ends_with(".wasm")) && self.name != "node.js"
    }
}

impl Report {
    pub fn new(files: &BTreeMap<String, Vec<u8>>) -> Self {
        let files = files.iter().map(|(name, content)| File {
            name: name.clone(),
            raw: content.len(),
            gzipped: gzipped(content),
        });
        Self {
            files: files.collect(),
        }
    }

    /// Fails when what is loaded takes more than `budget` bytes, compressed.
    pub fn check(&self, budget: usize) -> Result<()> {
        let (_, gzipped) = self.loaded();
        if gzipped > budget {
            return Err(format!(
                "WebAssembly and JavaScript take {gzipped} bytes compressed, but at most {budget} are \
                 allowed; `cargo xtask js --sizes` says where they go"
            )
            .into());
        }
        Ok(())
    }

    fn loaded(&self) -> (usize, usize) {
        let loaded = self.files.iter().filter(|file| file.is_loaded());
        loaded.fold((0, 0), |(raw, gzipped), file| {
            (raw + file.raw, gzipped + file.gzipped)
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = self
            .files
            .iter()
            .map(|file| (file.name.as_str(), file.raw, file.gzipped));
        let (raw, gzipped) = self.loaded();
        writeln!(f, "| {:22} | {:>8} | {:>8} |", "file", "bytes", "gzipped")?;
        writeln!(f, "|:{:-<22}-|-{:->8}:|-{:->8}:|", "", "", "")?;
        for (name, raw, gzipped) in rows.chain([("what a page loads", raw, gzipped)]) {
            writeln!(f, "| {name:22} | {raw:>8} | {gzipped:>8} |")?;
        }
        Ok(())
    }
}

fn gzipped(content: &[u8]) -> usize {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writing to a vector cannot fail.
    let written = encoder.write_all(content).and_then(|()| encoder.finish());
    written.map_or(content.len(), |compressed| compressed.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let file = |name: &str, size| (name.to_owned(), vec![b'a'; size]);
        Report::new(&BTreeMap::from([
            file("README.md", 1_000),
            file("index.js", 300),
            file("node.js", 400),
            file("svc_js_bg.wasm", 2_000),
        ]))
    }

    #[test]
    fn the_sum_is_of_what_a_program_loads() {
        let text = report().to_string();
        let last = text.lines().last().unwrap();
        assert!(last.starts_with("| what a page loads"), "{last}");
        assert!(last.contains(" 2300 |"), "{last}");
    }

    #[test]
    fn what_is_repeated_compresses_well() {
        assert!(gzipped(&[b'a'; 2_000]) < 100);
    }

    #[test]
    fn more_than_the_budget_is_refused() {
        let (_, gzipped) = report().loaded();
        assert!(report().check(gzipped).is_ok());
        let error = report().check(gzipped - 1).unwrap_err().to_string();
        assert!(error.contains("--sizes"), "{error}");
    }
}
