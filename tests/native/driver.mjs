// Plays what Python asks for: a job as JSON on stdin, answers as JSON on stdout.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { load } from "../../envs/cyberdeck/building/cyberdeck.mjs";
import { loadPolicy } from "../../envs/cyberdeck/building/policies.mjs";

const job = JSON.parse(readFileSync(0, "utf8"));
const game = await load(job.file);
const bytes = (array) => new Uint8Array(array.buffer);
const hex = (hash) => hash.digest("hex").slice(0, 16);

/** Everything that is handed out after a decision. */
function note(hash, table) {
  hash.update(table.bytes());
  hash.update(bytes(table.mask()));
  for (const seat of table.seats.keys()) {
    hash.update(bytes(table.observe(seat)));
    hash.update(bytes(Int32Array.from(Object.values(table.metrics(seat)))));
  }
  hash.update(bytes(Float32Array.from(table.rewards)));
}

const JOBS = {
  /** Long play, by a random player and the heuristic; a digest for each game, which can be restored. */
  play({ options, seeds, most }) {
    return seeds.map((seed) => {
      const table = game.table({ options, seed });
      const hash = createHash("sha256");
      note(hash, table);
      let steps = 0;
      for (; !table.over && steps < most; steps++) {
        table.act((seed + steps) % 3 ? table.random() : table.heuristic());
        note(hash, table);
      }
      const twin = game.table({ options, seed: 0 });
      twin.restore(table.bytes());
      note(hash, twin);
      return [steps, table.reason, hex(hash)];
    });
  },

  /** What a search decides in the positions of a game; half of them are saved and restored before. */
  search({ options, seeds, steps, settings }) {
    return seeds.map((seed) => {
      const table = game.table({ options, seed });
      for (let step = 0; step < steps && !table.over; step++) table.act(table.random());
      const twin = game.table({ options, seed: 0 });
      twin.restore(table.bytes());
      return settings.map((each) => (seed % 2 ? table : twin).search(each));
    });
  },

  /** What pictures and words are made of, decision by decision; twins go their own way. At the end the mover resigns. */
  show({ options, seed, most }) {
    const table = game.table({ options, seed });
    const found = [];
    for (let step = 0; !table.over && step < most; step++) {
      const before = table.record();
      table.twin().act(table.random());
      if (Buffer.compare(before, table.record())) throw new Error("a twin has changed its original");
      found.push([Buffer.from(before).toString("hex"), table.roles()]);
      table.act(table.random());
    }
    if (!table.over) table.resign();
    return { layout: game.layout, found, reason: table.reason, rewards: table.rewards };
  },

  /** The records after each phase of what each decision has led to, and what follows one of them. */
  phases({ options, seed, most }) {
    const table = game.table({ options, seed });
    const records = (tables) => tables.map((each) => Buffer.from(each.record()).toString("hex"));
    const found = [];
    for (let step = 0; !table.over && step < most; step++) {
      const before = table.twin();
      table.act(table.random());
      const phases = table.phases(before);
      found.push([records(phases), phases.length ? records(table.phases(phases[0])) : []]);
      if (phases.some((each) => each.mask().includes(1))) throw new Error("nobody is asked in a phase");
    }
    return found;
  },

  /** What a search finds out of every action. */
  examine({ options, seed, settings, forced = false, steps = 0 }) {
    const table = game.table({ options, seed });
    for (let step = 0; step < steps; step++) table.act(table.random());
    const { action, visits, values } = table.examine(settings, forced);
    return [action, [...visits], [...values]];
  },

  /** The same in pieces, to the end and until somebody has seen enough; other tables wait. */
  async ponder({ options, seed, settings }) {
    const table = game.table({ options, seed });
    const shares = [];
    const all = await table.ponder(settings, async (share) => shares.push(share) > 0);
    const some = await table.ponder(settings, (share) => share < 0.2);
    const refused = [];
    await table.ponder(settings, () => {
      refused.push(attempt(() => game.table({ options, seed })), attempt(() => table.bytes()));
      return false;
    });
    return [all.action, [...all.visits], [...all.values], shares, [...some.visits], refused];
  },

  /** What a policy decides, and what it gives each action, in games that random players play on. */
  async policy({ options, seeds, most, policy }) {
    const player = await loadPolicy(policy);
    const found = [];
    for (const seed of seeds) {
      const table = game.table({ options, seed });
      for (let step = 0; !table.over && step < most; step++) {
        found.push(player.decide(table));
        table.act(step % 2 ? table.random() : found.at(-1));
      }
    }
    return found;
  },

  /** What is said of policies that cannot decide here. */
  async refused({ options, policies }) {
    const found = [];
    for (const policy of policies) {
      try {
        (await loadPolicy(policy)).decide(game.table({ options, seed: 1 }));
        found.push(null);
      } catch (error) {
        found.push(`${error.name}: ${error.message}`);
      }
    }
    return found;
  },

  /** How tables begin with many options. */
  begin({ chosen, seed }) {
    return chosen.map((options) => attempt(() => hex(createHash("sha256").update(game.table({ options, seed }).bytes()))));
  },

  /** What is said to each of these wrong calls, which must change nothing. */
  complain({ calls, seed }) {
    const table = game.table({ seed });
    return calls.map(([method, ...given]) => {
      const before = table.bytes();
      const values = given.map((each) => (typeof each === "string" ? Buffer.from(each, "base64") : each));
      const said = method === "table" ? attempt(() => game.table(...given)) : attempt(() => table[method](...values));
      if (Buffer.compare(before, table.bytes())) throw new Error(`${method} has changed something`);
      return said;
    });
  },
};

function attempt(call) {
  try {
    return call();
  } catch (error) {
    return `${error.name}: ${error.message}`;
  }
}

console.log(JSON.stringify(await JOBS[job.do](job)));
