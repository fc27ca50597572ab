// A game of cyberdeck that is played: see cyberdeck.mjs, whose `Game.table` makes it.
import { searchSettings } from "./machine.mjs";
import { GameError, all, clear, copy, joined, read, seeded, told, within, write } from "./values.mjs";

/** @typedef {{ name: string, shape: number[], low: number, high: number, meaning: string, labels: string[][],
 *    fractions: boolean }} Feature  `labels`: what people call its numbers, along its last axes. */
/** @typedef {{ iterations?: number, playout?: "heuristic" | "random", length?: number, prior?: number,
 *    opponent_prior?: number | null, c_puct?: number, selection?: "puct" | "regret" | null }} SearchSettings */

const NOBODY = -1;

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
   *  The only legal action is taken at once; *forced*: what it brings is found out, too.
   *  @param {SearchSettings} [settings] @param {boolean} [forced]
   *  @returns {{ action: number, visits: Int32Array, values: Float64Array }} */
  examine(settings = {}, forced = false) {
    this.#needGame();
    const checked = searchSettings(this.#about.search, settings);
    this.#enter();
    this.#desk.run("ask");
    return this.#desk.search({ ...checked, forced: Number(forced) });
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
    return this.#desk.ponder({ ...checked, forced: 0 }, watch);
  }

  /** The whole game, as Python's `Batch.get_state` gives and `set_state` takes it. @returns {Uint8Array} */
  bytes() {
    const { row, record, saved } = this.#about;
    const kept = new DataView(this.#row.buffer.slice(0));
    for (const name of row.shared) write(kept, row.fields[name], this.#read(name));
    if (!this.over) {
      for (const [name, place] of Object.entries(row.fields)) if (name.startsWith("final_")) clear(kept, place);
    }
    if (read(kept, row.fields.opening)) {
      clear(kept, row.fields.reward); // what the last step brought is of the game before
    } else if (this.over) {
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
