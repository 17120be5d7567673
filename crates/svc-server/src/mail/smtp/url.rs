//! The URL of a mail server. It may hold a password, so that no message quotes it.

use std::net::IpAddr;

use http::Uri;
use percent_encoding::percent_decode_str;
use svc_model::query::parse_pairs;

use crate::Error;

/// Where a mail server is, and how it is spoken to.
#[derive(PartialEq, Eq)]
pub(super) struct SmtpUrl {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) tls: TlsMode,
    /// User and password.
    pub(super) credentials: Option<(String, String)>,
    /// The PEM file with the certificates to trust.
    pub(super) root_certificates: Option<String>,
}

/// How a connection is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TlsMode {
    /// Never.
    None,
    /// By STARTTLS where it is offered.
    Opportunistic,
    /// By STARTTLS.
    Required,
    /// From its first byte.
    Implicit,
}

impl SmtpUrl {
    pub(super) fn parse(text: &str) -> Result<Self, Error> {
        let uri: Uri = text.parse().map_err(|_| wrong())?;
        let implicit = match uri.scheme_str() {
            Some("smtps") => true,
            Some("smtp") => false,
            _ => return Err(wrong()),
        };
        let host = uri
            .host()
            .filter(|host| !host.is_empty())
            .ok_or_else(wrong)?;
        let host = host
            .trim_start_matches('[')
            .trim_end_matches(']')
            .to_owned();
        // What follows a # is dropped in silence; it would be a part of a password that was not encoded.
        if !matches!(uri.path(), "" | "/") || text.contains('#') {
            return Err(wrong());
        }
        let mut requested = None;
        let mut root_certificates = None;
        for (key, value) in parse_pairs(uri.query().unwrap_or_default()).map_err(|_| wrong())? {
            match (&*key, &*value) {
                ("tls", "none") if !implicit => requested = Some(TlsMode::None),
                ("tls", "opportunistic") if !implicit => requested = Some(TlsMode::Opportunistic),
                ("tls", "required") if !implicit => requested = Some(TlsMode::Required),
                ("tls", _) => {
                    return Err(Error::config(
                        "tls must be none, opportunistic or required, and stands behind smtp:// \
                         alone: smtps:// is always encrypted",
                    ));
                }
                ("sslrootcert", path) if !path.is_empty() => {
                    root_certificates = Some(path.to_owned());
                }
                _ => return Err(wrong()),
            }
        }
        let tls = match requested {
            _ if implicit => TlsMode::Implicit,
            Some(requested) => requested,
            None if is_loopback(&host) && root_certificates.is_none() => TlsMode::None,
            None => TlsMode::Required,
        };
        let port = match (uri.port_u16(), tls) {
            (Some(0), _) => return Err(wrong()),
            (Some(port), _) => port,
            (None, _) if has_port(&uri) => return Err(wrong()),
            (None, TlsMode::Implicit) => 465,
            (None, TlsMode::None) => 25,
            (None, _) => 587,
        };
        Ok(Self {
            host,
            port,
            tls,
            credentials: credentials(&uri)?,
            root_certificates,
        })
    }
}

fn wrong() -> Error {
    Error::config(
        "must be like smtp://user:password@mail.example.com:587 or \
         smtps://user:password@mail.example.com:465, optionally with ?tls=none, ?tls=opportunistic or \
         ?sslrootcert=PATH; write /, @, :, ?, # and % in user and password as %2F, %40, %3A, %3F, %23 and %25",
    )
}

/// Whether there is a colon behind the host; its port may be none that there is.
fn has_port(uri: &Uri) -> bool {
    let authority = uri.authority().map_or("", |authority| authority.as_str());
    let server = authority.rsplit('@').next().unwrap_or_default();
    server.len() > uri.host().unwrap_or_default().len()
}

