// A database with a composite key and integers of 64 bits, which the demo shop has not.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

// CREATE TABLE readings (place TEXT NOT NULL, number INTEGER NOT NULL, value BIGINT, PRIMARY KEY (place, number))
// WITHOUT ROWID, as a file of SQLite, compressed: not every Node can make one.
const DATABASE = `H4sICI6mAWsCA2MuZGIA7dFNi8IwEAbgiSwIguhtQRDmqCBe9g9s1aDBandjxPUYu1GE+kGt3vWX24JF8eJd3ocMycyQEJjJr79OHC93
8cYm/EVVEoK+mYlIpFGguyz/eMpfEdQORTk7VEJKFwAAAAAAAMC7OtdE8bNeF5diYheRi539X29Xh3wvdLX0jGTjdXzJeZUb+8iGjo38MzwO0pj6fou3
x83CxazGRvalfmicbHR03FH9tNXiH61Gnp7zUM5vD+VXm02eKTMIpoZ1MFO9UvbDKoYEAAAAAAAA8M6uD22mugAgAAA=`;

/**
 * Connects the database as the resource `places`, and gives its token. The service starts again, so that it knows.
 *
 * @param {object} service the running service
 * @param {{ after: (end: () => Promise<void>) => void }} t takes it away again
 */
export async function connectPlaces(service, t) {
  const folder = await mkdtemp(join(tmpdir(), "svc-js-places-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "places.db");
  await writeFile(file, gunzipSync(Buffer.from(DATABASE, "base64")));
  const { token } = await service.run("resource", "add", "places", `sqlite:${file}`, "--project", service.project);
  await service.end();
  await service.start();
  return token;
}
