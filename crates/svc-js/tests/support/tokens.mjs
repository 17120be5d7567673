// Tokens that no service has given.

/**
 * An entry of a storage.
 *
 * @param {string} name what its tokens are called
 * @param {{ access?: number, refresh?: number }} [expires] when they expire, in milliseconds since 1970
 */
export function entry(name, { access, refresh } = {}) {
  const time = (at) => (at === undefined ? undefined : new Date(at).toISOString());
  return {
    access_token: `access-${name}`,
    refresh_token: `refresh-${name}`,
    access_token_expires: time(access),
    refresh_token_expires: time(refresh),
    session: "session-1",
  };
}

/** What the service answers to a refresh. */
export function renewed(name, expires) {
  const { session, ...state } = entry(name, expires);
  return Response.json(state);
}
