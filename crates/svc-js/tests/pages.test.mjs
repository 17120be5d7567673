// Page settings: the published layer, the drafts over it, and revisions.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { etagOf, Svc, SvcRequestError } from "svc-js";

import { target, watchFetch } from "./support/fetch.mjs";
import { startService } from "./support/service.mjs";

let service;
let svc;
let drafts;

before(async () => {
  service = await startService();
  svc = new Svc({ ...service.options, apiToken: service.apiKey });
  drafts = new Svc({ ...service.options, apiToken: service.apiKey, draft: true });
  // The demo has pages of its own.
  for (const { uid } of await svc.pages.list()) await svc.pages.delete(uid);
});

after(() => service.stop());

const rejected = async (promise) => {
  const error = await promise.then(() => assert.fail("it was accepted"), (error) => error);
  assert.ok(error instanceof SvcRequestError, String(error));
  return error;
};

const uids = (pages) => pages.map(({ uid }) => uid);

test("a page is created, listed, got, updated and deleted", async () => {
  const params = '{"columns": [1, 2]}';
  const created = await svc.pages.create({ name: "Orders", unique_name: "orders", params, colour: { red: 255 } });
  assert.match(created.uid, /^[0-9a-f-]{36}$/);
  assert.equal(created.name, "Orders");
  assert.equal(created.unique_name, "orders");
  assert.equal(created.params, params);
  assert.deepEqual(created.colour, { red: 255 });
  assert.equal(created.environment, "prod");
  assert.equal(created.draft, false);
  assert.deepEqual(await svc.pages.get(created.uid), created);
  assert.deepEqual(uids(await svc.pages.list()), [created.uid]);
  const updated = await svc.pages.update(created.uid, { params: "[]" });
  assert.equal(updated.params, "[]");
  assert.equal(updated.name, "Orders");
  assert.equal(await svc.pages.delete(created.uid), undefined);
  assert.equal((await rejected(svc.pages.get(created.uid))).status, 404);
  assert.deepEqual(await svc.pages.list(), []);
});

test("params that are no JSON are refused by field", async () => {
  const error = await rejected(svc.pages.create({ name: "Broken", params: "{" }));
  assert.equal(error.status, 400);
  assert.deepEqual(Object.keys(error.fieldErrors), ["params"]);
});

test("a draft is seen by drafts alone until it is published", async () => {
  const { uid } = await svc.pages.create({ name: "One", params: "{}" });
  const changed = await drafts.pages.update(uid, { name: "Two" });
  assert.equal(changed.name, "Two");
  assert.equal(changed.draft, true);
  assert.equal((await svc.pages.get(uid)).name, "One");
  assert.equal((await svc.pages.get(uid, { draft: true })).name, "Two");
  assert.equal((await drafts.pages.get(uid, { draft: false })).name, "One");
  assert.deepEqual(await svc.pages.publish([uid]), [uid]);
  assert.equal((await svc.pages.get(uid)).name, "Two");
  assert.equal((await drafts.pages.get(uid)).draft, false);
  await svc.pages.delete(uid);
});

test("a draft that is discarded is gone", async () => {
  const { uid } = await svc.pages.create({ name: "One", params: "{}" });
  await drafts.pages.update(uid, { name: "Two" });
  assert.deepEqual(await svc.pages.discard([uid]), [uid]);
  assert.equal((await drafts.pages.get(uid)).name, "One");
  await svc.pages.delete(uid);
});

test("without uids all drafts are published, or discarded", async (t) => {
  const made = uids(await Promise.all(["A", "B"].map((name) => drafts.pages.create({ name, params: "{}" })))).sort();
  assert.deepEqual((await svc.pages.list()).length, 0);
  const requests = watchFetch(t);
  assert.deepEqual((await svc.pages.publish()).sort(), made);
  assert.deepEqual(JSON.parse(requests[0].text), {});
  assert.deepEqual(uids(await svc.pages.list()).sort(), made);
  for (const uid of made) await drafts.pages.update(uid, { name: `changed ${uid}` });
  assert.deepEqual((await svc.pages.discard()).sort(), made);
  assert.deepEqual(await svc.pages.publish(), []);
  for (const uid of made) await svc.pages.delete(uid);
});

