//! The choice of a proxy for a request, by the rules of the usual environment variables.

mod no_proxy;

use std::{collections::HashMap, fmt, net::Ipv6Addr};

use http::{
    HeaderValue, Uri,
    uri::{Authority, Scheme},
};
use percent_encoding::percent_decode_str;

use self::no_proxy::NoProxy;
use crate::{BuildError, BuildErrorKind};

/// The proxies of requests: one for `http`, one for `https`, and the hosts that are connected to
/// directly.
///
/// A proxy is `http://host:port` or `https://host:port`, with a user and a password if it requires
/// them (`http://user:password@host:port`, percent-encoded; sent as `Basic` only to the proxy).
/// Without a scheme it is `http`; without a port it is 80 or 443. `https` requests go through a
/// `CONNECT` tunnel, so that the proxy sees only host and port.
///
/// ```
/// use svc_transport::{HyperTransport, Proxy};
///
/// let proxy = Proxy::all("http://user:secret@proxy.example.com:3128")?.no_proxy("localhost,10.0.0.0/8");
/// assert!(!format!("{proxy:?}").contains("secret"));
/// let transport = HyperTransport::builder().proxy(proxy).build()?;
/// # Ok::<(), svc_transport::BuildError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Proxy {
    http: Option<ProxyServer>,
    https: Option<ProxyServer>,
    no_proxy: NoProxy,
}

impl Proxy {
    /// The proxy at `url` for `http` and `https`.
    ///
    /// # Errors
    /// [`BuildErrorKind::Proxy`] when `url` is not the address of an HTTP proxy. SOCKS is not supported.
    pub fn all(url: &str) -> Result<Self, BuildError> {
        let server = ProxyServer::parse(url, "the proxy")?;
        Ok(Self {
            http: Some(server.clone()),
            https: Some(server),
            no_proxy: NoProxy::default(),
        })
    }

    /// The proxies that these variables name.
    ///
    /// | Variable | For |
    /// |---|---|
    /// | `http_proxy` | `http`. Only lower case: in a CGI program, `HTTP_PROXY` is the `Proxy` header of its caller. |
    /// | `https_proxy`, `HTTPS_PROXY` | `https` |
    /// | `all_proxy`, `ALL_PROXY` | schemes without their own proxy |
    /// | `no_proxy`, `NO_PROXY` | hosts that are connected to directly, see [`no_proxy`](Self::no_proxy) |
    ///
    /// The lower-case spelling is preferred; an empty value counts as unset; other variables are
    /// ignored.
    ///
    /// ```
    /// let vars = [("https_proxy", "proxy.example.com:3128"), ("no_proxy", "localhost")];
    /// let proxy = svc_transport::Proxy::from_vars(vars)?;
    /// # Ok::<(), svc_transport::BuildError>(())
    /// ```
    ///
    /// # Errors
    /// [`BuildErrorKind::Proxy`] with the name of the variable, when its value is not the address of an
    /// HTTP proxy: ignoring a configured proxy would be worse.
    pub fn from_vars<K, V>(vars: impl IntoIterator<Item = (K, V)>) -> Result<Self, BuildError>
    where
        K: AsRef<str>,
        V: AsRef<str>,
    {
        let vars: HashMap<String, String> = vars
            .into_iter()
            .map(|(name, value)| (name.as_ref().to_owned(), value.as_ref().trim().to_owned()))
            .filter(|(_, value)| !value.is_empty())
            .collect();
        let value = |names: &[&'static str]| {
            let mut names = names.iter();
            names.find_map(|name| Some((*name, vars.get(*name)?.as_str())))
        };
        let server = |names: &[&'static str]| {
            value(names)
                .map(|(name, url)| ProxyServer::parse(url, name))
                .transpose()
        };
        let all = server(&["all_proxy", "ALL_PROXY"])?;
        Ok(Self {
            http: server(&["http_proxy"])?.or_else(|| all.clone()),
            https: server(&["https_proxy", "HTTPS_PROXY"])?.or(all),
            no_proxy: value(&["no_proxy", "NO_PROXY"])
                .map(|(_, list)| NoProxy::parse(list))
                .unwrap_or_default(),
        })
    }

    /// The proxies that the variables of this process name, by the rules of
    /// [`from_vars`](Self::from_vars).
    ///
    /// Only this function reads the environment; nothing else in this crate does.
    ///
    /// # Errors
    /// The errors of [`from_vars`](Self::from_vars).
    pub fn from_env() -> Result<Self, BuildError> {
        Self::from_vars(
            std::env::vars_os().filter_map(|(key, value)| {
                Some((key.into_string().ok()?, value.into_string().ok()?))
            }),
        )
    }

