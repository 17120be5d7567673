//! The README's session: its `curl` lines are pasted into a shell, as a reader
//! would do it.

use std::fs;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use super::demo::Demo;
use crate::shell::{Failure, Repository};

/// Makes an unsuccessful response fail the line, and the line fail the session.
const STRICT: &str =
    "set -eu; curl() { command curl --silent --show-error --fail-with-body \"$@\"; }";

pub fn run_session(repository: &Repository, demo: &Demo) -> Result<(), Failure> {
    let text = fs::read_to_string(repository.root().join("README.md"))?;
    let lines = session(&text);
    if lines.is_empty() {
        return Err(Failure::new(
            "README.md has no `curl` lines in a `sh` block",
        ));
    }
    if repository
        .command("curl")
        .args(["--version"])
        .read()
        .is_err()
    {
        println!("not run: there is no curl on this machine");
        return Ok(());
    }
    for line in lines {
        let script = format!("{STRICT}\n{line}");
        let answer = demo
            .environment(repository.command("sh").args(["-c", &script]))
            .read()?;
        println!("$ {line}\n{}", first(&answer, 120));
    }
    Ok(())
}

/// The commands of the `sh` blocks that begin with `curl`.
fn session(markdown: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let mut in_block = false;
    for event in Parser::new(markdown) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
                in_block = &*language == "sh";
            }
            Event::End(TagEnd::CodeBlock) => in_block = false,
            Event::Text(text) if in_block => commands.extend(
                text.lines()
                    .filter(|line| line.starts_with("curl "))
                    .map(str::to_owned),
            ),
            _ => {}
        }
    }
    commands
}

fn first(text: &str, characters: usize) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(characters) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_curl_lines_of_shell_blocks_are_the_session() {
        let text = "curl a\n```sh\ncurl b\ncargo run\n```\n```text\ncurl c\n```\n";
        assert_eq!(session(text), ["curl b"]);
    }

    #[test]
    fn a_long_answer_is_shortened_between_characters() {
        assert_eq!(first("äöü\nmore", 2), "äö...");
        assert_eq!(first("äöü", 3), "äöü");
        assert_eq!(first("", 3), "");
    }
}
