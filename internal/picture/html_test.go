package picture

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"image/color"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/chromium"
	"github.com/orthant-go/orthant/internal/draw"
	"github.com/orthant-go/orthant/internal/must"
)

// htmlOf is the text of a page.
func htmlOf(t testing.TB, page *Page) string {
	t.Helper()
	var text bytes.Buffer
	must.Do(t, page.Write(&text, ".html"))
	return text.String()
}

// fiftyClasses is a page of points in 50 classes that are images.
func fiftyClasses(t *testing.T) *Page {
	labels := make([]int64, 200)
	for i := range labels {
		labels[i] = int64(i % 50)
	}
	images := must.Get(Images{Height: 4, Width: 6, Columns: true}.Of(grains(200, 24)))(t)
	ids := make([]string, 200)
	for i := range ids {
		ids[i] = fmt.Sprintf("sample-%d", i)
	}
	return &Page{Title: `a < b & "c"`, Panels: []Panel{&Scatter{Y: grains(200, 2), Colors: ByClasses(labels, nil), Images: images, IDs: ids, Marked: []int{3, 8}}}}
}

// manyKinds is a page of points in one, three and five coordinates, in a grid, and a curve.
func manyKinds() *Page {
	colors := draw.ByValues(mat.Col(nil, 0, grains(200, 1)))
	page := &Page{Title: "kinds", Columns: 2}
	for _, d := range []int{1, 3, 5} {
		page.Panels = append(page.Panels, &Scatter{Title: fmt.Sprint(d), Y: grains(200, d), Colors: colors, Equal: d == 3})
	}
	page.Panels = append(page.Panels, &Curve{XLabel: "iteration", YLabel: "objective", Y: []float64{3, 2, 1}}, &Note{Title: "none", Text: "it failed"})
	return page
}

// A page is one file: no address leads out of it, and titles and data are not tags.
func TestHTMLIsWhole(t *testing.T) {
	for _, page := range []*Page{fiftyClasses(t), manyKinds()} {
		text := htmlOf(t, page)
		if found := regexp.MustCompile(`(?i)(https?:)?//[\w.]+\.\w|@import|<link|\bsrc=|\burl\(`).FindString(text); found != "" {
			t.Errorf("%s: the page names %q", page.Title, found)
		}
		if strings.Contains(text, "<b &") || strings.Contains(text, "{{") || strings.Contains(text, "NaN,") {
			t.Errorf("%s: something is not filled in", page.Title)
		}
		if again := htmlOf(t, page); again != text {
			t.Errorf("%s: the same page is another file", page.Title)
		}
	}
}

// lattice is a page of 100 samples that do not touch, in 25 classes, with images, neighbours and a second colouring.
func lattice(t *testing.T) *Page {
	const side = 10
	y := mat.NewDense(side*side, 2, nil)
	labels, torn, ids := make([]int64, side*side), make([]float64, side*side), make([]string, side*side)
	for i := range side * side {
		y.SetRow(i, []float64{float64(i % side), float64(i / side)})
		labels[i], torn[i], ids[i] = int64(i%25), float64(i), fmt.Sprintf("sample-%d", i)
	}
	torn[3] = math.NaN()
	near := slices.Repeat([]int32{-1}, 5*side*side)
	for i := range side * side {
		near[5*i] = int32((i + 3) % 100)
	}
	images := must.Get(Images{Height: 4, Width: 6, Columns: true}.Of(grains(side*side, 24)))(t)
	return &Page{Title: "lattice", Panels: []Panel{&Scatter{Y: y, Colors: ByClasses(labels, nil), Colorings: []Coloring{{"torn", torn}}, Neighbors: near, Images: images, IDs: ids}}}
}

