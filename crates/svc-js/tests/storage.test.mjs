// Where tokens are kept: localStorage, a storage of the program's own, or memory.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Svc, SvcRequestError } from "svc-js";

import { watchFetch } from "./support/fetch.mjs";
import { FakeStorage, fakeClock, fakeWindow, KEY } from "./support/storage.mjs";
import { entry, renewed } from "./support/tokens.mjs";

const client = (options) => new Svc({ project: "demo", ...options });
const login = (svc) => svc.loginViaEmailPassword("ann@example.com", "correct horse");
const headersOf = (name) => ({ Authorization: `JWT access-${name}` });

/** Answers every login with these tokens. */
function answerLogins(t, name, expires) {
  const { session, ...token } = entry(name, expires);
  return watchFetch(t, () => Response.json({ token, user: { uid: "u" } }));
}

const rejected = async (promise) => {
  const error = await promise.then(() => assert.fail("it was accepted"), (error) => error);
  assert.ok(error instanceof SvcRequestError, String(error));
  return error;
};

test("the localStorage of the window is used", async (t) => {
  const storage = new FakeStorage();
  fakeWindow(t, storage);
  answerLogins(t, "a");
  await login(client());
  assert.deepEqual([...storage.entries.keys()], [KEY]);
});

test("a storage that is given is used in the place of localStorage", async (t) => {
  const [local, own] = [new FakeStorage(), new FakeStorage()];
  fakeWindow(t, local);
  local.tokens = entry("local");
  answerLogins(t, "a");
  const svc = client({ storage: own });
  assert.equal(await svc.getHeaders(), undefined);
  await login(svc);
  assert.equal(own.tokens.access_token, "access-a");
  assert.equal(local.tokens.access_token, "access-local");
  await svc.logout();
  assert.equal(own.getItem(KEY), null);
  assert.equal(local.tokens.access_token, "access-local");
});

test("a storage needs getItem, setItem and removeItem alone, and they are its methods", async (t) => {
  const calls = [];
  const storage = {
    kept: null,
    getItem(key) {
      calls.push(["getItem", key]);
      return this.kept;
    },
    setItem(key, value) {
      calls.push(["setItem", key]);
      this.kept = value;
    },
    removeItem(key) {
      calls.push(["removeItem", key]);
      this.kept = null;
    },
  };
  answerLogins(t, "a");
  const svc = client({ storage });
  assert.deepEqual(calls, [["getItem", KEY]]);
  await login(svc);
  assert.equal(JSON.parse(storage.kept).access_token, "access-a");
  await svc.logout();
  assert.equal(storage.kept, null);
  assert.deepEqual([...new Set(calls.map(String))], ["getItem,svc_auth", "setItem,svc_auth", "removeItem,svc_auth"]);
});

test("a storage may give undefined for what it has not", async () => {
  const storage = { getItem: () => undefined, setItem() {}, removeItem() {} };
  assert.equal(await client({ storage }).getHeaders(), undefined);
});

test("without a storage tokens are kept in memory, each client's in its own", async (t) => {
  assert.equal(globalThis.window, undefined);
  answerLogins(t, "a");
  const svc = client();
  await login(svc);
  assert.deepEqual(await svc.getHeaders(), headersOf("a"));
  assert.equal(await client().getHeaders(), undefined);
  await svc.logout();
  assert.equal(await svc.getHeaders(), undefined);
});

test("where the browser blocks localStorage, memory is used", async (t) => {
  fakeWindow(t, () => {
    throw new Error("SecurityError: access is denied for this document");
  });
  answerLogins(t, "a");
  const svc = client();
  await login(svc);
  assert.deepEqual(await svc.getHeaders(), headersOf("a"));
});

test("where a window has no localStorage, memory is used", async (t) => {
  fakeWindow(t, null);
  answerLogins(t, "a");
  const svc = client();
  await login(svc);
  assert.deepEqual(await svc.getHeaders(), headersOf("a"));
});

