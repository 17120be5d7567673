//! The components that places are made of.

pub(crate) mod cell;
pub(crate) mod chart;
pub(crate) mod credentials;
pub(crate) mod diff;
pub(crate) mod escaped;
pub(crate) mod filled;
pub(crate) mod form;
pub(crate) mod frame;
pub(crate) mod notice;
pub(crate) mod paging;
pub(crate) mod secret;
pub(crate) mod sessions;
pub(crate) mod standing;
pub(crate) mod swatch;
pub(crate) mod table;
pub(crate) mod tabs;
pub(crate) mod time;
pub(crate) mod waiting;
