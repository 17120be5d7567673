// Calls that are cancelled by a signal or by their time limit.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { createClientFromRequest, Svc, SvcRequestError } from "svc-js";

import { deferred, emptyList, watchFetch } from "./support/fetch.mjs";
import { serve } from "./support/server.mjs";
import { startService, UNTHROTTLED } from "./support/service.mjs";
import { FakeStorage, fakeClock } from "./support/storage.mjs";
import { entry, renewed } from "./support/tokens.mjs";

let service;

before(async () => {
  service = await startService({ args: UNTHROTTLED });
});

after(() => service.stop());

/** A client of a server that does not answer, what tells that it was asked, and what tells that it was left. */
async function hanging(t, begin = () => {}) {
  const [asked, left] = [deferred(), deferred()];
  const requests = [];
  const apiBaseUrl = await serve(t, (request, response) => {
    requests.push(request.url);
    response.once("close", () => left.resolve());
    begin(response);
    asked.resolve();
  });
  return { svc: new Svc({ project: "demo", apiBaseUrl, apiToken: "token" }), asked: asked.promise, left: left.promise, requests };
}

/** Every call that there is, with these options. */
const CALLS = {
  loginViaEmailPassword: (svc, options) => svc.loginViaEmailPassword("a@example.com", "b", options),
  isAuthenticated: (svc, options) => svc.isAuthenticated(options),
  registerViaEmailPassword: (svc, options) => svc.registerViaEmailPassword({ email: "a", password: "b", ...options }),
  changePassword: (svc, options) => svc.changePassword("a", "b", options),
  resetPassword: (svc, options) => svc.resetPassword("a", options),
  resetPasswordComplete: (svc, options) => svc.resetPasswordComplete("a", "b", options),
  changeEmail: (svc, options) => svc.changeEmail("a", "b", options),
  changeEmailComplete: (svc, options) => svc.changeEmailComplete("a", options),
  acceptInvitation: (svc, options) => svc.acceptInvitation("a", "b", options),
  "collection.list": (svc, options) => svc.collection("a", "b").list(options).then(),
  "collection.byPage": (svc, options) => svc.collection("a", "b").list(options).byPage().next(),
  "collection.get": (svc, options) => svc.collection("a", "b").get(1, options),
  "collection.create": (svc, options) => svc.collection("a", "b").create({}, options),
  "collection.update": (svc, options) => svc.collection("a", "b").update(1, {}, options),
  "collection.delete": (svc, options) => svc.collection("a", "b").delete(1, options),
  "collection.aggregate": (svc, options) => svc.collection("a", "b").aggregate({ func: "count", ...options }),
  "collection.group": (svc, options) => svc.collection("a", "b").group({ func: "count", by: "c", ...options }),
  sql: (svc, options) => svc.sql("a", "SELECT 1", options),
  reload: (svc, options) => svc.reload("a", options),
  modelDescriptions: (svc, options) => svc.modelDescriptions("a", options),
  proxy: (svc, options) => svc.proxy({ url: "http://a.example", ...options }),
  "users.list": (svc, options) => svc.users.list(options).then(),
  "users.get": (svc, options) => svc.users.get("u", options),
  "users.create": (svc, options) => svc.users.create({}, options),
  "users.update": (svc, options) => svc.users.update("u", {}, options),
  "users.delete": (svc, options) => svc.users.delete("u", options),
  "teams.list": (svc, options) => svc.teams.list(options).then(),
  "teams.get": (svc, options) => svc.teams.get("t", options),
  "teams.update": (svc, options) => svc.teams.update("t", {}, options),
  "pages.list": (svc, options) => svc.pages.list(options),
  "pages.get": (svc, options) => svc.pages.get("p", options),
  "pages.create": (svc, options) => svc.pages.create({}, options),
  "pages.update": (svc, options) => svc.pages.update("p", {}, options),
  "pages.delete": (svc, options) => svc.pages.delete("p", options),
  "pages.publish": (svc, options) => svc.pages.publish([], options),
  "pages.discard": (svc, options) => svc.pages.discard([], options),
  "pages.revisions": (svc, options) => svc.pages.revisions("p", options),
  "pages.restore": (svc, options) => svc.pages.restore("p", 1, options),
};

