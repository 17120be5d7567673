//! The database of the demo: a shop with customers, products, orders and their items. Every row follows
//! from its table and its number, so that the shop is the same wherever and whenever it is made.

use std::path::Path;

use indicatif::ProgressBar;
use jiff::{
    SignedDuration,
    civil::{Date, DateTime, date},
};
use serde_json::json;
use svc_data::{Connection, Database, Value};

use super::{
    folder::remove_database,
    random::Random,
    words::{Category, WORDS},
};
use crate::error::Error;

/// The tables, before their rows.
const TABLES: &str = include_str!("tables.sql");

/// What follows the rows: quicker made then, and the step names of the database's own history, which is
/// no part of a shop, are taken out.
const REST: &str = include_str!("indexes.sql");

const INSERT_CUSTOMER: &str = "INSERT INTO customers VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
const INSERT_PRODUCT: &str = "INSERT INTO products VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
const INSERT_ORDER: &str = "INSERT INTO orders VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
const INSERT_ITEM: &str = "INSERT INTO order_items VALUES (?1, ?2, ?3, ?4, ?5)";

/// When the shop opened.
const OPENED: Date = date(2024, 1, 1);
/// Seconds between two orders: 100 000 of them take until the autumn of 2026.
const BETWEEN_ORDERS: i64 = 860;

/// How many rows the shop has.
#[derive(Clone, Copy)]
pub(super) struct Shop {
    customers: u64,
    products: u64,
    orders: u64,
}

impl Shop {
    /// The shop of the demo.
    pub(super) const FULL: Self = Self {
        customers: 10_000,
        products: 500,
        orders: 100_000,
    };

    fn customers(self) -> impl Iterator<Item = Vec<Value>> {
        (1..=self.customers).map(customer)
    }

    fn products(self) -> impl Iterator<Item = Vec<Value>> {
        (1..=self.products).map(product)
    }

    fn orders(self) -> impl Iterator<Item = Vec<Value>> {
        (1..=self.orders).map(move |id| self.order(id))
    }

    fn order_items(self) -> impl Iterator<Item = Vec<Value>> {
        let all = (1..=self.orders)
            .flat_map(move |order| self.items(order).map(move |item| (order, item)));
        (1_i64..).zip(all).map(|(id, (order, item))| {
            vec![
                id.into(),
                number(order),
                number(item.product),
                number(item.quantity),
                money(product_price(item.product)),
            ]
        })
    }

    /// How many rows all tables have together.
    fn rows(self) -> u64 {
        let items = (1..=self.orders).map(|order| self.items(order).count());
        let items: usize = items.sum();
        self.customers + self.products + self.orders + items as u64
    }

    /// What was ordered: one to four items.
    fn items(self, order: u64) -> impl Iterator<Item = Item> {
        let mut random = Random::of_row(4, order);
        let count = 1 + random.below(4);
        (0..count).map(move |_| Item {
            product: 1 + random.below(self.products),
            quantity: match random.chance(70) {
                true => 1,
                false => 2 + random.below(4),
            },
        })
    }

    fn order(self, id: u64) -> Vec<Value> {
        let mut random = Random::of_row(3, id);
        let status = match random.below(100) {
            0..50 => "paid",
            50..70 => "pending",
            70..85 => "shipped",
            85..95 => "cancelled",
            _ => "refunded",
        };
        let total = self
            .items(id)
            .map(|item| item.quantity * product_price(item.product))
            .sum();
        let since = (id as i64).saturating_mul(BETWEEN_ORDERS);
        let since = since.saturating_add(random.below(600) as i64);
        let created = later(OPENED.at(0, 0, 0, 0), since);
        let was_shipped = status == "shipped" || status == "refunded" && random.chance(80);
        let shipped = was_shipped.then(|| later(created, 3_600 * (8 + random.below(100) as i64)));
        let note = random
            .chance(15)
            .then(|| random.pick(&WORDS.notes).as_str());
        vec![
            number(id),
            number(1 + random.below(self.customers)),
            status.into(),
            money(total),
            moment(created).into(),
            shipped.map(moment).into(),
            note.into(),
        ]
    }
}

