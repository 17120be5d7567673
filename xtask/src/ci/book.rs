//! The book and the papers beside it: relative links and anchors lead
//! somewhere, included files exist, and no chapter is left out of the summary.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::shell::{Failure, Repository};

const CHAPTERS: &str = "docs/src";
const SUMMARY: &str = "docs/src/SUMMARY.md";

pub fn check(repository: &Repository) -> Result<(), Failure> {
    let documents: BTreeMap<PathBuf, Document> = repository
        .texts()?
        .into_iter()
        .filter(|(path, _)| path.extension().is_some_and(|end| end == "md"))
        .map(|(path, text)| (path, Document::read(&text)))
        .collect();
    println!("{} documents", documents.len());

    let exists = |path: &Path| repository.root().join(path).exists();
    let mut findings = Vec::new();
    for (path, document) in &documents {
        findings.extend(
            document
                .broken_links(path, &documents, &exists)
                .map(|link| format!("{}: `{link}` leads nowhere", path.display())),
        );
    }
    findings.extend(left_out(&documents));
    Failure::unless_empty(&findings)
}

/// What a Markdown file refers to, and what can be referred to in it.
#[derive(Debug, Default)]
struct Document {
    links: Vec<String>,
    includes: Vec<String>,
    anchors: BTreeSet<String>,
}

impl Document {
    fn read(text: &str) -> Self {
        let mut document = Self::default();
        let mut heading: Option<String> = None;
        for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    document.links.push(dest_url.into_string());
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => {
                    document
                        .anchors
                        .extend(heading.take().map(|title| anchor(&title)));
                }
                Event::Text(text) | Event::Code(text) => match &mut heading {
                    Some(title) => title.push_str(&text),
                    None => document.includes.extend(include(&text).map(str::to_owned)),
                },
                _ => {}
            }
        }
        document
    }

    fn broken_links<'a>(
        &'a self,
        path: &'a Path,
        documents: &'a BTreeMap<PathBuf, Self>,
        exists: &'a dyn Fn(&Path) -> bool,
    ) -> impl Iterator<Item = &'a str> {
        let links = self.links.iter().filter(move |link| {
            !is_elsewhere(link) && !leads_somewhere(link, path, documents, exists)
        });
        let includes = self
            .includes
            .iter()
            .filter(move |include| !exists(&beside(path, include)));
        links.chain(includes).map(String::as_str)
    }
}

fn is_elsewhere(link: &str) -> bool {
    link.contains("://") || link.starts_with("mailto:")
}

fn leads_somewhere(
    link: &str,
    path: &Path,
    documents: &BTreeMap<PathBuf, Document>,
    exists: &dyn Fn(&Path) -> bool,
) -> bool {
    let (file, anchor) = match link.split_once('#') {
        Some((file, anchor)) => (file, Some(anchor)),
        None => (link, None),
    };
    let target = match file {
        "" => path.to_owned(),
        file => beside(path, file),
    };
    match (anchor, documents.get(&target)) {
        (Some(anchor), Some(document)) => document.anchors.contains(anchor),
        (Some(_), None) => false,
        (None, _) => exists(&target),
    }
}

/// Chapters that the summary does not name.
fn left_out(documents: &BTreeMap<PathBuf, Document>) -> Vec<String> {
    let summary = Path::new(SUMMARY);
    let named: BTreeSet<PathBuf> = documents
        .get(summary)
        .map(|document| document.links.iter().map(|link| beside(summary, link)))
        .into_iter()
        .flatten()
        .collect();
    documents
        .keys()
        .filter(|path| path.starts_with(CHAPTERS) && *path != summary && !named.contains(*path))
        .map(|path| format!("{}: not in the summary of the book", path.display()))
        .collect()
}

/// The path that a relative link of a file means, from the top of the repository.
fn beside(file: &Path, link: &str) -> PathBuf {
    let mut path = file.parent().unwrap_or(Path::new("")).to_owned();
    for component in Path::new(link).components() {
        match component {
            Component::ParentDir => {
                path.pop();
            }
            Component::Normal(part) => path.push(part),
            _ => {}
        }
    }
    path
}

/// The anchor that mdBook and GitHub give a heading.
fn anchor(title: &str) -> String {
    title
        .trim()
        .to_lowercase()
        .chars()
        .filter_map(|c| match c {
            c if c.is_alphanumeric() || c == '_' || c == '-' => Some(c),
            c if c.is_whitespace() => Some('-'),
            _ => None,
        })
        .collect()
}

/// The file of mdBook's `{{#include FILE}}`.
fn include(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("{{#include ")?;
    rest.split_once("}}").map(|(file, _)| file.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents(texts: &[(&str, &str)]) -> BTreeMap<PathBuf, Document> {
        texts
            .iter()
            .map(|(path, text)| (PathBuf::from(path), Document::read(text)))
            .collect()
    }

    fn broken(texts: &[(&str, &str)]) -> Vec<String> {
        let documents = documents(texts);
        let exists = |path: &Path| documents.contains_key(path);
        documents
            .iter()
            .flat_map(|(path, document)| document.broken_links(path, &documents, &exists))
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn links_and_anchors_are_followed_from_where_they_stand() {
        let texts = [
            ("docs/src/a.md", "[b](sub/b.md#two-words) [top](../../R.md)"),
            (
                "docs/src/sub/b.md",
                "# Two `words`\n[a](../a.md) [here](#two-words)",
            ),
            ("R.md", "[web](https://example.test/x)"),
        ];
        assert_eq!(broken(&texts), [""; 0]);
    }

    #[test]
    fn a_link_that_leads_nowhere_is_found() {
        let texts = [("a.md", "[b](b.md) [c](#nope)\n\n`[no](link.md)`")];
        assert_eq!(broken(&texts), ["b.md", "#nope"]);
    }

    #[test]
    fn an_included_file_must_exist() {
        let texts = [("docs/src/a.md", "{{#include ../b.md}}\n")];
        assert_eq!(broken(&texts), ["../b.md"]);
    }

    #[test]
    fn a_chapter_outside_of_the_summary_is_found() {
        let texts = [
            ("docs/src/SUMMARY.md", "- [a](a.md)"),
            ("docs/src/a.md", ""),
            ("docs/src/b.md", ""),
        ];
        assert_eq!(
            left_out(&documents(&texts)),
            ["docs/src/b.md: not in the summary of the book"]
        );
    }
}
