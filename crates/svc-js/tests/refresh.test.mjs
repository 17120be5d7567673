// Rule 4 of user sessions (specification, section 5): before an authenticated request, a refresh is attempted when
// either available token-expiry timestamp is less than 30 seconds away. Time is that of a fake clock.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Svc, SvcRequestError } from "svc-js";

import { deferred, emptyList, named, target, watchFetch } from "./support/fetch.mjs";
import { PASSWORD, startService, UNTHROTTLED } from "./support/service.mjs";
import { FakeStorage, fakeClock, KEY } from "./support/storage.mjs";
import { entry, renewed } from "./support/tokens.mjs";

const EMAIL = "ann@example.com";
const NOW = Date.UTC(2026, 8, 15, 12);
const HOUR = 3_600_000;

let service;

before(async () => {
  service = await startService({ args: UNTHROTTLED });
  await service.addUser(EMAIL, { team: "Editor" });
});

after(() => service.stop());

/** A client whose tokens are `a`, at a service that the test answers for. */
function withTokens(t, expires, options) {
  const clock = fakeClock(t, NOW);
  const storage = new FakeStorage();
  storage.tokens = entry("a", expires);
  return { clock, storage, svc: new Svc({ project: "demo", storage, ...options }) };
}

const list = (svc) => svc.collection("shop", "orders").list();
const sent = (requests) => requests.map((request) => request.headers.get("authorization") ?? target(request));
const REFRESH = "/projects/demo/prod/auth/refresh";

/** Answers a refresh with these tokens, and a list with an empty one. */
const answering = (name, expires) => (request) =>
  target(request) === REFRESH ? renewed(name, expires) : emptyList();

for (const which of ["access", "refresh"]) {
  const other = which === "access" ? "refresh" : "access";

  for (const left of [31_000, 30_000]) {
    test(`the tokens are not refreshed ${left / 1000} s before the ${which} token expires`, async (t) => {
      const { svc } = withTokens(t, { [which]: NOW + left, [other]: NOW + HOUR });
      const requests = watchFetch(t, answering("b"));
      await list(svc);
      assert.deepEqual(sent(requests), ["JWT access-a"]);
    });
  }

  for (const left of [29_999, 29_000, 0, -1000]) {
    test(`the tokens are refreshed ${left / 1000} s before the ${which} token expires`, async (t) => {
      const { svc, storage } = withTokens(t, { [which]: NOW + left, [other]: NOW + HOUR });
      const requests = watchFetch(t, answering("b", { access: NOW + HOUR, refresh: NOW + HOUR }));
      await list(svc);
      assert.deepEqual(sent(requests), [REFRESH, "JWT access-b"]);
      assert.deepEqual(JSON.parse(requests[0].text), { refresh_token: "refresh-a" });
      assert.equal(storage.tokens.access_token, "access-b");
      assert.equal(storage.tokens.refresh_token, "refresh-b");
      await list(svc);
      assert.deepEqual(sent(requests).slice(2), ["JWT access-b"]);
    });
  }

  test(`the ${which} token alone may say when it expires`, async (t) => {
    const { svc } = withTokens(t, { [which]: NOW + 29_000 });
    const requests = watchFetch(t, answering("b"));
    await list(svc);
    assert.deepEqual(sent(requests), [REFRESH, "JWT access-b"]);
  });
}

test("tokens that do not say when they expire are not refreshed", async (t) => {
  const { svc } = withTokens(t, {});
  const requests = watchFetch(t, answering("b"));
  await list(svc);
  assert.deepEqual(sent(requests), ["JWT access-a"]);
});

test("time that goes by between two calls counts", async (t) => {
  const { svc, clock } = withTokens(t, { access: NOW + 60_000 });
  const requests = watchFetch(t, answering("b", { access: NOW + HOUR }));
  await list(svc);
  clock.time = NOW + 31_000;
  await list(svc);
  assert.deepEqual(sent(requests), ["JWT access-a", REFRESH, "JWT access-b"]);
});

test("getHeaders and isAuthenticated refresh too", async (t) => {
  const { svc, clock } = withTokens(t, { access: NOW + 29_000 });
  let expires = NOW + 60_000;
  const requests = watchFetch(t, (request) => answering("b", { access: expires })(request));
  assert.deepEqual(await svc.getHeaders(), { Authorization: "JWT access-b" });
  clock.time = NOW + 31_000;
  expires = NOW + HOUR;
  await svc.isAuthenticated();
  assert.deepEqual(sent(requests), [REFRESH, REFRESH, "JWT access-b"]);
});

test("calls that need nobody signed in refresh nothing", async (t) => {
  const { svc } = withTokens(t, { access: NOW + 29_000 });
  const requests = watchFetch(t, () => Response.json({ result: true }));
  await svc.resetPassword(EMAIL);
  assert.deepEqual(sent(requests), ["/projects/demo/prod/auth/reset_password"]);
});

