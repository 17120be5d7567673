//! Administration: of the service of a store, by anyone who has it, or of one that runs somewhere. One file for each group of
//! commands.

mod credential;
mod key_file;
mod moment;
pub(crate) mod scope;
pub(crate) mod service;

pub(crate) mod account;
pub(crate) mod audit;
pub(crate) mod backup;
pub(crate) mod doctor;
pub(crate) mod environment;
pub(crate) mod key;
pub(crate) mod mail;
pub(crate) mod member;
pub(crate) mod project;
pub(crate) mod resource;
pub(crate) mod restore;
pub(crate) mod rights;
pub(crate) mod secret;
pub(crate) mod service_token;
pub(crate) mod signing_keys;
pub(crate) mod store;
pub(crate) mod team;
pub(crate) mod token;
pub(crate) mod user;
