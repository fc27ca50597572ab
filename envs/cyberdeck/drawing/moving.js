// Things move from one picture to the next: what has the same name (see piece() in svg.py) glides.

// What there is in a picture by its name, and where: in the picture's own units.
function things(picture) {
  const found = new Map(), root = picture && picture.getScreenCTM();
  if (!root) return found;
  for (const thing of picture.querySelectorAll("[data-piece]")) {
    const own = thing.getBBox(), matrix = root.inverse().multiply(thing.getScreenCTM());
    const middle = new DOMPoint(own.x + own.width / 2, own.y + own.height / 2).matrixTransform(matrix);
    const name = thing.dataset.piece;
    found.set(name, [...(found.get(name) || []), { thing, matrix, x: middle.x, y: middle.y }]);
  }
  return found;
}

// What was there before glides to where it is now; what is gone fades; what is new comes up. How long
// it takes all of them, in milliseconds at that speed, and how many have gone.
function move(picture, before, speed) {
  const leaves = [];
  let longest = 0;
  for (const [name, now] of things(picture)) {
    const then = before.get(name) || [];
    for (const { thing, matrix, x, y } of now) {
      const from = then.shift();
      if (!from) { thing.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 350 / speed }); continue; }
      const far = Math.hypot(from.x - x, from.y - y);
      if (far < 2) continue;
      const duration = Math.min(650, 250 + far) / speed;
      longest = Math.max(longest, duration);
      glide(picture, thing, matrix, [`translate(${from.x - x}px, ${from.y - y}px)`, "none"], duration);
    }
  }
  for (const then of before.values()) leaves.push(...then);
  for (const { thing, matrix } of leaves) {
    const gone = over(picture, thing, matrix), duration = 350 / speed;
    gone.animate([{ opacity: 1 }, { opacity: 0, transform: "translateY(14px)" }], { duration, delay: 0.6 * longest, fill: "forwards" })
      .finished.then(() => gone.remove(), () => {});
    longest = Math.max(longest, 0.6 * longest + duration);
  }
  return { longest, gone: leaves.length };
}

// A copy above all else, which nobody can click.
function over(picture, thing, matrix) {
  const { a, b, c, d, e, f } = matrix, layer = document.createElementNS(picture.namespaceURI, "g");
  const inside = document.createElementNS(picture.namespaceURI, "g"), copy = thing.cloneNode(true);
  for (const each of [copy, ...copy.querySelectorAll("*")]) {
    for (const name of ["id", "data-piece", "data-actions", "role", "tabindex", "aria-label"]) each.removeAttribute(name);
  }
  inside.setAttribute("transform", `matrix(${a} ${b} ${c} ${d} ${e} ${f})`);
  inside.append(copy);
  layer.append(inside);
  layer.setAttribute("pointer-events", "none");
  layer.setAttribute("aria-hidden", "true");
  picture.append(layer);
  return layer;
}

function glide(picture, thing, matrix, transform, duration) {
  const layer = over(picture, thing, matrix);
  thing.style.visibility = "hidden";
  layer.animate({ transform }, { duration, easing: "cubic-bezier(.3, .1, .2, 1)" }).finished.then(() => {
    layer.remove();
    thing.style.visibility = "";
  }, () => {});
}
