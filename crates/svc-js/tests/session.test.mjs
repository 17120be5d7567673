// The rules of user sessions (specification, section 5, "User sessions"), each under its number.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Svc, SvcRequestError } from "svc-js";

import { emptyList, named, target, watchFetch } from "./support/fetch.mjs";
import { nobody } from "./support/server.mjs";
import { PASSWORD, startService, UNTHROTTLED } from "./support/service.mjs";
import { FakeStorage, fakeWindow, KEY } from "./support/storage.mjs";
import { entry } from "./support/tokens.mjs";

const EMAIL = "ann@example.com";

let service;

before(async () => {
  service = await startService({ args: UNTHROTTLED });
  await service.addUser(EMAIL, { team: "Editor" });
});

after(() => service.stop());

const client = (options) => new Svc({ ...service.options, ...options });

/** A client whose user is signed in. */
async function signedIn(options) {
  const svc = client(options);
  await svc.loginViaEmailPassword(EMAIL, PASSWORD);
  return svc;
}

test("rule 1: a login with email and password returns the tokens and the user", async () => {
  const { token, user } = await client().loginViaEmailPassword(EMAIL, PASSWORD);
  assert.equal(typeof token.accessToken, "string");
  assert.equal(typeof token.refreshToken, "string");
  assert.equal(user.username, EMAIL);
});

test("rule 2: tokens are kept in localStorage under the key svc_auth", async (t) => {
  const storage = new FakeStorage();
  fakeWindow(t, storage);
  const { token } = await client().loginViaEmailPassword(EMAIL, PASSWORD);
  assert.deepEqual([...storage.entries.keys()], ["svc_auth"]);
  assert.equal(storage.tokens.access_token, token.accessToken);
  assert.equal(storage.tokens.refresh_token, token.refreshToken);
  assert.equal(storage.tokens.access_token_expires, token.accessTokenExpires);
  assert.equal(storage.tokens.refresh_token_expires, token.refreshTokenExpires);
  // The storage of an origin contains tokens but no password.
  assert.ok(!storage.getItem(KEY).includes(PASSWORD));
});

test("rule 2: tokens are restored when a client is constructed", async (t) => {
  const storage = new FakeStorage();
  fakeWindow(t, storage);
  const { token } = await client().loginViaEmailPassword(EMAIL, PASSWORD);
  const requests = watchFetch(t);
  const restored = client();
  assert.deepEqual(await restored.getHeaders(), { Authorization: `JWT ${token.accessToken}` });
  assert.deepEqual(requests, []);
  assert.equal((await restored.isAuthenticated()).user.email, EMAIL);
});

test("rule 2: what is restored is what was there at construction, and not at the first call", async () => {
  const storage = new FakeStorage();
  storage.tokens = entry("early");
  const early = client({ storage });
  storage.tokens = entry("late");
  assert.deepEqual(await early.getHeaders(), { Authorization: "JWT access-early" });
  storage.removeItem(KEY);
  assert.deepEqual(await early.getHeaders(), { Authorization: "JWT access-early" });
});

test("rule 2: where nothing was there at construction, nobody is signed in by what comes later", async (t) => {
  const storage = new FakeStorage();
  const before = client({ storage });
  storage.tokens = entry("late");
  const requests = watchFetch(t);
  assert.equal(await before.getHeaders(), undefined);
  assert.deepEqual(await before.isAuthenticated(), { authenticated: false });
  assert.deepEqual(requests, []);
});

test("rule 3: access tokens are sent with the prefix JWT", async (t) => {
  const svc = client();
  const { token } = await svc.loginViaEmailPassword(EMAIL, PASSWORD);
  const requests = watchFetch(t);
  await svc.isAuthenticated();
  await svc.collection("shop", "orders").get(1);
  assert.deepEqual(
    requests.map(({ headers }) => headers.get("authorization")),
    [`JWT ${token.accessToken}`, `JWT ${token.accessToken}`],
  );
});

test("rule 5: all clients on one origin share the entry", async (t) => {
  const storage = new FakeStorage();
  fakeWindow(t, storage);
  const one = await signedIn();
  const two = client();
  assert.deepEqual(await two.getHeaders(), await one.getHeaders());
  const { token } = await two.loginViaEmailPassword(EMAIL, PASSWORD);
  assert.equal(storage.tokens.access_token, token.accessToken);
});