test("an apiToken makes a refresh needless", async (t) => {
  const { svc } = withTokens(t, { access: NOW - HOUR }, { apiToken: "token" });
  const requests = watchFetch(t, emptyList);
  await list(svc);
  assert.deepEqual(sent(requests), ["Bearer token"]);
});

test("a hundred calls at once cause one refresh, and all of them wait for it", async (t) => {
  const { svc } = withTokens(t, { access: NOW + 29_000 });
  const gate = deferred();
  const requests = watchFetch(t, async (request) => {
    if (target(request) !== REFRESH) return emptyList();
    await gate.promise;
    return renewed("b", { access: NOW + HOUR });
  });
  const calls = Array.from({ length: 100 }, () => list(svc).then(() => "done"));
  const first = Promise.race(calls);
  // Long enough for every call to have come as far as it can.
  for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate);
  assert.deepEqual(sent(requests), [REFRESH]);
  gate.resolve();
  assert.equal(await first, "done");
  await Promise.all(calls);
  assert.deepEqual(sent(requests), [REFRESH, ...Array.from({ length: 100 }, () => "JWT access-b")]);
});

test("a hundred calls at once cause one refresh at the service", async (t) => {
  const storage = new FakeStorage();
  const svc = new Svc({ ...service.options, storage });
  const { token } = await svc.loginViaEmailPassword(EMAIL, PASSWORD);
  const requests = watchFetch(t);
  fakeClock(t, Date.parse(token.accessTokenExpires) - 29_000);
  const orders = svc.collection("shop", "orders");
  const records = await Promise.all(Array.from({ length: 100 }, (_, index) => orders.get(index + 1)));
  assert.deepEqual(records.map(({ id }) => id), Array.from({ length: 100 }, (_, index) => index + 1));
  assert.equal(named(requests, "auth/refresh").length, 1);
  assert.notEqual(storage.tokens.access_token, token.accessToken);
  assert.notEqual(storage.tokens.refresh_token, token.refreshToken);
  const headers = new Set(sent(requests.filter(({ url }) => !url.pathname.endsWith("/auth/refresh"))));
  assert.deepEqual([...headers], [`JWT ${storage.tokens.access_token}`]);
});

for (const status of [401, 403]) {
  test(`a refresh that is refused with ${status} ends the session, here and in the storage`, async (t) => {
    const { svc, storage } = withTokens(t, { access: NOW + 29_000 });
    const requests = watchFetch(t, (request) =>
      target(request) === REFRESH ? Response.json({ detail: "no" }, { status }) : emptyList(),
    );
    const error = await list(svc).catch((error) => error);
    assert.ok(error instanceof SvcRequestError, String(error));
    assert.equal(error.kind, "auth");
    assert.match(error.message, /the session has ended; sign in again/);
    assert.equal(storage.getItem(KEY), null);
    assert.deepEqual(sent(requests), [REFRESH]);
    assert.deepEqual(await svc.isAuthenticated(), { authenticated: false });
    assert.equal(requests.length, 1);
  });
}

test("a refresh token that the service does not know ends the session", async (t) => {
  const storage = new FakeStorage();
  const svc = new Svc({ ...service.options, storage });
  const { token } = await svc.loginViaEmailPassword(EMAIL, PASSWORD);
  storage.tokens = { ...storage.tokens, refresh_token: "svcr_no_such_token" };
  const restored = new Svc({ ...service.options, storage });
  fakeClock(t, Date.parse(token.accessTokenExpires) - 29_000);
  await assert.rejects(restored.isAuthenticated(), { kind: "auth" });
  assert.equal(storage.getItem(KEY), null);
});

for (const status of [400, 404, 429, 503]) {
  test(`a refresh that fails with ${status} leaves tokens that still work in use`, async (t) => {
    const { svc, storage } = withTokens(t, { access: NOW + 29_000 });
    const requests = watchFetch(t, (request) =>
      target(request) === REFRESH ? Response.json({ detail: "later" }, { status }) : emptyList(),
    );
    await list(svc);
    assert.deepEqual(sent(requests), [REFRESH, "JWT access-a"]);
    assert.equal(storage.tokens.access_token, "access-a");
  });
}

test("a refresh goes on when the only call that waits for it is aborted", async (t) => {
  const { svc, storage } = withTokens(t, { access: NOW - 1000 });
  const [begun, gate, stored] = [deferred(), deferred(), deferred()];
  const requests = watchFetch(t, async (request) => {
    if (target(request) !== REFRESH) return emptyList();
    begun.resolve();
    await gate.promise;
    return renewed("b", { access: NOW + HOUR });
  });
  const put = storage.setItem;
  storage.setItem = function (...entry) {
    put.apply(this, entry);
    stored.resolve();
  };
  const controller = new AbortController();
  const headers = svc.getHeaders({ signal: controller.signal });
  await begun.promise;
  controller.abort();
  await assert.rejects(headers, { name: "AbortError" });
  gate.resolve();
  // Nobody waits any more, and the new tokens are stored.
  await stored.promise;
  assert.equal(storage.tokens.refresh_token, "refresh-b");
  assert.deepEqual(await svc.getHeaders(), { Authorization: "JWT access-b" });
  assert.deepEqual(sent(requests), [REFRESH]);
});

