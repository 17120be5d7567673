//! Mails that wait to be sent, or to be read by an administrator where no mail server is configured: the outbox.

use std::fmt;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use svc_data::Row;
use svc_model::{EnvironmentName, ProjectName};
use uuid::Uuid;

use crate::database::{Tx, columns, handle, row, stored_by_name, values};
use crate::error::{Error, Result};
use crate::secrets::{Sealer, Secret};

const COLUMNS: &str = "m.uid AS mail_uid, p.unique_name AS project, p.name AS project_name, \
     e.unique_name AS environment, m.kind, m.recipient, m.content, m.date_add, m.expires, m.attempts, m.last_error";
const EXPIRE: &str = "DELETE FROM mails WHERE expires <= ?1";
/// How long a mail that is being sent is reserved for the process that took it.
const RESERVED_FOR: SignedDuration = SignedDuration::from_mins(2);
/// The pause before a mail is tried again, doubled each time.
const FIRST_PAUSE: SignedDuration = SignedDuration::from_secs(10);
const LONGEST_PAUSE: SignedDuration = SignedDuration::from_hours(1);
/// The longest reason that is kept of a mail that could not be sent, in characters.
const MAX_ERROR: usize = 500;
/// What mails to accounts call the service.
const SERVICE_NAME: &str = "svc";

/// What a mail is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MailKind {
    /// Somebody made an account for the recipient.
    Invitation,
    /// A new password was asked for.
    ResetPassword,
    /// The address is to become the one of an account.
    ChangeEmail,
    /// The address was registered and is to be confirmed.
    ConfirmEmail,
    /// Somebody registered with an address that has an account.
    AlreadyRegistered,
    /// The password of the account was changed.
    PasswordChanged,
    /// The account has another address now.
    EmailChanged,
}

impl MailKind {
    /// The subject of such a mail.
    pub fn subject(self, project: &str) -> String {
        match self {
            Self::Invitation => format!("You are invited to {project}"),
            Self::ResetPassword => format!("Choose a new password for {project}"),
            Self::ChangeEmail | Self::ConfirmEmail => {
                format!("Confirm your e-mail address for {project}")
            }
            Self::AlreadyRegistered => format!("You have an account at {project} already"),
            Self::PasswordChanged => format!("Your password for {project} was changed"),
            Self::EmailChanged => format!("Your e-mail address for {project} was changed"),
        }
    }
}

stored_by_name!(MailKind, "the store holds an unknown kind of mail", {
    Invitation: "invitation",
    ResetPassword: "reset_password",
    ChangeEmail: "change_email",
    ConfirmEmail: "confirm_email",
    AlreadyRegistered: "already_registered",
    PasswordChanged: "password_changed",
    EmailChanged: "email_changed",
});

/// A mail.
#[derive(Clone)]
#[non_exhaustive]
pub struct Mail {
    /// Identifier.
    pub uid: Uuid,
    /// The project it is sent for; `None` when it is for an account of the service.
    pub project: Option<ProjectName>,
    /// The name of the project, or of the service, for people.
    pub project_name: String,
    /// The environment of the project.
    pub environment: Option<EnvironmentName>,
    /// What it is about.
    pub kind: MailKind,
    /// Who gets it.
    pub to: String,
    /// The code in it, where it has one.
    pub code: Option<Secret>,
    /// The link in it, which holds the code.
    pub link: Option<Secret>,
    /// Another address that it mentions.
    pub about: Option<String>,
    /// When it was written.
    pub date_add: Timestamp,
    /// When it expires: it is not sent after that.
    pub expires: Timestamp,
    /// How often it was tried to be sent.
    pub attempts: u32,
    /// Why it could not be sent the last time.
    pub last_error: Option<String>,
}

impl Mail {
    /// Its subject.
    pub fn subject(&self) -> String {
        self.kind.subject(&self.project_name)
    }
}

impl fmt::Debug for Mail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mail")
            .field("uid", &self.uid)
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

/// What of a mail is sealed.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Content {
    pub(crate) code: Option<String>,
    pub(crate) link: Option<String>,
    pub(crate) about: Option<String>,
}

