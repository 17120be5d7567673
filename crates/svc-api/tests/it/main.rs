//! The client at the seam of its transport.

mod calls;
mod credentials;
mod deadlines;
mod errors;
mod paging;
mod retries;
mod support;
mod tower;
