// Opens the files of games for cyberdeck.mjs: what a stranger may have sent is looked at before it runs.
import { GameError } from "./values.mjs";

export const GIVE = "give a file that `cyberdeck build` has made";

/** The bytes of a file, or those at its address. @returns {Promise<Uint8Array>} */
export async function fetchedBytes(source) {
  let bytes = source;
  if (typeof source === "string" || source instanceof URL) {
    const address = String(source);
    if (globalThis.process?.versions?.node && !/^(https?|data|blob):/.test(address)) {
      const { readFile } = await import("node:fs/promises");
      bytes = await readFile(address.startsWith("file:") ? new URL(address) : address);
    } else {
      const answer = await fetch(source);
      if (!answer.ok) throw new GameError(`${address} cannot be fetched: ${answer.status} ${answer.statusText}`);
      bytes = await answer.arrayBuffer();
    }
  }
  if (bytes instanceof ArrayBuffer) return new Uint8Array(bytes);
  if (ArrayBuffer.isView(bytes)) return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  throw new GameError("a game, or a policy, is loaded from the bytes of its file, or from their address");
}

/** The code in these bytes. @returns {Promise<WebAssembly.Module>} */
export async function compiled(bytes) {
  check(bytes);
  try {
    return await WebAssembly.compile(/** @type {BufferSource} */ (bytes));
  } catch (error) {
    throw new GameError(`these bytes are no WebAssembly: ${error.message}`);
  }
}

/** The sections that the files of games may have, by their numbers. */
const [TYPES, IMPORTS, FUNCTIONS, TABLES, MEMORIES, START] = [1, 2, 3, 4, 5, 8];
const SECTIONS = [0, TYPES, FUNCTIONS, TABLES, MEMORIES, 6, 7, 9, 10, 11, 12];
const FUNCTION = 0x60; // of numbers alone: what else types describe may be made in any size, before anything is run
const NUMBER_TYPES = [0x7c, 0x7d, 0x7e, 0x7f];
const OF_FUNCTIONS = 0x70; // a table
const MOST_FUNCTIONS = 10_000; // of 50,000 variables each, in 8 bytes: games have about 50
const MOST_PAGES = 1024; // of 64 KiB: games begin with about 20, and take more when they need it
const MOST_ENTRIES = 65_536;

/** Refuse WebAssembly that would run, or take memory beyond measure, by being instantiated. What is not read here the
 *  engine checks. */
function check(bytes) {
  let at = 8;
  const refuse = (what) => {
    throw new GameError(`this WebAssembly is no game, for it ${what}: ${GIVE}`);
  };
  const byte = () => (at < bytes.length ? bytes[at++] : refuse("breaks off"));
  const number = () => {
    let found = 0;
    for (let scale = 1; scale < 2 ** 35; scale *= 128) {
      const next = byte();
      found += (next & 127) * scale;
      if (next < 128) return found;
    }
    return refuse("has a length of more than 32 bits");
  };
  const begins = (most, what) => {
    if (byte() > 1) refuse(`has ${what} of another kind than WebAssembly had in 2021`);
    const count = number();
    if (count > most) refuse(`begins with ${count} ${what}, more than ${most}`);
  };
  if ([0, 97, 115, 109, 1, 0, 0, 0].some((each, place) => bytes[place] !== each)) {
    throw new GameError(`these bytes are no WebAssembly: ${GIVE}`);
  }
  while (at < bytes.length) {
    const section = byte();
    const end = number() + at;
    if (section === START) refuse("runs as soon as it is loaded (a start section)");
    if (section === IMPORTS) refuse("asks for something from outside (an import section)");
    if (!SECTIONS.includes(section)) refuse(`has a section of kind ${section}`);
    if (section === TYPES) {
      for (let types = number(); types > 0; types--) {
        if (byte() !== FUNCTION) refuse("has types of data");
        for (const _ of ["taken", "given"]) {
          for (let left = number(); left > 0; left--) if (!NUMBER_TYPES.includes(byte())) refuse("has types of data");
        }
      }
    }
    if (section === FUNCTIONS && number() > MOST_FUNCTIONS) refuse(`has more than ${MOST_FUNCTIONS} functions`);
    if (section === MEMORIES) {
      if (number() !== 1) refuse("has more than one memory, or none");
      begins(MOST_PAGES, "pages of memory");
    }
    if (section === TABLES) {
      if (number() !== 1 || byte() !== OF_FUNCTIONS) refuse("has tables of another kind than one of functions");
      begins(MOST_ENTRIES, "entries of a table");
    }
    at = end;
  }
}
