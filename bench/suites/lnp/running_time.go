package lnp

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/measures"
)

// Time against K (Fig. 6): of the whole embedding, from the samples on, as the program
// that the authors published measures it. SMCE chooses among 50 neighbours there, at
// λ = 60/K.

// timedSet is a set on which the methods are timed at several K.
type timedSet struct {
	key    string // in the names of cases
	title  string
	figure string // of the paper; "": none
	data   string
	load   func(e *bench.Env) (*datasets.Set, error)
	n      int
	full   bool // left out by --quick
	needs  []string
	at     []int // the K; nil: all of timedSizes
}

var (
	timedSets = []timedSet{
		{key: "trefoil-110", title: "trefoil, 110 samples in R¹⁰⁰", figure: "6(a)", data: "trefoil", load: bench.GeneratedSet("trefoil", 110, 1, nil), n: 110},
		{key: "two-trefoils-400", title: "two trefoils, 400 samples in R¹⁰⁰", figure: "6(b)", data: "two-trefoils", load: bench.GeneratedSet("two-trefoils", 400, 1, nil), n: 400},
		{key: "duck", title: "COIL-20 duck, 72 views of 1024 pixels", figure: "6(c)", data: "coil20-duck", load: bench.SelectedSet("coil20-duck"), n: 72},
		timedFaces,
		{key: "two-trefoils-2000", title: "two trefoils, 2000 samples in R¹⁰⁰", data: "two-trefoils", load: bench.GeneratedSet("two-trefoils", 2000, 1, nil), n: 2000, full: true},
	}
	timedSizes   = []int{2, 5, 10, 20, 40, 60, 80, 100}
	timedQuick   = []int{5, 20, 60}
	timedMethods = []chooser{byLLE, byLE, bySMCE50, bySMCE, byADMM, byLNP, byPrinted}
)

// trusted is over how many neighbours the trustworthiness beside the times is measured.
const trusted = 12

func (q timedSet) name(x chooser, k int) string {
	return fmt.Sprintf("time/%s/K=%d/%s", q.key, k, x.key)
}

func (q timedSet) sizes() []int {
	if q.at != nil {
		return q.at
	}
	return slices.DeleteFunc(slices.Clone(timedSizes), func(k int) bool { return k >= q.n })
}

func pursuitTimeCases(*bench.Env) []bench.Case {
	var cases []bench.Case
	for _, q := range timedSets {
		for _, k := range q.sizes() {
			for _, x := range timedMethods {
				if x.key == byADMM.key && q.key == timedFaces.key { // minutes a run
					continue
				}
				slow := x.key == byADMM.key && q.n*k > 10_000 // up to half a minute
				c := bench.Case{
					Name: q.name(x, k), Group: fmt.Sprintf("time/%s/K=%d", q.key, k), Data: q.data, N: q.n, Method: x.method, Threads: 1,
					Params: x.recorded([]int{k}, map[string]any{"dim": 2}), Needs: slices.Concat(q.needs, bench.SelectionNeeds(q.data), []string{"method:" + x.method}),
					Full: q.full || !slices.Contains(timedQuick, k) || slow, Accuracy: []bench.Accuracy{bench.ShownShare("trustworthiness")},
				}
				if slow {
					c.Repeats = 1
				}
				if q.data == "trefoil" || q.data == "two-trefoils" {
					c.Params["sigma"] = 1e-3
				}
				c.Run = func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
					s, err := q.load(e)
					if err != nil {
						return nil, err
					}
					return timeOf(ctx, c, x, s.X, k)
				}
				cases = append(cases, c)
			}
		}
	}
	return cases
}

// leastTimed is the processor time in seconds that a figure is the mean over:
// what takes less is run several times.
const leastTimed = 0.03

// timeOf measures the representation of all samples, neighbour search and weights,
// and the whole embedding; and, at the first repeat, what the embedding is worth.
func timeOf(ctx context.Context, c *bench.Case, x chooser, points *mat.Dense, k int) (*bench.Outcome, error) {
	m, err := x.with(k, nil)
	if err != nil {
		return nil, err
	}
	o := engine.Options{Threads: 1, Backend: c.Backend, Components: "joint"}
	n, cols := points.Dims()
	out := &bench.Outcome{Seconds: engine.Seconds{}, CPUSeconds: engine.Seconds{}, Samples: n, Features: cols, DataHash: bench.HashMatrix(points)}
	var embedding *mat.Dense
	for _, part := range []struct {
		phase string
		run   func() error
	}{
		{"representation", func() error { _, err := engine.Represent(ctx, points, m, o); return err }},
		{"total", func() error {
			r, err := engine.Embed(ctx, points, m, o)
			if err == nil {
				out.Backend, embedding = r.Backend, r.Y
			}
			return err
		}},
	} {
		before, runs := bench.CostSoFar(), 0
		var took bench.Cost
		for runs == 0 || took.CPU < leastTimed {
			if err := part.run(); err != nil {
				return nil, err
			}
			runs++
			took = bench.CostSoFar().Sub(before)
		}
		out.Seconds[part.phase], out.CPUSeconds[part.phase] = took.Wall/float64(runs), took.CPU/float64(runs)
	}
	if c.FirstRepeat() {
		kept, err := measures.Trustworthiness(ctx, points, embedding, trusted, measures.Options{Threads: 1})
		if err != nil {
			return nil, err
		}
		out.Quality = map[string]float64{"trustworthiness": kept}
	}
	return out, nil
}

// phaseSeconds returns the processor time of a phase.
func phaseSeconds(r *bench.Records, name, phase string) (float64, bool) {
	one := r.Get(name)
	if one == nil {
		return 0, false
	}
	s, found := one.CPUSeconds[phase]
	return s.Median, found
}

// measured lists the K at which all of the methods were timed.
func (q timedSet) measured(r *bench.Records, methods []chooser) (sizes []int, cases []string) {
	for _, k := range q.sizes() {
		var names []string
		for _, x := range methods {
			if _, found := phaseSeconds(r, q.name(x, k), "total"); found {
				names = append(names, q.name(x, k))
			}
		}
		if len(names) == len(methods) {
			sizes, cases = append(sizes, k), append(cases, names...)
		}
	}
	return sizes, cases
}
