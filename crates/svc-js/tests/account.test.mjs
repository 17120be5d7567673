// The account methods against the running service: what each resolves with, and what comes of it
// (specification, section 5, "Account methods").

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Svc, SvcRequestError } from "svc-js";

import { named, target, watchFetch } from "./support/fetch.mjs";
import { PASSWORD, startService, UNTHROTTLED } from "./support/service.mjs";

let service;

before(async () => {
  service = await startService({ args: UNTHROTTLED });
});

after(() => service.stop());

const client = () => new Svc(service.options);

/** A client of a new user who is signed in. */
async function signedIn(email) {
  const user = await service.addUser(email, { team: "Editor" });
  const svc = client();
  const { token } = await svc.loginViaEmailPassword(email, PASSWORD);
  return { svc, token, user };
}

/** The code in the last mail to an address. */
async function code(email) {
  const mails = await service.run("mail", "list");
  const mail = mails.filter(({ to }) => to === email).at(-1);
  assert.ok(mail, `no mail to ${email}`);
  return mail.code;
}

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** What a client gets as tokens. */
function assertState(state) {
  const names = ["accessToken", "accessTokenExpires", "refreshToken", "refreshTokenExpires"];
  assert.deepEqual(Object.keys(state).sort(), names);
  assert.match(state.accessToken, /^[\w-]+\.[\w-]+\.[\w-]+$/);
  assert.match(state.refreshToken, /^\S{32,}$/);
  assert.match(state.accessTokenExpires, RFC_3339);
  assert.match(state.refreshTokenExpires, RFC_3339);
}

const rejected = async (promise) => {
  const error = await promise.then(() => assert.fail("it was accepted"), (error) => error);
  assert.ok(error instanceof SvcRequestError, String(error));
  return error;
};

test("loginViaEmailPassword resolves with the tokens and the user", async () => {
  const { uid } = await service.addUser("login@example.com", { team: "Editor" });
  const svc = client();
  const { token, user, ...rest } = await svc.loginViaEmailPassword("login@example.com", PASSWORD);
  assert.deepEqual(rest, {});
  assertState(token);
  assert.deepEqual(user, {
    uid,
    username: "login@example.com",
    hasPassword: true,
    email: "login@example.com",
    firstName: null,
    lastName: null,
    language: null,
    timezone: null,
  });
  assert.deepEqual(await svc.getHeaders(), { Authorization: `JWT ${token.accessToken}` });
});

test("a wrong password and an unknown address get the same response, and nobody is signed in", async () => {
  await service.addUser("wrong@example.com", { team: "Editor" });
  const svc = client();
  const wrong = await rejected(svc.loginViaEmailPassword("wrong@example.com", "wrong horse"));
  const unknown = await rejected(svc.loginViaEmailPassword("unknown@example.com", PASSWORD));
  assert.equal(wrong.status, 401);
  assert.equal(wrong.body, unknown.body);
  assert.equal(await svc.getHeaders(), undefined);
});

test("a refused login does not change who is signed in", async () => {
  const { svc, token } = await signedIn("stays@example.com");
  await rejected(svc.loginViaEmailPassword("stays@example.com", "wrong horse"));
  assert.deepEqual(await svc.getHeaders(), { Authorization: `JWT ${token.accessToken}` });
});

test("isAuthenticated resolves with the user who is signed in", async () => {
  const { svc, user } = await signedIn("who@example.com");
  const { authenticated, user: who, ...rest } = await svc.isAuthenticated();
  assert.equal(authenticated, true);
  assert.deepEqual(rest, {});
  assert.equal(who.uid, user.uid);
  assert.equal(who.username, "who@example.com");
  assert.equal(who.hasPassword, true);
  assert.deepEqual(await client().isAuthenticated(), { authenticated: false });
});

test("logout resolves with nothing, whether or not somebody is signed in", async () => {
  const { svc } = await signedIn("logout@example.com");
  assert.equal(await svc.logout(), undefined);
  assert.equal(await svc.getHeaders(), undefined);
  assert.equal(await svc.logout(), undefined);
});

test("registerViaEmailPassword resolves with the user and does not sign in", async () => {
  const svc = client();
  const registered = await svc.registerViaEmailPassword({
    email: "new@example.com",
    password: PASSWORD,
    firstName: "Ann",
    lastName: "Müller",
    language: "de",
    timezone: "Europe/Berlin",
  });
  const { uid, ...user } = registered.user;
  assert.match(uid, /^[0-9a-f-]{36}$/);
  assert.deepEqual({ ...registered, user }, {
    result: true,
    user: {
      username: "new@example.com",
      hasPassword: true,
      email: "new@example.com",
      firstName: "Ann",
      lastName: "Müller",
      language: "de",
      timezone: "Europe/Berlin",
    },
  });
  assert.deepEqual(await svc.isAuthenticated(), { authenticated: false });
  await svc.loginViaEmailPassword("new@example.com", PASSWORD);
  assert.equal((await svc.isAuthenticated()).user.uid, uid);
});

