//! What is packed: the program, and what is made from the definition of its command line.

use std::{fs, io, path::Path};

use clap_complete::{Shell, generate};

use crate::settings;

/// The version of the program.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A file in a package.
#[derive(Debug)]
pub(crate) struct File {
    /// Its name.
    pub(crate) name: String,
    /// What it contains.
    pub(crate) bytes: Vec<u8>,
}

/// Everything that is packed.
#[derive(Debug)]
pub(crate) struct Contents {
    /// The program.
    pub(crate) program: Vec<u8>,
    /// README, changelog and licences.
    pub(crate) papers: Vec<File>,
    /// A manual page for each command.
    pub(crate) manuals: Vec<File>,
    /// Completions for bash, zsh and fish, in this order.
    pub(crate) completions: [File; 3],
    /// The configuration file, with everything commented out.
    pub(crate) settings: String,
}

/// The unit of systemd.
pub(crate) const SERVICE: &str = include_str!("../files/svc.service");
/// Its socket, for who wants it.
pub(crate) const SOCKET: &str = include_str!("../files/svc.socket");
/// The user of the service.
pub(crate) const SYSUSERS: &str = include_str!("../files/svc.sysusers");
/// How an image is made of the unpacked archive.
pub(crate) const CONTAINERFILE: &str = include_str!("../files/Containerfile");

impl Contents {
    pub(crate) fn gather(program: &Path, repository: &Path) -> io::Result<Self> {
        let paper = |name: &str| -> io::Result<File> {
            Ok(File {
                name: name.to_owned(),
                bytes: fs::read(repository.join(name))?,
            })
        };
        let papers = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];
        Ok(Self {
            program: fs::read(program)?,
            papers: papers.into_iter().map(paper).collect::<io::Result<_>>()?,
            manuals: manuals()?,
            completions: [
                completions(Shell::Bash, "svc.bash"),
                completions(Shell::Zsh, "_svc"),
                completions(Shell::Fish, "svc.fish"),
            ],
            settings: settings::commented(&svc_cli::command()),
        })
    }
}

fn manuals() -> io::Result<Vec<File>> {
    let folder = tempfile::tempdir()?;
    clap_mangen::generate_to(svc_cli::command(), folder.path())?;
    let mut pages = Vec::new();
    for entry in fs::read_dir(folder.path())? {
        let entry = entry?;
        pages.push(File {
            name: entry.file_name().to_string_lossy().into_owned(),
            bytes: fs::read(entry.path())?,
        });
    }
    pages.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(pages)
}

fn completions(shell: Shell, name: &str) -> File {
    let mut bytes = Vec::new();
    generate(shell, &mut svc_cli::command(), "svc", &mut bytes);
    File {
        name: name.to_owned(),
        bytes,
    }
}
