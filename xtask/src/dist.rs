//! `cargo xtask dist`: packs the program for this machine's platform for a release, with its checksum.

use std::fs::{self, File};
use std::path::Path;

use flate2::{Compression, write::GzEncoder};
use sha2::{Digest, Sha256};

use crate::shell::{Failure, Repository};

const PAPERS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];
const SHELLS: [(&str, &str); 3] = [("bash", "svc.bash"), ("zsh", "_svc"), ("fish", "svc.fish")];

pub fn run(repository: &Repository) -> Result<(), Failure> {
    repository
        .cargo(["build", "--release", "--locked", "--package", "svc-cli"])
        .run()?;
    let program = repository.program("release");
    let host = repository.command("rustc").args(["-vV"]).read()?;
    let host = host.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.ok_or_else(|| Failure::new("rustc does not say for what it compiles"))?;
    let name = format!("svc-{}-{host}", repository.package("svc-cli")?.version);

    let folder = repository.root().join("dist");
    fs::create_dir_all(&folder)?;
    let archive = folder.join(format!("{name}.tar.gz"));
    let encoder = GzEncoder::new(File::create(&archive)?, Compression::best());
    let mut tar = tar::Builder::new(encoder);
    // Contains neither the time nor the user of the build, so that equal content has an equal checksum.
    tar.mode(tar::HeaderMode::Deterministic);
    let inside = |path: &str| format!("{name}/{path}");
    let file_name = program.file_name().unwrap_or_default().to_string_lossy();
    tar.append_path_with_name(&program, inside(&file_name))?;
    for paper in PAPERS {
        tar.append_path_with_name(repository.root().join(paper), inside(paper))?;
    }
    for (shell, file) in SHELLS {
        let script = repository
            .command(&program)
            .args(["completions", shell])
            .read()?;
        let mut header = tar::Header::new_gnu();
        header.set_size(script.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        let path = inside(&format!("completions/{file}"));
        tar.append_data(&mut header, path, script.as_bytes())?;
    }
    tar.into_inner()?.finish()?;
    println!("{}", write_checksum(&archive)?);
    Ok(())
}

/// Writes the checksum beside the archive, as `sha256sum --check` reads it.
fn write_checksum(archive: &Path) -> Result<String, Failure> {
    let digest = Sha256::digest(fs::read(archive)?);
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let name = archive.file_name().unwrap_or_default().to_string_lossy();
    let line = format!("{digest}  {name}");
    fs::write(
        archive.with_file_name(format!("{name}.sha256")),
        format!("{line}\n"),
    )?;
    Ok(line)
}
