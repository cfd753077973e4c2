package card

import (
	"context"
	"fmt"
	"strings"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/solvers/nmf"
)

const (
	threadSweeps = 20  // of one measurement
	threadTimes  = 1.5 // faster on two threads than on one
)

// threadSets are as large as the two of the factorisations, both drawn.
var threadSets = []nmfSet{{name: "1440x1024", n: 1440, m: 1024, rank: 20}, {name: "4000x2000", n: 4000, m: 2000, rank: 40}}

// threadNames are the cases of one set and loss: on two threads, and on one.
func threadNames(s *nmfSet, loss string) (two, one string) {
	group := "threads/" + s.name + "/" + loss
	return group + "/two" + oursSide, group + "/one-thread"
}

func threadCases() []bench.Case {
	var list []bench.Case
	for i := range threadSets {
		s := &threadSets[i]
		for _, l := range losses {
			two, one := threadNames(s, l.name)
			for threads := 1; threads <= 2; threads++ {
				name := one
				if threads == 2 {
					name = two
				}
				list = append(list, bench.Case{
					Name: name, Group: "threads/" + s.name + "/" + l.name, Data: s.name, Method: "nmf", Threads: threads, Full: i > 0,
					Params: map[string]any{"rank": s.rank, "loss": l.name, "iterations": threadSweeps}, Accuracy: []bench.Accuracy{bench.AtMost("differs", 0)},
					Run: func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
						return s.onThreads(ctx, e, c, l.loss)
					},
				})
			}
		}
	}
	return list
}

// onThreads factorises, and compares the bits with the results on one, two and three threads.
func (s *nmfSet) onThreads(ctx context.Context, e *bench.Env, c *bench.Case, loss *nmf.Loss) (*bench.Outcome, error) {
	x, err := s.load(e)
	if err != nil {
		return nil, err
	}
	n, m := x.Dims()
	w, h := s.start(x, starts[0])
	run := func(threads int) (*nmf.Result, error) {
		return nmf.Factorize(ctx, nmf.Dense(n, m, x.RawMatrix().Data), nmf.Options{Loss: loss, Rank: s.rank, Iterations: threadSweeps, TraceEvery: threadSweeps,
			Threads: threads, Normalize: nmf.Never, Init: nmf.Given, W: w.RawMatrix().Data, H: h.RawMatrix().Data})
	}
	clock := engine.NewClock()
	r, err := run(c.ThreadCount())
	if err != nil {
		return nil, err
	}
	out := &bench.Outcome{Samples: n, Features: m}
	out.Seconds, out.CPUSeconds = clock.Seconds()
	if !c.FirstRepeat() {
		return out, nil
	}
	out.Quality = map[string]float64{}
	for threads := 1; threads <= 3; threads++ {
		other, err := run(threads)
		if err != nil {
			return nil, err
		}
		out.Quality["differs"] += differing(r.W, other.W) + differing(r.H, other.H)
	}
	return out, nil
}

func threadClaims() []bench.Claim {
	all := func() (names []string) {
		for i := range threadSets {
			for _, l := range losses {
				two, one := threadNames(&threadSets[i], l.name)
				names = append(names, two, one)
			}
		}
		return names
	}
	return []bench.Claim{
		{
			Name: "readme/same-bits", Source: "orthant", Paper: "gives the same bits on any number of threads",
			Statement: "Multiplicative updates give the same bits on one, two and three threads.",
			Check: func(r *bench.Records) bench.Finding {
				f, ready := r.Sound(all()...)
				if !ready {
					return f
				}
				differ, _ := r.Qualities("differs", f.Cases...)
				sum := 0.0
				for _, v := range differ {
					sum += v
				}
				return r.SpeedFinding(sum == 0, fmt.Sprintf("%g entries of the factors differ", sum), f.Cases)
			},
		},
		{
			Name: "threads/two", Source: "orthant", Paper: fmt.Sprintf("at least %g times as fast", threadTimes),
			Statement: "Two threads take a multiplicative update 1.5 times as fast as one by the clock, on every matrix and by every loss, with the same bits.",
			Check: func(r *bench.Records) bench.Finding {
				f, ready := r.Sound(all()...)
				if !ready {
					return f
				}
				var ours, why []string
				for i := 0; i < len(f.Cases); i += 2 {
					times := wall(r, f.Cases[i+1]) / wall(r, f.Cases[i])
					what := strings.TrimSuffix(strings.TrimPrefix(f.Cases[i], "threads/"), "/two"+oursSide)
					ours = append(ours, fmt.Sprintf("%s %.2f", what, times))
					if times < threadTimes {
						why = append(why, fmt.Sprintf("%s only %.2f times", what, times))
					}
				}
				return r.SpeedFinding(len(why) == 0, strings.Join(ours, ", ")+" times; "+r.AccuracyCell(f.Cases[0]).Text, f.Cases, why...)
			},
		},
	}
}

func threadSections(r *bench.Records) []bench.Section {
	t := &bench.Table{Columns: []string{"matrix", "loss", "one thread, CPU", "two threads, CPU", "one, clock", "two, clock", "times faster"}}
	for i := range threadSets {
		for _, l := range losses {
			two, one := threadNames(&threadSets[i], l.name)
			times := func(*bench.Record) string { return fmt.Sprintf("%.2f", wall(r, one)/wall(r, two)) }
			if r.Get(one) == nil {
				times = func(*bench.Record) string { return "" }
			}
			t.Rows = append(t.Rows, []bench.Cell{{Text: threadSets[i].name}, {Text: l.name}, r.TimedCell(one, "total"), r.TimedCell(two, "total"),
				r.Cell(one, bench.WallText("total")), r.Cell(two, bench.WallText("total")), r.Cell(two, times)})
		}
	}
	return []bench.Section{{Title: fmt.Sprintf("Multiplicative updates on one thread and two, %d sweeps", threadSweeps), Table: t}}
}
