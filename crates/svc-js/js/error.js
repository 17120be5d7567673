/** The error of a call. */
export class SvcRequestError extends Error {
  name = "SvcRequestError";

  /** @param {object} properties the properties of the error, including `message` */
  constructor({ message, generalErrors = [], fieldErrors = [], body, ...properties }) {
    super(message);
    if (generalErrors.length === 0) generalErrors = detail(body);
    Object.assign(this, { ...properties, generalErrors, fieldErrors: Object.fromEntries(fieldErrors) });
    // Not enumerable, so that it is not logged: it may be large and contain private data.
    if (body !== undefined) Object.defineProperty(this, "body", { value: body });
  }
}

/** The message in most error bodies except those with status 400: `{"detail": "...", "error_code": "..."}`. */
function detail(body) {
  try {
    const { detail } = JSON.parse(body);
    return typeof detail === "string" ? [detail] : [];
  } catch {
    return [];
  }
}

/** An error that the client itself has found. */
export const failed = (kind, message, properties) => new SvcRequestError({ message, kind, ...properties });

/** Returns the value if it is an object, and throws an error otherwise: the answer of something else than the service. */
export function object(value) {
  if (typeof value === "object" && value !== null) return value;
  throw failed("decode", "the answer is not as expected; is the base URL right?");
}
