package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/orthant-go/orthant/engine"
)

// progressLine redraws one line on a terminal: the phase, a bar, and the share
// done. It may be told from any goroutine.
type progressLine struct {
	mu    sync.Mutex
	w     io.Writer
	next  time.Time // before it nothing is drawn
	drawn bool
	ended bool
}

// A run that is over in the meantime shows nothing; later ones are redrawn at
// this interval.
const (
	progressDelay    = 300 * time.Millisecond
	progressInterval = 100 * time.Millisecond
)

// progressOf returns the line, or nil where none is wanted.
func (inv *invocation) progressOf() *progressLine {
	switch {
	case inv.progress == "always":
		return &progressLine{w: inv.err}
	case inv.progress == "never" || inv.json || inv.quiet || !isTerminal(inv.err):
		return nil
	}
	return &progressLine{w: inv.err, next: time.Now().Add(progressDelay)}
}

// told returns the callback for the engine; nil for no line.
func (p *progressLine) told() func(engine.Progress) {
	if p == nil {
		return nil
	}
	return p.show
}

func (p *progressLine) show(at engine.Progress) {
	p.draw(at.Phase, at.Done, func() string { return fmt.Sprintf("%3.0f %%", 100*at.Done) })
}

// draw redraws the line, if it is time to.
func (p *progressLine) draw(phase string, done float64, about func() string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.ended || now.Before(p.next) {
		return
	}
	p.next, p.drawn = now.Add(progressInterval), true
	const width = 30
	full := int(width * min(max(done, 0), 1))
	fmt.Fprintf(p.w, "\r%-10s %s%s %s\x1b[K", phase, strings.Repeat("█", full), strings.Repeat("░", width-full), about())
}

// wipe makes room for a line of text; the next draw begins anew below it.
func (p *progressLine) wipe() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
	p.drawn = false
}

// end wipes the line, so that what follows begins on a clean one.
func (p *progressLine) end() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	if p.drawn {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
