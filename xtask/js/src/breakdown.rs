//! The sizes of the module's functions, by crate.

use std::{cmp::Reverse, collections::BTreeMap, fmt};

use wasmparser::{KnownCustom, Name, Parser, Payload, TypeRef};

use crate::Result;

/// The name for everything that wasm-bindgen adds.
const GLUE: &str = "wasm-bindgen";
/// The name for everything that is part of Rust itself.
const STANDARD: &str = "the standard library";
const STANDARD_LIBRARY: &[&str] = &[
    "__rustc",
    "alloc",
    "compiler_builtins",
    "core",
    "dlmalloc",
    "hashbrown",
    "std",
];
/// Rows that are smaller than this part of the module are combined.
const SMALLEST_PART: f64 = 0.005;

/// The number of functions that are listed.
const LARGEST: usize = 25;

/// A table of crates, and one of the largest functions.
#[derive(Debug)]
pub struct Breakdown {
    total: usize,
    rows: Vec<(String, usize)>,
    functions: Vec<(String, usize)>,
}

impl Breakdown {
    /// Reads a module that still has the names of its functions.
    pub fn new(module: &[u8]) -> Result<Self> {
        let mut sizes: BTreeMap<String, usize> = BTreeMap::new();
        let mut functions = Vec::new();
        let names = function_names(module)?;
        let mut index = 0;
        for payload in Parser::new(0).parse_all(module) {
            match payload? {
                Payload::ImportSection(imports) => {
                    for import in imports.into_imports() {
                        if matches!(import?.ty, TypeRef::Func(_) | TypeRef::FuncExact(_)) {
                            index += 1;
                        }
                    }
                }
                Payload::CodeSectionEntry(body) => {
                    let name = names.get(&index).map_or("", String::as_str);
                    let size = body.range().len();
                    *sizes.entry(origin(name)).or_default() += size;
                    functions.push((without_hashes(name), size));
                    index += 1;
                }
                Payload::DataSection(data) => {
                    sizes.insert("data: texts, tables".to_owned(), data.range().len());
                }
                _ => {}
            }
        }
        let total = without_custom_sections(module)?.len();
        let known: usize = sizes.values().sum();
        sizes.insert(
            "types, imports, exports".to_owned(),
            total.saturating_sub(known),
        );
        functions.sort_by_key(|(_, size)| Reverse(*size));
        functions.truncate(LARGEST);
        Ok(Self {
            total,
            rows: rows(sizes, total),
            functions,
        })
    }
}

impl fmt::Display for Breakdown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| {:24} | {:>8} | {:>7} |", "crate", "bytes", "part")?;
        writeln!(f, "|:{:-<24}-|-{:->8}:|-{:->7}:|", "", "", "")?;
        let total = ("all".to_owned(), self.total);
        for (name, size) in self.rows.iter().chain([&total]) {
            let percent = part(*size, self.total) * 100.0;
            writeln!(f, "| {name:24} | {size:>8} | {percent:>5.1} % |")?;
        }
        writeln!(f, "\nThe largest functions:\n")?;
        for (name, size) in &self.functions {
            writeln!(f, "{size:>8}  {name}")?;
        }
        Ok(())
    }
}

/// The rows, the largest first, with the small ones combined at the end.
fn rows(sizes: BTreeMap<String, usize>, total: usize) -> Vec<(String, usize)> {
    let (mut rows, small): (Vec<_>, Vec<_>) = sizes
        .into_iter()
        .partition(|(_, size)| part(*size, total) >= SMALLEST_PART);
    rows.sort_by_key(|(_, size)| Reverse(*size));
    if !small.is_empty() {
        let size = small.iter().map(|(_, size)| size).sum();
        rows.push((format!("{} more", small.len()), size));
    }
    rows
}

fn part(size: usize, total: usize) -> f64 {
    size as f64 / total.max(1) as f64
}

fn function_names(module: &[u8]) -> Result<BTreeMap<u32, String>> {
    let mut names = BTreeMap::new();
    for payload in Parser::new(0).parse_all(module) {
        let Payload::CustomSection(section) = payload? else {
            continue;
        };
        let KnownCustom::Name(sections) = section.as_known() else {
            continue;
        };
        for section in sections {
            if let Name::Function(functions) = section? {
                for naming in functions {
                    let naming = naming?;
                    names.insert(naming.index, naming.name.to_owned());
                }
            }
        }
    }
    Ok(names)
}

/// `svc_js::run` of `svc_js::run::h0123456789abcdef` or `svc_js[0123456789abcdef]::run`.
fn without_hashes(function: &str) -> String {
    let function = match function.rsplit_once("::h") {
        Some((name, hash)) if is_hash(hash) => name,
        _ => function,
    };
    let mut parts = function.split('[');
    let mut name = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(']') {
            Some((hash, rest)) if is_hash(hash) => name.push_str(rest),
            _ => {
                name.push('[');
                name.push_str(part);
            }
        }
    }
    name
}

