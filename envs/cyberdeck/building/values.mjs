// What the modules of cyberdeck.mjs share: what is wrong, what may be chosen, and numbers in records.

const WORD = 0xffffffffffffffffn;

/** What was wrong, what is possible, and what to do. Nothing was changed. */
export class GameError extends Error {
  name = "GameError";

  /** @param {string} words, of which a file may have said some: clipped, and without control characters. */
  constructor(words) {
    super(words.slice(0, 2000).replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, "\ufffd"));
  }
}

/** Complain about names that there are not. */
export function known(given, names, taker, what = "a setting") {
  if (typeof given !== "object" || given === null) {
    throw new GameError(`${told(given)} is not possible for ${taker}: give an object, such as {}`);
  }
  const other = Object.keys(given).find((name) => !names.includes(name));
  if (other === undefined) return;
  throw new GameError(`${other} is not ${what} of ${taker}: there are ${names.join(", ") || "none"}`);
}

/** Which of *values* an option is. */
export function placed(option, value, values = option.choices) {
  const at = values.findIndex((each) => told(each) === told(value));
  if (at >= 0) return at;
  const choices = option.choices.map(told).join(", ");
  throw new GameError(`${option.name}=${told(value)} is not possible: choose one of ${choices}`);
}

/** The value of an option or a setting, the default if none is given. */
export function allowed(option, value = option.default) {
  if (value === null && option.default === null) return value;
  if (!option.bounds) return option.choices[placed(option, value)];
  const [low, high] = option.bounds;
  const right = option.fractions ? Number.isFinite(value) : Number.isInteger(value);
  if (right && value >= low && value <= high) return value;
  const kind = option.fractions ? "number" : "whole number";
  throw new GameError(`${option.name}=${told(value)} is not possible: it must be a ${kind} from ${low} to ${high}`);
}

export function told(value) {
  return typeof value === "bigint" ? String(value) : JSON.stringify(value) ?? String(value);
}

/** The generator's first counter for a seed. */
export function seeded(seed) {
  let z = (seed + 0x5851f42d4c957f2dn) & WORD;
  z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & WORD;
  z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & WORD;
  return z ^ (z >> 31n);
}

/** A float64 by its bits. */
export function bits(number) {
  return new BigInt64Array(Float64Array.of(number).buffer)[0];
}

export function product(numbers) {
  return numbers.reduce((one, other) => one * other, 1);
}

export function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

export function joined(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** How numbers are read and written in a record, by their type. */
export const NUMBERS = Object.fromEntries(
  ["Int8", "Int16", "Int32", "BigInt64", "BigUint64", "Float32", "Float64"].map((name) => {
    const size = Number(name.match(/\d+/)[0]) / 8;
    const convert = name.startsWith("Big") ? BigInt : Number;
    return [
      name.replace("Big", "").toLowerCase(),
      {
        size,
        array: globalThis[`${name}Array`],
        get: (view, at) => view[`get${name}`](at, true),
        set: (view, at, value) => view[`set${name}`](at, convert(value), true),
      },
    ];
  }),
);

export function read(view, [kind, offset]) {
  return NUMBERS[kind].get(view, offset);
}

export function all(view, [kind, offset, count]) {
  const { get, size } = NUMBERS[kind];
  return Array.from({ length: count }, (_, i) => get(view, offset + size * i));
}

export function write(view, [kind, offset], value) {
  NUMBERS[kind].set(view, offset, value);
}

/** Whether all numbers of these fields are within their bounds: name, lowest, highest. NaN is not. */
export function within(view, fields, bounds) {
  return bounds.every(([name, ...ends]) => {
    const [low, high] = ends.map({ float32: Math.fround, float64: Number }[fields[name][0]] ?? BigInt);
    return all(view, fields[name]).every((number) => number >= low && number <= high);
  });
}

/** Where a field lies: from, to. */
export function extent([kind, offset, count]) {
  return [offset, offset + NUMBERS[kind].size * count];
}

export function clear(view, place) {
  new Uint8Array(view.buffer).fill(0, ...extent(place));
}

export function copy(bytes, view, place) {
  new Uint8Array(view.buffer).set(bytes.subarray(...extent(place)), place[1]);
}
