//! The mail server: how it is reached, and what is said to it.
//!
//! The connection is driven command by command, since it matters who is refused: a mail is dropped only when its
//! recipient or its text is, and kept when the server, the sign-in or the sender is what is wrong.

mod url;

use std::{error::Error as _, fmt, fs, time::Duration};

use lettre::{
    Message,
    message::Mailbox,
    transport::smtp::{
        authentication::{Credentials, Mechanism},
        client::{AsyncSmtpConnection, Certificate, CertificateStore, Tls, TlsParameters},
        commands::{Data, Mail, Rcpt},
        extension::{ClientId, Extension, MailBodyParameter, MailParameter},
    },
};

use self::url::{SmtpUrl, TlsMode};
use super::MailConfig;
use crate::Error;

/// How long a goodbye may take.
const GOODBYE: Duration = Duration::from_secs(2);

/// A connection through which mails are sent.
pub(super) type Connection = AsyncSmtpConnection;

/// Why a mail was not sent. No text names an address or quotes what the server wrote, which may.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unsent {
    /// The server will never accept this mail.
    Refused(String),
    /// The server does not accept this mail now.
    Later(String),
    /// The server accepts no mail now.
    Unavailable(String),
}

/// The mail server.
pub(crate) struct Smtp {
    host: String,
    port: u16,
    tls: Tls,
    credentials: Option<Credentials>,
    from: Mailbox,
    hello: ClientId,
    timeout: Duration,
}

impl Smtp {
    /// Reads the settings. An error comes with the name of the option that it is about.
    pub(crate) fn new(config: &MailConfig) -> Result<Self, (&'static str, Error)> {
        let from: Mailbox = config.from.trim().parse().map_err(|_| {
            let wrong = "the sender of mails must be an address, with a name or without, such as \
                 'Shop <no-reply@example.com>'";
            ("mail-from", Error::config(wrong))
        })?;
        Self::of_url(config, from).map_err(|error| ("smtp-url", error))
    }

    fn of_url(config: &MailConfig, from: Mailbox) -> Result<Self, Error> {
        let SmtpUrl {
            host,
            port,
            tls,
            credentials,
            root_certificates,
        } = SmtpUrl::parse(config.smtp_url.expose())?;
        let parameters = || tls_parameters(&host, root_certificates.as_deref());
        let tls = match tls {
            TlsMode::None => Tls::None,
            TlsMode::Opportunistic => Tls::Opportunistic(parameters()?),
            TlsMode::Required => Tls::Required(parameters()?),
            TlsMode::Implicit => Tls::Wrapper(parameters()?),
        };
        let domain = from.email.domain();
        // The own name of this machine means nothing to others; the sender's domain does.
        let hello = match domain.is_ascii() {
            true => ClientId::Domain(domain.to_owned()),
            false => ClientId::default(),
        };
        Ok(Self {
            host,
            port,
            tls,
            credentials: credentials.map(|(user, password)| Credentials::new(user, password)),
            from,
            hello,
            timeout: config.timeout,
        })
    }

    /// Who writes.
    pub(super) fn from(&self) -> &Mailbox {
        &self.from
    }

    /// How long it may take to send a mail.
    pub(super) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Connects, encrypts and signs in.
    pub(super) async fn connect(&self) -> Result<Connection, Unsent> {
        let implicit = match &self.tls {
            Tls::Wrapper(parameters) => Some(parameters.clone()),
            _ => None,
        };
        let server = (self.host.as_str(), self.port);
        let mut connection =
            Connection::connect_tokio1(server, Some(self.timeout), &self.hello, implicit, None)
                .await
                .map_err(|error| unavailable("the mail server cannot be reached", &error))?;
        match &self.tls {
            Tls::Required(_) if !connection.can_starttls() => {
                self.leave(connection).await;
                return Err(Unsent::Unavailable(
                    "the mail server does not offer STARTTLS; use smtps://, or allow ?tls=none in --smtp-url"
                        .to_owned(),
                ));
            }
            Tls::Required(parameters) => connection.starttls(parameters.clone(), &self.hello).await,
            Tls::Opportunistic(parameters) if connection.can_starttls() => {
                connection.starttls(parameters.clone(), &self.hello).await
            }
            _ => Ok(()),
        }
        .map_err(|error| unavailable("no encrypted connection to the mail server", &error))?;
        if let Some(credentials) = &self.credentials {
            if matches!(self.tls, Tls::Opportunistic(_)) && !connection.is_encrypted() {
                self.leave(connection).await;
                return Err(Unsent::Unavailable(
                    "the mail server offers no STARTTLS, and the password is not sent without; ?tls=none in \
                     --smtp-url sends it"
                        .to_owned(),
                ));
            }
            let mechanisms = [Mechanism::Plain, Mechanism::Login];
            let signed_in = connection.auth(&mechanisms, credentials).await;
            signed_in
                .map_err(|error| unavailable("the mail server does not let us sign in", &error))?;
        }
        Ok(connection)
    }

