"use strict";
const base = document.body.dataset.base, root = document.documentElement;
const kept = {
  get(key) { try { return localStorage.getItem(key); } catch { return null; } },
  set(key, value) { try { localStorage.setItem(key, value); } catch {} },
};

// Light and dark.
document.getElementById("theme").onclick = () => {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  kept.set("theme", root.dataset.theme = dark ? "light" : "dark");
};

// The contents, on a telephone.
const menu = document.getElementById("menu"), contents = document.getElementById("contents");
function unfold(open) { document.body.classList.toggle("menu", open); menu.setAttribute("aria-expanded", open); }
menu.onclick = () => unfold(!document.body.classList.contains("menu"));
contents.addEventListener("click", e => { if (e.target.closest("a")) unfold(false); });
const here = contents.querySelector("[aria-current]");
if (here && here.offsetTop > contents.clientHeight - 80) contents.scrollTop = here.offsetTop - 120;

// Examples: all of a page are in the language that was chosen last.
function speak(language) {
  for (const e of document.querySelectorAll(".tabs [data-language]")) {
    e.setAttribute("aria-selected", e.dataset.language === language);
    e.tabIndex = e.dataset.language === language ? 0 : -1;
  }
  for (const e of document.querySelectorAll(".tab")) e.hidden = e.dataset.language !== language;
}
for (const tabs of document.querySelectorAll(".tabs")) {
  tabs.onclick = e => {
    if (!e.target.dataset.language) return;
    const before = tabs.getBoundingClientRect().top;
    speak(e.target.dataset.language);
    kept.set("language", e.target.dataset.language);
    scrollBy(0, tabs.getBoundingClientRect().top - before);
  };
  tabs.onkeydown = e => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key], all = [...tabs.children];
    if (step) { const to = all[(all.indexOf(e.target) + step + all.length) % all.length]; to.click(); to.focus(); }
  };
}
speak(["shell", "python", "r", "go"].includes(kept.get("language")) ? kept.get("language") : "shell");

for (const pre of document.querySelectorAll("pre")) {
  const button = document.createElement("button");
  button.className = "copy";
  button.textContent = "Copy";
  button.onclick = async () => {
    try { await navigator.clipboard.writeText(pre.querySelector("code").textContent); button.textContent = "Copied"; } catch { button.textContent = "Not allowed"; }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  };
  pre.append(button);
}
for (const head of document.querySelectorAll("main :is(h2, h3, h4)[id]")) {
  const a = document.createElement("a");
  a.className = "to";
  a.href = "#" + head.id;
  a.textContent = "#";
  a.setAttribute("aria-label", "Link to this part");
  head.append(a);
}

// The search. Its words are read when the field is used first.
const field = document.querySelector("#search input"), list = document.querySelector("#search ol");
let chosen = -1, loading = null;
function load() {
  loading ||= new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = base + "search.js";
    script.onload = () => { for (const f of searched) f.low = (f.h + "\n" + f.p + "\n" + f.t).toLowerCase(); done(); };
    script.onerror = failed;
    document.head.append(script);
  });
  return loading;
}
const simple = text => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
// A part is found that has all words, each at the beginning of one. Headings count most, and within them whole words.
function find(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const starts = words.map(w => new RegExp("(^|[^\\p{L}\\p{N}])" + simple(w), "u"));
  const whole = words.map(w => new RegExp("(^|[^\\p{L}\\p{N}-])" + simple(w) + "($|[^\\p{L}\\p{N}-])", "u"));
  const hits = [];
  for (const f of searched) {
    if (!words.every(w => f.low.includes(w)) || !starts.every(s => s.test(f.low))) continue;
    const head = f.h.toLowerCase(), page = f.p.toLowerCase();
    let score = 0;
    for (let k = 0; k < words.length; k++) {
      if (head === words[k]) score += 60;
      if (whole[k].test(head)) score += 30; else if (starts[k].test(head)) score += 15;
      if (starts[k].test(page)) score += 8;
      score += Math.min(5, f.low.split(words[k]).length - 1);
    }
    hits.push([score, f]);
  }
  const of = {}; // parts of a page: a long one shall not hide the others
  return hits.sort((a, b) => b[0] - a[0]).filter(h => (of[h[1].p] = (of[h[1].p] || 0) + 1) <= 4).slice(0, 20).map(h => [h[1], words]);
}
function marked(to, text, words) {
  const pieces = text.split(new RegExp("(" + words.map(simple).join("|") + ")", "iu"));
  pieces.forEach((piece, k) => {
    if (k % 2) { const m = document.createElement("mark"); m.textContent = piece; to.append(m); } else to.append(piece);
  });
  return to;
}
function excerpt(text, words) {
  const at = Math.max(0, Math.min(...words.map(w => text.toLowerCase().indexOf(w)).filter(k => k >= 0), text.length) - 50);
  const from = at === 0 || at >= text.length ? 0 : text.indexOf(" ", at) + 1;
  return (from > 0 ? "… " : "") + text.slice(from, from + 150) + (text.length > from + 150 ? " …" : "");
}
async function search() {
  try { await load(); } catch { return; }
  const hits = find(field.value);
  list.replaceChildren(...hits.map(([f, words]) => {
    const li = document.createElement("li"), a = document.createElement("a"), p = document.createElement("p");
    a.href = base + f.a;
    a.append(marked(document.createElement("b"), f.h, words));
    const page = document.createElement("span");
    page.textContent = f.p === f.h ? "" : "  " + f.p;
    a.append(page, marked(p, excerpt(f.t, words), words));
    li.append(a);
    return li;
  }));
  if (!hits.length) {
    const li = document.createElement("li");
    li.className = "none";
    li.textContent = "Nothing found. Try fewer or shorter words.";
    list.append(li);
  }
  list.hidden = !field.value.trim();
  choose(hits.length ? 0 : -1);
}
function choose(k) {
  const links = [...list.querySelectorAll("a")];
  chosen = links.length ? (k + links.length) % links.length : -1;
  links.forEach((a, i) => a.classList.toggle("chosen", i === chosen));
  if (chosen >= 0) links[chosen].scrollIntoView({ block: "nearest" });
}
field.onfocus = () => { load().catch(() => {}); if (field.value.trim()) list.hidden = false; };
field.oninput = search;
field.onkeydown = e => {
  if (e.key === "ArrowDown") { choose(chosen + 1); e.preventDefault(); }
  if (e.key === "ArrowUp") { choose(chosen - 1); e.preventDefault(); }
  if (e.key === "Enter" && chosen >= 0) { list.querySelectorAll("a")[chosen].click(); list.hidden = true; field.blur(); }
  if (e.key === "Escape") { list.hidden = true; field.blur(); }
};
document.addEventListener("click", e => { if (!e.target.closest("#search") || e.target.closest("#search a")) list.hidden = true; });
document.addEventListener("keydown", e => {
  if (e.key === "/" && !e.target.closest("input, select, textarea")) { field.focus(); e.preventDefault(); }
  if (e.key === "Escape") unfold(false);
});
