package picture

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/orthant-go/orthant/internal/must"
)

// browser is a headless Chromium that shows one page. It is driven through a pipe, by the DevTools protocol: messages are JSON,
// and each ends with a zero byte.
type browser struct {
	t        testing.TB
	to       *os.File
	session  string
	folder   string // of what it downloads
	last     int
	mu       sync.Mutex
	waiting  map[int]chan answer
	problems []string // what the page has thrown or written to the console
}

type answer struct {
	Result json.RawMessage
	Error  *struct{ Message string }
}

// window is how a browser is to show a page.
type window struct {
	width, height int
	dark, phone   bool
	noGL          bool
}

// open shows the text of a page in a browser, and returns when it is drawn.
func open(t testing.TB, text string, w window) *browser {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("there is no chromium here: the page is not looked at")
	}
	b := &browser{t: t, folder: t.TempDir(), waiting: map[int]chan answer{}}
	file := filepath.Join(b.folder, "page.html")
	must.Do(t, os.WriteFile(file, []byte(text), 0o666))
	in, to := must.Two(os.Pipe())(t)
	from, out := must.Two(os.Pipe())(t)
	b.to = to
	flags := []string{"--headless", "--no-sandbox", "--remote-debugging-pipe", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
		"--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars", "--user-data-dir=" + t.TempDir(), fmt.Sprintf("--window-size=%d,%d", w.width, w.height)}
	if w.noGL {
		flags = append(flags, "--disable-gpu", "--disable-3d-apis")
	} else {
		flags = append(flags, "--enable-unsafe-swiftshader", "--use-gl=angle", "--use-angle=swiftshader")
	}
	cmd := exec.Command(path, append(flags, "about:blank")...)
	cmd.ExtraFiles = []*os.File{in, out}
	must.Do(t, cmd.Start())
	in.Close()
	out.Close()
	go b.listen(from)
	t.Cleanup(func() {
		_, _ = to.WriteString(`{"id": 0, "method": "Browser.close"}` + "\x00")
		to.Close() // either ends it
		late := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		late.Stop()
	})

	var made struct{ TargetID, SessionID string }
	b.call("", "Target.createTarget", map[string]any{"url": "about:blank"}, &made)
	b.call("", "Target.attachToTarget", map[string]any{"targetId": made.TargetID, "flatten": true}, &made)
	b.session = made.SessionID
	b.do("Browser.setDownloadBehavior", map[string]any{"behavior": "allow", "downloadPath": b.folder})
	b.do("Emulation.setDeviceMetricsOverride", map[string]any{"width": w.width, "height": w.height, "deviceScaleFactor": 1, "mobile": w.phone})
	theme := "light"
	if w.dark {
		theme = "dark"
	}
	b.do("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": theme}}})
	b.do("Page.enable", nil)
	b.do("Runtime.enable", nil)
	b.do("Page.navigate", map[string]any{"url": "file://" + file})
	b.wait("document.body && document.body.dataset.ready")
	b.drawn()
	return b
}

// listen gives answers to those who wait, and keeps what goes wrong in the page.
func (b *browser) listen(from *os.File) {
	lines := bufio.NewReaderSize(from, 1<<20)
	for {
		text, err := lines.ReadBytes(0)
		if err != nil {
			return
		}
		var m struct {
			ID     int
			Method string
			Params json.RawMessage
			answer
		}
		if json.Unmarshal(text[:len(text)-1], &m) != nil {
			continue
		}
		b.mu.Lock()
		if m.Method == "Runtime.exceptionThrown" || m.Method == "Runtime.consoleAPICalled" {
			b.problems = append(b.problems, string(m.Params))
		}
		if c := b.waiting[m.ID]; c != nil {
			c <- m.answer
			delete(b.waiting, m.ID)
		}
		b.mu.Unlock()
	}
}

