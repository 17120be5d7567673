// The package: what it holds, what `import` does and does not, and how WebAssembly comes into a program.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import * as everything from "svc-js";

import { node } from "./support/child.mjs";
import { startService } from "./support/service.mjs";

const execute = promisify(execFile);
const root = fileURLToPath(process.env.SVC_JS);

let service;

before(async () => {
  service = await startService();
});

after(() => service.stop());

/** What a child needs for a client of the service. */
const env = () => ({ OPTIONS: JSON.stringify({ ...service.options, apiToken: service.shopToken }) });

test("the package exports what its types say, and nothing else", async () => {
  const types = await readFile(join(root, "index.d.ts"), "utf8");
  const declared = [...types.matchAll(/^export (?:declare )?(?:class|function|const) (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual(Object.keys(everything).sort(), declared.sort());
  assert.deepEqual(declared.sort(), ["Svc", "SvcRequestError", "createClientFromRequest", "etagOf", "init"]);
});

test("browsers and Node get the same exports", async () => {
  const browser = await import(`${process.env.SVC_JS}/index.js`);
  assert.deepEqual(Object.keys(browser).sort(), Object.keys(everything).sort());
  assert.equal(browser.SvcRequestError, everything.SvcRequestError);
});

test("every path of the exports leads to a file of the package, and nothing else can be imported", async () => {
  const { exports, types, files } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const leaves = (value) => (typeof value === "string" ? [value] : Object.values(value).flatMap(leaves));
  for (const path of [...leaves(exports), types, ...files]) await readFile(join(root, path));
  assert.match(await import.meta.resolve("svc-js"), /\/node\.js$/);
  assert.match(await import.meta.resolve("svc-js/svc_js_bg.wasm"), /\/svc_js_bg\.wasm$/);
  await assert.rejects(import("svc-js/core.js"), { code: "ERR_PACKAGE_PATH_NOT_EXPORTED" });
});

test("what npm would publish is the files of the package, without maps of sources", async () => {
  const npm = ["pack", "--dry-run", "--json", "--ignore-scripts", "--offline"];
  const { stdout } = await execute(join(dirname(process.execPath), "npm"), npm, { cwd: root });
  const [{ name, files }] = JSON.parse(stdout);
  assert.equal(name, "svc-js");
  const expected = [
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "core.js",
    "error.js",
    "index.d.ts",
    "index.js",
    "json.js",
    "list.js",
    "node.js",
    "package.json",
    "svc_js.js",
    "svc_js_bg.wasm",
  ];
  assert.deepEqual(files.map(({ path }) => path).filter((path) => path !== "README.md").sort(), expected);
});

test("no file names a map of its sources, or a path of the machine that made it", async () => {
  for (const name of await readdir(root)) {
    const bytes = (await readFile(join(root, name))).toString("latin1");
    assert.equal(bytes.match(/sourceMappingURL/)?.[0], undefined, name);
    assert.equal(bytes.match(/\/(?:home|root|Users)\/[\w./-]*/)?.[0], undefined, name);
  }
});

test("the package has no dependencies and no side effects, and asks for the Node that it needs", async () => {
  const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  for (const kind of ["dependencies", "peerDependencies", "optionalDependencies", "bundledDependencies", "scripts", "bin"]) {
    assert.equal(manifest[kind], undefined, kind);
  }
  assert.equal(manifest.sideEffects, false);
  assert.equal(manifest.type, "module");
  assert.equal(manifest.engines.node, ">=20");
});

/** What every module of a child begins with: nothing may be sent, read or compiled. */
const NOTHING = `
  import fs from "node:fs";
  import { syncBuiltinESMExports } from "node:module";
  const did = [];
  const not = (name) => () => { did.push(name); throw new Error(name); };
  globalThis.fetch = not("fetch");
  globalThis.setTimeout = not("setTimeout");
  const { readFile } = fs.promises;
  // Node itself reads the modules.
  fs.promises.readFile = (path, ...rest) => (/\\.js$/.test(path) ? readFile(path, ...rest) : not("readFile")());
  syncBuiltinESMExports();
  for (const name of ["compile", "instantiate", "compileStreaming", "instantiateStreaming"]) WebAssembly[name] = not(name);
  WebAssembly.Module = not("Module");
  WebAssembly.Instance = not("Instance");
`;

for (const entry of ["svc-js", "index.js"]) {
  test(`import of ${entry} and construction read, send and compile nothing, and leave globals alone`, async () => {
    const stdout = await node(
      `${NOTHING}
      const all = () => Reflect.ownKeys(globalThis).map(String).concat(Object.keys(process.env));
      const before = all();
      const { Svc, createClientFromRequest } = await import(${JSON.stringify(entry === "svc-js" ? entry : `${process.env.SVC_JS}/${entry}`)});
      const svc = new Svc({ project: "demo" });
      svc.collection("shop", "orders").list();
      createClientFromRequest({ "x-svc-project": "a", "x-svc-environment": "b", "x-svc-service-token": "c" });
      await new Promise(setImmediate);
      const names = all().filter((name) => !before.includes(name));
      console.log(JSON.stringify({ did, names }));`,
    );
    assert.deepEqual(JSON.parse(stdout), { did: [], names: [] });
  });
}

test("WebAssembly is loaded by the first call, and once", async () => {
  const stdout = await node(
    `import { Svc } from "svc-js";
    const times = [];
    const { instantiate } = WebAssembly;
    // That of fetch itself has other imports.
    WebAssembly.instantiate = (source, imports) => {
      if ("./svc_js_bg.js" in imports) times.push(source);
      return instantiate(source, imports);
    };
    const svc = new Svc(JSON.parse(process.env.OPTIONS));
    const before = times.length;
    await Promise.all([svc.getHeaders(), svc.collection("shop", "orders").get(1), new Svc({ project: "a" }).getHeaders()]);
    const first = times.length;
    await new Svc({ project: "b" }).getHeaders();
    console.log(JSON.stringify([before, first, times.length]));`,
    { env: env() },
  );
  assert.deepEqual(JSON.parse(stdout), [0, 1, 1]);
});

test("init loads it before the first call", async () => {
  const stdout = await node(
    `import { Svc, init } from "svc-js";
    console.log(await init());
    for (const name of ["compile", "instantiate"]) WebAssembly[name] = () => { throw new Error(name); };
    await init();
    console.log(JSON.stringify(await new Svc({ project: "a", apiToken: "b" }).getHeaders()));`,
  );
  assert.equal(stdout, 'undefined\n{"Authorization":"Bearer b"}\n');
});

const SOURCES = {
  "its bytes": "await readFile(file)",
  "an ArrayBuffer": "(await readFile(file)).buffer.slice(0)",
  "a compiled module": "await WebAssembly.compile(await readFile(file))",
  "a Response": 'new Response(await readFile(file), { headers: { "content-type": "application/wasm" } })',
  "a promise of a Response": 'Promise.resolve(new Response(await readFile(file), { headers: { "content-type": "application/wasm" } }))',
};

for (const [name, source] of Object.entries(SOURCES)) {
  test(`init takes ${name}, and reads nothing else`, async () => {
    const stdout = await node(
      `import { readFile } from "node:fs/promises";
      import fs from "node:fs";
      import { syncBuiltinESMExports } from "node:module";
      import { Svc, init } from "svc-js";
      const file = new URL(import.meta.resolve("svc-js/svc_js_bg.wasm"));
      const source = ${source};
      fs.promises.readFile = () => Promise.reject(new Error("read"));
      syncBuiltinESMExports();
      await init(source);
      const { id } = await new Svc(JSON.parse(process.env.OPTIONS)).collection("shop", "orders").get(1);
      console.log(id);`,
      { env: env() },
    );
    assert.equal(stdout, "1\n");
  });
}

test("a source that is no WebAssembly rejects init, and the next one may be better", async () => {
  const stdout = await node(
    `import { Svc, init } from "svc-js";
    const outcome = await init(new Uint8Array([1, 2, 3, 4])).then(() => "loaded", (error) => error.constructor.name);
    await init();
    console.log(outcome, JSON.stringify(await new Svc({ project: "a", apiToken: "b" }).getHeaders()));`,
  );
  assert.equal(stdout, 'CompileError {"Authorization":"Bearer b"}\n');
});

test("the entry point of browsers fetches WebAssembly from beside itself", async () => {
  const stdout = await node(
    `import { readFile } from "node:fs/promises";
    const { Svc } = await import(${JSON.stringify(`${process.env.SVC_JS}/index.js`)});
    const fetched = [];
    globalThis.fetch = async (url) => {
      fetched.push(String(url));
      return new Response(await readFile(url), { headers: { "content-type": "application/wasm" } });
    };
    await new Svc({ project: "a" }).getHeaders();
    await new Svc({ project: "a" }).getHeaders();
    console.log(JSON.stringify(fetched));`,
  );
  assert.deepEqual(JSON.parse(stdout), [`${process.env.SVC_JS}/svc_js_bg.wasm`]);
});

test("a process ends by itself as soon as its calls have, although they might have taken 30 seconds", async () => {
  const begun = performance.now();
  const stdout = await node(
    `import { Svc } from "svc-js";
    const svc = new Svc(JSON.parse(process.env.OPTIONS));
    console.log((await svc.collection("shop", "orders").list()).results.length);`,
    { env: env(), timeout: 20_000 },
  );
  assert.equal(stdout, "25\n");
  assert.ok(performance.now() - begun < 20_000);
});

test("a process ends by itself after calls that were given up or have failed", async () => {
  const stdout = await node(
    `import { createServer } from "node:http";
    import { once } from "node:events";
    import { Svc } from "svc-js";
    const server = createServer(() => {}).listen(0, "127.0.0.1");
    await once(server, "listening");
    const options = { project: "demo", apiBaseUrl: "http://127.0.0.1:" + server.address().port };
    const orders = new Svc(options).collection("shop", "orders");
    const outcomes = await Promise.allSettled([
      orders.get(1, { signal: AbortSignal.timeout(50) }),
      orders.get(1, { timeout: 50 }),
      new Svc({}).collection("shop", "orders").get(1),
    ]);
    server.close();
    server.closeAllConnections();
    console.log(outcomes.map(({ reason }) => reason.name).join());`,
    { timeout: 20_000 },
  );
  assert.equal(stdout, "TimeoutError,SvcRequestError,SvcRequestError\n");
});
