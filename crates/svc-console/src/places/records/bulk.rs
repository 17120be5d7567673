//! Changing many records at once: what to change, a preview with the number and some of them, and the change, which is made only
//! if as many records fit as the preview has said.

mod change;
mod delete;
mod sample;

pub(crate) use self::{change::change, delete::delete};