// call sends a command and takes its result.
func (b *browser) call(session, method string, params any, result any) {
	b.t.Helper()
	b.last++
	message := map[string]any{"id": b.last, "method": method}
	if params != nil {
		message["params"] = params
	}
	if session != "" {
		message["sessionId"] = session
	}
	c := make(chan answer, 1)
	b.mu.Lock()
	b.waiting[b.last] = c
	b.mu.Unlock()
	if _, err := b.to.Write(append(must.Get(json.Marshal(message))(b.t), 0)); err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	select {
	case a := <-c:
		if a.Error != nil {
			b.t.Fatalf("%s: %s", method, a.Error.Message)
		}
		if result != nil {
			must.Do(b.t, json.Unmarshal(a.Result, result))
		}
	case <-time.After(2 * time.Minute):
		b.t.Fatalf("%s: the browser does not answer", method)
	}
}

func (b *browser) do(method string, params any) {
	b.t.Helper()
	b.call(b.session, method, params, nil)
}

// value is that of an expression in the page, which may be a promise.
func value[T any](b *browser, expression string) (v T) {
	b.t.Helper()
	var found struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct{ Exception struct{ Description string } }
	}
	b.call(b.session, "Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &found)
	if found.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, found.ExceptionDetails.Exception.Description)
	}
	if found.Result.Value != nil {
		if err := json.Unmarshal(found.Result.Value, &v); err != nil {
			b.t.Fatalf("%s is %s: %v", expression, found.Result.Value, err)
		}
	}
	return v
}

// wait returns when an expression is true.
func (b *browser) wait(expression string) {
	b.t.Helper()
	for range 600 {
		if value[bool](b, "!!("+expression+")") {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.t.Fatalf("%s stays false", expression)
}

// drawn returns when all that has changed is on the screen.
func (b *browser) drawn() {
	b.t.Helper()
	b.wait("!moving && !waiting")
	value[bool](b, "new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(true))))")
}

// mouse does something with the mouse at a place of the window; more has buttons, modifiers and the like.
func (b *browser) mouse(kind string, x, y float64, more map[string]any) {
	b.t.Helper()
	params := map[string]any{"type": kind, "x": x, "y": y}
	for name, v := range more {
		params[name] = v
	}
	b.do("Input.dispatchMouseEvent", params)
}

var (
	left      = map[string]any{"button": "left", "buttons": 1, "clickCount": 1}
	shiftLeft = map[string]any{"button": "left", "buttons": 1, "clickCount": 1, "modifiers": 8}
)

// drag moves the mouse along a path with a button held.
func (b *browser) drag(how map[string]any, path ...[2]float64) {
	b.t.Helper()
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
	b.t.Helper()
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
	b.t.Helper()
	down := map[string]any{"type": "keyDown", "key": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
	if len(key) == 1 {
		down["text"] = key
	}
	if key == "Enter" {
		down["text"] = "\r"
	}
	b.do("Input.dispatchKeyEvent", down)
	b.do("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key, "windowsVirtualKeyCode": code, "modifiers": modifiers})
	b.drawn()
}

// screen is what the window shows.
func (b *browser) screen() image.Image {
	b.t.Helper()
	var shot struct{ Data string }
	b.call(b.session, "Page.captureScreenshot", map[string]any{"format": "png"}, &shot)
	return must.Get(png.Decode(bytes.NewReader(must.Get(base64.StdEncoding.DecodeString(shot.Data))(b.t))))(b.t)
}

// place is where sample i of a map is in the window.
func (b *browser) place(m, i int) [2]float64 {
	b.t.Helper()
	return value[[2]float64](b, fmt.Sprintf("(() => { const p = maps[%d], b = p.canvas.getBoundingClientRect(), [x, y] = p.where(%d); return [b.left + x, b.top + y]; })()", m, i))
}

// sound fails the test for what the page has thrown or written to the console.
func (b *browser) sound() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, text := range b.problems {
		b.t.Errorf("the page: %s", text)
	}
}
