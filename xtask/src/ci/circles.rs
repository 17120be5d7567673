//! Checks that no files of a crate import each other in a circle, except for a parent and its children: to understand
//! one of them, a reader would have to read all.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use syn::visit::{self, Visit};
use syn::{Attribute, File, ItemMod, ItemUse, UseTree, Visibility};

use crate::shell::{Failure, Repository};

/// The path of a module or an item from the root of the crate.
type Names = Vec<String>;

pub fn check(repository: &Repository) -> Result<(), Failure> {
    let mut crates: BTreeMap<String, BTreeMap<Names, File>> = BTreeMap::new();
    for (path, text) in repository.texts()? {
        if let Some((name, module)) = place(&path) {
            let file = syn::parse_file(&text)
                .map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
            crates.entry(name).or_default().insert(module, file);
        }
    }
    let mut findings = Vec::new();
    for (name, files) in &crates {
        for circle in circles(files) {
            let names: Vec<_> = circle.iter().map(|module| module.join("/")).collect();
            findings.push(format!("{name}: import each other: {}", names.join(", ")));
        }
    }
    Failure::unless_empty(&findings)
}

/// The crate and the module of a file such as `crates/svc-model/src/wire/body.rs`.
fn place(path: &Path) -> Option<(String, Names)> {
    let inside = path.strip_prefix("crates").ok()?.with_extension("");
    let mut parts = inside
        .iter()
        .map(|part| part.to_string_lossy().into_owned());
    let name = parts.next()?;
    let is_source = parts.next()? == "src" && path.extension()? == "rs";
    let mut module: Names = parts.collect();
    if module == ["lib"] || module == ["main"] {
        module.clear();
    }
    is_source.then_some((name, module))
}

/// The paths in the crate that a file uses.
#[derive(Default)]
struct Imports {
    module: Names,
    paths: Vec<Names>,
    /// The items that it re-exports.
    given: BTreeMap<String, Names>,
}

impl Imports {
    fn of(module: &Names, file: &File) -> Self {
        let mut imports = Self {
            module: module.clone(),
            ..Self::default()
        };
        imports.visit_file(file);
        imports
    }

    /// Resolves a written path from the root of the crate; `None` if it leads to another crate.
    fn resolve(&self, written: &[String]) -> Option<Names> {
        let mut base = self.module.clone();
        let mut rest = written;
        match written.first()?.as_str() {
            "crate" => {
                base.clear();
                rest = &written[1..];
            }
            "self" => rest = &written[1..],
            "super" => {
                while rest.first().is_some_and(|name| name == "super") {
                    base.pop();
                    rest = &rest[1..];
                }
            }
            _ => return None,
        }
        base.extend_from_slice(rest);
        Some(base)
    }

    fn tree(&mut self, tree: &UseTree, before: &mut Names, is_given: bool) {
        let (name, alias) = match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.tree(&path.tree, before, is_given);
                before.pop();
                return;
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.tree(tree, before, is_given);
                }
                return;
            }
            UseTree::Name(name) => (Some(&name.ident), &name.ident),
            UseTree::Rename(rename) => (Some(&rename.ident), &rename.rename),
            UseTree::Glob(_) => {
                self.paths.extend(self.resolve(before));
                return;
            }
        };
        let mut written = before.clone();
        written.extend(name.filter(|name| *name != "self").map(ToString::to_string));
        if let Some(path) = self.resolve(&written) {
            if is_given {
                self.given.insert(alias.to_string(), path.clone());
            }
            self.paths.push(path);
        }
    }
}

impl<'f> Visit<'f> for Imports {
    fn visit_item_mod(&mut self, item: &'f ItemMod) {
        if !item.attrs.iter().any(is_for_tests) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'f ItemUse) {
        let is_given = !matches!(item.vis, Visibility::Inherited);
        self.tree(&item.tree, &mut Names::new(), is_given);
    }

