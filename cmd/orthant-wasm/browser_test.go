package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/chromium"
	"github.com/orthant-go/orthant/internal/must"
)

// The page in Chromium reads a table, draws its map, refuses with a remedy, cancels, and gives the bits of this system
// without assembly: make test-wasm builds the page, names it, and runs this with the tag noasm.
func TestPageInABrowser(t *testing.T) {
	page := os.Getenv("ORTHANT_WASM")
	if page == "" {
		t.Skip("make test-wasm builds the page and looks at it")
	}
	if blas.Vectorized() {
		t.Fatal("kernels in assembly sum in another order than those of a browser; test with -tags noasm")
	}
	b := chromium.Start(t, chromium.Window{Width: 1280, Height: 860})
	b.Open(page)
	b.Wait("document.body.dataset.ready")

	chromium.Value[bool](b, `at("example").click()`)
	b.Wait(`!at("run").disabled`)
	text := chromium.Value[string](b, `new TextDecoder().decode(table.bytes)`)
	file := filepath.Join(t.TempDir(), "example.csv")
	must.Do(t, os.WriteFile(file, []byte(text), 0o666))
	for _, method := range []string{"pca", "umap", "tsne", "isomap", "pacmap"} {
		bits, seconds := drawMap(b, fmt.Sprintf(`at("method").value = %q`, method))
		start := time.Now()
		here := must.Get(analyse(context.Background(), request{File: file, Method: method, Scale: "none", Neighbors: 15, Groups: "column:kind"}, nil))(t)
		t.Logf("%s, 500 × 10: %s in the browser, %.1f s here", method, seconds, time.Since(start).Seconds())
		if bits != here.Bits {
			t.Errorf("%s: the coordinates of the browser have other bits than those of this system", method)
		}
		if coordinates := chromium.Value[string](b, "answer.coordinates"); coordinates != here.Coordinates {
			t.Errorf("%s: the table of coordinates differs from that of this system", method)
		}
	}
	if kept := os.Getenv("ORTHANT_SCREENSHOTS"); kept != "" {
		b.Wait("document.body.dataset.drawn")
		time.Sleep(4 * time.Second) // the frame draws on its own
		must.Do(t, os.WriteFile(filepath.Join(kept, "example.csv"), []byte(text), 0o666))
		must.Do(t, os.WriteFile(filepath.Join(kept, "wasm.png"), b.PNG(), 0o666))
	}

	chromium.Value[bool](b, `at("neighbors").value = 900; at("run").click()`)
	b.Wait(`!at("error").hidden && at("error").textContent.includes("give a number from 1 to 499")`)
	chromium.Value[bool](b, `at("neighbors").value = 15; take("bad.csv", new TextEncoder().encode("a,b\n1,2\n3,oops\n5,6\n7,8\n"))`)
	b.Wait(`!at("error").hidden && at("error").textContent.includes("oops")`)

	// A map of 2000 × 64 is cancelled, and then made.
	chromium.Value[bool](b, `take("large.csv", new TextEncoder().encode(example(2000, 64)))`)
	b.Wait(`!at("run").disabled && table.name === "large.csv"`)
	chromium.Value[bool](b, `at("method").value = "umap"; at("run").click()`)
	b.Wait(`at("phase").textContent && !at("cancel").hidden`)
	chromium.Value[bool](b, `at("cancel").click()`)
	b.Wait(`at("cancel").hidden && !at("run").disabled && at("phase").textContent === "cancelled"`)
	bits, seconds := drawMap(b, `loading`)
	text = chromium.Value[string](b, `new TextDecoder().decode(table.bytes)`)
	must.Do(t, os.WriteFile(file, []byte(text), 0o666))
	start := time.Now()
	here := must.Get(analyse(context.Background(), request{File: file, Method: "umap", Scale: "none", Neighbors: 15, Groups: "column:kind"}, nil))(t)
	t.Logf("umap, 2000 × 64: %s in the browser, %.1f s here", seconds, time.Since(start).Seconds())
	if bits != here.Bits {
		t.Error("umap, 2000 × 64: the coordinates of the browser have other bits than those of this system")
	}
	b.Sound()
}

// drawMap prepares the form, draws the map, and returns the bits and the seconds of the result.
func drawMap(b *chromium.Browser, prepare string) (bits, seconds string) {
	b.T.Helper()
	chromium.Value[bool](b, `(async () => { await (`+prepare+`); answer = null; at("run").click(); })()`)
	for range 5 { // of a minute each
		if chromium.Value[bool](b, `new Promise(r => { const end = performance.now() + 60000; (function look() { answer || !at("error").hidden || performance.now() > end ? r(!!answer || !at("error").hidden) : setTimeout(look, 50); })(); })`) {
			break
		}
	}
	if text := chromium.Value[string](b, `at("error").hidden ? "" : at("error").textContent`); text != "" {
		b.T.Fatalf("the page refuses: %s", text)
	}
	b.Wait(`answer && at("cancel").hidden`)
	return chromium.Value[string](b, "answer.bits"), chromium.Value[string](b, `[...at("said").children].map(e => e.textContent).find(s => s.endsWith(" s"))`)
}
