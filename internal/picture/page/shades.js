// Colours: of the page, light or dark, and of the samples, by what is chosen.

const shapes = 4; // dots, squares, triangles and diamonds, a round of colours each
const corners = [null, [4, 1 / 8, 1.25], [3, 1 / 4, 1.5], [4, 0, 1.35]]; // number, turn of the first, reach in radii

let theme = {};        // colours of the page
let palette = null;    // RGBA for each code
let shadeVersion = 0;  // counts changes of the palette or the codes
let levelVersion = 0;  // counts changes of what is faded

const rgb = hex => [1, 3, 5].map(at => parseInt(hex.slice(at, at + 2), 16));

// onBack is a colour that stands out on the page: on a dark one dark colours are lighter.
function onBack(hex) {
  const c = rgb(hex);
  if (!theme.dark) return c;
  const [r, g, b] = c.map(v => Math.pow(v / 255, 2.2)), light = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  const white = 0.5 * Math.pow(1 - light, 3);
  return c.map(v => Math.round(v + (255 - v) * white));
}
const css = c => "rgb(" + c.join(",") + ")";
const gapColor = () => theme.dark ? [92, 99, 109] : rgb(page.gap);

// byClass reports whether colours are those of classes or groups, with their shapes.
const byClass = () => colored < 0 && (!!classes || colored === byGroups);
const noClass = -1; // the style of samples that are in no class
const styleOf = (k, of) => {
  const style = of.styles ? of.styles[k] : k;
  return style === noClass ? gapCode : style % (page.shades.length * shapes);
};
const shapeOf = code => byClass() && code !== gapCode ? Math.floor(code / page.shades.length) % shapes : 0;

// dress takes the colours of the page from its style, and makes the palette.
function dress() {
  const style = getComputedStyle(document.documentElement);
  theme = {dark: document.documentElement.dataset.theme === "dark"};
  for (const name of ["back", "pale", "ink", "faint", "grid", "axis", "edge", "accent"]) theme[name] = style.getPropertyValue("--" + name).trim();
  recolor();
}

function recolor() {
  const list = colored >= 0 ? values[colored].shades : page.shades;
  palette = new Uint8Array(4 * 256);
  for (let code = 0; code < 256; code++) {
    const at = colored >= 0 ? Math.min(Math.floor((code + 0.5) / 255 * list.length), list.length - 1) : code % list.length;
    palette.set(code === gapCode ? gapColor() : onBack(list[at]), 4 * code);
    palette[4 * code + 3] = 255;
  }
  shadeVersion++; levelVersion++;
}
const colorOf = code => css(palette.subarray(4 * code, 4 * code + 3));

// Levels: samples that are filtered out or not picked lie below all others, as a shadow; then those without a value.
const faded = 0, valueless = 1, full = 2;

// outline draws the shape of a class around a point.
function outline(c, kind, x, y, r) {
  c.beginPath();
  if (kind === 0) return c.arc(x, y, r, 0, 2 * Math.PI);
  const [number, turn, reach] = corners[kind];
  for (let k = 0; k < number; k++) {
    const a = -2 * Math.PI * (turn + k / number);
    c.lineTo(x + r * reach * Math.cos(a), y + r * reach * Math.sin(a));
  }
  c.closePath();
}

// swatch is the colour and the shape of a class, or of a group of a map, in the key.
function swatch(k, of = classes) {
  const code = styleOf(k, of), lit = byClass() && of === classes === (colored !== byGroups), kind = lit ? shapeOf(code) : 0, at = [];
  if (kind) {
    const [number, turn, reach] = corners[kind];
    for (let j = 0; j < number; j++) {
      const a = -2 * Math.PI * (turn + j / number);
      at.push((8 + 5 * reach * Math.cos(a)).toFixed(2) + "," + (8 + 5 * reach * Math.sin(a)).toFixed(2));
    }
  }
  const fill = lit ? colorOf(code) : css(gapColor());
  return '<svg width="16" height="16" aria-hidden="true">' + (kind ? '<polygon points="' + at.join(" ") + '" fill="' + fill + '"/>' : '<circle cx="8" cy="8" r="5" fill="' + fill + '"/>') + "</svg>";
}
