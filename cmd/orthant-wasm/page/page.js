"use strict";
const at = id => document.getElementById(id);
let module = null, worker = null, table = null, answer = null, started = 0, then = null;

// The program is compiled once. To cancel is to end the worker; the next one begins with the compiled program.
async function compile() {
  const packed = Uint8Array.from(atob(at("program").textContent), c => c.charCodeAt(0));
  at("program").remove();
  module = await WebAssembly.compile(await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
}
const address = URL.createObjectURL(new Blob([at("worker").textContent], { type: "text/javascript" }));
function begin() {
  if (worker) worker.terminate();
  return new Promise((ready, failed) => {
    worker = new Worker(address);
    worker.onerror = e => failed(new Error(e.message));
    worker.onmessage = e => {
      const m = e.data;
      if (m.kind === "ready") { if (table) worker.postMessage({ kind: "file", name: table.name, bytes: table.bytes }); ready(); }
      if (m.kind === "progress") { at("phase").textContent = m.phase; at("progress").value = m.done; }
      if (m.kind === "done" && then) then.done(JSON.parse(m.text));
      if (m.kind === "error" && then) then.failed(new Error(m.text));
    };
    worker.postMessage({ kind: "program", module });
  });
}
function ask(kind, request) {
  return new Promise((done, failed) => { then = { done, failed }; worker.postMessage({ kind, request }); });
}

function complain(text) { at("error").textContent = text; at("error").hidden = !text; }
async function take(name, bytes) {
  await loading;
  complain("");
  table = { name, bytes };
  at("run").disabled = true;
  worker.postMessage({ kind: "file", name, bytes });
  try {
    const found = await ask("read", { file: name, drop: at("leave").value });
    at("about").textContent = `${name}: ${found.samples} samples, ${found.columns} columns of numbers`;
    for (const o of [...at("groups").options]) if (o.value.startsWith("column:")) o.remove();
    for (const c of found.words || []) at("groups").append(new Option("column " + c, "column:" + c));
    if (found.words) at("groups").value = "column:" + found.words[0];
    at("run").disabled = false;
  } catch (e) {
    at("about").textContent = "";
    complain(e.message);
  }
}
function busy(is) {
  at("cancel").hidden = at("progress").hidden = !is;
  at("run").disabled = is || !table;
  if (!is) at("phase").textContent = "";
}
const request = () => ({ file: table.name, method: at("method").value, scale: at("scale").value, neighbors: +at("neighbors").value || 15, groups: at("groups").value, clusters: +at("clusters").value || 5, drop: at("leave").value });

at("form").onsubmit = async e => {
  e.preventDefault();
  complain("");
  busy(true);
  started = performance.now();
  at("progress").removeAttribute("value");
  try {
    answer = await ask("analyse", request());
    const bits = answer.bits;
    at("map").onload = () => { document.body.dataset.drawn = bits; };
    at("map").srcdoc = answer.page;
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    at("said").replaceChildren(...[...answer.said, `${seconds} s`].map(text => item(text)), ...(answer.warnings || []).map(text => item(text, "warning")));
    at("downloads").hidden = false;
  } catch (e) {
    complain(e.message);
  }
  busy(false);
};
function item(text, kind) { const li = document.createElement("li"); li.textContent = text; if (kind) li.className = kind; return li; }
at("cancel").onclick = async () => { busy(false); at("phase").textContent = "cancelled"; then = null; loading = begin(); await loading; };

at("groups").onchange = () => { at("count").hidden = at("groups").value !== "kmeans"; };
at("leave").onchange = () => { if (table) take(table.name, table.bytes); };
at("file").onchange = async () => { const f = at("file").files[0]; if (f) take(f.name, new Uint8Array(await f.arrayBuffer())); };
for (const kind of ["dragover", "drop", "dragleave"]) addEventListener(kind, async e => {
  e.preventDefault();
  at("drop").classList.toggle("over", kind === "dragover");
  const f = kind === "drop" && e.dataTransfer.files[0];
  if (f) take(f.name, new Uint8Array(await f.arrayBuffer()));
});
at("paste").onclick = () => { at("text").hidden = false; at("text").focus(); };
at("text").onchange = () => { if (at("text").value.trim()) take(at("text").value.includes("\t") ? "pasted.tsv" : "pasted.csv", new TextEncoder().encode(at("text").value.trim() + "\n")); };

// An example: five groups around random centres, from a generator that gives the same numbers everywhere.
function example(samples, columns) {
  let s = 1;
  const random = () => { s = (s * 1664525 + 1013904223) >>> 0; return s / 4294967296; };
  const bell = () => random() + random() + random() + random() - 2;
  const centres = Array.from({ length: 5 }, () => Array.from({ length: columns }, () => 6 * random()));
  let text = Array.from({ length: columns }, (_, j) => "v" + (j + 1)).join(",") + ",kind\n";
  for (let i = 0; i < samples; i++) text += centres[i % 5].map(c => (c + 2 * bell()).toFixed(4)).join(",") + "," + "ABCDE"[i % 5] + "\n";
  return text;
}
at("example").onclick = () => take("example.csv", new TextEncoder().encode(example(500, 10)));
for (const b of at("downloads").children) b.onclick = () => {
  const what = b.dataset.what, a = document.createElement("a");
  a.href = URL.createObjectURL(new Blob([answer[what]], { type: what === "page" ? "text/html" : "text/csv" }));
  a.download = { coordinates: "coordinates.csv", near: "neighbours.csv", page: "map.html" }[what];
  a.click();
  URL.revokeObjectURL(a.href);
};
let loading = compile().then(begin).then(() => { document.body.dataset.ready = "1"; }, e => complain("This browser cannot run the page: " + e.message + ". Take a current Firefox, Chrome, Edge or Safari."));
