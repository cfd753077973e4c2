// The selection: samples that were picked, their ids, and files of these.

const mostNamed = 300; // ids in the list

function pick(list, adds) {
  if (!adds) { picked.fill(0); pickedCount = 0; }
  for (const i of list) if (!picked[i]) { picked[i] = 1; pickedCount++; }
  reselect();
}
function toggle(i) {
  picked[i] = 1 - picked[i];
  pickedCount += picked[i] ? 1 : -1;
  reselect();
}
function reselect() { levelVersion++; all(); listPicked(); tell(); }

// pickedRows are the samples of the selection.
function pickedRows(most = Infinity) {
  const list = [];
  for (let i = 0; i < picked.length && list.length < most; i++) if (picked[i]) list.push(i);
  return list;
}
const ids = () => pickedRows().map(nameOf).join("\n");

// table are the ids with class and values, as a table of text.
function table() {
  const field = text => /[",\n\r]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  const grouped = maps.filter(p => p.groups), columns = values.flatMap(v => (v.split ? maps : [maps[0]]).map(p => [v, p]));
  const head = ["id", ...(classes ? ["class"] : []), ...grouped.map(p => "group " + p.name), ...columns.map(([v, p]) => v.split ? v.name + " " + p.name : v.name)];
  const row = i => [nameOf(i), ...(classes ? [classes.names[classes.of[i]]] : []), ...grouped.map(p => p.groups.names[p.groups.of[i]]),
    ...columns.map(([v, p]) => v.codes[p.number][i] === gapCode ? "" : v.text(i, p.number))];
  return [head, ...pickedRows().map(row)].map(fields => fields.map(field).join(",")).join("\n") + "\n";
}

async function copy() {
  const text = ids();
  let done = true;
  try { await navigator.clipboard.writeText(text); } catch (_) { // a page from a file may not
    const area = make("textarea", document.body);
    area.value = text; area.style.position = "fixed"; area.style.opacity = 0; area.select();
    done = document.execCommand("copy");
    area.remove();
  }
  byId("status").textContent = done ? count(pickedCount) + ": ids copied" : "the browser does not allow to copy; save the ids";
}

function save(name, kind, text) {
  const a = make("a", document.body), address = URL.createObjectURL(new Blob([text], {type: kind + ";charset=utf-8"}));
  a.href = address; a.download = name;
  a.click();
  a.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

// listPicked lists the selection.
function listPicked() {
  const host = byId("selection");
  host.textContent = "";
  host.hidden = !pickedCount;
  if (!pickedCount) return;
  make("b", host, count(pickedCount) + " selected").id = "count";
  const tools = make("div", host), list = make("div", host);
  tools.className = "tools"; list.className = "list";
  for (const [text, what, does] of [
    ["copy", "Copy the ids", copy], [".txt", "Save the ids as a text, one a line", () => save("selection.txt", "text/plain", ids() + "\n")],
    [".csv", "Save ids, classes and values as a table", () => save("selection.csv", "text/csv", table())], ["clear", "End the selection", () => pick([])]]) {
    const b = make("button", tools, text);
    b.title = what; b.setAttribute("aria-label", what); b.onclick = does;
  }
  for (const i of pickedRows(mostNamed)) {
    const b = make("button", list);
    make("span", b, short(nameOf(i), 26));
    b.title = nameOf(i); b.tabIndex = -1;
    b.onmouseenter = b.onfocus = () => point(i);
    b.onmouseleave = b.onblur = () => point(-1);
  }
  if (pickedCount > mostNamed) make("div", list, "and " + count(pickedCount - mostNamed) + " more").className = "more";
}

// tell says what is shown, or what one can do.
function tell() {
  const off = hidden.reduce((a, b) => a + b, 0);
  byId("status").textContent = pickedCount ? count(pickedCount) + " selected" + (off ? " · " + (hidden.length - off) + " of " + hidden.length + " classes shown" : "")
    : off ? hidden.length - off + " of " + hidden.length + " classes shown"
      : count(page.samples) + " · drag " + (maps.some(p => p.space) ? "turns" : "moves") + ", the wheel zooms, shift and drag select" + (classes ? ", a click on a class hides it, a double click shows it alone" : "");
}
