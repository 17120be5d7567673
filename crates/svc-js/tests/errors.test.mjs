// What calls reject with.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { inspect } from "node:util";

import { Svc, SvcRequestError } from "svc-js";

import { watchFetch } from "./support/fetch.mjs";
import { nobody, serve } from "./support/server.mjs";
import { PASSWORD, startService, UNTHROTTLED } from "./support/service.mjs";
import { FakeStorage } from "./support/storage.mjs";
import { entry } from "./support/tokens.mjs";

let service;
let svc;

before(async () => {
  service = await startService({ args: UNTHROTTLED });
  svc = new Svc({ ...service.options, apiToken: service.shopToken });
});

after(() => service.stop());

const rejected = async (promise) => {
  const error = await Promise.resolve(promise).then(() => assert.fail("it was accepted"), (error) => error);
  assert.ok(error instanceof SvcRequestError, String(error));
  assert.ok(error instanceof Error);
  assert.equal(error.name, "SvcRequestError");
  assert.match(error.stack, /^SvcRequestError: /);
  assert.ok(error.stack.includes(error.message));
  return error;
};

/** A client of a server of the test's own. */
const clientOf = async (t, answer, options) =>
  new Svc({ project: "demo", apiBaseUrl: await serve(t, answer), apiToken: "token", ...options });

test("an error response has its status, the request's ID, and its unchanged body", async () => {
  const error = await rejected(svc.collection("shop", "orders").get(123456789, { requestId: "request-7" }));
  assert.equal(error.kind, "status");
  assert.equal(error.status, 404);
  assert.equal(error.requestId, "request-7");
  assert.equal(JSON.parse(error.body).error_code, "not_found");
  assert.deepEqual(error.generalErrors, [JSON.parse(error.body).detail]);
  assert.deepEqual(error.fieldErrors, {});
  assert.match(error.message, /^records\.get: the service answered 404 Not Found: /);
});

test("the service sets the ID of a request that has none", async () => {
  const error = await rejected(svc.collection("shop", "orders").get(123456789));
  assert.match(error.requestId, /^[0-9a-f-]{36}$/);
});

test("errors of fields and of the request as a whole are separate", async () => {
  const fields = await rejected(svc.collection("shop", "products").create({ name: 1 }));
  assert.equal(fields.status, 400);
  assert.ok(fields.fieldErrors.sku.every((message) => typeof message === "string"), fields.body);
  assert.deepEqual(fields.generalErrors, []);
  const whole = await rejected(svc.sql("shop", "SELECT no_such_column"));
  assert.equal(whole.generalErrors.length, 1);
  assert.deepEqual(whole.fieldErrors, {});
});

test("a body of any other shape is kept unchanged", async (t) => {
  const bodies = ["", "<html>Bad Gateway</html>", "[1]", '"no"', "null", '{"detail":[1],"x":{"y":2}}', "{"];
  for (const body of bodies) {
    const client = await clientOf(t, (_, response) => response.writeHead(500).end(body));
    const error = await rejected(client.collection("shop", "orders").get(1));
    assert.equal(error.kind, "status", body);
    assert.equal(error.status, 500);
    assert.equal(error.body, body);
    assert.equal(error.requestId, undefined);
    assert.deepEqual(error.generalErrors, []);
  }
});

test("a field may have any name, and is one of the object alone", async (t) => {
  const body = '{"__proto__":["a"],"constructor":["b"]}';
  const client = await clientOf(t, (_, response) => response.writeHead(400).end(body));
  const { fieldErrors } = await rejected(client.collection("shop", "orders").get(1));
  assert.deepEqual(Object.keys(fieldErrors).sort(), ["__proto__", "constructor"]);
  assert.equal(Object.getPrototypeOf(fieldErrors), Object.prototype);
});

test("an unreachable service is a failure of the transport, which names the address", async () => {
  const apiBaseUrl = await nobody();
  const client = new Svc({ project: "demo", apiBaseUrl, apiToken: "token" });
  const error = await rejected(client.collection("shop", "orders").create({}));
  assert.equal(error.kind, "transport");
  assert.equal(error.status, undefined);
  assert.equal(error.body, undefined);
  assert.match(error.message, /could not connect/);
  assert.ok(error.message.includes(apiBaseUrl), error.message);
});

test("a connection that breaks off is a failure of the transport", async (t) => {
  const client = await clientOf(t, (_, response) => response.destroy());
  assert.equal((await rejected(client.collection("shop", "orders").create({}))).kind, "transport");
});

test("a body that breaks off is a failure of the transport", async (t) => {
  const client = await clientOf(t, (_, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("{", () => response.destroy());
  });
  assert.equal((await rejected(client.collection("shop", "orders").create({}))).kind, "transport");
});

test("a response that is not JSON cannot be read, and the error has its body", async (t) => {
  for (const body of ["<html>Sign in</html>", "{", "[9007199254740993"]) {
    const client = await clientOf(t, (_, response) => response.end(body));
    const error = await rejected(client.collection("shop", "orders").get(1));
    assert.equal(error.kind, "decode");
    assert.equal(error.body, body);
    assert.match(error.message, /not JSON/);
    assert.ok(error.cause instanceof SyntaxError);
  }
});

