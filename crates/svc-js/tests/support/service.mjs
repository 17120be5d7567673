// The program as a child process: a demo shop that a test talks to.

import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** The program, as `cargo xtask test` built it. */
export const program = process.env.TESTED_PROGRAM;
/** The password of everybody who does not need another one. */
export const PASSWORD = "correct horse";
/** What takes the throttle of account calls out of the way. */
export const UNTHROTTLED = ["--tries-per-account=1000000", "--tries-per-address=1000000"];

// The shell ends the program when this process is gone, however it went: its standard input is a pipe that
// closes then.
const SUPERVISE = `exec 3<&0
  "$0" "$@" 3<&- & child=$!
  { read -r _ <&3; kill -TERM $child; } >/dev/null 2>&1 & guard=$!
  exec 3<&-
  wait $child; code=$?
  kill $guard 2>/dev/null
  exit $code`;

/**
 * Starts `svc demo` over a new folder and waits for its ready line.
 *
 * @param {{ args?: string[], env?: Record<string, string>, listen?: string }} [options] more arguments, such as
 *   `--cors-origins=http://127.0.0.1:4000`; more variables; the address, for a service that has to come back
 *   under the one that it had
 */
export async function startService(options = {}) {
  const folder = await mkdtemp(join(tmpdir(), "svc-js-"));
  const service = new Service(folder, options);
  try {
    await service.start();
  } catch (error) {
    await service.stop();
    throw error;
  }
  return service;
}

class Service {
  #folder;
  #options;
  #child;
  #ended;
  #log = "";

  constructor(folder, options) {
    this.#folder = folder;
    this.#options = options;
  }

  /** Starts the program again after {@link Service.end}, on the same data. */
  async start() {
    const { args = [], env = {}, listen = "127.0.0.1:0" } = this.#options;
    const demo = ["demo", "--json", "--listen", listen, "--dir", this.#dir, ...args];
    this.#child = spawn("sh", ["-c", SUPERVISE, program, ...demo], {
      cwd: this.#folder,
      env: { ...withoutSettings(), ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    // It says so itself when it is gone already.
    this.#child.stdin.on("error", () => {});
    this.#ended = new Promise((resolve) => this.#child.once("close", resolve));
    this.#child.stderr.setEncoding("utf8").on("data", (text) => {
      this.#log += text;
    });
    const line = await Promise.race([firstLine(this.#child.stdout), this.#ended]);
    if (typeof line !== "string") {
      throw new Error(`the service did not get ready: ${this.#log}`);
    }
    const ready = JSON.parse(line);
    /** The data host. */
    this.baseUrl = ready.base_url;
    /** The application host; ends in `/api`. */
    this.appBaseUrl = ready.app_base_url;
    this.project = ready.project;
    this.environment = ready.environment;
    /** An API key of the project. */
    this.apiKey = ready.api_key;
    /** The static token of the built-in tools. */
    this.toolsToken = ready.tools_token;
    /** The static token of the resource `shop`. */
    this.shopToken = ready.resources.shop.token;
  }

  /** What the program wrote to standard error so far. */
  get log() {
    return this.#log;
  }

  /** The options of a client that talks to this service. */
  get options() {
    const { project, environment, baseUrl: apiBaseUrl, appBaseUrl } = this;
    return { project, environment, apiBaseUrl, appBaseUrl };
  }

  /** Runs a command of the program on the service's store, and gives the JSON that it prints. */
  async run(...args) {
    const all = [...args, "--json", "--dir", this.#dir];
    const options = { cwd: this.#folder, env: withoutSettings() };
    const { stdout } = await execute(program, all, options);
    return stdout === "" ? undefined : JSON.parse(stdout);
  }

  /** Adds a user who can sign in: an administrator when no team is named. */
  async addUser(email, { team, password = PASSWORD, environment = this.environment } = {}) {
    const place = ["--project", this.project, "--env", environment];
    const membership = team === undefined ? ["--admin"] : ["--team", team];
    const user = await this.run("user", "add", email, ...membership, ...place, "--password", password);
    return { ...user, email, password };
  }

  /** Ends the program and keeps its data. */
  async end() {
    this.#child?.stdin.end();
    await this.#ended;
  }

  /** Ends the program and removes its data. */
  async stop() {
    await this.end();
    await rm(this.#folder, { recursive: true, force: true });
  }

  get #dir() {
    return join(this.#folder, "store");
  }
}

/** The variables of this process without the settings of somebody's own service. */
function withoutSettings() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("SVC_")));
}

async function firstLine(stream) {
  const lines = createInterface({ input: stream });
  for await (const line of lines) {
    // Whatever else it writes must not fill the pipe.
    stream.resume();
    return line;
  }
}
