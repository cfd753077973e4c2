package engine

import (
	"context"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestApproximateNeighbors(t *testing.T) {
	x := generate(t, "waveform", 2200, 1).X
	for _, c := range []struct {
		what  string
		x     mat.Matrix
		lines string
	}{
		{"large enough", x, "neighbours: approximate, recall "},
		{"small", x.Slice(0, 500, 0, 21), "neighbours: exact, which is as fast"},
	} {
		t.Run(c.what, func(t *testing.T) {
			var lines []string
			r := embed(t, c.x, LE{Neighbors: 10}, Options{Neighbors: "approximate", Explain: func(line string) { lines = append(lines, line) }})
			recall, ok := r.Details["recall"].(float64)
			if !ok || recall < 0.99 || recall > 1 {
				t.Errorf("%s: recall %v", c.what, r.Details["recall"])
			}
			if !strings.Contains(strings.Join(lines, "\n"), c.lines) {
				t.Errorf("%s: explained %q", c.what, lines)
			}
			exact := embed(t, c.x, LE{Neighbors: 10}, Options{})
			if _, ok := exact.Details["recall"]; ok {
				t.Errorf("%s: an exact search tells a recall", c.what)
			}
			if c.what == "small" && !mat.Equal(r.Y, exact.Y) {
				t.Error("small: differs from the exact search")
			}
		})
	}
}

func TestApproximateNeighborsRefuses(t *testing.T) {
	x := generate(t, "swiss-roll", 60, 1).X
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Neighbors: "aproximate"}, `Options.Neighbors is "aproximate"; give exact or approximate`},
		{Options{Recall: 1.01}, "Recall is 1.01"},
		{Options{Recall: -1}, "Recall is -1"},
	} {
		t.Run(c.want, func(t *testing.T) {
			if _, err := Embed(context.Background(), x, LE{}, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v, want one with %q", err, c.want)
			}
		})
	}
}
