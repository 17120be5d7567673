//! wasm-bindgen: the compiled crate becomes a smaller module and the JavaScript that calls it.

use std::path::Path;

use wasm_bindgen_cli_support::Bindgen;

use crate::{Result, trim};

/// The name of the generated JavaScript in the package.
pub const GLUE: &str = "svc_js.js";
/// The name of the WebAssembly module in the package.
pub const WASM: &str = "svc_js_bg.wasm";

/// What wasm-bindgen makes.
pub struct Bound {
    pub glue: String,
    /// Still with the names of its functions.
    pub wasm: Vec<u8>,
}

pub fn bind(compiled: &Path) -> Result<Bound> {
    let mut output = Bindgen::new()
        .input_path(compiled)
        .out_name("svc_js")
        .web(true)?
        .typescript(false)
        // Where the module lies is the business of the entry points, one for browsers and one for Node.
        .omit_default_module_path(true)
        .remove_producers_section(true)
        .generate_output()?;
    let inline = output
        .snippets()
        .values()
        .any(|scripts| !scripts.is_empty());
    if inline || !output.local_modules().is_empty() {
        return Err("the crate brings JavaScript of its own; its place is crates/svc-js/js".into());
    }
    if !output.npm_dependencies().is_empty() {
        return Err("the crate asks for npm packages; the client has no dependencies".into());
    }
    let module = output.wasm_mut();
    trim::trim(module)?;
    let wasm = module.emit_wasm();
    Ok(Bound {
        glue: without_comments(output.js()),
        wasm,
    })
}

/// The script without its JSDoc comments, which say what `index.d.ts` says better.
fn without_comments(script: &str) -> String {
    let mut plain = String::with_capacity(script.len());
    let mut is_comment = false;
    for line in script.lines() {
        is_comment |= line.trim_start().starts_with("/**");
        if !is_comment {
            plain.push_str(line);
            plain.push('\n');
        }
        is_comment &= !line.trim_end().ends_with("*/");
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_go_and_code_stays() {
        let script =
            "/**\n * What it is.\n */\nclass A {\n    /** One line. */\n    a() {} // stays\n}";
        assert_eq!(
            without_comments(script),
            "class A {\n    a() {} // stays\n}\n"
        );
    }
}