test("every call can be cancelled by its signal while it is in progress, with the signal's own reason", async (t) => {
  for (const [name, call] of Object.entries(CALLS)) {
    const asked = deferred();
    const requests = watchFetch(t, () => {
      asked.resolve();
      return new Promise(() => {});
    });
    const svc = new Svc({ project: "demo", apiToken: "token" });
    const controller = new AbortController();
    const answer = call(svc, { signal: controller.signal });
    await asked.promise;
    const reason = { name };
    controller.abort(reason);
    await assert.rejects(answer, (error) => error === reason, name);
    assert.equal(requests[0].init.signal.aborted, true, name);
  }
});

test("no call is sent when its signal is aborted already", async (t) => {
  const requests = watchFetch(t, emptyList);
  const reason = new Error("too late");
  for (const [name, call] of Object.entries(CALLS)) {
    const svc = new Svc({ project: "demo", apiToken: "token" });
    await assert.rejects(call(svc, { signal: AbortSignal.abort(reason) }), (error) => error === reason, name);
  }
  // Calls of clients without a signed-in user.
  const svc = new Svc({ project: "demo" });
  await assert.rejects(svc.isAuthenticated({ signal: AbortSignal.abort(reason) }), (error) => error === reason);
  assert.deepEqual(requests, []);
});

test("a call that waits for a refresh can be cancelled", async (t) => {
  const waits = {
    getHeaders: (svc, options) => svc.getHeaders(options),
    isAuthenticated: (svc, options) => svc.isAuthenticated(options),
    logout: (svc, options) => svc.logout({ revoke: true, ...options }),
    "collection.get": (svc, options) => svc.collection("a", "b").get(1, options),
  };
  for (const [name, wait] of Object.entries(waits)) {
    const asked = deferred();
    watchFetch(t, () => {
      asked.resolve();
      return new Promise(() => {});
    });
    const storage = new FakeStorage();
    storage.tokens = entry("a", { access: 0 });
    const controller = new AbortController();
    const answer = wait(new Svc({ project: "demo", storage }), { signal: controller.signal });
    await asked.promise;
    const reason = { name };
    controller.abort(reason);
    await assert.rejects(answer, (error) => error === reason, name);
  }
});

test("every method that makes a call is among those above", () => {
  const svc = new Svc({ project: "demo" });
  const methods = (prototype) => Object.getOwnPropertyNames(prototype).filter((name) => name !== "constructor");
  const of = (name, object) => methods(Object.getPrototypeOf(object)).map((method) => `${name}.${method}`);
  const all = [
    ...methods(Object.getPrototypeOf(Svc.prototype)),
    ...of("collection", svc.collection("a", "b")),
    ...["users", "teams", "pages"].flatMap((name) => of(name, svc[name])),
  ];
  const without = ["collection", "logout", "getHeaders", "loadServiceToken"];
  const called = [...Object.keys(CALLS).filter((name) => name !== "collection.byPage"), ...without];
  assert.deepEqual(all.sort(), called.sort());
});

test("the service sees the connection close when a call is cancelled", async (t) => {
  const { svc, asked, left, requests } = await hanging(t);
  const controller = new AbortController();
  const answer = svc.collection("shop", "orders").list({ signal: controller.signal }).then();
  await asked;
  controller.abort();
  await assert.rejects(answer, { name: "AbortError" });
  await left;
  // It is not tried again.
  assert.equal(requests.length, 1);
});

test("a call is given up in the middle of its answer", async (t) => {
  const { svc, asked, left } = await hanging(t, (response) => response.writeHead(200).write('{"results":['));
  const controller = new AbortController();
  const answer = svc.collection("shop", "orders").list({ signal: controller.signal }).then();
  await asked;
  controller.abort();
  await assert.rejects(answer, { name: "AbortError" });
  await left;
});

test("a signal that times out rejects with its TimeoutError", async (t) => {
  // Whether the service saw the call before that is up to the machine.
  const { svc } = await hanging(t);
  const signal = AbortSignal.timeout(20);
  await assert.rejects(svc.collection("shop", "orders").get(1, { signal }), (error) => {
    assert.equal(error.name, "TimeoutError");
    return error === signal.reason;
  });
});

