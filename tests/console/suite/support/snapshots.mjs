// What is kept in the repository of how places look to screen readers.

import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../../snapshots", import.meta.url));
/** The folder of what a run leaves. */
export const out = process.env.OUT;

/**
 * Compares a text with the file of this name, which the variable `UPDATE_SNAPSHOTS` writes again.
 */
export async function compare(name, text) {
  const path = join(folder, name);
  const seen = `${text.trimEnd()}\n`;
  const kept = await readFile(path, "utf8").catch(() => undefined);
  if (kept === seen) return;
  if (process.env.UPDATE_SNAPSHOTS) {
    await writeFile(path, seen);
    return;
  }
  await mkdir(join(out, "snapshots"), { recursive: true });
  await writeFile(join(out, "snapshots", name), seen);
  assert.equal(seen, kept, `${name} differs; to keep what is seen now, set UPDATE_SNAPSHOTS=1`);
}

/** Takes a picture of what a page shows, or of the whole page. */
export async function picture(page, name, fullPage = false) {
  await page.screenshot({ path: join(out, "screenshots", `${name}.png`), fullPage, animations: "disabled" });
}
