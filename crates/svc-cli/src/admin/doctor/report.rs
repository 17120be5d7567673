//! What was checked, as it is printed.

use serde::Serialize;

use crate::{
    error::Error,
    output::{Output, counted},
};

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    Ok,
    Warning,
    Error,
}

/// One thing that was checked.
#[derive(Debug, Serialize)]
pub(super) struct Check {
    name: String,
    state: State,
    message: String,
    /// What to do; `None` when all is well.
    remedy: Option<String>,
}

impl Check {
    pub(super) fn ok(name: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            state: State::Ok,
            message: message.into(),
            remedy: None,
        }
    }

    pub(super) fn warning(
        name: impl Into<String>,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self {
            state: State::Warning,
            remedy: Some(remedy.into()),
            ..Self::ok(name, message)
        }
    }

    pub(super) fn error(
        name: impl Into<String>,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self {
            state: State::Error,
            ..Self::warning(name, message, remedy)
        }
    }

    #[cfg(test)]
    pub(super) fn state(&self) -> State {
        self.state
    }
}

/// All that was checked.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    /// Whether there is neither a warning nor an error.
    ok: bool,
    checks: Vec<Check>,
}

impl Report {
    pub(super) fn new(checks: Vec<Check>) -> Self {
        let ok = checks.iter().all(|check| check.state == State::Ok);
        Self { ok, checks }
    }

    /// The same with this check in place of those of the same name that ended better.
    pub(super) fn with(self, check: Check) -> Self {
        let is_better = |known: &Check| known.name == check.name && known.state < check.state;
        let mut checks = self.checks;
        checks.retain(|known| !is_better(known));
        checks.push(check);
        Self::new(checks)
    }

    /// The same without the check of this name.
    pub(super) fn without(self, name: &str) -> Self {
        let mut checks = self.checks;
        checks.retain(|known| known.name != name);
        Self::new(checks)
    }

    /// 0 when all is well, 1 for warnings, 2 for errors.
    pub(super) fn exit_status(&self) -> u8 {
        let worst = self.checks.iter().map(|check| check.state).max();
        match worst.unwrap_or(State::Ok) {
            State::Ok => 0,
            State::Warning => 1,
            State::Error => 2,
        }
    }

    pub(super) fn print(&self, output: &Output) -> Result<(), Error> {
        output.result(self, &self.to_text())
    }

    fn to_text(&self) -> String {
        let width = self.checks.iter().map(|check| check.name.chars().count());
        let width = width.max().unwrap_or(0);
        let mut text = String::new();
        for check in &self.checks {
            let state = match check.state {
                State::Ok => "ok",
                State::Warning => "warning",
                State::Error => "error",
            };
            let Check { name, message, .. } = check;
            text += &format!("{state:8} {name:width$}  {message}\n");
            if let Some(remedy) = &check.remedy {
                text += &format!("{:8} {:width$}  -> {remedy}\n", "", "");
            }
        }
        let count = |state| {
            self.checks
                .iter()
                .filter(|check| check.state == state)
                .count()
        };
        let (errors, warnings) = (count(State::Error), count(State::Warning));
        text + &match (errors, warnings) {
            (0, 0) => "all is well\n".to_owned(),
            _ => format!(
                "{}, {}\n",
                counted(errors, "error"),
                counted(warnings, "warning")
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_check_decides_and_the_json_has_the_names_of_the_contract() {
        let ok = || Check::ok("a", "fine");
        let report = Report::new(vec![ok()]);
        assert_eq!(report.exit_status(), 0);
        let line = serde_json::to_string(&report).unwrap();
        assert_eq!(
            line,
            r#"{"ok":true,"checks":[{"name":"a","state":"ok","message":"fine","remedy":null}]}"#
        );
        let report = Report::new(vec![Check::warning("b", "odd", "mend it"), ok()]);
        assert_eq!(report.exit_status(), 1);
        let report = Report::new(vec![Check::error("c", "bad", "repair it"), ok()]);
        assert_eq!(report.exit_status(), 2);
        let text = report.to_text();
        assert!(
            text.contains("-> repair it") && text.contains("1 error, 0 warnings"),
            "{text}"
        );
    }
}
