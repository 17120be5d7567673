//! Accounts: people of the platform, who own projects and API keys. (The users of an application
//! are not accounts; they belong to an environment.)

use jiff::Timestamp;
use svc_data::Row;
use uuid::Uuid;

use crate::credentials::{AccountGrant, AccountRights, Purpose};
use crate::database::{Reader, Tx, columns, handle, row, values};
use crate::error::{Error, Result};
use crate::people::person::{self, PersonRow};
use crate::people::{MailKind, RealmRow};

/// Longest part before the `@` (RFC 5321, section 4.5.3.1.1).
const MAX_LOCAL_PART_BYTES: usize = 64;
/// Longest e-mail address that mail servers must accept (RFC 5321, section 4.5.3.1.3).
const MAX_EMAIL_BYTES: usize = 254;

/// Columns of an account, for statements that call its table `a`.
pub(crate) const COLUMNS: &str = "a.uid AS account_uid, a.email, a.first_name, a.last_name, a.language, \
     a.timezone, a.date_add AS account_date_add";

/// A person of the platform.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Account {
    /// Identifier.
    pub uid: Uuid,
    /// E-mail address as it was given; unique without regard to case.
    pub email: String,
    /// First name, where known.
    pub first_name: Option<String>,
    /// Last name, where known.
    pub last_name: Option<String>,
    /// Language of the interface (BCP 47), where chosen.
    pub language: Option<String>,
    /// IANA time zone, where chosen.
    pub timezone: Option<String>,
    /// When the account was made.
    pub date_add: Timestamp,
}

handle! {
    /// The accounts of the store: [`Store::accounts`](crate::Store::accounts).
    Accounts,
    /// The platform's accounts.
    accounts
}

impl Accounts<'_> {
    /// All accounts, the oldest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn list(&self) -> Result<Vec<Account>> {
        self.store
            .read(|reader| {
                let sql = format!("SELECT {COLUMNS} FROM accounts a ORDER BY a.date_add, a.uid");
                reader.list(&sql, &[], from_row)
            })
            .await
    }

    /// The account with an identifier.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is none.
    pub async fn get(&self, uid: Uuid) -> Result<Account> {
        let found = self.store.read(move |reader| get(reader, uid)).await?;
        found.ok_or_else(missing)
    }

    /// What an account may do by its session.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is none.
    pub async fn rights(&self, uid: Uuid) -> Result<AccountRights> {
        let found = self.store.read(move |reader| {
            let account = AccountGrant::find(reader, uid)?;
            let rights = account.map(|account| AccountRights::of_account(reader, &account));
            rights.transpose()
        });
        found.await?.ok_or_else(missing)
    }

    /// The account with an e-mail address, without regard to case; `None` when there is none.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn find(&self, email: &str) -> Result<Option<Account>> {
        let email = email.to_owned();
        self.store.read(move |reader| find(reader, &email)).await
    }
}

fn missing() -> Error {
    Error::not_found("there is no such account")
}

/// The account with an identifier.
pub(crate) fn get(reader: &mut Reader<'_>, uid: Uuid) -> Result<Option<Account>> {
    let sql = format!("SELECT {COLUMNS} FROM accounts a WHERE a.uid = ?1");
    reader.find(&sql, &values![uid], from_row)
}

/// The account with an e-mail address.
pub(crate) fn find(reader: &mut Reader<'_>, email: &str) -> Result<Option<Account>> {
    let sql = format!("SELECT {COLUMNS} FROM accounts a WHERE a.email_key = ?1");
    reader.find(&sql, &values![key(email)], from_row)
}

/// The account with an e-mail address, made when new.
pub(crate) fn find_or_create(tx: &mut Tx<'_>, email: &str) -> Result<Account> {
    if let Some(account) = find(tx, email)? {
        return Ok(account);
    }
    let email = email.trim();
    check_email("email", email)?;
    let account = Account {
        uid: Uuid::now_v7(),
        email: email.to_owned(),
        first_name: None,
        last_name: None,
        language: None,
        timezone: None,
        date_add: tx.now(),
    };
    let row = row! {
        uid: account.uid, email, email_key: key(email), date_add: account.date_add
    };
    tx.insert("accounts", &row)?;
    Ok(account)
}

