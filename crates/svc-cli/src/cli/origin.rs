//! Where a value was set that is refused: clap names the option, also when a variable has set it.

use std::ffi::OsString;

use clap::{
    Command,
    error::{ContextKind, ContextValue, Error},
};

/// Ends the program with the message of an error, which names the variable when one has set the value.
pub(super) fn exit(error: &Error, command: &Command) -> ! {
    let variable = variable(error, command, std::env::args_os(), |name| {
        std::env::var_os(name).is_some()
    });
    let Some(variable) = variable else {
        error.exit()
    };
    let _ = error.print();
    crate::output::Output::default().note(&format!(
        "\nThe value was set by the variable {variable}: correct it, or unset it."
    ));
    std::process::exit(error.exit_code())
}

/// The variable that has set the value of which an error tells; `None` when a flag has.
fn variable(
    error: &Error,
    command: &Command,
    arguments: impl Iterator<Item = OsString>,
    is_set: impl Fn(&str) -> bool,
) -> Option<String> {
    let ContextValue::String(shown) = error.get(ContextKind::InvalidArg)? else {
        return None;
    };
    // Such as `--listen <ADDR>`.
    let flag = shown.split([' ', '=', '[']).next()?;
    let long = flag.strip_prefix("--")?;
    let mut arguments = arguments.filter_map(|argument| argument.into_string().ok());
    let with_value = format!("{flag}=");
    if arguments.any(|argument| argument == flag || argument.starts_with(&with_value)) {
        return None;
    }
    let mut commands = vec![command];
    while let Some(command) = commands.pop() {
        let mut options = command.get_arguments();
        let option = options.find(|option| option.get_long() == Some(long));
        let name = option.and_then(|option| option.get_env()?.to_str());
        if let Some(name) = name.filter(|name| is_set(name)) {
            return Some(name.to_owned());
        }
        commands.extend(command.get_subcommands());
    }
    None
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn a_variable_is_named_when_no_flag_has_set_the_value() {
        let mut command = Cli::command();
        let flags = ["svc", "serve", "--body-limit=x"];
        let error = command.try_get_matches_from_mut(flags).unwrap_err();
        let by = |arguments: &[&str], is_set| {
            let arguments = arguments.iter().map(OsString::from);
            variable(&error, &command, arguments, |_| is_set)
        };
        assert_eq!(by(&flags, true), None);
        assert_eq!(by(&["svc", "serve", "--body-limit", "x"], true), None);
        assert_eq!(
            by(&["svc", "serve"], true).as_deref(),
            Some("SVC_BODY_LIMIT")
        );
        assert_eq!(by(&["svc", "serve"], false), None);
    }
}
