//! The program `svc`: serve a database as a REST API, administer the service, and call it by hand.
//!
//! Each group of commands has a file of its name: [`serve`] and [`demo`] are the service, [`admin`] works on the
//! store, [`records`], [`pages`] and [`app`] call a service, and [`generate`] writes types of what it has. What they share is small: where the store is
//! ([`context`]), where the service is ([`client`]), how results are written ([`output`]), and what a failure looks
//! like ([`error`]).
//!
//! It is a library, which [`main`](fn@main) is all of, so that it is compiled while the service's own crate is.
#![allow(
    rustdoc::bare_urls,
    reason = "the texts of options are read in a terminal"
)]
#![allow(
    rustdoc::private_intra_doc_links,
    reason = "there is nothing public but the program as a whole"
)]

mod admin;
mod app;
mod cli;
mod client;
mod connect;
#[cfg(feature = "console")]
mod console;
mod context;
mod demo;
mod error;
mod generate;
mod input;
mod output;
mod pages;
mod records;
mod serve;

use std::process::ExitCode;

use clap::CommandFactory as _;

use crate::{cli::Cli, error::Error, serve::options::Sources};

/// The definition of the command line, from which manual pages and completions are made.
#[must_use]
pub fn command() -> clap::Command {
    Cli::command()
}

/// Runs the program with the arguments that it was started with.
#[must_use]
pub fn main() -> ExitCode {
    let (cli, sources) = Cli::parse_with_sources();
    match cli::variables::check(&Cli::command()).and_then(|()| run(cli, sources)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => error.report(),
    }
}

/// The stack of a thread, in bytes. Only what is used of it takes memory; without optimisation a page of the console uses more than
/// the usual two mebibytes.
const STACK: usize = 16 << 20;

fn run(cli: Cli, sources: Sources) -> Result<(), Error> {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.enable_all().thread_stack_size(STACK);
    let runtime = runtime.build().map_err(|error| {
        let remedy = "raise the limits of threads and open files";
        Error::new(format!("cannot start: {error}; {remedy}"))
    })?;
    runtime.block_on(cli.run(sources))
}
