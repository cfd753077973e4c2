package main

import (
	"context"
	"encoding/json"
	"fmt"
	"syscall/js"
	"time"

	"github.com/orthant-go/orthant/engine"
)

// main waits for the work that the page sends to its worker. One thing is done at a time; the page ends the worker to cancel.
func main() {
	js.Global().Set("orthantRead", worker(func(text string) (any, error) {
		var r request
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			return nil, err
		}
		return read(r.File, r.Drop)
	}))
	js.Global().Set("orthantAnalyse", worker(func(text string) (any, error) {
		var r request
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			return nil, err
		}
		return analyse(context.Background(), r, posting())
	}))
	post(map[string]any{"kind": "ready"})
	select {}
}

// worker makes a function of JavaScript that begins work and returns at once; the answer is posted.
func worker(do func(text string) (any, error)) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		text := args[0].String()
		go func() {
			defer func() {
				if p := recover(); p != nil {
					post(map[string]any{"kind": "error", "text": fmt.Sprintf("this should not have happened: %v. Reload the page, and report it with the file", p)})
				}
			}()
			v, err := do(text)
			var done []byte
			if err == nil {
				done, err = json.Marshal(v)
			}
			if err != nil {
				post(map[string]any{"kind": "error", "text": worded(err)})
				return
			}
			post(map[string]any{"kind": "done", "text": string(done)})
		}()
		return nil
	})
}

func post(message map[string]any) { js.Global().Call("postMessage", message) }

// posting posts progress, at most ten times a second.
func posting() func(engine.Progress) {
	var last time.Time
	var phase string
	return func(p engine.Progress) {
		if now := time.Now(); p.Phase != phase || now.Sub(last) > 100*time.Millisecond {
			last, phase = now, p.Phase
			post(map[string]any{"kind": "progress", "phase": p.Phase, "done": p.Done})
		}
	}
}
