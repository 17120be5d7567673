// The client in a browser: the WebAssembly file is beside this file.

import { Core, start } from "./core.js";

export { SvcRequestError, etagOf } from "./core.js";

const load = () => fetch(new URL("./svc_js_bg.wasm", import.meta.url));

export class Svc extends Core {
  constructor(options) {
    super(options, load);
  }
}

export const createClientFromRequest = (request) => Svc.forServiceRequest(request, (options) => new Svc(options));

export const init = async (source) => {
  await start(source === undefined ? load : () => source);
};