// looks fails the test unless a sample is drawn in a colour, as strong as samples are or as weak as those that are faded.
func (b *browser) looks(m, i int, want color.NRGBA, opacity float64) {
	b.T.Helper()
	at := b.place(m, i)
	got := color.NRGBAModel.Convert(b.Screen().At(int(at[0]), int(at[1]))).(color.NRGBA)
	for k, pair := range [][2]uint8{{got.R, want.R}, {got.G, want.G}, {got.B, want.B}} {
		if mixed := opacity*float64(pair[1]) + (1-opacity)*255; math.Abs(float64(pair[0])-mixed) > 16 { // a line of the grid may lie below
			b.T.Errorf("sample %d is drawn in %v, want %v of %v (channel %d)", i, got, opacity, want, k)
			return
		}
	}
}

const strong, weak = 0.82, 0.22 // opacities

// A hand points, zooms, moves, filters, selects, saves and switches the colours, with WebGL and without.
func TestHTMLRuns(t *testing.T) {
	page := lattice(t)
	colors := page.Panels[0].(*Scatter).Colors
	text := htmlOf(t, page)
	for _, c := range []struct{ name, painter string }{{"WebGL", "ByGL"}, {"canvas", "ByCanvas"}} {
		t.Run(c.name, func(t *testing.T) {
			b := open(t, text, chromium.Window{Width: 1000, Height: 800, NoGL: c.painter == "ByCanvas"})
			if got := value[string](b, "painter.constructor.name"); got != c.painter {
				t.Skipf("this chromium draws by %s: %s is not looked at", got, c.painter)
			}
			defer b.Sound()
			if crossed := value[int](b, `(l => l.filter((p, k) => l.some((q, j) => j < k && p.x1 <= q.x2 && q.x1 <= p.x2 && p.y1 <= q.y2 && q.y1 <= p.y2)).length)(maps[0].labels)`); crossed > 0 || value[int](b, "maps[0].labels.length") < 10 {
				t.Errorf("%d of the names overlap another", crossed)
			}
			b.click(`byId("labels")`, 1, left) // names hide points
			if left := value[int](b, "maps[0].labels.length"); left != 0 {
				t.Errorf("%d names are left", left)
			}
			b.looks(0, 37, colors.Of(37), strong)
			b.points()
			b.moves()
			b.filters(colors)
			b.selects(colors)
			b.recolors(colors)
		})
	}
}

// points looks at what is shown of a sample where the mouse is.
func (b *browser) points() {
	b.T.Helper()
	at := b.place(0, 44)
	b.mouse("mouseMoved", at[0]+2, at[1], nil)
	b.drawn()
	if tip := value[string](b, "tip.innerText"); !strings.HasPrefix(strings.TrimSpace(tip), "sample-44\nclass 19\ntorn 44") || value[int](b, `tip.querySelector("canvas").width`) != 6 {
		b.T.Errorf("pointing shows %q", tip)
	}
	mid := b.place(0, 47)
	got := b.Screen().At(int(at[0]*0.5+mid[0]*0.5), int(mid[1]))
	if r, _, _, _ := got.RGBA(); r > 0x8000 {
		b.T.Errorf("the line to the neighbour is %v", got)
	}
	b.mouse("mouseMoved", 3, 3, nil)
	b.drawn()
	if value[string](b, "tip.style.display") != "none" {
		b.T.Error("the tip stays")
	}
}