    /// Sets the hosts that are connected to directly: a list, separated by commas or spaces, of
    /// - host names: `example.com` (and `.example.com`) means the host and every host below it,
    /// - addresses (`192.0.2.7`, `2001:db8::1`) and networks (`10.0.0.0/8`),
    /// - `*` for all hosts.
    ///
    /// An entry with a port (`example.com:8080`) applies only to that port. Loopback addresses are not
    /// included automatically.
    #[must_use]
    pub fn no_proxy(mut self, hosts: &str) -> Self {
        self.no_proxy = NoProxy::parse(hosts);
        self
    }

    /// The proxy for a request to `uri`.
    pub(crate) fn server(&self, uri: &Uri) -> Option<&ProxyServer> {
        let (server, default_port) = if uri.scheme() == Some(&Scheme::HTTPS) {
            (self.https.as_ref()?, 443)
        } else {
            (self.http.as_ref()?, 80)
        };
        let port = uri.port_u16().unwrap_or(default_port);
        (!self.no_proxy.matches(uri.host()?, port)).then_some(server)
    }

    pub(crate) fn needs_tls(&self) -> bool {
        [&self.http, &self.https]
            .into_iter()
            .flatten()
            .any(ProxyServer::is_https)
    }
}

/// A proxy: its address and its credentials.
#[derive(Clone)]
pub(crate) struct ProxyServer {
    uri: Uri,
    authorization: Option<HeaderValue>,
}

impl ProxyServer {
    fn parse(url: &str, name: &str) -> Result<Self, BuildError> {
        // The value is not quoted, since it may contain a password.
        let wrong = |what: &str| {
            BuildError::new(
                BuildErrorKind::Proxy,
                format!("{name} {what}; it should look like http://host:port"),
            )
        };
        let uri: Uri = url
            .parse()
            .map_err(|error| wrong("is no URL").with_source(error))?;
        let scheme = match uri.scheme_str() {
            None | Some("http") => Scheme::HTTP,
            Some("https") => Scheme::HTTPS,
            Some(socks) if socks.starts_with("socks") => {
                return Err(wrong("is a SOCKS proxy, which is not supported"));
            }
            Some(_) => return Err(wrong("has a scheme other than http and https")),
        };
        let authority = uri.authority().ok_or_else(|| wrong("has no host"))?;
        let (user, host) = match authority.as_str().rsplit_once('@') {
            Some((user, host)) => (Some(user), host),
            None => (None, authority.as_str()),
        };
        let host: Authority = host
            .parse()
            .map_err(|error| wrong("has no valid host").with_source(error))?;
        let uri = Uri::builder()
            .scheme(scheme)
            .authority(host)
            .path_and_query("/")
            .build()
            .map_err(|error| wrong("is no URL").with_source(error))?;
        let authorization = user
            .map(|user| basic(user).ok_or_else(|| wrong("has a user that cannot be sent")))
            .transpose()?;
        Ok(Self { uri, authorization })
    }

    pub(crate) fn uri(&self) -> &Uri {
        &self.uri
    }

    pub(crate) fn is_https(&self) -> bool {
        self.uri.scheme() == Some(&Scheme::HTTPS)
    }

    /// The value of `Proxy-Authorization`, marked as sensitive.
    pub(crate) fn authorization(&self) -> Option<&HeaderValue> {
        self.authorization.as_ref()
    }
}

impl fmt::Debug for ProxyServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProxyServer")
            .field("uri", &self.uri)
            .field("authorization", &self.authorization.is_some())
            .finish()
    }
}

/// Basic credentials (RFC 7617) of the user part of a URL.
fn basic(user: &str) -> Option<HeaderValue> {
    let (user, password) = user.split_once(':').unwrap_or((user, ""));
    let mut plain: Vec<u8> = percent_decode_str(user).collect();
    if plain.contains(&b':') {
        return None;
    }
    plain.push(b':');
    plain.extend(percent_decode_str(password));
    let mut value = HeaderValue::try_from(format!("Basic {}", base64(&plain))).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// Base64 with padding (RFC 4648, section 4). It is written here to avoid another dependency for a
/// single header.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = chunk
            .iter()
            .chain([0, 0].iter())
            .take(3)
            .fold(0_u32, |group, byte| group << 8 | u32::from(*byte));
        for place in 0..4 {
            if place > chunk.len() {
                text.push('=');
            } else {
                let index = (group >> (18 - 6 * place)) & 63;
                text.push(char::from(ALPHABET[index as usize]));
            }
        }
    }
    text
}

