// What a phone shows of what is wider than it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { places } from "./places.mjs";
import { PHONE } from "./support/browser.mjs";
import { Tour } from "./support/tour.mjs";

const tour = new Tour();
const place = (wanted) => places.find(({ name }) => name === wanted);
const onPhone = { viewport: PHONE };

test("the open part of an environment is in sight, wherever it stands among the others", async () => {
  for (const name of ["records", "audit", "settings"]) {
    await tour.visit(place(name), onPhone, async ({ page, go }) => {
      await go();
      const { left, right, top } = await page.locator(".areas [aria-current]").evaluate(around);
      assert(left >= 0 && right <= PHONE.width, `${name}: ${left} to ${right}`);
      // Nothing lies over it.
      const at = await page.evaluate(([x, y]) => document.elementFromPoint(x, y).textContent, [(left + right) / 2, top + 8]);
      assert.equal(at, await page.locator(".areas [aria-current]").textContent());
    });
  }
});

test("a column has the width that was chosen, and a pinned one leaves place for others", async () => {
  await tour.visit(place("records-pinned"), onPhone, async ({ page, go }) => {
    await go();
    const width = async (locator) => (await locator.first().evaluate(around)).width;
    assert.equal(await width(page.locator("tbody .col-narrow")), 96);
    assert((await width(page.locator("tbody .pin-1"))) <= 0.4 * PHONE.width);
  });
});

test("the arrow of the order is in sight, however narrow its column is", async () => {
  const records = place("records-pinned");
  const ordered = { ...records, path: `${records.path}&_order_by=-c1` };
  for (const options of [{}, onPhone]) {
    await tour.visit(ordered, options, async ({ page, go }) => {
      await go();
      const head = page.locator("th[aria-sort=descending]");
      const arrow = await head.locator("[aria-hidden]").evaluate(around);
      const headBox = await head.evaluate(around);
      assert(arrow.width > 0 && arrow.right <= headBox.right, JSON.stringify([arrow, headBox]));
      assert.equal(await page.locator("th[aria-sort]").count(), 1);
    });
  }
});

test("the references of a database are read without moving their table sideways", async () => {
  await tour.visit(place("diagram"), onPhone, async ({ page, go }) => {
    await go();
    const frame = page.locator(".referring .table-frame");
    assert(await frame.evaluate((it) => it.scrollWidth <= it.clientWidth));
  });
});

test("long names of teams and environments make no place wider than a phone", async () => {
  const team = "Customer support, second level, nights and weekends";
  const long = "Longwordwithoutspaces".repeat(6).slice(0, 120);
  const { service } = tour.world;
  for (const name of [team, long]) await service.run(["team", "add", name, "--project", "main"]);
  await service.run(["env", "add", "long", "--project", "main", "--title", long]);
  for (const name of ["users", "user-new", "members", "audit", "pages-copy", "settings", "rights", "service-tokens"]) {
    const { path } = place(name);
    const [plain] = path.split("?");
    for (const at of [plain, plain.replace("/prod/", "/long/")]) {
      await tour.visit({ name, path: at }, onPhone, async ({ page, go }) => {
        assert.equal((await go()).status(), 200, at);
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        assert(width <= PHONE.width, `${at}: ${width}`);
        // A name beside its field stays in one line.
        for (const label of await page.locator(".toolbar > label:visible").all()) {
          assert((await label.evaluate((it) => it.getBoundingClientRect().height)) < 60, at);
        }
      });
    }
  }
});

test("what is touched is at least 24 pixels high", async () => {
  for (const name of ["environment", "models", "teams", "audit", "records-filtered", "structure"]) {
    await tour.visit(place(name), onPhone, async ({ page, go }) => {
      await go();
      const small = await page.locator("main a:visible").evaluateAll((links) => {
        const high = (link) => Math.max(...[...link.getClientRects()].map(({ height }) => height));
        return links.filter((link) => high(link) < 24).map((link) => `${link.textContent}: ${high(link)}`);
      });
      assert.deepEqual(small, [], name);
    });
  }
});

/** Where an element is. */
function around(element) {
  const { left, right, top, width } = element.getBoundingClientRect();
  return { left, right, top, width };
}
