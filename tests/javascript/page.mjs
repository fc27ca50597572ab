// A page with the suite's own worker, where a second takes a hundredth.
import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";
import { Worker } from "node:worker_threads";
const kept = new Map([["cyberdeck game", process.argv[3]]]), asked = [];
let running = 0;
class Browsers {
  constructor(file) {
    this.of = new Worker(`./node-${file}`, { execArgv: [] });
    this.of.once("exit", () => running--);
    running++;
  }
  addEventListener(kind, hear) { this.of.on(kind, data => hear({ data, message: String(data) })); }
  postMessage(message) { this.of.postMessage(message); }
  terminate() { return this.of.terminate(); }
}
const browser = {
  Worker: Browsers, navigator: {},
  localStorage: { getItem: name => kept.get(name) },
  confirm: words => asked.push(words) > 0,
  setInterval: (what, time) => setInterval(what, time / 100),
};
runInNewContext(`${readFileSync("static.js")}\nglobalThis.table = cyberdeckTable`, browser);
const said = [];
for (const message of JSON.parse(process.argv[2])) said.push(await browser.table(message));
console.log(JSON.stringify([said, asked, running]));
process.exit();
