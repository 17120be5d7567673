//! The package for Debian and its relatives.

use std::{collections::BTreeSet, io};

use flate2::Compression;

use crate::{
    archive::{Archive, compressed},
    contents::{Contents, SERVICE, SOCKET, SYSUSERS, VERSION},
};

/// What runs when the package is installed, and when it is removed.
const SCRIPTS: [(&str, &str); 3] = [
    ("postinst", include_str!("../files/postinst")),
    ("prerm", include_str!("../files/prerm")),
    ("postrm", include_str!("../files/postrm")),
];
const CONFIGURATION: &str = "etc/svc/svc.toml";

/// What Debian calls the machines that a program was built for; `None` where it has no such packages.
pub(crate) fn architecture(host: &str) -> Option<&'static str> {
    match host.strip_suffix("-unknown-linux-gnu")? {
        "x86_64" => Some("amd64"),
        "aarch64" => Some("arm64"),
        _ => None,
    }
}

/// The name of the package.
pub(crate) fn name(architecture: &str) -> String {
    format!("svc_{VERSION}_{architecture}.deb")
}

/// The package.
pub(crate) fn pack(
    contents: &Contents,
    architecture: &str,
    compression: Compression,
) -> io::Result<Vec<u8>> {
    let files = files(contents)?;
    let mut data = Archive::new(compression);
    let mut folders = BTreeSet::new();
    for (path, ..) in &files {
        let parents = path.match_indices('/').map(|(at, _)| &path[..at]);
        folders.extend(parents.map(str::to_owned));
    }
    for folder in folders {
        data.folder(&format!("{folder}/"))?;
    }
    for (path, mode, bytes) in &files {
        data.file(path, *mode, bytes)?;
    }

    let mut control = Archive::new(compression);
    let size = files.iter().map(|(_, _, bytes)| bytes.len()).sum::<usize>();
    let description = description(&contents.program, architecture, size);
    control.file("control", 0o644, description.as_bytes())?;
    control.file("conffiles", 0o644, format!("/{CONFIGURATION}\n").as_bytes())?;
    for (name, script) in SCRIPTS {
        control.file(name, 0o755, script.as_bytes())?;
    }

    let mut package = ar::Builder::new(Vec::new());
    for (name, bytes) in [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.gz", control.finish()?),
        ("data.tar.gz", data.finish()?),
    ] {
        let mut header = ar::Header::new(name.as_bytes().to_vec(), bytes.len() as u64);
        header.set_mode(0o100_644);
        package.append(&header, &*bytes)?;
    }
    package.into_inner()
}

/// Path, mode and content of each file.
fn files(contents: &Contents) -> io::Result<Vec<(String, u32, Vec<u8>)>> {
    let best = Compression::best();
    let [bash, zsh, fish] = &contents.completions;
    let mut files = vec![
        ("usr/bin/svc".to_owned(), 0o755, contents.program.clone()),
        // The scripts give the group of the service the right to read it.
        (
            CONFIGURATION.to_owned(),
            0o640,
            contents.settings.clone().into_bytes(),
        ),
    ];
    let mut add = |path: &str, bytes: &[u8]| files.push((path.to_owned(), 0o644, bytes.to_vec()));
    add("usr/lib/systemd/system/svc.service", SERVICE.as_bytes());
    add("usr/lib/systemd/system/svc.socket", SOCKET.as_bytes());
    add("usr/lib/sysusers.d/svc.conf", SYSUSERS.as_bytes());
    add("usr/share/bash-completion/completions/svc", &bash.bytes);
    add("usr/share/zsh/vendor-completions/_svc", &zsh.bytes);
    add("usr/share/fish/vendor_completions.d/svc.fish", &fish.bytes);
    for page in &contents.manuals {
        let path = format!("usr/share/man/man1/{}.gz", page.name);
        add(&path, &compressed(&page.bytes, best)?);
    }
    let mut copyright = b"svc is licensed under MIT or Apache-2.0, at your option.\n".to_vec();
    for paper in &contents.papers {
        match paper.name.as_str() {
            "CHANGELOG.md" => add(
                "usr/share/doc/svc/changelog.gz",
                &compressed(&paper.bytes, best)?,
            ),
            name if name.starts_with("LICENSE-") => {
                copyright.extend(format!("\n{name}\n\n").into_bytes());
                copyright.extend(&paper.bytes);
            }
            name => add(&format!("usr/share/doc/svc/{name}"), &paper.bytes),
        }
    }
    add("usr/share/doc/svc/copyright", &copyright);
    files.sort();
    Ok(files)
}

fn description(program: &[u8], architecture: &str, size: usize) -> String {
    let libraries = match newest_glibc(program) {
        Some((major, minor)) => format!("libc6 (>= {major}.{minor}), libgcc-s1"),
        None => "libc6, libgcc-s1".to_owned(),
    };
    format!(
        "Package: svc\n\
         Version: {VERSION}\n\
         Architecture: {architecture}\n\
         Maintainer: The svc authors <authors@svc.invalid>\n\
         Installed-Size: {}\n\
         Depends: {libraries}, systemd | systemd-standalone-sysusers\n\
         Recommends: ca-certificates\n\
         Section: database\n\
         Priority: optional\n\
         Description: REST service for databases, with users, rights and an audit trail\n \
         svc puts a REST API in front of SQLite, PostgreSQL, MySQL and MariaDB, with\n \
         pages, users who sign in, rights, and a trail of all writes. The package\n \
         contains the program, which is service, administration and client in one,\n \
         and a unit of systemd that is not started before it was configured.\n",
        size.div_ceil(1_024),
    )
}

/// The newest version of the C library that a program names.
fn newest_glibc(program: &[u8]) -> Option<(u32, u32)> {
    const NAME: &[u8] = b"GLIBC_";
    let places = program.windows(NAME.len()).enumerate();
    let after = places
        .filter(|(_, part)| *part == NAME)
        .map(|(at, _)| &program[at + NAME.len()..]);
    let versions = after.filter_map(|rest| {
        let end = rest
            .iter()
            .position(|byte| !byte.is_ascii_digit() && *byte != b'.')?;
        let (major, minor) = std::str::from_utf8(&rest[..end]).ok()?.split_once('.')?;
        // `2.2.5` is older than all that is compared here.
        Some((major.parse().ok()?, minor.parse().ok()?))
    });
    versions.max()
}

#[test]
fn the_newest_version_of_the_c_library_is_found() {
    let program = b"\0GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_2.9\0GLIBC_PRIVATE\0x";
    assert_eq!(newest_glibc(program), Some((2, 34)));
    assert_eq!(newest_glibc(b"none"), None);
}
