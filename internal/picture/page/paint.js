// Painters draw the points of a map on its canvas: by WebGL, which all maps share, or without it on the
// canvas itself.

class ByGL {
  // The shader places a sample, and takes its colour from the palette. Samples of another level than the one that is drawn
  // are outside.
  static vertex = `#version 300 es
in vec3 at; in float code; in float level;
uniform vec3 right, up, near; uniform vec4 place; uniform vec2 size;
uniform float radius, ratio, opacity, pass, space, round;
uniform vec4 shadow; uniform sampler2D palette;
out vec4 color; flat out float shape; flat out float reach; flat out float side;
void main() {
  gl_Position = vec4(2, 2, 2, 1); gl_PointSize = 1.;
  if (level != pass) return;
  vec2 p = vec2(place.x + place.y * dot(right, at), place.z - place.w * dot(up, at));
  float close = space > 0. ? clamp((dot(near, at) + 1.8) / 3.6, 0., 1.) : 1.;
  reach = radius * ratio * (space > 0. ? .75 + .5 * close : 1.);
  gl_Position = vec4(2. * p.x / size.x - 1., 1. - 2. * p.y / size.y, 0, 1);
  vec4 c = texelFetch(palette, ivec2(int(code), 0), 0);
  color = pass == 0. ? shadow : vec4(c.rgb, opacity * (space > 0. ? .55 + .45 * close : 1.));
  shape = round > 0. && code < 254.5 ? mod(floor(code / round), 4.) : 0.;
  gl_PointSize = side = ceil(2. * reach * (shape > 0. ? 1.55 : 1.) + 1.);
}`;
  static fragment = `#version 300 es
precision highp float;
in vec4 color; flat in float shape; flat in float reach; flat in float side;
out vec4 result;
void main() {
  vec2 q = (gl_PointCoord - .5) * side, a = abs(q);
  float outside = shape < .5 ? length(q) - reach
    : shape < 1.5 ? max(a.x, a.y) - .884 * reach
    : shape < 2.5 ? max(q.y, .866 * a.x - .5 * q.y) - .75 * reach
    : .7071 * (a.x + a.y - 1.35 * reach);
  float alpha = color.a * clamp(.5 - outside, 0., 1.);
  if (alpha <= 0.) discard;
  result = vec4(color.rgb * alpha, alpha);
}`;

  constructor(gl) {
    this.gl = gl; this.loaded = new Map(); this.shades = -1;
    const program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, ByGL.vertex], [gl.FRAGMENT_SHADER, ByGL.fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text); gl.compileShader(shader); gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program) || "the shaders do not link");
    gl.useProgram(program);
    this.program = program; this.places = {};
    for (let k = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS) - 1; k >= 0; k--) {
      const {name} = gl.getActiveUniform(program, k);
      this.places[name] = gl.getUniformLocation(program, name);
    }
    gl.enable(gl.BLEND); gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    gl.canvas.addEventListener("webglcontextlost", e => { e.preventDefault(); painter = new ByCanvas(); all(); });
  }

  // buffer fills one of the buffers of a map.
  buffer(of, name, data, width, type) {
    const gl = this.gl;
    if (!of[name]) of[name] = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, of[name]);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    const at = gl.getAttribLocation(this.program, name);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, width, type, false, 0, 0);
  }

  // load brings what has changed of a map to the graphics processor.
  load(map) {
    const gl = this.gl, {order, y, axis} = map, cols = map.spec.cols;
    let of = this.loaded.get(map);
    if (!of) this.loaded.set(map, of = {array: gl.createVertexArray(), axis: "", shades: -1, levels: -1});
    gl.bindVertexArray(of.array);
    if (of.axis !== axis.join()) {
      of.axis = axis.join();
      const at = new Float32Array(3 * order.length);
      order.forEach((i, k) => axis.forEach((j, a) => { if (j >= 0) at[3 * k + a] = y[i * cols + j]; }));
      this.buffer(of, "at", at, 3, gl.FLOAT);
    }
    if (of.shades !== shadeVersion) {
      of.shades = shadeVersion;
      this.buffer(of, "code", each(order, i => map.codeOf(i)), 1, gl.UNSIGNED_BYTE);
    }
    if (of.levels !== levelVersion) {
      of.levels = levelVersion;
      const levels = each(order, i => map.levelOf(i));
      of.present = [faded, valueless, full].filter(v => levels.includes(v));
      this.buffer(of, "level", levels, 1, gl.UNSIGNED_BYTE);
    }
    if (this.shades !== shadeVersion) {
      this.shades = shadeVersion;
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, palette);
    }
    return of;
  }

  // draw draws the first points of the order, and reports that nothing is left to do.
  draw(map, c, most) {
    const gl = this.gl, {canvas} = gl, at = this.places, of = this.load(map);
    const {width, height} = c.canvas;
    if (canvas.width < width || canvas.height < height) {
      canvas.width = Math.max(canvas.width, width); canvas.height = Math.max(canvas.height, height);
    }
    gl.viewport(0, canvas.height - height, width, height);
    gl.clear(gl.COLOR_BUFFER_BIT);
    const [right, up, near] = map.directions();
    gl.uniform3fv(at.right, right); gl.uniform3fv(at.up, up); gl.uniform3fv(at.near, near);
    gl.uniform4f(at.place, map.mx, map.kx, map.my, map.ky);
    gl.uniform2f(at.size, map.w, map.h);
    gl.uniform1f(at.radius, map.radius()); gl.uniform1f(at.ratio, width / map.w);
    gl.uniform1f(at.opacity, map.opacity()); gl.uniform1f(at.space, map.space ? 1 : 0);
    gl.uniform1f(at.round, byClass() ? page.shades.length : 0);
    gl.uniform4f(at.shadow, ...gapColor().map(v => v / 255), shadowOpacity);
    if (map.space) {
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, of.index = of.index || gl.createBuffer());
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, map.byDepth(most), gl.DYNAMIC_DRAW);
    }
    for (const level of of.present) {
      gl.uniform1f(at.pass, level);
      if (map.space) gl.drawElements(gl.POINTS, most, gl.UNSIGNED_INT, 0);
      else gl.drawArrays(gl.POINTS, 0, most);
    }
    c.drawImage(canvas, 0, 0, width, height, 0, 0, map.w, map.h);
    return true;
  }

  // wait returns when all is drawn, so that one can take the time.
  wait() { this.gl.readPixels(0, 0, 1, 1, this.gl.RGBA, this.gl.UNSIGNED_BYTE, new Uint8Array(4)); }
}
const shadowOpacity = 0.22;

