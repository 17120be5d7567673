// The texts of the console by their ids, so that tests do not depend on how they are worded.

import { readFileSync } from "node:fs";

const source = readFileSync(new URL("../../../../crates/svc-console/texts/en.ftl", import.meta.url), "utf8");
const texts = new Map();
for (const [, id, text] of source.matchAll(/^([a-z][a-z0-9-]*) = (.+)$/gm)) texts.set(id, text);

/** A text, with its values in place of `{ $name }`. */
export function text(id, values = {}) {
  const found = texts.get(id);
  if (found === undefined) throw new Error(`there is no text ${id}`);
  return found.replace(/\{ \$(\w+) \}/g, (_, name) => values[name]);
}
