//! Texts of which a page has thousands.

use maud::Render;

/// A text, escaped as any other one. Most texts have nothing to escape, and are copied as a whole then; a template looks at each
/// byte and copies it by itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Escaped<'t>(pub(crate) &'t str);

impl Render for Escaped<'_> {
    fn render_to(&self, buffer: &mut String) {
        let is_special = |byte| matches!(byte, b'&' | b'<' | b'>' | b'"' | b'\'');
        // Without an end at the first one, so that several bytes are compared at once.
        let has_special = self
            .0
            .bytes()
            .fold(false, |has, byte| has | is_special(byte));
        match has_special {
            true => self.0.render_to(buffer),
            false => buffer.push_str(self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_as_templates_do_it() {
        for text in [
            "", "a", "ä €", "<b>", "a & b", "\"", "it's", "a\u{0}>", "x;&#60;",
        ] {
            let (mut quick, mut template) = (String::new(), String::new());
            Escaped(text).render_to(&mut quick);
            text.render_to(&mut template);
            assert_eq!(quick, template);
        }
    }
}
