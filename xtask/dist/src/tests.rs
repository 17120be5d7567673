//! The packages, unpacked and looked at with the tools of the system where they are there.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::OnceLock,
};

use flate2::{Compression, read::GzDecoder};
use tempfile::TempDir;

use crate::{
    archive,
    contents::{Contents, SERVICE, VERSION},
    debian,
};

const HOST: &str = "x86_64-unknown-linux-gnu";

/// The contents of the packages, with the program that the other tests have.
fn contents() -> &'static Contents {
    static CONTENTS: OnceLock<Contents> = OnceLock::new();
    CONTENTS.get_or_init(|| {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        Contents::gather(&svc_tests::program(), &repository).unwrap()
    })
}

/// The same with another program, where the program does not matter and would take long to pack.
fn small_contents() -> Contents {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("svc");
    fs::write(&program, "#!/bin/sh\necho GLIBC_2.34\n").unwrap();
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    Contents::gather(&program, &repository).unwrap()
}

/// Whether the system has a tool. Tests that need one that is missing look at less.
fn has(tool: &str) -> bool {
    let found = Command::new("sh")
        .args(["-c", &format!("command -v {tool}")])
        .output();
    found.is_ok_and(|found| found.status.success())
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    succeeded(&output)
}

fn succeeded(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn unpacked(bytes: &[u8]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    tar::Archive::new(GzDecoder::new(bytes))
        .unpack(folder.path())
        .unwrap();
    folder
}

#[test]
fn the_archive_has_a_program_that_runs_and_everything_beside_it() {
    let bytes = archive::pack(contents(), HOST, Compression::fast()).unwrap();
    let folder = unpacked(&bytes);
    let inside = folder.path().join(format!("svc-{VERSION}-{HOST}"));
    let version = run(Command::new(inside.join("svc")).arg("--version"));
    assert_eq!(version, format!("svc {VERSION}\n"));
    for file in [
        "README.md",
        "LICENSE-MIT",
        "svc.toml",
        "systemd/svc.service",
        "man/man1/svc.1",
        "man/man1/svc-backup.1",
        "man/man1/svc-records-list.1",
        "completions/_svc",
        "Containerfile",
    ] {
        assert!(fs::metadata(inside.join(file)).unwrap().len() > 0, "{file}");
    }
}

#[test]
fn equal_content_has_equal_bytes() {
    let (one, other) = (small_contents(), small_contents());
    let best = Compression::best();
    let archives = [&one, &other].map(|contents| archive::pack(contents, HOST, best).unwrap());
    assert!(archives[0] == archives[1]);
    let packages = [&one, &other].map(|contents| debian::pack(contents, "amd64", best).unwrap());
    assert!(packages[0] == packages[1]);
}

#[test]
fn the_package_has_what_debian_expects() {
    let package = debian::pack(&small_contents(), "amd64", Compression::fast()).unwrap();
    // With nothing of the system: an archive of archives.
    let mut members = ar::Archive::new(&*package);
    let mut names = Vec::new();
    let mut control = String::new();
    while let Some(member) = members.next_entry() {
        let mut member = member.unwrap();
        let name = String::from_utf8(member.header().identifier().to_vec()).unwrap();
        if name == "control.tar.gz" {
            let mut bytes = Vec::new();
            std::io::Read::read_to_end(&mut member, &mut bytes).unwrap();
            let folder = unpacked(&bytes);
            control = fs::read_to_string(folder.path().join("control")).unwrap();
            let conffiles = fs::read_to_string(folder.path().join("conffiles")).unwrap();
            assert_eq!(conffiles, "/etc/svc/svc.toml\n");
            for script in ["postinst", "prerm", "postrm"] {
                run(Command::new("sh").arg("-n").arg(folder.path().join(script)));
            }
        }
        names.push(name);
    }
    assert_eq!(names, ["debian-binary", "control.tar.gz", "data.tar.gz"]);
    for line in [
        "Package: svc",
        "Architecture: amd64",
        &format!("Version: {VERSION}"),
    ] {
        assert!(control.lines().any(|found| found == line), "{control}");
    }
    assert!(control.contains("Depends: libc6 (>= 2.34)"), "{control}");
    if !has("dpkg-deb") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("svc.deb");
    fs::write(&file, package).unwrap();
    let listed = run(Command::new("dpkg-deb").arg("--contents").arg(&file));
    for (mode, path) in [
        ("-rwxr-xr-x root/root", "usr/bin/svc"),
        ("-rw-r----- root/root", "etc/svc/svc.toml"),
        ("-rw-r--r-- root/root", "usr/lib/systemd/system/svc.service"),
        ("-rw-r--r-- root/root", "usr/lib/sysusers.d/svc.conf"),
        ("-rw-r--r-- root/root", "usr/share/man/man1/svc.1.gz"),
        ("-rw-r--r-- root/root", "usr/share/doc/svc/copyright"),
        ("drwxr-xr-x root/root", "usr/bin/"),
    ] {
        let mut lines = listed.lines();
        assert!(
            lines.any(|line| line.starts_with(mode) && line.ends_with(&format!(" {path}"))),
            "{path}: {listed}"
        );
    }
    run(Command::new("dpkg-deb").arg("--info").arg(&file));
    let version = run(Command::new("dpkg-deb")
        .args(["--field"])
        .arg(&file)
        .arg("Version"));
    assert_eq!(version.trim(), VERSION);
    let root = folder.path().join("root");
    run(Command::new("dpkg-deb")
        .arg("--extract")
        .arg(&file)
        .arg(&root));
    assert!(run(&mut Command::new(root.join("usr/bin/svc"))).contains("GLIBC"));
}

#[test]
fn the_unit_keeps_the_service_to_what_it_needs() {
    assert!(SERVICE.contains("Type=notify"));
    assert!(
        SERVICE.contains("StandardOutput=null"),
        "no credential may reach the journal"
    );
    if !has("systemd-analyze") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let unit = folder.path().join("svc.service");
    fs::write(&unit, SERVICE).unwrap();
    let mut analyze = Command::new("systemd-analyze");
    let output = analyze
        .args(["security", "--offline=true", "--no-pager"])
        .arg(&unit)
        .output()
        .unwrap();
    let report = succeeded(&output);
    let line = report
        .lines()
        .find(|line| line.contains("Overall exposure level"))
        .unwrap();
    let level = line.rsplit_once(": ").unwrap().1.split(' ').next().unwrap();
    assert!(level.parse::<f64>().unwrap() < 2.0, "{report}");
}

#[test]
fn manual_pages_are_well_formed_and_know_the_options() {
    let contents = contents();
    let page = |name: &str| {
        let mut pages = contents.manuals.iter();
        let page = pages.find(|page| page.name == name);
        page.unwrap_or_else(|| panic!("there is no page {name}"))
    };
    let text = String::from_utf8(page("svc-serve.1").bytes.clone()).unwrap();
    assert!(
        text.contains("backup\\-every") && text.starts_with(".ie"),
        "{text}"
    );
    let folder = tempfile::tempdir().unwrap();
    for page in &contents.manuals {
        let file = folder.path().join(&page.name);
        fs::write(&file, &page.bytes).unwrap();
        if has("mandoc") {
            run(Command::new("mandoc")
                .args(["-T", "lint", "-W", "error"])
                .arg(&file));
        }
    }
    if has("man") {
        let mut man = Command::new("man");
        man.args(["--warnings", "--local-file"])
            .env("MANPAGER", "cat")
            .env("MANWIDTH", "100");
        let output = man
            .arg(folder.path().join("svc-backup.1"))
            .output()
            .unwrap();
        let shown = succeeded(&output);
        assert!(shown.contains("with-key"), "{shown}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    }
}

#[test]
fn completions_load_and_know_the_commands() {
    let folder = tempfile::tempdir().unwrap();
    for file in &contents().completions {
        fs::write(folder.path().join(&file.name), &file.bytes).unwrap();
    }
    let at = |name: &str| -> PathBuf { folder.path().join(name) };
    let script = format!(
        "source {}; COMP_WORDS=(svc doc); COMP_CWORD=1; _svc svc doc svc; echo ${{COMPREPLY[@]}}",
        at("svc.bash").display()
    );
    if has("bash") {
        assert_eq!(
            run(Command::new("bash").args(["-c", &script])).trim(),
            "doctor"
        );
    }
    if has("zsh") {
        run(Command::new("zsh").arg("-n").arg(at("_svc")));
    }
    if has("fish") {
        run(Command::new("fish").arg("--no-execute").arg(at("svc.fish")));
    }
    for file in &contents().completions {
        let text = String::from_utf8_lossy(&file.bytes);
        assert!(
            text.contains("doctor") && text.contains("backup-every"),
            "{}",
            file.name
        );
    }
}

#[test]
fn the_configuration_file_has_every_option_and_what_it_says_is_accepted() {
    let settings = &contents().settings;
    let lines = settings.lines();
    assert!(
        lines
            .clone()
            .all(|line| line.is_empty() || line.starts_with('#')),
        "{settings}"
    );
    let command = svc_cli::command();
    let serve = command.find_subcommand("serve").unwrap();
    for option in serve
        .get_arguments()
        .filter(|option| option.get_env().is_some())
    {
        let key = format!("# {} = ", option.get_long().unwrap());
        assert!(settings.contains(&key), "{key}: {settings}");
    }
    assert!(settings.contains("# store = ") && settings.contains("# key-file = "));
    // Defaults can be set as they stand there; what is in capitals is to be replaced.
    let is_default = |line: &&str| {
        let value = line.split_once(" = ").map(|(_, value)| value);
        line.starts_with("# ")
            && value.is_some_and(|value| !value.contains(|c: char| c.is_ascii_uppercase()))
    };
    let set = lines
        .filter(is_default)
        .map(|line| format!("{}\n", line.trim_start_matches("# ")));
    let set: String = set.collect();
    assert!(
        set.contains("backup-every = \"24h\"") && set.contains("body-limit = 16777216"),
        "{set}"
    );
    let folder = tempfile::tempdir().unwrap();
    let mut file = fs::File::create(folder.path().join("svc.toml")).unwrap();
    file.write_all(set.as_bytes()).unwrap();
    let mut program = Command::new(svc_tests::program());
    let arguments = [
        "project", "add", "crm", "--dir", "store", "--config", "svc.toml",
    ];
    program
        .args(arguments)
        .current_dir(folder.path())
        .stdin(Stdio::null());
    run(&mut program);
}
