//! What an operator can set of mail.

use std::time::Duration;

use svc_store::Secret;

/// The mail server, and who writes. See [`Config::mail`](crate::Config::mail).
///
/// ```
/// let mut config = svc_server::Config::default();
/// config.mail = Some(svc_server::MailConfig::new(
///     "smtp://shop:hunter2@mail.example.com:587",
///     "Shop <no-reply@example.com>",
/// ));
/// assert!(!format!("{config:?}").contains("hunter2"));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MailConfig {
    /// The mail server: `smtps://user:password@host:465`, or `smtp://user:password@host:587`, which has to offer
    /// STARTTLS. User and password may be left out, and are percent-encoded. Further:
    ///
    /// - `?tls=none` never encrypts, and `?tls=opportunistic` only where STARTTLS is offered; elsewhere a password
    ///   is not sent then. A server on this machine (`localhost`, a loopback address) needs no TLS unless the URL
    ///   says `?tls=required`.
    /// - `?sslrootcert=PATH` names a PEM file with the certificates to trust, instead of Mozilla's authorities.
    ///
    /// Without a port it is 465 for `smtps`, 587 for `smtp`, and 25 for `smtp` without TLS.
    pub smtp_url: Secret,
    /// Who writes: an address, with a name or without, such as `Shop <no-reply@example.com>`.
    pub from: String,
    /// How long it may take to hand a mail over. Default 30 s.
    pub timeout: Duration,
}

impl MailConfig {
    /// A mail server and a sender, with a timeout of 30 s.
    pub fn new(smtp_url: impl Into<String>, from: impl Into<String>) -> Self {
        Self {
            smtp_url: Secret::new(smtp_url),
            from: from.into(),
            timeout: Duration::from_secs(30),
        }
    }
}