test("getHeaders and isAuthenticated keep to their time while a refresh hangs", async (t) => {
  const { svc } = withTokens(t, { access: NOW - 1000 });
  watchFetch(t, () => new Promise(() => {}));
  const late = { name: "SvcRequestError", kind: "transport", message: /did not answer in time/ };
  await assert.rejects(svc.getHeaders({ timeout: 20 }), late);
  await assert.rejects(svc.isAuthenticated({ timeout: 20 }), late);
});

test("a refresh that fails with tokens that have expired rejects, and is attempted again later", async (t) => {
  const { svc, storage, clock } = withTokens(t, { access: NOW - 1000 });
  let status = 503;
  const requests = watchFetch(t, (request) => {
    if (target(request) !== REFRESH) return emptyList();
    return status === 200 ? renewed("b", { access: NOW + HOUR }) : Response.json({}, { status });
  });
  await assert.rejects(async () => list(svc), { name: "SvcRequestError", kind: "auth" });
  assert.equal(storage.tokens.access_token, "access-a");
  status = 200;
  clock.time = NOW + 60_000;
  await list(svc);
  assert.deepEqual(sent(requests), [REFRESH, REFRESH, "JWT access-b"]);
});

test("a login during a refresh wins", async (t) => {
  const { svc, storage } = withTokens(t, { access: NOW + 29_000 });
  const [begun, gate] = [deferred(), deferred()];
  watchFetch(t, async (request) => {
    if (target(request) === REFRESH) {
      begun.resolve();
      await gate.promise;
      return renewed("of-the-refresh", { access: NOW + HOUR });
    }
    const { session, ...token } = entry("of-the-login", { access: NOW + HOUR });
    return Response.json({ token, user: {} });
  });
  const headers = svc.getHeaders();
  await begun.promise;
  await svc.loginViaEmailPassword(EMAIL, PASSWORD);
  gate.resolve();
  assert.deepEqual(await headers, { Authorization: "JWT access-of-the-login" });
  assert.equal(storage.tokens.access_token, "access-of-the-login");
  assert.deepEqual(await svc.getHeaders(), { Authorization: "JWT access-of-the-login" });
});

test("a logout during a refresh wins, and the entry stays away", async (t) => {
  const { svc, storage } = withTokens(t, { access: NOW + 29_000 });
  const [begun, gate] = [deferred(), deferred()];
  watchFetch(t, async () => {
    begun.resolve();
    await gate.promise;
    return renewed("b", { access: NOW + HOUR });
  });
  const headers = svc.getHeaders();
  await begun.promise;
  await svc.logout();
  gate.resolve();
  assert.equal(await headers, undefined);
  assert.equal(storage.getItem(KEY), null);
  assert.equal(await svc.getHeaders(), undefined);
});

test("tokens that another client has refreshed are taken over without a second refresh", async (t) => {
  const { svc, storage } = withTokens(t, { access: NOW + 29_000 });
  const other = new Svc({ project: "demo", storage });
  const requests = watchFetch(t, answering("b", { access: NOW + HOUR }));
  await list(svc);
  await list(other);
  assert.deepEqual(sent(requests), [REFRESH, "JWT access-b", "JWT access-b"]);
});

test("a token that the service refuses before its time is refreshed, and the call sent again once", async (t) => {
  const { svc } = withTokens(t, { access: NOW + HOUR });
  const requests = watchFetch(t, (request) => {
    if (target(request) === REFRESH) return renewed("b", { access: NOW + HOUR });
    const refused = request.headers.get("authorization") === "JWT access-a";
    return refused ? Response.json({ detail: "expired" }, { status: 401 }) : emptyList();
  });
  await list(svc);
  assert.deepEqual(sent(requests), ["JWT access-a", REFRESH, "JWT access-b"]);
});

test("a call whose refreshed token is refused too is not sent a third time", async (t) => {
  const { svc } = withTokens(t, { access: NOW + HOUR });
  const requests = watchFetch(t, (request) =>
    target(request) === REFRESH
      ? renewed("b", { access: NOW + HOUR })
      : Response.json({ detail: "no" }, { status: 401 }),
  );
  await assert.rejects(async () => list(svc), { status: 401 });
  assert.deepEqual(sent(requests), ["JWT access-a", REFRESH, "JWT access-b"]);
});

test("an answer to a refresh that is lost is asked for again", async (t) => {
  const { svc } = withTokens(t, { access: NOW - 1000 });
  let lost = 0;
  const requests = watchFetch(t, (request) => {
    if (target(request) === REFRESH && (lost += 1) === 1) throw new TypeError("fetch failed");
    return answering("b", { access: NOW + HOUR })(request);
  });
  await list(svc);
  assert.deepEqual(sent(requests), [REFRESH, REFRESH, "JWT access-b"]);
});
