/**
 * The client of the svc REST service: records of connected databases, read-only SQL, users, teams, page
 * settings, the HTTP proxy, and user accounts.
 *
 * ```ts
 * import { Svc } from "svc-js";
 *
 * const svc = new Svc({ project: "demo", apiBaseUrl: "https://data.example.com" });
 * await svc.loginViaEmailPassword("ann@example.com", "correct horse");
 * for await (const order of svc.collection("shop", "orders").list({ filters: { status: "paid" } })) {
 *   console.log(order.id);
 * }
 * ```
 *
 * Integers beyond `Number.MAX_SAFE_INTEGER` are `bigint` in both directions; all others are `number`.
 */

/** Any JSON value. Integers that a `number` cannot hold exactly are `bigint`. */
export type Json =
  | null
  | boolean
  | number
  | bigint
  | string
  | Json[]
  | { [key: string]: Json };

/** A value that can be sent as JSON: dates become RFC 3339 text, `undefined` properties are left out. */
export type JsonInput =
  | null
  | boolean
  | number
  | bigint
  | string
  | Date
  | readonly JsonInput[]
  | { readonly [key: string]: JsonInput | undefined };

/** A record of a connected database: column names and values. */
export type Record = { [column: string]: Json };

/** A storage for the tokens of a session: `localStorage`, `sessionStorage`, or your own object. */
export interface TokenStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** The options of a client. Options that are set override `env`, and both override the defaults. */
export interface SvcOptions {
  /** The project. There is no default; calls that need it fail when it is missing. */
  project?: string;
  /** The environment; `prod` by default. */
  environment?: string;
  /** The base URL of the data host; `http://127.0.0.1:8080` by default. */
  apiBaseUrl?: string;
  /** The base URL of the application host; `{apiBaseUrl}/api` by default. */
  appBaseUrl?: string;
  /** Whether requests are sent with `draft=1`. */
  draft?: boolean;
  /** A static token or an API key, without prefix; sent as `Authorization: Bearer`. Takes priority over sessions. */
  apiToken?: string;
  /**
   * Environment variables, such as `import.meta.env` or `process.env`; without this option none is read. The keys
   * are `[VITE_]SVC_` with `PROJECT`, `ENVIRONMENT`, `DRAFT`, `API_BASE_URL`, `APP_BASE_URL`; `VITE_` is preferred.
   */
  env?: { readonly [name: string]: unknown };
  /**
   * The storage of a user's tokens, under the key `svc_auth`: `localStorage` by default; memory if there is none, or
   * for `null`. A server that acts for many users needs a separate storage for each request.
   */
  storage?: TokenStorage | null;
}

/** Options of any call. */
export interface CallOptions {
  /** Cancels the call; the promise rejects with the reason of the signal. */
  signal?: AbortSignal;
  /** The ID of the request in the logs of the service (`X-Request-Id`). */
  requestId?: string;
  /** How long the call may take, including all tries, in milliseconds; 30 000 by default. */
  timeout?: number;
}

/** Options of a call that changes something that was read before. */
export interface WriteOptions extends CallOptions {
  /** An object that this client returned, or its entity tag: the write fails with 412 if it was changed since. */
  ifMatch?: object | string;
}

/** How a filter compares a field with a value. `in`, `range` and those of several elements take arrays. */
export type Lookup =
  | "exact"
  | "ne"
  | "gt"
  | "gte"
  | "lt"
  | "lte"
  | "in"
  | "range"
  | "icontains"
  | "istartswith"
  | "iendswith"
  | "contains"
  | "startswith"
  | "endswith"
  | "isnull"
  | "isempty"
  | "json_icontains"
  | "regex"
  | "coveredby"
  | "contains_all"
  | "contains_any"
  | "contained_by"
  | "len"
  | "len__gt"
  | "len__gte"
  | "len__lt"
  | "len__lte";

/** A value to compare a field with. */
export type FilterValue = string | number | bigint | boolean | Date;

/**
 * Conditions by field, which must all hold: a value that the field equals, `null` for no value, an array for one
 * of several values, or an object of lookups.
 *
 * ```ts
 * const filters: Filters = { status: ["paid", "shipped"], total: { gte: 100 }, note: null };
 * ```
 */
export type Filters = {
  readonly [field: string]:
    | FilterValue
    | null
    | readonly FilterValue[]
    | { readonly [lookup in Lookup]?: FilterValue | readonly FilterValue[] };
};

/**
 * A tree of conditions: at most 8 operators deep, with at most 100 conditions. A condition with a path compares a place
 * inside a JSON column: names of members and positions of elements lead there.
 */
