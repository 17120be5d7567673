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
