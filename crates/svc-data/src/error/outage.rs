//! Why a database cannot be used, in sentences that may be shown to those who manage a resource.

use std::io;

/// Why a database cannot be used.
///
/// The text says what the person who gave the address can do something about, and nothing that is on this machine or in
/// the answer of a server: no path, no host, no user, no text of a driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Outage {
    /// The file of an SQLite database is missing.
    #[error("there is no such file")]
    NoFile,
    /// The file of an SQLite database cannot be opened.
    #[error("the service may not read or write the file")]
    NotReadable,
    /// It is a folder or something else, or a file of another kind.
    #[error("the file is not an SQLite database")]
    NotADatabase,
    /// The file of an SQLite database is damaged.
    #[error("the file is damaged")]
    Damaged,
    /// Another program has locked the file of an SQLite database.
    #[error("another program has locked the file")]
    Locked,
    /// The name of the host has no address.
    #[error("there is no host of this name")]
    UnknownHost,
    /// [`ResourceOptions::servers`](crate::ResourceOptions::servers) does not allow the server.
    #[error(
        "the service does not connect to this server; its option resource-hosts names the servers that it may connect to"
    )]
    NotAllowed,
    /// No program accepts connections.
    #[error("nothing answers at this host and port")]
    NothingAnswers,
    /// The answer took too long.
    #[error("no answer came in time")]
    NoAnswer,
    /// The answer is not that of a database server.
    #[error("what answers at this host and port is not a server of this kind")]
    NotAServer,
    /// The connection ended.
    #[error("the server closed the connection")]
    Closed,
    /// The address requires TLS, and the server has none.
    #[error("the server does not offer TLS: enable it there, or connect without it")]
    NoTls,
    /// The certificate is not trusted, has expired, or is for another host.
    #[error(
        "the certificate of the server does not fit: it is not trusted, or is for another host; the address can name the authority (sslrootcert, ssl-ca) or do without this check"
    )]
    Certificate,
    /// Both sides support TLS, but no common form of it.
    #[error("the server and the service do not agree on TLS")]
    Tls,
    /// User or password are wrong, or the server does not accept this user from here.
    #[error("the server refused the user or the password")]
    Refused,
    /// The server has no such database, or the user may not use it.
    #[error("the server has no database of this name that this user may use")]
    NoDatabase,
    /// The user may connect and no more.
    #[error("this user may not read the structure of the database")]
    NotPermitted,
    /// The server accepts no further connection.
    #[error("the server has no connection left for this service")]
    Full,
    /// The server accepts no connections now.
    #[error("the server is starting or shutting down")]
    Starting,
    /// Anything else.
    #[error("the database cannot be used; the log of the service says why")]
    Other,
}

impl Outage {
    /// What an error of the way to a server means.
    pub(crate) fn of_io(error: &io::Error) -> Self {
        if let Some(inner) = error.get_ref() {
            if let Some(outage) = inner.downcast_ref::<Self>() {
                return *outage;
            }
            if let Some(outage) = Self::of_tls(&inner.to_string()) {
                return outage;
            }
        }
        match error.kind() {
            io::ErrorKind::ConnectionRefused
            | io::ErrorKind::HostUnreachable
            | io::ErrorKind::NetworkUnreachable
            | io::ErrorKind::NetworkDown
            | io::ErrorKind::AddrNotAvailable
            | io::ErrorKind::PermissionDenied
            | io::ErrorKind::NotFound => Self::NothingAnswers,
            io::ErrorKind::TimedOut => Self::NoAnswer,
            io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::NotConnected
            | io::ErrorKind::UnexpectedEof => Self::Closed,
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => Self::NotAServer,
            _ => Self::Other,
        }
    }

    /// What a message of the TLS library means.
    pub(crate) fn of_tls(message: &str) -> Option<Self> {
        if message.starts_with("invalid peer certificate") {
            return Some(Self::Certificate);
        }
        let is_about_tls = message.starts_with("received fatal alert")
            || message.starts_with("peer is incompatible")
            || message.starts_with("peer misbehaved")
            || message.starts_with("received corrupt message")
            || message.starts_with("tls handshake eof");
        is_about_tls.then_some(Self::Tls)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_went_wrong_on_the_way_is_told_by_its_kind() {
        for (kind, outage) in [
            (io::ErrorKind::ConnectionRefused, Outage::NothingAnswers),
            (io::ErrorKind::TimedOut, Outage::NoAnswer),
            (io::ErrorKind::UnexpectedEof, Outage::Closed),
        ] {
            assert_eq!(Outage::of_io(&kind.into()), outage);
        }
        let inner = io::Error::other(Outage::NoTls);
        assert_eq!(Outage::of_io(&inner), Outage::NoTls);
        let text = io::Error::new(
            io::ErrorKind::InvalidData,
            "invalid peer certificate: UnknownIssuer",
        );
        assert_eq!(Outage::of_io(&text), Outage::Certificate);
    }
}
