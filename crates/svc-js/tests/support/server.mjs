// A server of a test's own.

import { once } from "node:events";
import { createServer } from "node:http";

/**
 * Serves with `answer` on a free port until the test ends, and gives its address.
 *
 * @param {{ after: (end: () => Promise<void>) => void }} t the test
 * @param {import("node:http").RequestListener} answer
 */
export async function serve(t, answer) {
  const server = createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  });
  return `http://127.0.0.1:${server.address().port}`;
}

/** The body of a request. */
export async function text(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}

/** A base URL at which nobody listens. */
export async function nobody() {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${server.address().port}`;
  server.close();
  await once(server, "close");
  return url;
}