/// A host without the brackets that a URI puts round an IPv6 address.
pub(crate) fn without_brackets(host: &str) -> &str {
    host.strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
        .filter(|host| host.parse::<Ipv6Addr>().is_ok())
        .unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(proxy: &Proxy, uri: &'static str) -> Option<String> {
        proxy
            .server(&Uri::from_static(uri))
            .map(|server| server.uri().to_string())
    }

    #[test]
    fn each_scheme_has_its_variable_and_all_proxy_fills_the_gaps() {
        let proxy = Proxy::from_vars([
            ("https_proxy", "https://secure.test"),
            ("ALL_PROXY", "any.test:8080"),
            ("PATH", "/bin"),
        ])
        .unwrap();
        assert_eq!(
            chosen(&proxy, "https://a.test/x").as_deref(),
            Some("https://secure.test/")
        );
        assert_eq!(
            chosen(&proxy, "http://a.test/x").as_deref(),
            Some("http://any.test:8080/")
        );
    }

    #[test]
    fn upper_case_http_proxy_is_not_read() {
        let proxy = Proxy::from_vars([("HTTP_PROXY", "http://evil.test")]).unwrap();
        assert_eq!(chosen(&proxy, "http://a.test/"), None);
        let proxy = Proxy::from_vars([("http_proxy", "http://good.test")]).unwrap();
        assert_eq!(
            chosen(&proxy, "http://a.test/").as_deref(),
            Some("http://good.test/")
        );
    }

    #[test]
    fn lower_case_wins_whatever_the_order_and_empty_is_unset() {
        for vars in [
            [("HTTPS_PROXY", "upper.test"), ("https_proxy", "lower.test")],
            [("https_proxy", "lower.test"), ("HTTPS_PROXY", "upper.test")],
            [("https_proxy", " "), ("HTTPS_PROXY", "lower.test")],
        ] {
            let proxy = Proxy::from_vars(vars).unwrap();
            assert_eq!(
                chosen(&proxy, "https://a.test/").as_deref(),
                Some("http://lower.test/")
            );
        }
    }

    #[test]
    fn hosts_of_no_proxy_are_connected_to_directly() {
        let proxy = Proxy::all("proxy.test:1")
            .unwrap()
            .no_proxy("direct.test, ported.test:81");
        assert_eq!(chosen(&proxy, "http://direct.test/"), None);
        assert_eq!(chosen(&proxy, "https://sub.direct.test/"), None);
        assert_eq!(chosen(&proxy, "http://ported.test:81/"), None);
        assert!(chosen(&proxy, "http://ported.test/").is_some());
    }

    #[test]
    fn user_and_password_are_sent_as_basic_credentials_and_never_shown() {
        let proxy = Proxy::all("http://Aladdin:open%20sesame@proxy.test:3128").unwrap();
        let server = proxy.server(&Uri::from_static("http://a.test")).unwrap();
        assert_eq!(
            server.authorization().unwrap(),
            "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="
        );
        assert_eq!(server.uri(), "http://proxy.test:3128/");
        let shown = format!("{proxy:?}");
        assert!(!shown.contains("Aladdin") && !shown.contains("open") && !shown.contains("QWxh"));
    }

    #[test]
    fn an_unusable_proxy_is_an_error_that_names_the_variable_and_hides_the_value() {
        for value in [
            "socks5://user:hunter2@proxy.test",
            "ftp://user:hunter2@proxy.test",
            "http://user:hunter2@",
            "http://user:hunter2@pro xy",
            "http://us%3Aer:hunter2@proxy.test",
        ] {
            let error = Proxy::from_vars([("https_proxy", value)]).unwrap_err();
            assert_eq!(error.kind(), BuildErrorKind::Proxy);
            assert!(error.to_string().starts_with("https_proxy "), "{error}");
            assert!(!format!("{error:?} {error}").contains("hunter2"), "{value}");
        }
    }

    #[test]
    fn base64_agrees_with_the_test_vectors_of_its_rfc() {
        for (plain, coded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
        assert_eq!(base64(&[0xfb, 0xff, 0xbf]), "+/+/");
    }
}
