//! wasm-bindgen: the compiled crate becomes a smaller module and the JavaScript that calls it.

use wasm_bindgen_cli_support::Bindgen;

use crate::{Result, trim};

/// The name of the generated JavaScript in the package.
pub const GLUE: &str = "svc_js.js";
/// The name of the WebAssembly module in the package.
pub const WASM: &str = "svc_js_bg.wasm";

/// The output of wasm-bindgen.
pub struct Bound {
    pub glue: String,
    /// The module, which still has the names of its functions.
    pub wasm: Vec<u8>,
}

pub fn bind(compiled: Vec<u8>) -> Result<Bound> {
    let mut output = Bindgen::new()
        .input_bytes("svc_js", compiled)
        .web(true)?
        .typescript(false)
        // The entry points, one for browsers and one for Node, know the location of the module.
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
    // The information of the linker is about the compiled module and not about this one.
    let of_linker = module
        .customs
        .iter()
        .filter(|(_, section)| section.name() == "linking" || section.name().starts_with("reloc."));
    let of_linker: Vec<_> = of_linker.map(|(id, _)| id).collect();
    for id in of_linker {
        module.customs.delete(id);
    }
    trim::trim(module)?;
    let wasm = module.emit_wasm();
    Ok(Bound {
        glue: output.js().to_owned(),
        wasm,
    })
}
