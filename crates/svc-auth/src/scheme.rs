//! The `Authorization` header: writing and reading its three forms.

use http::HeaderValue;

/// The form of an `Authorization` header (specification, section 5).
///
/// ```
/// use http::HeaderValue;
/// use svc_auth::AuthScheme;
///
/// let header = HeaderValue::from_static("bearer svck_7f");
/// assert_eq!(AuthScheme::parse(&header)?, (AuthScheme::Bearer, "svck_7f"));
/// # Ok::<(), svc_auth::AuthorizationError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AuthScheme {
    /// `Bearer <token>` (RFC 6750): API keys, and the API token of a client.
    Bearer,
    /// `<token>` without a prefix: the static token of a resource.
    Raw,
    /// `JWT <token>`: user sessions and service tokens.
    Jwt,
}

impl AuthScheme {
    /// The text before the token.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Bearer => "Bearer ",
            Self::Raw => "",
            Self::Jwt => "JWT ",
        }
    }

    /// Reads a header: its scheme and the token.
    ///
    /// The names of schemes are read in any case (RFC 9110, section 11.1). `Token <token>` is
    /// another spelling of [`Raw`](Self::Raw), which the data host accepts.
    ///
    /// # Errors
    /// [`AuthorizationError`] when there is no token or more than one, an unknown scheme, or a
    /// character that is not visible ASCII. The message never quotes the header.
    pub fn parse(header: &HeaderValue) -> Result<(Self, &str), AuthorizationError> {
        let text = header.to_str().map_err(|_| AuthorizationError::Character)?;
        let text = text.trim_ascii();
        let (scheme, token) = match text.split_once(' ') {
            Some((name, token)) => (Self::from_name(name)?, token.trim_start()),
            // The name of a scheme without a token.
            None if Self::from_name(text).is_ok() => return Err(AuthorizationError::Missing),
            None => (Self::Raw, text),
        };
        if token.is_empty() {
            return Err(AuthorizationError::Missing);
        }
        // `to_str` lets no others through besides visible ASCII.
        if token.contains(' ') || token.contains('\t') {
            return Err(AuthorizationError::Character);
        }
        Ok((scheme, token))
    }

    fn from_name(name: &str) -> Result<Self, AuthorizationError> {
        let known = [
            ("Bearer", Self::Bearer),
            ("JWT", Self::Jwt),
            ("Token", Self::Raw),
        ];
        known
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, scheme)| *scheme)
            .ok_or(AuthorizationError::Scheme)
    }

    /// Writes the header with a token, which was checked to be visible ASCII when it was made.
    pub(crate) fn write(self, token: &str) -> HeaderValue {
        let mut value = HeaderValue::try_from(format!("{}{token}", self.prefix()))
            .expect("visible ASCII makes a header value");
        value.set_sensitive(true);
        value
    }
}

/// The error for an `Authorization` header that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AuthorizationError {
    /// There is no token.
    #[error("the Authorization header has no token")]
    Missing,
    /// The service does not know the scheme.
    #[error(
        "the scheme of the Authorization header is not known; \
         use `Bearer <key>`, `JWT <token>` or the token alone"
    )]
    Scheme,
    /// The token contains a character that is not allowed.
    #[error("the token of the Authorization header is not visible ASCII")]
    Character,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &'static str) -> Result<(AuthScheme, &'static str), AuthorizationError> {
        // Leaked, so that the tests can compare borrowed texts.
        let header = Box::leak(Box::new(HeaderValue::from_bytes(text.as_bytes()).unwrap()));
        AuthScheme::parse(header)
    }

    #[test]
    fn the_names_of_schemes_are_read_in_any_case() {
        for text in ["Bearer a.b-c", "bearer a.b-c", "BEARER   a.b-c"] {
            assert_eq!(parse(text), Ok((AuthScheme::Bearer, "a.b-c")));
        }
        for text in ["JWT a.b-c", "jwt a.b-c"] {
            assert_eq!(parse(text), Ok((AuthScheme::Jwt, "a.b-c")));
        }
    }

    #[test]
    fn a_token_alone_and_the_token_scheme_are_the_raw_form() {
        for text in ["a.b-c", "Token a.b-c", "token a.b-c", " a.b-c "] {
            assert_eq!(parse(text), Ok((AuthScheme::Raw, "a.b-c")));
        }
    }

    #[test]
    fn an_invalid_credential_is_refused() {
        for text in ["", " ", "Bearer", "bearer ", "JWT", "Token "] {
            assert_eq!(parse(text), Err(AuthorizationError::Missing), "{text:?}");
        }
        for text in ["Basic dTpw", "Digest a=b"] {
            assert_eq!(parse(text), Err(AuthorizationError::Scheme), "{text:?}");
        }
        for text in ["Bearer a b", "Bearer a\tb", "Bearer ä"] {
            assert_eq!(parse(text), Err(AuthorizationError::Character), "{text:?}");
        }
    }

    #[test]
    fn a_written_header_is_read_back() {
        for scheme in [AuthScheme::Bearer, AuthScheme::Raw, AuthScheme::Jwt] {
            let header = scheme.write("svct_3f9a.x=");
            assert_eq!(AuthScheme::parse(&header), Ok((scheme, "svct_3f9a.x=")));
            assert!(header.is_sensitive());
        }
    }
}
