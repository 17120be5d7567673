//! Archives in which equal content has equal bytes.

use std::io;

use flate2::{Compression, write::GzEncoder};

use crate::contents::{CONTAINERFILE, Contents, SERVICE, SOCKET, SYSUSERS, VERSION};

/// The time of every file: that of the build would be different each time. Some programs do not like a 0.
const TIME: u64 = 1_700_000_000;

/// A compressed tar archive that is written.
pub(crate) struct Archive(tar::Builder<GzEncoder<Vec<u8>>>);

impl Archive {
    pub(crate) fn new(compression: Compression) -> Self {
        Self(tar::Builder::new(GzEncoder::new(Vec::new(), compression)))
    }

    /// Adds a file, of the user root.
    pub(crate) fn file(&mut self, path: &str, mode: u32, bytes: &[u8]) -> io::Result<()> {
        let mut header = header(mode)?;
        header.set_size(bytes.len() as u64);
        self.0.append_data(&mut header, path, bytes)
    }

    /// Adds a folder, of the user root.
    pub(crate) fn folder(&mut self, path: &str) -> io::Result<()> {
        let mut header = header(0o755)?;
        header.set_entry_type(tar::EntryType::Directory);
        header.set_size(0);
        self.0.append_data(&mut header, path, io::empty())
    }

    /// The bytes of the archive.
    pub(crate) fn finish(self) -> io::Result<Vec<u8>> {
        self.0.into_inner()?.finish()
    }
}

fn header(mode: u32) -> io::Result<tar::Header> {
    let mut header = tar::Header::new_gnu();
    header.set_mode(mode);
    header.set_uid(0);
    header.set_gid(0);
    header.set_username("root")?;
    header.set_groupname("root")?;
    header.set_mtime(TIME);
    Ok(header)
}

/// The name of the archive for every Linux.
pub(crate) fn name(host: &str) -> String {
    format!("{}.tar.gz", folder(host))
}

fn folder(host: &str) -> String {
    format!("svc-{VERSION}-{host}")
}

/// The archive for every Linux: everything in one folder.
pub(crate) fn pack(
    contents: &Contents,
    host: &str,
    compression: Compression,
) -> io::Result<Vec<u8>> {
    let mut archive = Archive::new(compression);
    let folder = folder(host);
    let inside = |path: &str| format!("{folder}/{path}");
    let program = if host.contains("windows") {
        "svc.exe"
    } else {
        "svc"
    };
    archive.file(&inside(program), 0o755, &contents.program)?;
    for paper in &contents.papers {
        archive.file(&inside(&paper.name), 0o644, &paper.bytes)?;
    }
    for file in &contents.completions {
        archive.file(
            &inside(&format!("completions/{}", file.name)),
            0o644,
            &file.bytes,
        )?;
    }
    for page in &contents.manuals {
        archive.file(
            &inside(&format!("man/man1/{}", page.name)),
            0o644,
            &page.bytes,
        )?;
    }
    archive.file(&inside("svc.toml"), 0o644, contents.settings.as_bytes())?;
    if host.contains("linux") {
        archive.file(&inside("systemd/svc.service"), 0o644, SERVICE.as_bytes())?;
        archive.file(&inside("systemd/svc.socket"), 0o644, SOCKET.as_bytes())?;
        archive.file(&inside("systemd/svc.sysusers"), 0o644, SYSUSERS.as_bytes())?;
        archive.file(&inside("Containerfile"), 0o644, CONTAINERFILE.as_bytes())?;
    }
    archive.finish()
}

/// Compresses one file, such as a manual page.
pub(crate) fn compressed(bytes: &[u8], compression: Compression) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), compression);
    io::Write::write_all(&mut encoder, bytes)?;
    encoder.finish()
}