fn credentials(uri: &Uri) -> Result<Option<(String, String)>, Error> {
    let authority = uri.authority().map_or("", |authority| authority.as_str());
    let Some((userinfo, _)) = authority.rsplit_once('@') else {
        return Ok(None);
    };
    let (user, password) = userinfo.split_once(':').ok_or_else(wrong)?;
    if user.is_empty() || password.contains([':', '@']) {
        return Err(wrong());
    }
    let decode = |text: &str| match percent_decode_str(text).decode_utf8() {
        Ok(text) => Ok(text.into_owned()),
        Err(_) => Err(wrong()),
    };
    Ok(Some((decode(user)?, decode(password)?)))
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host
            .parse::<IpAddr>()
            .is_ok_and(|address| address.to_canonical().is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leaves_the_machine_is_encrypted_unless_the_url_says_otherwise() {
        for (text, server) in [
            ("smtps://mail.example.com", "mail.example.com 465 Implicit"),
            ("smtps://127.0.0.1:1", "127.0.0.1 1 Implicit"),
            ("smtp://mail.example.com", "mail.example.com 587 Required"),
            (
                "smtp://mail.example.com:25/",
                "mail.example.com 25 Required",
            ),
            ("smtp://192.168.1.2", "192.168.1.2 587 Required"),
            (
                "smtp://localhost.a.example",
                "localhost.a.example 587 Required",
            ),
            ("smtp://a.example?tls=none", "a.example 25 None"),
            (
                "smtp://a.example?tls=opportunistic",
                "a.example 587 Opportunistic",
            ),
            ("smtp://localhost", "localhost 25 None"),
            ("smtp://127.1.2.3:2525", "127.1.2.3 2525 None"),
            ("smtp://[::1]:2525", "::1 2525 None"),
            ("smtp://localhost?tls=required", "localhost 587 Required"),
            (
                "smtp://localhost?sslrootcert=/ca.pem",
                "localhost 587 Required",
            ),
        ] {
            let url = SmtpUrl::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            let read = format!("{} {} {:?}", url.host, url.port, url.tls);
            assert_eq!(read, server, "{text}");
        }
    }

    #[test]
    fn user_and_password_are_decoded() {
        let url = SmtpUrl::parse("smtp://ann%40a.example:p%2F%40%3a%25ss@mail.example.com").ok();
        assert_eq!(
            url.and_then(|url| url.credentials),
            Some(("ann@a.example".to_owned(), "p/@:%ss".to_owned()))
        );
        let url = SmtpUrl::parse("smtp://mail.example.com").ok();
        assert_eq!(url.and_then(|url| url.credentials), None);
    }

    #[test]
    fn a_url_that_cannot_work_is_refused_and_never_quoted() {
        for text in [
            "",
            "mail.example.com",
            "http://u:hunter2@mail.example.com",
            "smtp://u:hunter2",
            "smtp://u:hunter2@",
            "smtp://hunter2@mail.example.com",
            "smtp://:hunter2@mail.example.com",
            "smtp://u:hunter2@x@mail.example.com",
            "smtp://u:hunter2:x@mail.example.com",
            "smtp://u:hunter2#x@mail.example.com",
            "smtp://u:hunter2/x@mail.example.com",
            "smtp://u:hunter2%ff@mail.example.com",
            "smtp://u:hunter2@mail.example.com:0",
            "smtp://u:hunter2@mail.example.com:99999",
            "smtp://u:hunter2@mail.example.com:",
            "smtp://u:hunter2@mail.example.com/path",
            "smtp://u:hunter2@mail.example.com?tls=off",
            "smtp://u:hunter2@mail.example.com?tsl=none",
            "smtps://u:hunter2@mail.example.com?tls=none",
            "smtp://u:hunter2@mail.example.com?sslrootcert=",
        ] {
            let error = SmtpUrl::parse(text).err().map(|error| error.to_string());
            let error = error.unwrap_or_else(|| panic!("{text} is taken"));
            assert!(error.contains("must be"), "{error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
    }
}
