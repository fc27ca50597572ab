// Games of cyberdeck in a browser or in Node: GAME.wasm, as `cyberdeck build` makes it, is played with this
// module alone. From the same seed everything is, bit for bit, what it is in Python.
//
//   import { load } from "./cyberdeck.mjs";
//   const game = await load("hackthegrid.wasm");
//   const table = game.table({ seed: 7, options: { scramble: "at_end" } });
//   while (!table.over) table.act(table.heuristic());
//   console.log(table.reason, table.rewards);

/** @typedef {{ name: string, meaning: string, default: any, choices?: any[], bounds?: [number, number],
 *    fixed?: any }} Option  `fixed`: what it is in this file, where nothing else can be chosen. */
/** @typedef {{ name: string, shape: number[], low: number, high: number, meaning: string, labels: string[][],
 *    fractions: boolean }} Feature  `labels`: what people call its numbers, along its last axes. */
/** @typedef {{ iterations?: number, playout?: "heuristic" | "random", length?: number, prior?: number,
 *    opponent_prior?: number | null, c_puct?: number, selection?: "puct" | "regret" | null }} SearchSettings */

const FORMAT = 6;
const GIVE = "give a file that `cyberdeck build` has made";
const WORD = 0xffffffffffffffffn;
const NOBODY = -1;

/** What was wrong, what is possible, and what to do. Nothing was changed. */
export class GameError extends Error {
  name = "GameError";

  /** @param {string} words, of which a file may have said some: clipped, and without control characters. */
  constructor(words) {
    super(words.slice(0, 2000).replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, "\ufffd"));
  }
}

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

