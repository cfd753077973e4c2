package picture

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/draw"
	"github.com/orthant-go/orthant/internal/must"
)

// htmlOf is the text of a page.
func htmlOf(t *testing.T, page *Page) string {
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
		if found := regexp.MustCompile(`(?i)(https?:)?//[\w.]+\.\w|@import|<link|\bsrc=|url\(`).FindString(text); found != "" {
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

// inChromium opens a page, has a script of the test act on it, and returns what that leaves and
// what the console has heard.
func inChromium(t *testing.T, page *Page, script string) (result map[string]any, console string) {
	t.Helper()
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("there is no chromium here: whether the page runs is not looked at")
	}
	// Under virtual time frames come when they like; a timer comes before one that is set after it.
	const watch = `<script>window.problems=[];window.requestAnimationFrame=f=>setTimeout(f,0);addEventListener("error",e=>problems.push(e.message));addEventListener("unhandledrejection",e=>problems.push(String(e.reason)))</script>`
	text := strings.Replace(htmlOf(t, page), "<style>", watch+"<style>", 1)
	text = strings.Replace(text, "</html>", `<script>(async()=>{const result={};try{`+script+`}catch(e){problems.push(String(e))}
result.problems=problems;document.body.dataset.result=JSON.stringify(result)})()</script></html>`, 1)
	dir := t.TempDir()
	path := filepath.Join(dir, "page.html")
	must.Do(t, os.WriteFile(path, []byte(text), 0o666))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for range 3 { // a busy machine may end a page before its script has ended
		var out, heard bytes.Buffer
		cmd := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
			"--disable-component-update", "--disable-sync", "--user-data-dir="+filepath.Join(dir, "profile"), "--enable-logging=stderr", "--window-size=1000,800",
			"--virtual-time-budget=4000", "--dump-dom", "file://"+path)
		cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &heard, 10*time.Second
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v: %s", err, heard.String())
		}
		for _, line := range strings.Split(heard.String(), "\n") {
			if strings.Contains(line, "CONSOLE") {
				console += line + "\n"
			}
		}
		_, after, _ := strings.Cut(out.String(), `data-result="`)
		if text, _, _ = strings.Cut(after, `"`); text != "" || console != "" {
			break
		}
	}
	if err := json.Unmarshal([]byte(html.UnescapeString(text)), &result); err != nil {
		t.Fatalf("%v: the script left %q; the console: %s", err, text, console)
	}
	return result, console
}

// helpers of the scripts: where a sample is, and what a hand does.
const hand = `
const on=(p,x,y)=>{const b=p.canvas.getBoundingClientRect();return {clientX:b.left+x,clientY:b.top+y,pointerId:1,bubbles:true}};
const does=(p,kind,x,y,more)=>p.canvas.dispatchEvent(new PointerEvent(kind,{...on(p,x,y),...more}));
const frame=()=>new Promise(r=>setTimeout(r,20));
`