fn is_hash(text: &str) -> bool {
    text.len() >= 12 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The crate that a function comes from: the first crate in its name. For a method this is the crate of
/// the type, and for a trait's method of a type without a crate it is the crate of the trait.
fn origin(function: &str) -> String {
    let Some(name) = first_crate(function) else {
        let is_glue = ["wbg", "wbindgen", "externref"]
            .iter()
            .any(|part| function.contains(part));
        return match function {
            _ if is_glue => GLUE.to_owned(),
            "memcpy" | "memmove" | "memset" | "memcmp" => STANDARD.to_owned(),
            // What the crate exports has the names that JavaScript calls.
            _ => "svc-js".to_owned(),
        };
    };
    match name {
        name if STANDARD_LIBRARY.contains(&name) => STANDARD.to_owned(),
        "js_sys" | "web_sys" | "wasm_bindgen" | "wasm_bindgen_futures" => GLUE.to_owned(),
        name => name.replace('_', "-"),
    }
}

/// The first name before `::` that could be a crate's.
fn first_crate(function: &str) -> Option<&str> {
    function.match_indices("::").find_map(|(end, _)| {
        // A disambiguator: `svc_model[4f1c]::`.
        let before = match function[..end].strip_suffix(']') {
            Some(before) => &before[..before.rfind('[')?],
            None => &function[..end],
        };
        let start = before
            .rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .map_or(0, |at| at + 1);
        let name = &before[start..];
        let is_path = before[..start].ends_with("::");
        let begins = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
        (begins && !is_path).then_some(name)
    })
}

/// The module without names and everything else that an engine does not need.
pub fn without_custom_sections(module: &[u8]) -> Result<Vec<u8>> {
    let mut kept = module.get(..8).ok_or("this is no module")?.to_vec();
    for payload in Parser::new(0).parse_all(module) {
        let payload = payload?;
        if matches!(payload, Payload::CustomSection(_)) {
            continue;
        }
        if let Some((id, range)) = payload.as_section() {
            kept.push(id);
            append_leb128(&mut kept, range.len());
            kept.extend(&module[range]);
        }
    }
    Ok(kept)
}

fn append_leb128(bytes: &mut Vec<u8>, mut number: usize) {
    loop {
        let low = u8::try_from(number & 0x7f).unwrap_or_default();
        number >>= 7;
        if number == 0 {
            return bytes.push(low);
        }
        bytes.push(low | 0x80);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An empty module with a type section and two custom ones.
    const MODULE: &[u8] = b"\0asm\x01\0\0\0\x00\x02\x01a\x01\x04\x01\x60\0\0\x00\x02\x01b";

    #[test]
    fn a_method_counts_for_the_crate_of_its_type() {
        assert_eq!(origin("svc_model::filter::Filter::new"), "svc-model");
        assert_eq!(
            origin("<svc_api::list::List as core::future::Future>::poll::h0123"),
            "svc-api"
        );
        assert_eq!(
            origin("<&mut serde_json::ser::Serializer<W> as serde::Serializer>::serialize_str"),
            "serde-json"
        );
        assert_eq!(origin("svc_js[4f1c]::Client::list"), "svc-js");
    }

    #[test]
    fn a_type_without_a_crate_counts_for_the_trait() {
        assert_eq!(origin("<&T as http::Into>::into"), "http");
        assert_eq!(
            origin("<T as core::convert::Into<svc_api::U>>::into"),
            STANDARD
        );
    }

    #[test]
    fn what_wasm_bindgen_adds_is_one_row() {
        assert_eq!(origin("__wbindgen_malloc"), GLUE);
        assert_eq!(origin("js_sys::Array::new"), GLUE);
        assert_eq!(origin("__wbg_client_free"), GLUE);
    }

    #[test]
    fn plain_names_are_exports_of_the_client_or_of_the_compiler() {
        assert_eq!(origin("client_new"), "svc-js");
        assert_eq!(origin("memcpy"), STANDARD);
        assert_eq!(origin("__rustc::__rust_alloc"), STANDARD);
    }

    #[test]
    fn a_function_is_named_without_hashes() {
        assert_eq!(
            without_hashes("svc_js::run::h0123456789abcdef"),
            "svc_js::run"
        );
        assert_eq!(
            without_hashes("<core[c5930c85a12de822]::fmt::Formatter>::pad"),
            "<core::fmt::Formatter>::pad"
        );
        assert_eq!(
            without_hashes("svc_js::<[u8]>::hash"),
            "svc_js::<[u8]>::hash"
        );
    }

    #[test]
    fn small_rows_are_combined() {
        let sizes = [("a", 3), ("b", 4), ("c", 993), ("d", 5_000)];
        let sizes = sizes.map(|(name, size)| (name.to_owned(), size));
        assert_eq!(
            rows(BTreeMap::from(sizes), 6_000),
            [
                ("d".to_owned(), 5_000),
                ("c".to_owned(), 993),
                ("2 more".to_owned(), 7)
            ]
        );
    }

    #[test]
    fn custom_sections_are_removed_and_others_kept() {
        let kept = without_custom_sections(MODULE).unwrap();
        assert_eq!(kept, b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0");
        assert!(without_custom_sections(b"\0asm").is_err());
    }

    #[test]
    fn lengths_are_written_seven_bits_at_a_time() {
        let mut bytes = Vec::new();
        append_leb128(&mut bytes, 624_485);
        append_leb128(&mut bytes, 5);
        assert_eq!(bytes, [0xe5, 0x8e, 0x26, 0x05]);
    }
}
