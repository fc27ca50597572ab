// Beside the page on a static host: its messages go to a worker that plays here, and to no server.
"use strict";

// When all has been fetched: then the browser has it already, and takes none of it twice.
function keepForOffline() {
  if ("serviceWorker" in navigator) navigator.serviceWorker.register("offline.js");
}

const PATIENCE = 30;  // seconds without a sign of life, after which a game is stopped

const cyberdeckTable = (() => {
  const name = "cyberdeck game", waiting = new Map();
  let sent = 0, worker = null, begun = false, anew = false;
  let silent;  // seconds since the worker was last heard; -Infinity until it has loaded, however long that takes
  const stored = () => { try { return localStorage.getItem(name); } catch { return null; } };
  const refuse = error => {
    for (const answer of waiting.values()) answer({ error });
    waiting.clear();
  };

  function start() {
    const mine = worker = new Worker("worker.mjs", { type: "module" });
    [begun, silent] = [false, -Infinity];
    mine.addEventListener("message", ({ data: { number, answer, keep } }) => {
      if (mine !== worker) return;
      silent = 0;
      if (keep) {
        anew = false;
        try { localStorage.setItem(name, keep); } catch { /* then only now */ }
      }
      if (!number) return;
      begun = true;
      waiting.get(number)?.(answer);
      waiting.delete(number);
      if (number === 1) keepForOffline();
    });
    mine.addEventListener("error", event => refuse(`The game cannot start here: ${event.message}`));
  }

  function stop() {
    worker.terminate();
    worker = null;
    const said = `The game did not answer for ${PATIENCE} seconds, and was stopped.`;
    if (begun) refuse(`${said} It is back where it was last saved: make another move, undo, or start a new game.`);
    else {
      anew = confirm(`${said}\nStart a new game? The saved one will be lost.`);
      refuse(said);
    }
  }

  // Seconds are counted, and no clock is asked: where the machine slept, nobody was silent.
  setInterval(() => {
    if (!waiting.size) return;
    if (++silent > PATIENCE) stop();
    else worker.postMessage({});
  }, 1000);

  return message => new Promise(answer => {
    if (!worker) start();
    if (!waiting.size) silent = Math.min(silent, 0);
    waiting.set(++sent, answer);
    worker.postMessage({ number: sent, message, kept: anew ? null : stored() });
  });
})();
