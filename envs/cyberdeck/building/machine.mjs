// The compiled loops of a game, and the memory that they play in: what tables of cyberdeck.mjs are made over.
import { GameError, NUMBERS, allowed, bits, known, product } from "./values.mjs";

/** Milliseconds of a piece of a search, as far as an iteration takes less. */
const PIECE = 100;

/** The compiled loops and their memory. */
export class Machine {
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
export class Desk {
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
export function searchSettings(search, given) {
  known(given, search.settings.map(({ name }) => name), "search()");
  const chosen = Object.fromEntries(search.settings.map((each) => [each.name, allowed(each, given[each.name])]));
  const { prior, opponent_prior, selection } = chosen;
  const regret = selection === null ? search.matches_regrets : selection === "regret";
  const usual = search.simultaneous ? search.opponent_prior_in_secret : prior;
  const priors = search.has_heuristic ? { prior, opponent_prior: opponent_prior ?? usual } : { prior: 0, opponent_prior: 0 };
  return { ...chosen, playout: search.playouts.indexOf(chosen.playout), regret, ...priors };
}
