/** What went wrong with a call. */
export class SvcRequestError extends Error {
  name = "SvcRequestError";

  /** @param {object} properties those of the error, `message` among them */
  constructor({ message, fieldErrors = [], ...properties }) {
    super(message);
    Object.assign(this, { generalErrors: [], ...properties, fieldErrors: Object.fromEntries(fieldErrors) });
  }
}

/** An error that was found on this side. */
export const failed = (kind, message, properties) => new SvcRequestError({ message, kind, ...properties });

/** What has to be an object, or the error that it is none. */
export function object(value) {
  if (typeof value === "object" && value !== null) return value;
  throw failed("decode", "the answer is not the object that it should be; is the base URL right?");
}
