//! The files of the package besides the generated ones, and a check that it is complete.

use std::{collections::BTreeMap, fs};

use serde_json::Value;

use crate::{Options, Result};

/// The placeholder of the version in the template of package.json.
const VERSION: &str = "\"version\": \"0.0.0\"";
/// The files that npm always packs.
const PACKED_ALWAYS: &[&str] = &["README.md", "package.json"];

/// The files written by hand, the licences, and package.json with the version and, where it is known, the repository.
pub fn files(options: &Options) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(&options.js)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        files.insert(name, fs::read(entry.path())?);
    }
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        files.insert(name.to_owned(), fs::read(options.root.join(name))?);
    }
    let template = files
        .get("package.json")
        .ok_or("there is no package.json")?;
    let manifest = with_version(
        std::str::from_utf8(template)?,
        &options.version,
        &options.repository,
    )?;
    files.insert("package.json".to_owned(), manifest.into_bytes());
    Ok(files)
}

fn with_version(template: &str, version: &str, repository: &str) -> Result<String> {
    let mut known = format!("\"version\": \"{}\"", version);
    if !repository.is_empty() {
        let repository = Value::from(repository);
        known.push_str(&format!(",\n  \"repository\": {repository}"));
    }
    match template.matches(VERSION).count() {
        1 => Ok(template.replace(VERSION, &known)),
        _ => Err(format!("the template of package.json has to have one `{VERSION}`").into()),
    }
}

/// Removes comments on separate lines from a script: users read `index.d.ts` instead.
pub fn without_comments(script: &str) -> String {
    let mut plain = String::with_capacity(script.len());
    let mut is_comment = false;
    for line in script.lines() {
        let text = line.trim();
        is_comment |= text.starts_with("/**");
        if !is_comment && !text.starts_with("//") {
            plain.push_str(line);
            plain.push('\n');
        }
        is_comment &= !text.ends_with("*/");
    }
    plain
}

/// Removes what stands at the beginning of lines of a generated script, which nobody reads, and empty lines.
pub fn without_indentation(script: &str) -> Result<String> {
    let mut plain = String::with_capacity(script.len());
    for line in script.lines() {
        if line.matches('`').count() % 2 == 1 {
            return Err(
                "a text of the generated script has several lines, which are not to change".into(),
            );
        }
        let line = line.trim();
        if !line.is_empty() {
            plain.push_str(line);
            plain.push('\n');
        }
    }
    Ok(plain)
}

/// Compares package.json with the files of the package.
pub fn check(files: &BTreeMap<String, Vec<u8>>) -> Result<()> {
    let manifest = files
        .get("package.json")
        .ok_or("there is no package.json")?;
    let manifest: Value = serde_json::from_slice(manifest)?;
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    match findings(&manifest, &names) {
        findings if findings.is_empty() => Ok(()),
        findings => Err(findings.join("\n").into()),
    }
}

fn findings(manifest: &Value, names: &[&str]) -> Vec<String> {
    let mut findings = Vec::new();
    let packed: Vec<&str> = match manifest["files"].as_array() {
        Some(listed) => listed.iter().filter_map(Value::as_str).collect(),
        None => Vec::new(),
    };
    for name in names {
        if !packed.contains(name) && !PACKED_ALWAYS.contains(name) {
            findings.push(format!("package.json: `files` leaves {name} out"));
        }
    }
    let mut wanted = packed;
    targets(&manifest["exports"], &mut wanted);
    targets(&manifest["types"], &mut wanted);
    for target in wanted {
        let name = target.strip_prefix("./").unwrap_or(target);
        if !names.contains(&name) {
            findings.push(format!("package.json: names {target}, which is not there"));
        }
    }
    for field in ["dependencies", "peerDependencies", "scripts"] {
        if !manifest[field].is_null() {
            findings.push(format!(
                "package.json: has `{field}`, which the client does without"
            ));
        }
    }
    findings
}

/// Every path in `exports`, under whatever conditions.
fn targets<'a>(exports: &'a Value, found: &mut Vec<&'a str>) {
    match exports {
        Value::String(path) => found.push(path),
        Value::Object(conditions) => conditions.values().for_each(|value| targets(value, found)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn comments_are_removed_and_code_kept() {
        let script = "/**\n * What it is.\n */\nclass A {\n    /** One line. */\n    a() {} // stays\n    // goes\n}";
        assert_eq!(
            without_comments(script),
            "class A {\n    a() {} // stays\n}\n"
        );
    }

    #[test]
    fn a_generated_script_loses_its_indentation_but_no_text() {
        let script = "class A {\n    a() {\n\n        b(`x  y`);\n    }\n}";
        let plain = "class A {\na() {\nb(`x  y`);\n}\n}\n";
        assert_eq!(without_indentation(script).unwrap(), plain);
        assert!(without_indentation("a = `b\n  c`;").is_err());
    }

    #[test]
    fn version_and_repository_are_put_into_the_template_once() {
        let template = "{ \"version\": \"0.0.0\" }";
        assert_eq!(
            with_version(template, "1.2.3", "").unwrap(),
            "{ \"version\": \"1.2.3\" }"
        );
        let published = with_version(template, "1.2.3", "https://git.example.com/svc").unwrap();
        let manifest: Value = serde_json::from_str(&published).unwrap();
        assert_eq!(manifest["repository"], "https://git.example.com/svc");
        assert!(with_version("{}", "1.2.3", "").is_err());
    }

    #[test]
    fn a_complete_package_has_no_findings() {
        let manifest = json!({
            "exports": { ".": { "types": "./index.d.ts", "default": "./index.js" } },
            "files": ["LICENSE-MIT", "index.d.ts", "index.js"],
        });
        let names = ["LICENSE-MIT", "index.d.ts", "index.js", "package.json"];
        assert_eq!(findings(&manifest, &names), Vec::<String>::new());
    }

    #[test]
    fn what_is_left_out_or_missing_is_found() {
        let manifest = json!({
            "exports": { ".": { "node": "./node.js", "default": "./index.js" } },
            "files": ["index.js"],
            "dependencies": {},
        });
        let found = findings(&manifest, &["core.js", "index.js"]).join("\n");
        assert!(found.contains("leaves core.js out"), "{found}");
        assert!(found.contains("./node.js"), "{found}");
        assert!(found.contains("`dependencies`"), "{found}");
    }
}
