// JSON with integers of any length: those that a number cannot represent are bigints.

// A mark at the start of a string: the rest is an integer (n), or a string that itself begins with the mark (s).
const MARK = "\u0001";
const MARK_IN_JSON = "\\u0001";

// A string or a number; a string may be the name of a property.
const TOKEN = /(?:"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*)(\s*:)?/g;
const INTEGER = /^-?[1-9]\d{15,}$/;

/** Reads JSON text. */
export function parse(text) {
  // Nearly all texts have no integer of that length, and the engine reads them.
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  const markedText = text.replace(TOKEN, (token, isName) => {
    if (token[0] === '"') {
      return !isName && token.startsWith(`"${MARK_IN_JSON}`)
        ? `"${MARK_IN_JSON}s${token.slice(1 + MARK_IN_JSON.length)}`
        : token;
    }
    if (!INTEGER.test(token) || Number.isSafeInteger(Number(token))) return token;
    return `"${MARK_IN_JSON}n${token}"`;
  });
  return JSON.parse(markedText, (_, value) => {
    if (typeof value !== "string" || value[0] !== MARK) return value;
    return value[1] === "n" ? BigInt(value.slice(2)) : MARK + value.slice(2);
  });
}

/** Writes JSON text. */
export function stringify(value) {
  const text = JSON.stringify(value, (_, value) => {
    if (typeof value === "bigint") return `${MARK}n${value}`;
    return typeof value === "string" && value[0] === MARK ? `${MARK}s${value.slice(1)}` : value;
  });
  if (!text?.includes(`"${MARK_IN_JSON}`)) return text;
  return text.replace(TOKEN, (token, isName) => {
    if (isName || !token.startsWith(`"${MARK_IN_JSON}`)) return token;
    const rest = token.slice(2 + MARK_IN_JSON.length);
    return token[1 + MARK_IN_JSON.length] === "n" ? rest.slice(0, -1) : `"${MARK_IN_JSON}${rest}`;
  });
}
