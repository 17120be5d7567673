// Users and teams of the application.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Svc, SvcRequestError } from "svc-js";

import { target, watchFetch } from "./support/fetch.mjs";
import { PASSWORD, startService, UNTHROTTLED } from "./support/service.mjs";

let service;
let svc;
let editor;

before(async () => {
  service = await startService({ args: UNTHROTTLED });
  svc = new Svc({ ...service.options, apiToken: service.toolsToken });
  const { results } = await svc.teams.list();
  editor = results.find(({ name }) => name === "Editor");
});

after(() => service.stop());

const rejected = async (promise) => {
  const error = await promise.then(() => assert.fail("it was accepted"), (error) => error);
  assert.ok(error instanceof SvcRequestError, String(error));
  return error;
};

test("a user is created, invited by mail, got, changed and deleted", async () => {
  const names = { first_name: "Ann", last_name: "Lee" };
  const created = await svc.users.create({ email: "ann@example.com", group: editor.uid, ...names });
  const { uid, date_add, ...rest } = created;
  assert.match(uid, /^[0-9a-f-]{36}$/);
  assert.ok(Date.parse(date_add) > 0);
  assert.deepEqual(rest, { email: "ann@example.com", group: editor.uid, ...names });
  const mails = await service.run("mail", "list");
  assert.deepEqual(mails.map(({ to }) => to), ["ann@example.com"]);
  assert.deepEqual(await svc.users.get(uid), created);
  const updated = await svc.users.update(uid, { first_name: "Anna", last_name: null });
  assert.deepEqual(updated, { ...created, first_name: "Anna", last_name: null });
  assert.equal(await svc.users.delete(uid), undefined);
  assert.equal((await rejected(svc.users.get(uid))).status, 404);
});

test("a user is moved to another team", async () => {
  const { results } = await svc.teams.list({ filters: { name: "Read Only" } });
  const { uid } = await svc.users.create({ email: "move@example.com", group: editor.uid });
  assert.equal((await svc.users.update(uid, { group: results[0].uid })).group, results[0].uid);
});

test("users are listed with filters, search, order and pages, and walked over", async () => {
  for (const name of ["a", "b", "c"]) {
    await svc.users.create({ email: `${name}@list.example`, group: editor.uid, first_name: name });
  }
  const emails = ({ results }) => results.map(({ email }) => email);
  const search = "list.example";
  const all = ["a@list.example", "b@list.example", "c@list.example"];
  assert.deepEqual(emails(await svc.users.list({ search, orderBy: "email" })), all);
  assert.deepEqual(emails(await svc.users.list({ filters: { first_name: ["a", "b"] }, orderBy: "-email" })), all.slice(0, 2).reverse());
  const page = await svc.users.list({ search, orderBy: "email", pagination: { page: 2, perPage: 2 } });
  assert.deepEqual([emails(page), page.count], [["c@list.example"], 3]);
  const walked = [];
  for await (const user of svc.users.list({ search, orderBy: "email", pagination: { perPage: 1 } })) walked.push(user.email);
  assert.deepEqual(walked, all);
  assert.equal((await rejected(svc.users.list({ filters: { no_such_field: 1 } }).then())).status, 400);
});

test("what is wrong with a user is told by field", async () => {
  assert.deepEqual(Object.keys((await rejected(svc.users.create({ email: "x@example.com" }))).fieldErrors), ["group"]);
  const user = { email: "twice@example.com", group: editor.uid };
  await svc.users.create(user);
  assert.deepEqual(Object.keys((await rejected(svc.users.create(user))).fieldErrors), ["email"]);
});

test("users and teams need the token of the built-in tools", async () => {
  const shop = new Svc({ ...service.options, apiToken: service.shopToken });
  assert.equal((await rejected(shop.users.list().then())).status, 403);
  await service.addUser("admin@example.com");
  const admin = new Svc(service.options);
  assert.equal((await rejected(admin.users.list().then())).status, 401);
  await admin.loginViaEmailPassword("admin@example.com", PASSWORD);
  assert.equal((await rejected(admin.users.list().then())).status, 403);
});

test("teams are listed, got and renamed", async () => {
  const { results, count } = await svc.teams.list({ orderBy: "name" });
  assert.equal(count, 3);
  assert.deepEqual(results.map(({ name }) => name), ["Administrator", "Editor", "Read Only"]);
  assert.deepEqual(await svc.teams.get(editor.uid), editor);
  assert.deepEqual(await svc.teams.update(editor.uid, { name: "Writers" }), { uid: editor.uid, name: "Writers" });
  assert.equal((await svc.teams.get(editor.uid)).name, "Writers");
  await svc.teams.update(editor.uid, { name: "Editor" });
  assert.equal((await rejected(svc.teams.update(editor.uid, {}))).status, 400);
  assert.equal((await rejected(svc.teams.get("no-such-team"))).status, 404);
});

test("teams are walked over", async () => {
  const names = [];
  for await (const { name } of svc.teams.list({ orderBy: "-name", pagination: { perPage: 2 } })) names.push(name);
  assert.deepEqual(names, ["Read Only", "Editor", "Administrator"]);
});

test("a uid that is missing is an error and no request for the list", async (t) => {
  const requests = watchFetch(t, () => Response.json({}));
  for (const uid of [undefined, null, "", 1]) {
    for (const call of [svc.users.get(uid), svc.users.update(uid, {}), svc.users.delete(uid), svc.teams.get(uid)]) {
      assert.equal((await rejected(call)).kind, "request", JSON.stringify(uid));
    }
  }
  assert.deepEqual(requests.map(target), []);
});
