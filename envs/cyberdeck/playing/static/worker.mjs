// Plays at a table without a server: games in WebAssembly, what shows them in Pyodide.
import { load } from "./cyberdeck.mjs";
import { loadPolicy } from "./policies.mjs";
import { loadPeople, loadPython, unpacked } from "./views.mjs";

const HURRIED = 1000;  // milliseconds for a decision of one who is hurried

const loadGame = async file => load(await (await unpacked(file)).arrayBuffer());
const policyOf = file => loadPolicy(new URL(file, import.meta.url));

async function begun(kept) {
  const python = loadPython(), people = await loadPeople();
  const games = await Promise.all(Object.entries(people).map(async ([name, said]) => {
    const files = await Promise.all(said.files.map(({ file }) => loadGame(file)));
    return [name, files, JSON.stringify(said)];
  }));
  return (await python).seated(games, kept ?? undefined, keep => postMessage({ keep }));
}

// --- searches think in pieces, in a game of their own, and messages are answered in between ------------

const loaded = new Map();    // games and policies, by their files' names
const once = (file, how) => loaded.get(file) ?? loaded.set(file, how(file)).get(file);
let thinking = null;         // { began, share, enough, over }
let hurried = false;

async function thought(table, { policy, search, file }) {
  const mine = { began: performance.now(), share: 0, enough: false };
  let over;
  mine.over = new Promise(done => { over = done; });
  thinking = mine;
  try {
    if (policy) return (await once(policy, policyOf)).decide(table);
    const twin = (await once(file, loadGame)).table({ seed: table.seed, options: table.options });
    twin.restore(table.bytes());
    const found = await twin.ponder(search, async share => {
      mine.share = share;
      await new Promise(done => setTimeout(done));
      return !(mine.enough || (hurried && performance.now() - mine.began > HURRIED));
    });
    return found.action;
  } finally {
    thinking = null;
    over();
  }
}

/** What the table answers to a message. */
async function answered(table, message) {
  for (;;) {
    if (message.do === "go on" && thinking) await thinking.over;
    const said = table(JSON.stringify(message));
    if (typeof said !== "string") {
      const [at, asked, tell] = said;
      try {
        tell(await thought(at, asked));
      } catch (error) {
        if (error.name !== "GameError") throw error;
        return { error: error.message };  // such as a setting that no search has
      } finally {
        tell.destroy();
      }
      continue;
    }
    const answer = JSON.parse(said);
    if (message.do === "hurry") hurried = true;
    if (thinking && (message.do === "hurry" || ["undo", "resign", "new"].includes(message.do))) thinking.enough = true;
    if (answer.waiting === false || message.do === "new") hurried = false;
    if (answer.same && thinking) {
      answer.thinking = { seconds: Math.round((performance.now() - thinking.began) / 100) / 10, share: thinking.share };
    }
    return answer;
  }
}

let table = null;
addEventListener("message", async ({ data: { number, message, kept } }) => {
  if (!message) return postMessage({});  // asked whether anybody is there
  // What could not be fetched is tried again.
  table ??= begun(kept).catch(error => { table = null; throw error; });
  try {
    postMessage({ number, answer: await answered(await table, message) });
  } catch (error) {
    postMessage({ number, answer: { error: `Something is wrong in the program: ${error.message}` } });
    throw error;
  }
});
postMessage({});  // it has been fetched: from now on it can be asked
