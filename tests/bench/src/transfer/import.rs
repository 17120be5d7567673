//! Imports: how many rows a second, and what they leave in the store.

use std::path::Path;

use rusqlite::Connection;

use super::Transfers;
use crate::Error;
use crate::dataset::{Database, ORDERS};
use crate::report::{Goals, megabytes};

/// The table for the rows.
const SINK: &str = "sink";
/// One of so many orders is imported.
const PART: u32 = 5;
/// The most that a million rows may add to the store, in bytes.
const STORE: u64 = 40_000_000;

/// Adds a table with the columns of the orders and no index but its key.
pub fn add_sink(database: &Database) -> Result<(), Error> {
    let sink = |instant: &str| {
        format!(
            "CREATE TABLE {SINK} (
               id INTEGER PRIMARY KEY,
               customer_id INTEGER NOT NULL REFERENCES customers (id),
               status TEXT NOT NULL,
               amount NUMERIC(12, 2) NOT NULL,
               created_at {instant} NOT NULL,
               note TEXT
             )"
        )
    };
    match database.file() {
        Some(file) => Connection::open(file)?.execute_batch(&sink("DATETIME"))?,
        None => postgres::Client::connect(&database.url, postgres::NoTls)?
            .batch_execute(&sink("TIMESTAMP"))?,
    }
    Ok(())
}

/// Measures the import into a database that has the sink.
pub fn measure(transfers: &Transfers<'_>, goals: &mut Goals) -> Result<(), Error> {
    let name = transfers.database.name;
    let goal = match transfers.database.file() {
        Some(_) => 100_000,
        None if transfers.database.url.starts_with("postgres:") => 50_000,
        None => return Ok(()),
    };
    eprintln!("{name} import");
    let rows = (transfers.rows / PART).max(1);
    let file = transfers.file("import.csv")?;
    let filter = format!("id__lte={rows}");
    let order = ["--order-by", "id"];
    let export = [
        &["export", name, ORDERS, &file, "--filter", &filter],
        &order[..],
    ]
    .concat();
    transfers.run(&export)?;
    let store = transfers.service.store();
    let before = size(store)?;
    let cost = transfers.run(&["import", name, SINK, &file])?;
    let grown = size(store)?.saturating_sub(before);
    if cost.rows != u64::from(rows) {
        return Err(format!("{} of {rows} rows were imported", cost.rows).into());
    }
    std::fs::remove_file(&file)?;
    goals.add(
        name,
        &format!("import of {rows} rows"),
        &format!("{goal} rows/s"),
        &format!(
            "{:.0} rows/s; CPU of a row {:.2} us in the service, {:.2} us in the program",
            cost.rows as f64 / cost.seconds(),
            cost.service.as_secs_f64() * 1e6 / cost.rows as f64,
            cost.program.as_secs_f64() * 1e6 / cost.rows as f64,
        ),
    );
    goals.add(
        name,
        "growth of the store for a million imported rows",
        &megabytes(STORE),
        &megabytes(grown * 1_000_000 / cost.rows),
    );
    Ok(())
}

/// The size of the files in a folder and those below it.
fn size(folder: &Path) -> Result<u64, Error> {
    let mut sum = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        sum += match entry.file_type()? {
            kind if kind.is_dir() => size(&entry.path())?,
            // One that is gone by now has no size.
            _ => entry.metadata().map_or(0, |file| file.len()),
        };
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_a_folder_is_that_of_all_files_in_it() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("below")).unwrap();
        std::fs::write(folder.path().join("a"), "123").unwrap();
        std::fs::write(folder.path().join("below/b"), "4567").unwrap();
        assert_eq!(size(folder.path()).unwrap(), 7);
    }
}