export type Filter =
  | { readonly and: readonly Filter[] }
  | { readonly or: readonly Filter[] }
  | { readonly not: Filter }
  | {
      readonly field: string;
      readonly lookup?: Lookup;
      readonly value: FilterValue | readonly FilterValue[];
    }
  | {
      readonly field: string;
      readonly path: readonly (string | number)[];
      readonly lookup?: Lookup;
      readonly value: Json;
    };

/** The selection of records for a call. */
export interface Selection {
  /** Conditions that must all hold. */
  filters?: Filters;
  /** Conditions of which none may hold. */
  exclude?: Filters;
  /** A tree of conditions that must hold in addition to the others. */
  filter?: Filter;
  /** A text to search for in every searchable column. */
  search?: string;
  /** Selects records with these related records: `column_here.model.column_there|...|column.v1,v2`. */
  relation?: string;
  /** The UTC offset or IANA time zone of date texts, sent and received; UTC by default. */
  timezone?: string;
}

/** The page of a list. */
export interface Pagination {
  /** The number of the page, starting at 1. */
  page?: number;
  /** The number of records on a page: 25 by default, at most 10 000. */
  perPage?: number;
  /** The page after a cursor: `_after` of a `next` link, instead of `page`. */
  after?: string;
  /** The page before a cursor: `_before` of a `previous` link, instead of `page`. */
  before?: string;
  /** The last page, instead of `page`. */
  last?: boolean;
}

/** Options of a list. */
export interface ListOptions extends Selection, CallOptions {
  /** Columns to sort by, `-` before the name for descending: `"-created_at"`, `["status", "-id"]`. */
  orderBy?: string | readonly string[];
  /** The page; `false` for up to 10 000 records without pages. */
  pagination?: Pagination | false;
  /** Only these columns, and the primary key. */
  fields?: readonly string[];
  /** How the total number of matches is determined; `exact` by default. */
  count?: "exact" | "estimated" | "auto" | "none";
}

/** A page of a list. */
export interface Page<T> {
  /** The total number of entries; `null` when it was not determined. */
  count: number | null;
  /** Whether `count` was counted or estimated, for lists with `count: "auto"` or `"estimated"`. */
  count_is?: "exact" | "estimate";
  /** Link to the next page, `null` on the last. */
  next: string | null;
  /** Link to the previous page, `null` on the first. */
  previous: string | null;
  /** The entries on this page. */
  results: T[];
}

/**
 * A list that was not requested yet. `await` requests one page; `for await` iterates over all entries from that page
 * on, and `byPage()` over the pages. All requests are sent to the client's own base URL, whatever `next` names.
 */
export interface List<T> extends PromiseLike<Page<T>>, AsyncIterable<T> {
  /** Iterates over the pages. */
  byPage(): AsyncIterableIterator<Page<T>>;
  catch<R = never>(onRejected?: ((reason: unknown) => R | PromiseLike<R>) | null): Promise<Page<T> | R>;
  finally(onFinally?: (() => void) | null): Promise<Page<T>>;
}

/** A function over a column. */
export type AggregateFunction = "count" | "count_distinct" | "sum" | "avg" | "min" | "max";

/** A function over the selected records. */
export interface AggregateOptions extends Selection, CallOptions {
  func: AggregateFunction;
  /** The column; only `count` can be used without one. */
  column?: string;
}

/** How a column is grouped: by its values, or dates by a unit of time. */
export type GroupLookup =
  | "plain"
  | "auto"
  | "date"
  | "date_microsecond"
  | "date_millisecond"
  | "date_second"
  | "date_minute"
  | "date_hour"
  | "date_day"
  | "date_week"
  | "date_month"
  | "date_quarter"
  | "date_year";

/** A function over each group of the selected records. */
export interface GroupOptions extends AggregateOptions {
  /** The columns to group by. */
  by: string | readonly (string | { readonly column: string; readonly lookup?: GroupLookup })[];
  /** The maximum number of groups; 10 000 by default, at most 100 000. */
  limit?: number;
}

/** A group: `group`, `group_2` and so on are its columns, `y_func` is the computed value. */
export type Group = { group: Json; y_func: Json } & { [column: string]: Json };

