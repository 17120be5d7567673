// The client, for every platform: `index.js` and `node.js` say where WebAssembly comes from.

import load, { Client } from "./svc_js.js";
import { SvcRequestError, failed } from "./error.js";
import { parse, stringify } from "./json.js";
import { List, page, selection, texts } from "./list.js";

export { SvcRequestError } from "./error.js";

let loading;

/** Loads WebAssembly, once. */
export function start(source) {
  loading ??= Promise.resolve(source())
    .then((module_or_path) => load({ module_or_path }))
    .catch((error) => {
      loading = undefined;
      throw error;
    });
  return loading;
}

/** Entity tags of what was returned. */
const etags = new WeakMap();

/** The entity tag of a record or page that was returned. */
export const etagOf = (value) => etags.get(value);

function ifMatch(value) {
  if (value === undefined || typeof value === "string") return value;
  const etag = etags.get(value);
  if (etag !== undefined) return etag;
  throw failed("request", "ifMatch must be an entity tag, or an object that a call returned");
}

/** The client; `load` gives WebAssembly when it is needed. */
export class Core {
  #load;
  #make;
  #client;

  constructor(options, load) {
    this.#load = load;
    this.#make = maker(options ?? {});
    const call = (...of) => this.#call(...of);
    this.users = new Users(call);
    this.teams = new Teams(call);
    this.pages = new Pages(call);
  }

  // --- Accounts

  loginViaEmailPassword(email, password, options) {
    return this.#signIn("account.login", { email, password, ...options });
  }

