//! Removes functions from the module that are useless in a browser, before wasm-opt removes the functions that only
//! they called. On stable Rust the compiler has no option to leave them out.

use walrus::{FunctionBuilder, FunctionId, FunctionKind, Module, ValType};

use crate::Result;

/// The replacement of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Instead {
    /// A trap, which is the effect of a panic on this target anyway. Its message would not be shown.
    Trap,
    /// Success without writing the text.
    WriteNothing,
}

/// Replaces the functions, and returns their number.
pub fn trim(module: &mut Module) -> Result<usize> {
    let functions: Vec<(FunctionId, Instead)> = module
        .funcs
        .iter_local()
        .filter_map(|(id, _)| {
            let name = module.funcs.get(id).name.as_deref()?;
            Some((id, instead(name)?))
        })
        .collect();
    let mut replaced = 0;
    for (id, instead) in functions {
        replaced += usize::from(replace(module, id, instead));
    }
    match replaced {
        // The names are those of the compiler, which may change.
        0 => Err("no function of the module is known; see xtask/js/src/trim.rs".into()),
        replaced => Ok(replaced),
    }
}

fn instead(name: &str) -> Option<Instead> {
    let name = without_hashes(name);
    let panics = [
        "core::panicking::",
        "std::panicking::",
        "<std::panicking::",
        "std::thread::local::panic_access_error",
        "core::option::unwrap_failed",
        "core::option::expect_failed",
        "core::result::unwrap_failed",
        "core::cell::panic_already_",
        "core::slice::index::slice_",
        "core::str::slice_error_fail",
        "alloc::raw_vec::handle_error",
        "alloc::raw_vec::capacity_overflow",
        "alloc::alloc::handle_alloc_error",
    ];
    if panics.iter().any(|panic| name.starts_with(panic)) {
        return Some(Instead::Trap);
    }
    // `Debug` is for developers of the crates; no message of the client uses it. Floating point numbers and descriptions
    // of unexpected JSON values are only in messages about JSON that does not come from the service.
    let writes = name.ends_with(" as core::fmt::Debug>::fmt")
        || name.contains("impl core::fmt::Debug for")
        || name == "<core::fmt::builders::PadAdapter as core::fmt::Write>::write_str"
        || name == "<f64 as core::fmt::Display>::fmt"
        || name == "<serde_json::error::JsonUnexpected as core::fmt::Display>::fmt";
    writes.then_some(Instead::WriteNothing)
}

/// The name without the hashes that the compiler adds: `core[c593]::fmt`, `core::fmt::h1f2e`.
fn without_hashes(name: &str) -> String {
    let mut plain = String::new();
    let mut is_hash = false;
    for character in name.chars() {
        match character {
            '[' => is_hash = true,
            ']' => is_hash = false,
            character if !is_hash => plain.push(character),
            _ => {}
        }
    }
    if let Some((path, hash)) = plain.rsplit_once("::h")
        && hash.len() == 16
        && hash.bytes().all(|digit| digit.is_ascii_hexdigit())
    {
        plain.truncate(path.len());
    }
    plain
}

/// Replaces the body of the function, unless its result type does not match the replacement.
fn replace(module: &mut Module, id: FunctionId, instead: Instead) -> bool {
    let signature = module.types.get(module.funcs.get(id).ty());
    let (parameters, results) = (signature.params().to_vec(), signature.results().to_vec());
    let mut builder = FunctionBuilder::new(&mut module.types, &parameters, &results);
    match instead {
        Instead::Trap => {
            builder.func_body().unreachable();
        }
        // `Ok(())` of `fmt::Result`.
        Instead::WriteNothing if results == [ValType::I32] => {
            builder.func_body().i32_const(0);
        }
        Instead::WriteNothing => return false,
    }
    let arguments = parameters.iter().map(|of| module.locals.add(*of)).collect();
    module.funcs.get_mut(id).kind = FunctionKind::Local(builder.local_func(arguments));
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_recognised_in_both_spellings() {
        let known = [
            (
                "core[c5930c85a12de822]::panicking::panic_fmt",
                Some(Instead::Trap),
            ),
            (
                "std::panicking::rust_panic_with_hook::h1fc3b7646565d123",
                Some(Instead::Trap),
            ),
            (
                "<http::header::map::HeaderMap<T> as core::fmt::Debug>::fmt::hba60dde419720130",
                Some(Instead::WriteNothing),
            ),
            (
                "<f64 as core[c5930c85a12de822]::fmt::Display>::fmt",
                Some(Instead::WriteNothing),
            ),
            ("<u32 as core[c5930c85a12de822]::fmt::Display>::fmt", None),
            ("svc_js::error::Failed::into_js::h5cd413ff03b0f52e", None),
        ];
        for (name, expected) in known {
            assert_eq!(instead(name), expected, "{name}");
        }
    }

    #[test]
    fn a_function_keeps_its_type_and_loses_its_body() {
        let mut module = Module::default();
        let mut builder = FunctionBuilder::new(
            &mut module.types,
            &[ValType::I32, ValType::I32],
            &[ValType::I32],
        );
        builder.name("<u8 as core::fmt::Debug>::fmt".to_owned());
        builder.func_body().i32_const(1).i32_const(2).drop();
        let arguments = vec![
            module.locals.add(ValType::I32),
            module.locals.add(ValType::I32),
        ];
        let id = builder.finish(arguments, &mut module.funcs);
        module.exports.add("f", id);
        assert_eq!(trim(&mut module).unwrap(), 1);
        let emitted = module.emit_wasm();
        let again = Module::from_buffer(&emitted).unwrap();
        let (_, function) = again.funcs.iter_local().next().unwrap();
        assert_eq!(function.size(), 1);
    }

    #[test]
    fn a_module_without_any_known_name_is_an_error() {
        assert!(trim(&mut Module::default()).is_err());
    }
}
