//! Passwords: Argon2id (RFC 9106), off the threads that answer requests and a few at a time.

pub(crate) mod weak;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use argon2::Argon2;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _, phc::PasswordHash};
use tokio::sync::Semaphore;

use crate::error::{Error, Result};
use crate::secrets::Secret;

/// Longest password, in bytes.
pub(crate) const MAX_BYTES: usize = 1024;
/// How many calls wait for a hash at most; a further one is rejected.
const MAX_WAITING: usize = 512;
/// The hash of a password that nobody has, under the same parameters, so that an account that is not there takes
/// the time of one that is.
const DUMMY: &str = "$argon2id$v=19$m=19456,t=2,p=1$c3ZjLXN0b3JlLWR1bW15IQ$JsCmw8WiyAy/sb45Dfz0+eiFXUBdD5WvGl9mGtOKHDI";

/// Hashes and verifies passwords. The parameters are those that OWASP names first: 19 MiB, two passes, one lane.
#[derive(Debug)]
pub(crate) struct Passwords {
    /// Half of the cores, so that the other half goes on answering.
    permits: Arc<Semaphore>,
    waiting: AtomicUsize,
}

impl Default for Passwords {
    fn default() -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Self {
            permits: Arc::new(Semaphore::new((cores / 2).max(1))),
            waiting: AtomicUsize::new(0),
        }
    }
}

impl Passwords {
    /// The PHC string of a new password.
    pub(crate) async fn hash(&self, password: Secret) -> Result<String> {
        self.run(move || {
            Argon2::default()
                .hash_password(password.expose().as_bytes())
                .map(|hash| hash.to_string())
                .map_err(Error::caused("a password could not be hashed"))
        })
        .await
    }

    /// Whether a password is the one of a PHC string. Without one the answer is no, and takes as long.
    pub(crate) async fn verify(&self, password: Secret, kept: Option<String>) -> Result<bool> {
        self.run(move || {
            let hash = PasswordHash::new(kept.as_deref().unwrap_or(DUMMY)).map_err(
                Error::caused("the store holds a password hash that cannot be read"),
            )?;
            let fits = password.expose().len() <= MAX_BYTES;
            let tried = if fits { password.expose() } else { "" };
            let same = Argon2::default()
                .verify_password(tried.as_bytes(), &hash)
                .is_ok();
            Ok(same && fits && kept.is_some())
        })
        .await
    }

    async fn run<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce() -> Result<T> + Send + 'static,
    {
        let _waiting = Waiting::enter(&self.waiting)?;
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        let permit = permit.map_err(Error::caused("the queue of password hashes is closed"))?;
        let done = tokio::task::spawn_blocking(move || {
            let result = work();
            drop(permit);
            result
        });
        done.await
            .map_err(Error::caused("a password hash was interrupted"))?
    }
}

/// A permit in the queue, given back when the caller leaves.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn enter(count: &'a AtomicUsize) -> Result<Self> {
        let permit = Self(count);
        if count.fetch_add(1, Ordering::Relaxed) < MAX_WAITING {
            Ok(permit)
        } else {
            Err(Error::busy(
                "too many people sign in right now; try again in a moment",
            ))
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(text: &str) -> Secret {
        Secret::new(text)
    }

    #[tokio::test]
    async fn a_password_is_known_again_and_another_one_is_not() {
        let passwords = Passwords::default();
        let kept = passwords.hash(secret("correct horse")).await.unwrap();
        assert!(kept.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert!(
            passwords
                .verify(secret("correct horse"), Some(kept.clone()))
                .await
                .unwrap()
        );
        assert!(
            !passwords
                .verify(secret("correct horsf"), Some(kept.clone()))
                .await
                .unwrap()
        );
        assert!(!passwords.verify(secret(""), Some(kept)).await.unwrap());
    }

    #[tokio::test]
    async fn no_password_fits_an_account_that_has_none() {
        let passwords = Passwords::default();
        assert!(!passwords.verify(secret("anything"), None).await.unwrap());
        assert!(!passwords.verify(secret(""), None).await.unwrap());
    }

    #[test]
    fn the_dummy_hash_has_the_parameters_of_real_ones() {
        let parameters = |phc: &str| {
            let hash = PasswordHash::new(phc).unwrap();
            (
                hash.algorithm.to_string(),
                hash.version,
                hash.params.to_string(),
                hash.hash.unwrap().len(),
            )
        };
        let real = Argon2::default().hash_password(b"x").unwrap().to_string();
        assert_eq!(parameters(DUMMY), parameters(&real));
    }

    #[test]
    fn a_full_queue_turns_callers_away_and_empties_again() {
        let count = AtomicUsize::new(MAX_WAITING - 1);
        let last = Waiting::enter(&count).unwrap();
        assert!(Waiting::enter(&count).is_err());
        drop(last);
        assert!(Waiting::enter(&count).is_ok());
    }
}
