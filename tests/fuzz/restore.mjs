// Puts saved states into tables: a line of JSON on stdin for each, and an answer on stdout.
import { createInterface } from "node:readline";
import { load } from "../../envs/cyberdeck/building/cyberdeck.mjs";

const games = {};
for await (const line of createInterface({ input: process.stdin })) {
  const { game, options, state } = JSON.parse(line);
  games[game] ??= await load(`${process.argv[2]}/${game}.wasm`);
  const table = games[game].table({ options, seed: 0 });
  const before = table.bytes();
  const answer = {};
  try {
    table.restore(Buffer.from(state, "base64"));
  } catch (error) {
    answer.error = `${error.name}: ${error.message}`;
    if (Buffer.compare(before, table.bytes())) answer.error = `${error.name}, and it has changed`;
  }
  answer.state = Buffer.from(table.bytes()).toString("base64");
  for (let steps = 0; !table.over && steps < 2000; steps++) table.act(table.random());
  answer.reason = String(table.reason);
  console.log(JSON.stringify(answer));
}