test("a page that is not there is not published, nor any beside it", async () => {
  const { uid } = await drafts.pages.create({ name: "Beside", params: "{}" });
  const missing = "00000000-0000-7000-8000-000000000000";
  assert.equal((await rejected(svc.pages.publish([uid, missing]))).status, 404);
  assert.equal((await rejected(svc.pages.get(uid))).status, 404);
  await svc.pages.discard([uid]);
});

test("revisions are listed, the newest first, and restored into the draft", async () => {
  const { uid } = await svc.pages.create({ name: "First", params: "{}" });
  await svc.pages.update(uid, { name: "Second" });
  const revisions = await svc.pages.revisions(uid);
  assert.deepEqual(revisions.map(({ number }) => number), [2, 1]);
  for (const revision of revisions) {
    assert.deepEqual(Object.keys(revision).sort(), ["author", "date_add", "deleted", "draft", "number"]);
    assert.equal(revision.draft, false);
    assert.ok(Date.parse(revision.date_add) > 0);
  }
  const restored = await svc.pages.restore(uid, 1);
  assert.equal(restored.name, "First");
  assert.equal((await svc.pages.get(uid)).name, "Second");
  assert.equal((await drafts.pages.get(uid)).name, "First");
  assert.equal((await rejected(svc.pages.restore(uid, 99))).status, 404);
  await svc.pages.delete(uid);
});

test("ifMatch refuses to write over what somebody else has written", async () => {
  const created = await svc.pages.create({ name: "One", params: "{}" });
  const read = await svc.pages.get(created.uid);
  const updated = await svc.pages.update(read.uid, { name: "Two" }, { ifMatch: read });
  assert.equal((await rejected(svc.pages.update(read.uid, { name: "Three" }, { ifMatch: read }))).status, 412);
  assert.equal((await rejected(svc.pages.delete(read.uid, { ifMatch: etagOf(read) }))).status, 412);
  assert.equal((await rejected(svc.pages.restore(read.uid, 1, { ifMatch: '"other"' }))).status, 412);
  assert.equal((await svc.pages.get(read.uid)).name, "Two");
  await svc.pages.delete(read.uid, { ifMatch: updated });
});

test("an integer of 64 bits among the properties of a page keeps its digits", async () => {
  const { uid, big } = await svc.pages.create({ name: "Big", params: "{}", big: 9007199254740993n });
  assert.equal(big, 9007199254740993n);
  assert.equal((await svc.pages.get(uid)).big, 9007199254740993n);
  await svc.pages.delete(uid);
});

test("pages need an API key", async () => {
  assert.equal((await rejected(new Svc(service.options).pages.list())).status, 401);
  const shop = new Svc({ ...service.options, apiToken: service.shopToken });
  assert.ok([401, 403].includes((await rejected(shop.pages.list())).status));
});

test("paths of pages end with a slash, at the application host", async (t) => {
  const requests = watchFetch(t, () => Response.json({}));
  const { pages } = svc;
  await pages.list();
  await pages.create({});
  await pages.get("a/b");
  await pages.update("u", {});
  await pages.delete("u");
  await pages.publish([]);
  await pages.discard([]);
  await pages.revisions("u");
  await pages.restore("u", 7);
  const base = "/api/projects/demo/prod/view_settings/";
  assert.ok(requests.every((request) => target(request).startsWith(base)));
  assert.deepEqual(requests.map((request) => `${request.method} ${target(request).slice(base.length)}`), [
    "GET ?draft=0",
    "POST ?draft=0",
    "GET a%2Fb/?draft=0",
    "PATCH u/?draft=0",
    "DELETE u/?draft=0",
    "POST publish/?draft=0",
    "POST discard/?draft=0",
    "GET u/revisions/?draft=0",
    "POST u/revisions/7/restore/?draft=0",
  ]);
});
