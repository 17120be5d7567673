//! Chapters of the book whose commands are run, and whose outputs are compared.

use std::{ffi::OsString, fs, path::Path, process::Command};

use crate::{
    program::{self, without_settings},
    store::store_url,
};

/// The blocks of a chapter: language and text.
#[must_use]
pub fn blocks(chapter: &str) -> Vec<(String, String)> {
    let chapter = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../docs/src")
        .join(chapter);
    let text = fs::read_to_string(chapter).expect("the chapter");
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let block: Vec<_> = lines.by_ref().take_while(|line| *line != "```").collect();
            blocks.push((language.to_owned(), block.join("\n") + "\n"));
        }
    }
    blocks
}

/// Runs the blocks of commands (`sh`) in a folder, with these variables, and compares what they write with the blocks of
/// other languages behind them; how many blocks of commands there were.
///
/// # Panics
/// When a command fails, or writes something else.
pub fn run<'v>(
    blocks: &[(String, String)],
    folder: &Path,
    variables: impl IntoIterator<Item = (&'v str, &'v str)> + Clone,
) -> usize {
    let mut path: OsString = program::program().parent().expect("a folder").into();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let mut said = String::new();
    let mut ran = 0;
    for (language, block) in blocks {
        if language != "sh" {
            assert_eq!(&said, block, "what the commands before it say");
            continue;
        }
        let mut shell = Command::new("sh");
        shell.args(["-e", "-c", block]).current_dir(folder);
        without_settings(&mut shell);
        shell.env("PATH", &path).envs(variables.clone());
        if let Some(url) = store_url(folder) {
            shell.env("SVC_STORE", url);
        }
        let output = shell.output().expect("a shell");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{block}: {errors}");
        let written = String::from_utf8(output.stdout).expect("text");
        // CSV ends its lines in another way than the book.
        said = written.replace("\r\n", "\n");
        ran += 1;
    }
    ran
}
