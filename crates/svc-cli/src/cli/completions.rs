//! `svc completions`: what a shell needs to complete commands and options.

use clap::{Args, Command};
use clap_complete::Shell;

use crate::{context::Context, error::Error, output};

/// Print the completions of a shell
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    svc completions bash > ~/.local/share/bash-completion/completions/svc\n  \
    svc completions fish > ~/.config/fish/completions/svc.fish")]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    /// Writes the script; `command` is the whole program.
    pub(crate) fn run(self, context: &Context, mut command: Command) -> Result<(), Error> {
        if context.output.is_json() {
            return Err(Error::usage(
                "completions are a script of a shell and have no JSON form; leave --json out",
            ));
        }
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, "svc", &mut script);
        output::write_out(&String::from_utf8_lossy(&script))
    }
}
