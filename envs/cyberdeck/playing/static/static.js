// Beside the page on a static host: its messages go to a worker that plays here, and to no server.
"use strict";

// When all has been fetched: then the browser has it already, and takes none of it twice.
function keepForOffline() {
  if ("serviceWorker" in navigator) navigator.serviceWorker.register("offline.js");
}

const cyberdeckTable = (() => {
  const name = "cyberdeck game", waiting = new Map(), worker = new Worker("worker.mjs", { type: "module" });
  let sent = 0;
  const stored = () => { try { return localStorage.getItem(name); } catch { return null; } };
  worker.addEventListener("message", ({ data: { number, answer, keep } }) => {
    if (keep) { try { localStorage.setItem(name, keep); } catch { /* then only now */ } return; }
    waiting.get(number)(answer);
    waiting.delete(number);
    if (number === 1) keepForOffline();
  });
  worker.addEventListener("error", event => {
    for (const answer of waiting.values()) answer({ error: `The game cannot start here: ${event.message}` });
    waiting.clear();
  });
  return message => new Promise(answer => {
    waiting.set(++sent, answer);
    worker.postMessage({ number: sent, message, kept: stored() });
  });
})();
