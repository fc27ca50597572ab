// What the page reads a typed notation as, and which moves the arrow keys choose.
// node keys.mjs PAGE

import { readFileSync } from "node:fs";

const page = readFileSync(process.argv[2], "utf8");
const part = (first, after) => page.slice(page.indexOf(first), page.indexOf(after));
const source = part("const ranks = {", "// The list in words") + part("function steered(", "const backKeys");
const made = new Function("shown", "back", "choose", `${source}; return { squashed, joined, steered };`);

const chosen = [];
const keys = (...names) => {
  const choices = names.map((notation, action) => ({ notation, action }));
  const { steered } = made({ choices }, null, action => chosen.push(action));
  return ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"].map(key => {
    const step = steered({ key, target: { closest: () => null } });
    if (step) step();
    return step ? chosen.at(-1) : null;
  });
};
const { squashed, joined } = made({ choices: [] }, null, () => {});
const texts = ["K♥ to pile 2", "12♥♦ 3", "9♠ 2", "w4 × B4+"];
console.log(JSON.stringify({
  keys: texts.map(squashed),
  joined: texts.map(joined),
  directions: keys("up", "left", "right"),
  others: keys("move", "right", "left"),
}));
