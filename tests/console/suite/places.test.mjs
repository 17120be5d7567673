// Every place: nothing goes wrong there, everybody can use it, and this is what it looks like.

import assert from "node:assert/strict";
import { test } from "node:test";

import { places } from "./places.mjs";
import { DESK, PHONE, findingsOfAxe } from "./support/browser.mjs";
import { compare, picture } from "./support/snapshots.mjs";
import { Tour } from "./support/tour.mjs";

const tour = new Tour();

for (const place of places) {
  test(`the place ${place.name} is whole, and everybody can use it`, async () => {
    await tour.visit(place, {}, async ({ page, visitor, go }) => {
      const answer = await go();
      assert.equal(answer.status(), place.status ?? 200);
      await isUsable(page);
      await picture(page, `${place.name}-1280`, place.whole);
      if (place.snapshot) await compare(`${place.name}.yml`, await spoken(page.locator("main")));

      await page.emulateMedia({ colorScheme: "dark" });
      assert.deepEqual(await findingsOfAxe(page, { rules: ["color-contrast"] }), []);
      if (place.dark) await picture(page, `${place.name}-1280-dark`, place.whole);

      await page.setViewportSize(PHONE);
      if (place.dark) await picture(page, `${place.name}-390-dark`, place.whole);
      await page.emulateMedia({ colorScheme: "light" });
      await isUsable(page);
      await picture(page, `${place.name}-390`, place.whole);
      await page.setViewportSize(DESK);

      assert.deepEqual(visitor.unexpected([place.status]), []);
    });
  });
}

test("around every place of an environment there is the same frame", async () => {
  const place = places.find(({ name }) => name === "records");
  await tour.visit(place, {}, async ({ page, go }) => {
    await go();
    await compare("frame.yml", `${await spoken(page.locator("header"))}\n${await spoken(page.locator("nav.areas"))}`);
  });
});

/** No finding of axe, and nothing to be scrolled sideways. */
async function isUsable(page) {
  assert.deepEqual(await findingsOfAxe(page), []);
  const [wide, shown] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert(wide <= shown, `the page is ${wide} pixels wide, of which ${shown} are shown`);
}

/** What screen readers get of an element, without what differs from run to run. */
async function spoken(locator) {
  const snapshot = await locator.ariaSnapshot();
  return snapshot
    .replace(/\d[\d.,]* ms\b/g, "N ms")
    .replace(/^(\s*- \/url: \S*code=)\S+/gm, "$1CODE")
    .replace(/svc[a-z]*_[A-Za-z0-9_-]{10,}/g, "CODE")
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "UUID")
    .replace(/\/tmp\/[^\s/]+\//g, "/FOLDER/");
}
