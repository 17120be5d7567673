//! The command line as a whole: the options that every command has, and the commands.

pub(crate) mod completions;
mod origin;
pub(crate) mod variables;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand, parser::ValueSource};
use svc_server::SettingSource;

#[cfg(feature = "console")]
use crate::console;
use crate::{
    admin::{
        account, audit, backup, doctor, environment, key, mail, member, project, resource, restore,
        rights, secret, service::Administer, service_token, signing_keys, store, team, token, user,
    },
    app::{proxy, session, teams, users},
    context::{Common, Context},
    demo,
    error::Error,
    generate, pages,
    records::{self, functions, models, sql, statements},
    serve::{self, options::Sources},
};

/// Puts a REST API in front of a database, administers it, and calls it.
#[derive(Parser)]
#[command(
    name = "svc",
    version,
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "Examples:\n  \
        svc demo\n  \
        svc serve --connect shop=sqlite:path/to/file.db\n  \
        svc records list shop orders --filter status=paid --order-by=-created_at\n\n\
        Every command explains itself: svc records list --help"
)]
pub(crate) struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Demo(demo::Demo),
    Serve(serve::Serve),
    #[cfg(feature = "console")]
    Console(console::Console),
    Project(Administer<project::Project>),
    Env(Administer<environment::Environment>),
    Account(Administer<account::Account>),
    Member(Administer<member::Member>),
    Resource(Administer<resource::Resource>),
    Token(Administer<token::Token>),
    Team(Administer<team::Team>),
    ServiceToken(Administer<service_token::ServiceToken>),
    Key(Administer<key::Key>),
    #[command(alias = "keys")]
    SigningKeys(Administer<signing_keys::SigningKeys>),
    User(Administer<user::User>),
    Rights(Administer<rights::Rights>),
    Secret(Administer<secret::Secret>),
    Mail(Administer<mail::Mail>),
    Audit(Administer<audit::Audit>),
    Backup(backup::Backup),
    Restore(restore::Restore),
    Doctor(doctor::Doctor),
    #[command(subcommand)]
    Store(store::StoreCommand),
    #[command(subcommand)]
    Pages(pages::Pages),
    #[command(subcommand)]
    Records(records::Records),
    Sql(sql::Sql),
    #[command(subcommand)]
    Functions(functions::Functions),
    #[command(subcommand)]
    Statements(statements::Statements),
    #[command(subcommand, name = "app-user", alias = "users")]
    Users(users::Users),
    #[command(subcommand, name = "app-team", alias = "teams")]
    Teams(teams::Teams),
    Proxy(proxy::Proxy),
    Models(models::Models),
    Generate(generate::Generate),
    Login(session::Login),
    Logout(session::Logout),
    Whoami(session::Whoami),
    Reload(models::Reload),
    Completions(completions::Completions),
}

impl Cli {
    /// The command line with which the program was started, and where its options were set.
    pub(crate) fn parse_with_sources() -> (Self, Sources) {
        let mut command = Self::command();
        let matches = command
            .try_get_matches_from_mut(std::env::args_os())
            .unwrap_or_else(|error| origin::exit(&error, &command));
        let cli = Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
        let mut sources = Sources::new();
        let mut level = Some(&matches);
        while let Some(matches) = level {
            // An option of all commands below is at each level, but not always one of that level.
            let ids = matches.ids().map(clap::Id::as_str);
            for id in ids.filter(|id| matches.try_contains_id(id).is_ok()) {
                let source = match matches.value_source(id) {
                    Some(ValueSource::CommandLine) => SettingSource::Flag,
                    Some(ValueSource::EnvVariable) => SettingSource::Variable,
                    _ => continue,
                };
                sources.insert(id.to_string(), source);
            }
            level = matches.subcommand().map(|(_, matches)| matches);
        }
        (cli, sources)
    }

    pub(crate) async fn run(self, sources: Sources) -> Result<(), Error> {
        let context = Context::new(self.common, sources)?;
        macro_rules! run {
            ($($command:ident)+) => {
                match self.command {
                    $(Command::$command(command) => Box::pin(command.run(&context)).await,)+
                    #[cfg(feature = "console")]
                    Command::Console(console) => Box::pin(console.run(&context)).await,
                    Command::Completions(completions) => completions.run(&context, Self::command()),
                }
            };
        }
        run! {
            Demo Serve Project Env Account Member Resource Token Team ServiceToken Key SigningKeys User Rights Secret Mail Audit
            Backup Restore Doctor Store Pages Records Sql Functions Statements Users Teams Proxy Models Generate Login Logout Whoami Reload
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_of_the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn each_command_of_a_list_says_what_it_alone_is_about() {
        fn check(command: &clap::Command) {
            let mut said = std::collections::HashMap::new();
            for one in command.get_subcommands() {
                let name = one.get_name();
                let about = one.get_about().map(ToString::to_string).unwrap_or_default();
                assert!(!about.is_empty(), "{name} says nothing");
                if let Some(other) = said.insert(about, name) {
                    panic!("{name} and {other} say the same");
                }
                check(one);
            }
        }
        check(&Cli::command());
    }

    #[test]
    fn operators_see_every_option_of_the_service() {
        use crate::{context::place::Place, serve::options::ServerOptions};

        let config =
            ServerOptions::default().server_config(&Sources::new(), Place::default().settings());
        let shown = config.in_effect();
        let command = Cli::command();
        let serve = command.find_subcommand("serve").unwrap();
        for option in serve.get_arguments() {
            let name = option.get_id().as_str().replace('_', "-");
            // Connected databases are resources, with lists of their own.
            let is_shown = shown.iter().any(|setting| setting.name == name);
            assert!(is_shown || name == "connect", "{name}");
        }
    }

    #[test]
    fn every_command_has_help_and_an_example() {
        fn check(command: &clap::Command, path: &str) {
            let path = format!("{path} {}", command.get_name());
            assert!(command.get_about().is_some(), "{path} has no help");
            let children: Vec<_> = command.get_subcommands().collect();
            if children.is_empty() {
                let example = command.get_after_help().map(ToString::to_string);
                assert!(
                    example.is_some_and(|text| text.contains("svc ")),
                    "{path} has no example"
                );
            }
            for argument in command.get_arguments() {
                assert!(
                    argument.get_help().is_some(),
                    "{path}: {} has no help",
                    argument.get_id()
                );
            }
            for child in children {
                check(child, &path);
            }
        }
        check(&Cli::command(), "");
    }

    #[test]
    fn a_secret_in_a_variable_is_not_shown_in_help() {
        fn check(command: &clap::Command) {
            for argument in command.get_arguments() {
                let id = argument.get_id().as_str();
                let holds_secret = [
                    "api_key",
                    "api_token",
                    "connect",
                    "smtp_url",
                    "store",
                    "from",
                    "to",
                ]
                .contains(&id);
                if argument.get_env().is_some() && holds_secret {
                    assert!(argument.is_hide_env_values_set(), "{id}");
                }
            }
            command.get_subcommands().for_each(check);
        }
        check(&Cli::command());
    }
}
