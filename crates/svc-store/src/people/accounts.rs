//! Accounts: people of the platform, who own projects and API keys. (The users of an application
//! are not accounts; they belong to an environment.)

mod create;

pub use self::create::NewAccount;

use jiff::Timestamp;
use svc_data::Row;
use svc_model::administration::{account, accounts as operations};
use svc_model::wire::Operation as _;
use uuid::Uuid;

use crate::audit::AuditEntry;
use crate::credentials::{AccountGrant, AccountRights, Purpose, codes, sessions};
use crate::database::{Reader, Tx, columns, handle, row, values};
use crate::error::{Error, Result};
use crate::people::person::{self, PersonRow};
use crate::people::{MailKind, RealmRow, email};

/// Columns of an account, for statements that call its table `a`.
pub(crate) const COLUMNS: &str = "a.uid AS account_uid, a.email, a.first_name, a.last_name, a.language, \
     a.timezone, a.is_operator, a.suspended, a.date_add AS account_date_add";

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
    /// Whether it operates the service.
    pub is_operator: bool,
    /// Since when nobody can act with it, if so.
    pub suspended: Option<Timestamp>,
    /// When the account was made.
    pub date_add: Timestamp,
}

/// A change of an account; what is `None` stays.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct AccountPatch {
    /// Another first name; `Some(None)` removes it.
    pub first_name: Option<Option<String>>,
    /// Another last name; `Some(None)` removes it.
    pub last_name: Option<Option<String>>,
    /// Another language; `Some(None)` removes it.
    pub language: Option<Option<String>>,
    /// Another time zone; `Some(None)` removes it.
    pub timezone: Option<Option<String>>,
    /// Whether it operates the service.
    pub is_operator: Option<bool>,
    /// Whether nobody can act with it.
    pub suspended: Option<bool>,
    /// What the audit trail calls the change.
    pub(crate) action: &'static str,
}

impl AccountPatch {
    /// A change by an operator.
    pub fn by_operator() -> Self {
        Self::named(operations::Update::INFO.name)
    }

    /// A change by the account itself.
    pub fn by_itself() -> Self {
        Self::named(account::Update::INFO.name)
    }

    fn named(action: &'static str) -> Self {
        Self {
            first_name: None,
            last_name: None,
            language: None,
            timezone: None,
            is_operator: None,
            suspended: None,
            action,
        }
    }
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
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when the account does not exist.
    pub async fn get(&self, uid: Uuid) -> Result<Account> {
        let found = self.store.read(move |reader| get(reader, uid)).await?;
        found.ok_or_else(missing)
    }

    /// What an account may do by its session.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when the account does not exist.
    pub async fn rights(&self, uid: Uuid) -> Result<AccountRights> {
        let found = self.store.read(move |reader| {
            let account = AccountGrant::find(reader, uid)?;
            let rights = account.map(|account| AccountRights::of_account(reader, &account));
            rights.transpose()
        });
        found.await?.ok_or_else(missing)
    }

    /// Changes an account. The sessions of one that is suspended end.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is none; a field error on the names and the time zone;
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when nobody who can sign in would operate the service any more.
    pub async fn update(&self, uid: Uuid, patch: AccountPatch) -> Result<Account> {
        let name = |field, name: Option<Option<String>>| {
            let name = name.map(|name| person::name(field, name));
            name.transpose()
        };
        let first_name = name("first_name", patch.first_name)?;
        let last_name = name("last_name", patch.last_name)?;
        let language = name("language", patch.language)?;
        let timezone = patch
            .timezone
            .map(|zone| person::time_zone("timezone", zone));
        let timezone = timezone.transpose()?;
        self.store
            .write(move |tx| {
                let old = get(tx, uid)?.ok_or_else(missing)?;
                if patch.is_operator == Some(false) || patch.suspended == Some(true) {
                    ensure_other_operator(tx, uid)?;
                }
                let before = tx.tag("accounts", uid)?;
                let now = tx.now();
                tx.execute(
                    "UPDATE accounts SET first_name = ?1, last_name = ?2, language = ?3, timezone = ?4, \
                     is_operator = COALESCE(?5, is_operator), \
                     suspended = CASE WHEN CAST(?6 AS BOOLEAN) THEN COALESCE(suspended, ?7) WHEN ?6 IS NULL THEN suspended END \
                     WHERE uid = ?8",
                    &values![
                        first_name.unwrap_or(old.first_name),
                        last_name.unwrap_or(old.last_name),
                        language.unwrap_or(old.language),
                        timezone.unwrap_or(old.timezone),
                        patch.is_operator,
                        patch.suspended,
                        now,
                        uid
                    ],
                )?;
                if patch.suspended == Some(true) {
                    let person = RealmRow::of_service().person(Some(uid));
                    sessions::end_all(tx, person.clone())?;
                    codes::forget(tx, person)?;
                }
                let entry = AuditEntry::new(patch.action).record(uid.to_string());
                tx.changed_row("accounts", uid, entry.before(before))?;
                get(tx, uid)?.ok_or_else(missing)
            })
            .await
    }

