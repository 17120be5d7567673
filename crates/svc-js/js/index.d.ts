/**
 * The client of the svc REST service: records of connected databases, read-only SQL, users, teams, page
 * settings, the HTTP proxy, and the accounts of users.
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
 * Integers beyond `Number.MAX_SAFE_INTEGER` are `bigint`, in what comes and in what is sent; all others are
 * `number`.
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

/** What can be sent as JSON: dates become RFC 3339 text, `undefined` properties are left out. */
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

/** Where tokens of a session are kept: `localStorage`, `sessionStorage`, or an object of your own. */
export interface TokenStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** The options of a client. Those that are set win over `env`, and both win over the defaults. */
export interface SvcOptions {
  /** The project. There is no default; a call that needs it fails when it is missing. */
  project?: string;
  /** The environment; `prod` by default. */
  environment?: string;
  /** The base URL of the data host; `http://127.0.0.1:8080` by default. */
  apiBaseUrl?: string;
  /** The base URL of the application host; `{apiBaseUrl}/api` by default. */
  appBaseUrl?: string;
  /** Whether requests carry `draft=1`. */
  draft?: boolean;
  /**
   * Sent as `Authorization: Bearer <apiToken>`, given without that prefix: a static token of a resource, or an
   * API key of a user. It takes priority over the session of a user.
   */
  apiToken?: string;
  /**
   * Environment variables, such as `import.meta.env` or `process.env`, of which `SVC_PROJECT`,
   * `SVC_ENVIRONMENT`, `SVC_DRAFT`, `SVC_API_BASE_URL` and `SVC_APP_BASE_URL` are read, with `VITE_` before them
   * preferably. They are never read without this.
   */
  env?: { readonly [name: string]: unknown };
  /**
   * Where the tokens of a user are kept, under the key `svc_auth`: `localStorage` by default, and memory
   * where there is none, or `null` is given. A server that acts for many users gives each request a storage of its
   * own.
   */
  storage?: TokenStorage | null;
}

/** What can be set for any call. */
export interface CallOptions {
  /** Gives the call up; the promise rejects with the reason of the signal. */
  signal?: AbortSignal;
  /** Names the call in the logs of the service (`X-Request-Id`). */
  requestId?: string;
  /** How long the call may take with all its tries, in milliseconds; 30 000 by default. */
  timeout?: number;
}

/** Options of a call that changes something that was read before. */
export interface WriteOptions extends CallOptions {
  /**
   * Refuses the write, with status 412, when what is stored is no longer this: an object that this client
   * returned, or its entity tag. See {@link etagOf}.
   */
  ifMatch?: object | string;
}

/** How a filter compares a field with a value. `in` and `range` take arrays. */
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
  | "coveredby";

/** A value that a field is compared with. */
export type FilterValue = string | number | bigint | boolean | Date;

/**
 * Conditions that all hold, by field: a value that the field equals, `null` for none, an array for one of
 * several, or an object of lookups.
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

/** A tree of conditions: at most 8 operators deep, with at most 100 conditions. */
export type Filter =
  | { readonly and: readonly Filter[] }
  | { readonly or: readonly Filter[] }
  | { readonly not: Filter }
  | {
      readonly field: string;
      readonly lookup?: Lookup;
      readonly value: FilterValue | readonly FilterValue[];
    };

/** Which records a call is about. */
export interface Selection {
  /** Conditions that all hold. */
  filters?: Filters;
  /** Conditions of which none holds. */
  exclude?: Filters;
  /** A tree of conditions, which holds beside the others. */
  filter?: Filter;
  /** A text that is looked for in every searchable column. */
  search?: string;
  /** Keeps records that have such related records: `column_here.model.column_there|...|column.v1,v2`. */
  relation?: string;
  /** The UTC offset or IANA time zone of date texts, in and out; UTC by default. */
  timezone?: string;
}

/** Which page of a list. */
export interface Pagination {
  /** The page, from 1. */
  page?: number;
  /** How many records it has: 25 by default, at most 10 000. */
  perPage?: number;
}

