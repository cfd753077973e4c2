// What lies around the points: axes of a plane, the box of a space, and the names of classes.

function drawAxes(map, c) {
  const s = map.spec, [a, b] = map.axis, {left, top} = map, right = map.w - map.edge, low = map.h - map.bottom;
  if (s.small) {
    c.fillStyle = theme.pale;
    c.fillRect(left, top, right - left, low - top);
    return;
  }
  const value = (j, q) => s.mid[j] + s.half[j] * q;
  const line = (color, ...at) => { c.strokeStyle = color; c.beginPath(); at.forEach(([x, y]) => c.lineTo(x, y)); c.stroke(); };
  c.lineWidth = 1;
  c.fillStyle = theme.faint; c.textAlign = "center"; c.textBaseline = "top";
  const x1 = value(a, (left - map.mx) / map.kx), x2 = value(a, (right - map.mx) / map.kx);
  const named = s.classes && classes && classes.names; // a strip for each class
  for (const t of named ? named.map((_, k) => k) : ticks(x1, x2, Math.max(map.w / 110, 2))) {
    const x = map.mx + map.kx * (t - s.mid[a]) / s.half[a];
    if (!(x >= left && x <= right)) continue;
    line(theme.grid, [x, top], [x, low]);
    if (!named || named.length <= 40) c.fillText(named ? short(named[t], 24) : written(t), x, low + 5);
  }
  const y1 = value(b, -(low - map.my) / map.ky), y2 = value(b, -(top - map.my) / map.ky);
  c.textAlign = "right"; c.textBaseline = "middle";
  for (const t of ticks(y1, y2, Math.max(map.h / 90, 2))) {
    const y = map.my - map.ky * (t - s.mid[b]) / s.half[b];
    line(theme.grid, [left, y], [right, y]);
    c.fillText(written(t), left - 6, y);
  }
  line(theme.axis, [left, top], [left, low], [right, low]);
  c.fillStyle = theme.ink; c.textAlign = "center"; c.textBaseline = "bottom";
  c.font = "12px Arial, sans-serif";
  c.fillText(s.axes[a], (left + right) / 2, map.h - 3);
  c.save(); c.translate(12, (top + low) / 2); c.rotate(-Math.PI / 2); c.textBaseline = "middle"; c.fillText(s.axes[b], 0, 0); c.restore();
}

// drawBox draws the sides of the box that lie behind the points, whichever way it is turned.
function drawBox(map, c) {
  const [right, up] = map.directions();
  const dot = (v, w) => v[0] * w[0] + v[1] * w[1] + v[2] * w[2];
  const corner = (...w) => [map.mx + map.kx * dot(right, w), map.my - map.ky * dot(up, w)];
  const back = map.near.map(v => v > 0 ? -1 : 1), [bx, by, bz] = back;
  const line = (from, to, color) => { c.strokeStyle = color; c.beginPath(); c.moveTo(...from); c.lineTo(...to); c.stroke(); };
  c.lineWidth = 1;
  for (let k = -2; k <= 2; k++) {
    const t = k / 2;
    for (const [u, v] of [[[t, -1, bz], [t, 1, bz]], [[-1, t, bz], [1, t, bz]], [[t, by, -1], [t, by, 1]], [[-1, by, t], [1, by, t]], [[bx, t, -1], [bx, t, 1]], [[bx, -1, t], [bx, 1, t]]])
      line(corner(...u), corner(...v), theme.grid);
  }
  if (map.spec.small) return;
  c.textAlign = "center"; c.textBaseline = "middle";
  const middle = corner(0, 0, 0);
  // An edge of the box, from −1 to 1 along axis a: its ticks and, further out, its name.
  const edge = (a, u) => {
    const j = map.axis[a], s = map.spec, along = t => { const w = [...u]; w[a] = t; return corner(...w); };
    const from = along(-1), to = along(1), centre = along(0), length = Math.hypot(to[0] - from[0], to[1] - from[1]);
    // Words lie across the edge, away from the box.
    let dx = to[1] - from[1], dy = from[0] - to[0];
    if (dx * (centre[0] - middle[0]) + dy * (centre[1] - middle[1]) < 0) { dx = -dx; dy = -dy; }
    const l = Math.hypot(dx, dy) || 1;
    dx /= l; dy /= l;
    c.fillStyle = theme.faint; c.font = "11px Arial, sans-serif";
    if (s.half[j] > 0 && length > 50) for (const v of ticks(s.mid[j] - s.half[j], s.mid[j] + s.half[j], Math.min(Math.max(length / 45, 4), 7))) {
      const at = along((v - s.mid[j]) / s.half[j]);
      line(at, [at[0] + 4 * dx, at[1] + 4 * dy], theme.axis);
      c.fillText(written(v), at[0] + 20 * dx, at[1] + 13 * dy);
    }
    c.fillStyle = theme.ink; c.font = "12px Arial, sans-serif";
    c.fillText(s.axes[j], centre[0] + 68 * dx, centre[1] + 44 * dy);
  };
  edge(0, [0, -by, bz]);
  edge(1, [-bx, 0, bz]);
  edge(2, [bx, -by, 0]);
}

