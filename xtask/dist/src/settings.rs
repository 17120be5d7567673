//! The configuration file of a package: each option with its help and its default, commented out.

use clap::{Arg, ArgAction, Command};

const HEAD: &str = "\
# The settings of svc. Flags and variables win over this file; svc serve --help shows all of them.
# A line below says what is in force without it, or has a text in capitals to replace.
";

/// What a file can have of the options that other commands have too. The folder of the store is set by the unit.
const PLACE: [&str; 2] = ["store", "key-file"];

const CONNECT: &str = "
# Databases to connect, as resources of the project main.
# [connect]
# shop = \"postgres://USER:PASSWORD@HOST/DATABASE\"
";

/// The file.
pub(crate) fn commented(program: &Command) -> String {
    let mut text = HEAD.to_owned();
    let is_of_place = |option: &&Arg| option.get_long().is_some_and(|name| PLACE.contains(&name));
    let place = program.get_arguments().filter(is_of_place);
    let serve = program.find_subcommand("serve");
    for option in place.chain(serve.into_iter().flat_map(Command::get_arguments)) {
        // `connect` is a table, and comes last.
        let name = option
            .get_long()
            .filter(|name| *name != "connect" && option.get_env().is_some());
        if let Some(name) = name {
            let help = option
                .get_help()
                .map(ToString::to_string)
                .unwrap_or_default();
            let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
            text += &format!("\n# {help}\n# {name} = {}\n", value(option, &help));
        }
    }
    text + CONNECT
}

/// The default as TOML, or what is to be replaced.
fn value(option: &Arg, help: &str) -> String {
    let default = help
        .rsplit_once("[default: ")
        .and_then(|(_, rest)| rest.strip_suffix(']'));
    // `info, for demo warn` tells of another command too; `one per core, 2 to 16` is no value.
    let default = default.and_then(|default| default.split(", for demo").next());
    let default = default.filter(|default| !default.contains(' '));
    let placeholder = option.get_value_names().and_then(|names| names.first());
    let text = default
        .or(placeholder.map(|name| name.as_str()))
        .unwrap_or_default();
    let is_bare = text.parse::<u64>().is_ok() || matches!(text, "true" | "false");
    let is_list =
        option.get_value_delimiter().is_some() || matches!(option.get_action(), ArgAction::Append);
    match (is_bare, is_list) {
        (true, _) => text.to_owned(),
        (false, true) => format!("[{:?}]", text.trim_end_matches(",...")),
        (false, false) => format!("{text:?}"),
    }
}