test("a redirect is not followed, so that no credential goes elsewhere", async (t) => {
  let followed = 0;
  const elsewhere = await serve(t, (_, response) => {
    followed += 1;
    response.end("{}");
  });
  const client = await clientOf(t, (_, response) => response.writeHead(302, { location: elsewhere }).end());
  const error = await rejected(client.collection("shop", "orders").get(1));
  assert.match(error.message, /redirect/);
  assert.equal(followed, 0);
});

test("the error of a call without a credential names the required one", async () => {
  const error = await rejected(new Svc(service.options).collection("shop", "orders").list());
  assert.equal(error.status, 401);
  assert.match(error.message, /token|sign in|signed in/);
});

test("invalid options, invalid arguments and refused tokens have different kinds", async () => {
  assert.equal((await rejected(new Svc({ apiBaseUrl: "x" }).getHeaders())).kind, "options");
  assert.equal((await rejected(new Svc().collection("shop", "orders").get(1))).kind, "request");
  const storage = new FakeStorage();
  storage.tokens = entry("a", { access: 0 });
  const ended = new Svc({ ...service.options, storage });
  assert.equal((await rejected(ended.isAuthenticated())).kind, "auth");
});

test("an invalid option of a call is an error, and no request is sent", async (t) => {
  const requests = watchFetch(t, () => Response.json({}));
  const orders = svc.collection("shop", "orders");
  for (const options of [{ requestId: "a\nb" }, { requestId: 1 }, { timeout: -1 }, { timeout: NaN }, { timeout: "1" }, { fields: "id" }]) {
    assert.equal((await rejected(orders.get(1, options))).kind, "request", JSON.stringify(options));
  }
  assert.deepEqual(requests, []);
});

test("a body that JSON cannot write rejects the call", async (t) => {
  const requests = watchFetch(t, () => Response.json({}));
  const cycle = {};
  cycle.self = cycle;
  await assert.rejects(svc.collection("shop", "orders").create(cycle), TypeError);
  assert.deepEqual(requests, []);
});

test("a call to a busy service is repeated if that does no harm", async (t) => {
  const asked = [];
  const answer = (request, response) => {
    asked.push(request.method);
    const busy = asked.length % 2 === 1;
    response.writeHead(busy ? 503 : 200).end('{"id":1}');
  };
  const client = await clientOf(t, answer);
  assert.deepEqual(await client.collection("shop", "orders").get(1), { id: 1 });
  assert.deepEqual(asked.splice(0), ["GET", "GET"]);
  assert.equal((await rejected(client.collection("shop", "orders").create({}))).status, 503);
  assert.deepEqual(asked, ["POST"]);
});

test("no secret is in what an error or a client shows", async (t) => {
  const storage = new FakeStorage();
  storage.tokens = entry("hidden-1");
  const clients = [
    new Svc({ project: "demo", apiBaseUrl: await nobody(), apiToken: "hidden-2" }),
    new Svc({ project: "demo", apiBaseUrl: await nobody(), storage }),
    await clientOf(t, (_, response) => response.writeHead(401).end("{}"), { apiToken: "hidden-3" }),
    await clientOf(t, (_, response) => response.end("no JSON"), { apiToken: "hidden-4" }),
  ];
  const service = new Svc({ project: "demo", apiBaseUrl: await nobody() });
  await service.loadServiceToken("hidden-5");
  clients.push(service);
  for (const client of clients) {
    const calls = [
      () => client.collection("shop", "orders").get(1),
      () => client.loginViaEmailPassword("ann@example.com", "hidden-6"),
      () => client.changePassword("hidden-7", "hidden-8"),
      () => client.resetPasswordComplete("hidden-9", "hidden-10"),
      () => client.users.create({ email: "a", group: "b", first_name: "hidden-11" }),
    ];
    for (const call of calls) {
      const error = await rejected(call());
      const shown = [error.message, error.stack, inspect(error, { depth: 9, showHidden: true }), JSON.stringify(error)];
      assert.ok(!shown.join().includes("hidden"), shown.join("\n"));
    }
    assert.ok(!inspect(client, { depth: 9, showHidden: true }).includes("hidden"));
    assert.ok(!JSON.stringify(client).includes("hidden"));
  }
});

test("no token is in what an answer that is no JSON shows", async (t) => {
  for (const answer of ['{"token":{"access_token":"hidden" x}}', '{"token":hidden}', '{"token":"hidden']) {
    const client = await clientOf(t, (_, response) => response.end(answer), { apiToken: undefined });
    const error = await rejected(client.loginViaEmailPassword("ann@example.com", "correct horse"));
    assert.equal(error.kind, "decode");
    assert.equal(error.body, answer);
    const shown = [error.message, error.stack, inspect(error, { depth: 9 }), JSON.stringify(error)].join("\n");
    assert.ok(!shown.includes("hidden"), shown);
  }
});

test("no password of a login is in what its refusal shows", async () => {
  await service.addUser("shown@example.com", { team: "Editor" });
  const error = await rejected(new Svc(service.options).loginViaEmailPassword("shown@example.com", `${PASSWORD}-hidden`));
  assert.ok(!inspect(error, { depth: 9, showHidden: true }).includes("hidden"));
});

test("an error of this package is not an error of another class", () => {
  const error = new SvcRequestError({ message: "a", kind: "request" });
  assert.equal(Object.prototype.toString.call(error), "[object Error]");
  assert.deepEqual([error.generalErrors, error.fieldErrors], [[], {}]);
});
