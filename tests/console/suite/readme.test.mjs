// The pictures at the beginning of the README: what a demo shows first.

import assert from "node:assert/strict";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { DESK, Visitor, launch, settled } from "./support/browser.mjs";
import { Service } from "./support/service.mjs";
import { out, picture } from "./support/snapshots.mjs";

const repository = fileURLToPath(new URL("../../../", import.meta.url));
const folder = "docs/src/images";
/** The pictures by the colours that somebody prefers. */
const pictures = { light: "console.png", dark: "console-dark.png" };
/** The most bytes of a picture. */
const BYTES = 150_000;

let browser;
let demo;
before(async () => {
  const link = (line) => /^\s*console\s+(http\S+)/.exec(line)?.[1];
  [browser, demo] = await Promise.all([launch(), Service.start(["demo"], link)]);
});
after(async () => {
  await Promise.allSettled([browser?.close(), demo?.stop()]);
});

test("the demo begins with charts of its orders, in light and in dark colours", async () => {
  const visitor = await Visitor.arrive(browser, new URL(demo.ready).origin);
  try {
    const page = await visitor.open(demo.ready);
    await page.getByRole("main").getByRole("button").first().click();
    await page.waitForURL("**/projects/**");
    await settled(page);
    for (const heading of ["Orders per month", "Revenue by status", "Customers by country"]) {
      assert(await page.getByRole("heading", { name: heading }).isVisible(), heading);
    }
    assert(await page.getByRole("link", { name: "orders", exact: true }).isVisible());
    assert.equal(await page.getByRole("alert").count(), 0);
    for (const [scheme, name] of Object.entries(pictures)) {
      await page.emulateMedia({ colorScheme: scheme });
      await picture(page, name.replace(".png", ""));
      if (process.env.UPDATE_SNAPSHOTS) {
        await writeFile(join(repository, folder, name), await readFile(join(out, "screenshots", name)));
      }
    }
    assert.deepEqual(visitor.unexpected(), []);
  } finally {
    await visitor.leave();
  }
});

test("the README begins with these pictures, and says what is seen on them", async () => {
  const readme = await readFile(join(repository, "README.md"), "utf8");
  const [, beginning] = /^# svc\n\n<picture>\n(.*?)<\/picture>\n/s.exec(readme) ?? [];
  assert(beginning, "README.md begins with a picture");
  assert(beginning.includes(`media="(prefers-color-scheme: dark)" srcset="${folder}/${pictures.dark}"`), beginning);
  const [, alternative] = /<img src="docs\/src\/images\/console\.png"[^>]* alt="([^"]+)">/.exec(beginning) ?? [];
  for (const seen of ["orders per month", "revenue by status", "customers by country"]) {
    assert(alternative?.includes(seen), `the picture is described with ${seen}`);
  }
  for (const name of Object.values(pictures)) {
    const file = join(repository, folder, name);
    const head = (await readFile(file)).subarray(0, 24);
    assert.equal(head.subarray(1, 4).toString(), "PNG");
    assert.deepEqual([head.readUInt32BE(16), head.readUInt32BE(20)], [DESK.width, DESK.height], name);
    assert((await stat(file)).size < BYTES, `${name} is small`);
  }
});
