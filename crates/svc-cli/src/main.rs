//! The `svc` program.
fn main() {}