/** The records of a model of a connected resource, from {@link Svc.collection}. */
export interface Collection<T extends object = Record> {
  /** Lists records, page by page or all. */
  list(options?: ListOptions): List<T>;
  /** Gets a record by its primary key; the parts of a composite key are in an array. */
  get(id: RecordId, options?: ViewOptions): Promise<T>;
  /** Creates a record, and returns it as it was stored. */
  create(record: Partial<T> | { readonly [column: string]: JsonInput | undefined }, options?: ViewOptions): Promise<T>;
  /** Changes the given columns, and returns the record as it was stored. */
  update(
    id: RecordId,
    changes: Partial<T> | { readonly [column: string]: JsonInput | undefined },
    options?: ViewOptions & WriteOptions,
  ): Promise<T>;
  /** Deletes a record. */
  delete(id: RecordId, options?: WriteOptions): Promise<void>;
  /** Computes a function over the selected records. */
  aggregate(options: AggregateOptions): Promise<Json>;
  /** Computes a function over each group of the selected records. */
  group(options: GroupOptions): Promise<Group[]>;
}

/** A primary key. */
export type RecordId = string | number | bigint | readonly (string | number | bigint)[];

/** Options of a call that returns a record. */
export interface ViewOptions extends CallOptions {
  /** Only these columns, and the primary key. */
  fields?: readonly string[];
  /** The UTC offset or IANA time zone of date texts, sent and received. */
  timezone?: string;
}

/** Options of an SQL query. */
export interface SqlOptions extends CallOptions {
  /** Values of the query: by name for `:name`, in order for `%s`. */
  params?: readonly JsonInput[] | { readonly [name: string]: JsonInput };
  offset?: number;
  /** The maximum number of rows; 100 by default when another option of this kind is used, else 10 000. */
  limit?: number;
  /** Columns of the result to sort by. */
  orderBy?: string | readonly string[];
  /** Whether to count all rows. */
  count?: boolean;
  timezone?: string;
  schema?: string;
}

/** The result of an SQL query. */
export interface SqlResult {
  /** The rows, each an array in the order of `columns`. */
  data: Json[][];
  columns: string[];
  /** The type of each column. */
  columnDescriptions: { [column: string]: { field: string } };
  /** The number of rows in `data`. */
  rowCount: number;
  /** The maximum number of rows in `data`. */
  limit: number;
  /** The number of rows without `limit` and `offset`, if the query requested it. */
  count?: number;
  /** Whether rows were left out. */
  truncated: boolean;
}

/** A model of a resource: a table or a view. */
export interface ModelDescription {
  model: string;
  db_table: string;
  hidden: boolean;
  primary_key_field: string;
  /** Whether there is no primary key and the first column is used instead. */
  primary_key_auto: boolean;
  is_view: boolean;
  fields: FieldDescription[];
  relations: ModelRelation[];
  /** The fields that name a record for a reader, one to three of them. */
  label_fields: string[];
  /** What the caller may do to its records. */
  can: { create: boolean; update: boolean; delete: boolean };
}

/** A column of a model. */
export interface FieldDescription {
  name: string;
  db_column: string;
  /** The kind of its values, such as `CharField`. */
  field: string;
  /** Its type in the database, such as `VARCHAR(120)`. */
  db_field: string;
  filterable: boolean;
  /** Whether it is the first column of an index of all records, or of the primary key. */
  indexed: boolean;
  null: boolean;
  editable: boolean;
  /** Whether the caller may not write it. */
  read_only: boolean;
  required: boolean;
  params: { [name: string]: Json };
  default_type: string | null;
  default_value: Json;
}

/** A relation between the records of two models. */
export interface ModelRelation {
  name: string;
  direction: "MANYTOONE" | "ONETOMANY";
  local_field: string;
  related_model: string;
  related_field: string;
}

/** A user of the application, as a record of the built-in tools, with the names of the wire. */
export interface User {
  uid: string;
  email: string;
  /** The uid of the team. */
  group: string;
  date_add: string;
  first_name: string | null;
  last_name: string | null;
}

/** A team of the project. */
export interface Team {
  uid: string;
  name: string;
}

/** The users of the application. They require the static token of the built-in tools as `apiToken`. */
export interface Users {
  list(options?: ListOptions): List<User>;
  get(uid: string, options?: CallOptions): Promise<User>;
  /** Creates a user and invites them by e-mail. */
  create(user: { email: string; group: string; first_name?: string; last_name?: string }, options?: CallOptions): Promise<User>;
  update(
    uid: string,
    changes: { group?: string; first_name?: string | null; last_name?: string | null },
    options?: CallOptions,
  ): Promise<User>;
  delete(uid: string, options?: CallOptions): Promise<void>;
}

/** The teams of the project. They require the static token of the built-in tools as `apiToken`. */
export interface Teams {
  list(options?: ListOptions): List<Team>;
  get(uid: string, options?: CallOptions): Promise<Team>;
  update(uid: string, changes: { name: string }, options?: CallOptions): Promise<Team>;
}