test("a signal that is aborted after the answer changes nothing, and is not listened to any more", async (t) => {
  watchFetch(t, emptyList);
  const controller = new AbortController();
  const { signal } = controller;
  const listeners = [];
  t.mock.method(signal, "addEventListener", function (...args) {
    listeners.push(args[1]);
    return EventTarget.prototype.addEventListener.apply(this, args);
  });
  t.mock.method(signal, "removeEventListener", function (...args) {
    listeners.splice(listeners.indexOf(args[1]), 1);
    return EventTarget.prototype.removeEventListener.apply(this, args);
  });
  const svc = new Svc({ project: "demo" });
  for (let call = 0; call < 20; call += 1) await svc.collection("shop", "orders").list({ signal });
  assert.equal(signal.addEventListener.mock.callCount(), 20);
  assert.deepEqual(listeners, []);
  controller.abort();
});

test("one signal gives up many calls", async (t) => {
  const asked = deferred();
  const requests = watchFetch(t, () => {
    if (requests.length === 10) asked.resolve();
    return new Promise(() => {});
  });
  const controller = new AbortController();
  const orders = new Svc({ project: "demo" }).collection("shop", "orders");
  const answers = Array.from({ length: 10 }, (_, id) => orders.get(id, { signal: controller.signal }));
  await asked.promise;
  controller.abort();
  const outcomes = await Promise.allSettled(answers);
  assert.ok(outcomes.every(({ reason }) => reason === controller.signal.reason));
  assert.ok(requests.every(({ init }) => init.signal.aborted));
});

test("a cancelled call does not affect others", async () => {
  const svc = new Svc({ ...service.options, apiToken: service.shopToken });
  const orders = svc.collection("shop", "orders");
  const controller = new AbortController();
  const given = orders.get(1, { signal: controller.signal });
  const kept = orders.get(2);
  controller.abort();
  await assert.rejects(given, { name: "AbortError" });
  assert.equal((await kept).id, 2);
  assert.equal((await orders.get(3)).id, 3);
});

test("a call that is given up during a refresh leaves the refresh to the others", async (t) => {
  const now = Date.UTC(2026, 8, 15, 12);
  fakeClock(t, now);
  const storage = new FakeStorage();
  storage.tokens = entry("a", { access: now + 29_000 });
  const [asked, gate] = [deferred(), deferred()];
  const requests = watchFetch(t, async ({ url }) => {
    if (!url.pathname.endsWith("/auth/refresh")) return emptyList();
    asked.resolve();
    await gate.promise;
    return renewed("b", { access: now + 3_600_000 });
  });
  const orders = new Svc({ project: "demo", storage }).collection("shop", "orders");
  const controller = new AbortController();
  const given = orders.list({ signal: controller.signal }).then();
  const kept = orders.list().then();
  await asked.promise;
  controller.abort();
  await assert.rejects(given, { name: "AbortError" });
  gate.resolve();
  await kept;
  assert.equal(storage.tokens.access_token, "access-b");
  assert.equal(requests.length, 2);
});

test("a call that is given up while it waits to be tried again is not tried again", async (t) => {
  const asked = deferred();
  const requests = watchFetch(t, () => {
    asked.resolve();
    return Response.json({}, { status: 503, headers: { "retry-after": "5" } });
  });
  const controller = new AbortController();
  const answer = new Svc({ project: "demo" }).collection("shop", "orders").get(1, { signal: controller.signal });
  await asked.promise;
  controller.abort();
  await assert.rejects(answer, { name: "AbortError" });
  assert.equal(requests.length, 1);
});

test("for await is given up by the signal of its list", async (t) => {
  const controller = new AbortController();
  const orders = new Svc({ ...service.options, apiToken: service.shopToken }).collection("shop", "orders");
  const requests = watchFetch(t);
  const seen = [];
  await assert.rejects(
    async () => {
      for await (const { id } of orders.list({ pagination: { perPage: 2 }, signal: controller.signal })) {
        seen.push(id);
        if (seen.length === 3) controller.abort();
      }
    },
    { name: "AbortError" },
  );
  assert.deepEqual(seen, [100_000, 99_999, 99_998, 99_997]);
  assert.equal(requests.length, 2);
});

