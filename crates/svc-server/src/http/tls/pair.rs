//! The files of a certificate and its key, and what they have to be.

use std::{
    fmt,
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use rustls::{
    InconsistentKeys, ServerConfig,
    crypto::ring,
    pki_types::{
        CertificateDer, PrivateKeyDer,
        pem::{self, PemObject as _},
    },
};
use sha2::{Digest as _, Sha256};

use crate::{Config, Error};

/// The versions of HTTP over TLS, the preferred one first.
const ALPN: [&[u8]; 2] = [b"h2", b"http/1.1"];
/// The most bytes of a file that are read.
const MOST_BYTES: u64 = 1 << 20;
/// The options that name the files.
const CERT: &str = "tls-cert";
const KEY: &str = "tls-key";

/// Identifies what the files held.
pub(super) type Digest = [u8; 32];

/// Where the files are.
#[derive(Debug)]
pub(super) struct Files {
    cert: PathBuf,
    key: PathBuf,
}

/// What they hold. It has no `Debug`: the key is secret.
pub(super) struct Pair {
    cert: Vec<u8>,
    key: Vec<u8>,
}

/// Why a pair cannot be used. No text of the files is in it.
#[derive(Debug)]
pub(super) struct Fault {
    option: &'static str,
    path: PathBuf,
    reason: String,
}

impl Fault {
    /// The fault without paths of this machine.
    pub(super) fn public(&self) -> String {
        format!("{}: {}", self.option, self.reason)
    }

    pub(super) fn into_error(self, config: &Config) -> Error {
        let message = format!("{}: {}", self.path.display(), self.reason);
        config.wrong(self.option, &message)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "--{} {}: {}",
            self.option,
            self.path.display(),
            self.reason
        )
    }
}

impl Files {
    pub(super) fn new(cert: &Path, key: &Path) -> Self {
        Self {
            cert: cert.to_owned(),
            key: key.to_owned(),
        }
    }

    /// Reads both.
    pub(super) fn read(&self) -> Result<Pair, Fault> {
        let unreadable = |option, path: &Path, error: io::Error| Fault {
            option,
            path: path.to_owned(),
            reason: format!("cannot be read ({error}); name a PEM file that this user may read"),
        };
        Ok(Pair {
            cert: read(&self.cert).map_err(|error| unreadable(CERT, &self.cert, error))?,
            key: read(&self.key).map_err(|error| unreadable(KEY, &self.key, error))?,
        })
    }

    fn wrong_cert(&self, reason: impl Into<String>) -> Fault {
        Fault {
            option: CERT,
            path: self.cert.clone(),
            reason: reason.into(),
        }
    }

    fn wrong_key(&self, reason: impl Into<String>) -> Fault {
        Fault {
            option: KEY,
            path: self.key.clone(),
            reason: reason.into(),
        }
    }

    /// Says so when others than the user of this process, or root with a group, may read the key.
    pub(super) fn warn_when_others_may_read_the_key(&self) {
        if others_may_read(&self.key) {
            tracing::warn!(
                path = %self.key.display(),
                "other users of this machine may read the private key; remove their rights (chmod 600)"
            );
        }
    }
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(io::Error::other("it has more than a megabyte"));
    }
    Ok(bytes)
}

#[cfg(unix)]
fn others_may_read(path: &Path) -> bool {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    // Root may share it with a group, as distributions and container platforms do.
    std::fs::metadata(path).is_ok_and(|found| {
        let mode = found.permissions().mode();
        mode & 0o007 != 0 || (mode & 0o077 != 0 && found.uid() != 0)
    })
}

#[cfg(not(unix))]
fn others_may_read(_path: &Path) -> bool {
    false
}

impl Pair {
    /// Identifies the pair.
    pub(super) fn digest(&self) -> Digest {
        let mut digest = Sha256::new();
        digest.update((self.cert.len() as u64).to_be_bytes());
        digest.update(&self.cert);
        digest.update(&self.key);
        digest.finalize().into()
    }

    /// The settings of a listener with this pair.
    pub(super) fn server_config(&self, files: &Files) -> Result<ServerConfig, Fault> {
        let chain = self.chain(files)?;
        let key = self.private_key(files)?;
        let failed = |error: rustls::Error| {
            match error {
            rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => files.wrong_key(
                "does not belong to the first certificate of --tls-cert; name the key that it was made with, \
                 and put the service's own certificate in front of those that signed it",
            ),
            rustls::Error::InvalidCertificate(reason) => {
                files.wrong_cert(format!("its first certificate cannot be used ({reason})"))
            }
            error => files.wrong_key(format!(
                "cannot be used ({error}); make a key of RSA (2048 bits or more), ECDSA (P-256, P-384) or Ed25519"
            )),
        }
        };
        let provider = Arc::new(ring::default_provider());
        // TLS 1.2 and 1.3: rustls has no earlier version.
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(failed)?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(failed)?;
        config.alpn_protocols = ALPN.iter().map(|name| name.to_vec()).collect();
        // Resumed sessions then take no memory here.
        config.ticketer = ring::Ticketer::new().map_err(failed)?;
        Ok(config)
    }