// moves zooms and moves by the wheel, by dragging, by keys and by buttons.
func (b *browser) moves() {
	b.T.Helper()
	zoom := func() float64 { return value[float64](b, "maps[0].zoom") }
	at := b.place(0, 44)
	b.mouse("mouseWheel", at[0], at[1], map[string]any{"deltaX": 0, "deltaY": -300})
	b.Wait("maps[0].zoom > 1.1")
	b.drawn()
	if now := b.place(0, 44); math.Hypot(now[0]-at[0], now[1]-at[1]) > 1 {
		b.T.Errorf("zooming moves what is below the pointer from %v to %v", at, now)
	}
	b.drag(left, [2]float64{300, 300}, [2]float64{330, 300}, [2]float64{350, 310})
	if now := b.place(0, 44); math.Abs(now[0]-at[0]-50) > 1 || math.Abs(now[1]-at[1]-10) > 1 {
		b.T.Errorf("dragging by 50 and 10 moves from %v to %v", at, now)
	}
	value[bool](b, "(maps[0].canvas.focus(), true)")
	before := b.place(0, 44)
	b.press("ArrowLeft", 37, 0)
	if now := b.place(0, 44); now[0] < before[0]+20 {
		b.T.Errorf("the left arrow moves from %v to %v", before, now)
	}
	b.press("0", 48, 0)
	if zoom() != 1 {
		b.T.Errorf("0 leaves the zoom at %v", zoom())
	}
	b.press("+", 187, 8)
	b.click(`document.querySelector(".zoom button")`, 1, left)
	if zoom() < 2 {
		b.T.Errorf("a key and a button zoom to %v", zoom())
	}
	b.click(`document.querySelectorAll(".zoom button")[2]`, 1, left)
	value[bool](b, "(maps[0].canvas.focus(), true)")
	b.press(".", 190, 0)
	b.press("Enter", 13, 0)
	if value[int](b, "pickedCount") != 1 || value[int](b, "pointed") < 0 {
		b.T.Error("a full stop and enter select nothing")
	}
	b.press("Escape", 27, 0)
	if value[int](b, "pickedCount") != 0 || value[int](b, "pointed") >= 0 {
		b.T.Error("escape ends nothing")
	}
}

// filters shows and hides classes.
func (b *browser) filters(colors *draw.Coloring) {
	b.T.Helper()
	const entry = `document.querySelectorAll("#key [data-class]")`
	if value[int](b, entry+".length") != 25 {
		b.T.Errorf("%v classes are listed", value[int](b, entry+".length"))
	}
	b.click(entry+"[12]", 1, left)
	b.looks(0, 37, draw.Gap, weak)
	b.looks(0, 38, colors.Of(38), strong)
	b.click(entry+"[12]", 1, left)
	b.looks(0, 37, colors.Of(37), strong)
	b.click(entry+"[13]", 2, left)
	b.looks(0, 37, draw.Gap, weak)
	b.looks(0, 38, colors.Of(38), strong)
	b.click(entry+"[12]", 1, shiftLeft)
	b.looks(0, 37, colors.Of(37), strong)
	b.looks(0, 38, draw.Gap, weak)
	b.click(`document.querySelector("#key .some button")`, 1, left) // all
	b.click(`document.querySelector("#key input")`, 1, left)
	b.press("4", 52, 0)
	b.press("Enter", 13, 0)
	if found := value[string](b, `[...`+entry+`].map(b => b.title).join()`); found != "4,14,24" {
		b.T.Errorf("a search finds the classes %s", found)
	}
	b.looks(0, 39, colors.Of(39), strong) // class 14
	b.looks(0, 38, draw.Gap, weak)
	b.click(`byId("reset")`, 1, left)
	b.looks(0, 38, colors.Of(38), strong)
}

