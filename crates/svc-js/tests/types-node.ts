// The types as a server's code sees them, which knows Node and no browser.

import { createServer, type IncomingMessage } from "node:http";
import { readFile } from "node:fs/promises";

import { createClientFromRequest, init, Svc } from "svc-js";

export const server = createServer(async (request: IncomingMessage, response) => {
  const svc: Svc = createClientFromRequest(request);
  createClientFromRequest(request.headers);
  const { results } = await svc.collection("shop", "orders").list();
  response.end(String(results.length));
});

export async function fetched(request: Request) {
  const svc = new Svc({ project: "demo", env: process.env });
  const answer = await svc.proxy({ url: "https://api.example.com", signal: request.signal });
  return [createClientFromRequest(request), answer.status, await answer.text()] as const;
}

export async function loaded() {
  await init(await readFile(new URL("svc_js_bg.wasm", import.meta.url)));
  await init(new URL("svc_js_bg.wasm", import.meta.url));
}
