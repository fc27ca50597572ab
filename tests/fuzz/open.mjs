// Opens changed files of games: a line of JSON on stdin for each, and an answer on stdout. Code that was changed
// may run on for ever: each file is opened in a worker, which is stopped then.
import { createInterface } from "node:readline";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { load } from "../../envs/cyberdeck/building/cyberdeck.mjs";

const PATIENCE = 2000; // milliseconds

if (isMainThread) {
  for await (const line of createInterface({ input: process.stdin })) {
    console.log(JSON.stringify(await opened(Buffer.from(line, "base64"))));
  }
} else {
  parentPort.postMessage(await played(workerData));
}

function opened(bytes) {
  return new Promise((tell) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: bytes, resourceLimits: { maxOldGenerationSizeMb: 200 } });
    const clock = setTimeout(() => end({ stopped: "its code runs on" }), PATIENCE);
    const end = (answer) => {
      clearTimeout(clock);
      worker.terminate();
      tell(answer);
    };
    worker.once("message", end);
    worker.once("error", (error) => end({ error: `${error.name}: ${error.message}` }));
  });
}

/** What comes of it: of opening, of making a table, of playing. */
async function played(bytes) {
  let doing = "opening";
  try {
    const game = await load(bytes);
    doing = "sitting down";
    const table = game.table({ seed: 0 });
    doing = "playing";
    for (let steps = 0; !table.over && steps < 300; steps++) table.act(table.random());
    return { reason: String(table.reason) };
  } catch (error) {
    const trapped = error instanceof WebAssembly.RuntimeError;
    return { [trapped ? "stopped" : "error"]: `${error.name}: ${error.message}`, doing };
  } finally {
    for (const name in {}) throw new Error(`every object has ${name} now`);
  }
}
