// How fast the package is, beside what there is no way around: `cargo xtask js --bench`.
//
// Everything that is compared is measured alternately in one run, and medians are compared: machines differ, and
// have better and worse moments.

import { readFile } from "node:fs/promises";

import { Svc } from "svc-js";

import { node } from "./support/child.mjs";
import { startService } from "./support/service.mjs";

/** What instantiation may take longer than that of a module that is empty, in milliseconds. */
const INSTANTIATION_GOAL = 3;
/** How many times as long as by hand a list may take. */
const LIST_GOAL = 1.5;

/** A module with nothing in it. */
const EMPTY = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

let runs = 0;

/** The same module with a section that nobody reads, so that the engine cannot know it from before. */
function unseen(bytes) {
  runs += 1;
  const section = Uint8Array.of(0, 6, 1, 0x6e, ...new Uint8Array(new Uint32Array([runs]).buffer));
  return Buffer.concat([bytes, section]);
}

/** How many milliseconds something takes. */
async function time(act) {
  const begun = performance.now();
  await act();
  return performance.now() - begun;
}

function median(times) {
  const sorted = [...times].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

/** The medians of these, measured in turns. */
async function compare(rounds, measured) {
  const times = measured.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, measure] of measured.entries()) times[index].push(await measure());
  }
  return times.map(median);
}

const ms = (value) => `${value.toFixed(2)} ms`;
const verdict = (met) => (met ? "met" : "MISSED");

async function instantiation() {
  const bytes = await readFile(new URL(`${process.env.SVC_JS}/svc_js_bg.wasm`));
  const glue = () => import(`${process.env.SVC_JS}/svc_js.js?run=${(runs += 1)}`);
  const fresh = async () => {
    const [{ default: load }, source] = [await glue(), unseen(bytes)];
    return time(() => load({ module_or_path: source }));
  };
  const bare = async () => {
    const source = unseen(EMPTY);
    return time(() => WebAssembly.instantiate(source));
  };
  const module = await WebAssembly.compile(bytes);
  const empty = await WebAssembly.compile(EMPTY);
  const compiled = async () => {
    const { default: load } = await glue();
    return time(() => load({ module_or_path: module }));
  };
  const bareCompiled = () => time(() => WebAssembly.instantiate(empty));

  await compare(5, [fresh, bare, compiled, bareCompiled]);
  const [a, b, c, d] = await compare(101, [fresh, bare, compiled, bareCompiled]);
  console.log(`\nInstantiation, the package's module and an empty one (${bytes.length} bytes and ${EMPTY.length}):\n`);
  const [first, firstBare] = await firstOfProcess();
  console.table({
    "first one of a process": row(first, firstBare),
    "from a compiled module": row(c, d),
    // These compete with the engine, which goes on making the modules before them faster.
    "from bytes, over and over": row(a, b),
  });
  const more = first - firstBare;
  console.log(`The first one takes ${ms(more)} more; the goal is at most ${INSTANTIATION_GOAL} ms: ${verdict(more <= INSTANTIATION_GOAL)}.`);
}

const row = (own, bare) => ({ package: ms(own), empty: ms(bare), more: ms(own - bare) });

/** The medians of `init` with the bytes, and of an empty module, in new processes. */
async function firstOfProcess() {
  const times = [];
  for (let run = 0; run < 11; run += 1) {
    const printed = await node(
      `import { readFile } from "node:fs/promises";
      import { init } from "svc-js";
      const bytes = await readFile(new URL(import.meta.resolve("svc-js/svc_js_bg.wasm")));
      // Node loads its fetch when it is first named, whoever does so.
      Response;
      const begun = performance.now();
      await WebAssembly.instantiate(Uint8Array.of(${EMPTY}));
      const between = performance.now();
      await init(bytes);
      console.log(JSON.stringify([performance.now() - between, between - begun]));`,
    );
    times.push(JSON.parse(printed));
  }
  return [0, 1].map((index) => median(times.map((pair) => pair[index])));
}

async function lists() {
  const service = await startService();
  try {
    const svc = new Svc({ ...service.options, apiToken: service.shopToken });
    const orders = svc.collection("shop", "orders");
    const base = `${service.baseUrl}/projects/${service.project}/${service.environment}/shop/models/orders`;
    const url = `${base}?_per_page=1000`;
    const headers = { authorization: `Bearer ${service.shopToken}` };
    const byPackage = async () => {
      const { results } = await orders.list({ pagination: { perPage: 1000 } });
      if (results.length !== 1000) throw new Error("the list is incomplete");
    };
    const byHand = async () => {
      const answer = await fetch(url, { headers });
      const { results } = JSON.parse(await answer.text());
      if (results.length !== 1000) throw new Error("the list is incomplete");
    };
    const both = [() => time(byPackage), () => time(byHand)];
    await compare(50, both);
    const [own, hand] = await compare(400, both);

    // Without the service and the network, so that nothing hides what the package itself takes.
    const text = await (await fetch(url, { headers })).text();
    const real = globalThis.fetch;
    globalThis.fetch = async () => new Response(text);
    await compare(50, both);
    const [ownAlone, handAlone] = await compare(400, both);
    globalThis.fetch = real;

    console.log(`\nA list of 1000 records (${text.length} bytes), by the package and by fetch and JSON.parse:\n`);
    const row = (own, hand) => ({ package: ms(own), "by hand": ms(hand), times: (own / hand).toFixed(2) });
    console.table({ "from the service": row(own, hand), "from memory": row(ownAlone, handAlone) });
    const times = own / hand;
    console.log(`From the service it takes ${times.toFixed(2)} times as long; the goal is at most ${LIST_GOAL}: ${verdict(times <= LIST_GOAL)}.\n`);
  } finally {
    await service.stop();
  }
}

await instantiation();
await lists();