/// A mail to be put into the outbox.
pub(crate) struct NewMail<'a> {
    pub(crate) environment_uid: Option<&'a str>,
    pub(crate) kind: MailKind,
    pub(crate) to: &'a str,
    pub(crate) content: Content,
    pub(crate) expires: Timestamp,
}

handle! {
    /// The outbox: [`Store::mails`](crate::Store::mails).
    Mails,
    /// The mails that wait.
    mails
}

impl Mails<'_> {
    /// The mails that wait, the oldest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn list(&self) -> Result<Vec<Mail>> {
        self.store
            .read(|reader| {
                let sql = select("WHERE m.expires > ?1 ORDER BY m.date_add, m.uid");
                let (sealer, now) = (reader.sealer(), reader.now());
                reader.list(&sql, &values![now], |row| from_row(row, sealer))
            })
            .await
    }

    /// Those of these mails that still wait.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn get_all(&self, mails: Vec<Uuid>) -> Result<Vec<Mail>> {
        self.store
            .read(move |reader| {
                let sql = select("WHERE m.uid = ?1");
                let sealer = reader.sealer();
                let found = mails
                    .iter()
                    .map(|uid| reader.find(&sql, &values![uid], |row| from_row(row, sealer)));
                found.filter_map(Result::transpose).collect()
            })
            .await
    }

    /// How many mails wait.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn count(&self) -> Result<u64> {
        self.store
            .read(|reader| {
                let sql = "SELECT COUNT(*) AS count FROM mails WHERE expires > ?1";
                let count = reader.find(sql, &values![reader.now()], |row| {
                    Ok(row.get::<i64>("count")?)
                })?;
                Ok(u64::try_from(count.unwrap_or_default()).unwrap_or_default())
            })
            .await
    }

    /// When the newest of the mails that wait was made; `None` where none waits.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn newest(&self) -> Result<Option<Timestamp>> {
        self.store
            .read(|reader| {
                let sql =
                    "SELECT date_add FROM mails WHERE expires > ?1 ORDER BY date_add DESC LIMIT 1";
                reader.find(sql, &values![reader.now()], |row| row::get(row, "date_add"))
            })
            .await
    }

    /// Deletes the mails that have expired, and says how many there were.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn purge(&self) -> Result<u64> {
        self.store
            .write(|tx| {
                let now = tx.now();
                tx.housekeeping().execute(EXPIRE, &values![now])
            })
            .await
    }

    /// Takes the mail that is due next, for the two minutes in which it is to be [sent](Self::sent) or
    /// [put back](Self::failed); after that any process may take it again. Mails that have expired are
    /// deleted. `None` also when the mail is damaged; the one behind it comes with the next call.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn take(&self) -> Result<Option<Mail>> {
        let is_due = self.store.read(|reader| {
            let sql = "SELECT uid FROM mails WHERE next_attempt <= ?1 LIMIT 1";
            reader.exists(sql, &values![reader.now()])
        });
        if !is_due.await? {
            return Ok(None);
        }
        self.store
            .write(|tx| {
                let now = tx.now();
                tx.housekeeping().execute(EXPIRE, &values![now])?;
                let sql =
                    select("WHERE m.next_attempt <= ?1 ORDER BY m.next_attempt, m.uid LIMIT 1");
                let Some(row) = tx.query_one(&sql, &values![now])? else {
                    return Ok(None);
                };
                let uid: String = row.get("mail_uid")?;
                tx.execute(
                    "UPDATE mails SET next_attempt = ?1, attempts = attempts + 1 WHERE uid = ?2",
                    &values![now.saturating_add(RESERVED_FOR).unwrap_or(now), uid],
                )?;
                // One that cannot be read must not block the others.
                let mail = from_row(&row, tx.sealer());
                if let Err(error) = &mail {
                    tracing::error!(mail = uid, %error, "a mail is left out");
                }
                Ok(mail.ok())
            })
            .await
    }

    /// Deletes a mail that was sent.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn sent(&self, mail: Uuid) -> Result<()> {
        let sql = "DELETE FROM mails WHERE uid = ?1";
        self.store
            .write(move |tx| tx.housekeeping().execute(sql, &values![mail]))
            .await?;
        Ok(())
    }

    /// Puts a mail back that could not be sent, to be tried again after a pause that grows.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn failed(&self, mail: &Mail, why: &str) -> Result<()> {
        let factor = 1_i32.checked_shl(mail.attempts.min(12)).unwrap_or(1);
        let pause = FIRST_PAUSE.saturating_mul(factor).min(LONGEST_PAUSE);
        let now = self.store.clock().now();
        let why: String = why.chars().take(MAX_ERROR).collect();
        let values = values![now.saturating_add(pause).unwrap_or(now), mail.uid, why];
        let sql = "UPDATE mails SET next_attempt = ?1, last_error = ?3 WHERE uid = ?2";
        self.store
            .write(move |tx| tx.housekeeping().execute(sql, &values))
            .await?;
        Ok(())
    }
}

