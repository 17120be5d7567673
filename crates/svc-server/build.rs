//! Takes the script and the style sheet of Swagger UI out of its vendored archive, as they are compressed there.

use std::{
    env,
    error::Error,
    fs,
    io::{Cursor, Read as _},
    path::Path,
};

use utoipa_swagger_ui_vendored::SWAGGER_UI_VENDORED;
use zip::{CompressionMethod, ZipArchive};

/// The files, and the variables with their entity tags.
const FILES: [(&str, &str); 2] = [
    ("swagger-ui-bundle.js", "SWAGGER_UI_SCRIPT_TAG"),
    ("swagger-ui.css", "SWAGGER_UI_STYLE_TAG"),
];
/// The head of a gzip member without a name and a time (RFC 1952).
const HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = env::var("OUT_DIR")?;
    let mut archive = ZipArchive::new(Cursor::new(SWAGGER_UI_VENDORED))?;
    for (name, variable) in FILES {
        let path = archive
            .file_names()
            .find(|path| path.ends_with(&format!("/dist/{name}")))
            .ok_or_else(|| format!("the archive of Swagger UI has no {name}"))?
            .to_owned();
        let index = archive.index_for_name(&path).ok_or("it has the name")?;
        let mut file = archive.by_index_raw(index)?;
        if file.compression() != CompressionMethod::DEFLATE {
            return Err(format!("{name} is not compressed with deflate").into());
        }
        let mut gzip = HEAD.to_vec();
        file.read_to_end(&mut gzip)?;
        gzip.extend(file.crc32().to_le_bytes());
        gzip.extend(u32::try_from(file.size())?.to_le_bytes());
        fs::write(Path::new(&folder).join(format!("{name}.gz")), gzip)?;
        println!("cargo::rustc-env={variable}=\"{:08x}\"", file.crc32());
    }
    Ok(())
}
