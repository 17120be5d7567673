//! Users and teams: the built-in tools resource (specification, section 1; wire contract, section 6).

mod reading;
mod teams;
mod whole;
mod writing;
