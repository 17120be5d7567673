// How quick and how small places are, as medians of several visits with an empty cache.

import assert from "node:assert/strict";
import { test } from "node:test";

import { places } from "./places.mjs";
import { Tour } from "./support/tour.mjs";

const RUNS = 5;
/** The most bytes that a page has over the wire, with styles and modules. */
const BYTES = 120 * 1024;
/** When the largest part is painted, in milliseconds: generous, since the machine may have other work. */
const PAINT = 2_500;

const tour = new Tour();

for (const place of places.filter(({ budget }) => budget)) {
  test(`the place ${place.name} is small, quick, and moves nothing`, async (t) => {
    const seen = [];
    for (let run = 0; run < RUNS; run += 1) await tour.visit(place, {}, async (at) => seen.push(await measured(at)));
    const [bytes, paint] = ["bytes", "paint"].map((name) => median(seen.map((run) => run[name])));
    t.diagnostic(`${place.name}: ${(bytes / 1024).toFixed(1)} KiB, painted after ${Math.round(paint)} ms`);
    assert.deepEqual(seen.flatMap(({ moved }) => moved), [], "nothing moves after it was painted");
    assert(bytes > 0 && bytes < BYTES, `${bytes} bytes`);
    assert(paint > 0 && paint < PAINT, `painted after ${paint} ms`);
  });
}

/** One visit. */
async function measured({ page, go }) {
  const session = await page.context().newCDPSession(page);
  let bytes = 0;
  session.on("Network.loadingFinished", ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await session.send("Network.enable");
  await go();
  const { paint, moved } = await page.evaluate(async () => {
    // Two frames later everything that came is painted.
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    return globalThis.seenBySuite;
  });
  return { bytes, paint, moved };
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
