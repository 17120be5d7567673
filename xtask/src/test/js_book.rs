//! The examples of the book's chapter about the JavaScript client: each is a
//! module of its own, and runs against the demo.

use std::fs;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use super::build_program;
use super::demo::Demo;
use super::js::TestFolder;
use crate::js::text;
use crate::shell::{Failure, Repository};

const CHAPTER: &str = "docs/src/javascript.md";
/// The user who is signed in while the examples run.
const EMAIL: &str = "ada@example.com";
const PASSWORD: &str = "correct horse";

pub fn run_examples(repository: &Repository) -> Result<(), Failure> {
    let chapter = fs::read_to_string(repository.root().join(CHAPTER))
        .map_err(|error| Failure::new(format!("{CHAPTER} cannot be read: {error}")))?;
    let examples = examples(&chapter);
    if examples.is_empty() {
        return Err(Failure::new(format!("{CHAPTER} has no `js` blocks")));
    }
    build_program(repository)?;
    let place = TestFolder::new(repository, "book")?;
    let prelude = place.folder.join("tests/support/book.mjs");
    // Every example signs in again.
    let unthrottled = ["--tries-per-account=1000000", "--tries-per-address=1000000"];
    let demo = Demo::start_with(repository, &unthrottled)?;
    demo.add_administrator(repository, EMAIL, PASSWORD)?;

    let mut findings = Vec::new();
    for Example { line, code } in &examples {
        let module = place.folder.join(format!("line-{line}.mjs"));
        // Preceded by empty lines, so that line numbers of errors are those of the chapter.
        fs::write(&module, format!("{}{code}", "\n".repeat(line - 1)))?;
        let run = repository
            .command(place.tools.node())
            .args(["--import", &format!("file://{}", prelude.display())])
            .args([text(&module)]);
        let outcome = demo
            .environment(run)
            .env("SVC_EMAIL", EMAIL)
            .secret_env("SVC_PASSWORD", PASSWORD)
            .read();
        match outcome {
            Ok(_) => println!("{CHAPTER}:{line}: ok"),
            Err(failure) => findings.push(format!("{CHAPTER}:{line}: {failure}")),
        }
    }
    Failure::unless_empty(&findings)
}

/// A block of code.
#[derive(Debug, PartialEq)]
struct Example {
    /// The line of the chapter that its code begins in.
    line: usize,
    code: String,
}

/// The blocks that are `js` and nothing else: `js,ignore` is for browsers alone.
fn examples(markdown: &str) -> Vec<Example> {
    let mut examples = Vec::new();
    let mut is_open = false;
    for (event, range) in Parser::new(markdown).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
                is_open = &*language == "js";
                if is_open {
                    examples.push(Example {
                        line: markdown[..range.start].matches('\n').count() + 2,
                        code: String::new(),
                    });
                }
            }
            Event::End(TagEnd::CodeBlock) => is_open = false,
            Event::Text(text) if is_open => {
                if let Some(example) = examples.last_mut() {
                    example.code.push_str(&text);
                }
            }
            _ => {}
        }
    }
    examples
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_blocks_of_plain_js_are_examples() {
        let text = "a\n\n```js\none();\n```\n```js,ignore\ntwo();\n```\n```html\n<p>\n```\n";
        let one = Example {
            line: 4,
            code: "one();\n".to_owned(),
        };
        assert_eq!(examples(text), [one]);
    }

    #[test]
    fn an_example_has_the_number_of_its_first_line() {
        let text = "```js\na();\n\nb();\n```\n\n- item\n\n  ```js\n  c();\n  ```\n";
        let found = examples(text);
        let lines: Vec<usize> = found.iter().map(|example| example.line).collect();
        assert_eq!(lines, [2, 10]);
        assert_eq!(found[0].code, "a();\n\nb();\n");
        assert_eq!(found[1].code, "c();\n");
    }
}
