package lnp

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/measures"
)

// Clusters by the graphs of the published program.

func (q apart) program(x chooser) string { return "program/" + q.name(x) }

func (q apart) programCases(sizes []int) []bench.Case {
	var cases []bench.Case
	for _, x := range programs {
		cases = append(cases, bench.Case{
			Name: q.program(x), Data: q.data, Method: x.method, Params: programParams(x, sizes, q.params), Repeats: 1, Full: q.full, Needs: append(slices.Clone(q.needs), "method:"+x.method),
			Run: func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
				s, err := q.load(e)
				if err != nil {
					return nil, err
				}
				n, m := s.X.Dims()
				out := &bench.Outcome{Samples: n, Features: m, DataHash: bench.HashMatrix(s.X), Quality: map[string]float64{}, Series: map[string][]float64{}}
				o := engine.Options{Threads: max(c.Threads, 1), Backend: c.Backend}
				for _, k := range sizes {
					lists, err := programLists(ctx, s.X, x, k, o)
					if err != nil {
						return nil, fmt.Errorf("%d neighbours: %w", k, err)
					}
					labels, err := clustersOf(ctx, symmetric(lists), n, q.count(), o)
					if err != nil {
						return nil, fmt.Errorf("%d neighbours: %w", k, err)
					}
					wrong, err := measures.Misclassification(s.Labels, labels)
					if err != nil {
						return nil, err
					}
					out.Series["K"], out.Series["misclassification"] = append(out.Series["K"], float64(k)), append(out.Series["misclassification"], wrong)
				}
				out.Quality["misclassification"] = stat.Mean(out.Series["misclassification"], nil)
				return out, nil
			},
		})
	}
	return cases
}
