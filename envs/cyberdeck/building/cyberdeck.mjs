// Games of cyberdeck in a browser or in Node: GAME.wasm, as `cyberdeck build` makes it, is played with this
// module and those beside it. From the same seed everything is, bit for bit, what it is in Python.
//
//   import { load } from "./cyberdeck.mjs";
//   const game = await load("hackthegrid.wasm");
//   const table = game.table({ seed: 7, options: { scramble: "at_end" } });
//   while (!table.over) table.act(table.heuristic());
//   console.log(table.reason, table.rewards);

import { Desk, Machine } from "./machine.mjs";
import { GIVE, compiled, fetchedBytes } from "./opening.mjs";
import { Table } from "./table.mjs";
import { GameError, allowed, bytesOf, known, placed, told, write } from "./values.mjs";

export { GameError, Table, fetchedBytes };

/** @typedef {{ name: string, meaning: string, default: any, choices?: any[], bounds?: [number, number],
 *    fixed?: any }} Option  `fixed`: what it is in this file, where nothing else can be chosen. */

const FORMAT = 6;

/**
 * A game from the bytes of its file, or their address. A file with anything that no game has is refused before it runs.
 * @param {string | URL | BufferSource} source
 * @returns {Promise<Game>}
 */
export async function load(source) {
  const module = await compiled(await fetchedBytes(source));
  const [section] = WebAssembly.Module.customSections(module, "cyberdeck");
  if (section === undefined) {
    throw new GameError(`this WebAssembly is no game: ${GIVE}`);
  }
  let about;
  try {
    about = JSON.parse(new TextDecoder().decode(section));
  } catch {
    throw new GameError("this file is damaged: what it says of its game is no JSON");
  }
  if (about?.format !== FORMAT) {
    throw new GameError(
      `this file is of format ${told(about?.format)}, and this module reads ${FORMAT}: build both anew with cyberdeck build`,
    );
  }
  try {
    for (const [holder, name] of [[about, "saved"], [about.row, "blank"], [about.settings, "blank"]]) {
      holder[name] = bytesOf(holder[name]);
    }
    const [digest] = WebAssembly.Module.customSections(module, "cyberdeck.digest");
    if (digest?.byteLength !== 16) throw new Error("what it says of its game has no digest");
    const machine = new Machine(await WebAssembly.instantiate(module));
    if (String(machine.digest(new Uint8Array(section))) !== String(new Uint8Array(digest))) {
      throw new Error("what it says of its game has another digest");
    }
    return new Game(about, machine);
  } catch (error) {
    throw new GameError(`this file is damaged, build it anew with cyberdeck build (${error.message})`);
  }
}

/** A game: what it is like, and tables at which it is played. */
export class Game {
  #about;
  #machine;
  #desks = new Map();

  /** Made by `load`. */
  constructor(about, machine) {
    this.#about = about;
    this.#machine = machine;
    /** @type {string} */ this.name = about.name;
    /** @type {string} */ this.title = about.title;
    /** @type {string} */ this.summary = about.summary;
    /** @type {number} */ this.version = about.version;
    /** How a record is laid out, as `table.record` gives it: type, first byte, shape of each field.
     *  @type {Record<string, [string, number, number[]]>} */
    this.layout = Object.fromEntries(
      Object.entries(about.record.fields).map(([field, [kind, offset, , shape]]) => [field, [kind, offset, shape]]),
    );
    /** Names of what `table.metrics` tells. @type {string[]} */
    this.metrics = about.metrics.map(([name]) => name);
    /** @type {Option[]} */
    this.options = about.options.map(({ field, held, values, view, ...told }) => told);
  }

  /**
   * A table with a new game: of *seed*, a whole number, or of a random one.
   * @param {{ seed?: number | bigint, options?: Record<string, any> }} [chosen]
   * @returns {Table}
   */
  table(chosen = {}) {
    known(chosen, ["seed", "options"], "table()");
    const { seed = Math.floor(Math.random() * 2 ** 53), options = {} } = chosen;
    if (typeof seed !== "bigint" && !Number.isSafeInteger(seed)) {
      throw new GameError(`seed=${told(seed)} is not possible: a whole number is needed, or a BigInt`);
    }
    const { layout, blank, written } = this.#settled(options);
    if (!this.#desks.has(layout)) this.#desks.set(layout, new Desk(this.#machine, this.#about, layout));
    return new Table(this, this.#about, this.#desks.get(layout), blank, written, BigInt(seed));
  }

  /** What comes of these options: the number of their layout, and a blank record. */
  #settled(given) {
    const { options, settings, record } = this.#about;
    known(given, options.map(({ name }) => name), this.#about.title, "an option");
    let number = 0;
    for (const option of options.filter(({ name }) => settings.together.includes(name))) {
      number = number * option.values.length + placed(option, given[option.name] ?? option.default, option.values);
    }
    const found = settings.results[number];
    if (typeof found === "string") throw new GameError(found);
    const blank = settings.blank.slice();
    const view = new DataView(blank.buffer);
    for (const option of options) {
      const { name } = option;
      if ("fixed" in option) {
        if (given[name] === undefined || told(given[name]) === told(option.fixed)) continue;
        throw new GameError(
          `${name}=${told(given[name])} is not possible: this file has ${name}=${told(option.fixed)}, which is chosen ` +
            `when it is built: cyberdeck build GAME ${name}=VALUE`,
        );
      }
      const value = allowed(option, given[name]);
      if (value === null) continue;
      write(view, record.fields[option.field], option.bounds ? value : option.held[placed(option, value)]);
    }
    const [layout, changes, written] = found;
    for (const [at, byte] of settings.changes[changes]) blank[at] = byte;
    return { layout, blank, written: settings.written[written] };
  }
}
