package run

import (
	"slices"
	"testing"
	"time"
)

// A long phase of equal parts is reported once, when its rate is known.
func TestRates(t *testing.T) {
	var lines []string
	clock := time.Unix(0, 0)
	r := &rates{report: func(line string) { lines = append(lines, line) }, now: func() time.Time { return clock }}
	for _, phase := range []struct {
		name, unit string
		of, step   int
		each       time.Duration
	}{
		{"neighbors", Rows, 60_000, 600, 50 * time.Millisecond},
		{"patches", Rows, 60_000, 600, time.Millisecond}, // 0.1 s in all
		{"solve", Iterations, 500, 1, 3 * time.Second},
		{"batches", Passes, 21, 1, 200 * time.Millisecond},
		{"kmeans", "restarts", 20, 1, 74 * time.Millisecond},
	} {
		for count := phase.step; count <= phase.of; count += phase.step {
			r.see(At{Phase: phase.name, Done: float64(count) / float64(phase.of), Count: count, Of: phase.of, Unit: phase.unit})
			clock = clock.Add(phase.each)
		}
	}
	want := []string{
		"seconds: neighbors about 5 (60000 rows), from the rate of its first 0.1 s",
		"seconds: solve about 1500 (at most 500 iterations), from the rate of its first 3 s",
		"seconds: batches about 4 (at most 21 passes), from the rate of its first 0.2 s",
		"seconds: kmeans about 1.4 (20 restarts), from the rate of its first 0.15 s",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("reported %q", lines)
	}
}

// Shares that are not of parts alike say nothing of the rest.
func TestRatesOfCountedPhases(t *testing.T) {
	var lines []string
	r := New(t.Context(), "lle", Settings{Explain: func(line string) { lines = append(lines, line) }})
	r.Fraction("solve")(0.1)
	r.Factoring("solve")(1, 1000, 0.1)
	time.Sleep(rateTime + time.Millisecond)
	r.Fraction("solve")(0.101)
	r.Factoring("solve")(2, 1000, 0.101)
	if len(lines) > 0 {
		t.Errorf("reported %q", lines)
	}
}
