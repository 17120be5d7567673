// The client in Node: the WebAssembly file beside this file is read.

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
