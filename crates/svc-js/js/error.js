/** What went wrong with a call. */
export class SvcRequestError extends Error {
  /** @param {object} properties the properties of the error, `message` among them */
  constructor({ message, ...properties }) {
    super(message);
    this.name = "SvcRequestError";
    Object.assign(this, properties);
  }
}

/** An error that was found on this side. */
export function failed(kind, message) {
  return new SvcRequestError({ message, kind, generalErrors: [], fieldErrors: {} });
}

/** What WebAssembly throws: the properties of an error as JSON, or what is to be thrown as it is. */
export function thrown(error) {
  return typeof error === "string" ? new SvcRequestError(JSON.parse(error)) : error;
}
