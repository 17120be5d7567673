//! Changing many records at once: what to change, a preview with the number and some of them, and the change, which is made only
//! if as many records fit as the preview has said. What was changed can be taken back.

mod change;
mod delete;
mod sample;
mod undo;

pub(crate) use self::{
    change::change,
    delete::delete,
    undo::{done, undo},
};