test("rule 5: clients of different projects share it too, and none uses or removes what another one signed in", async (t) => {
  const storage = new FakeStorage();
  fakeWindow(t, storage);
  const one = await signedIn();
  const kept = storage.getItem(KEY);
  assert.deepEqual(storage.tokens.place, {
    api_base_url: service.baseUrl,
    project: service.project,
    environment: service.environment,
  });
  const requests = watchFetch(t);
  for (const place of [{ project: "another" }, { environment: "dev" }, { apiBaseUrl: await nobody() }]) {
    const other = client(place);
    assert.equal(await other.getHeaders(), undefined);
    assert.deepEqual(await other.isAuthenticated(), { authenticated: false });
    await other.logout({ revoke: true });
    assert.equal(storage.getItem(KEY), kept);
  }
  assert.deepEqual(requests, []);
  assert.equal((await one.isAuthenticated()).authenticated, true);
});

test("rule 5: an entry that names no place belongs to the client that restores it, and its further properties are kept", async (t) => {
  const storage = new FakeStorage();
  await signedIn({ storage });
  const { place, ...entry } = storage.tokens;
  storage.tokens = { ...entry, access_token_expires: "2026-01-01T00:00:00Z", theme: { dark: true } };
  const svc = client({ storage });
  assert.equal((await svc.isAuthenticated()).authenticated, true);
  assert.notEqual(storage.tokens.refresh_token, entry.refresh_token);
  assert.deepEqual(storage.tokens.place, place);
  assert.deepEqual(storage.tokens.theme, { dark: true });
  assert.equal(await client({ storage, project: "another" }).getHeaders(), undefined);
});

test("rule 5: a client that exists keeps its own memory when another signs in", async () => {
  const storage = new FakeStorage();
  await service.addUser("bob@example.com", { team: "Read Only" });
  const ann = await signedIn({ storage });
  const bob = client({ storage });
  await bob.loginViaEmailPassword("bob@example.com", PASSWORD);
  assert.equal((await ann.isAuthenticated()).user.email, EMAIL);
  assert.equal((await bob.isAuthenticated()).user.email, "bob@example.com");
  assert.equal((await client({ storage }).isAuthenticated()).user.email, "bob@example.com");
});

test("rule 6: logout clears the client's state and the entry, and sends nothing", async (t) => {
  const storage = new FakeStorage();
  const svc = await signedIn({ storage });
  storage.setItem("other", "kept");
  const requests = watchFetch(t);
  await svc.logout();
  assert.equal(await svc.getHeaders(), undefined);
  assert.deepEqual([...storage.entries], [["other", "kept"]]);
  assert.equal(await client({ storage }).getHeaders(), undefined);
  assert.deepEqual(requests, []);
});

test("rule 6: logout does not revoke the token on the service", async () => {
  const svc = await signedIn();
  const headers = await svc.getHeaders();
  await svc.logout();
  const url = `${service.baseUrl}/projects/${service.project}/${service.environment}/auth/user`;
  assert.equal((await fetch(url, { headers })).status, 200);
});

test("rule 6: logout does not reach other clients", async () => {
  const storage = new FakeStorage();
  const one = await signedIn({ storage });
  const two = client({ storage });
  await one.logout();
  assert.equal((await two.isAuthenticated()).authenticated, true);
  assert.equal(storage.getItem(KEY), null);
});

test("logout tells the service when revoke asks for it, and the token is refused from then on", async (t) => {
  const storage = new FakeStorage();
  const svc = await signedIn({ storage });
  const headers = await svc.getHeaders();
  const requests = watchFetch(t);
  await svc.logout({ revoke: true });
  assert.equal(named(requests, "auth/logout").length, 1);
  assert.equal(requests.length, 1, requests.map(target).join());
  assert.equal(requests[0].method, "POST");
  assert.equal(requests[0].headers.get("authorization"), headers.Authorization);
  assert.equal(storage.getItem(KEY), null);
  const url = `${service.baseUrl}/projects/${service.project}/${service.environment}/auth/user`;
  assert.equal((await fetch(url, { headers })).status, 401);
});

test("logout with revoke clears everything even when the service cannot be reached", async () => {
  const storage = new FakeStorage();
  storage.tokens = entry("a");
  const svc = client({ storage, apiBaseUrl: await nobody() });
  await svc.logout({ revoke: true });
  assert.equal(storage.getItem(KEY), null);
  assert.equal(await svc.getHeaders(), undefined);
});

