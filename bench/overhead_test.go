package bench

import (
	"context"
	"testing"
	"time"
)

// BenchmarkOverhead runs a case that spins for 100 ms of processor time, and
// reports what the harness adds to it, in processor and in wall time.
func BenchmarkOverhead(b *testing.B) {
	var spun, took Cost
	suite := Suite{Name: "overhead", Cases: func(*Env) []Case {
		return []Case{{Name: "spin", Repeats: 5, Run: func(context.Context, *Env, *Case) (*Outcome, error) {
			before := CostSoFar()
			spin(100 * time.Millisecond)
			d := CostSoFar().Sub(before)
			spun = Cost{spun.Wall + d.Wall, spun.CPU + d.CPU}
			return &Outcome{}, nil
		}}}
	}}
	folder := b.TempDir()
	for b.Loop() {
		before := CostSoFar()
		runSuites(b, folder, &Env{}, Options{Again: true}, suite)
		d := CostSoFar().Sub(before)
		took = Cost{took.Wall + d.Wall, took.CPU + d.CPU}
	}
	b.ReportMetric(100*(took.CPU-spun.CPU)/spun.CPU, "overhead-percent")
	b.ReportMetric(100*(took.Wall-spun.Wall)/spun.Wall, "wall-overhead-percent")
}
