//! TLS of the listeners: the certificate and key in force. Their files are looked at every two seconds; a changed pair
//! serves new connections from then on, and one that does not fit is reported while the earlier one stays in force.

mod pair;

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use rustls::ServerConfig;
use serde::Serialize;
use tokio::time::MissedTickBehavior;

use self::pair::{Digest, Fault, Files};
use crate::{Config, Error};

/// How often the files are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// The certificate and key of the listeners.
pub(crate) struct Tls {
    files: Files,
    current: ArcSwap<ServerConfig>,
    looks: Mutex<Looks>,
    /// How many changed pairs did not fit.
    failures: AtomicU64,
}

/// What the files held.
#[derive(Debug)]
struct Looks {
    in_force: Digest,
    failing: Option<Failing>,
}

/// Files that do not fit.
#[derive(Debug)]
struct Failing {
    content: Content,
    fault: Fault,
    is_reported: bool,
}

/// What distinguishes one state of the files from another: their digest, or why they cannot be read.
type Content = Result<Digest, String>;

/// What callers may know of a pair that does not fit.
#[derive(Debug, Serialize)]
pub(crate) struct TlsFault {
    detail: String,
    failures: u64,
}

impl Tls {
    /// Reads the files. `None` when the settings name none.
    pub(crate) fn open(config: &Config) -> Result<Option<Self>, Error> {
        let (Some(cert), Some(key)) = (&config.tls_cert, &config.tls_key) else {
            return Ok(None);
        };
        let files = Files::new(cert, key);
        let wrong = |fault: Fault| fault.into_error(config);
        let pair = files.read().map_err(wrong)?;
        let in_force = pair.digest();
        let current = pair.server_config(&files).map_err(wrong)?;
        files.warn_when_others_may_read_the_key();
        Ok(Some(Self {
            files,
            current: ArcSwap::from_pointee(current),
            looks: Mutex::new(Looks {
                in_force,
                failing: None,
            }),
            failures: AtomicU64::new(0),
        }))
    }

    /// What new connections are served with.
    pub(crate) fn current(&self) -> Arc<ServerConfig> {
        self.current.load_full()
    }

    /// Why the files are not in force, if they are not.
    pub(crate) fn fault(&self) -> Option<TlsFault> {
        let looks = self.looks.lock();
        let failing = looks
            .failing
            .as_ref()
            .filter(|failing| failing.is_reported)?;
        Some(TlsFault {
            detail: format!(
                "the changed certificate and key are not used, and the earlier ones stay in force: {}",
                failing.fault.public()
            ),
            failures: self.failures(),
        })
    }

    /// How many changed pairs did not fit since the start.
    pub(crate) fn failures(&self) -> u64 {
        self.failures.load(Relaxed)
    }

    /// Looks at the files until the task is aborted.
    pub(crate) async fn watch(self: Arc<Self>) {
        let mut ticks = tokio::time::interval(LOOK_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let tls = Arc::clone(&self);
            // A panic there is logged where it happens; the next look may do better.
            let _ = tokio::task::spawn_blocking(move || tls.look()).await;
        }
    }

