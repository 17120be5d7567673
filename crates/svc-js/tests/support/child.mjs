// Node in a process of its own.

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const execute = promisify(execFile);
/** Where `import "svc-js"` finds the package. */
const folder = fileURLToPath(new URL("..", import.meta.url));

/**
 * Runs a module and gives what it prints.
 *
 * @param {string} source the module
 * @param {{ env?: Record<string, string>, timeout?: number }} [options] variables, and after how many milliseconds
 *   it is too late for it to end by itself
 */
export async function node(source, { env = {}, timeout = 60_000 } = {}) {
  const args = ["--input-type=module", "--eval", source];
  const { stdout } = await execute(process.execPath, args, { cwd: folder, env: { ...process.env, ...env }, timeout });
  return stdout;
}