test("registerViaEmailPassword needs only an address and a password", async (t) => {
  const requests = watchFetch(t);
  const { user } = await client().registerViaEmailPassword({ email: "short@example.com", password: PASSWORD });
  assert.equal(user.firstName, null);
  assert.deepEqual(JSON.parse(requests[0].text), { email: "short@example.com", password: PASSWORD });
});

test("registerViaEmailPassword resolves with result false where the service says so", async (t) => {
  watchFetch(t, () => Response.json({ result: false }, { status: 201 }));
  const registered = await client().registerViaEmailPassword({ email: "no@example.com", password: PASSWORD });
  assert.deepEqual(registered, { result: false });
});

test("errors of a registration are reported by field", async () => {
  const error = await rejected(client().registerViaEmailPassword({ email: "no address", password: PASSWORD }));
  assert.equal(error.status, 400);
  assert.deepEqual(Object.keys(error.fieldErrors), ["email"]);
  const short = await rejected(client().registerViaEmailPassword({ email: "s@example.com", password: "x" }));
  assert.deepEqual(Object.keys(short.fieldErrors), ["password"]);
});

test("nobody registers where sign-up is off", async () => {
  const set = (sign_up) => service.run("project", "set", service.project, "--sign-up", sign_up);
  await set("off");
  try {
    const options = { email: "off@example.com", password: PASSWORD };
    const error = await rejected(client().registerViaEmailPassword(options));
    assert.equal(error.status, 403);
    await set("on");
    assert.equal((await client().registerViaEmailPassword(options)).result, true);
  } finally {
    await set("on");
  }
});

test("changePassword resolves with the new tokens, saves them, and ends all other sessions", async () => {
  const { svc, token } = await signedIn("change@example.com");
  const other = client();
  await other.loginViaEmailPassword("change@example.com", PASSWORD);
  const { result, newState, ...rest } = await svc.changePassword("another horse", PASSWORD);
  assert.equal(result, true);
  assert.deepEqual(rest, {});
  assertState(newState);
  assert.notEqual(newState.accessToken, token.accessToken);
  assert.deepEqual(await svc.getHeaders(), { Authorization: `JWT ${newState.accessToken}` });
  assert.equal((await svc.isAuthenticated()).authenticated, true);
  await rejected(other.isAuthenticated());
  await rejected(client().loginViaEmailPassword("change@example.com", PASSWORD));
  await client().loginViaEmailPassword("change@example.com", "another horse");
});

test("changePassword says which of the passwords is wrong, and changes nothing", async () => {
  const { svc } = await signedIn("keep@example.com");
  const error = await rejected(svc.changePassword("another horse", "wrong horse"));
  assert.equal(error.status, 400);
  assert.deepEqual(Object.keys(error.fieldErrors), ["current_password"]);
  const short = await rejected(svc.changePassword("short", PASSWORD));
  assert.deepEqual(Object.keys(short.fieldErrors), ["new_password"]);
  await rejected(svc.changePassword("another horse"));
  assert.equal((await svc.isAuthenticated()).authenticated, true);
  await client().loginViaEmailPassword("keep@example.com", PASSWORD);
});

test("a current password that is left out is not sent", async (t) => {
  const { svc } = await signedIn("left-out@example.com");
  const requests = watchFetch(t, () => Response.json({ result: true }));
  assert.deepEqual(await svc.changePassword("another horse", undefined), { result: true });
  assert.deepEqual(await svc.changeEmail("other@example.com", undefined), { result: true });
  assert.deepEqual(requests.map(({ text }) => JSON.parse(text)), [
    { new_password: "another horse" },
    { new_email: "other@example.com" },
  ]);
});

test("resetPassword has the same result whether or not the account exists", async () => {
  await service.addUser("forgot@example.com", { team: "Editor" });
  assert.deepEqual(await client().resetPassword("forgot@example.com"), { result: true });
  assert.deepEqual(await client().resetPassword("nobody@example.com"), { result: true });
  const mails = await service.run("mail", "list");
  assert.equal(mails.filter(({ to }) => to === "forgot@example.com").length, 1);
  assert.equal(mails.filter(({ to }) => to === "nobody@example.com").length, 0);
});

