//! A table of orders and one of customers, the same rows in every run.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, params};

use crate::Error;

/// The model that is measured.
pub const ORDERS: &str = "orders";

/// A database with a table of orders.
#[derive(Clone, Debug)]
pub struct Database {
    /// The name of its resource and of its rows in the report.
    pub name: &'static str,
    pub url: String,
}

impl Database {
    /// The database in a file of SQLite.
    pub fn in_file(name: &'static str, file: &Path) -> Self {
        Self {
            name,
            url: format!("sqlite:{}", file.display()),
        }
    }

    /// The file, if it is one of SQLite.
    pub fn file(&self) -> Option<&Path> {
        self.url.strip_prefix("sqlite:").map(Path::new)
    }
}

const SEED: u64 = 20_260_915;
/// The number of orders for each customer.
const ORDERS_PER_CUSTOMER: u32 = 10;
/// Half of the orders are `paid`, and so on.
const STATUS_OF_TWENTY: [&str; 20] = [
    "paid",
    "paid",
    "paid",
    "paid",
    "paid",
    "paid",
    "paid",
    "paid",
    "paid",
    "paid",
    "pending",
    "pending",
    "pending",
    "pending",
    "shipped",
    "shipped",
    "shipped",
    "cancelled",
    "cancelled",
    "refunded",
];
const COUNTRIES: [&str; 10] = ["DE", "US", "FR", "BR", "IN", "JP", "NG", "PL", "CA", "SE"];
const WORDS: [&str; 16] = [
    "fragile",
    "urgent",
    "gift",
    "invoice",
    "call",
    "before",
    "door",
    "leave",
    "reception",
    "weekend",
    "signed",
    "duplicate",
    "check",
    "address",
    "blue",
    "green",
];

/// Nothing is lost if making the file breaks off: it is made again.
const QUICKLY: &str = "
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA foreign_keys = OFF;
";
const TABLES: &str = "
CREATE TABLE customers (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  email TEXT NOT NULL UNIQUE,
  country TEXT NOT NULL,
  created_at DATETIME NOT NULL
);
CREATE TABLE orders (
  id INTEGER PRIMARY KEY,
  customer_id INTEGER NOT NULL REFERENCES customers (id),
  status TEXT NOT NULL,
  amount NUMERIC(12, 2) NOT NULL,
  created_at DATETIME NOT NULL,
  note TEXT
);
";
const INDEXES: &str = "
CREATE INDEX orders_status_created ON orders (status, created_at);
CREATE INDEX orders_customer ON orders (customer_id);
ANALYZE;
";
const SHARED: &str = "PRAGMA journal_mode = WAL;";

/// Creates the file with `orders` orders and a tenth as many customers.
pub fn make(path: &Path, orders: u32) -> Result<(), Error> {
    let mut random = fastrand::Rng::with_seed(SEED);
    let customers = (orders / ORDERS_PER_CUSTOMER).max(1);
    let mut connection = Connection::open(path)?;
    connection.execute_batch(QUICKLY)?;
    connection.execute_batch(TABLES)?;
    let transaction = connection.transaction()?;
    {
        let mut insert = transaction
            .prepare("INSERT INTO customers VALUES (?1, ?2, ?3, ?4, datetime('2024-01-01', ?5))")?;
        for id in 1..=customers {
            insert.execute(params![
                id,
                format!("Customer {id:05}"),
                format!("customer{id:05}@example.test"),
                any(&mut random, &COUNTRIES),
                seconds(&mut random, 365),
            ])?;
        }
        let mut insert = transaction.prepare(
            "INSERT INTO orders VALUES (?1, ?2, ?3, ?4 / 100.0, datetime('2024-01-01', ?5), ?6)",
        )?;
        for id in 1..=orders {
            let words = random.usize(3..12);
            let note: Vec<_> = (0..words).map(|_| any(&mut random, &WORDS)).collect();
            insert.execute(params![
                id,
                random.u32(1..=customers),
                any(&mut random, &STATUS_OF_TWENTY),
                random.u32(100..500_000),
                seconds(&mut random, 730),
                note.join(" "),
            ])?;
        }
    }
    transaction.commit()?;
    connection.execute_batch(INDEXES)?;
    connection.execute_batch(SHARED)?;
    Ok(())
}

