package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/internal/chromium"
	"github.com/orthant-go/orthant/internal/must"
)

// With ORTHANT_SITE_TESTS=1, make test-site, every page is looked at, and pictures of some are kept in ORTHANT_SCREENSHOTS. Without it
// three pages are.
var whole = os.Getenv("ORTHANT_SITE_TESTS") != ""

// Pages fit a desk and a telephone, in the light and in the dark: nothing is wider than the window, and words can be told from what is
// behind them (WCAG 2: a contrast of 4.5).
func TestSiteFitsItsWindows(t *testing.T) {
	s := must.Get(read(golden.Root(t)))(t)
	b := chromium.Start(t, chromium.Window{Width: 1280, Height: 900})
	folder := t.TempDir()
	must.Do(t, s.write(folder))
	kept := os.Getenv("ORTHANT_SCREENSHOTS")
	few := []string{"index.html", "methods/maps.html", "methods/index.html"}
	for _, p := range s.pages {
		if !whole && !strings.Contains(strings.Join(few, " "), p.to) {
			continue
		}
		windows := []chromium.Window{{Width: 1280, Height: 900}, {Width: 390, Height: 844, Phone: true, Dark: true}}
		if whole {
			windows = append(windows, chromium.Window{Width: 1280, Height: 900, Dark: true}, chromium.Window{Width: 390, Height: 844, Phone: true})
		}
		for _, w := range windows {
			b.Show(w)
			b.Open(filepath.Join(folder, p.to))
			if wide := chromium.Value[int](b, "document.documentElement.scrollWidth"); wide > w.Width {
				t.Errorf("%s is %d pixels wide in a window of %d: %s", p.to, wide, w.Width, chromium.Value[string](b, widest))
			}
			if worst := chromium.Value[float64](b, contrast); worst < 4.5 {
				t.Errorf("%s, dark=%v: some words have a contrast of %.1f, and 4.5 can be read", p.to, w.Dark, worst)
			}
			if kept != "" {
				name := fmt.Sprintf("%s-%d-%v.png", strings.NewReplacer("/", "-", ".html", "").Replace(p.to), w.Width, w.Dark)
				must.Do(t, os.WriteFile(filepath.Join(kept, name), b.PNG(), 0o666))
			}
		}
	}
	b.Sound()
}

// widest names what reaches out of the window.
const widest = `[...document.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".wide, pre, .tabs")).slice(0, 3).map(e => e.tagName + ": " + e.textContent.slice(0, 60)).join("; ")`

// contrast is the least of words and what is behind them, by the formula of WCAG 2.
const contrast = `(() => {
  const rgb = c => c.match(/[\d.]+/g).map(Number), light = c => { const [r, g, b] = c.map(v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
  const behind = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c.slice(0, 3); } return [255, 255, 255]; };
  let least = 21;
  for (const e of [...document.querySelectorAll("main p, main td, main th, main a, main code, main h1, main h2, figcaption, .note, .tabs button, #contents a, #contents summary, header a, .gallery small")].slice(0, 1500)) {
    if (!e.offsetParent || e.className === "to") continue;
    const [a, b] = [light(rgb(getComputedStyle(e).color).slice(0, 3)), light(behind(e))].sort((x, y) => y - x);
    least = Math.min(least, (a + .05) / (b + .05));
  }
  return least;
})()`

// A reader searches, chooses a language and a theme, and unfolds the contents on a telephone.
func TestSiteAnswers(t *testing.T) {
	s := must.Get(read(golden.Root(t)))(t)
	b := chromium.Start(t, chromium.Window{Width: 1280, Height: 900})
	folder := t.TempDir()
	must.Do(t, s.write(folder))
	b.Open(filepath.Join(folder, "methods", "maps.html"))

	const type_ = `(text => { const f = document.querySelector("#search input"); f.focus(); f.value = text; f.dispatchEvent(new Event("input")); })`
	const first = `(document.querySelector("#search li a") || {}).href`
	for text, want := range map[string]string{"umap": "methods/maps.html#umap", "neml": "methods/local-weights.html#neml", "nearest neighb": "#"} {
		chromium.Value[bool](b, type_+fmt.Sprintf("(%q)", text))
		b.Wait(`!document.querySelector("#search ol").hidden && (` + first + ` || "").includes("` + want + `")`)
	}
	if kept := os.Getenv("ORTHANT_SCREENSHOTS"); kept != "" {
		must.Do(t, os.WriteFile(filepath.Join(kept, "search.png"), b.PNG(), 0o666))
	}
	chromium.Value[bool](b, type_+`("qqqqqq")`)
	b.Wait(`document.querySelector("#search .none")`)
	chromium.Value[bool](b, type_+`("isomap")`)
	b.Wait(`(` + first + ` || "").endsWith("graphs-and-paths.html#isomap")`)
	chromium.Value[int](b, `setTimeout(() => document.querySelector("#search input").dispatchEvent(new KeyboardEvent("keydown", {key: "Enter"})))`) // it leaves the page
	b.Wait(`location.href.endsWith("graphs-and-paths.html#isomap") && document.querySelector(".tabs")`)

	chromium.Value[bool](b, `document.querySelector('.tabs [data-language="python"]').click()`)
	shown := `[...document.querySelectorAll(".tab:not([hidden])")].every(e => e.dataset.language === "python" && e.textContent.includes("import numpy"))`
	b.Wait(shown)
	b.Open(filepath.Join(folder, "methods", "nmf.html")) // the next page keeps the language
	b.Wait(shown)

	back := `getComputedStyle(document.body).backgroundColor`
	before := chromium.Value[string](b, back)
	chromium.Value[bool](b, `document.getElementById("theme").click()`)
	if after := chromium.Value[string](b, back); after == before {
		t.Errorf("light and dark are both %s", after)
	}

	b.Show(chromium.Window{Width: 390, Height: 844, Phone: true})
	b.Open(filepath.Join(folder, "index.html"))
	if chromium.Value[bool](b, `!!document.getElementById("contents").offsetParent || getComputedStyle(document.getElementById("contents")).display !== "none"`) {
		t.Error("the contents hide the page on a telephone")
	}
	chromium.Value[bool](b, `document.getElementById("menu").click()`)
	b.Wait(`getComputedStyle(document.getElementById("contents")).display === "block"`)
	b.Sound()
}
