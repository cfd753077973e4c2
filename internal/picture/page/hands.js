// What hands do: pointers, the wheel and keys.

let mode = "move"; // what a drag does: move, lasso or box

function listen(map) {
  const e = map.canvas, pointers = new Map();
  let from = null, start = null, does = "", adds = false, still = true;
  const where = v => { const b = e.getBoundingClientRect(); return [v.clientX - b.left, v.clientY - b.top]; };
  e.addEventListener("contextmenu", v => v.preventDefault());
  e.addEventListener("pointerdown", v => {
    try { e.setPointerCapture(v.pointerId); } catch (_) { /* a pointer that has gone */ }
    pointers.set(v.pointerId, where(v));
    if (pointers.size > 1) { does = "pinch"; map.loop = null; return; }
    from = start = where(v);
    still = true; adds = v.shiftKey;
    does = mode !== "move" ? mode : v.shiftKey ? "lasso" : map.space && v.button === 0 && !v.ctrlKey ? "turn" : "move";
    if (does === "turn" || does === "move") e.classList.add("turning");
  });
  e.addEventListener("pointermove", v => {
    const at = where(v);
    if (!pointers.has(v.pointerId)) return point(map.nearest(...at), v);
    if (does === "pinch") return pinch(v.pointerId, at);
    pointers.set(v.pointerId, at);
    if (still && Math.hypot(at[0] - start[0], at[1] - start[1]) < 4) return;
    if (still) { point(-1); if (does === "lasso" || does === "box") map.loop = [start]; }
    still = false;
    const dx = at[0] - from[0], dy = at[1] - from[1];
    from = at;
    if (does === "lasso") map.loop.push(at);
    else if (does === "box") map.loop = [start, [at[0], start[1]], at, [start[0], at[1]]];
    else if (does === "turn") return map.turn(dx * 0.008, dy * 0.008);
    else return map.move(dx, dy);
    later(map, true);
  });
  // pinch zooms by the distance of two fingers, and moves with their middle.
  const pinch = (id, at) => {
    const [a, b] = [...pointers.values()].slice(0, 2), far = Math.hypot(a[0] - b[0], a[1] - b[1]), mid = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
    pointers.set(id, at);
    const [p, q] = [...pointers.values()].slice(0, 2);
    map.move((p[0] + q[0]) / 2 - mid[0], (p[1] + q[1]) / 2 - mid[1]);
    map.layout();
    if (far > 0) map.zoomBy(Math.hypot(p[0] - q[0], p[1] - q[1]) / far, (p[0] + q[0]) / 2, (p[1] + q[1]) / 2);
  };
  const done = v => {
    pointers.delete(v.pointerId);
    if (pointers.size) return;
    if (map.loop) pick(map.inside(map.loop), adds);
    else if (still && v.type === "pointerup" && does !== "pinch") tap(v);
    map.loop = null; from = null; does = "";
    e.classList.remove("turning");
    later(map, true);
  };
  // tap points at a sample where fingers cannot hover, and selects it otherwise.
  const tap = v => {
    const i = map.nearest(...where(v));
    if (v.pointerType === "touch" && i !== pointed) return point(i, v);
    if (i >= 0) toggle(i);
  };
  e.addEventListener("pointerup", done);
  e.addEventListener("pointercancel", done);
  e.addEventListener("pointerleave", v => { if (!pointers.size && v.pointerType !== "touch") point(-1); });
  e.addEventListener("dblclick", () => { map.home(); later(map); });
  e.addEventListener("wheel", v => {
    v.preventDefault();
    map.zoomBy(Math.exp(-v.deltaY * (v.deltaMode ? 0.05 : v.ctrlKey ? 0.01 : 0.0016)), ...where(v));
  }, {passive: false});
  e.addEventListener("keydown", v => { if (!v.ctrlKey && !v.metaKey && !v.altKey && press(map, v)) v.preventDefault(); });
  e.addEventListener("blur", () => point(-1));
}

// press does what a key says, and reports whether it says something.
function press(map, v) {
  const arrows = {ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}[v.key], middle = [map.w / 2, map.h / 2];
  if (arrows && map.space && v.shiftKey) map.turn(-arrows[0] * 0.12, -arrows[1] * 0.12);
  else if (arrows) map.move(40 * arrows[0], 40 * arrows[1]);
  else if (v.key === "+" || v.key === "=") map.zoomBy(1.4, ...middle);
  else if (v.key === "-" || v.key === "_") map.zoomBy(1 / 1.4, ...middle);
  else if (v.key === "0") { map.home(); later(map); }
  else if (v.key === ".") {
    map.layout();
    const i = map.nearest(...middle, Math.max(map.w, map.h)), b = map.canvas.getBoundingClientRect();
    const [x, y] = i < 0 ? middle : map.where(i);
    point(i, {clientX: b.left + x, clientY: b.top + y});
  } else if (v.key === "Enter" && pointed >= 0) toggle(pointed);
  else return false;
  return true;
}

// zoomButtons are for hands without a wheel.
function zoomButtons(map) {
  const box = make("div", map.plot);
  box.className = "zoom";
  for (const [text, what, does] of [["+", "Zoom in", () => map.zoomBy(1.6, map.w / 2, map.h / 2)], ["−", "Zoom out", () => map.zoomBy(1 / 1.6, map.w / 2, map.h / 2)], ["⤢", "Show all", () => { map.home(); later(map); }]]) {
    const b = make("button", box, text);
    b.title = what; b.setAttribute("aria-label", what); b.onclick = does;
  }
}

// point shows what is known of a sample where a pointer is, and rings it in all maps; −1: of none.
const tip = byId("tip");
function point(i, v) {
  if (i !== pointed) {
    pointed = i;
    all(true);
    tip.textContent = "";
    if (i >= 0) {
      if (page.images) tip.appendChild(picture(i));
      make("b", tip, nameOf(i));
      if (classes) make("div", tip, "class " + classes.names[classes.of[i]]);
      for (const p of maps) if (p.groups) make("div", tip, p.name + ": " + short(p.groups.names[p.groups.of[i]], 40));
      for (const each of values) make("div", tip, each.name + " " + (each.split ? maps.map(p => each.text(i, p.number).replace("no value", "–")).join(" · ") : each.text(i)));
      if (maps.some(p => p.marked.has(i))) make("div", tip, "exemplar");
    }
  }
  if (i < 0 || !v) { tip.style.display = "none"; return; }
  tip.style.display = "block";
  const b = tip.getBoundingClientRect();
  tip.style.left = Math.max(Math.min(v.clientX + 16, innerWidth - b.width - 8), 4) + "px";
  tip.style.top = Math.max(Math.min(v.clientY + 16, innerHeight - b.height - 8), 4) + "px";
}

// picture is the image of a sample.
function picture(i) {
  const {width, height, across, each} = page.images, c = document.createElement("canvas");
  const k = i % each, zoom = Math.max(1, Math.floor(128 / Math.max(width, height)));
  c.width = width; c.height = height;
  c.style.width = width * zoom + "px"; c.style.height = height * zoom + "px";
  c.getContext("2d").drawImage(sheets[Math.floor(i / each)], k % across * width, Math.floor(k / across) * height, width, height, 0, 0, width, height);
  return c;
}