  async isAuthenticated(options) {
    if ((await this.getHeaders()) === undefined) return { authenticated: false };
    return { authenticated: true, user: camel(await this.#call("account.user", { ...options })) };
  }

  async logout({ revoke = false } = {}) {
    const client = await this.#ready();
    await settled(client.logout(revoke));
  }

  async registerViaEmailPassword(options) {
    return camel(await this.#call("account.register", options));
  }

  changePassword(newPassword, currentPassword, options) {
    return this.#signIn("account.change_password", { newPassword, currentPassword, ...options });
  }

  async resetPassword(email, options) {
    return camel(await this.#call("account.reset_password", { email, ...options }));
  }

  resetPasswordComplete(code, newPassword, options) {
    return this.#signIn("account.reset_password_complete", { code, newPassword, ...options });
  }

  async changeEmail(newEmail, currentPassword, options) {
    return camel(await this.#call("account.change_email", { newEmail, currentPassword, ...options }));
  }

  async changeEmailComplete(code, options) {
    return camel(await this.#call("account.change_email_complete", { code, ...options }));
  }

  async getHeaders() {
    const client = await this.#ready();
    const value = await settled(client.authorization());
    return value === undefined ? undefined : { Authorization: value };
  }

  acceptInvitation(code, password, options) {
    return this.#signIn("account.accept_invitation", { code, password, ...options });
  }

  async loadServiceToken(token) {
    const client = await this.#ready();
    guarded(() => client.loadServiceToken(token));
  }

  // --- Records, SQL, resources, the HTTP proxy

  collection(resource, model) {
    return new Collection((...of) => this.#call(...of), { resource, model });
  }

  async sql(resource, query, { params, orderBy, ...options } = {}) {
    const values = Array.isArray(params) ? { values: stringify(params) } : { named: stringify(params) };
    const asked = { resource, query, ...values, orderBy: texts(orderBy), ...options };
    const { column_descriptions, row_count, ...result } = await this.#call("sql.query", asked);
    return { ...result, columnDescriptions: column_descriptions, rowCount: row_count };
  }

  async reload(resource, options) {
    await this.#call("resources.reload", { resource, ...options });
  }

  modelDescriptions(resource, options) {
    return this.#call("resources.model_descriptions", { resource, ...options });
  }

  async proxy({ queryParams, headers, body, context, ...options }) {
    const request = {
      queryParams: pairs(queryParams),
      headers: pairs(headers),
      body: stringify(body),
      context: stringify(context),
      ...options,
    };
    const [status, head, bytes] = await this.#send("proxy", request);
    // An answer with one of these has no body, and `Response` takes not even an empty one.
    const hasBody = ![204, 205, 304].includes(status);
    return new Response(hasBody ? bytes : null, { status, headers: head });
  }

  // --- The way to WebAssembly

  async #ready() {
    if (this.#client === undefined) {
      await start(this.#load);
      // Another call may have made it meanwhile.
      this.#client ??= guarded(this.#make);
    }
    return this.#client;
  }

  async #send(method, { signal, ...args }, ...name) {
    signal?.throwIfAborted();
    const client = await this.#ready();
    return settled(client[method](...name, args, signal), signal);
  }

  async #call(name, args) {
    const [text, etag] = await this.#send("call", args, name);
    const value = text === "" ? undefined : readable(text);
    if (etag !== undefined && typeof value === "object" && value !== null) etags.set(value, etag);
    return value;
  }

  async #signIn(name, args) {
    return camel(parse(await this.#send("signIn", args, name)));
  }

  /** @internal Begins with another way to make the client. */
  static forServiceRequest(request, make) {
    const client = make();
    client.#make = () => Client.fromServiceRequest({ headers: headersOf(request) });
    return client.#ready().then(() => client);
  }
}

/** What makes the client of WebAssembly. What it needs is looked at now, not when it is made. */
function maker({ project, environment, apiBaseUrl, appBaseUrl, draft, apiToken, env, storage }) {
  const variables = Object.entries(env ?? {})
    .filter(([name, value]) => name.includes("SVC_") && value !== undefined && value !== null)
    .map(([name, value]) => [name, String(value)]);
  const options = {
    project,
    environment,
    apiBaseUrl,
    appBaseUrl,
    draft: draft === undefined || draft === null ? undefined : Boolean(draft),
    apiToken,
    env: variables,
  };
  const kept = storage ?? localStorageOf(globalThis);
  const restored = kept?.getItem("svc_auth") ?? undefined;
  return () => new Client(options, kept, restored);
}

/** The browser's `localStorage`, where there is one that may be used. */
function localStorageOf({ window }) {
  try {
    return window?.localStorage ?? undefined;
  } catch {
    return undefined;
  }
}

/** The headers of a request, as pairs. */
function headersOf(request) {
  const headers = request.headers ?? request;
  if (typeof headers.entries === "function") return [...headers.entries()];
  return Object.entries(headers)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : String(value)]);
}

function pairs(values) {
  if (values === undefined) return undefined;
  if (Array.isArray(values)) return values.map(({ name, value }) => [name, String(value)]);
  return Object.entries(values).map(([name, value]) => [name, String(value)]);
}

async function settled(promise, signal) {
  try {
    return await promise;
  } catch (error) {
    signal?.throwIfAborted();
    throw thrown(error);
  }
}

function guarded(make) {
  try {
    return make();
  } catch (error) {
    throw thrown(error);
  }
}

/** What WebAssembly throws: the properties of an error. Anything else is a fault of this package. */
function thrown(error) {
  return error?.kind === undefined ? error : new SvcRequestError(error);
}

function readable(text) {
  try {
    return parse(text);
  } catch (cause) {
    throw failed("decode", `the answer is not JSON: ${cause.message}`, { cause, body: text });
  }
}

/** Names of the wire as those of JavaScript. */
function camel(value) {
  if (value === null || typeof value !== "object") return value;
  const named = ([name, value]) => [name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase()), camel(value)];
  return Object.fromEntries(Object.entries(value).map(named));
}

class Collection {
  #call;
  #place;

  constructor(call, place) {
    this.#call = call;
    this.#place = place;
  }

  list(options) {
    return listOf((asked) => this.#call("records.list", { ...this.#place, ...asked }), options);
  }

  get(id, options) {
    return this.#item("records.get", { id: parts(id) }, options);
  }

  create(record, options) {
    return this.#item("records.create", { record: stringify(record) }, options);
  }

  update(id, changes, options) {
    return this.#item("records.update", { id: parts(id), record: stringify(changes) }, options);
  }

  async delete(id, options) {
    await this.#item("records.delete", { id: parts(id) }, options);
  }

  async aggregate(options) {
    const asked = { ...this.#place, ...selection(options) };
    return (await this.#call("records.aggregate", asked)).y_func;
  }

  group({ by, ...options }) {
    const columns = (Array.isArray(by) ? by : [by]).map((by) => (typeof by === "string" ? { column: by } : by));
    return this.#call("records.group", { ...this.#place, ...selection(options), by: columns });
  }

  async #item(name, args, options) {
    return this.#call(name, { ...this.#place, ...args, ...tagged(options) });
  }
}

/** The parts of a primary key. */
const parts = (id) => (Array.isArray(id) ? id : [id]).map(String);

/** Options in which an object stands for its entity tag. */
const tagged = (options) => ({ ...options, ifMatch: ifMatch(options?.ifMatch) });

const listOf = (call, options) => new List(async (options) => page(await call(selection(options))), options);

class Users {
  #call;

  constructor(call) {
    this.#call = call;
  }

  list(options) {
    return listOf((asked) => this.#call("users.list", asked), options);
  }

  get(uid, options) {
    return this.#call("users.get", { uid, ...options });
  }

  create(user, options) {
    return this.#call("users.create", { ...user, ...options });
  }

  update(uid, changes, options) {
    return this.#call("users.update", { uid, changes: stringify(changes), ...options });
  }

  delete(uid, options) {
    return this.#call("users.delete", { uid, ...options });
  }
}

class Teams {
  #call;

  constructor(call) {
    this.#call = call;
  }

  list(options) {
    return listOf((asked) => this.#call("teams.list", asked), options);
  }

  get(uid, options) {
    return this.#call("teams.get", { uid, ...options });
  }

  update(uid, { name }, options) {
    return this.#call("teams.update", { uid, name, ...options });
  }
}

class Pages {
  #call;

  constructor(call) {
    this.#call = call;
  }

  list(options) {
    return this.#call("pages.list", { ...options });
  }

  get(uid, options) {
    return this.#call("pages.get", { uid, ...options });
  }

  create(settings, options) {
    return this.#call("pages.create", { settings: stringify(settings), ...options });
  }

  async update(uid, changes, options) {
    return this.#call("pages.update", { uid, changes: stringify(changes), ...tagged(options) });
  }

  async delete(uid, options) {
    return this.#call("pages.delete", { uid, ...tagged(options) });
  }

  async publish(uids, options) {
    return (await this.#call("pages.publish", { uids, ...options })).published;
  }

  async discard(uids, options) {
    return (await this.#call("pages.discard", { uids, ...options })).discarded;
  }

  revisions(uid, options) {
    return this.#call("pages.revisions", { uid, ...options });
  }

  async restore(uid, number, options) {
    return this.#call("pages.restore", { uid, number, ...tagged(options) });
  }
}