    /// Takes over what changed in the files.
    fn look(&self) {
        let read = self.files.read();
        let content: Content = match &read {
            Ok(pair) => Ok(pair.digest()),
            Err(fault) => Err(fault.to_string()),
        };
        let mut looks = self.looks.lock();
        if content.as_ref() == Ok(&looks.in_force) {
            if looks
                .failing
                .take()
                .is_some_and(|failing| failing.is_reported)
            {
                tracing::info!("the files of the certificate and the key fit again");
            }
            return;
        }
        let config = read.and_then(|pair| Ok((pair.digest(), pair.server_config(&self.files)?)));
        match config {
            Ok((digest, config)) => {
                self.current.store(Arc::new(config));
                looks.in_force = digest;
                looks.failing = None;
                tracing::info!("the certificate was changed; new connections are served with it");
                self.files.warn_when_others_may_read_the_key();
            }
            Err(fault) => {
                // Two files do not change in the same moment: only what is still wrong at the next look is reported.
                let is_known =
                    |failing: &Failing| failing.is_reported && failing.content == content;
                if looks.failing.as_ref().is_some_and(is_known) {
                    return;
                }
                let is_reported = looks.failing.is_some();
                if is_reported {
                    let failures = self.failures.fetch_add(1, Relaxed).saturating_add(1);
                    tracing::error!(
                        %fault,
                        failures,
                        "the changed certificate and key are not used; the earlier ones stay in force"
                    );
                }
                looks.failing = Some(Failing {
                    content,
                    fault,
                    is_reported,
                });
            }
        }
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What is in force holds the key.
        f.debug_struct("Tls")
            .field("files", &self.files)
            .field("failures", &self.failures)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rcgen::{CertifiedKey, KeyPair};

    use super::*;

    fn made() -> CertifiedKey<KeyPair> {
        rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap()
    }

    struct Home {
        folder: tempfile::TempDir,
        tls: Tls,
    }

    impl Home {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let made = made();
            let config = Config {
                tls_cert: Some(folder.path().join("cert.pem")),
                tls_key: Some(folder.path().join("key.pem")),
                ..Config::default()
            };
            fs::write(folder.path().join("cert.pem"), made.cert.pem()).unwrap();
            let key = made.signing_key.serialize_pem();
            fs::write(folder.path().join("key.pem"), key).unwrap();
            let tls = Tls::open(&config).unwrap().unwrap();
            Self { folder, tls }
        }

        fn write(&self, name: &str, text: &str) {
            fs::write(self.folder.path().join(name), text).unwrap();
        }

        fn detail(&self) -> Option<String> {
            self.tls.fault().map(|fault| fault.detail)
        }
    }

    #[test]
    fn a_changed_pair_is_in_force_at_the_next_look() {
        let home = Home::new();
        let before = home.tls.current();
        home.tls.look();
        assert!(Arc::ptr_eq(&before, &home.tls.current()), "nothing changed");
        let made = made();
        home.write("cert.pem", &made.cert.pem());
        home.tls.look();
        assert!(Arc::ptr_eq(&before, &home.tls.current()), "half written");
        assert_eq!(home.detail(), None, "the key may follow");
        home.write("key.pem", &made.signing_key.serialize_pem());
        home.tls.look();
        assert!(!Arc::ptr_eq(&before, &home.tls.current()));
        assert_eq!(home.detail(), None);
    }

    #[test]
    fn a_pair_that_stays_wrong_is_reported_once_and_the_earlier_one_stays() {
        let home = Home::new();
        let before = home.tls.current();
        let key = fs::read_to_string(home.folder.path().join("key.pem")).unwrap();
        home.write("key.pem", &made().signing_key.serialize_pem());
        for _ in 0..4 {
            home.tls.look();
        }
        let detail = home.detail().unwrap();
        assert!(detail.contains("does not belong"), "{detail}");
        assert!(
            !detail.contains("key.pem"),
            "no paths for callers: {detail}"
        );
        assert_eq!(home.tls.fault().unwrap().failures, 1);

        home.write("key.pem", "-----BEGIN PRIVATE KEY-----\nAAAA");
        home.tls.look();
        let fault = home.tls.fault().unwrap();
        assert!(fault.detail.contains("not complete"), "{}", fault.detail);
        assert_eq!(fault.failures, 2);
        assert!(Arc::ptr_eq(&before, &home.tls.current()));

        home.write("key.pem", &key);
        home.tls.look();
        assert_eq!(home.detail(), None);
        assert!(Arc::ptr_eq(&before, &home.tls.current()));
    }

    #[test]
    fn the_key_is_not_in_the_debug_text() {
        let home = Home::new();
        let text = format!("{:?}", home.tls);
        assert!(text.contains("key.pem") && text.len() < 400, "{text}");
    }
}