struct Item {
    product: u64,
    quantity: u64,
}

/// Makes the shop in one file, and gives it its name when it is complete.
pub(super) async fn build(
    shop: Shop,
    unfinished: &Path,
    complete: &Path,
    bar: ProgressBar,
) -> Result<(), Error> {
    // What a run that was killed left behind.
    remove_database(unfinished)?;
    bar.set_length(shop.rows());
    let database = Database::open_sqlite(unfinished, &[]).await?;
    database
        .write(move |connection| fill(connection, shop, &bar))
        .await?;
    // A copy is one file without a journal beside it, on the disk when the call is answered.
    let copy = unfinished.with_extension("copy");
    remove_database(&copy)?;
    database.backup_to(&copy).await?;
    drop(database);
    std::fs::rename(&copy, complete).map_err(|error| {
        Error::new(format!(
            "cannot give {} its name: {error}; choose another folder with --dir",
            complete.display()
        ))
    })?;
    // The file may still be open for a moment; where that keeps it, the next making removes it.
    let _ = remove_database(unfinished);
    Ok(())
}

fn fill(
    connection: &mut dyn Connection,
    shop: Shop,
    bar: &ProgressBar,
) -> Result<(), svc_data::Error> {
    for statement in TABLES.trim_end().split_terminator(';') {
        connection.execute(statement, &[])?;
    }
    let mut insert = |statement: &str, rows: &mut dyn Iterator<Item = Vec<Value>>| {
        connection
            .execute_many(statement, &mut rows.inspect(|_| bar.inc(1)))
            .map(drop)
    };
    insert(INSERT_CUSTOMER, &mut shop.customers())?;
    insert(INSERT_PRODUCT, &mut shop.products())?;
    insert(INSERT_ORDER, &mut shop.orders())?;
    insert(INSERT_ITEM, &mut shop.order_items())?;
    for statement in REST.trim_end().split_terminator(';') {
        connection.execute(statement, &[])?;
    }
    Ok(())
}

fn customer(id: u64) -> Vec<Value> {
    let mut random = Random::of_row(1, id);
    let (country, first, last) = *random.pick(&WORDS.countries);
    let name = format!("{} {}", random.word(first), random.word(last));
    let has_phone = random.chance(70);
    let phone = has_phone.then(|| format!("+{:011}", random.below(99_999_999_999)));
    let birthday = random.chance(60).then(|| {
        let days = random.below(60 * 365) as i64;
        let born = later(date(1946, 1, 1).at(0, 0, 0, 0), days * 86_400);
        born.date().to_string()
    });
    let preferences = random.chance(80).then(|| {
        json!({
            "language": random.pick(&WORDS.languages),
            "theme": random.pick(&WORDS.themes),
            "favourites": [1 + random.below(500), 1 + random.below(500)],
        })
        .to_string()
    });
    let newsletter = random.chance(40);
    let before = random.below(2 * 365 * 86_400) as i64;
    let joined = later(OPENED.at(0, 0, 0, 0), -before);
    vec![
        number(id),
        name.into(),
        format!("customer{id:05}@example.com").into(),
        country.into(),
        phone.into(),
        birthday.into(),
        preferences.into(),
        newsletter.into(),
        moment(joined).into(),
    ]
}

fn product(id: u64) -> Vec<Value> {
    let mut random = Random::of_row(2, id);
    let (category, kinds, ..) = category_of(id);
    let name = format!(
        "{} {} No. {id}",
        random.word(WORDS.styles),
        random.word(kinds)
    );
    let attributes = random.chance(85).then(|| {
        json!({
            "color": random.pick(&WORDS.colors),
            "weight_g": 50 + random.below(5_000),
            "tags": if random.chance(50) { vec![random.pick(&WORDS.tags)] } else { vec![] },
        })
        .to_string()
    });
    vec![
        number(id),
        format!("{}-{id:04}", category[..2].to_uppercase()).into(),
        name.into(),
        category.into(),
        money(product_price(id)),
        attributes.into(),
        random.chance(92).into(),
    ]
}

