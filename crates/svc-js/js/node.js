// The client in Node: WebAssembly is read from beside this file.

import { readFile } from "node:fs/promises";

import { Core, start } from "./core.js";

export { SvcRequestError, etagOf } from "./core.js";

const load = () => readFile(new URL("./svc_js_bg.wasm", import.meta.url));

export class Svc extends Core {
  constructor(options) {
    super(options, load);
  }
}

export const createClientFromRequest = (request) => Svc.forServiceRequest(request, (options) => new Svc(options));

export const init = async (source) => {
  await start(source === undefined ? load : () => source);
};