async function compiled(bytes) {
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
            `when it is built: cyberdeck build ... --option ${name}=...`,
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

/** A game that is played. */
export class Table {
  #from;
  #about;
  #desk;
  #state;
  #row;
  #mask;
  #blank;
  /** Where options lie, and what follows from them: from, to. */
  #written;

  /** Made by `Game.table`. */
  constructor(game, about, desk, blank, written, seed) {
    this.#from = game;
    this.#about = about;
    this.#desk = desk;
    this.#blank = blank;
    this.#written = written;
    this.#state = new DataView(blank.slice().buffer);
    this.#row = new DataView(about.row.blank.slice().buffer);
    this.#mask = new Int8Array(desk.actionCount);
    /** The name of the game. @type {string} */ this.game = about.name;
    /** @type {bigint} */ this.seed = seed;
    /** Names of those who play. @type {string[]} */ this.seats = desk.seats;
    /** What actions mean, from 0 on: [how many, meaning] of each group. @type {[number, string][]} */
    this.actions = desk.actions;
    /** The layout of what is observed. @type {Feature[]} */ this.features = desk.features;
    /** @type {Record<string, any>} */
    this.options = Object.fromEntries(about.options.map((each) => [each.name, this.#option(each)]));
    write(this.#state, about.record.fields.dice, seeded(seed));
    write(this.#row, about.row.fields.dice, seeded(seed ^ BigInt(about.codes.opponents)));
    this.#enter();
    desk.run("begin");
    this.#leave();
  }

  /** The seat that has to decide, -1 when the game is over. @type {number} */
  get mover() {
    return this.#read("mover");
  }

  /** @type {boolean} */
  get over() {
    return this.mover === NOBODY;
  }

  /** Why it is over, in a word. @type {string} */
  get reason() {
    return this.#about.reasons[this.#read("reason")];
  }

  /** What the last decision brought each seat. @type {number[]} */
  get rewards() {
    return all(this.#state, this.#about.record.fields.reward).slice(0, this.seats.length);
  }

  /** What each seat has got in all, when the game is over. @type {number[]} */
  get returns() {
    return all(this.#row, this.#about.row.fields.final_returns).slice(0, this.seats.length);
  }

  /** 1 for each action that the mover may choose. @returns {Int8Array} */
  mask() {
    return this.#mask.slice();
  }

  /** What a seat may see: by default, whoever has to decide. @param {number} [seat]
   *  @returns {Int8Array | Int16Array | Float32Array} of the type that the game has */
  observe(seat = Math.max(this.mover, 0)) {
    this.#look(seat);
    return this.#desk.observed();
  }

  /** Facts by their names, as a seat has them. @param {number} [seat] @returns {Record<string, number>} */
  metrics(seat = Math.max(this.mover, 0)) {
    this.#look(seat);
    const numbers = this.#desk.facts();
    return Object.fromEntries(this.#about.metrics.map(([name], at) => [name, numbers[at]]));
  }

  /** The game's record, which holds all its secrets: `game.layout` says what lies where. @returns {Uint8Array} */
  record() {
    return new Uint8Array(this.#state.buffer.slice(0));
  }

  /** Of each seat its side, whether it decides now (several may, in secret), and whether what the mover decides is
   *  hidden from it.
   *  @returns {{ sides: number[], deciding: boolean[], hidden: boolean[] }} */
  roles() {
    this.#enter();
    this.#desk.run("describe_seats");
    return this.#desk.roles(this.seats.length);
  }

  /** Decide for the mover. @param {number} action */
  act(action) {
    this.#needGame();
    const count = this.#mask.length;
    if (!Number.isInteger(action) || action < 0 || action >= count) {
      throw new GameError(`action ${told(action)} does not exist: actions are 0 to ${count - 1}`);
    }
    if (!this.#mask[action]) {
      const what = `action ${action} (${this.named(action)}) is not legal for ${this.seats[this.mover]}`;
      throw new GameError(`${what}: mask() says which are`);
    }
    this.#advance(action);
  }

  /** Give the game up for the mover: its side loses, as by an illegal action. */
  resign() {
    this.#needGame();
    this.#advance(-1);
  }

  /** The same game, to go its own way. @returns {Table} */
  twin() {
    const made = new Table(this.#from, this.#about, this.#desk, this.#blank, this.#written, this.seed);
    made.#state = new DataView(this.#state.buffer.slice(0));
    made.#row = new DataView(this.#row.buffer.slice(0));
    made.#mask = this.#mask.slice();
    return made;
  }

  /** The same game, as other options show it: of *options*, only those that change nothing else count.
   *  @param {Record<string, any>} options @returns {Table} */
  shown(options) {
    const views = this.#about.options.filter(({ name, view }) => view && name in options);
    const chosen = Object.fromEntries(views.map(({ name }) => [name, options[name]]));
    const made = this.#from.table({ seed: this.seed, options: { ...this.options, ...chosen } });
    made.restore(this.bytes());
    return made;
  }

  /** This table after each phase of the turn that was carried out since it was like *before*, an earlier twin of it:
   *  to be told and drawn. None if no turn lies between, or more than one. @param {Table} before @returns {Table[]} */
  phases(before) {
    if (!(before instanceof Table) || before.#desk !== this.#desk) {
      throw new GameError("phases() is given an earlier table of the same game, as twin() makes it");
    }
    const past = before.twin();
    const found = [];
    for (let left = past.#retraced(this); left > 0; left--) {
      past.#enter();
      past.#desk.run("next_phase");
      past.#leave();
      past.#mask.fill(0); // nobody is asked in between
      found.push(past.twin());
    }
    return found.length && past.#retraced(this) !== 0 ? [] : found; // other dice have led there
  }

  #retraced(after) {
    this.#enter();
    const left = this.#desk.retrace(after.#state);
    this.#leave();
    return left;
  }

  /** What an action means. @param {number} action @returns {string} */
  named(action) {
    let at = action;
    for (const [count, meaning] of this.actions) {
      if (at >= 0 && at < count) return count > 1 ? `${meaning} ${at}` : meaning;
      at -= count;
    }
    return `nothing (there is no action ${action})`;
  }

  /** What a player would do that takes any legal action. @returns {number} */
  random() {
    return this.#choose(this.#about.codes.random);
  }

  /** What the game's heuristic would do. @returns {number} */
  heuristic() {
    return this.#choose(this.#about.codes.heuristic);
  }

  /** What tree search would do, with the settings that Python's `Search` has. @param {SearchSettings} [settings] */
  search(settings = {}) {
    return this.examine(settings).action;
  }

  /** The same, with how often it has tried each action, and what that has brought on average.
   *  @param {SearchSettings} [settings]
   *  @returns {{ action: number, visits: Int32Array, values: Float64Array }} */
  examine(settings = {}) {
    this.#needGame();
    const checked = searchSettings(this.#about.search, settings);
    this.#enter();
    this.#desk.run("ask");
    return this.#desk.search(checked);
  }

  /** The same in pieces, for a page that stays alive meanwhile. `watch` hears which share is done, and says, or
   *  promises, whether to go on. Until then no other table of this game does anything: load the game again for those.
   *  @param {SearchSettings} settings @param {(share: number) => boolean | Promise<boolean>} watch
   *  @returns {Promise<{ action: number, visits: Int32Array, values: Float64Array }>} */
  async ponder(settings, watch) {
    this.#needGame();
    const checked = searchSettings(this.#about.search, settings);
    this.#enter();
    this.#desk.run("ask");
    return this.#desk.ponder(checked, watch);
  }

  /** The whole game, as Python's `Batch.get_state` gives and `set_state` takes it. @returns {Uint8Array} */
  bytes() {
    const { row, record, saved } = this.#about;
    const kept = new DataView(this.#row.buffer.slice(0));
    for (const name of row.shared) write(kept, row.fields[name], this.#read(name));
    if (!this.over) {
      for (const [name, place] of Object.entries(row.fields)) if (name.startsWith("final_")) clear(kept, place);
    } else {
      all(this.#state, record.fields.reward).forEach((gain, i) => kept.setFloat32(row.fields.reward[1] + 4 * i, gain, true));
    }
    const body = joined(saved, new Uint8Array(kept.buffer), new Uint8Array(this.#state.buffer));
    return joined(body, this.#desk.digest(body));
  }

  /** Go on from what `bytes` has given, here or in Python. @param {Uint8Array} bytes */
  restore(bytes) {
    if (!(bytes instanceof Uint8Array)) throw new GameError("a saved game is a Uint8Array, as bytes() gives it");
    bytes = Uint8Array.from(bytes); // a slice of Node's Buffer is no copy
    const { row, record, saved, title } = this.#about;
    const at = [saved.length, saved.length + row.size, saved.length + row.size + record.size];
    if (bytes.length !== at[2] + 16 || saved.some((byte, i) => byte !== bytes[i])) {
      throw new GameError(`this is no saved game of ${title}, or of another version of it`);
    }
    if (this.#desk.digest(bytes.slice(0, at[2])).some((byte, i) => byte !== bytes[at[2] + i])) {
      throw new GameError("the saved game is damaged: its digest does not fit its content");
    }
    const kept = new DataView(bytes.slice(at[0], at[1]).buffer);
    const state = new DataView(bytes.slice(at[1], at[2]).buffer);
    const broken = this.#broken(state);
    if (broken) throw new GameError(`this is no possible position of ${title}: it does not hold that ${broken}`);
    this.#checkOptions(state);
    if (!this.#fits(kept, state)) {
      throw new GameError("this game was saved where one seat is played: here all are");
    }
    this.#state = state;
    this.#row = kept;
    for (const option of this.#about.options) {
      if (option.view && option.field) copy(this.#blank, state, record.fields[option.field]);
    }
    for (const [from, to] of this.#written) new Uint8Array(state.buffer).set(this.#blank.subarray(from, to), from);
    this.#look(this.over ? 0 : this.mover);
    this.#desk.copyMask("mask", this.#mask);
    write(kept, row.fields.choices, this.#mask.reduce((sum, one) => sum + one, 0));
    this.#desk.facts().forEach((fact, i) => kept.setInt32(row.fields.metrics[1] + 4 * i, fact, true));
  }

  #advance(action) {
    this.#enter();
    this.#desk.setAction(action);
    this.#desk.run("advance");
    this.#leave();
  }

  #read(name) {
    return read(this.#state, this.#about.record.fields[name]);
  }

  /** What an option of this table is. */
  #option(option, view = this.#state) {
    if (!option.field) return option.fixed;
    const value = Number(read(view, this.#about.record.fields[option.field]));
    return option.held ? option.choices[option.held.indexOf(value)] : value;
  }

  #enter() {
    this.#desk.put(this.#state, this.#row, this.#mask);
  }

  #leave() {
    this.#desk.take(this.#state, this.#row, this.#mask);
  }

  #look(seat) {
    if (!Number.isInteger(seat) || seat < 0 || seat >= this.seats.length) {
      throw new GameError(
        `seat=${told(seat)} is not a seat of ${this.#about.title}: there are 0 to ${this.seats.length - 1}`,
      );
    }
    this.#enter();
    this.#desk.run("look", { seat });
  }

  #choose(code) {
    this.#needGame();
    this.#enter();
    this.#desk.run("choose", { code });
    return this.#desk.chosen();
  }

  #needGame() {
    if (this.over) throw new GameError("the game is over: begin another with game.table()");
  }

  /** What does not hold of a record, or "". */
  #broken(state) {
    const { bounds, header, record: { fields }, invariants } = this.#about;
    if (!within(state, fields, bounds)) return invariants[0];
    if (!header.some((each) => within(state, fields, each))) return invariants[1];
    this.#desk.put(state, this.#row, this.#mask);
    const failed = this.#desk.check();
    return failed ? invariants[1 + failed] : "";
  }

  /** The options of a saved record must be this table's, except for how it is shown. */
  #checkOptions(state) {
    const { options, settings } = this.#about;
    for (const option of options) {
      if (option.view || !option.field) continue;
      const carried = this.#option(option, state);
      if (told(carried) === told(this.options[option.name])) continue;
      throw new GameError(
        `this game was saved with ${option.name}=${told(carried)}, and this table has ${option.name}=` +
          `${told(this.options[option.name])}: make the table with the same options`,
      );
    }
    const fixed = (view) => {
      const numbers = settings.fixed.map((places) => places.map((place) => read(view, place)));
      return numbers.map(([number, below]) => (below === undefined ? number : number - below)).join();
    };
    if (fixed(state) === fixed(new DataView(this.#blank.buffer))) return;
    const names = options.filter((each) => "fixed" in each).map(({ name }) => name);
    throw new GameError(`this game was saved with other options: one of ${names.join(", ")} differs here`);
  }

  /** Whether saved bookkeeping is possible here: compiled code trusts it. */
  #fits(kept, state) {
    const { row: { fields, bounds, shared, pending }, record } = this.#about;
    const most = pending * Math.max(1, read(state, record.fields.decisions)) + 1e-4;
    return (
      within(kept, fields, bounds) &&
      shared.every((name) => read(kept, fields[name]) === read(state, record.fields[name])) &&
      all(kept, fields.pending).every((gain) => Math.abs(gain) <= most)
    );
  }
}

/** Milliseconds of a piece of a search, as far as an iteration takes less. */
const PIECE = 100;

/** The compiled loops and their memory. */
class Machine {
  /** Whether a search goes on in the memory later. */
  busy = false;

  constructor(instance) {
    this.exports = instance.exports;
    this.base = (this.exports.__heap_base.value + 15) & ~15;
    this.#renew();
  }

  #renew() {
    const { buffer } = this.exports.memory;
    this.bytes = new Uint8Array(buffer);
    this.view = new DataView(buffer);
  }

  /** Nothing is written where a search goes on. */
  free() {
    if (this.busy) throw new GameError("a search goes on in this game: load the game again for other tables");
  }

  /** Have *size* bytes of memory. */
  need(size) {
    const missing = size - this.bytes.length;
    if (missing <= 0) return;
    try {
      this.exports.memory.grow(Math.ceil(missing / 65536));
    } catch {
      throw new GameError(`there is no room for so much memory (${Math.ceil(size / 1e6)} MB): take fewer iterations`);
    }
    this.#renew();
  }

  /** BLAKE2b of 16 bytes. What tables have here is written anew for each loop. */
  digest(body) {
    this.free();
    const at = this.base + 16;
    this.need(at + body.length);
    this.bytes.set(body, at);
    this.exports.digest(at, body.length, this.base);
    return this.bytes.slice(this.base, at);
  }
}

/** Where in memory the arrays lie that loops take, for games of one layout: of one table at a time. */
class Desk {
  #machine;
  #about;
  #at = {};
  #lengths;
  #calls = {};
  #end;

  constructor(machine, about, layout) {
    const { seats, actions, features } = about.settings.layouts[layout];
    this.#machine = machine;
    this.#about = about;
    this.seats = seats;
    this.actions = actions;
    this.features = features.map((number) => {
      const [name, shape, low, high, meaning, labels, fractions] = about.settings.features[number];
      return { name, shape, low, high, meaning, labels, fractions };
    });
    this.actionCount = actions.reduce((sum, [count]) => sum + count, 0);
    this.size = this.features.reduce((sum, { shape }) => sum + product(shape), 0);
    this.kind = NUMBERS[about.observation];
    this.#end = machine.base;
    Object.assign(this.#at, { block: this.#room(1024), result: this.#room(8) });
    const [A, D, M, S, V] = [this.actionCount, this.size, about.metrics.length, about.most_seats, seats.length];
    this.#lengths = { N: 1, W: 1, K: 1, P: 1, Q: 1, A, D, M, S, V };
    for (const loop of Object.keys(about.loops)) {
      if (loop !== "search") this.#calls[loop] = this.#call(loop, this.#at, this.#lengths);
    }
    this.#set("advance", { mode: about.codes.disabled });
    machine.need(this.#end);
  }

  #room(size) {
    const at = this.#end;
    this.#end = (at + size + 15) & ~15;
    return at;
  }

  /** What a loop is called with, and where the numbers stand in it. *at*: where arrays lie; more get room. */
  #call(loop, at, lengths) {
    const [words, places] = [[], {}];
    for (const [name, size, letters] of this.#about.loops[loop]) {
      places[name] = words.length;
      if (letters === undefined) {
        words.push(0n);
        continue;
      }
      const shape = Array.from(letters, (letter) => lengths[letter] ?? Number(letter));
      at[name] ??= this.#room(size * product(shape));
      words.push(...[at[name], ...shape].map(BigInt));
    }
    return { words: BigInt64Array.from(words), places };
  }

  #set(loop, numbers, { words, places } = this.#calls[loop]) {
    for (const [name, fraction] of this.#about.loops[loop]) {
      if (name in numbers) words[places[name]] = fraction === true ? bits(numbers[name]) : BigInt(numbers[name]);
    }
  }

  /** Run a loop; *numbers* are those that are not the same every time. */
  run(loop, numbers = {}, call = this.#calls[loop]) {
    this.#set(loop, numbers, call);
    this.#machine.free();
    const { bytes, exports } = this.#machine;
    for (const name of ["which", "pool", "allies"]) bytes.fill(0, this.#at[name], this.#at[name] + 8);
    bytes.set(new Uint8Array(call.words.buffer), this.#at.block);
    if (exports[loop](this.#at.block, this.#at.result) !== 0) throw new Error(`${loop} of ${this.#about.name} failed`);
  }

  put(state, row, mask) {
    const { bytes } = this.#machine;
    bytes.set(new Uint8Array(state.buffer), this.#at.states);
    bytes.set(new Uint8Array(row.buffer), this.#at.rows);
    bytes.set(mask, this.#at.masks);
  }

  take(state, row, mask) {
    const { bytes } = this.#machine;
    new Uint8Array(state.buffer).set(bytes.subarray(this.#at.states, this.#at.states + state.byteLength));
    new Uint8Array(row.buffer).set(bytes.subarray(this.#at.rows, this.#at.rows + row.byteLength));
    this.copyMask("masks", mask);
  }

  copyMask(name, mask) {
    mask.set(this.#machine.bytes.subarray(this.#at[name], this.#at[name] + mask.length));
  }

  setAction(action) {
    this.#machine.view.setBigInt64(this.#at.actions, BigInt(action), true);
  }

  /** What a player has chosen. */
  chosen() {
    return Number(this.#machine.view.getBigInt64(this.#at.chosen, true));
  }

  observed() {
    const at = this.#at.observation;
    return new this.kind.array(this.#machine.bytes.slice(at, at + this.kind.size * this.size).buffer);
  }

  facts() {
    const at = this.#at.metrics;
    return new Int32Array(this.#machine.bytes.slice(at, at + 4 * this.#about.metrics.length).buffer);
  }

  digest(body) {
    return this.#machine.digest(body);
  }

  /** How many phases are left of the turn that led to a later record. */
  retrace(after) {
    this.#machine.bytes.set(new Uint8Array(after.buffer), this.#at.after);
    this.run("retrace");
    return Number(this.#machine.view.getBigInt64(this.#at.result, true));
  }

  roles(seats) {
    const { bytes, view } = this.#machine;
    const { sides, deciding, hidden } = this.#at;
    const every = [...Array(seats).keys()];
    return {
      sides: every.map((seat) => Number(view.getBigInt64(sides + 8 * seat, true))),
      deciding: every.map((seat) => bytes[deciding + seat] !== 0),
      hidden: every.map((seat) => bytes[hidden + seat] !== 0),
    };
  }

  /** 0, or 1 + the number of the invariant that fails. */
  check() {
    this.run("check_state");
    return Number(this.#machine.view.getBigInt64(this.#at.failed, true));
  }

  /** Visits and values, and the action that is tried most often; of equals, the one that brought more. By regret
   *  matching, one is drawn. */
  search(settings) {
    const search = this.#searching(settings);
    search.go(0, settings.iterations);
    return search.found();
  }

  /** The same in pieces. */
  async ponder(settings, watch) {
    const search = this.#searching(settings);
    for (let [done, some] = [0, 1]; done < settings.iterations; ) {
      const end = Math.min(settings.iterations, done + some);
      const began = performance.now();
      search.go(done, end);
      some = performance.now() - began > PIECE ? Math.max(1, some >> 1) : 2 * some;
      done = end;
      this.#machine.busy = true;
      try {
        if (!(await watch(done / settings.iterations))) break;
      } finally {
        this.#machine.busy = false;
      }
    }
    return search.found();
  }

  #searching(settings) {
    const { search, record } = this.#about;
    const [machine, kept] = [this.#machine, this.#end]; // what only a search needs lies behind all else
    const nodes = settings.iterations * (search.simultaneous ? 2 : 1) + 1;
    const edges = Math.min(nodes * this.actionCount, search.most_edges);
    const seen = this.kind.size * this.size;
    const [world, memory] = [this.#room(record.size), this.#room(seen + this.actionCount + 7)];
    const hashed = search.proves ? record.size : seen + this.actionCount;
    const at = {
      states: this.#at.possible, random_bits: this.#at.random_bits, world, observation: memory, mask: memory + seen,
      words: search.proves ? world : memory,
    };
    const call = this.#call("search", at, {
      ...this.#lengths, H: 2 ** (32 - Math.clz32(2 * nodes - 1)), K: nodes, E: edges, L: search.deepest,
      W: Math.ceil(hashed / 8), R: settings.regret ? edges : 0,
    });
    const end = this.#end;
    this.#end = kept;
    machine.need(end);
    machine.bytes.fill(0, world, memory + seen + this.actionCount + 7);
    const go = (begin, end) => this.run("search", { ...settings, begin, end }, call);
    return { go, found: () => this.#found(settings.regret, at) };
  }

  #found(regret, at) {
    const [machine, A] = [this.#machine, this.actionCount];
    const visits = new Int32Array(machine.bytes.slice(at.visits, at.visits + 4 * A).buffer);
    const values = new Float64Array(machine.bytes.slice(at.values, at.values + 8 * A).buffer);
    let best = 0;
    if (regret) {
      const all = visits.reduce((sum, each) => sum + each, 0);
      let left = Number(machine.view.getBigUint64(at.random_bits, true) >> 11n) * 2 ** -53 * all;
      while (best < A - 1 && visits[best] <= left) left -= visits[best++];
    } else {
      for (let action = 1; action < A; action++) {
        const more = visits[action] - visits[best];
        if (more > 0 || (more === 0 && values[action] > values[best])) best = action;
      }
    }
    return { action: best, visits, values };
  }
}

/** Settings of a search, as its loop takes them. */
function searchSettings(search, given) {
  known(given, search.settings.map(({ name }) => name), "search()");
  const chosen = Object.fromEntries(search.settings.map((each) => [each.name, allowed(each, given[each.name])]));
  const { prior, opponent_prior, selection } = chosen;
  const regret = selection === null ? search.matches_regrets : selection === "regret";
  const usual = search.simultaneous ? search.opponent_prior_in_secret : prior;
  const priors = search.has_heuristic ? { prior, opponent_prior: opponent_prior ?? usual } : { prior: 0, opponent_prior: 0 };
  return { ...chosen, playout: search.playouts.indexOf(chosen.playout), regret, ...priors };
}

/** Complain about names that there are not. */
function known(given, names, taker, what = "a setting") {
  if (typeof given !== "object" || given === null) {
    throw new GameError(`${told(given)} is not possible for ${taker}: give an object, such as {}`);
  }
  const other = Object.keys(given).find((name) => !names.includes(name));
  if (other === undefined) return;
  throw new GameError(`${other} is not ${what} of ${taker}: there are ${names.join(", ") || "none"}`);
}

/** Which of *values* an option is. */
function placed(option, value, values = option.choices) {
  const at = values.findIndex((each) => told(each) === told(value));
  if (at >= 0) return at;
  const choices = option.choices.map(told).join(", ");
  throw new GameError(`${option.name}=${told(value)} is not possible: choose one of ${choices}`);
}

/** The value of an option or a setting, the default if none is given. */
function allowed(option, value = option.default) {
  if (value === null && option.default === null) return value;
  if (!option.bounds) return option.choices[placed(option, value)];
  const [low, high] = option.bounds;
  const right = option.fractions ? Number.isFinite(value) : Number.isInteger(value);
  if (right && value >= low && value <= high) return value;
  const kind = option.fractions ? "number" : "whole number";
  throw new GameError(`${option.name}=${told(value)} is not possible: it must be a ${kind} from ${low} to ${high}`);
}

function told(value) {
  return typeof value === "bigint" ? String(value) : JSON.stringify(value) ?? String(value);
}

/** The generator's first counter for a seed. */
function seeded(seed) {
  let z = (seed + 0x5851f42d4c957f2dn) & WORD;
  z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & WORD;
  z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & WORD;
  return z ^ (z >> 31n);
}

/** A float64 by its bits. */
function bits(number) {
  return new BigInt64Array(Float64Array.of(number).buffer)[0];
}

function product(numbers) {
  return numbers.reduce((one, other) => one * other, 1);
}

function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

function joined(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** How numbers are read and written in a record, by their type. */
const NUMBERS = Object.fromEntries(
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

function read(view, [kind, offset]) {
  return NUMBERS[kind].get(view, offset);
}

function all(view, [kind, offset, count]) {
  const { get, size } = NUMBERS[kind];
  return Array.from({ length: count }, (_, i) => get(view, offset + size * i));
}

function write(view, [kind, offset], value) {
  NUMBERS[kind].set(view, offset, value);
}

/** Whether all numbers of these fields are within their bounds: name, lowest, highest. NaN is not. */
function within(view, fields, bounds) {
  return bounds.every(([name, ...ends]) => {
    const [low, high] = ends.map({ float32: Math.fround, float64: Number }[fields[name][0]] ?? BigInt);
    return all(view, fields[name]).every((number) => number >= low && number <= high);
  });
}

/** Where a field lies: from, to. */
function extent([kind, offset, count]) {
  return [offset, offset + NUMBERS[kind].size * count];
}

function clear(view, place) {
  new Uint8Array(view.buffer).fill(0, ...extent(place));
}

function copy(bytes, view, place) {
  new Uint8Array(view.buffer).set(bytes.subarray(...extent(place)), place[1]);
}
