// The page is put together.

const dark = matchMedia("(prefers-color-scheme: dark)");
function setTheme(name) {
  document.documentElement.dataset.theme = name;
  dress(); drawKey(); all();
}
byId("theme").onclick = () => setTheme(theme.dark ? "light" : "dark");
dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"));

const panels = byId("panels");
// Columns of curves alone are narrower than those of maps.
const still = column => page.panels.some(p => p.y !== undefined) && page.panels.every((p, k) => k % page.columns !== column || p.y === undefined);
panels.style.setProperty("--columns", Array.from({length: page.columns}, (_, k) => still(k) ? "minmax(0, .6fr)" : "minmax(0, 1fr)").join(" "));
for (const spec of page.panels) {
  const div = make("section", panels);
  div.className = spec.small ? "panel small" : "panel";
  if (spec.title) { make("h2", div, spec.title); div.setAttribute("aria-label", spec.title); }
  if (spec.y !== undefined) zoomButtons(new Points(spec, div));
  else {
    const d = make("div", div);
    d.className = "plot drawn";
    d.innerHTML = spec.svg;
    for (const side of ["width", "height"]) d.firstChild.style["max-" + side] = d.firstChild.getAttribute(side);
  }
}
choosePainter();

for (const b of byId("modes").children) b.onclick = () => {
  mode = b.dataset.mode;
  document.body.dataset.mode = mode;
  for (const other of byId("modes").children) other.setAttribute("aria-pressed", other === b);
};
byId("labels").hidden = maps.every(p => p.spec.classes || ![p.groups, classes].some(c => c && c.names.length > 1));
byId("labels").onclick = () => { labelled = !labelled; byId("labels").setAttribute("aria-pressed", labelled); all(true); };
byId("reset").onclick = () => {
  hidden.fill(0);
  pick([]);
  maps.forEach(p => p.home());
  drawKey();
};
addEventListener("keydown", v => { if (v.key === "Escape") { point(-1); pick([]); } });
addEventListener("resize", () => all());
new ResizeObserver(() => all()).observe(panels);
setTheme(dark.matches ? "dark" : "light");
if (maps.length) tell(); else document.querySelector("footer").remove();
document.body.dataset.ready = maps.length;