test("rule 7: apiToken takes priority over the session", async (t) => {
  const storage = new FakeStorage();
  await signedIn({ storage });
  const svc = client({ storage, apiToken: service.shopToken });
  const requests = watchFetch(t);
  assert.deepEqual(await svc.getHeaders(), { Authorization: `Bearer ${service.shopToken}` });
  await svc.collection("shop", "orders").get(1);
  assert.equal(requests[0].headers.get("authorization"), `Bearer ${service.shopToken}`);
});

test("rule 7: apiToken keeps its priority after a login", async (t) => {
  const storage = new FakeStorage();
  const svc = client({ storage, apiToken: service.shopToken });
  const { token } = await svc.loginViaEmailPassword(EMAIL, PASSWORD);
  assert.equal(storage.tokens.access_token, token.accessToken);
  const requests = watchFetch(t);
  await svc.collection("shop", "orders").get(1);
  assert.equal(requests[0].headers.get("authorization"), `Bearer ${service.shopToken}`);
});

test("rule 7: logout does not clear apiToken", async () => {
  const storage = new FakeStorage();
  storage.tokens = entry("a");
  const svc = client({ storage, apiToken: service.shopToken });
  await svc.logout();
  assert.equal(storage.getItem(KEY), null);
  assert.deepEqual(await svc.getHeaders(), { Authorization: `Bearer ${service.shopToken}` });
  assert.equal((await svc.collection("shop", "orders").get(1)).id, 1);
});

test("rule 8: without headers isAuthenticated resolves without a request", async (t) => {
  const requests = watchFetch(t, emptyList);
  assert.deepEqual(await client().isAuthenticated(), { authenticated: false });
  assert.deepEqual(await client({ storage: new FakeStorage() }).isAuthenticated(), { authenticated: false });
  const svc = client();
  await svc.loadServiceToken("svcs_abc");
  await svc.logout();
  assert.deepEqual(await svc.isAuthenticated(), { authenticated: false });
  assert.deepEqual(requests, []);
});

test("rule 8: a refusal rejects isAuthenticated", async () => {
  const svc = client({ apiToken: "svct_no_such_token" });
  const error = await svc.isAuthenticated().catch((error) => error);
  assert.ok(error instanceof SvcRequestError);
  assert.equal(error.status, 401);
});

test("rule 8: an unreachable service rejects isAuthenticated", async () => {
  const storage = new FakeStorage();
  storage.tokens = entry("a");
  const svc = client({ storage, apiBaseUrl: await nobody() });
  await assert.rejects(svc.isAuthenticated(), { name: "SvcRequestError", kind: "transport" });
});

test("rule 8: an internal error of the service rejects isAuthenticated", async (t) => {
  const storage = new FakeStorage();
  storage.tokens = entry("a");
  watchFetch(t, () => Response.json({ detail: "internal error" }, { status: 500 }));
  await assert.rejects(client({ storage }).isAuthenticated(), { name: "SvcRequestError", status: 500 });
});

test("a session reads and writes what its team may", async () => {
  await service.addUser("reader@example.com", { team: "Read Only" });
  const reader = client();
  await reader.loginViaEmailPassword("reader@example.com", PASSWORD);
  const orders = reader.collection("shop", "orders");
  assert.equal((await orders.get(1)).id, 1);
  await assert.rejects(orders.update(1, { note: "mine" }), { status: 403 });
  const editor = await signedIn();
  assert.equal((await editor.collection("shop", "orders").update(1, { note: "mine" })).note, "mine");
});

test("two clients in one process with storages of their own have users of their own", async () => {
  await service.addUser("first@example.com", { team: "Editor" });
  await service.addUser("second@example.com", { team: "Editor" });
  const clients = await Promise.all(
    ["first@example.com", "second@example.com"].map(async (email) => {
      const svc = client({ storage: new FakeStorage() });
      await svc.loginViaEmailPassword(email, PASSWORD);
      return svc;
    }),
  );
  const users = await Promise.all(clients.map((svc) => svc.isAuthenticated()));
  assert.deepEqual(users.map(({ user }) => user.email), ["first@example.com", "second@example.com"]);
});