test("timeout is the time of the whole call, after which it fails and its connection is closed", async (t) => {
  // A call that is over before the service saw it, on a slow machine, says nothing about its connection.
  for (let [timeout, isSeen] = [20, false]; !isSeen; timeout *= 4) {
    const { svc, left, requests } = await hanging(t);
    const error = await svc.collection("shop", "orders").get(1, { timeout }).catch((error) => error);
    assert.ok(error instanceof SvcRequestError, String(error));
    assert.equal(error.kind, "transport");
    assert.match(error.message, /time/);
    isSeen = requests.length > 0;
    if (isSeen) await left;
  }
});

test("timeout counts every try, so that a busy service does not prolong it", async (t) => {
  const requests = watchFetch(t, () => Response.json({}, { status: 503, headers: { "retry-after": "9" } }));
  const svc = new Svc({ project: "demo" });
  const error = await svc.collection("shop", "orders").get(1, { timeout: 1000 }).catch((error) => error);
  assert.equal(error.status, 503);
  assert.equal(requests.length, 1);
});

test("without a timeout a call has 30 seconds, and with Infinity it has none", async (t) => {
  watchFetch(t, emptyList);
  const waits = [];
  const real = globalThis.setTimeout;
  t.mock.method(globalThis, "setTimeout", (callback, delay, ...rest) => {
    waits.push(delay);
    return real(callback, delay, ...rest);
  });
  const orders = new Svc({ project: "demo" }).collection("shop", "orders");
  const longest = async (options) => {
    waits.length = 0;
    await orders.get(1, options);
    return Math.max(0, ...waits);
  };
  assert.equal(await longest(), 30_000);
  assert.equal(await longest({ timeout: 1500 }), 1500);
  assert.equal(await longest({ timeout: Infinity }), 0);
});

test("a refresh that is never answered is given up after its time", async (t) => {
  const given = [];
  watchFetch(t, ({ init: { signal } }) => new Promise((_, reject) => {
    given.push(signal);
    signal.addEventListener("abort", () => reject(signal.reason));
  }));
  const real = globalThis.setTimeout;
  // Seconds are over at once: both requests of the refresh.
  t.mock.method(globalThis, "setTimeout", (callback, delay, ...rest) => real(callback, delay > 1000 ? 1 : delay, ...rest));
  const storage = new FakeStorage();
  storage.tokens = entry("a", { access: 0 });
  const svc = new Svc({ project: "demo", storage });
  const error = await svc.getHeaders({ timeout: Infinity }).catch((error) => error);
  assert.ok(error instanceof SvcRequestError, String(error));
  assert.equal(error.kind, "auth");
  assert.match(error.message, /refresh/);
  assert.equal(given.length, 2);
  assert.ok(given.every((signal) => signal.aborted));
});

test("a call that ends in time leaves no timer behind", async (t) => {
  watchFetch(t, emptyList);
  const timers = new Set();
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  t.mock.method(globalThis, "setTimeout", (...args) => {
    const timer = set(...args);
    timers.add(timer);
    return timer;
  });
  t.mock.method(globalThis, "clearTimeout", (timer) => {
    timers.delete(timer);
    clear(timer);
  });
  const svc = new Svc({ project: "demo" });
  await Promise.all(Array.from({ length: 10 }, (_, id) => svc.collection("shop", "orders").get(id)));
  assert.ok(globalThis.setTimeout.mock.callCount() >= 10);
  assert.equal(timers.size, 0);
});

test("the signal of a request of the service gives up what is asked for it", async (t) => {
  const asked = deferred();
  watchFetch(t, () => {
    asked.resolve();
    return new Promise(() => {});
  });
  const headers = { "X-Svc-Project": "a", "X-Svc-Environment": "b", "X-Svc-Service-Token": "c" };
  const controller = new AbortController();
  const request = new Request("http://a.example", { headers, signal: controller.signal });
  const answer = createClientFromRequest(request).collection("shop", "orders").get(1, { signal: request.signal });
  await asked.promise;
  controller.abort();
  await assert.rejects(answer, { name: "AbortError" });
});