/// Creates a file with this number of orders, whose notes have this length.
pub fn make_wide(path: &Path, orders: u32, note: u32) -> Result<(), Error> {
    let mut connection = Connection::open(path)?;
    connection.execute_batch(SHARED)?;
    connection.execute_batch(TABLES)?;
    let transaction = connection.transaction()?;
    transaction.execute_batch(
        "INSERT INTO customers VALUES (1, 'One', 'one@example.test', 'DE', '2024-01-01 00:00:00')",
    )?;
    transaction.execute(
        "WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < ?1)
         INSERT INTO orders SELECT id, 1, 'paid', 1, '2024-01-01 00:00:00', hex(zeroblob(?2)) FROM n",
        params![orders, note / 2],
    )?;
    transaction.commit()?;
    Ok(())
}

/// Copies such a file into a database of PostgreSQL.
pub fn copy_to_postgres(file: &Path, url: &str) -> Result<(), Error> {
    use std::io::Write as _;

    let source = Connection::open(file)?;
    let mut target = postgres::Client::connect(url, postgres::NoTls)?;
    // The rows refer to each other as in the file.
    target.batch_execute("SET session_replication_role = replica")?;
    for (table, columns) in [
        ("customers", "id, name, email, country, created_at"),
        (
            "orders",
            "id, customer_id, status, printf('%.2f', amount), created_at, note",
        ),
    ] {
        let mut select = source.prepare(&format!("SELECT {columns} FROM {table} ORDER BY id"))?;
        let count = select.column_count();
        let mut rows = select.query([])?;
        let mut copy = target.copy_in(&format!("COPY {table} FROM STDIN"))?;
        while let Some(row) = rows.next()? {
            // No value contains a tab, a line end or a backslash.
            let cells = (0..count).map(|at| {
                Ok::<_, Error>(match row.get_ref(at)? {
                    rusqlite::types::ValueRef::Integer(number) => number.to_string(),
                    value => value.as_str()?.to_owned(),
                })
            });
            let cells: Vec<String> = cells.collect::<Result<_, _>>()?;
            writeln!(copy, "{}", cells.join("\t"))?;
        }
        copy.finish()?;
    }
    target.batch_execute(
        "SELECT setval('orders_id_seq', (SELECT max(id) FROM orders));
         CREATE INDEX orders_status_created ON orders (status, created_at);
         CREATE INDEX orders_customer ON orders (customer_id);",
    )?;
    target.batch_execute("VACUUM ANALYZE")?;
    Ok(())
}

/// The tables in PostgreSQL.
pub const POSTGRES_TABLES: &str = "
CREATE TABLE customers (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  email TEXT NOT NULL UNIQUE,
  country TEXT NOT NULL,
  created_at TIMESTAMP NOT NULL
);
CREATE TABLE orders (
  id SERIAL PRIMARY KEY,
  customer_id INTEGER NOT NULL REFERENCES customers (id),
  status TEXT NOT NULL,
  amount NUMERIC(12, 2) NOT NULL,
  created_at TIMESTAMP NOT NULL,
  note TEXT
);";

