//! What the program takes: its file, the memory of an idle service, and that of a list of 10 000 records.

use std::path::Path;

use crate::Error;
use crate::cases;
use crate::databases::Databases;
use crate::dataset::Database;
use crate::load;
use crate::report::{Goals, megabytes};
use crate::service::{self, Service};
use crate::usage;

/// The largest file of the program, in bytes.
const PROGRAM: u64 = 32_000_000;
/// The most memory of an idle service.
const IDLE: u64 = 20_000_000;
/// The most memory of a list of 10 000 wide records, above that of an idle service.
const LIST: u64 = 16_000_000;

/// Runs the measurements, and returns their table.
pub fn measure(folder: &Path, databases: &mut Databases) -> Result<String, Error> {
    let folder = folder.join("footprint");
    std::fs::create_dir(&folder)?;
    let mut goals = Goals::new();
    let file = std::fs::metadata(service::program()?)?.len();
    goals.add(
        "",
        "file of the program",
        &megabytes(PROGRAM),
        &megabytes(file),
    );
    for database in &databases.small()? {
        let idle = Some(IDLE);
        memory(&folder, database, idle, None, &mut goals)?;
    }
    for database in &databases.wide()? {
        memory(&folder, database, None, Some(LIST), &mut goals)?;
    }
    Ok(goals.table())
}

/// The memory of an idle service, and that of a list of 10 000 records above it, beside the goals that they have.
fn memory(
    folder: &Path,
    database: &Database,
    idle_goal: Option<u64>,
    list_goal: Option<u64>,
    goals: &mut Goals,
) -> Result<(), Error> {
    eprintln!("{}: memory", database.name);
    let folder = folder.join(database.name);
    std::fs::create_dir(&folder)?;
    let service = Service::start(&folder, std::slice::from_ref(database))?;
    let idle = service.usage()?;
    let (resident, private) = (megabytes(idle.resident), megabytes(idle.private));
    goals.add(
        database.name,
        "memory of an idle service",
        &idle_goal.map_or_else(String::new, megabytes),
        &format!("{resident}, {private} of it private"),
    );
    let target = service.target(database, cases::named("list-whole")?);
    usage::forget_peak(service.process())?;
    let length = load::once(&target)?.len() as u64;
    let above = service.usage()?.peak_resident.saturating_sub(idle.resident);
    let length = megabytes(length);
    goals.add(
        database.name,
        &format!("memory of a list of 10 000 records, {length}, above idle"),
        &list_goal.map_or_else(String::new, megabytes),
        &megabytes(above),
    );
    Ok(())
}
