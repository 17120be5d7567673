//! The program `svc`: serve a database as a REST API, administer the service, and call it by hand.
//!
//! Each group of commands has a file of its name. What they share is small: where the store is
//! ([`context`]), how results are written ([`output`], [`rows`]), and what a failure looks like
//! ([`failure`]).
#![allow(
    rustdoc::bare_urls,
    reason = "the texts of options are read in a terminal"
)]

mod audit;
mod backup;
mod cli;
mod client;
mod completions;
mod connect;
mod context;
mod demo;
mod environment;
mod expiry;
mod failure;
mod input;
mod key;
mod listing;
mod logging;
mod mail;
mod member;
mod models;
mod open_files;
mod options;
mod output;
mod pages;
mod password;
mod place;
mod progress;
mod project;
mod proxy;
mod ready;
mod records;
mod resource;
mod rights;
mod rows;
mod secret;
mod selection;
mod serve;
mod service_token;
mod session;
mod shutdown;
mod signing_keys;
mod sql;
mod teams;
mod token;
mod user;
mod users;
mod variables;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};

use crate::{cli::Cli, failure::Failure};

fn main() -> ExitCode {
    let cli = Cli::parse();
    match variables::check(&Cli::command()).and_then(|()| run(cli)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn run(cli: Cli) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| {
            Failure::new(format!(
                "cannot start: {error}; raise the limits of threads and open files"
            ))
        })?;
    runtime.block_on(cli.run())
}