test("a storage that is full rejects a login, and says so without the tokens", async (t) => {
  const storage = new FakeStorage();
  storage.setItem = () => {
    throw new Error("QuotaExceededError");
  };
  answerLogins(t, "hidden");
  const svc = client({ storage });
  const error = await rejected(login(svc));
  assert.equal(error.kind, "store");
  assert.match(error.message, /svc_auth.*QuotaExceededError.*full/);
  assert.doesNotMatch(error.message, /hidden/);
  assert.equal(await svc.getHeaders(), undefined);
});

test("a storage that cannot be read does not stop the constructor, and rejects the first call", async (t) => {
  const storage = new FakeStorage();
  storage.getItem = () => {
    throw new Error("blocked");
  };
  const requests = answerLogins(t, "a");
  const svc = client({ storage });
  const error = await rejected(svc.isAuthenticated());
  assert.match(error.message, /could not be read/);
  assert.deepEqual(requests, []);
  // Signing in again needs no earlier tokens.
  await login(svc);
  assert.deepEqual(await svc.getHeaders(), headersOf("a"));
});

test("a storage that cannot be read at construction and can be later gives its tokens", async () => {
  const storage = new FakeStorage();
  storage.tokens = entry("a");
  storage.getItem = () => {
    throw new Error("blocked");
  };
  const svc = client({ storage });
  delete storage.getItem;
  assert.deepEqual(await svc.getHeaders(), headersOf("a"));
});

test("a storage that cannot be emptied rejects a logout, and the client has forgotten its tokens", async () => {
  const storage = new FakeStorage();
  storage.tokens = entry("a");
  storage.removeItem = () => {
    throw "blocked";
  };
  const svc = client({ storage });
  const error = await rejected(svc.logout());
  assert.equal(error.kind, "store");
  assert.match(error.message, /blocked/);
  assert.equal(await svc.getHeaders(), undefined);
});

test("a storage that fails during a refresh leaves tokens that still work in use", async (t) => {
  const now = Date.UTC(2026, 8, 15, 12);
  fakeClock(t, now);
  const storage = new FakeStorage();
  storage.tokens = entry("a", { access: now + 29_000 });
  const svc = client({ storage });
  storage.setItem = () => {
    throw new Error("full");
  };
  watchFetch(t, () => renewed("b", { access: now + 3_600_000 }));
  assert.deepEqual(await svc.getHeaders(), headersOf("a"));
});

test("a damaged entry is ignored, and the next login replaces it", async (t) => {
  const texts = ["", "{", "null", "1", '"a"', "[]", "{}", '{"access_token":"a"}', '{"access_token":1,"refresh_token":2}', "\u0000"];
  answerLogins(t, "a");
  for (const text of texts) {
    const storage = new FakeStorage();
    storage.setItem(KEY, text);
    const svc = client({ storage });
    assert.deepEqual(await svc.isAuthenticated(), { authenticated: false }, text);
    await login(svc);
    assert.equal(storage.tokens.access_token, "access-a");
  }
});

test("tokens that are not allowed in a header are ignored", async () => {
  const storage = new FakeStorage();
  storage.tokens = { ...entry("a"), access_token: "a\r\nX-Evil: 1" };
  assert.deepEqual(await client({ storage }).isAuthenticated(), { authenticated: false });
});

test("an entry of the tokens alone is restored", async () => {
  const storage = new FakeStorage();
  storage.tokens = { access_token: "access-a", refresh_token: "refresh-a" };
  assert.deepEqual(await client({ storage }).getHeaders(), headersOf("a"));
});

test("an unreadable time of expiry is ignored", async () => {
  const storage = new FakeStorage();
  storage.tokens = { ...entry("a"), access_token_expires: "soon" };
  assert.deepEqual(await client({ storage }).getHeaders(), headersOf("a"));
});

test("an entry that another program has put there during a refresh is left alone", async (t) => {
  const now = Date.UTC(2026, 8, 15, 12);
  fakeClock(t, now);
  const storage = new FakeStorage();
  storage.tokens = entry("a", { access: now + 29_000 });
  const svc = client({ storage });
  const other = { ...entry("other"), session: "session-2" };
  watchFetch(t, () => {
    storage.tokens = other;
    return renewed("b", { access: now + 3_600_000 });
  });
  assert.deepEqual(await svc.getHeaders(), headersOf("b"));
  assert.deepEqual(storage.tokens, JSON.parse(JSON.stringify(other)));
});