// The names of classes lie at the medians of their samples.
let labelled = true;
const mostLabels = 300, mostMedian = 1001; // samples that a median is taken of

// medians are the coordinates of the names, the largest class first.
function medians(map, classes) {
  if (map.medians && map.medians.of === classes) return map.medians.list;
  const {cols} = map.spec, of = classes.names.map(() => []);
  for (const i of map.order) if (of[classes.of[i]].length < mostMedian) of[classes.of[i]].push(i);
  const median = (list, j) => Float32Array.from(list, i => map.y[i * cols + j]).sort()[list.length >> 1];
  const list = of.map((list, k) => ({k, size: classes.sizes[k], at: list.length ? Array.from({length: cols}, (_, j) => median(list, j)) : null}))
    .filter(m => m.at).sort((a, b) => b.size - a.size);
  map.medians = {of: classes, list};
  return list;
}

// drawLabels draws the names that have room, those of larger classes first; on, above or below the median.
function drawLabels(map, c) {
  const of = map.classes;
  map.labels = [];
  if (!labelled || !of || map.spec.classes || of.names.length < 2 || of.names.length > mostLabels) return;
  const [right, up] = map.directions(), size = map.spec.small || map.w < 420 ? 10 : 12;
  c.font = "bold " + size + "px Arial, sans-serif"; c.textAlign = "center"; c.textBaseline = "middle"; c.lineJoin = "round";
  const free = b => b.x1 > map.left && b.x2 < map.w - map.edge && b.y1 > map.top && b.y2 < map.h - map.bottom &&
    map.labels.every(o => b.x2 < o.x1 || b.x1 > o.x2 || b.y2 < o.y1 || b.y1 > o.y2);
  for (const {k, at} of medians(map, of)) {
    if (of === classes && hidden[k]) continue;
    const p = map.axis.map(j => j >= 0 ? at[j] : 0), dot = v => v[0] * p[0] + v[1] * p[1] + v[2] * p[2];
    const px = map.mx + map.kx * dot(right), y = map.my - map.ky * dot(up);
    const name = short(of.names[k], 24), half = c.measureText(name).width / 2 + 3, high = size / 2 + 3;
    if (!(px > map.left && px < map.w - map.edge)) continue;
    const x = Math.min(Math.max(px, map.left + half + 1), map.w - map.edge - half - 1); // inside, where the median is
    for (const dy of [0, -size - 4, size + 4]) {
      const box = {k, x1: x - half, x2: x + half, y1: y + dy - high, y2: y + dy + high};
      if (!free(box)) continue;
      map.labels.push(box);
      c.strokeStyle = theme.back; c.lineWidth = 3.5; c.globalAlpha = 0.85; c.strokeText(name, x, y + dy);
      c.globalAlpha = 1; c.fillStyle = theme.ink; c.fillText(name, x, y + dy);
      break;
    }
  }
}