// each is a byte for each of some samples.
function each(list, of) {
  const bytes = new Uint8Array(list.length);
  for (let k = 0; k < list.length; k++) bytes[k] = of(list[k]);
  return bytes;
}

class ByCanvas {
  constructor() { this.stamps = new Map(); this.shades = -1; }

  // stamp is the picture of a point.
  stamp(code, level, r, ratio) {
    if (this.shades !== shadeVersion) { this.stamps.clear(); this.shades = shadeVersion; }
    const name = code + "/" + level + "/" + r.toFixed(2) + "/" + ratio;
    let s = this.stamps.get(name);
    if (!s) {
      s = document.createElement("canvas");
      s.width = s.height = Math.ceil((2 * r * 1.6 + 2) * ratio);
      const c = s.getContext("2d");
      c.fillStyle = level === faded ? css(gapColor()) : colorOf(code);
      outline(c, shapeOf(code), s.width / 2, s.width / 2, r * ratio);
      c.fill();
      this.stamps.set(name, s);
    }
    return s;
  }

  // steps draws the points, and pauses after many, so that the page stays awake.
  *steps(map, c, most) {
    const ratio = c.canvas.width / map.w, r = map.radius(), opacity = map.opacity();
    const near = map.directions()[2], list = map.space ? Array.from(map.byDepth(most), k => map.order[k]) : map.order.subarray(0, most);
    let done = 0;
    for (const level of [faded, valueless, full]) for (const i of list) {
      if (++done % 50000 === 0) yield;
      if (map.levelOf(i) !== level) continue;
      const [x, y] = map.where(i);
      if (!(x > -20 && x < map.w + 20 && y > -20 && y < map.h + 20)) continue;
      const close = map.space ? Math.min(Math.max((map.along(near, i) + 1.8) / 3.6, 0), 1) : 1;
      c.globalAlpha = (level === faded ? shadowOpacity : opacity) * (map.space ? 0.55 + 0.45 * close : 1);
      const s = this.stamp(map.codeOf(i), level, r, ratio), side = s.width / ratio * (map.space ? 0.75 + 0.5 * close : 1);
      c.drawImage(s, x - side / 2, y - side / 2, side, side);
    }
    c.globalAlpha = 1;
  }

  // draw begins to draw, or goes on; it reports whether all is done.
  draw(map, c, most) {
    if (!map.steps) map.steps = this.steps(map, c, most);
    if (!map.steps.next().done) return false;
    map.steps = null;
    return true;
  }

  wait() { /* it is drawn */ }
}

let painter = null;
function choosePainter() {
  const gl = document.createElement("canvas").getContext("webgl2", {antialias: false, depth: false});
  try { painter = gl ? new ByGL(gl) : new ByCanvas(); } catch (_) { painter = new ByCanvas(); }
}

// Frames: what has changed is drawn once for each. While a hand moves a map of many points, as many are drawn as
// take about a thirtieth of a second; all of them when it rests.
const soon = 33, rest = 180; // milliseconds
let moving = false, resting = 0, waiting = false, budget = 200000;
const restless = new Set();

function frame() {
  waiting = false;
  const list = maps.filter(m => m.base || m.steps), began = performance.now(), share = Math.max(Math.floor(budget / Math.max(list.length, 1)), 1000);
  let drawn = 0;
  for (const m of list) {
    const most = moving ? Math.min(m.order.length, share) : m.order.length;
    m.drawBase(most);
    drawn += most;
  }
  if (moving && maps.some(m => m.order.length > 20000)) {
    painter.wait();
    budget = Math.max(drawn, 10000) * Math.min(Math.max(soon / Math.max(performance.now() - began, 1), 0.5), 1.6);
  }
  for (const m of maps) if (m.front) m.drawFront();
  if (maps.some(m => m.steps)) request();
}
function request() { if (!waiting) { waiting = true; requestAnimationFrame(frame); } }

// later draws a map again, or only what lies over its points.
function later(map, onlyFront) {
  map.front = true;
  if (!onlyFront) { map.base = true; map.steps = null; }
  request();
}
const all = onlyFront => maps.forEach(m => later(m, onlyFront));

// moved draws a map that a hand moves.
function moved(map) {
  moving = true;
  restless.add(map);
  clearTimeout(resting);
  resting = setTimeout(() => { moving = false; restless.forEach(m => later(m)); restless.clear(); }, rest);
  later(map);
}
