//! The commands of the guide in the book.

use super::*;

/// The blocks of a page of the book: language and text.
fn blocks(text: &str) -> Vec<(String, String)> {
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

#[test]
fn the_commands_of_the_guide_have_the_described_output() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src/pages.md");
    let guide = fs::read_to_string(guide).unwrap();
    let workshop = Workshop::new();
    let mut path = program().parent().unwrap().as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let mut said = String::new();
    let mut ran = 0;
    for (language, block) in blocks(&guide) {
        if language != "sh" {
            assert_eq!(said, block, "what the commands before it say");
            continue;
        }
        let output = Command::new("sh")
            .args(["-e", "-c", &block])
            .current_dir(workshop.folder.path())
            .env("PATH", &path)
            .envs(workshop.variables())
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{block}: {errors}");
        said = String::from_utf8(output.stdout).unwrap();
        ran += 1;
    }
    assert!(ran >= 8, "{ran} blocks of commands ran");
}