// The page runs without an error: one points at a sample, zooms, moves, selects, and looks at
// the classes beyond the fortieth.
func TestHTMLRuns(t *testing.T) {
	result, console := inChromium(t, fiftyClasses(t), hand+`
const p=panels[0];
does(p,"pointermove",p.sx[7],p.sy[7]);
result.tip=byId("tip").innerText; result.image=byId("tip").querySelector("canvas").width; result.pointed=pointed;
const before=p.zoom; p.canvas.dispatchEvent(new WheelEvent("wheel",{...on(p,200,200),deltaY:-300,cancelable:true})); result.zoomed=p.zoom/before;
await frame();
const x=p.sx[7]; does(p,"pointerdown",100,100); does(p,"pointermove",130,100); does(p,"pointerup",130,100); await frame(); result.moved=p.sx[7]-x;
byId("reset").click(); await frame();
const [l,r,u,d]=[p.left-5,p.w,0,p.h]; byId("lasso").click();
does(p,"pointerdown",l,u); does(p,"pointermove",r,u); does(p,"pointermove",r,d); does(p,"pointermove",l,d); does(p,"pointerup",l,d); await frame();
result.picked=picked.size; result.status=byId("status").textContent;
result.named=byId("key").querySelectorAll("button").length; byId("key").querySelector(".more").click(); result.all=byId("key").querySelectorAll("button").length;
byId("key").querySelectorAll("button")[2].click(); result.chosen=[...chosen]; await frame();
let ink=0; const c=p.canvas.getContext("2d").getImageData(0,0,p.canvas.width,p.canvas.height).data; for(let i=3;i<c.length;i+=4)if(c[i]>0)ink++; result.ink=ink;
`)
	t.Log(result)
	if console != "" || len(result["problems"].([]any)) > 0 {
		t.Errorf("the console: %s%v", console, result["problems"])
	}
	tip, _ := result["tip"].(string)
	if !strings.HasPrefix(strings.TrimSpace(tip), fmt.Sprintf("sample-%v", result["pointed"])) || !strings.Contains(tip, "class ") || result["image"] != 6. {
		t.Errorf("pointing shows %q and an image %v wide", tip, result["image"])
	}
	if result["zoomed"].(float64) <= 1.1 || result["moved"].(float64) < 29 || result["moved"].(float64) > 31 {
		t.Errorf("zoomed by %v, moved by %v", result["zoomed"], result["moved"])
	}
	if status, _ := result["status"].(string); result["picked"] != 200. || !strings.Contains(status, "200 samples selected") || !strings.Contains(status, "sample-0, sample-1,") {
		t.Errorf("selected %v: %q", result["picked"], status)
	}
	if result["named"] != 41. || result["all"] != 50. || fmt.Sprint(result["chosen"]) != "[2]" || result["ink"].(float64) < 1000 {
		t.Errorf("key %v then %v, chosen %v, %v pixels", result["named"], result["all"], result["chosen"], result["ink"])
	}
}

// Three coordinates turn, of five any can be shown, and what does not move is drawn.
func TestHTMLTurns(t *testing.T) {
	result, console := inChromium(t, manyKinds(), hand+`
result.panels=panels.length; result.drawn=document.querySelectorAll(".drawn svg").length;
const p=panels[1]; result.space=p.space; const x=p.sx[3];
does(p,"pointerdown",50,50,{button:0}); does(p,"pointermove",150,80,{button:0}); does(p,"pointerup",150,80); await frame();
result.turned=Math.abs(p.sx[3]-x); const dot=p.right[0]*p.up[0]+p.right[1]*p.up[1]+p.right[2]*p.up[2]; result.square=Math.abs(dot);
const q=panels[2], s=q.canvas.parentNode.parentNode.querySelectorAll("select"), y=q.sy[3];
s[1].value=4; s[1].onchange(); result.chosen=Math.abs(q.sy[3]-y); s[2].value=2; s[2].onchange(); result.deep=q.space;
does(p,"pointermove",p.sx[3],p.sy[3]); result.tip=byId("tip").innerText; result.pointed=pointed;
const write=CanvasRenderingContext2D.prototype.fillText, said=[]; CanvasRenderingContext2D.prototype.fillText=function(text,...at){said.push(text);write.call(this,text,...at)};
p.draw(); result.names=said.filter(t=>t.startsWith("coordinate ")).length; result.ticks=said.filter(t=>t.trim()!==""&&isFinite(t)).length;
`)
	t.Log(result)
	if console != "" || len(result["problems"].([]any)) > 0 {
		t.Errorf("the console: %s%v", console, result["problems"])
	}
	if result["panels"] != 3. || result["drawn"] != 2. || result["space"] != true || result["deep"] != true {
		t.Errorf("%v", result)
	}
	if result["turned"].(float64) < 2 || result["square"].(float64) > 1e-9 || result["chosen"].(float64) == 0 || !strings.Contains(result["tip"].(string), "value ") {
		t.Errorf("%v", result)
	}
	if pointed, _ := result["pointed"].(float64); !strings.HasPrefix(strings.TrimSpace(result["tip"].(string)), fmt.Sprintf("%v\n", pointed+1)) {
		t.Errorf("row %v, counting from 0, is shown as %q", pointed, result["tip"])
	}
	if ticks, _ := result["ticks"].(float64); result["names"] != 3. || ticks < 8 || ticks > 30 {
		t.Errorf("the space has %v names and %v ticks", result["names"], ticks)
	}
}
