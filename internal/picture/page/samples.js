"use strict";
// The data of the page, and what all maps of it share: which samples are filtered out, picked and pointed at.

const byId = id => document.getElementById(id);
const page = JSON.parse(byId("data").textContent);

// make adds an element to another.
function make(tag, parent, text) {
  const e = document.createElement(tag);
  if (text !== undefined) e.textContent = text;
  if (parent) parent.appendChild(e);
  return e;
}

// numbers are those in a text of base64.
function numbers(Type, text) {
  const s = atob(text), u = new Uint8Array(s.length);
  for (let i = 0; i < s.length; i++) u[i] = s.charCodeAt(i);
  return new Type(u.buffer);
}

// classesFrom are the classes of the samples, with their sizes.
function classesFrom(spec) {
  const of = numbers({1: Uint8Array, 2: Uint16Array, 4: Uint32Array}[spec.bytes], spec.of), sizes = new Uint32Array(spec.names.length);
  for (const k of of) sizes[k]++;
  return {...spec, of, sizes};
}
const classes = page.classes && classesFrom(page.classes); // of all maps; a map may have groups of its own
const specs = page.panels.filter(p => p.y !== undefined); // the panels that are maps

// Numbers that can colour the samples. Codes are 0 for low … 254 for high, 255: no value. A list of codes for each map; split: they differ.
const gapCode = 255;
const values = (page.values || []).map((v, k) => {
  const exact = v.exact && numbers(Float32Array, v.exact), span = v.high - v.low, split = !exact && !v.coded;
  const shared = exact
    ? Uint8Array.from(exact, x => x !== x ? gapCode : span > 0 ? Math.min(Math.max(Math.round((x - v.low) / span * 254), 0), 254) : 127)
    : split ? new Uint8Array(page.samples).fill(gapCode) : numbers(Uint8Array, v.coded);
  const codes = specs.map(p => split && p.coded && p.coded[k] ? numbers(Uint8Array, p.coded[k]) : shared);
  return {
    ...v, codes, split, gaps: codes.some(list => list.includes(gapCode)),
    // text is the value of a sample in a map.
    text: (i, m = 0) => codes[m][i] === gapCode ? "no value" : exact ? written(exact[i]) : String(+(v.low + span * codes[m][i] / 254).toPrecision(3)),
  };
});
const neighbors = page.neighbors && numbers(Int32Array, page.neighbors);
const sheets = page.images ? page.images.sheets.map(s => { const i = new Image(); i.src = s; return i; }) : [];

const byGroups = -2;
let colored = page.first;                                // which of the values colours the samples; −1: the classes, or nothing; byGroups: those of each map
const hidden = new Uint8Array(classes ? classes.names.length : 0); // classes that are filtered out
const picked = new Uint8Array(page.samples);
let pickedCount = 0, pointed = -1;

const nameOf = i => page.ids ? page.ids[i] : String(i + 1);
const shown = i => !classes || !hidden[classes.of[i]];
const count = n => n === 1 ? "1 sample" : n.toLocaleString("en").replaceAll(",", " ") + " samples";

// short is a text without its middle: names often differ only at their ends.
function short(text, most) {
  const list = [...text], tail = (most - 1) >> 1;
  return list.length <= most ? text : list.slice(0, most - 1 - tail).join("") + "…" + list.slice(list.length - tail).join("");
}

function written(v) {
  return v === 0 ? "0" : Math.abs(v) >= 1e5 || Math.abs(v) < 1e-3 ? v.toExponential(4).replace(/\.?0*e\+?/, "e") : String(+v.toPrecision(6));
}

// ticks are round numbers between two.
function ticks(low, high, about) {
  const raw = (high - low) / about;
  if (!(raw > 0) || !isFinite(raw)) return [];
  const ten = Math.pow(10, Math.floor(Math.log10(raw)));
  const step = [1, 2, 5, 10].map(m => m * ten).find(s => s >= raw * 0.999);
  const list = [];
  for (let k = Math.ceil(low / step); k * step <= high && list.length < 40; k++) list.push(+(k * step).toPrecision(12));
  return list;
}

// shuffled are the numbers below n that a condition keeps, in an order that is the same each time: of
// classes that lie on each other none hides the others, and the first few of the list are a fair sample.
function shuffled(n, keep) {
  const list = new Int32Array(n);
  let size = 0, state = 1;
  for (let i = 0; i < n; i++) if (keep(i)) list[size++] = i;
  for (let i = size - 1; i > 0; i--) {
    state = state + 0x6d2b79f5 | 0; // Mulberry32
    let t = Math.imul(state ^ state >>> 15, 1 | state);
    t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
    const j = Math.floor(((t ^ t >>> 14) >>> 0) / 4294967296 * (i + 1)), kept = list[i];
    list[i] = list[j]; list[j] = kept;
  }
  return list.subarray(0, size);
}
