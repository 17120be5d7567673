//! The tables of the databases: the same in each engine, with the names, types and sizes that a console meets.

/// A database engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    Sqlite,
    Postgres,
    Mariadb,
}

/// How many records the longest table has.
const MANY: usize = 250;
/// How many columns the widest table has.
const WIDE: usize = 300;
/// How many characters the largest value has.
const LARGE: usize = 10_000_000;

/// The statements that make and fill the tables.
pub fn script(engine: Engine) -> String {
    [
        parts(engine),
        keys(engine),
        names(engine),
        types(engine),
        sizes(engine),
    ]
    .concat()
}

/// Two tables, one of which refers to the other, and a view.
fn parts(engine: Engine) -> String {
    let number = engine.integer();
    format!(
        "CREATE TABLE makers (id {number} PRIMARY KEY, name VARCHAR(40) NOT NULL, country VARCHAR(2));
         CREATE TABLE parts (id {number} PRIMARY KEY, maker_id BIGINT, name VARCHAR(80), note TEXT, price NUMERIC(20,4),
           amount BIGINT NOT NULL DEFAULT 3, FOREIGN KEY (maker_id) REFERENCES makers (id));
         CREATE VIEW part_names AS SELECT id, name FROM parts;
         INSERT INTO makers (id, name, country) VALUES (1, 'Müller & Söhne', 'DE'), (2, '<b>Acme</b>', NULL);
         INSERT INTO parts (id, maker_id, name, note, price, amount) VALUES
           (1, 1, 'bolt', 'a  \nb', 12345678901234.5000, 9007199254740993),
           (2, 2, '', NULL, NULL, 1), (3, 1, 'washer', '\n leading line', 0.1000, 0),
           (4, NULL, 'nut', 'plain', 2.5000, 40), (5, 2, 'screw', 'plain', 3.7500, 500);"
    )
}

/// A key of two columns, and a table without a key.
fn keys(engine: Engine) -> String {
    let number = engine.integer();
    format!(
        "CREATE TABLE part_tags (part_id {number} NOT NULL, tag VARCHAR(40) NOT NULL, weight INTEGER,
           PRIMARY KEY (part_id, tag), FOREIGN KEY (part_id) REFERENCES parts (id) ON DELETE CASCADE);
         INSERT INTO part_tags VALUES (1, 'steel', 5), (1, 'a,b/c', 1), (5, 'steel', 2);
         CREATE TABLE notes (message VARCHAR(80));
         INSERT INTO notes VALUES ('no key'), ('no key');"
    )
}

/// Names that have to be escaped in SQL, in HTML and in addresses.
fn names(engine: Engine) -> String {
    let quote = |name: &str| engine.quoted(name);
    let number = engine.integer();
    let table = quote(r#"order "of" <i>things</i> & 'more'/ü?#"#);
    let columns = [
        quote("select"),
        quote("a b"),
        quote("ä/ö?#&=%"),
        quote("x__gt"),
        quote(r#"'"><img src=x>"#),
    ];
    let [select, spaced, signs, lookup, markup] = &columns;
    format!(
        "CREATE TABLE {table} (id {number} PRIMARY KEY, {select} VARCHAR(40), {spaced} VARCHAR(40), {signs} VARCHAR(40),
           {lookup} VARCHAR(40), {markup} VARCHAR(40));
         INSERT INTO {table} VALUES (1, 'from', '  spaces  ', 'a&b=c%20', 'x', '<img src=x>'),
           (2, 'javascript:alert(1)', 'https://example.com/?a=1&b=2', '\u{202e}backwards', NULL, '');"
    )
}

/// A column of each common type.
fn types(engine: Engine) -> String {
    let number = engine.integer();
    let (json, binary, bytes) = match engine {
        Engine::Sqlite => ("JSON", "BLOB", "X'00FF10'"),
        Engine::Postgres => ("JSONB", "BYTEA", "'\\x00FF10'"),
        Engine::Mariadb => ("JSON", "BLOB", "X'00FF10'"),
    };
    format!(
        "CREATE TABLE kinds (id {number} PRIMARY KEY, short VARCHAR(80), long_text TEXT, fraction DOUBLE PRECISION,
           money NUMERIC(20,4), truth BOOLEAN, day DATE, moment TIMESTAMP NULL, document {json}, picture {binary});
         INSERT INTO kinds VALUES (1, 'text', 'first\nsecond', 0.1, 1234567890.5, TRUE, '2024-02-29',
           '2024-02-29 23:59:58', '{{\"a\": [1, 2, {{\"b\": null}}]}}', {bytes});
         INSERT INTO kinds (id) VALUES (2);"
    )
}

/// Many records, many columns, and a value that is too large to be shown.
fn sizes(engine: Engine) -> String {
    let number = engine.integer();
    let many: Vec<String> = (1..=MANY)
        .map(|n| format!("({n}, 'item {n}', {})", n % 7))
        .collect();
    let names: Vec<String> = (1..=WIDE).map(|n| format!("c{n}")).collect();
    let large = match engine {
        Engine::Sqlite => format!("replace(hex(zeroblob({})), '00', 'xy')", LARGE / 2),
        Engine::Postgres | Engine::Mariadb => format!("repeat('xy', {})", LARGE / 2),
    };
    let text = match engine {
        Engine::Mariadb => "LONGTEXT",
        Engine::Sqlite | Engine::Postgres => "TEXT",
    };
    format!(
        "CREATE TABLE items (id {number} PRIMARY KEY, title VARCHAR(40) NOT NULL, kind INTEGER);
         INSERT INTO items VALUES {};
         CREATE TABLE wide (id {number} PRIMARY KEY, {} INTEGER);
         INSERT INTO wide (id, c1, c300) VALUES (1, 10, 3000);
         CREATE TABLE large (id {number} PRIMARY KEY, name VARCHAR(40), body {text});
         INSERT INTO large VALUES (1, 'ten megabytes', {large});",
        many.join(", "),
        names.join(" INTEGER, ")
    )
}

impl Engine {
    /// The type of keys that are whole numbers.
    fn integer(self) -> &'static str {
        match self {
            Self::Sqlite => "INTEGER",
            Self::Postgres | Self::Mariadb => "BIGINT",
        }
    }

    fn quoted(self, name: &str) -> String {
        match self {
            Self::Mariadb => format!("`{}`", name.replace('`', "``")),
            Self::Sqlite | Self::Postgres => format!("\"{}\"", name.replace('"', "\"\"")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_statements_run_in_the_engine_that_is_always_there() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        connection.execute_batch(&script(Engine::Sqlite)).unwrap();
        let length = "SELECT length(body) FROM large";
        let length: i64 = connection.query_row(length, [], |row| row.get(0)).unwrap();
        assert_eq!(usize::try_from(length), Ok(LARGE));
    }
}