/** What a list asks for. */
export interface ListOptions extends Selection, CallOptions {
  /** Columns to sort by, `-` before the name for descending: `"-created_at"`, `["status", "-id"]`. */
  orderBy?: string | readonly string[];
  /** Which page; `false` for up to 10 000 records without pages. */
  pagination?: Pagination | false;
  /** Only these columns, and the primary key. */
  fields?: readonly string[];
  /** How the number of all matches is found; `exact` by default. */
  count?: "exact" | "estimated" | "none";
}

/** A page of a list. */
export interface Page<T> {
  /** How many there are in all; `null` when that was not counted. */
  count: number | null;
  /** Link to the next page, `null` on the last. */
  next: string | null;
  /** Link to the previous page, `null` on the first. */
  previous: string | null;
  /** What is on this page. */
  results: T[];
}

/**
 * A list that was not asked for yet. `await` sends the request and gives one page; `for await` walks over
 * everything from that page on, and `byPage()` over the pages. What follows `next` stays on the client's own
 * base URL.
 */
export interface List<T> extends PromiseLike<Page<T>>, AsyncIterable<T> {
  /** Walks over the pages. */
  byPage(): AsyncIterableIterator<Page<T>>;
  catch<R = never>(onRejected?: ((reason: unknown) => R | PromiseLike<R>) | null): Promise<Page<T> | R>;
  finally(onFinally?: (() => void) | null): Promise<Page<T>>;
}

/** Which function over which column. */
export type AggregateFunction = "count" | "count_distinct" | "sum" | "avg" | "min" | "max";

/** A function over the selected records. */
export interface AggregateOptions extends Selection, CallOptions {
  func: AggregateFunction;
  /** The column; only `count` can do without. */
  column?: string;
}

/** By what a column is grouped: its values, or dates by a unit. */
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
  /** At most so many groups; 10 000 by default, at most 100 000. */
  limit?: number;
}

/** A group: `group`, `group_2` and so on are its columns, `y_func` the value. */
export type Group = { group: Json; y_func: Json } & { [column: string]: Json };

/** The records of a model of a connected resource. It comes from {@link Svc.collection}. */
export interface Collection<T extends object = Record> {
  /** Records, page by page or all. */
  list(options?: ListOptions): List<T>;
  /** One record by its primary key; parts of a composite key in an array. */
  get(id: RecordId, options?: ViewOptions): Promise<T>;
  /** Creates a record, and gives it as it is stored. */
  create(record: Partial<T> | { readonly [column: string]: JsonInput | undefined }, options?: ViewOptions): Promise<T>;
  /** Changes the columns that are given, and gives the record as it is stored. */
  update(
    id: RecordId,
    changes: Partial<T> | { readonly [column: string]: JsonInput | undefined },
    options?: ViewOptions & WriteOptions,
  ): Promise<T>;
  /** Deletes a record. */
  delete(id: RecordId, options?: WriteOptions): Promise<void>;
  /** A function over the selected records. */
  aggregate(options: AggregateOptions): Promise<Json>;
  /** A function over each group of the selected records. */
  group(options: GroupOptions): Promise<Group[]>;
}

/** A primary key. */
export type RecordId = string | number | bigint | readonly (string | number | bigint)[];

/** Options of a call that gives a record. */
export interface ViewOptions extends CallOptions {
  /** Only these columns, and the primary key. */
  fields?: readonly string[];
  /** The UTC offset or IANA time zone of date texts, in and out. */
  timezone?: string;
}

/** Options of a query. */
export interface SqlOptions extends CallOptions {
  /** Values of the query: by name for `:name`, in order for `%s`. */
  params?: readonly JsonInput[] | { readonly [name: string]: JsonInput };
  offset?: number;
  /** At most so many rows; 100 by default when any option of this kind is used, else 10 000. */
  limit?: number;
  /** Columns of the result to sort by. */
  orderBy?: string | readonly string[];
  /** Whether all rows are counted. */
  count?: boolean;
  timezone?: string;
  schema?: string;
}

