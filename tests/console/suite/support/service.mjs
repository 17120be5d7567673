// The program as a child process.

import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text as textOf } from "node:stream/consumers";

const program = process.env.TESTED_PROGRAM;
/** The databases of every set, by engine. */
export const databases = JSON.parse(process.env.DATABASES);
export const ENGINES = ["sqlite", "postgres", "mariadb"];

export const EMAIL = "ann@example.com";
export const PASSWORD = "correct horse battery";

// The shell ends the program when this process is gone, however it went: its standard input is a pipe that
// closes then.
const SUPERVISE = `exec 3<&0
  "$0" "$@" 3<&- & child=$!
  { read -r _ <&3; kill -TERM $child; } >/dev/null 2>&1 & guard=$!
  exec 3<&-
  wait $child
  kill $guard 2>/dev/null`;

/** A running program, in a folder of its own. */
export class Service {
  #folder;
  #child;
  #ended;
  #log = "";

  /** Starts it with `serve` or `demo` and its options, and waits for a line for which `isReady` gives something. */
  static async start(args, isReady) {
    const service = new Service();
    service.#folder = await mkdtemp(join(tmpdir(), "svc-console-"));
    try {
      service.ready = await service.#run([...args, "--listen", "127.0.0.1:0"], isReady);
    } catch (error) {
      await service.stop();
      throw error;
    }
    return service;
  }

  async #run(args, isReady) {
    this.#child = spawn("sh", ["-c", SUPERVISE, program, ...args], { cwd: this.#folder, env: withoutSettings() });
    // It says so itself when it is gone already.
    this.#child.stdin.on("error", () => {});
    this.#ended = new Promise((resolve) => this.#child.once("close", resolve));
    this.#child.stderr.setEncoding("utf8").on("data", (text) => {
      this.#log += text;
    });
    const ready = new Promise((resolve) => {
      createInterface({ input: this.#child.stdout }).on("line", (line) => {
        const found = isReady(line);
        if (found) resolve(found);
      });
    });
    const found = await Promise.race([ready, this.#ended.then(() => undefined)]);
    if (!found) throw new Error(`the program did not get ready: ${this.#log}`);
    return found;
  }

  /** Runs a command of the program over the same data, with `input`, and gives what it prints. */
  async run(args, input = "") {
    const child = spawn(program, args, { cwd: this.#folder, env: withoutSettings() });
    child.stdin.end(input);
    const code = new Promise((resolve) => child.once("close", resolve));
    const [out, error] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
    if ((await code) !== 0) throw new Error(`svc ${args.join(" ")} failed: ${error}`);
    return out;
  }

  /** Ends it and removes its data. */
  async stop() {
    this.#child?.stdin.end();
    await this.#ended;
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** A service over databases, with an operator and an environment beside `prod`. */
export class World {
  /** Starts it; `resources` are URLs of databases by name. */
  static async start(resources) {
    const world = new World();
    const connects = Object.entries(resources).map(([name, url]) => `--connect=${name}=${url}`);
    const calm = ["--tries-per-account=1000000", "--tries-per-address=1000000"];
    const read = (line) => line.startsWith("{") && JSON.parse(line);
    world.service = await Service.start(["serve", "--json", ...connects, ...calm], read);
    const { ready } = world.service;
    world.origin = new URL(ready.app_base_url).origin;
    await world.service.run(["account", "add", EMAIL, "--operator", "--password-stdin"], `${PASSWORD}\n`);
    await world.service.run(["env", "add", "dev", "--project", "main"]);
    return world;
  }

  /** What the service has at a path of a resource, as text; with a body it is changed. */
  async data(resource, path, change, method = change ? "PATCH" : "GET") {
    const { base_url: base, resources } = this.service.ready;
    const answer = await fetch(`${base}/projects/main/prod/${resource}/${path}`, {
      method,
      headers: { authorization: resources[resource].token, "content-type": "application/json" },
      body: change ? JSON.stringify(change) : undefined,
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${text}`);
    return text;
  }

  /** All records of a model, one a line; without numbers and dates being read. */
  async records(resource, model, order = "id") {
    const path = `models/${encodeURIComponent(model)}?_order_by=${order}&_per_page=1000&_count=none`;
    const text = await this.data(resource, path);
    return text.slice(text.indexOf("[")).replaceAll("},{", "},\n{");
  }

  async stop() {
    await this.service?.stop();
  }
}

/** The variables of this process without the settings of somebody's own service. */
function withoutSettings() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("SVC_")));
}
