//! How far a long command has come, on standard error.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// After this time progress is shown.
const PROGRESS_AFTER: Duration = Duration::from_secs(1);

/// How many records have come through; shown once it takes a while.
pub(crate) struct Progress {
    began: Instant,
    visible: bool,
    bar: Option<ProgressBar>,
}

impl Progress {
    pub(crate) fn new(visible: bool) -> Self {
        Self {
            began: Instant::now(),
            visible,
            bar: None,
        }
    }

    pub(crate) fn show(&mut self, records: u64) {
        if !self.visible || self.began.elapsed() < PROGRESS_AFTER {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{pos} records, {elapsed}")
                .unwrap_or_else(|_| ProgressStyle::default_spinner());
            ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_style(style)
        });
        bar.set_position(records);
    }

    pub(crate) fn end(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}
