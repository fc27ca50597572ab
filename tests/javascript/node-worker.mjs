// The suite's own worker, in one of Node's.
import { parentPort } from "node:worker_threads";
globalThis.postMessage = message => parentPort.postMessage(message);
globalThis.addEventListener = (kind, hear) => parentPort.on(kind, data => hear({ data }));
await import("./worker.mjs");
