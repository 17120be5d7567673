// The HTTP proxy: a request to a service of the test's own, through the service and with its secrets.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Svc, SvcRequestError } from "svc-js";

import { watchFetch } from "./support/fetch.mjs";
import { serve, text } from "./support/server.mjs";
import { PASSWORD, startService, UNTHROTTLED } from "./support/service.mjs";

const SECRET = "hunter2-of-crm";

let service;
let svc;

before(async () => {
  service = await startService({ args: UNTHROTTLED });
  const project = ["--project", service.project];
  await service.run("project", "allow-host", "127.0.0.1", ...project);
  await service.run("secret", "set", "key", "--resource", "crm", "--host", "127.0.0.1", "--value", SECRET, ...project);
  const { email } = await service.addUser("ann@example.com");
  svc = new Svc(service.options);
  await svc.loginViaEmailPassword(email, PASSWORD);
});

after(() => service.stop());

const rejected = async (promise) => {
  const error = await promise.then(() => assert.fail("it was accepted"), (error) => error);
  assert.ok(error instanceof SvcRequestError, String(error));
  return error;
};

/** A service that keeps what it was asked, and answers with this. */
async function upstream(t, { status = 200, headers = {}, body = "" } = {}) {
  const seen = [];
  const base = await serve(t, async (request, response) => {
    const { method, url, headers: given } = request;
    seen.push({ method, url, headers: given, body: await text(request) });
    response.writeHead(status, headers).end(body);
  });
  return { base, seen };
}

test("an answer comes as a Response with its status, headers and body", async (t) => {
  const { base, seen } = await upstream(t, {
    status: 201,
    headers: { "content-type": "application/json", "x-own": "a" },
    body: '{"big":9007199254740993}',
  });
  const answer = await svc.proxy({ url: `${base}/things?a=1` });
  assert.ok(answer instanceof Response);
  assert.equal(answer.status, 201);
  assert.equal(answer.headers.get("content-type"), "application/json");
  assert.equal(answer.headers.get("x-own"), "a");
  assert.equal(await answer.text(), '{"big":9007199254740993}');
  assert.deepEqual(seen.map(({ method, url }) => [method, url]), [["GET", "/things?a=1"]]);
});

test("method, query, headers, body, context and secrets arrive", async (t) => {
  const { base, seen } = await upstream(t);
  await svc.proxy({
    url: `${base}/things/{{id}}`,
    method: "POST",
    resource: "crm",
    queryParams: { q: "tea & milk" },
    headers: { "X-Key": "Bearer {-key-}" },
    bodyType: "JSON",
    body: { big: 9007199254740993n, at: new Date(Date.UTC(2026, 8, 15)), left: undefined },
    secretTokens: ["key"],
    context: { id: 7 },
  });
  const [{ method, url, headers, body }] = seen;
  assert.equal(method, "POST");
  const { pathname, searchParams } = new URL(url, base);
  assert.equal(pathname, "/things/7");
  assert.equal(searchParams.get("q"), "tea & milk");
  assert.equal(headers["x-key"], `Bearer ${SECRET}`);
  assert.equal(headers["content-type"], "application/json");
  assert.equal(body.replaceAll(/\s/g, ""), '{"big":9007199254740993,"at":"2026-09-15T00:00:00.000Z"}');
});

test("bodies of other kinds arrive as theirs", async (t) => {
  const { base, seen } = await upstream(t);
  await svc.proxy({ url: base, method: "PUT", bodyType: "Raw", body: "as it is" });
  await svc.proxy({ url: base, method: "POST", bodyType: "FormUrlEncoded", body: { a: "1 2", b: "ü" } });
  assert.equal(seen[0].body, "as it is");
  assert.deepEqual(Object.fromEntries(new URLSearchParams(seen[1].body)), { a: "1 2", b: "ü" });
});

test("a body of bytes that are no text comes as it is", async (t) => {
  const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
  const { base } = await upstream(t, { headers: { "content-type": "application/octet-stream" }, body: bytes });
  const answer = await svc.proxy({ url: base });
  assert.deepEqual(new Uint8Array(await answer.arrayBuffer()), bytes);
});

for (const status of [204, 304]) {
  test(`an answer with status ${status} has no body`, async (t) => {
    const { base } = await upstream(t, { status });
    const answer = await svc.proxy({ url: base });
    assert.equal(answer.status, status);
    assert.equal(answer.body, null);
  });
}

for (const status of [400, 404, 500, 503]) {
  test(`a ${status} of the other service is its answer, and no error of the call`, async (t) => {
    const { base, seen } = await upstream(t, { status, body: "sorry" });
    const answer = await svc.proxy({ url: base });
    assert.equal(answer.status, status);
    assert.equal(answer.ok, false);
    assert.equal(await answer.text(), "sorry");
    assert.equal(seen.length, 1);
  });
}

test("a 401 of the other service does not end the session, and is asked for once", async (t) => {
  const { base, seen } = await upstream(t, { status: 401 });
  assert.equal((await svc.proxy({ url: base })).status, 401);
  assert.equal(seen.length, 1);
  assert.equal((await svc.isAuthenticated()).authenticated, true);
});

test("a host that is not allowed is an error of the call", async () => {
  const error = await rejected(svc.proxy({ url: "http://127.0.0.2:9/" }));
  assert.equal(error.kind, "status");
  assert.ok(error.status >= 400);
});

test("a secret that is not there, or not for that host, is an error of the call and not told", async (t) => {
  const { base, seen } = await upstream(t);
  const unknown = { url: base, resource: "crm", secretTokens: ["other"], headers: { a: "{-other-}" } };
  assert.equal((await rejected(svc.proxy(unknown))).status, 400);
  const elsewhere = { url: "http://localhost:1/", resource: "crm", secretTokens: ["key"], headers: { a: "{-key-}" } };
  const error = await rejected(svc.proxy(elsewhere));
  assert.equal(error.status, 400);
  assert.ok(!error.body.includes(SECRET));
  assert.deepEqual(seen, []);
});

test("the proxy needs the session of a user", async () => {
  assert.equal((await rejected(new Svc(service.options).proxy({ url: "http://127.0.0.1/" }))).status, 401);
});

test("what a request asks for is sent under the names of the wire", async (t) => {
  const requests = watchFetch(t, () => new Response("", { headers: { "x-svc-proxy": "1" } }));
  await svc.proxy({ url: "https://a.example", secretTokens: ["a", "b"], queryParams: [{ name: "q", value: "1" }], requestId: "r-1" });
  assert.equal(requests[0].url.href, `${service.appBaseUrl}/proxy_request/`);
  assert.equal(requests[0].headers.get("x-request-id"), "r-1");
  assert.deepEqual(JSON.parse(requests[0].text), {
    project: "demo",
    environment: "prod",
    url: "https://a.example",
    query_params: [{ name: "q", value: "1" }],
    secret_tokens: "a,b",
    draft: false,
  });
});

test("an upstream that hangs is given up with the signal, and its connection is closed", async (t) => {
  let closed;
  const gone = new Promise((resolve) => (closed = resolve));
  let asked;
  const waiting = new Promise((resolve) => (asked = resolve));
  const base = await serve(t, (request, response) => {
    asked();
    response.on("close", closed);
  });
  const controller = new AbortController();
  const answer = svc.proxy({ url: base, signal: controller.signal });
  await waiting;
  controller.abort();
  await assert.rejects(answer, { name: "AbortError" });
  await gone;
});
