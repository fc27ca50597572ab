// Instead of Pyodide: a table whose game never returns when it is told to "choose".
import { readFileSync } from "node:fs";
export const unpacked = async file => new Response(readFileSync(file));
export const loadPeople = async () => ({ own: { files: [{ file: "own.wasm" }] } });
const module = new WebAssembly.Module(readFileSync("own.wasm"));
const { exports } = new WebAssembly.Instance(module);
const seated = (games, kept) => {
  if (kept === "bad") exports.loop();
  return message => message.includes("choose") ? exports.loop() : JSON.stringify({ kept });
};
export const loadPython = async () => ({ seated });
