package picture

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/orthant-go/orthant/internal/chromium"
	"github.com/orthant-go/orthant/internal/must"
)

// browser is a Chromium that shows one page of this package.
type browser struct{ *chromium.Browser }

// open shows the text of a page in a browser, and returns when it is drawn.
func open(t testing.TB, text string, w chromium.Window) *browser {
	t.Helper()
	b := &browser{chromium.Start(t, w)}
	file := filepath.Join(b.Folder, "page.html")
	must.Do(t, os.WriteFile(file, []byte(text), 0o666))
	b.Open(file)
	b.Wait("document.body && document.body.dataset.ready")
	b.drawn()
	return b
}

// value is that of an expression in the page, which may be a promise.
func value[T any](b *browser, expression string) T {
	b.T.Helper()
	return chromium.Value[T](b.Browser, expression)
}

// drawn returns when all that has changed is on the screen.
func (b *browser) drawn() {
	b.T.Helper()
	b.Wait("!moving && !waiting")
	value[bool](b, "new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(true))))")
}

// mouse does something with the mouse at a place of the window; more has buttons, modifiers and the like.
func (b *browser) mouse(kind string, x, y float64, more map[string]any) {
	b.T.Helper()
	params := map[string]any{"type": kind, "x": x, "y": y}
	for name, v := range more {
		params[name] = v
	}
	b.Do("Input.dispatchMouseEvent", params)
}

var (
	left      = map[string]any{"button": "left", "buttons": 1, "clickCount": 1}
	shiftLeft = map[string]any{"button": "left", "buttons": 1, "clickCount": 1, "modifiers": 8}
)

// drag moves the mouse along a path with a button held.
func (b *browser) drag(how map[string]any, path ...[2]float64) {
	b.T.Helper()
	b.mouse("mousePressed", path[0][0], path[0][1], how)
	for _, at := range path[1:] {
		b.mouse("mouseMoved", at[0], at[1], how)
	}
	end := path[len(path)-1]
	b.mouse("mouseReleased", end[0], end[1], how)
	b.drawn()
}

// click clicks on the middle of an element, once or more.
func (b *browser) click(element string, times int, how map[string]any) {
	b.T.Helper()
	at := value[[]float64](b, "(e => { e.scrollIntoView({block: 'nearest'}); const r = e.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; })("+element+")")
	for k := range times {
		params := map[string]any{}
		for name, v := range how {
			params[name] = v
		}
		params["clickCount"] = k + 1
		b.mouse("mousePressed", at[0], at[1], params)
		b.mouse("mouseReleased", at[0], at[1], params)
	}
	b.drawn()
}

// press presses a key.
func (b *browser) press(key string, code int, modifiers int) {
	b.T.Helper()
	down := map[string]any{"type": "keyDown", "key": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
	if len(key) == 1 {
		down["text"] = key
	}
	if key == "Enter" {
		down["text"] = "\r"
	}
	b.Do("Input.dispatchKeyEvent", down)
	b.Do("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key, "windowsVirtualKeyCode": code, "modifiers": modifiers})
	b.drawn()
}

// place is where sample i of a map is in the window.
func (b *browser) place(m, i int) [2]float64 {
	b.T.Helper()
	return value[[2]float64](b, fmt.Sprintf("(() => { const p = maps[%d], b = p.canvas.getBoundingClientRect(), [x, y] = p.where(%d); return [b.left + x, b.top + y]; })()", m, i))
}
