// The page of the API definitions in a browser: it comes from the service alone, and calls nobody else.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Visitor, launchBrowser, until } from "../support/browser.mjs";
import { startService } from "../support/service.mjs";

let browser;
let service;

before(async () => {
  service = await startService();
  browser = await launchBrowser();
});

after(async () => {
  await Promise.allSettled([browser?.close(), service?.stop()]);
});

/** A test in which somebody visits the page. Nothing is against its policy, and only the service is asked for anything. */
function visit(name, refusals, work) {
  test(name, async () => {
    const visitor = await Visitor.arrive(browser);
    try {
      const tab = await visitor.open(`${service.appBaseUrl}/docs/`);
      await work(tab);
      const expected = refusals.map((status) => new RegExp(`responded with a status of ${status} `));
      const problems = visitor.problems.filter((problem) => !expected.some((pattern) => pattern.test(problem)));
      assert.deepEqual(problems, []);
      assert.deepEqual(visitor.origins, new Set([service.baseUrl]));
      const kept = await tab.page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie]);
      assert.deepEqual(kept, [0, 0, ""]);
    } finally {
      await visitor.leave();
    }
  });
}

async function showShop(tab, credential) {
  await tab.page.select("#api", "resource");
  await tab.fill("#project", service.project);
  await tab.fill("#environment", service.environment);
  await tab.fill("#resource", "shop");
  await tab.fill("#credential", credential);
  await tab.click("#show");
}

visit("the operations of the application host are shown", [], async (tab) => {
  await tab.fill("#credential", service.apiKey);
  await tab.click("#show");
  const paths = await until(() => tab.texts(".opblock-summary-path"), (texts) => texts.length > 20);
  assert(paths.some((path) => path.replaceAll("\u200b", "").includes("/view_settings/")), String(paths));
});

visit("a resource's definition needs the credential, with which its calls are sent", [401], async (tab) => {
  await showShop(tab, "svct_wrong");
  await tab.says("#error", /cannot be shown/);
  await showShop(tab, service.shopToken);
  const bare = async () => (await tab.texts(".opblock-get .opblock-summary-path")).map((text) => text.replaceAll("\u200b", ""));
  await until(bare, (paths) => paths.includes("/models/customers"));
  const index = (await bare()).indexOf("/models/customers");
  const blocks = await tab.page.$$(".opblock-get");
  await (await blocks[index].$(".opblock-summary-control")).click();
  await tab.click(".opblock-get .execute");
  await until(() => tab.texts(".live-responses-table .response-col_status"), (texts) => texts.some((text) => text.startsWith("200")));
});
