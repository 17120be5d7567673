/** What went wrong with a call. */
export class SvcRequestError extends Error {
  name = "SvcRequestError";

  /** @param {object} properties those of the error, `message` among them */
  constructor({ message, generalErrors = [], fieldErrors = [], body, ...properties }) {
    super(message);
    if (generalErrors.length === 0) generalErrors = detail(body);
    Object.assign(this, { ...properties, generalErrors, fieldErrors: Object.fromEntries(fieldErrors) });
    // Not shown where the error is: it may be large, and hold what is not for a log.
    if (body !== undefined) Object.defineProperty(this, "body", { value: body });
  }
}

/** The one sentence of most bodies but that of a 400: `{"detail": "...", "error_code": "..."}`. */
function detail(body) {
  try {
    const { detail } = JSON.parse(body);
    return typeof detail === "string" ? [detail] : [];
  } catch {
    return [];
  }
}

/** An error that was found on this side. */
export const failed = (kind, message, properties) => new SvcRequestError({ message, kind, ...properties });

/** What has to be an object, or the error that it is none. */
export function object(value) {
  if (typeof value === "object" && value !== null) return value;
  throw failed("decode", "the answer is not the object that it should be; is the base URL right?");
}