    fn visit_path(&mut self, path: &'f syn::Path) {
        let names: Names = path
            .segments
            .iter()
            .map(|it| it.ident.to_string())
            .collect();
        self.paths.extend(self.resolve(&names));
        visit::visit_path(self, path);
    }
}

fn is_for_tests(attribute: &Attribute) -> bool {
    let inside = attribute.parse_args::<syn::Ident>();
    attribute.path().is_ident("cfg") && inside.is_ok_and(|inside| inside == "test")
}

/// The file that defines the item of a path, through any number of re-exports.
fn owner(path: &[String], files: &BTreeMap<Names, Imports>, hops: usize) -> Option<Names> {
    (0..=path.len()).rev().find_map(|length| {
        let (module, rest) = path.split_at(length);
        let imports = files.get(module)?;
        let given = rest.first().and_then(|name| imports.given.get(name));
        match given.filter(|given| hops > 0 && given.as_slice() != path) {
            Some(given) => owner(&[given, &rest[1..]].concat(), files, hops - 1),
            None => Some(module.to_vec()),
        }
    })
}

/// The groups of files that import each other.
fn circles(files: &BTreeMap<Names, File>) -> Vec<Vec<Names>> {
    let imports: BTreeMap<Names, Imports> = files
        .iter()
        .map(|(module, file)| (module.clone(), Imports::of(module, file)))
        .collect();
    let is_kin = |a: &Names, b: &Names| a.starts_with(b) || b.starts_with(a);
    let uses: BTreeMap<&Names, BTreeSet<Names>> = imports
        .iter()
        .map(|(module, its)| {
            let used = its.paths.iter().filter_map(|path| owner(path, &imports, 8));
            (module, used.filter(|used| !is_kin(module, used)).collect())
        })
        .collect();
    let reached = |from: &Names| {
        let mut seen = BTreeSet::new();
        let mut next: Vec<&Names> = vec![from];
        while let Some(module) = next.pop() {
            next.extend(
                uses[module]
                    .iter()
                    .filter(|used| seen.insert((*used).clone())),
            );
        }
        seen
    };
    let reaches: BTreeMap<&Names, BTreeSet<Names>> = imports
        .keys()
        .map(|module| (module, reached(module)))
        .collect();
    let mut found: Vec<Vec<Names>> = Vec::new();
    for (module, its) in &reaches {
        let is_new = !found.iter().flatten().any(|known| known == *module);
        if is_new && its.contains(*module) {
            let together = its.iter().filter(|other| reaches[other].contains(*module));
            found.push(together.cloned().collect());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(sources: &[(&str, &str)]) -> Vec<String> {
        let files = sources.iter().map(|(module, text)| {
            let module = module.split('/').filter(|name| !name.is_empty());
            let module = module.map(str::to_owned).collect();
            (module, syn::parse_file(text).unwrap())
        });
        let circles = circles(&files.collect());
        let named = circles.iter().map(|circle| {
            let names: Vec<_> = circle.iter().map(|module| module.join("/")).collect();
            names.join(" ")
        });
        named.collect()
    }

    #[test]
    fn files_that_import_each_other_are_found_also_through_re_exports() {
        let top = ("", "mod a; mod b; mod c; pub use self::c::C;");
        let (a, b) = (("a", "use crate::b::B;"), ("b", "use crate::C;"));
        assert!(found(&[top, a, b, ("c", "struct C;")]).is_empty());
        assert_eq!(found(&[top, a, b, ("c", "use super::a::A;")]), ["a b c"]);
        let inline = ("c", "fn c() { crate::a::a() }");
        assert_eq!(found(&[top, a, b, inline]), ["a b c"]);
    }

    #[test]
    fn parents_children_and_tests_may_import_each_other() {
        let parent = ("a", "mod b; use self::b::B;");
        assert!(found(&[("", "mod a;"), parent, ("a/b", "use super::A;")]).is_empty());
        let tested = ("c", "#[cfg(test)] mod tests { use crate::a::A; }");
        assert!(found(&[("", ""), ("a", "use crate::c::C;"), tested]).is_empty());
    }
}
