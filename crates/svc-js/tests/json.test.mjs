// JSON with integers of any length.

import assert from "node:assert/strict";
import { test } from "node:test";

const { parse, stringify } = await import(`${process.env.SVC_JS}/json.js`);

const MARK = "\u0001";
const SAFE = Number.MAX_SAFE_INTEGER;

test("integers that a number cannot hold are bigints, and all others numbers", () => {
  const cases = [
    ["9007199254740991", SAFE],
    ["-9007199254740991", -SAFE],
    ["9007199254740992", 9007199254740992n],
    ["9007199254740993", 9007199254740993n],
    ["-9007199254740993", -9007199254740993n],
    ["18446744073709551615", 18446744073709551615n],
    ["1".repeat(400), BigInt("1".repeat(400))],
    ["0", 0],
    ["1234567890123456", 1234567890123456],
  ];
  for (const [text, value] of cases) {
    assert.deepEqual(parse(text), value);
    assert.deepEqual(parse(`[${text},{"a":${text}}]`), [value, { a: value }]);
    assert.equal(stringify(value), text);
    assert.equal(stringify([value, { a: value }]), `[${text},{"a":${text}}]`);
  }
});

test("numbers with a fraction or an exponent are numbers, however long", () => {
  for (const text of ["1.00000000000000001", "12345678901234567890.5", "1e20", "1E+20", "12345678901234567e2", "-0.5", "1e-20"]) {
    assert.equal(parse(text), Number(text));
    assert.deepEqual(parse(`{"a":[${text}]}`), { a: [Number(text)] });
  }
  assert.ok(Object.is(parse("-0"), -0));
});

test("digits in texts and names are left as they are", () => {
  const value = { "9007199254740993": "9007199254740993", "a:9007199254740993,": '"9007199254740993"', b: ":9007199254740993" };
  assert.deepEqual(parse(JSON.stringify(value)), value);
  assert.equal(stringify(value), JSON.stringify(value));
  const mixed = '{"9007199254740993":9007199254740993,"t":"\\"9007199254740993\\\\","u":[9007199254740993]}';
  const read = { "9007199254740993": 9007199254740993n, t: '"9007199254740993\\', u: [9007199254740993n] };
  assert.deepEqual(parse(mixed), read);
  assert.equal(stringify(read), mixed);
});

test("texts that begin with the mark are what they were", () => {
  const texts = [MARK, `${MARK}n1`, `${MARK}s1`, `${MARK}n9007199254740993`, `${MARK}${MARK}`, `a${MARK}`, `${MARK}nx`];
  for (const text of texts) {
    for (const value of [text, [text, 9007199254740993n], { [text]: text, b: 9007199254740993n }]) {
      assert.deepEqual(parse(stringify(value)), value, JSON.stringify(text));
    }
    // As others write it, in lower case, in upper case, and beside an integer of that length.
    const escaped = JSON.stringify(text);
    assert.deepEqual(parse(`[${escaped},9007199254740993]`), [text, 9007199254740993n]);
  }
});

test("no text of a server becomes a bigint, however it writes the mark", () => {
  for (const mark of ["\\u0001", "\\u0001n", "\\u0001s"]) {
    const text = `["${mark}5",9007199254740993]`;
    assert.deepEqual(parse(text), [JSON.parse(`"${mark}5"`), 9007199254740993n]);
    assert.deepEqual(parse(`["${mark}5"]`), [JSON.parse(`"${mark}5"`)]);
  }
});

test("what is no JSON is an error, with and without long integers", () => {
  const wrong = [
    "",
    "{",
    "[1,]",
    "nul",
    "'a'",
    "01",
    "[9007199254740993,]",
    "{9007199254740993:1}",
    "9007199254740993 1",
    "[09007199254740993]",
    "[-]",
    "[9007199254740993n]",
    '["a9007199254740993',
    "[--9007199254740993]",
    "[+9007199254740993]",
    "[9007199254740993.]",
    "9007199254740993<html>",
  ];
  for (const text of wrong) assert.throws(() => parse(text), SyntaxError, text);
});

test("what JSON has no way to write is left out, as by JSON.stringify", () => {
  for (const value of [undefined, { a: undefined, b: () => {}, c: NaN }, [undefined, Infinity], new Date(0), null, new Map()]) {
    assert.equal(stringify(value), JSON.stringify(value));
  }
  assert.equal(stringify({ a: undefined, b: 1n }), '{"b":1}');
  assert.equal(stringify({ toJSON: () => 9007199254740993n }), "9007199254740993");
});

test("names that objects inherit are names like others", () => {
  const text = '{"__proto__":{"a":9007199254740993},"constructor":1}';
  const value = parse(text);
  assert.deepEqual(Object.keys(value), ["__proto__", "constructor"]);
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
  assert.equal({}.a, undefined);
});

/** Random numbers that are the same in every run. */
function random(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state % below;
  };
}

const PIECES = ["", "a", '"', "\\", "\\u0001", MARK, `${MARK}n`, `${MARK}s`, "9007199254740993", ":", ",", "{", "}", "\n", "ü", "😀", "\u2028"];

/** A random JSON value, with everything that could be mistaken. */
function value(next, depth = 0) {
  const text = () => Array.from({ length: next(5) }, () => PIECES[next(PIECES.length)]).join("");
  const integer = () => BigInt(Array.from({ length: 1 + next(30) }, (_, index) => (index === 0 ? 1 + next(9) : next(10))).join(""));
  const small = (integer) => (integer <= BigInt(SAFE) && integer >= -BigInt(SAFE) ? Number(integer) : integer);
  switch (next(depth > 3 ? 6 : 8)) {
    case 0:
      return null;
    case 1:
      return next(2) === 0;
    case 2:
      return small(integer());
    case 3:
      return small(-integer());
    case 4:
      return (next(2_000_000) - 1_000_000) / 128;
    case 5:
      return text();
    case 6:
      return Array.from({ length: next(5) }, () => value(next, depth + 1));
    default:
      return Object.fromEntries(Array.from({ length: next(5) }, () => [text(), value(next, depth + 1)]));
  }
}

test("any value is read as it was written", () => {
  for (let seed = 0; seed < 5000; seed += 1) {
    const written = value(random(seed));
    const text = stringify(written);
    assert.deepEqual(parse(text), written, `seed ${seed}: ${text}`);
    // Space between the tokens, as other services write it, changes nothing.
    assert.deepEqual(parse(` ${spaced(text)}\n`), written, `seed ${seed}, with space: ${text}`);
  }
});

/** The same JSON with space around what is not within a text. */
const spaced = (text) => text.replace(/"(?:[^"\\]|\\.)*"|[[\]{},:]/g, (token) => (token[0] === '"' ? token : ` ${token}\t`));

test("without long integers everything is as JSON reads and writes it", () => {
  for (let seed = 0; seed < 2000; seed += 1) {
    const written = value(random(seed));
    const plain = JSON.parse(JSON.stringify(written, (_, value) => (typeof value === "bigint" ? 7 : value)));
    assert.deepEqual(JSON.parse(stringify(plain)), plain, `seed ${seed}`);
    assert.deepEqual(parse(JSON.stringify(plain)), plain, `seed ${seed}`);
  }
});
