// Policies of cyberdeck in a browser or in Node: a file that `cyberdeck train` has made, or a published one,
// decides at the tables of cyberdeck.mjs. Its numbers are Python's but for the last bits.
//
//   import { load } from "./cyberdeck.mjs";
//   import { loadPolicy } from "./policies.mjs";
//   const [game, policy] = [await load("hackthegrid.wasm"), await loadPolicy("hackthegrid.safetensors")];
//   const table = game.table({ seed: 7 });
//   while (!table.over) table.act(policy.decide(table));
import { GameError, fetchedBytes } from "./cyberdeck.mjs";

const VERSION = "4";
const PARTS = ["weights", "biases", "back.weights", "back.biases"];
const ACTIVATIONS = { tanh: Math.tanh, relu: (x) => (x > 0 ? x : 0) };

/**
 * A policy from the bytes of its file, or their address.
 * @param {string | URL | BufferSource} source
 * @returns {Promise<Policy>}
 */
export async function loadPolicy(source) {
  const bytes = await fetchedBytes(source);
  let words, numbers;
  try {
    const after = 8 + Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
    const { __metadata__, ...tensors } = JSON.parse(new TextDecoder().decode(bytes.subarray(8, after)));
    words = __metadata__;
    numbers = Object.fromEntries(
      Object.entries(tensors).map(([name, { dtype, data_offsets: [from, to] }]) => {
        if (dtype !== "F32") throw new Error(`its numbers are ${dtype}`);
        return [name, new Float32Array(bytes.slice(after + from, after + to).buffer)];
      }),
    );
  } catch (error) {
    throw new GameError(`these bytes are no policy of cyberdeck: ${error.message}`);
  }
  if (words?.["cyberdeck policy"] !== VERSION) {
    throw new GameError(`this is no policy of cyberdeck, or of another version than ${VERSION}`);
  }
  return new Policy(words, numbers);
}

/** A network that gives every action a number: it takes the legal action with the largest. */
export class Policy {
  #layers = [];
  #activation;
  #features;
  #oneHot;
  #prior;
  #views = new Map(); // by the options of a table

  /** Made by `loadPolicy`. */
  constructor(words, numbers) {
    /** @type {string} */ this.game = words.game;
    /** Those that it was trained with. @type {Record<string, any>} */ this.options = JSON.parse(words.options);
    for (const [entry, only] of [["history", "1"], ["greedy", "true"], ["beliefs", undefined]]) {
      if (words[entry] !== only) throw new GameError(`a policy with ${entry}=${words[entry]} plays in Python alone`);
    }
    this.#activation = ACTIVATIONS[words.activation];
    this.#features = JSON.parse(words.features);
    this.#oneHot = JSON.parse(words["one-hot"]);
    this.#prior = JSON.parse(words.prior);
    for (let at = 0; numbers[`${at}.weights`]; at++) this.#layers.push(PARTS.map((part) => numbers[`${at}.${part}`]));
    if (!this.#layers.length || !this.#activation) throw new GameError("this policy is damaged: it has no layers");
  }

  /** What it decides for the mover of a table of its game, however that is shown to others.
   *  @param {import("./cyberdeck.mjs").Table} table @returns {number} */
  decide(table) {
    const [own, places] = this.#shown(table);
    const logits = this.logits(places(own.observe()));
    const mask = table.mask();
    if (mask.length !== logits.length) {
      throw new GameError(`this policy knows ${logits.length} actions, and there are ${mask.length}: take other options`);
    }
    let best = -1;
    for (let action = 0; action < mask.length; action++) {
      if (mask[action] && (best < 0 || logits[action] > logits[best])) best = action;
    }
    return best;
  }

  /** What the network gives each action, by all that it sees. @param {ArrayLike<number>} seen
   *  @returns {Float64Array} */
  logits(seen) {
    let x = this.#encoded(seen);
    for (const [at, [weights, biases, back, after]] of this.#layers.entries()) {
      let found = product(weights, biases, x);
      if (at < this.#layers.length - 1) {
        found = found.map(this.#activation);
        if (back) found = product(back, after, found).map((number, i) => number + x[i]);
      }
      x = found;
    }
    if (this.#prior) {
      const [from, weight] = this.#prior;
      x = x.map((number, action) => number + weight * seen[from + action]);
    }
    return x;
  }

  /** Elements that are one-hot come last. */
  #encoded(seen) {
    const apart = new Set(this.#oneHot.map(([element]) => element));
    const found = Array.from(seen).filter((_, element) => !apart.has(element));
    for (const [element, low, high] of this.#oneHot) {
      for (let value = low; value <= high; value++) found.push(Number(seen[element] === value));
    }
    return Float64Array.from(found);
  }

  /** The table as it was shown in training, and how its features lie there. */
  #shown(table) {
    if (table.game !== this.game) throw new GameError(`this policy plays ${this.game}, not ${table.game}`);
    const own = table.shown(this.options);
    const key = JSON.stringify(own.features.map(({ name, shape }) => [name, shape]));
    if (!this.#views.has(key)) this.#views.set(key, this.#places(own.features));
    const stretches = this.#views.get(key);
    return [own, (vector) => stretches.flatMap(([from, to]) => Array.from(vector.subarray(from, to)))];
  }

  #places(features) {
    const found = new Map();
    let from = 0;
    for (const { name, shape, low, high } of features) {
      const to = from + shape.reduce((a, b) => a * b, 1);
      found.set(name, [from, to, JSON.stringify([shape, low, high])]);
      from = to;
    }
    return this.#features.map(([name, shape, low, high]) => {
      const there = found.get(name);
      if (there?.[2] !== JSON.stringify([shape, low, high])) {
        throw new GameError(`this policy reads ${name}, which is not shown so here: take the options that it was trained with`);
      }
      return there;
    });
  }
}

/** weights x + biases; many of what goes in are 0. */
function product(weights, biases, x) {
  const found = Float64Array.from(biases);
  const filled = [];
  for (let i = 0; i < x.length; i++) if (x[i]) filled.push(i);
  for (let row = 0; row < found.length; row++) {
    const from = row * x.length;
    let sum = 0;
    for (const i of filled) sum += weights[from + i] * x[i];
    found[row] += sum;
  }
  return found;
}