    /// Deletes an account with its memberships, API keys, sessions and items.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is none;
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for the last operator who can sign in, and for the last
    /// administrator of a project.
    pub async fn delete(&self, uid: Uuid) -> Result<()> {
        self.store
            .write(move |tx| {
                get(tx, uid)?.ok_or_else(missing)?;
                ensure_other_operator(tx, uid)?;
                let alone = "SELECT p.unique_name FROM members m JOIN teams t ON t.uid = m.team_uid \
                     JOIN projects p ON p.uid = m.project_uid WHERE m.account_uid = ?1 AND t.super_group = ?2 \
                     AND NOT EXISTS (SELECT 1 FROM members o JOIN teams s ON s.uid = o.team_uid \
                     WHERE o.project_uid = m.project_uid AND o.uid <> m.uid AND s.super_group = ?2) LIMIT 1";
                let alone = tx.find(alone, &values![uid, true], |row| Ok(row.get::<String>("unique_name")?))?;
                if let Some(project) = alone {
                    return Err(Error::refused(format!(
                        "this is the last administrator of project {project}; make another member an administrator first"
                    )));
                }
                let entry = AuditEntry::new(operations::Delete::INFO.name).record(uid.to_string());
                tx.delete_row("accounts", uid, entry)
            })
            .await
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

/// Refuses a change after which nobody who can sign in, or has a key, would operate the service. One that nobody operates is
/// administered on its machine, and stays so.
fn ensure_other_operator(reader: &mut Reader<'_>, leaving: Uuid) -> Result<()> {
    let is_operator =
        "SELECT uid FROM accounts WHERE uid = ?1 AND is_operator = ?2 AND suspended IS NULL";
    if !reader.exists(is_operator, &values![leaving, true])? {
        return Ok(());
    }
    let others = "SELECT uid FROM accounts WHERE uid <> ?1 AND is_operator = ?2 AND suspended IS NULL \
         AND password IS NOT NULL LIMIT 1";
    match reader.exists(others, &values![leaving, true])? {
        true => Ok(()),
        false => Err(Error::refused(
            "this is the last operator who can sign in; make another account an operator first",
        )),
    }
}

/// The account with an identifier.
pub(crate) fn get(reader: &mut Reader<'_>, uid: Uuid) -> Result<Option<Account>> {
    let sql = format!("SELECT {COLUMNS} FROM accounts a WHERE a.uid = ?1");
    reader.find(&sql, &values![uid], from_row)
}

/// The account with an e-mail address.
pub(crate) fn find(reader: &mut Reader<'_>, email: &str) -> Result<Option<Account>> {
    let sql = format!("SELECT {COLUMNS} FROM accounts a WHERE a.email_key = ?1");
    reader.find(&sql, &values![email::key(email)], from_row)
}

/// The account with an e-mail address, made when new.
pub(crate) fn find_or_create(tx: &mut Tx<'_>, email: &str) -> Result<Account> {
    if let Some(account) = find(tx, email)? {
        return Ok(account);
    }
    let email = email.trim();
    email::check("email", email)?;
    let account = Account {
        uid: Uuid::now_v7(),
        email: email.to_owned(),
        first_name: None,
        last_name: None,
        language: None,
        timezone: None,
        is_operator: false,
        suspended: None,
        date_add: tx.now(),
    };
    let row = row! {
        uid: account.uid, email, email_key: email::key(email), date_add: account.date_add
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
        email, first_name, last_name, language, timezone, is_operator, suspended
    })
}
