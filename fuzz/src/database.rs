//! The database behind the service: few rows, many types, awkward names.

use std::path::Path;

/// Makes the shop.
///
/// # Panics
/// When the file cannot be written.
pub fn shop(path: &Path) {
    let database = rusqlite::Connection::open(path).expect("the database can be made");
    database
        .execute_batch(
            "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, since DATE);
             CREATE TABLE orders (
                 id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(id),
                 status VARCHAR(10) NOT NULL DEFAULT 'new' CHECK (status <> 'bad'), total NUMERIC(12,2),
                 note TEXT, created_at TIMESTAMP, doc JSON, photo BLOB, weight REAL, paid BOOLEAN,
                 twice INTEGER GENERATED ALWAYS AS (id * 2) VIRTUAL);
             CREATE TABLE pairs (a TEXT, b INTEGER, c TEXT UNIQUE, PRIMARY KEY (a, b));
             CREATE TABLE \"odd name, \"\"x\"\"\" (\"a__b\" TEXT, \"_id\" INTEGER, \"order\" TEXT);
             CREATE VIEW totals AS SELECT customer_id, sum(total) AS total FROM orders GROUP BY customer_id;
             INSERT INTO customers VALUES (1, 'Ada', '2026-01-31'), (2, 'Zoë', NULL);
             INSERT INTO orders (id, customer_id, status, total, note, created_at, doc, photo, weight, paid) VALUES
                 (1, 1, 'paid', 10.5, 'first', '2026-01-02 03:04:05', '{\"a\": [1, 2]}', x'00ff', 1.5, 1),
                 (2, 1, 'new', NULL, NULL, NULL, NULL, NULL, NULL, 0),
                 (3, 2, 'paid', 99999999.99, '%_\\', '9999-12-31 23:59:59', '[]', x'', -0.0, NULL);
             INSERT INTO pairs VALUES ('x,y', 1, 'one'), ('', 2, NULL), ('é', -3, 'three');
             INSERT INTO \"odd name, \"\"x\"\"\" VALUES ('1', 1, 'a'), ('2', 1, 'a');",
        )
        .expect("the tables can be made");
}
