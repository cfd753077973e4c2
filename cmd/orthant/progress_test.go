package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/orthant-go/orthant/engine"
)

func TestProgressText(t *testing.T) {
	at := engine.Progress{Phase: "solve", Done: 0.25, Count: 125, Of: 500, Unit: "iterations", Objective: 12.5, Measured: true}
	if got := amount(at); got != ", 125 of 500 iterations, objective 12.5" {
		t.Errorf("amount %q", got)
	}
	if got := amount(engine.Progress{Phase: "kmeans", Done: 0.5}); got != "" {
		t.Errorf("a phase without a unit: %q", got)
	}
	for _, about := range []string{"", " 25 %, 0:12", " 25 %" + amount(at) + ", 1:00:12, 0:30 left", strings.Repeat("w", 60)} {
		text := progressText("solve", 0.5, about)
		if n := utf8.RuneCountInString(text); n > progressColumns || !strings.HasSuffix(text, about) {
			t.Errorf("%d columns: %q", n, text)
		}
		if full, empty := strings.Count(text, "█"), strings.Count(text, "░"); full != (full+empty)/2 {
			t.Errorf("half is done of %q", text)
		}
	}
}

// The remaining time follows only from the rate of the phase.
func TestPhaseClock(t *testing.T) {
	var c phaseClock
	at := time.Unix(0, 0)
	for _, step := range []struct {
		phase string
		after time.Duration
		done  float64
		want  string
	}{
		{"neighbors", 0, 0.1, ""},
		{"neighbors", 500 * time.Millisecond, 0.2, ""}, // too early
		{"neighbors", 10 * time.Second, 0.3, "0:35"},   // 0.2 in 10 s
		{"solve", 12 * time.Second, 0.5, ""},           // another phase
		{"solve", 72 * time.Second, 0.505, ""},         // too little
		{"solve", 132 * time.Second, 0.75, "2:00"},
		{"solve", 133 * time.Second, 0.1, ""}, // begun anew
		{"solve", 3733 * time.Second, 0.2, "8:00:00"},
	} {
		left, known := c.left(engine.Progress{Phase: step.phase, Done: step.done}, at.Add(step.after))
		if known != (step.want != "") || known && clockTime(left) != step.want {
			t.Errorf("%s at %v: %v left, known %v; want %q", step.phase, step.after, clockTime(left), known, step.want)
		}
	}
}

func TestProgressLine(t *testing.T) {
	var b bytes.Buffer
	p := &progressLine{w: &b, began: time.Now().Add(-75 * time.Second)}
	p.show(engine.Progress{Phase: "patches", Done: 0.5, Count: 500, Of: 1000, Unit: "rows"})
	if got := b.String(); !strings.HasPrefix(got, "\rpatches    █") || !strings.Contains(got, " 50 %, 500 of 1000 rows, 1:15") {
		t.Errorf("drawn %q", got)
	}
	// A shorter line leaves nothing of a longer one, without escape sequences.
	b.Reset()
	long := p.drawn
	p.next = time.Time{}
	p.draw("solve", 0.5, func() string { return " 50 %" })
	if got := strings.TrimPrefix(b.String(), "\r"); utf8.RuneCountInString(got) != long || p.drawn >= long || strings.ContainsAny(got, "\r\x1b") {
		t.Errorf("drawn over %d columns: %q", long, got)
	}
	b.Reset()
	blank := strings.Repeat(" ", p.drawn)
	p.above(func() { b.WriteString("a line\n") })
	p.above(func() { b.WriteString("another\n") })
	if got := b.String(); got != "\r"+blank+"\ra line\nanother\n" {
		t.Errorf("written %q", got)
	}
	(*progressLine)(nil).above(func() { b.Reset() })
	if b.Len() > 0 {
		t.Error("nothing is written where there is no line")
	}
}