    fn chain(&self, files: &Files) -> Result<Vec<CertificateDer<'static>>, Fault> {
        let chain: Vec<_> = CertificateDer::pem_slice_iter(&self.cert)
            .collect::<Result<_, _>>()
            .map_err(|error| files.wrong_cert(broken(&error)))?;
        if chain.is_empty() {
            return Err(files.wrong_cert(
                "has no certificate; it must be PEM, with lines \"-----BEGIN CERTIFICATE-----\"",
            ));
        }
        Ok(chain)
    }

    fn private_key(&self, files: &Files) -> Result<PrivateKeyDer<'static>, Fault> {
        PrivateKeyDer::from_pem_slice(&self.key).map_err(|error| {
            let is_encrypted = |text: &[u8]| {
                let text = String::from_utf8_lossy(text);
                text.contains("BEGIN ENCRYPTED PRIVATE KEY") || text.contains("Proc-Type: 4,ENCRYPTED")
            };
            if is_encrypted(&self.key) {
                return files.wrong_key(
                    "is protected by a password; write it without one: openssl pkey -in FILE -out KEY",
                );
            }
            match error {
                pem::Error::NoItemsFound => files.wrong_key(
                    "has no private key; it must be PEM, with a line \"-----BEGIN PRIVATE KEY-----\"",
                ),
                error => files.wrong_key(broken(&error)),
            }
        })
    }
}

/// What is wrong with a PEM file, without quoting it.
fn broken(error: &pem::Error) -> &'static str {
    match error {
        pem::Error::MissingSectionEnd { .. } => {
            "is not complete: a line \"-----END ...\" is missing; write the whole file"
        }
        pem::Error::Base64Decode(_) => "is not valid PEM: what it holds is not base64",
        _ => "is not valid PEM",
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair};

    use super::*;

    fn files() -> Files {
        Files::new("c.pem".as_ref(), "k.pem".as_ref())
    }

    fn pair(cert: &str, key: &str) -> Result<ServerConfig, String> {
        let pair = Pair {
            cert: cert.into(),
            key: key.into(),
        };
        pair.server_config(&files())
            .map_err(|fault| fault.to_string())
    }

    fn made() -> (String, String) {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(["localhost".to_owned()]).unwrap();
        let cert = params.self_signed(&key).unwrap();
        (cert.pem(), key.serialize_pem())
    }

    #[test]
    fn a_chain_with_text_around_it_is_read_and_offers_http2() {
        let (cert, key) = made();
        let (other, _) = made();
        let config = pair(&format!("Subject: a\n{cert}\n{other}"), &key).unwrap();
        assert_eq!(
            config.alpn_protocols,
            [b"h2".to_vec(), b"http/1.1".to_vec()]
        );
    }

    #[test]
    fn a_pair_that_does_not_fit_is_named_with_its_option_and_the_remedy() {
        let (cert, key) = made();
        let (other, other_key) = made();
        let half = &key[..key.len() / 2];
        let encrypted = key.replace("PRIVATE KEY", "ENCRYPTED PRIVATE KEY");
        let garbage = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        for (cert, key, expected) in [
            (&*cert, &*other_key, "--tls-key k.pem: does not belong"),
            (&*format!("{other}{cert}"), &*key, "in front of those"),
            (&*cert, half, "--tls-key k.pem: is not complete"),
            (&*cert, "", "--tls-key k.pem: has no private key"),
            (&*cert, &*cert, "--tls-key k.pem: has no private key"),
            (&*cert, &*encrypted, "protected by a password"),
            ("", &*key, "--tls-cert c.pem: has no certificate"),
            (&*key, &*key, "--tls-cert c.pem: has no certificate"),
            (
                &cert[..cert.len() / 2],
                &*key,
                "--tls-cert c.pem: is not complete",
            ),
            (garbage, &*key, "--tls-cert c.pem: its first certificate"),
        ] {
            let error = pair(cert, key).err().unwrap();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_is_named() {
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path().join("none.pem"), folder.path().to_owned()] {
            let error = Files::new(&path, &path).read().err().unwrap().to_string();
            assert!(error.starts_with("--tls-cert "), "{error}");
            assert!(error.contains("cannot be read"), "{error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_key_that_others_may_read_is_seen() {
        use std::os::unix::fs::PermissionsExt as _;
        let file = tempfile::NamedTempFile::new().unwrap();
        for (mode, expected) in [(0o600, false), (0o644, true), (0o604, true)] {
            let permissions = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(file.path(), permissions).unwrap();
            assert_eq!(others_may_read(file.path()), expected, "{mode:o}");
        }
    }
}
