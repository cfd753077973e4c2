// The key: what the colours mean, and which classes are shown.

const searchable = 20, mostListed = 400; // classes from which there is a search box, and that are listed at once

function drawKey() {
  const host = byId("key");
  host.textContent = "";
  chooseColors(host);
  if (colored >= 0) drawBar(host, values[colored]);
  if (colored === byGroups) maps.filter(p => p.groups).forEach(p => listGroups(host, p));
  if (classes) listClasses(host);
  host.hidden = !host.childElementCount;
}

// chooseColors is the box of what colours the samples, where there is a choice.
function chooseColors(host) {
  const choices = [...(maps.some(p => p.groups) ? [[byGroups, "groups"]] : []), ...(classes ? [[-1, "class"]] : []), ...values.map((v, k) => [k, v.name])];
  if (choices.length < 2) return;
  const label = make("label", host, "colour by"), s = make("select", label);
  s.id = "by";
  for (const [k, name] of choices) make("option", s, name).value = k;
  s.value = colored;
  s.onchange = () => { colored = +s.value; recolor(); drawKey(); all(); byId("by").focus(); };
}

function drawBar(host, v) {
  const bar = make("div", host), shades = make("i", bar), span = v.high - v.low;
  bar.className = "bar";
  bar.setAttribute("role", "img");
  bar.setAttribute("aria-label", v.name + " from " + written(v.low) + " to " + written(v.high));
  shades.style.background = "linear-gradient(to top," + v.shades.map(s => css(onBack(s))).join() + ")";
  const list = span > 0 ? ticks(v.low, v.high, 6) : [v.low];
  for (const t of list) make("b", bar, written(t)).style.bottom = (span > 0 ? 100 * (t - v.low) / span : 50) + "%";
  if (!v.gaps) return;
  const gap = make("div", host);
  gap.className = "gap";
  make("i", gap).style.background = css(gapColor());
  gap.append("no value");
}

// listGroups lists the groups of a map. A click selects the samples of one, which shows where they are in the other maps; with shift they are added.
function listGroups(host, map) {
  const {names, sizes, of} = map.groups, list = document.createElement("div");
  const number = names.filter((_, k) => styleOf(k, map.groups) !== gapCode).length;
  make("b", host, map.name + ": " + number + (number === 1 ? " group" : " groups"));
  host.append(list);
  list.className = "list whole"; list.setAttribute("role", "group"); list.setAttribute("aria-label", "Groups of " + map.name);
  names.slice(0, mostListed).forEach((name, k) => {
    const b = make("button", list);
    b.dataset.group = map.number + "/" + k; b.title = name;
    b.innerHTML = swatch(k, map.groups);
    make("span", b, name);
    make("small", b, sizes[k]);
    b.onclick = v => {
      const rows = [];
      for (let i = 0; i < of.length; i++) if (of[i] === k) rows.push(i);
      const again = !v.shiftKey && rows.length === pickedCount && rows.every(i => picked[i]);
      pick(again ? [] : rows, v.shiftKey);
    };
  });
  if (names.length > mostListed) make("div", list, "and " + (names.length - mostListed) + " more").className = "more";
}

// listClasses lists the classes. A click shows or hides one; with shift, or a double click, it alone is shown.
function listClasses(host) {
  const {names, sizes} = classes, many = names.length > searchable;
  let search = null, found = names.map((_, k) => k), most = mostListed;
  if (many) {
    search = make("input", host);
    search.type = "search"; search.placeholder = "search " + names.length + " classes";
    search.setAttribute("aria-label", "Search classes; enter shows those found alone");
  }
  const some = make("div", host), list = make("div", host);
  some.className = "some"; list.className = "list";
  list.setAttribute("role", "group"); list.setAttribute("aria-label", "Classes");
  const show = keep => { hidden.forEach((_, k) => { hidden[k] = keep(k) ? 0 : 1; }); filtered(); refresh(); };
  for (const [text, what, keep] of [["all", "Show all classes", () => true], ["none", "Hide all classes", () => false], ["invert", "Show the classes that are hidden, and hide the others", k => hidden[k]]]) {
    const b = make("button", some, text);
    b.title = what; b.setAttribute("aria-label", what); b.onclick = () => show(keep);
  }
  const alone = k => show(hidden.every((h, j) => !h === (j === k)) ? () => true : j => j === k);
  const refresh = () => { for (const b of list.querySelectorAll("[data-class]")) b.setAttribute("aria-pressed", !hidden[b.dataset.class]); };
  const fill = () => {
    list.textContent = "";
    found.slice(0, most).forEach((k, at) => {
      const b = make("button", list);
      b.dataset.class = k; b.title = names[k]; b.tabIndex = at ? -1 : 0;
      b.innerHTML = swatch(k);
      make("span", b, short(names[k], 22));
      make("small", b, sizes[k]);
      b.onclick = v => {
        if (v.shiftKey) return alone(k);
        if (v.detail === 2) { hidden[k] = 1 - hidden[k]; return alone(k); } // as before the first click
        hidden[k] = 1 - hidden[k];
        filtered(); refresh();
      };
    });
    if (found.length > most) {
      const more = make("button", list, found.length - most + " more …");
      more.className = "more";
      more.onclick = () => { most = Infinity; fill(); };
    }
    if (!found.length) make("div", list, "none found").className = "more";
    refresh();
  };
  list.onkeydown = v => {
    const to = {ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling"}[v.key], next = to && document.activeElement[to];
    if (!next) return;
    v.preventDefault();
    document.activeElement.tabIndex = -1; next.tabIndex = 0; next.focus();
  };
  if (search) {
    search.oninput = () => {
      const text = search.value.trim().toLowerCase();
      found = names.map((_, k) => k).filter(k => names[k].toLowerCase().includes(text));
      fill();
    };
    search.onkeydown = v => {
      if (v.key === "Enter" && found.length) { const keep = new Set(found); show(k => !search.value.trim() || keep.has(k)); }
      if (v.key === "Escape" && search.value) { v.stopPropagation(); search.value = ""; search.oninput(); }
    };
  }
  fill();
}

// filtered draws the maps after a change of the classes that are shown.
function filtered() {
  levelVersion++;
  if (pointed >= 0 && !shown(pointed)) point(-1);
  all(); tell();
}