// selects selects by lasso and box, and saves the ids.
func (b *browser) selects(colors *draw.Coloring) {
	b.T.Helper()
	p, q := b.place(0, 22), b.place(0, 55)
	x1, y1, x2, y2 := p[0]-20, p[1]+20, q[0]+20, q[1]-20
	b.drag(shiftLeft, [2]float64{x1, y1}, [2]float64{x2, y1}, [2]float64{x2, y2}, [2]float64{x1, y2})
	if value[int](b, "pickedCount") != 16 || value[string](b, `byId("count").textContent`) != "16 samples selected" {
		b.T.Errorf("the lasso selects %d", value[int](b, "pickedCount"))
	}
	b.looks(0, 33, colors.Of(33), strong)
	b.looks(0, 36, draw.Gap, weak)
	for ending, want := range map[string]string{"txt": "sample-22\nsample-23\n", "csv": "id,class,torn\nsample-22,22,21.8\n"} {
		b.click(`[...document.querySelectorAll("#selection .tools button")].find(b => b.textContent === ".`+ending+`")`, 1, left)
		saved := filepath.Join(b.Folder, "selection."+ending)
		var text []byte
		for range 200 {
			if text, _ = os.ReadFile(saved); len(text) > 0 {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		if !strings.HasPrefix(string(text), want) {
			b.T.Errorf("the selection is saved as %q", text)
		}
	}
	b.click(`document.querySelector("[data-mode=box]")`, 1, left)
	b.drag(left, [2]float64{x1, y1}, [2]float64{(p[0] + x2) / 2, (p[1] + y2) / 2}, [2]float64{p[0] + 20, p[1] - 20})
	if got := value[string](b, "ids()"); got != "sample-22" {
		b.T.Errorf("the box selects %q", got)
	}
	b.click(`document.querySelector("[data-mode=move]")`, 1, left)
	b.press("Escape", 27, 0)
	b.looks(0, 36, colors.Of(36), strong)
}

// recolors colours by values in place of classes, and makes the page dark.
func (b *browser) recolors(colors *draw.Coloring) {
	b.T.Helper()
	b.click(`byId("by")`, 1, left)
	b.press("Escape", 27, 0)
	b.press("ArrowDown", 40, 0)
	b.Wait("colored === 0")
	b.drawn()
	ramp := draw.ByValues([]float64{0, 99})
	b.looks(0, 99, ramp.Shade(1), strong)
	b.looks(0, 50, ramp.Shade(50./99), strong)
	b.looks(0, 3, draw.Gap, strong)
	if key := value[string](b, `byId("key").innerText`); !strings.Contains(key, noValue) {
		b.T.Errorf("the key says nothing of gaps: %q", key)
	}
	r, _, _, _ := b.Screen().At(2, 2).RGBA()
	b.click(`byId("theme")`, 1, left)
	if dark, _, _, _ := b.Screen().At(2, 2).RGBA(); r < 0xf000 || dark > 0x4000 {
		b.T.Errorf("the page is %x, and dark %x", r, dark)
	}
}

// Three coordinates turn, of five any can be shown, and what does not move is drawn.
func TestHTMLTurns(t *testing.T) {
	b := open(t, htmlOf(t, manyKinds()), chromium.Window{Width: 1000, Height: 900})
	defer b.Sound()
	if maps, drawn := value[int](b, "maps.length"), value[int](b, `document.querySelectorAll(".drawn svg").length`); maps != 3 || drawn != 2 {
		t.Errorf("%d maps and %d drawings", maps, drawn)
	}
	before, corner := b.place(1, 3), value[[2]float64](b, `(r => [r.left, r.top])(maps[1].canvas.getBoundingClientRect())`)
	b.drag(left, [2]float64{corner[0] + 50, corner[1] + 50}, [2]float64{corner[0] + 150, corner[1] + 80})
	if now := b.place(1, 3); math.Hypot(now[0]-before[0], now[1]-before[1]) < 2 {
		t.Errorf("turning leaves a sample at %v", now)
	}
	if dot := value[float64](b, "maps[1].right.reduce((s, v, k) => s + v * maps[1].up[k], 0)"); math.Abs(dot) > 1e-9 {
		t.Errorf("after turning, right and up have the product %v", dot)
	}
	before = b.place(2, 3)
	value[bool](b, `(s => { s[1].value = 4; s[1].onchange(); return true; })(document.querySelectorAll(".axes select"))`)
	b.drawn()
	if now := b.place(2, 3); now == before {
		t.Error("another coordinate leaves a sample where it was")
	}
	value[bool](b, `(s => { s[2].value = 2; s[2].onchange(); return true; })(document.querySelectorAll(".axes select"))`)
	b.drawn()
	if !value[bool](b, "maps[1].space && maps[2].space") {
		t.Error("three coordinates are no space")
	}
	at := b.place(1, 3)
	b.mouse("mouseMoved", at[0], at[1], nil)
	b.drawn()
	if tip := strings.TrimSpace(value[string](b, "tip.innerText")); !strings.HasPrefix(tip, fmt.Sprintf("%d\nvalue ", value[int](b, "pointed")+1)) {
		t.Errorf("row %d, counting from 0, is shown as %q", value[int](b, "pointed"), tip)
	}
	words := value[[]string](b, `(() => { const said = [], write = CanvasRenderingContext2D.prototype.fillText; CanvasRenderingContext2D.prototype.fillText = function(text, ...at) { said.push(text); write.call(this, text, ...at); }; maps[1].base = true; maps[1].drawBase(200); return said; })()`)
	names, marks := 0, 0
	for _, word := range words {
		if strings.HasPrefix(word, "coordinate ") {
			names++
		} else if _, err := strconv.ParseFloat(word, 64); err == nil {
			marks++
		}
	}
	if names != 3 || marks < 8 || marks > 30 {
		t.Errorf("the space has %d names and %d ticks", names, marks)
	}
}

// Several maps share what is pointed at and what is selected.
func TestHTMLLinks(t *testing.T) {
	page := lattice(t)
	first := page.Panels[0].(*Scatter)
	first.Small, first.Title = true, "one"
	second := *first
	second.Title, second.Y = "two", mat.DenseCopyOf(first.Y)
	second.Y.Scale(-1, first.Y)
	page.Panels = append(page.Panels, &second)
	b := open(t, htmlOf(t, page), chromium.Window{Width: 1000, Height: 600})
	defer b.Sound()
	b.click(`byId("labels")`, 1, left)
	at := b.place(0, 44)
	b.mouse("mouseMoved", at[0], at[1], nil)
	b.drawn()
	ring := b.place(1, 44)
	r := value[float64](b, "maps[1].radius()") + 3
	if red, _, _, _ := b.Screen().At(int(ring[0]), int(ring[1]+r)).RGBA(); red > 0x9000 {
		t.Errorf("the sample is not ringed in the other map: %x", red)
	}
	b.drag(shiftLeft, [2]float64{at[0] - 8, at[1] - 8}, [2]float64{at[0] + 8, at[1] - 8}, [2]float64{at[0] + 8, at[1] + 8}, [2]float64{at[0] - 8, at[1] + 8})
	b.mouse("mouseMoved", 2, 2, nil)
	b.drawn()
	if value[int](b, "pickedCount") != 1 {
		t.Errorf("%d samples are selected", value[int](b, "pickedCount"))
	}
	b.looks(1, 44, first.Colors.Of(44), strong)
	b.looks(1, 45, draw.Gap, weak)
}

// Maps with groups and values of their own are coloured by these, on one scale; the neighbours of a sample are shown in all of them, and a
// click on a group of one selects its samples in all.
func TestHTMLPanelsDiffer(t *testing.T) {
	page := lattice(t)
	first := page.Panels[0].(*Scatter)
	first.Title, first.Small, first.Groups = "one  ·  0.9", true, first.Colors
	second := *first
	second.Title, second.Y, second.Neighbors = "two", mat.DenseCopyOf(first.Y), nil
	second.Y.Scale(-1, first.Y)
	halves, quarters, other := make([]int64, 100), make([]int64, 100), make([]float64, 100)
	for i := range 100 {
		halves[i], quarters[i], other[i] = int64(i/50), int64(i/25)-1, float64(2*i)
	}
	first.Colors, second.Colors, second.Colorings = ByClasses(halves, nil), ByClasses(quarters, nil), []Coloring{{"torn", other}, {"unstable", other}}
	page.Panels, page.Columns = append(page.Panels, &second), 2
	b := open(t, htmlOf(t, page), chromium.Window{Width: 1000, Height: 500})
	defer b.Sound()
	b.click(`byId("labels")`, 1, left)
	b.looks(0, 60, first.Colors.Of(60), strong)
	b.looks(1, 60, second.Colors.Of(60), strong)
	b.looks(1, 10, draw.Gap, strong) // in no group
	b.click(`document.querySelector("[data-group='1/2']")`, 1, left)
	if picked := value[int](b, "pickedCount"); picked != 25 {
		t.Errorf("a click on a group selects %d samples", picked)
	}
	b.looks(0, 60, first.Colors.Of(60), strong)
	b.looks(0, 80, draw.Gap, weak)
	if head := value[string](b, "table().split(`\n`)[0]"); head != "id,class,group one,group two,torn one,torn two,unstable one,unstable two" {
		t.Errorf("the table of the selection has the columns %s", head)
	}
	b.press("Escape", 27, 0)
	value[bool](b, `(s => { s.value = 0; s.onchange(); return true; })(byId("by"))`)
	b.drawn()
	ramp := draw.ByValues([]float64{0, 198})
	b.looks(0, 60, ramp.Shade(60./198), strong)
	b.looks(1, 60, ramp.Shade(120./198), strong)
	at := b.place(0, 44)
	b.mouse("mouseMoved", at[0], at[1], nil)
	b.drawn()
	if tip := value[string](b, "tip.innerText"); !strings.Contains(tip, "one: 0\ntwo: 0\ntorn 43.7 · 88.1\nunstable – · 88.1") {
		t.Errorf("pointing shows %q", tip)
	}
	value[bool](b, `(tip.style.display = "none", true)`) // it may hide a line
	for m := range 2 {
		from, to := b.place(m, 44), b.place(m, 47)
		if r, _, _, _ := b.Screen().At(int(from[0]*0.5+to[0]*0.5), int(to[1])).RGBA(); r > 0x8000 {
			t.Errorf("map %d: the line to the neighbour is %x", m, r)
		}
	}
	second.Y = grains(99, 2)
	must.Refuse(t, `"two" has 99 samples, and the first panel 100`)(page.Write(&bytes.Buffer{}, ".html"))
}

// On a telephone nothing is wider than the screen, two fingers zoom, and one points; a dark system has a dark page.
func TestHTMLOnTelephones(t *testing.T) {
	b := open(t, htmlOf(t, lattice(t)), chromium.Window{Width: 390, Height: 844, Phone: true, Dark: true})
	defer b.Sound()
	if wide := value[int](b, "document.documentElement.scrollWidth"); wide > 390 {
		t.Errorf("the page is %d wide", wide)
	}
	if w := value[float64](b, "maps[0].w"); w < 330 {
		t.Errorf("the map is %v wide", w)
	}
	at := b.place(0, 44)
	touch := func(kind string, points ...[2]float64) {
		list := []any{}
		for k, p := range points {
			list = append(list, map[string]any{"x": p[0], "y": p[1], "id": k})
		}
		b.Do("Input.dispatchTouchEvent", map[string]any{"type": kind, "touchPoints": list})
	}
	touch("touchStart", at)
	touch("touchEnd")
	b.drawn()
	if pointed := value[int](b, "pointed"); pointed != 44 {
		t.Errorf("a tap points at %d", pointed)
	}
	x, y := at[0], at[1]
	touch("touchStart", [2]float64{x - 20, y}, [2]float64{x + 20, y})
	touch("touchMove", [2]float64{x - 40, y}, [2]float64{x + 40, y})
	touch("touchMove", [2]float64{x - 60, y}, [2]float64{x + 60, y})
	touch("touchEnd")
	b.drawn()
	if zoom := value[float64](b, "maps[0].zoom"); zoom < 1.5 {
		t.Errorf("two fingers zoom to %v", zoom)
	}
	if r, _, _, _ := b.Screen().At(2, 2).RGBA(); r > 0x4000 {
		t.Errorf("the page is not dark: %x", r)
	}
}

// A sample of a map takes at most 25 bytes: coordinates, class, value and four colourings.
func TestHTMLIsSmall(t *testing.T) {
	size := func(n int) int {
		labels, colors := make([]int64, n), draw.ByValues(mat.Col(nil, 0, grains(n, 1)))
		for i := range labels {
			labels[i] = int64(i % 100)
		}
		s := &Scatter{Y: grains(n, 2), Colors: colors, Groups: ByClasses(labels, nil)}
		for _, name := range []string{"torn", "invented", "unstable", "density"} {
			s.Colorings = append(s.Colorings, Coloring{name, colors.Values})
		}
		return len(htmlOf(t, &Page{Panels: []Panel{s}}))
	}
	if each := float64(size(20000)-size(10000)) / 10000; each > 25 {
		t.Errorf("a sample takes %v bytes", each)
	}
}

// Values are on the page as they are, or as codes; those that are not finite are gaps.
func TestHTMLHoldsValues(t *testing.T) {
	v := valuesOf("exact", draw.ByValues([]float64{30.5, math.NaN(), 22}), true)
	raw := must.Get(base64.StdEncoding.DecodeString(v.Exact))(t)
	if first, second := math.Float32frombits(binary.LittleEndian.Uint32(raw)), math.Float32frombits(binary.LittleEndian.Uint32(raw[4:])); first != 30.5 || second == second || v.Low != 22 || v.High != 30.5 {
		t.Errorf("%v and %v, from %v to %v", first, second, v.Low, v.High)
	}
	for _, c := range []struct {
		values []float64
		want   []byte
	}{{[]float64{1, 3, 2, math.NaN(), math.Inf(1)}, []byte{0, 254, 127, 255, 255}}, {[]float64{4, 4, math.NaN()}, []byte{127, 127, 255}}} {
		if got := must.Get(base64.StdEncoding.DecodeString(valuesOf("coded", draw.ByValues(finiteOf(c.values)), false).Coded))(t); !bytes.Equal(got, c.want) {
			t.Errorf("%v is coded as %v, want %v", c.values, got, c.want)
		}
	}
	s := &Scatter{Y: grains(4, 2), Colorings: []Coloring{{"short", []float64{1, 2}}}}
	must.Refuse(t, `"short" has 2 values for 4 samples`)((&Page{Panels: []Panel{s}}).Write(&bytes.Buffer{}, ".html"))
}

// BenchmarkMillion draws a million samples, and reports the time of a whole frame, that of one while a hand moves the map, and the size of the page.
func BenchmarkMillion(b *testing.B) {
	const n = 1_000_000
	random := rand.New(rand.NewPCG(1, 1))
	y, labels := mat.NewDense(n, 2, nil), make([]int64, n)
	for i := range n {
		labels[i] = int64(i % 100)
		y.SetRow(i, []float64{float64(i%10) + 0.3*random.NormFloat64(), float64(i/10%10) + 0.3*random.NormFloat64()})
	}
	text := htmlOf(b, &Page{Panels: []Panel{&Scatter{Y: y, Colors: ByClasses(labels, nil), Colorings: []Coloring{{"x", mat.Col(nil, 0, y)}}}}})
	p := open(b, text, chromium.Window{Width: 1100, Height: 800})
	b.Logf("drawn by %s", value[string](p, "painter.constructor.name"))
	for b.Loop() {
		b.ReportMetric(value[float64](p, `(() => { const began = performance.now(); maps[0].base = true; maps[0].drawBase(maps[0].order.length); painter.wait(); return performance.now() - began; })()`), "ms/whole")
		b.ReportMetric(value[float64](p, `new Promise(done => { let k = 0, began; const go = () => { if (k === 20) began = performance.now(); if (k++ === 60) return done((performance.now() - began) / 40); maps[0].zoomBy(1.01, 400, 300); requestAnimationFrame(go); }; go(); })`), "ms/frame")
		b.ReportMetric(value[float64](p, "budget"), "moving")
	}
	b.ReportMetric(float64(len(text))/n, "bytes/sample")
}
