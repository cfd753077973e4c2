package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/orthant-go/orthant/engine"
)

// progressLine redraws one line on a terminal: the phase, a bar, what is done in the
// phase's own unit, and the time. It may be updated from any goroutine.
type progressLine struct {
	mu    sync.Mutex
	w     io.Writer
	began time.Time
	phase phaseClock
	next  time.Time // before it nothing is drawn
	drawn int       // columns of the line on the screen, 0 where there is none
	ended bool
}

// phaseClock estimates how long a phase will still take, from its first news on.
type phaseClock struct {
	name  string
	since time.Time
	from  float64 // what was done by then
}

// A run that is over in the meantime shows nothing; later ones are redrawn at
// this interval.
const (
	progressDelay    = 300 * time.Millisecond
	progressInterval = 100 * time.Millisecond
)

// progressOf returns the line, or nil where none is wanted.
func (inv *invocation) progressOf() *progressLine {
	now := time.Now()
	switch {
	case inv.progress == "always":
		return &progressLine{w: inv.err, began: now}
	case inv.progress == "never" || inv.json || inv.quiet || !isTerminal(inv.err):
		return nil
	}
	return &progressLine{w: inv.err, began: now, next: now.Add(progressDelay)}
}

// reporting returns the callback for the engine; nil for no line.
func (p *progressLine) reporting() func(engine.Progress) {
	if p == nil {
		return nil
	}
	return p.show
}

func (p *progressLine) show(at engine.Progress) {
	now := time.Now()
	p.mu.Lock()
	left, known := p.phase.left(at, now)
	p.mu.Unlock()
	p.draw(at.Phase, at.Done, func() string {
		text := fmt.Sprintf("%3.0f %%%s, %s", 100*at.Done, amount(at), clockTime(now.Sub(p.began)))
		if known {
			text += ", " + clockTime(left) + " left"
		}
		return text
	})
}

// amount is what is done in the phase's own unit.
func amount(at engine.Progress) string {
	text := ""
	if at.Of > 0 {
		text = fmt.Sprintf(", %d of %d %s", at.Count, at.Of, at.Unit)
	}
	if at.Measured {
		text += fmt.Sprintf(", objective %.4g", at.Objective)
	}
	return text
}

// A phase reports how long it will still take once it has gone on for so long, and has come
// so far: before, the rate is chance.
const (
	minOfPhase = time.Second
	minDone    = 0.01
)

// left is what a phase will still take if it goes on as it has so far.
func (c *phaseClock) left(at engine.Progress, now time.Time) (left time.Duration, known bool) {
	if at.Phase != c.name || at.Done < c.from {
		*c = phaseClock{name: at.Phase, since: now, from: at.Done}
	}
	took, done := now.Sub(c.since), at.Done-c.from
	if took < minOfPhase || done < minDone || at.Done > 1 {
		return 0, false
	}
	return time.Duration(float64(took) * (1 - at.Done) / done), true
}

// clockTime is a duration as a clock shows it.
func clockTime(d time.Duration) string {
	seconds := int(d.Round(time.Second).Seconds())
	if seconds >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
	}
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}

// A line must not be broken by a terminal of 80 columns, or it could not be redrawn; the
// bar takes what room the words leave.
const (
	progressColumns = 79
	longestBar      = 30
	shortestBar     = 6
)

// draw redraws the line, if it is time to.
func (p *progressLine) draw(phase string, done float64, about func() string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.ended || now.Before(p.next) {
		return
	}
	p.next = now.Add(progressInterval)
	text := progressText(phase, done, about())
	columns := utf8.RuneCountInString(text)
	fmt.Fprint(p.w, "\r"+text+strings.Repeat(" ", max(0, p.drawn-columns)))
	p.drawn = columns
}

// erase writes spaces over the line, as not every console of Windows knows the escape sequence for it. The caller holds the lock.
func (p *progressLine) erase() {
	if p.drawn > 0 {
		fmt.Fprint(p.w, "\r"+strings.Repeat(" ", p.drawn)+"\r")
	}
	p.drawn = 0
}

// above writes something where the line is, which is drawn again below it.
func (p *progressLine) above(write func()) {
	if p == nil {
		write()
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		p.erase()
	}
	write()
}

// progressText lays a line out.
func progressText(phase string, done float64, about string) string {
	text := fmt.Sprintf("%-10s ", phase)
	width := min(longestBar, progressColumns-utf8.RuneCountInString(text+about)-1)
	if width < shortestBar {
		return text + about
	}
	full := int(float64(width) * min(max(done, 0), 1))
	return text + strings.Repeat("█", full) + strings.Repeat("░", width-full) + " " + about
}

// wipe makes room for a line of text; the next draw begins anew below it.
func (p *progressLine) wipe() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
}

// end wipes the line, so that what follows begins on a clean one.
func (p *progressLine) end() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	p.erase()
}