/** What a query gives. */
export interface SqlResult {
  /** The rows, each an array in the order of `columns`. */
  data: Json[][];
  columns: string[];
  /** The type of each column. */
  columnDescriptions: { [column: string]: { field: string } };
  /** How many rows there are in `data`. */
  rowCount: number;
  /** How many rows there could have been in `data`. */
  limit: number;
  /** How many there are without `limit` and `offset`, where that was asked for. */
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
  /** Whether there is no primary key, and the first column stands for it. */
  primary_key_auto: boolean;
  is_view: boolean;
  fields: FieldDescription[];
  relations: ModelRelation[];
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
  null: boolean;
  editable: boolean;
  required: boolean;
  params: { [name: string]: Json };
  default_type: string | null;
  default_value: Json;
}

/** How records of two models belong together. */
export interface ModelRelation {
  name: string;
  direction: "MANYTOONE" | "ONETOMANY";
  local_field: string;
  related_model: string;
  related_field: string;
}

/** A user of the application, as a record of the built-in tools: names are those of the wire. */
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

/** The users of the application. They need the static token of the built-in tools as `apiToken`. */
export interface Users {
  list(options?: ListOptions): List<User>;
  get(uid: string, options?: CallOptions): Promise<User>;
  /** Creates a user, who is invited by e-mail. */
  create(user: { email: string; group: string; first_name?: string; last_name?: string }, options?: CallOptions): Promise<User>;
  update(
    uid: string,
    changes: { group?: string; first_name?: string | null; last_name?: string | null },
    options?: CallOptions,
  ): Promise<User>;
  delete(uid: string, options?: CallOptions): Promise<void>;
}

/** The teams of the project. They need the static token of the built-in tools as `apiToken`. */
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

/** Options of a call about pages. */
export interface PageOptions extends CallOptions {
  /** Whether the call is about the drafts; as the client has it by default. */
  draft?: boolean;
}

/** A change of a page. */
export interface Revision {
  number: number;
  date_add: string;
  author: string | null;
  draft: boolean;
  /** Whether it took the page away. */
  deleted: boolean;
}

/** The page settings of the environment. They need an API key as `apiToken`. */
export interface Pages {
  list(options?: PageOptions): Promise<PageSettings[]>;
  get(uid: string, options?: PageOptions): Promise<PageSettings>;
  create(settings: PageSettingsInput, options?: PageOptions): Promise<PageSettings>;
  update(uid: string, changes: PageSettingsInput, options?: PageOptions & WriteOptions): Promise<PageSettings>;
  delete(uid: string, options?: PageOptions & WriteOptions): Promise<void>;
  /** Publishes the drafts of these pages, of all without `uids`; gives the uids of what was published. */
  publish(uids?: readonly string[], options?: CallOptions): Promise<string[]>;
  /** Throws the drafts of these pages away, of all without `uids`; gives their uids. */
  discard(uids?: readonly string[], options?: CallOptions): Promise<string[]>;
  /** The changes of a page, the newest first. */
  revisions(uid: string, options?: CallOptions): Promise<Revision[]>;
  /** Puts a revision into the draft. */
  restore(uid: string, number: number, options?: WriteOptions): Promise<PageSettings>;
}

/** A request to another service, with secrets that the caller does not know. */
export interface ProxyRequest extends CallOptions {
  /** Where to; `{-name-}` stands for a secret token, `{{key}}` for a value of `context`. */
  url: string;
  /** `GET` by default. */
  method?: string;
  /** The resource whose secret tokens are used. */
  resource?: string;
  queryParams?: { readonly [name: string]: string } | readonly { readonly name: string; readonly value: string }[];
  headers?: { readonly [name: string]: string } | readonly { readonly name: string; readonly value: string }[];
  bodyType?: "JSON" | "GraphQL" | "FormUrlEncoded" | "FormData" | "Raw";
  body?: JsonInput;
  /** Names of the secret tokens that may be used. */
  secretTokens?: readonly string[];
  context?: { readonly [key: string]: JsonInput };
}

/** The tokens of a session. */
export interface AuthState {
  accessToken: string;
  refreshToken: string;
  /** RFC 3339. */
  accessTokenExpires?: string;
  /** RFC 3339. */
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

/** What {@link Svc.registerViaEmailPassword} takes. */
export interface RegisterOptions extends CallOptions {
  email: string;
  password: string;
  firstName?: string;
  lastName?: string;
  language?: string;
  timezone?: string;
}

/** What is given by the methods that change a password. */
export interface PasswordChanged {
  result: boolean;
  /** The new tokens, which the client has saved. */
  newState?: AuthState;
}

/** A client. */
export class Svc {
  /**
   * Nothing is sent, and WebAssembly is loaded at the first call. The tokens of a session are read from the
   * storage now: later changes there are not seen.
   */
  constructor(options?: SvcOptions);

