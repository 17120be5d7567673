//! Black-box suites: the built program, driven over HTTP and from the command line.

mod aggregate;
mod bulk_create;
mod credentials;
mod demo;
mod engines;
mod errors;
mod examples;
mod faults;
mod foreign;
mod operations;
mod pages;
mod pages_code;
mod pages_drafts;
mod pages_publish;
mod projects;
mod records;
mod resources;
mod sessions;
mod shared;
mod siblings;
mod sql;
mod transfer;