fn category_of(product: u64) -> Category {
    *Random::of_row(5, product).pick(&WORDS.categories)
}

/// What a product costs, in cents. Most prices end in 9.
fn product_price(product: u64) -> u64 {
    let (.., least, most) = category_of(product);
    let mut random = Random::of_row(6, product);
    let cents = least + random.below(most - least);
    match random.chance(80) {
        true => cents - cents % 10 + 9,
        false => cents,
    }
}

fn number(number: u64) -> Value {
    Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
}

/// Cents as a decimal.
fn money(cents: u64) -> Value {
    Value::Text(format!("{}.{:02}", cents / 100, cents % 100))
}

fn later(from: DateTime, seconds: i64) -> DateTime {
    from.saturating_add(SignedDuration::from_secs(seconds))
}

/// As SQLite writes `CURRENT_TIMESTAMP`.
fn moment(moment: DateTime) -> String {
    moment.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FNV-1a, which is the same everywhere.
    fn checksum(rows: impl Iterator<Item = Vec<Value>>) -> (usize, u64) {
        rows.fold((0, 0xcbf2_9ce4_8422_2325), |(count, sum), row| {
            let sum = format!("{row:?}").bytes().fold(sum, |sum: u64, byte| {
                (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
            (count + 1, sum)
        })
    }

    #[test]
    fn the_rows_of_the_demo_never_change() {
        let shop = Shop::FULL;
        let sums = [
            checksum(shop.customers()),
            checksum(shop.products()),
            checksum(shop.orders()),
            checksum(shop.order_items()),
        ];
        let known = [
            (10_000, 0xbaa9_5b09_7779_f732),
            (500, 0x35af_3314_90c8_af87),
            (100_000, 0x2434_d738_9a78_d137),
            (249_523, 0x01ec_aad9_bd87_1ea3),
        ];
        assert_eq!(sums, known);
    }

    #[test]
    fn the_shares_of_the_states_are_realistic() {
        let mut counts = std::collections::BTreeMap::new();
        for order in Shop::FULL.orders() {
            let Value::Text(status) = &order[2] else {
                panic!("the status is text")
            };
            *counts.entry(status.clone()).or_insert(0_u32) += 1;
        }
        for (status, percent) in [
            ("paid", 50),
            ("pending", 20),
            ("shipped", 15),
            ("cancelled", 10),
            ("refunded", 5),
        ] {
            let share = counts[status] * 100 / 100_000;
            assert!(share.abs_diff(percent) <= 1, "{status}: {share} %");
        }
    }

    #[tokio::test]
    async fn the_shop_is_consistent_and_appears_complete() {
        let folder = tempfile::tempdir().unwrap();
        let unfinished = folder.path().join("shop.db.unfinished");
        let complete = folder.path().join("shop.db");
        std::fs::write(&unfinished, "left behind").unwrap();
        let shop = Shop {
            customers: 50,
            products: 20,
            orders: 300,
        };
        let built = build(shop, &unfinished, &complete, ProgressBar::hidden()).await;
        built.unwrap();
        assert!(!folder.path().join("shop.db-wal").exists());

        let database = Database::open_sqlite(&complete, &[]).await.unwrap();
        let count = async |sql: &'static str| -> i64 {
            let read = move |c: &mut dyn Connection| c.query(sql, &[])?[0].get(0);
            database.read::<_, svc_data::Error, _>(read).await.unwrap()
        };
        assert_eq!(count("SELECT count(*) FROM orders").await, 300);
        assert_eq!(count("SELECT count(*) FROM customer_revenue").await, 50);
        let broken = count("SELECT count(*) FROM pragma_foreign_key_check").await;
        assert_eq!(broken, 0);
        let wrong_totals = count(
            "SELECT count(*) FROM orders o WHERE abs(total - (SELECT sum(quantity * unit_price) FROM order_items i \
             WHERE i.order_id = o.id)) > 0.001",
        );
        assert_eq!(wrong_totals.await, 0);
        let empty =
            count("SELECT count(*) FROM orders WHERE note IS NULL AND shipped_at IS NULL").await;
        assert!(empty > 0);
    }
}
