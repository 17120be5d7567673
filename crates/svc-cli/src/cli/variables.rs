//! The variables that the program reads. A name that begins like one of them and is unknown is refused: a misspelt
//! setting that is ignored looks as if it was in force.

use clap::Command;

use crate::{connect, context::place, error::Error};

/// What the names of all variables begin with.
const PREFIX: &str = "SVC_";
/// What is read by other means than an option: by the clients of this project, and by the examples of its guide.
const OTHERS: [&str; 10] = [
    connect::VARIABLE,
    place::KEY_VARIABLE,
    "SVC_DRAFT",
    "SVC_EMAIL",
    "SVC_PASSWORD",
    "SVC_PROXY",
    "SVC_API_KEY",
    "SVC_API_TOKEN",
    "SVC_SERVICE_TOKEN",
    "SVC_TOOLS_TOKEN",
];

/// Refuses the first variable of this environment that the program does not know.
pub(crate) fn check(command: &Command) -> Result<(), Error> {
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    check_names(names, &known(command))
}

/// The names that the options of all commands read, and the others.
fn known(command: &Command) -> Vec<String> {
    let mut known: Vec<String> = OTHERS.iter().map(ToString::to_string).collect();
    let mut commands = vec![command];
    while let Some(command) = commands.pop() {
        let options = command.get_arguments();
        known.extend(options.filter_map(|option| option.get_env()?.to_str().map(str::to_owned)));
        commands.extend(command.get_subcommands());
    }
    known.sort();
    known.dedup();
    known
}

fn check_names(names: impl Iterator<Item = String>, known: &[String]) -> Result<(), Error> {
    let mut unknown: Vec<String> = names
        .filter(|name| name.starts_with(PREFIX) && !known.contains(name) && !is_injected(name))
        .collect();
    unknown.sort();
    let Some(name) = unknown.first() else {
        return Ok(());
    };
    let likeness = |other: &String| strsim::jaro_winkler(name, other);
    let nearest = known
        .iter()
        .max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    let nearest = nearest.map_or_else(String::new, |nearest| format!("did you mean {nearest}? "));
    Err(Error::usage(format!(
        "the variable {name} is not known; {nearest}svc serve --help shows the variables of the service; unset the \
         variable if it belongs to another program"
    )))
}

/// Whether Kubernetes sets such a variable for each container beside a service that is called `svc`.
fn is_injected(name: &str) -> bool {
    let rest = name.strip_prefix(PREFIX).unwrap_or_default();
    let starts = ["PORT_", "SERVICE_HOST", "SERVICE_PORT"];
    rest == "PORT" || starts.iter().any(|start| rest.starts_with(start))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    fn check_one(name: &str) -> Result<(), Error> {
        check_names([name.to_owned()].into_iter(), &known(&Cli::command()))
    }

    #[test]
    fn a_misspelt_variable_is_refused_with_the_nearest_name() {
        for (name, nearest) in [
            ("SVC_STATMENT_TIMEOUT", "SVC_STATEMENT_TIMEOUT"),
            ("SVC_PUBLICURL", "SVC_PUBLIC_URL"),
            ("SVC_CONECT", "SVC_CONNECT"),
        ] {
            let error = check_one(name).unwrap_err();
            assert!(matches!(error, Error::Usage(_)));
            let text = error.to_string();
            assert!(text.contains(name), "{text}");
            assert!(text.contains(&format!("did you mean {nearest}?")), "{text}");
        }
    }

    #[test]
    fn the_variables_of_the_service_of_clients_and_of_kubernetes_are_known() {
        let names = "SVC_LISTEN SVC_CONNECT SVC_PROJECT SVC_API_BASE_URL SVC_DRAFT SVC_DIR SVC_SERVICE_HOST \
                     SVC_PORT_8080_TCP_ADDR PATH VITE_SVC_PROJECT";
        for name in names.split(' ') {
            check_one(name).unwrap();
        }
    }
}
