//! What the fuzz targets share: a running service in this process, and raw requests to it.
//!
//! The service is the real one, on a loopback port, over a store and a SQLite database in a temporary folder. A panic
//! anywhere in it ends the target, and so do the assertions of [`Service::send`].

mod answer;
mod database;
mod service;

pub use self::{
    answer::Answer,
    database::shop,
    service::{Credential, Service, service},
};
