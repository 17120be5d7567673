//! The formats of results.

use clap::{Args, ValueEnum};

/// How the result is written.
#[derive(Args, Clone, Copy, Default)]
pub(crate) struct FormatArg {
    /// How the result is written [default: table, with --json json]
    #[arg(long, value_name = "FORMAT")]
    pub(super) format: Option<Format>,
}

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Columns that fit the terminal
    Table,
    /// One array on one line
    Json,
    /// One object on each line
    Ndjson,
    /// Comma-separated values with a header (RFC 4180)
    Csv,
}
