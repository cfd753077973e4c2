// Package complexity is the suite that holds each paper's statements on complexity to
// exponents fitted to running times.
package complexity

import (
	"context"
	"fmt"

	"github.com/orthant-go/orthant/bench"
)

// Suite fits exponents to what the papers say of cost.
var Suite = bench.Suite{
	Name:  "complexity",
	Title: "The papers' statements on complexity, against fitted exponents",
	About: `One size grows and all others stay, on generated data and on one thread: samples, columns, neighbours, components. A step of an
iteration is timed within one run, and the least of some steps counts, in processor time; of NEML the phase that finds the weights counts. Beside each
time stands the error of what was computed in it: of a multiplicative step, the relative distance from the same step by plain loops; of
a projection, how far it is from the conditions of its optimum; of a pass of SMRMF, how far the indicators are from orthonormal; of
NEML, the residual of the eigenpairs.

An exponent is the slope of least squares in log–log over all sizes of a curve (two to a doubling, four at least), with its confidence interval of 95 %
by Student's t. A stated order is an upper bound. The rule was fixed before the first run: it reproduces where the upper end of the
interval is at most the order + 0.15, in part where the slope is and the end is not, and does not reproduce where the slope is not. A target of
this project is reached where the upper end is within the same distance.

SMRMF's paper states cubic costs for Z and C, which its plain search for thresholds takes; ours finds the same points without a cubic step,
which is a target of its own. Where a paper writes its steps as formulas and prints no order, the order is that of the formulas, and the
claim says so. An order is of operations: where data leave a cache between two sizes, the time of an entry rises there, and the exponent
with it. The count of O(k(K − k)/2) candidates of LNP is taken by the suite lnp. Logarithms count as nothing in an exponent.`,
	Speed:    true,
	Cases:    allCases,
	Claims:   claims(),
	Sections: sections,
}

// sweep is one cost over sizes of one kind, the others staying as they are.
type sweep struct {
	key, title string
	size       string // the letter of what grows
	sizes      []int
	quick      int // the largest size of the quick version
	data       string
	method     string
	params     map[string]any // what stays
	error      bench.Accuracy
	memory     func(size int) int64 // bytes that it takes; nil: little
	run        func(ctx context.Context, size int) (*bench.Outcome, error)
}

// sweeps lists them, paper by paper.
func sweeps() []*sweep {
	return []*sweep{
		&weightsBySamples, &weightsByNeighbors,
		&robustBySamples, &robustByColumns, &robustByRank,
		&encodings, &balls, &selectivePasses, &fastPasses,
		&denseByOrder, &denseByColumns, &sparseBySamples,
	}
}

func (s *sweep) caseName(size int) string { return fmt.Sprintf("%s/%s=%d", s.key, s.size, size) }

func allCases(*bench.Env) []bench.Case {
	var cases []bench.Case
	for _, s := range sweeps() {
		for _, size := range s.sizes {
			cases = append(cases, s.newCase(size))
		}
	}
	return cases
}

func (s *sweep) newCase(size int) bench.Case {
	c := bench.Case{
		Name: s.caseName(size), Data: s.data, Method: s.method, Threads: 1, Full: size > s.quick,
		Params: map[string]any{s.size: size}, Accuracy: []bench.Accuracy{s.error},
		Run: func(ctx context.Context, _ *bench.Env, _ *bench.Case) (*bench.Outcome, error) {
			return s.run(ctx, size)
		},
	}
	for key, v := range s.params {
		c.Params[key] = v
	}
	if s.memory != nil {
		if bytes := s.memory(size); bytes > 1<<28 {
			c.Needs = []string{fmt.Sprintf("memory:%.1fGiB", float64(bytes)/(1<<30))}
		}
	}
	return c
}

// grown reads the curve of a sweep from the records, by ascending size.
func (s *sweep) grown(r *bench.Records) (sizes, seconds []float64, cases []string) {
	for _, size := range s.sizes {
		name := s.caseName(size)
		if v, found := r.CPU(name); found {
			sizes, seconds, cases = append(sizes, float64(size)), append(seconds, v), append(cases, name)
		}
	}
	return sizes, seconds, cases
}

// leastSizes is how many sizes a fit takes at least.
const leastSizes = 4

// exponent is fitted to all sizes of a curve.
func exponent(sizes, seconds []float64) (e bench.Exponent, ok bool) {
	if len(sizes) < leastSizes {
		return e, false
	}
	return bench.FitExponent(sizes, seconds, len(sizes))
}