test("resetPasswordComplete takes the code of the mail once, resolves with tokens and saves them", async () => {
  const { uid } = await service.addUser("reset@example.com", { team: "Editor" });
  const svc = client();
  await svc.resetPassword("reset@example.com");
  const mailed = await code("reset@example.com");
  const { result, newState, ...rest } = await svc.resetPasswordComplete(mailed, "another horse");
  assert.equal(result, true);
  assert.deepEqual(rest, {});
  assertState(newState);
  assert.deepEqual(await svc.getHeaders(), { Authorization: `JWT ${newState.accessToken}` });
  assert.equal((await svc.isAuthenticated()).user.uid, uid);
  const error = await rejected(client().resetPasswordComplete(mailed, "third horse"));
  assert.equal(error.status, 400);
  assert.deepEqual(Object.keys(error.fieldErrors), ["code"]);
  await client().loginViaEmailPassword("reset@example.com", "another horse");
});

test("changeEmail resolves with the address that the code was sent to, and changeEmailComplete with both addresses", async () => {
  const { svc, user } = await signedIn("old@example.com");
  const asked = await svc.changeEmail("changed@example.com", PASSWORD);
  assert.deepEqual(asked, { result: true, sentConfirmationTo: "changed@example.com" });
  assert.equal((await svc.isAuthenticated()).user.email, "old@example.com");
  // A user with the code need not be signed in.
  const done = await client().changeEmailComplete(await code("changed@example.com"));
  assert.deepEqual(done, { result: true, oldEmail: "old@example.com", newEmail: "changed@example.com" });
  // It ends the sessions of the user.
  await rejected(svc.isAuthenticated());
  const again = await svc.loginViaEmailPassword("changed@example.com", PASSWORD);
  assert.equal(again.user.uid, user.uid);
  assert.equal(again.user.email, "changed@example.com");
});

test("changeEmail needs the right password", async () => {
  const { svc } = await signedIn("guarded@example.com");
  const error = await rejected(svc.changeEmail("stolen@example.com", "wrong horse"));
  assert.deepEqual(Object.keys(error.fieldErrors), ["current_password"]);
  const missing = await rejected(svc.changeEmailComplete("svcc_no_such_code"));
  assert.deepEqual(Object.keys(missing.fieldErrors), ["code"]);
});

test("getHeaders resolves with nothing, with those of the session, and with those of the token", async (t) => {
  const { svc, token } = await signedIn("headers@example.com");
  const requests = watchFetch(t);
  assert.equal(await client().getHeaders(), undefined);
  assert.deepEqual(await svc.getHeaders(), { Authorization: `JWT ${token.accessToken}` });
  const bearer = new Svc({ ...service.options, apiToken: "svct_abc" });
  assert.deepEqual(await bearer.getHeaders(), { Authorization: "Bearer svct_abc" });
  assert.deepEqual(requests, []);
});

test("the headers authenticate the same calls as the client", async () => {
  const { svc, user } = await signedIn("own-fetch@example.com");
  const url = `${service.baseUrl}/projects/${service.project}/${service.environment}/auth/user`;
  const answer = await fetch(url, { headers: await svc.getHeaders() });
  assert.equal((await answer.json()).uid, user.uid);
});

test("acceptInvitation takes the code of the mail, resolves with tokens and saves them", async () => {
  const tools = new Svc({ ...service.options, apiToken: service.toolsToken });
  const { results: teams } = await tools.teams.list();
  const invited = await tools.users.create({ email: "invited@example.com", group: teams[0].uid });
  const svc = client();
  const names = { firstName: "Ida", lastName: "Lee" };
  const { result, newState } = await svc.acceptInvitation(await code("invited@example.com"), PASSWORD, names);
  assert.equal(result, true);
  assertState(newState);
  const { user } = await svc.isAuthenticated();
  assert.equal(user.uid, invited.uid);
  assert.equal(user.firstName, "Ida");
  assert.equal(user.lastName, "Lee");
});

test("account calls take the options of any call", async (t) => {
  const requests = watchFetch(t);
  const svc = client();
  await service.addUser("options@example.com", { team: "Editor" });
  await svc.loginViaEmailPassword("options@example.com", PASSWORD, { requestId: "login-1" });
  await svc.isAuthenticated({ requestId: "check-1" });
  await svc.registerViaEmailPassword({ email: "o2@example.com", password: PASSWORD, requestId: "register-1" });
  const ids = requests.map(({ headers }) => headers.get("x-request-id"));
  assert.deepEqual(ids, ["login-1", "check-1", "register-1"]);
  assert.equal(named(requests, "auth/register").length, 1, requests.map(target).join());
});

test("account calls need a project and say so", async (t) => {
  const requests = watchFetch(t);
  const svc = new Svc({ apiBaseUrl: service.baseUrl });
  const error = await rejected(svc.loginViaEmailPassword("ann@example.com", PASSWORD));
  assert.match(error.message, /no project is set/);
  assert.deepEqual(await svc.isAuthenticated(), { authenticated: false });
  assert.deepEqual(requests, []);
});