  /** Signs in and saves the tokens. */
  loginViaEmailPassword(email: string, password: string, options?: CallOptions): Promise<{ token: AuthState; user: UserInfo }>;
  /** Who is signed in. Without anything to send nobody is, and no request is made. */
  isAuthenticated(options?: CallOptions): Promise<{ authenticated: false } | { authenticated: true; user: UserInfo }>;
  /**
   * Forgets the tokens, here and in the storage. The service is not told unless `revoke` asks for it; an
   * `apiToken` stays.
   */
  logout(options?: { revoke?: boolean; signal?: AbortSignal }): Promise<void>;
  /** Signs up. It signs nobody in. */
  registerViaEmailPassword(options: RegisterOptions): Promise<{ result: true; user: UserInfo } | { result: false }>;
  /** Changes the password and saves the new tokens. All other sessions of the user end. */
  changePassword(newPassword: string, currentPassword?: string, options?: CallOptions): Promise<PasswordChanged>;
  /** Asks for a code by e-mail. The answer is the same whether or not there is such an account. */
  resetPassword(email: string, options?: CallOptions): Promise<{ result: boolean }>;
  /** Sets a forgotten password with a code, and saves the tokens. */
  resetPasswordComplete(code: string, newPassword: string, options?: CallOptions): Promise<PasswordChanged>;
  /** Asks for another e-mail address, to which a code of confirmation is sent. */
  changeEmail(
    newEmail: string,
    currentPassword?: string,
    options?: CallOptions,
  ): Promise<{ result: boolean; sentConfirmationTo: string }>;
  /** Confirms another e-mail address with a code. All sessions of the user end. */
  changeEmailComplete(code: string, options?: CallOptions): Promise<{ result: boolean; oldEmail: string; newEmail: string }>;
  /** The headers that calls of the user carry, renewed if need be; `undefined` when there are none. */
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
  /** Runs a query that only reads. */
  sql(resource: string, query: string, options?: SqlOptions): Promise<SqlResult>;
  /** Reads the structure of a resource again. */
  reload(resource: string, options?: CallOptions): Promise<void>;
  /** The models of a resource. */
  modelDescriptions(resource: string, options?: CallOptions): Promise<ModelDescription[]>;
  /** Sends a request to another service, and gives its answer. It needs the session of a user. */
  proxy(request: ProxyRequest): Promise<Response>;

  readonly users: Users;
  readonly teams: Teams;
  readonly pages: Pages;
}

/** What went wrong with a call. */
export class SvcRequestError extends Error {
  /**
   * What kind of failure: `status` for an answer of the service, `transport` for none, `decode` for one that cannot
   * be read; `request` and `options` for a call that was not sent; `auth` for a session that has ended or cannot
   * be renewed; `store` for tokens that cannot be kept.
   */
  readonly kind: "status" | "transport" | "decode" | "request" | "auth" | "options" | "store";
  /** The status, where the service answered. */
  readonly status?: number;
  /** The call's name in the logs of the service. */
  readonly requestId?: string;
  /** What the service says of the request as a whole: `non_field_errors` of a body, or its `detail`. */
  readonly generalErrors: string[];
  /** What the service says of single fields. */
  readonly fieldErrors: { [field: string]: string[] };
  /** The body of the answer as it came, where there was one. It is not shown where the error is logged. */
  readonly body?: string;
}

/**
 * A client for answering a request of the service: with its project, environment and service token, and its base
 * URL and draft switch where it has them.
 *
 * Anyone who sends such a request chooses where calls go: accept it from the service alone.
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
 * Loads WebAssembly before the first call does.
 *
 * @param source where it comes from, instead of the file beside this module: its bytes, a compiled module, a
 *   `Response`, or a URL
 */
export function init(
  // A compiled module is an object: not everybody's library of types has `WebAssembly`.
  source?: string | URL | Response | PromiseLike<Response> | ArrayBuffer | ArrayBufferView | object,
): Promise<void>;
