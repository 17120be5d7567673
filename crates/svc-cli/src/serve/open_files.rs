//! How many files the process may have open: each connection is one. Systems allow 1 024 at first, and far more to a
//! process that asks for it.

/// Raises the limit as far as the system allows without privileges. What stays too low shows when connections cannot be
/// accepted, which the log says then.
#[cfg(unix)]
pub(crate) fn raise_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    match setrlimit(Resource::Nofile, raised) {
        Ok(()) => tracing::debug!(files = limit.maximum, "the limit of open files was raised"),
        Err(error) => tracing::warn!(
            %error,
            files = limit.current,
            "the limit of open files cannot be raised"
        ),
    }
}

/// There is no such limit.
#[cfg(not(unix))]
pub(crate) fn raise_limit() {}

#[cfg(all(test, unix))]
mod tests {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    use super::*;

    #[test]
    fn the_limit_of_open_files_is_raised_to_what_the_system_allows() {
        let before = getrlimit(Resource::Nofile);
        let low = Rlimit {
            current: Some(512),
            maximum: before.maximum,
        };
        setrlimit(Resource::Nofile, low).unwrap();
        raise_limit();
        assert_eq!(getrlimit(Resource::Nofile).current, before.maximum);
        setrlimit(Resource::Nofile, before).unwrap();
    }
}