    /// Sends a message.
    pub(super) async fn send(
        &self,
        connection: &mut Connection,
        message: &Message,
    ) -> Result<(), Unsent> {
        let text = message.formatted();
        let envelope = message.envelope();
        let mut parameters = Vec::new();
        let mut addresses = envelope.from().into_iter().chain(envelope.to());
        if addresses.any(|address| !AsRef::<str>::as_ref(address).is_ascii()) {
            if !offers(connection, Extension::SmtpUtfEight) {
                return Err(Unsent::Refused(
                    "the mail server accepts only ASCII addresses".to_owned(),
                ));
            }
            parameters.push(MailParameter::SmtpUtfEight);
        }
        if !text.is_ascii() && offers(connection, Extension::EightBitMime) {
            parameters.push(MailParameter::Body(MailBodyParameter::EightBitMime));
        }
        let from = Mail::new(envelope.from().cloned(), parameters);
        let taken = connection.command(from).await;
        taken.map_err(|error| unavailable("the mail server refuses the sender", &error))?;
        for recipient in envelope.to() {
            let taken = connection.command(Rcpt::new(recipient.clone(), Vec::new()));
            let taken = taken.await;
            taken.map_err(|error| refused("the mail server refuses the recipient", &error))?;
        }
        let what = "the mail server refuses the mail";
        let begun = connection.command(Data).await;
        begun.map_err(|error| refused(what, &error))?;
        let taken = connection.message(&text).await;
        taken.map_err(|error| refused(what, &error))?;
        Ok(())
    }

    /// Ends the connection politely, without waiting long for an answer.
    pub(super) async fn leave(&self, mut connection: Connection) {
        let _ = tokio::time::timeout(GOODBYE, connection.abort()).await;
    }
}

impl fmt::Debug for Smtp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Smtp")
            .field("host", &self.host)
            .field("port", &self.port)
            .field("tls", &self.tls)
            .finish_non_exhaustive()
    }
}

fn offers(connection: &Connection, extension: Extension) -> bool {
    connection.server_info().supports_feature(extension)
}

fn tls_parameters(host: &str, root_certificates: Option<&str>) -> Result<TlsParameters, Error> {
    let builder = TlsParameters::builder(host.to_owned());
    let builder = match root_certificates {
        None => builder.certificate_store(CertificateStore::WebpkiRoots),
        Some(path) => {
            let pem = fs::read(path).map_err(|error| {
                Error::config(format!(
                    "cannot read {path}, its sslrootcert: {error}; name a PEM file that this user may read"
                ))
            })?;
            let none = || {
                Error::config(format!(
                    "{path}, its sslrootcert, must be a PEM file with certificates to trust"
                ))
            };
            let begins = b"-----BEGIN CERTIFICATE-----";
            if !pem.windows(begins.len()).any(|text| text == begins) {
                return Err(none());
            }
            builder
                .certificate_store(CertificateStore::None)
                .add_root_certificate(Certificate::from_pem(&pem).map_err(|_| none())?)
        }
    };
    builder
        .build()
        .map_err(|error| Error::config(format!("TLS to the mail server cannot be set up: {error}")))
}

/// A failure that concerns every mail.
fn unavailable(what: &str, error: &lettre::transport::smtp::Error) -> Unsent {
    Unsent::Unavailable(format!("{what}: {}", reason(error)))
}

/// A failure that concerns this mail, unless it is about the sender or about who may send.
fn refused(what: &str, error: &lettre::transport::smtp::Error) -> Unsent {
    let text = format!("{what}: {}", reason(error));
    let Some(code) = error.status() else {
        return Unsent::Unavailable(text);
    };
    if error.is_transient() {
        return Unsent::Later(text);
    }
    let status = enhanced_status(error).unwrap_or_default();
    let ours = status.starts_with("5.7.") || matches!(status.as_str(), "5.1.7" | "5.1.8" | "5.5.1");
    match ours || matches!(u16::from(code), 530 | 535) {
        true => Unsent::Later(text),
        false => Unsent::Refused(text),
    }
}

/// What may be logged of an error: not the text of the server, which often repeats the address.
fn reason(error: &lettre::transport::smtp::Error) -> String {
    match (error.status(), enhanced_status(error)) {
        (Some(code), Some(status)) => format!("it answers {code} {status}"),
        (Some(code), None) => format!("it answers {code}"),
        (None, _) if error.is_response() => "its answer is not understood".to_owned(),
        (None, _) => error.to_string(),
    }
}

/// The enhanced status code (RFC 3463) with which the server's text begins.
fn enhanced_status(error: &lettre::transport::smtp::Error) -> Option<String> {
    error.status()?;
    let text = error.source()?.to_string();
    let word = text.split_whitespace().next()?;
    let parts: Vec<&str> = word.split('.').collect();
    let is_number =
        |part: &&str| matches!(part.len(), 1..=3) && part.bytes().all(|b| b.is_ascii_digit());
    (parts.len() == 3 && parts.iter().all(is_number)).then(|| word.to_owned())
}