/// A script for MariaDB that makes this number of orders, like those of [`make`] and the same in every run.
pub fn on_mariadb(orders: u32) -> String {
    let customers = (orders / ORDERS_PER_CUSTOMER).max(1);
    // Each use of a random number has its own seed: the same seed gives the same numbers.
    let number = |seed: u32, below: u32| format!("FLOOR(RAND({seed}) * {below})");
    let any = |seed: u32, words: &[&str]| {
        format!(
            "ELT(1 + {}, '{}')",
            number(seed, words.len() as u32),
            words.join("', '")
        )
    };
    let instant = |seed: u32, days: u32| {
        format!(
            "'2024-01-01' + INTERVAL {} SECOND",
            number(seed, days * 86_400)
        )
    };
    // LPAD alone would cut off longer numbers.
    let digits = "LPAD(seq, GREATEST(5, LENGTH(seq)), '0')";
    let note: Vec<String> = (20..31).map(|seed| any(seed, &WORDS)).collect();
    format!(
        "SET unique_checks = 0, foreign_key_checks = 0;
         CREATE TABLE customers (
           id INTEGER PRIMARY KEY,
           name TEXT NOT NULL,
           email VARCHAR(100) NOT NULL UNIQUE,
           country TEXT NOT NULL,
           created_at DATETIME NOT NULL
         );
         CREATE TABLE orders (
           id INTEGER AUTO_INCREMENT PRIMARY KEY,
           customer_id INTEGER NOT NULL,
           status VARCHAR(20) NOT NULL,
           amount NUMERIC(12, 2) NOT NULL,
           created_at DATETIME NOT NULL,
           note TEXT
         );
         INSERT INTO customers
           SELECT seq, CONCAT('Customer ', {digits}), CONCAT('customer', {digits}, '@example.test'), {}, {}
           FROM seq_1_to_{customers};
         INSERT INTO orders
           SELECT seq, 1 + {}, {}, (100 + {}) / 100, {}, SUBSTRING_INDEX(CONCAT_WS(' ', {}), ' ', 3 + {})
           FROM seq_1_to_{orders};
         ALTER TABLE orders
           ADD INDEX orders_status_created (status, created_at),
           ADD INDEX orders_customer (customer_id),
           ADD FOREIGN KEY (customer_id) REFERENCES customers (id);
         ANALYZE TABLE customers, orders;",
        any(1, &COUNTRIES),
        instant(2, 365),
        number(3, customers),
        any(4, &STATUS_OF_TWENTY),
        number(5, 499_900),
        instant(6, 730),
        note.join(", "),
        number(7, 9),
    )
}

/// The number of orders that one caller inserts in this time, each with a separate durable commit.
pub fn commits_per_second(path: &Path, time: Duration) -> Result<f64, Error> {
    let connection = Connection::open(path)?;
    connection.pragma_update(None, "synchronous", "full")?;
    let mut insert = connection.prepare(
        "INSERT INTO orders (customer_id, status, amount, created_at, note)
         VALUES (1, 'pending', 1, '2026-01-31 12:00:00', 'leave it at the door')",
    )?;
    let started = Instant::now();
    let mut commits = 0;
    while started.elapsed() < time {
        insert.execute([])?;
        commits += 1;
    }
    Ok(f64::from(commits) / started.elapsed().as_secs_f64())
}

fn any<'a>(random: &mut fastrand::Rng, words: &[&'a str]) -> &'a str {
    random.choice(words).copied().unwrap_or_default()
}

/// A modifier for SQLite's `datetime`: a random number of seconds within this number of days.
fn seconds(random: &mut fastrand::Rng, days: u32) -> String {
    format!("+{} seconds", random.u32(0..days * 86_400))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(path: &Path) -> (u32, u32, f64) {
        Connection::open(path)
            .unwrap()
            .query_row(
                "SELECT count(*), sum(status = 'paid'), sum(amount) FROM orders",
                [],
                |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
            )
            .unwrap()
    }

    #[test]
    fn two_runs_make_the_same_rows_and_half_are_paid() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (folder.path().join("a.db"), folder.path().join("b.db"));
        make(&first, 2_000).unwrap();
        make(&second, 2_000).unwrap();
        let (orders, paid, amount) = summary(&first);
        assert_eq!(orders, 2_000);
        assert!((900..1_100).contains(&paid), "{paid}");
        assert_eq!((orders, paid, amount), summary(&second));
    }
}
