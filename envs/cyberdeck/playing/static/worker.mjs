// Plays at a table without a server: games in WebAssembly, what shows them in Pyodide.
import { load } from "./cyberdeck.mjs";
import { loadPyodide } from "./pyodide.mjs";

const PACKED = ["pyodide.asm.wasm"];  // by us, since not every server does it
const fetched = globalThis.fetch;
globalThis.fetch = async (source, how) => {
  const name = String(source.url ?? source).split("/").pop();
  if (!PACKED.includes(name)) return fetched(source, how);
  const answer = await fetched(new URL(`${name}.gz`, import.meta.url));
  const headers = { "Content-Type": "application/wasm" };
  return new Response(answer.body.pipeThrough(new DecompressionStream("gzip")), { headers });
};

const here = name => new URL(name, import.meta.url).href;
const read = async (name, kind) => (await fetched(here(name)))[kind]();

async function begun(kept) {
  const lock = { info: { abi_version: "2026_0", arch: "wasm32", platform: "emscripten", python: "3.14.2", version: "0" }, packages: {} };
  const [python, sources, people] = await Promise.all([
    loadPyodide({ indexURL: here("./"), lockFileContents: lock }),
    read("cyberdeck.zip", "arrayBuffer"),
    read("people.json", "json"),
  ]);
  const games = await Promise.all(Object.keys(people).map(async name => [name, await load(here(`${name}.wasm`)), people[name]]));
  python.unpackArchive(sources, "zip", { extractDir: "/lib/cyberdeck" });
  python.runPython("import sys; sys.path.insert(0, '/lib/cyberdeck')");
  const make = python.pyimport("cyberdeck.playing.web").seated;
  return make(games, kept, keep => postMessage({ keep }));
}

let table = null;
addEventListener("message", async ({ data: { number, message, kept } }) => {
  table ??= begun(kept);
  try {
    postMessage({ number, answer: JSON.parse((await table)(JSON.stringify(message))) });
  } catch (error) {
    postMessage({ number, answer: { error: `Something is wrong in the program: ${error.message}` } });
    throw error;
  }
});
