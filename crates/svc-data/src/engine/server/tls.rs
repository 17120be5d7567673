//! How far a server has to prove who it is, as the URL of a resource says it.

use percent_encoding::percent_decode_str;

use crate::{Error, Result};

/// How far a server has to prove who it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verify {
    Never,
    IfOffered,
    /// TLS, with any certificate.
    Encrypt,
    /// TLS with a certificate that is trusted and names the host.
    Full,
}

/// The parameters of a kind of URL that are about TLS.
pub(crate) struct Words {
    pub(crate) mode: &'static [&'static str],
    pub(crate) read_mode: fn(&str) -> Option<Verify>,
    pub(crate) wrong_mode: &'static str,
    /// The path of a PEM file with the certificates to trust.
    pub(crate) root: &'static str,
    pub(crate) wrong_root: &'static str,
}

impl Words {
    /// Takes these parameters out of a URL: what is left of it, how far the server has to prove who it is, and the
    /// certificates to trust where they are not the usual ones.
    pub(crate) fn split(&self, rest: &str) -> Result<(String, Verify, Option<String>)> {
        let mut mode = Verify::IfOffered;
        let mut root = None;
        let Some((base, query)) = rest.split_once('?') else {
            return Ok((rest.to_owned(), mode, root));
        };
        let mut kept = Vec::new();
        for pair in query.split('&') {
            match pair.split_once('=') {
                Some((name, word)) if self.mode.contains(&name) => {
                    mode = (self.read_mode)(word).ok_or_else(|| Error::invalid(self.wrong_mode))?;
                }
                Some((name, path)) if name == self.root => {
                    let path = percent_decode_str(path).decode_utf8();
                    let path = path.map_err(|_| Error::invalid(self.wrong_root))?;
                    root = Some(path.into_owned());
                }
                _ => kept.push(pair),
            }
        }
        // Naming whom to trust means that it is to be checked.
        if root.is_some() && mode == Verify::Encrypt {
            mode = Verify::Full;
        }
        let query = kept.join("&");
        let base = match query.is_empty() {
            true => base.to_owned(),
            false => format!("{base}?{query}"),
        };
        Ok((base, mode, root))
    }
}
