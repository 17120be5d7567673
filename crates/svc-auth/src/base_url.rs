//! Base URLs of the hosts of the service.

use std::{fmt, str::FromStr};

use http::Uri;

/// The absolute `http` or `https` URL of a host, without a trailing slash.
///
/// ```
/// use svc_auth::BaseUrl;
///
/// let url: BaseUrl = "https://data.example.com/svc/".parse()?;
/// assert_eq!(url.as_str(), "https://data.example.com/svc");
/// assert!("https://user:secret@data.example.com".parse::<BaseUrl>().is_err());
/// # Ok::<(), svc_auth::BaseUrlError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BaseUrl(Box<str>);

impl BaseUrl {
    /// Checks a URL and removes trailing slashes.
    ///
    /// # Errors
    /// [`BaseUrlError`] when it is not absolute, neither `http` nor `https`, or contains a query, a
    /// fragment, a user name or a password. The message does not quote the URL.
    pub fn new(text: &str) -> Result<Self, BaseUrlError> {
        let text = text.trim();
        // `http::Uri` silently drops a fragment.
        if text.contains('#') {
            return Err(BaseUrlError::Fragment);
        }
        let uri = Uri::try_from(text).map_err(|_| BaseUrlError::NotAbsolute)?;
        let scheme = uri.scheme_str().ok_or(BaseUrlError::NotAbsolute)?;
        let scheme = ["http", "https"]
            .into_iter()
            .find(|known| known.eq_ignore_ascii_case(scheme))
            .ok_or(BaseUrlError::Scheme)?;
        let authority = uri.authority().ok_or(BaseUrlError::NotAbsolute)?.as_str();
        if authority.contains('@') {
            return Err(BaseUrlError::UserInfo);
        }
        if uri.host().is_none_or(str::is_empty) {
            return Err(BaseUrlError::NotAbsolute);
        }
        let has_port = uri.host().is_some_and(|host| host.len() < authority.len());
        if has_port && uri.port_u16().is_none_or(|port| port == 0) {
            return Err(BaseUrlError::Port);
        }
        if uri.query().is_some() {
            return Err(BaseUrlError::Query);
        }
        let path = uri.path().trim_end_matches('/');
        Ok(Self(
            format!("{scheme}://{authority}{path}").into_boxed_str(),
        ))
    }

    /// Appends a path to the URL.
    pub(crate) fn join(&self, path: &str) -> Self {
        Self(format!("{}{path}", self.0).into_boxed_str())
    }

    /// Removes a path from the end of the URL, where it is there.
    pub(crate) fn without(&self, path: &str) -> Self {
        let text = &*self.0;
        Self(text.strip_suffix(path).unwrap_or(text).into())
    }

    pub(crate) fn into_string(self) -> String {
        self.0.into_string()
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for BaseUrl {
    type Err = BaseUrlError;

    fn from_str(text: &str) -> Result<Self, BaseUrlError> {
        Self::new(text)
    }
}

/// The error for a text that is not a valid base URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BaseUrlError {
    /// The text is not a URL, or not an absolute URL.
    #[error("must be an absolute URL such as https://data.example.com")]
    NotAbsolute,
    /// The scheme is neither `http` nor `https`.
    #[error("must begin with http:// or https://")]
    Scheme,
    /// The URL contains a user name or a password.
    #[error("must not hold a user name or password; credentials have options of their own")]
    UserInfo,
    /// The port is not a number from 1 to 65535.
    #[error("must have a port from 1 to 65535, or none")]
    Port,
    /// The URL has a query.
    #[error("must not have a query (`?...`)")]
    Query,
    /// The URL has a fragment.
    #[error("must not have a fragment (`#...`)")]
    Fragment,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trailing_slashes_are_removed_and_the_scheme_is_lower_case() {
        for (text, url) in [
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("http://127.0.0.1:8080/", "http://127.0.0.1:8080"),
            (" https://a.example/b/c// ", "https://a.example/b/c"),
            ("HTTPS://a.example", "https://a.example"),
            ("http://[::1]:80/api/", "http://[::1]:80/api"),
            ("http://[::1]", "http://[::1]"),
        ] {
            assert_eq!(BaseUrl::new(text).unwrap().as_str(), url);
        }
    }

    #[test]
    fn an_invalid_base_url_is_refused_with_the_reason() {
        for (text, error) in [
            ("", BaseUrlError::NotAbsolute),
            ("/api", BaseUrlError::NotAbsolute),
            ("data.example.com", BaseUrlError::NotAbsolute),
            ("http://", BaseUrlError::NotAbsolute),
            ("http:///api", BaseUrlError::NotAbsolute),
            ("http://a b", BaseUrlError::NotAbsolute),
            ("http://a\r\nb", BaseUrlError::NotAbsolute),
            ("ftp://a.example", BaseUrlError::Scheme),
            ("file:///etc/passwd", BaseUrlError::NotAbsolute),
            ("http://user@a.example", BaseUrlError::UserInfo),
            ("http://good@evil", BaseUrlError::UserInfo),
            ("http://a.example:", BaseUrlError::Port),
            ("http://a.example:99999", BaseUrlError::Port),
            ("http://a.example:0", BaseUrlError::Port),
            ("http://a.example/?x=1", BaseUrlError::Query),
            ("http://a.example/#x", BaseUrlError::Fragment),
        ] {
            assert_eq!(BaseUrl::new(text), Err(error), "{text:?}");
        }
    }

    #[test]
    fn a_password_is_not_quoted() {
        let error = BaseUrl::new("https://u:hidden@a.example").unwrap_err();
        assert!(!format!("{error} {error:?}").contains("hidden"));
    }
}
