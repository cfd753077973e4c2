// A map: samples as points, in two coordinates or in three that turn.

const maps = [];
const narrow = matchMedia("(max-width: 640px)"); // as the style has it

class Points {
  constructor(spec, host) {
    this.spec = spec;
    this.y = numbers(Float32Array, spec.y); // NaN: not drawn
    this.axis = [0, Math.min(1, spec.cols - 1), spec.cols === 3 ? 2 : -1];
    this.marked = new Set(spec.marked || []);
    this.number = maps.length;
    this.groups = spec.groups && classesFrom(spec.groups); // of this map alone
    this.order = shuffled(page.samples, i => this.y[i * spec.cols] === this.y[i * spec.cols]);
    if (spec.cols > 3) this.chooser(make("div", host));
    this.plot = make("div", host);
    this.plot.className = "plot";
    this.under = make("canvas", this.plot); // axes and points
    this.canvas = make("canvas", this.plot); // what lies over them, and changes often
    this.canvas.className = "front";
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-label", (spec.title ? spec.title + ": " : "") + "map of " + count(this.order.length) +
      ". Arrows move, with shift they turn; plus, minus and 0 zoom; a full stop points at the sample in the middle, enter selects it, escape ends the selection.");
    this.turned = 0; // counts what changes where samples are without zoom and moves
    this.home();
    listen(this);
    maps.push(this);
  }

  // chooser shows boxes for the coordinates.
  chooser(host) {
    host.className = "axes";
    ["across", "up", "depth"].forEach((what, a) => {
      const label = make("label", host, what), s = make("select", label);
      if (a === 2) make("option", s, "none").value = -1;
      for (let j = 0; j < this.spec.cols; j++) make("option", s, this.spec.axes[j]).value = j;
      s.value = this.axis[a];
      s.onchange = () => { this.axis[a] = +s.value; this.turned++; this.home(); later(this); };
    });
  }

  // name is what the map is called: its title without what follows the first dot.
  get name() { return (this.spec.title || "map " + (this.number + 1)).split("  ·  ")[0]; }

  get space() { return this.axis[2] >= 0; }

  // home shows all samples, from where they were seen first.
  home() {
    this.zoom = 1; this.x0 = 0; this.y0 = 0;
    const a = 35 * Math.PI / 180, b = 22 * Math.PI / 180;
    this.right = [Math.cos(a), Math.sin(a), 0];
    this.up = [-Math.sin(b) * Math.sin(a), Math.sin(b) * Math.cos(a), Math.cos(b)];
    this.turned++;
    this.layout();
  }

  // layout finds the scales: coordinates from −1 to 1, along the directions, are at mx + kx·u and my − ky·v.
  layout() {
    const box = this.plot.getBoundingClientRect(), s = this.spec, [a, b, d] = this.axis, bare = this.space || s.small;
    this.w = Math.max(box.width, 40); this.h = Math.max(box.height, 40);
    this.left = bare ? 8 : 62; this.bottom = bare ? 8 : 42; this.top = 8; this.edge = s.small || narrow.matches ? 12 : 42; // for the buttons
    const w = Math.max(this.w - this.left - this.edge, 10), h = Math.max(this.h - this.top - this.bottom, 10);
    this.mx = this.left + w / 2 + this.x0; this.my = this.top + h / 2 + this.y0;
    if (this.space) {
      const half = [a, b, d].map(j => s.half[j]), most = Math.max(...half), {right, up} = this;
      this.sides = s.equal ? half.map(v => v / most || 0.02) : half.map(v => v > 0 ? 1 : 0.02);
      this.near = [right[1] * up[2] - right[2] * up[1], right[2] * up[0] - right[0] * up[2], right[0] * up[1] - right[1] * up[0]];
      this.kx = this.ky = Math.min(w, h) / 1.95 / Math.hypot(...this.sides) * this.zoom; // the box stays inside however it is turned
      return;
    }
    this.kx = w / 2.12; this.ky = h / 2.12;
    if (s.equal) {
      const unit = Math.min(this.kx / (s.half[a] || 1e-300), this.ky / (s.half[b] || 1e-300));
      this.kx = unit * s.half[a]; this.ky = unit * s.half[b];
    }
    this.kx *= this.zoom; this.ky *= this.zoom;
  }

  // directions are right, up and towards the eye, in the coordinates of the samples.
  directions() {
    if (!this.space) return [[1, 0, 0], [0, 1, 0], [0, 0, 0]];
    return [this.right, this.up, this.near].map(v => v.map((q, a) => q * this.sides[a]));
  }

  // along is how far a sample lies in a direction.
  along(v, i) {
    const at = i * this.spec.cols, [a, b, d] = this.axis;
    return v[0] * this.y[at + a] + v[1] * this.y[at + b] + (d >= 0 ? v[2] * this.y[at + d] : 0);
  }

  // where is the place of a sample on the canvas.
  where(i) {
    const [right, up] = this.directions();
    return [this.mx + this.kx * this.along(right, i), this.my - this.ky * this.along(up, i)];
  }

  // classes are those that the map shows: its own, unless samples are coloured by those of all maps.
  get classes() { return colored !== -1 && this.groups || classes; }

  codeOf(i) {
    if (colored >= 0) return values[colored].codes[this.number][i];
    const of = this.classes;
    return of ? styleOf(of.of[i], of) : this.marked.has(i) ? 1 : 0;
  }

  levelOf(i) { return !shown(i) || pickedCount && !picked[i] ? faded : this.codeOf(i) === gapCode ? valueless : full; }

  radius() {
    const most = this.spec.small ? 3 : 4.5, n = Math.max(this.order.length, 1);
    return Math.min(Math.max(Math.sqrt(0.2 * this.w * this.h / (Math.PI * n)), n > 2e5 ? 0.7 : 1.1), most) * Math.min(Math.sqrt(Math.sqrt(this.zoom)), 2.5);
  }

  // opacity lets dense places show.
  opacity() { return this.marked.size ? 0.33 : this.order.length > 2e5 ? 0.6 : 0.82; }

  // byDepth sorts the first points of the order, the farthest first.
  byDepth(most) {
    const near = this.directions()[2], bins = 4096, at = new Uint16Array(most), starts = new Uint32Array(bins + 1);
    for (let k = 0; k < most; k++) {
      at[k] = Math.min(Math.max((this.along(near, this.order[k]) + 1.8) / 3.6 * bins, 0), bins - 1);
      starts[at[k] + 1]++;
    }
    for (let b = 0; b < bins; b++) starts[b + 1] += starts[b];
    const list = new Uint32Array(most);
    for (let k = 0; k < most; k++) list[starts[at[k]]++] = k;
    return list;
  }

  // cells are the samples by their place without zoom and moves: a list for each cell of a grid.
  cells() {
    if (this.grid && this.grid.turned === this.turned) return this.grid;
    const {order} = this, n = order.length, [right, up] = this.directions();
    const u = new Float32Array(n), v = new Float32Array(n);
    let low = [Infinity, Infinity], high = [-Infinity, -Infinity];
    for (let k = 0; k < n; k++) {
      const i = order[k], x = u[k] = this.along(right, i), y = v[k] = this.along(up, i);
      if (x < low[0]) low[0] = x;
      if (x > high[0]) high[0] = x;
      if (y < low[1]) low[1] = y;
      if (y > high[1]) high[1] = y;
    }
    const side = Math.min(Math.max(Math.ceil(Math.sqrt(n / 3)), 1), 1024);
    const scale = [0, 1].map(j => high[j] > low[j] ? side / (high[j] - low[j]) : 0);
    const column = (x, j) => Math.min(Math.max(Math.floor((x - low[j]) * scale[j]), 0), side - 1);
    const cell = new Uint32Array(n), starts = new Uint32Array(side * side + 1), list = new Uint32Array(n);
    for (let k = 0; k < n; k++) starts[(cell[k] = column(v[k], 1) * side + column(u[k], 0)) + 1]++;
    for (let c = 0; c < side * side; c++) starts[c + 1] += starts[c];
    const next = starts.slice();
    for (let k = 0; k < n; k++) list[next[cell[k]]++] = order[k];
    return this.grid = {turned: this.turned, side, column, starts, list};
  }

  // within calls a function for the samples in the cells that a rectangle of the canvas touches.
  within(x1, y1, x2, y2, call) {
    const g = this.cells(), kx = this.kx || 1, ky = this.ky || 1;
    const c1 = g.column((x1 - this.mx) / kx, 0), c2 = g.column((x2 - this.mx) / kx, 0);
    const r1 = g.column((this.my - y2) / ky, 1), r2 = g.column((this.my - y1) / ky, 1);
    const [right, up] = this.directions();
    for (let r = r1; r <= r2; r++) for (let k = g.starts[r * g.side + c1]; k < g.starts[r * g.side + c2 + 1]; k++) {
      const i = g.list[k];
      call(i, this.mx + this.kx * this.along(right, i), this.my - this.ky * this.along(up, i));
    }
  }

  // nearest is the sample next to a place, −1 where none is near.
  nearest(x, y, reach = 14) {
    let best = -1, far = reach * reach;
    this.within(x - reach, y - reach, x + reach, y + reach, (i, sx, sy) => {
      const d = (sx - x) ** 2 + (sy - y) ** 2;
      if (d < far && shown(i)) { far = d; best = i; }
    });
    return best;
  }

  // inside lists the samples in a polygon.
  inside(loop) {
    const xs = loop.map(p => p[0]), ys = loop.map(p => p[1]), list = [];
    const lowest = v => v.reduce((a, b) => Math.min(a, b)), highest = v => v.reduce((a, b) => Math.max(a, b));
    this.within(lowest(xs), lowest(ys), highest(xs), highest(ys), (i, x, y) => {
      if (!shown(i)) return;
      let inside = false;
      for (let a = 0, b = loop.length - 1; a < loop.length; b = a++) {
        if (ys[a] > y !== ys[b] > y && x < (xs[b] - xs[a]) * (y - ys[a]) / (ys[b] - ys[a]) + xs[a]) inside = !inside;
      }
      if (inside) list.push(i);
    });
    return list;
  }

  zoomBy(by, x, y) {
    const zoom = Math.min(Math.max(this.zoom * by, 0.2), 1e4), k = zoom / this.zoom;
    const cx = this.mx - this.x0, cy = this.my - this.y0;
    this.x0 = (x - cx) - k * (x - cx - this.x0); this.y0 = (y - cy) - k * (y - cy - this.y0);
    this.zoom = zoom;
    moved(this);
  }

  move(dx, dy) { this.x0 += dx; this.y0 += dy; moved(this); }

  turn(across, down) {
    const spin = (v, k, a) => {
      const c = Math.cos(a), s = Math.sin(a), d = v[0] * k[0] + v[1] * k[1] + v[2] * k[2];
      return [0, 1, 2].map(i => v[i] * c + (k[(i + 1) % 3] * v[(i + 2) % 3] - k[(i + 2) % 3] * v[(i + 1) % 3]) * s + k[i] * d * (1 - c));
    };
    this.right = spin(this.right, this.up, -across);
    this.up = spin(this.up, this.right, -down);
    this.turned++;
    moved(this);
  }

  // context is that of a canvas, in pixels of the page.
  context(canvas) {
    const ratio = window.devicePixelRatio || 1, width = Math.round(this.w * ratio), height = Math.round(this.h * ratio), c = canvas.getContext("2d");
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width; canvas.height = height;
      canvas.style.width = this.w + "px"; canvas.style.height = this.h + "px";
    }
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    return c;
  }

  clip(c) {
    c.save();
    c.beginPath();
    c.rect(this.left, this.top, this.w - this.left - this.edge, this.h - this.top - this.bottom);
    c.clip();
  }

  // drawBase draws the axes and the points.
  drawBase(most) {
    let c = this.under.getContext("2d");
    if (this.base) {
      this.layout();
      c = this.context(this.under);
      c.clearRect(0, 0, this.w, this.h);
      c.font = "11px Arial, sans-serif";
      if (this.space) drawBox(this, c); else drawAxes(this, c);
    }
    this.base = false;
    this.clip(c);
    painter.draw(this, c, most);
    c.restore();
  }

  // drawFront draws what lies over the points.
  drawFront() {
    this.front = false;
    const c = this.context(this.canvas), r = this.radius();
    c.clearRect(0, 0, this.w, this.h);
    this.clip(c);
    for (const i of this.marked) if (shown(i)) {
      const [x, y] = this.where(i), size = Math.max(r, 3.5);
      c.fillStyle = this.levelOf(i) === faded ? css(gapColor()) : colorOf(this.codeOf(i));
      outline(c, shapeOf(this.codeOf(i)), x, y, size); c.fill();
      this.ring(c, i, size * 1.5, 1.8);
    }
    drawLabels(this, c);
    if (pointed >= 0 && neighbors) this.drawNeighbors(c, r);
    if (pointed >= 0) this.ring(c, pointed, r + 3, 2);
    if (this.loop) {
      c.beginPath();
      for (const [x, y] of this.loop) c.lineTo(x, y);
      c.closePath();
      c.globalAlpha = 0.15; c.fillStyle = theme.accent; c.fill();
      c.globalAlpha = 1; c.strokeStyle = theme.accent; c.lineWidth = 1.2; c.stroke();
    }
    c.restore();
  }

  ring(c, i, r, width) {
    const [x, y] = this.where(i);
    if (!(x - x === 0 && y - y === 0)) return;
    c.beginPath(); c.arc(x, y, r, 0, 2 * Math.PI);
    c.strokeStyle = theme.back; c.lineWidth = width + 2; c.stroke();
    c.strokeStyle = theme.ink; c.lineWidth = width; c.stroke();
  }

  // drawNeighbors draws lines from the sample that is pointed at to its neighbours in the data.
  drawNeighbors(c, r) {
    const [x, y] = this.where(pointed);
    for (let k = pointed * page.lines; k < (pointed + 1) * page.lines; k++) {
      const j = neighbors[k];
      if (j < 0) continue;
      const [u, v] = this.where(j);
      if (!(x - x === 0 && y - y === 0 && u - u === 0 && v - v === 0)) continue;
      for (const [color, width] of [[theme.back, 3.5], [theme.ink, 1.3]]) {
        c.beginPath(); c.moveTo(x, y); c.lineTo(u, v);
        c.strokeStyle = color; c.lineWidth = width; c.stroke();
      }
      c.beginPath(); c.arc(u, v, Math.max(r, 2.5), 0, 2 * Math.PI);
      c.fillStyle = colorOf(this.codeOf(j)); c.fill(); c.strokeStyle = theme.ink; c.lineWidth = 1; c.stroke();
    }
  }
}
