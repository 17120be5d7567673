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

    /// How many things a step has done, such as `rows copied`, and with what it is busy.
    pub(crate) fn show_step(&mut self, step: &str, busy: &str, count: u64) {
        if !self.visible || self.began.elapsed() < PROGRESS_AFTER {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{pos} {prefix}, {msg}, {elapsed}")
                .unwrap_or_else(|_| ProgressStyle::default_spinner());
            ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_style(style)
        });
        bar.set_prefix(step.to_owned());
        bar.set_message(busy.to_owned());
        bar.set_position(count);
    }

    /// How much of a file has come through, and what that makes.
    pub(crate) fn show_part(&mut self, what: &str, bytes: u64, all: u64) {
        if !self.visible || self.began.elapsed() < PROGRESS_AFTER {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let style =
                ProgressStyle::with_template("{bar:32} {bytes}/{total_bytes}, {msg}, {eta} left")
                    .unwrap_or_else(|_| ProgressStyle::default_bar());
            ProgressBar::with_draw_target(Some(all), ProgressDrawTarget::stderr()).with_style(style)
        });
        if bytes < bar.position() {
            // What was sent is read from its beginning.
            bar.reset_eta();
        }
        bar.set_message(what.to_owned());
        bar.set_position(bytes);
    }

    pub(crate) fn end(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}