/// Puts a mail into the outbox, in the transaction of the change that it is about.
pub(crate) fn put(tx: &mut Tx<'_>, mail: &NewMail<'_>) -> Result<()> {
    let uid = Uuid::now_v7().to_string();
    let content =
        serde_json::to_string(&mail.content).map_err(Error::caused("a mail cannot be written"))?;
    let content = tx.sealer().seal(&context(&uid), &content)?;
    let (kind, environment_uid) = (mail.kind.as_str(), mail.environment_uid);
    tx.insert(
        "mails",
        &row! {
            uid, environment_uid, kind, recipient: mail.to, content, date_add: tx.now(),
            expires: mail.expires, next_attempt: tx.now()
        },
    )?;
    Ok(())
}

fn context(uid: &str) -> String {
    format!("mail {uid}")
}

fn select(rest: &str) -> String {
    format!(
        "SELECT {COLUMNS} FROM mails m LEFT JOIN environments e ON e.uid = m.environment_uid \
         LEFT JOIN projects p ON p.uid = e.project_uid {rest}"
    )
}

fn from_row(row: &Row, sealer: &Sealer) -> Result<Mail> {
    let uid: Uuid = row::get(row, "mail_uid")?;
    let damaged = || Error::internal("a mail of the outbox cannot be opened; it is damaged");
    let content = sealer
        .open(&context(&uid.to_string()), &row.get::<String>("content")?)
        .map_err(|_| damaged())?;
    let content: Content = serde_json::from_str(content.expose()).map_err(|_| damaged())?;
    columns!(row => Mail {
        uid: uid,
        to: row.get("recipient")?,
        project_name: row.get::<Option<String>>("project_name")?.unwrap_or_else(|| SERVICE_NAME.to_owned()),
        code: content.code.map(Secret::new),
        link: content.link.map(Secret::new),
        about: content.about,
        attempts: row.get::<i64>("attempts")?.try_into().unwrap_or(u32::MAX),
        project, environment, kind, date_add, expires, last_error
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::Store;

    #[tokio::test]
    async fn lists_show_the_subject_that_is_sent() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let expires = store.clock().now() + SignedDuration::from_hours(1);
        let put_all = store.write(move |tx| {
            for kind in MailKind::ALL {
                put(
                    tx.housekeeping(),
                    &NewMail {
                        environment_uid: None,
                        kind: *kind,
                        to: "ann@example.com",
                        content: Content::default(),
                        expires,
                    },
                )?;
            }
            Ok(())
        });
        put_all.await.unwrap();
        let listed = store.read(|reader| {
            let sql = "SELECT uid, subject FROM api_mails";
            reader.list(sql, &[], |row| {
                Ok((row::get::<Uuid>(row, "uid")?, row.get::<String>("subject")?))
            })
        });
        let listed = listed.await.unwrap();
        assert_eq!(listed.len(), MailKind::ALL.len());
        let mails = listed.iter().map(|(uid, _)| *uid).collect();
        for mail in store.mails().get_all(mails).await.unwrap() {
            let shown = listed.iter().find(|(uid, _)| *uid == mail.uid);
            assert_eq!(shown.unwrap().1, mail.subject());
        }
    }
}
