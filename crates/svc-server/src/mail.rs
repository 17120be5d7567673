//! Mail: told when one may be waiting.

/// Tells the one who sends mails that one is waiting.
#[derive(Debug, Default)]
pub(crate) struct MailHandle;

impl MailHandle {
    pub(crate) fn wake(&self) {}
}