/** Page settings: the properties that the service knows, and any others that were stored. */
export interface PageSettings {
  uid: string;
  environment: string;
  view: string;
  unique_name: string;
  name: string;
  resource: string | null;
  model: string | null;
  /** JSON text: the structure of the page. */
  params: string;
  draft: boolean;
  deleted: boolean;
  date_add: string;
  [property: string]: Json;
}

/** Properties of page settings that can be written. */
export interface PageSettingsInput {
  view?: string;
  unique_name?: string;
  name?: string;
  resource?: string | null;
  model?: string | null;
  /** JSON text: the structure of the page. */
  params?: string;
  readonly [property: string]: JsonInput | undefined;
}

/** Options of a call to pages. */
export interface PageOptions extends CallOptions {
  /** Whether the call uses the drafts; by default as set for the client. */
  draft?: boolean;
}

/** A change of a page. */
export interface Revision {
  number: number;
  date_add: string;
  author: string | null;
  draft: boolean;
  /** Whether this change deleted the page. */
  deleted: boolean;
}

/** The page settings of the environment. They require an API key as `apiToken`. */
export interface Pages {
  list(options?: PageOptions): Promise<PageSettings[]>;
  get(uid: string, options?: PageOptions): Promise<PageSettings>;
  create(settings: PageSettingsInput, options?: PageOptions): Promise<PageSettings>;
  update(uid: string, changes: PageSettingsInput, options?: PageOptions & WriteOptions): Promise<PageSettings>;
  delete(uid: string, options?: PageOptions & WriteOptions): Promise<void>;
  /** Publishes the drafts of these pages, or of all without `uids`; returns the uids of the published pages. */
  publish(uids?: readonly string[], options?: CallOptions): Promise<string[]>;
  /** Discards the drafts of these pages, or of all without `uids`; returns their uids. */
  discard(uids?: readonly string[], options?: CallOptions): Promise<string[]>;
  /** Lists the changes of a page, the newest first. */
  revisions(uid: string, options?: CallOptions): Promise<Revision[]>;
  /** Restores a revision as the draft. */
  restore(uid: string, number: number, options?: WriteOptions): Promise<PageSettings>;
}

/** A request to another service, with secrets that the caller does not know. */
export interface ProxyRequest extends CallOptions {
  /** The URL; `{-name-}` is replaced by a secret token, `{{key}}` by a value of `context`. */
  url: string;
  /** `GET` by default. */
  method?: string;
  /** The resource whose secret tokens are used. */
  resource?: string;
  queryParams?: { readonly [name: string]: string } | readonly { readonly name: string; readonly value: string }[];
  headers?: { readonly [name: string]: string } | readonly { readonly name: string; readonly value: string }[];
  bodyType?: "JSON" | "GraphQL" | "FormUrlEncoded" | "FormData" | "Raw";
  body?: JsonInput;
  /** The names of the secret tokens that may be used. */
  secretTokens?: readonly string[];
  context?: { readonly [key: string]: JsonInput };
}

/** The tokens of a session. Times are RFC 3339. */
export interface AuthState {
  accessToken: string;
  refreshToken: string;
  accessTokenExpires?: string;
  refreshTokenExpires?: string;
}

/** A user who can sign in. */
export interface UserInfo {
  uid: string;
  username: string;
  hasPassword: boolean;
  email: string | null;
  firstName: string | null;
  lastName: string | null;
  language: string | null;
  timezone: string | null;
}

/** The options of {@link Svc.registerViaEmailPassword}. */
export interface RegisterOptions extends CallOptions {
  email: string;
  password: string;
  firstName?: string;
  lastName?: string;
  language?: string;
  timezone?: string;
}

/** The result of the methods that change a password. */
export interface PasswordChanged {
  result: boolean;
  /** The new tokens, which the client has saved. */
  newState?: AuthState;
}

/** A client. */
export class Svc {
  /** Reads the tokens in the storage, whose later changes have no effect. WebAssembly is loaded at the first call. */
  constructor(options?: SvcOptions);

