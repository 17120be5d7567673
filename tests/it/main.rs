//! Black-box suites: the built program, driven over HTTP and from the command line.

mod account;
mod aggregate;
mod audit;
mod bulk_create;
mod credentials;
mod demo;
mod engines;
mod errors;
mod examples;
mod faults;
mod foreign;
mod mail;
mod operations;
mod pages;
mod people;
mod projects;
mod proxy;
mod records;
mod resources;
mod rights;
mod sessions;
mod shared;
mod siblings;
mod sql;
mod transfer;
mod users;
