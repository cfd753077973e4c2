// Package chromium shows pages in a headless Chromium, for the tests of what this module writes for browsers. It drives it through a
// pipe, by the DevTools protocol: messages are JSON, and each ends with a zero byte.
package chromium

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orthant-go/orthant/internal/must"
)

// Browser is a Chromium with one page.
type Browser struct {
	T        testing.TB
	Folder   string // of what it downloads
	to       *os.File
	session  string
	last     int
	mu       sync.Mutex
	waiting  map[int]chan answer
	problems []string // what the page has thrown or written to the console
}

type answer struct {
	Result json.RawMessage
	Error  *struct{ Message string }
}

// Window is how a browser is to show a page.
type Window struct {
	Width, Height int
	Dark, Phone   bool
	NoGL          bool
}

// Start starts a browser without a page. It skips the test where there is no Chromium.
func Start(t testing.TB, w Window) *Browser {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("there is no chromium here: the page is not looked at")
	}
	b := &Browser{T: t, Folder: t.TempDir(), waiting: map[int]chan answer{}}
	in, to := must.Two(os.Pipe())(t)
	from, out := must.Two(os.Pipe())(t)
	b.to = to
	flags := []string{"--headless", "--no-sandbox", "--remote-debugging-pipe", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
		"--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars", "--user-data-dir=" + t.TempDir(), fmt.Sprintf("--window-size=%d,%d", w.Width, w.Height)}
	if w.NoGL {
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
	b.Do("Browser.setDownloadBehavior", map[string]any{"behavior": "allow", "downloadPath": b.Folder})
	b.Do("Page.enable", nil)
	b.Do("Runtime.enable", nil)
	b.Show(w)
	return b
}

// Show changes the size of the window and the theme that the user prefers.
func (b *Browser) Show(w Window) {
	b.T.Helper()
	theme := "light"
	if w.Dark {
		theme = "dark"
	}
	b.Do("Emulation.setDeviceMetricsOverride", map[string]any{"width": w.Width, "height": w.Height, "deviceScaleFactor": 1, "mobile": w.Phone})
	b.Do("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": theme}}})
}

// Open shows a file, and returns when its page is loaded.
func (b *Browser) Open(file string) {
	b.T.Helper()
	b.Do("Page.navigate", map[string]any{"url": "file://" + file})
	b.Wait(fmt.Sprintf("document.readyState === 'complete' && decodeURI(location.href).split('#')[0] === %q.split('#')[0]", "file://"+file))
}

// listen gives answers to those who wait, and keeps what goes wrong in the page.
func (b *Browser) listen(from *os.File) {
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
func (b *Browser) call(session, method string, params any, result any) {
	b.T.Helper()
	if err := b.ask(session, method, params, result); err != nil {
		b.T.Fatalf("%s: %v", method, err)
	}
}

// ask is call for commands that the browser may refuse.
func (b *Browser) ask(session, method string, params any, result any) error {
	b.T.Helper()
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
	if _, err := b.to.Write(append(must.Get(json.Marshal(message))(b.T), 0)); err != nil {
		b.T.Fatalf("%s: %v", method, err)
	}
	select {
	case a := <-c:
		if a.Error != nil {
			return errors.New(a.Error.Message)
		}
		if result != nil {
			must.Do(b.T, json.Unmarshal(a.Result, result))
		}
	case <-time.After(2 * time.Minute):
		return errors.New("the browser does not answer")
	}
	return nil
}

// Do sends a command to the page.
func (b *Browser) Do(method string, params any) {
	b.T.Helper()
	b.call(b.session, method, params, nil)
}

// Value is that of an expression in the page, which may be a promise.
func Value[T any](b *Browser, expression string) (v T) {
	b.T.Helper()
	v, err := value[T](b, expression)
	if err != nil {
		b.T.Fatalf("%s: %v", expression, err)
	}
	return v
}

// value is Value for pages that may be replaced by others meanwhile, which is an error.
func value[T any](b *Browser, expression string) (v T, err error) {
	b.T.Helper()
	var found struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct{ Exception struct{ Description string } }
	}
	if err := b.ask(b.session, "Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &found); err != nil {
		return v, err
	}
	if found.ExceptionDetails != nil {
		b.T.Fatalf("%s: %s", expression, found.ExceptionDetails.Exception.Description)
	}
	if found.Result.Value != nil {
		if err := json.Unmarshal(found.Result.Value, &v); err != nil {
			b.T.Fatalf("%s is %s: %v", expression, found.Result.Value, err)
		}
	}
	return v, nil
}

// Wait returns when an expression is true. A page that gives way to another while it is asked has not answered yet.
func (b *Browser) Wait(expression string) {
	b.T.Helper()
	for range 1200 {
		yes, err := value[bool](b, "!!("+expression+")")
		if err == nil && yes {
			return
		}
		if err != nil && !strings.Contains(err.Error(), "navigated") && !strings.Contains(err.Error(), "context") {
			b.T.Fatalf("%s: %v", expression, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.T.Fatalf("%s stays false", expression)
}

// Screen is what the window shows.
func (b *Browser) Screen() image.Image {
	b.T.Helper()
	return must.Get(png.Decode(bytes.NewReader(b.PNG())))(b.T)
}

// PNG is what the window shows, as a file.
func (b *Browser) PNG() []byte {
	b.T.Helper()
	var shot struct{ Data string }
	b.call(b.session, "Page.captureScreenshot", map[string]any{"format": "png"}, &shot)
	return must.Get(base64.StdEncoding.DecodeString(shot.Data))(b.T)
}

// Sound fails the test for what the page has thrown or written to the console.
func (b *Browser) Sound() {
	b.T.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, text := range b.problems {
		b.T.Errorf("the page: %s", text)
	}
}