  /** Signs in and saves the tokens. */
  loginViaEmailPassword(email: string, password: string, options?: CallOptions): Promise<{ token: AuthState; user: UserInfo }>;
  /** Returns who is signed in. Without a token nobody is, and no request is made. */
  isAuthenticated(options?: CallOptions): Promise<{ authenticated: false } | { authenticated: true; user: UserInfo }>;
  /** Deletes the tokens, here and in the storage. Only `revoke` ends the session at the service. `apiToken` stays. */
  logout(options?: { revoke?: boolean; signal?: AbortSignal }): Promise<void>;
  /** Signs up. It does not sign the user in. */
  registerViaEmailPassword(options: RegisterOptions): Promise<{ result: true; user: UserInfo } | { result: false }>;
  /** Changes the password and saves the new tokens. All other sessions of the user end. */
  changePassword(newPassword: string, currentPassword?: string, options?: CallOptions): Promise<PasswordChanged>;
  /** Requests a code by e-mail. The response is the same whether or not the account exists. */
  resetPassword(email: string, options?: CallOptions): Promise<{ result: boolean }>;
  /** Sets a forgotten password with a code, and saves the tokens. */
  resetPasswordComplete(code: string, newPassword: string, options?: CallOptions): Promise<PasswordChanged>;
  /** Requests a change of the e-mail address; a confirmation code is sent to the new address. */
  changeEmail(
    newEmail: string,
    currentPassword?: string,
    options?: CallOptions,
  ): Promise<{ result: boolean; sentConfirmationTo: string }>;
  /** Confirms a new e-mail address with a code. All sessions of the user end. */
  changeEmailComplete(code: string, options?: CallOptions): Promise<{ result: boolean; oldEmail: string; newEmail: string }>;
  /** The headers for calls of the user, after a refresh if necessary; `undefined` when there is no token. */
  getHeaders(options?: { signal?: AbortSignal; timeout?: number }): Promise<{ Authorization: string } | undefined>;
  /** Accepts an invitation with the code from its e-mail, and saves the tokens. */
  acceptInvitation(
    code: string,
    password: string,
    options?: CallOptions & { firstName?: string; lastName?: string },
  ): Promise<PasswordChanged>;
  /** Sends a service token with calls instead of a user's tokens, until {@link logout}. It is never stored. */
  loadServiceToken(token: string): Promise<void>;

  /** The records of a model. */
  collection<T extends object = Record>(resource: string, model: string): Collection<T>;
  /** Runs a read-only SQL query. */
  sql(resource: string, query: string, options?: SqlOptions): Promise<SqlResult>;
  /** Reads the structure of a resource again. */
  reload(resource: string, options?: CallOptions): Promise<void>;
  /** Describes the models of a resource. */
  modelDescriptions(resource: string, options?: CallOptions): Promise<ModelDescription[]>;
  /** Sends a request to another service, and returns its response. It requires the session of a user. */
  proxy(request: ProxyRequest): Promise<Response>;

  readonly users: Users;
  readonly teams: Teams;
  readonly pages: Pages;
}

/** The error of a call. */
export class SvcRequestError extends Error {
  /**
   * The kind of failure: `status`: the service answered with an error; `transport`: there was no response; `decode`:
   * the response cannot be read; `request`, `options`: the call was not sent; `auth`: the session has ended or cannot
   * be refreshed; `store`: the tokens cannot be stored.
   */
  readonly kind: "status" | "transport" | "decode" | "request" | "auth" | "options" | "store";
  /** The status, if the service answered. */
  readonly status?: number;
  /** The ID of the request in the logs of the service. */
  readonly requestId?: string;
  /** Messages about the request as a whole: `non_field_errors` of the body, or its `detail`. */
  readonly generalErrors: string[];
  /** Messages by field. */
  readonly fieldErrors: { [field: string]: string[] };
  /** The unchanged body of the response, if there was one. It is not shown when the error is logged. */
  readonly body?: string;
}

/**
 * A client for answering a request of the service: with its project, environment and service token, and with its base
 * URL and draft switch if it has them. The sender decides where calls go: accept such requests only from the service.
 *
 * @param request a Fetch `Request`, its `Headers`, a request of Node's `http`, or an object of headers
 * @throws {SvcRequestError} when one of the three required headers is missing
 */
export function createClientFromRequest(
  request:
    | { readonly headers: Headers | { readonly [name: string]: string | readonly string[] | undefined } }
    | Headers
    | { readonly [name: string]: string | readonly string[] | undefined },
): Svc;

/** The entity tag of a record or page that this client returned. */
export function etagOf(value: object): string | undefined;

/**
 * Loads WebAssembly now instead of at the first call.
 *
 * @param source instead of the file beside this module: its bytes, a compiled module, a `Response`, or a URL
 */
export function init(
  // A compiled module is typed as an object, since not every set of library types has `WebAssembly`.
  source?: string | URL | Response | PromiseLike<Response> | ArrayBuffer | ArrayBufferView | object,
): Promise<void>;
