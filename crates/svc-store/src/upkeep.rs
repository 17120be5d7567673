//! Care of a store as a whole: copies of it, also in another place, a store made of a copy, and a look at one that changes nothing.

mod backup;
mod copy;
mod folder;
mod inspection;
mod restore;
mod series;

pub use self::backup::BackupOptions;
pub use self::copy::{Copied, CopiedTable, CopyOptions, CopyStep, NeededKey, StorePlace};
pub use self::inspection::{DatabaseInspection, Inspection};
pub use self::restore::Restored;
pub use self::series::{BackupSeries, BackupTurn};
