//! What the commands of API keys, static tokens and service tokens have in common.

use clap::Args;
use jiff::Timestamp;
use serde::Serialize;
use svc_store::{Created, Credential};

use super::moment::expiry;
use crate::{
    error::{Error, StoreResult as _},
    output::{Output, row},
};

/// The options that a new credential of any kind has.
#[derive(Args)]
pub(crate) struct NewCredential {
    /// When it ends: 90d, 12h, 1y from now, or a date such as 2027-01-31; never when not given
    #[arg(long, value_name = "D", allow_hyphen_values = true, value_parser = expiry)]
    pub(super) expires: Option<Timestamp>,
    /// A name to know it by
    #[arg(long, value_name = "TEXT")]
    pub(super) name: Option<String>,
}

/// A kind of credential, with the words of its commands.
pub(super) trait Listed: Credential {
    /// Its command: `svc token`.
    const COMMAND: &'static str;
    /// What one is called, with its article: `a`, `token`.
    const NOUN: (&'static str, &'static str);
    /// How messages begin to say what one belongs to: `of resource`.
    const OF: &'static str;

    /// What it belongs to, such as the name of a resource.
    fn owner(&self) -> &str;

    /// How its text begins.
    fn prefix(&self) -> &str;

    /// Whether a text means this one: it is its uid, its prefix, or the credential itself.
    fn is(&self, text: &str) -> bool;

    /// It as lists show it.
    fn row(&self) -> impl Serialize;

    /// The text of a new one as programs read it.
    fn secret(text: &str) -> impl Serialize;
}

/// Implements [`Listed`]. `$secret` names the text of a new one in JSON, `$column` what one belongs to in lists.
macro_rules! listed {
    ($kind:ty, $command:literal, $noun:expr, secret: $secret:ident, $of:literal, $column:ident: |$one:ident| $owner:expr) => {
        impl $crate::admin::credential::Listed for $kind {
            const COMMAND: &'static str = $command;
            const NOUN: (&'static str, &'static str) = $noun;
            const OF: &'static str = $of;

            fn owner(&self) -> &str {
                let $one = self;
                $owner
            }

            fn prefix(&self) -> &str {
                &self.prefix
            }

            fn is(&self, text: &str) -> bool {
                text == self.uid.to_string() || text.starts_with(&self.prefix)
            }

            fn row(&self) -> impl serde::Serialize {
                $crate::output::row! {
                    prefix: &self.prefix,
                    $column: self.owner(),
                    name: &self.name,
                    date_add: $crate::output::time(self.date_add),
                    last_use: self.last_use.map($crate::output::time),
                    expires: self.expires.map($crate::output::time),
                    revoked: self.revoked.map($crate::output::time),
                    uid: self.uid.to_string(),
                }
            }

            fn secret(text: &str) -> impl serde::Serialize {
                $crate::output::row! { $secret: text }
            }
        }
    };
}
pub(super) use listed;

/// Writes a new credential, whose text is shown this once.
pub(super) fn write_new<C: Listed>(output: &Output, new: &Created<C>) -> Result<(), Error> {
    let ((article, noun), text) = (C::NOUN, new.secret.expose());
    let what = format!("{article} {noun} {} {}", C::OF, new.credential.owner());
    output.secret(&what, &C::secret(text), text)
}

/// Writes a list of credentials.
pub(super) fn write_list<C: Listed>(output: &Output, credentials: &[C]) -> Result<(), Error> {
    let none = format!("no {}s yet; {} add makes one", C::NOUN.1, C::COMMAND);
    output.list(credentials.iter().map(C::row), &none)
}

/// Writes that a credential was revoked.
pub(super) fn write_revoked<C: Listed>(
    output: &Output,
    revoked: Result<C, svc_store::Error>,
) -> Result<(), Error> {
    let revoked = revoked.or_missing(&remedy::<C>())?;
    let (noun, prefix) = (C::NOUN.1, revoked.prefix());
    let text = format!("{noun} {prefix} {} {} revoked\n", C::OF, revoked.owner());
    output.result(&row! { prefix: prefix }, &text)
}

/// Refuses a credential that is not among those of a `place`, such as a project.
pub(super) fn check_listed<C: Listed>(
    credentials: &[C],
    meant: &str,
    place: &str,
) -> Result<(), Error> {
    match credentials.iter().any(|one| one.is(meant)) {
        true => Ok(()),
        false => {
            let (noun, remedy) = (C::NOUN.1, remedy::<C>());
            Err(Error::new(format!("{place} has no such {noun}; {remedy}")))
        }
    }
}

/// How to see which credentials there are.
fn remedy<C: Listed>() -> String {
    let (command, noun) = (C::COMMAND, C::NOUN.1);
    format!("{command} list --project P shows the {noun}s")
}
