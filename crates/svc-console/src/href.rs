//! Addresses of places: built of parts that are escaped, so that no value becomes a link of its own.

use std::fmt;

use maud::Render;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use svc_model::QueryString;

use crate::ui::escaped::Escaped;

/// What stays as it is in a part of a path.
const PART: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~')
    .remove(b',');

/// The address of a place of the console.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Href {
    path: String,
    query: QueryString,
    /// The element of the page that it leads to.
    anchor: Option<String>,
}

impl Href {
    /// The first place, below the path prefix of the service.
    pub(crate) fn root(prefix: &str) -> Self {
        Self {
            path: format!("{prefix}/console/"),
            query: QueryString::new(),
            anchor: None,
        }
    }

    /// A place below this one.
    #[must_use]
    pub(crate) fn below<P: AsRef<str>>(&self, parts: impl IntoIterator<Item = P>) -> Self {
        let mut path = self.path.clone();
        for part in parts {
            push_part(&mut path, part.as_ref());
        }
        Self {
            path,
            query: QueryString::new(),
            anchor: None,
        }
    }

    /// A place below this one, of which a page has thousands.
    pub(crate) fn one_below<'h>(&'h self, part: &'h str) -> Below<'h> {
        Below {
            place: self,
            part,
            query: None,
        }
    }

    /// The same place with one more parameter.
    #[must_use]
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.query.push(name, value);
        self
    }

    /// The same place with these parameters.
    #[must_use]
    pub(crate) fn query(mut self, query: QueryString) -> Self {
        self.query = query;
        self
    }

    /// The same place, at this element.
    #[must_use]
    pub(crate) fn at(mut self, anchor: Anchor<'_>) -> Self {
        self.anchor = Some(anchor.render().into_string());
        self
    }

    /// The path alone.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }
}

impl fmt::Display for Href {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        match self.query.is_empty() {
            true => {}
            false => write!(f, "?{}", self.query.as_str())?,
        }
        match &self.anchor {
            Some(anchor) => write!(f, "#{anchor}"),
            None => Ok(()),
        }
    }
}

/// The identifier of an element that stands for something with a name: the same in the page and in an address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Anchor<'n> {
    pub(crate) kind: &'static str,
    pub(crate) name: &'n str,
}

impl Render for Anchor<'_> {
    fn render_to(&self, buffer: &mut String) {
        buffer.push_str(self.kind);
        buffer.push('-');
        buffer.extend(utf8_percent_encode(self.name, PART));
    }
}

/// The address of a place below another one, for addresses of which a page has thousands: it is written without being made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Below<'h> {
    place: &'h Href,
    part: &'h str,
    query: Option<&'h QueryString>,
}

impl<'h> Below<'h> {
    /// The same place with these parameters.
    #[must_use]
    pub(crate) fn query(self, query: &'h QueryString) -> Self {
        Self {
            query: Some(query),
            ..self
        }
    }
}

impl Render for Below<'_> {
    fn render_to(&self, buffer: &mut String) {
        Escaped(&self.place.path).render_to(buffer);
        push_part(buffer, self.part);
        if let Some(query) = self.query.filter(|query| !query.is_empty()) {
            buffer.push('?');
            Escaped(query.as_str()).render_to(buffer);
        }
    }
}

/// Writes a part of a path, in which nothing is left that HTML would read as something else.
fn push_part(path: &mut String, part: &str) {
    // A browser would take these out of the path.
    match part {
        "." => path.push_str("%2E"),
        ".." => path.push_str("%2E%2E"),
        part => path.extend(utf8_percent_encode(part, PART)),
    }
    path.push('/');
}

impl Render for Href {
    fn render_to(&self, buffer: &mut String) {
        Escaped(&self.path).render_to(buffer);
        if !self.query.is_empty() {
            buffer.push('?');
            Escaped(self.query.as_str()).render_to(buffer);
        }
        if let Some(anchor) = &self.anchor {
            buffer.push('#');
            Escaped(anchor).render_to(buffer);
        }
    }
}

/// Where somebody wanted to go before signing in: a path of this console, and nothing else.
pub(crate) fn own_path<'a>(root: &Href, wanted: &'a str) -> Option<&'a str> {
    let rest = wanted.strip_prefix(root.path())?;
    let is_plain = |byte: u8| byte.is_ascii_graphic() && byte != b'\\';
    (rest.bytes().all(is_plain) && !rest.starts_with('/')).then_some(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_slashes_dots_and_quotes_stay_one_part_of_the_path() {
        let root = Href::root("/svc");
        let below = root.below(["a/b", "..", "\"x\" <y>", "ä"]);
        assert_eq!(
            below.to_string(),
            "/svc/console/a%2Fb/%2E%2E/%22x%22%20%3Cy%3E/%C3%A4/"
        );
        for part in ["a/b", "..", "\"x\" <y>", "ä'&", ""] {
            let mut query = QueryString::new();
            query.push("_list", "a=1&b='");
            for query in [QueryString::new(), query] {
                let written = root.one_below(part).query(&query).render();
                let made = root.below([part]).query(query.clone()).render();
                assert_eq!(written.into_string(), made.into_string());
            }
        }
        let with = root.below(["a"]).with("q", "1&2");
        assert_eq!(with.to_string(), "/svc/console/a/?q=1%262");
        let at = with.at(Anchor {
            kind: "row",
            name: "1 \"#ä",
        });
        assert_eq!(
            at.to_string(),
            "/svc/console/a/?q=1%262#row-1%20%22%23%C3%A4"
        );
    }

    #[test]
    fn only_paths_of_the_console_are_gone_back_to() {
        let root = Href::root("");
        assert_eq!(own_path(&root, "/console/a/?b=1"), Some("/console/a/?b=1"));
        for wrong in [
            "https://x.example/",
            "//x.example",
            "/console//x",
            "/console/\\x",
            "/api/",
            "",
            "/console/\nx",
        ] {
            assert_eq!(own_path(&root, wrong), None, "{wrong}");
        }
    }
}