/// Invites an account that has no password yet.
pub(crate) fn invite(tx: &mut Tx<'_>, uid: Uuid, base_url: &str) -> Result<()> {
    let realm = RealmRow::of_service();
    let PersonRow { person, password } = person::get(tx, &realm, uid)?;
    if password.is_some() {
        return Ok(());
    }
    let mail = (MailKind::Invitation, Purpose::Invitation);
    person::mail_code(tx, &realm, uid, mail, &person.email, base_url)
}

/// Reads an account from a row with [`COLUMNS`].
pub(crate) fn from_row(row: &Row) -> Result<Account> {
    columns!(row => Account {
        uid: row::get(row, "account_uid")?,
        date_add: row::get(row, "account_date_add")?,
        email, first_name, last_name, language, timezone
    })
}

/// What makes two addresses the same account.
pub(crate) fn key(email: &str) -> String {
    email.trim().to_lowercase()
}

/// Refuses an address that no mail can reach. Whether it exists, only a mail can show.
pub(crate) fn check_email(field: &str, email: &str) -> Result<()> {
    let parts = email.rsplit_once('@');
    let fits = parts.is_some_and(|(name, domain)| is_local_part(name) && is_domain(domain))
        && email.len() <= MAX_EMAIL_BYTES
        && !email.contains(|c: char| c.is_whitespace() || c.is_control());
    if fits {
        Ok(())
    } else {
        Err(Error::invalid_field(
            field,
            "must be an e-mail address, like name@example.com",
        ))
    }
}

/// Whether a text can be the part before the `@` of an address (RFC 5321, section 4.1.2; letters of other scripts by
/// RFC 6531): words joined by dots, or anything in quotes.
fn is_local_part(name: &str) -> bool {
    let quoted = name
        .strip_prefix('"')
        .and_then(|name| name.strip_suffix('"'));
    let fits = match quoted {
        Some(inside) => {
            let mut is_escaped = false;
            let closes_early = inside.chars().any(|c| {
                let ends = c == '"' && !is_escaped;
                is_escaped = c == '\\' && !is_escaped;
                ends
            });
            !closes_early && !is_escaped
        }
        None => name
            .split('.')
            .all(|word| !word.is_empty() && !word.contains(|c| "@\"\\()<>[],;:".contains(c))),
    };
    fits && name.len() <= MAX_LOCAL_PART_BYTES
}

/// Whether a text is a domain, or an address of a machine in brackets.
fn is_domain(domain: &str) -> bool {
    let literal = domain
        .strip_prefix('[')
        .and_then(|inside| inside.strip_suffix(']'));
    if let Some(inside) = literal {
        let address = inside.strip_prefix("IPv6:").unwrap_or(inside);
        return address.parse::<std::net::IpAddr>().is_ok();
    }
    domain.split('.').all(|label| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c == '-' || c.is_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_needs_two_sides_and_no_blanks() {
        for good in [
            "a@b",
            "Ann.Lee+x@example.com",
            "\"odd@name\"@example.com",
            "o'neil/x=1@sub-domain.example.com",
            "jürgen@müller.example",
            "a@[192.0.2.1]",
        ] {
            assert!(check_email("email", good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "ann",
            "@b",
            "a@",
            "a b@c",
            "a@b\r\nBcc: x@y",
            "a@b@c",
            "a..b@c",
            ".a@b",
            "a@b..c",
            "a@-b.c",
            "a@b_c",
            "a@[b]",
            "<a>@b",
            "\"a\"b\"@c",
            &format!("{}@b", "a".repeat(65)),
            &format!("{}@b", "a".repeat(254)),
        ] {
            assert!(check_email("email", bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn case_does_not_make_another_account() {
        assert_eq!(key("Ann@Example.COM "), key("ann@example.com"));
    }
}
