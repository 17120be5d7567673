//! The account calls (specification, section 5; wire contract, section 9).

mod attacks;
mod bodies;
mod calls;
mod codes;
mod ending;
mod links;
mod log;
mod paths;
mod restarts;
mod sessions;
mod sign_up;
mod throttle;
