// Words, events and pictures of the games here, in a browser: cyberdeck's own views, which Pyodide runs.
//
//   import { load } from "./cyberdeck.mjs";
//   import { loadViews } from "./views.mjs";
//   const game = await load(new URL("hackthegrid.wasm", location.href));
//   const [views, table] = [await loadViews([game]), game.table({ seed: 7 })];
//   const before = table.twin();
//   table.act(table.heuristic());
//   document.body.innerHTML = views.picture(table, { seat: 0, before });
//   console.log(views.events(table, { seat: 0, before }).map(({ words }) => words));
import { GameError } from "./cyberdeck.mjs";
import { loadPyodide } from "./pyodide.mjs";

/** @typedef {import("./cyberdeck.mjs").Table} Table */
/** @typedef {{ seat?: number, before?: Table }} Seen  `seat`: who looks; without one nothing may be hidden.
 *    `before`: an earlier twin of the table: what has happened since is told, or marked. */

const CORE = "pyodide.asm.wasm";
const LOCK = @LOCK@;  // which Pyodide this is: it asks for no packages

const here = name => new URL(name, import.meta.url).href;
const read = async (name, kind) => (await fetch(here(name)))[kind]();

/** A file that lies here packed, since not every server does that, as it would be fetched. */
export async function unpacked(name) {
  const { body } = await fetch(here(`${name}.packed`));
  const headers = { "Content-Type": "application/wasm" };
  return new Response(body.pipeThrough(new DecompressionStream("gzip")), { headers });
}

/** What is said of games beside their files. */
export const loadPeople = () => read("people.json", "json");

/** The module of Python that tables and views need. */
export async function loadPython() {
  const sources = read("cyberdeck.zip", "arrayBuffer"), own = globalThis.fetch;
  globalThis.fetch = (source, how) => (String(source.url ?? source) === here(CORE) ? unpacked(CORE) : own(source, how));
  let python;
  try {
    python = await loadPyodide({ indexURL: here("./"), lockFileContents: LOCK });
  } finally {
    globalThis.fetch = own;
  }
  python.unpackArchive(await sources, "zip", { extractDir: "/lib/cyberdeck" });
  python.runPython("import sys; sys.path.insert(0, '/lib/cyberdeck')");
  return python.pyimport("cyberdeck.playing.web");
}

/**
 * What shows the tables of these games.
 * @param {import("./cyberdeck.mjs").Game[]} games
 * @returns {Promise<Views>}
 */
export async function loadViews(games) {
  const [python, people] = await Promise.all([loadPython(), loadPeople()]);
  for (const { name } of games) {
    if (!(name in people)) throw new GameError(`there are no views of ${name} here, only of ${Object.keys(people).join(", ")}`);
  }
  const said = ({ name }) => JSON.stringify({ ...people[name], files: [{ file: "", options: {} }] });
  return new Views(python.views(games.map(game => [game.name, [game], said(game)])));
}

/** Shows tables. */
export class Views {
  #answer;

  /** Made by `loadViews`. */
  constructor(answer) {
    this.#answer = answer;
  }

  /** The table as plain text. @param {Table} table @param {Seen} [seen] @returns {string} */
  text(table, seen = {}) {
    return this.#asked("text", table, seen);
  }

  /** What there is to see, as data: title, status, task, board, panels, legend. @param {Table} table
   *  @param {Seen} [seen] @returns {Record<string, any>} */
  page(table, seen = {}) {
    return this.#asked("page", table, seen);
  }

  /** What has happened since *before*: `kind`, `words`, and what it is about. @param {Table} table @param {Seen} seen
   *  @returns {Record<string, any>[]} */
  events(table, seen) {
    return this.#asked("events", table, seen);
  }

  /** An SVG picture. @param {Table} table @param {Seen & { theme?: "dark" | "light", narrow?: boolean }} [seen]
   *  @returns {string} */
  picture(table, { theme = "dark", narrow = false, ...seen } = {}) {
    return this.#asked("picture", table, seen, theme, narrow);
  }

  /** What the mover may decide, in words and as players write it. @param {Table} table
   *  @returns {{ action: number, words: string, notation: string }[]} */
  choices(table) {
    return this.#asked("choices", table, { seat: table.mover });
  }

  #asked(what, table, { seat, before }, ...rest) {
    const { told, error } = JSON.parse(this.#answer(what, table, seat, before, ...rest));
    if (error) throw new GameError(error);
    return told;
  }
}
