package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/method"
)

// outcomeOf runs a task of a made, and returns the numbers that it finds.
func outcomeOf(ctx context.Context, m Method, task string, x mat.Matrix, o Options) (numbers []float64, err error) {
	switch task {
	case "embed":
		var r *Result
		if r, err = Embed(ctx, x, m, o); err == nil {
			numbers = slices.Clone(r.Values)
			for i := range r.Samples {
				row := mat.Row(nil, i, r.Y)
				if r.Components > 1 && math.IsNaN(row[0]) {
					continue // samples of other components than the largest are left out
				}
				numbers = append(numbers, row...)
			}
		}
	case "factorize":
		var f *Factorization
		if f, err = Factorize(ctx, x, m, FactorizeOptions{Options: o, Rank: 3}); err == nil {
			numbers = slices.Concat(mat.DenseCopyOf(f.W).RawMatrix().Data, mat.DenseCopyOf(f.H).RawMatrix().Data)
		}
	case "cluster":
		var c *Clustering
		if c, err = Cluster(ctx, x, m, ClusterOptions{Options: o, Clusters: 3}); err == nil {
			for _, label := range c.Labels {
				numbers = append(numbers, float64(label))
			}
		}
	case "select":
		var s *Selection
		if s, err = Select(ctx, x, m, SelectOptions{Options: o, Count: 4}); err == nil {
			for _, at := range s.Indices {
				numbers = append(numbers, float64(at))
			}
		}
	}
	return numbers, err
}

// patienceOfTest is far beyond what any of these runs takes: a run that is still under way
// then does not end.
const patienceOfTest = time.Minute

// Numbers that stop being finite in the midst of a run end it, in an error or in a finite
// result. The data lie where the caller has them, so that a report of progress can spoil
// them between two steps.
func TestDataThatBreakMidway(t *testing.T) {
	x, labels := sheet(t, 60), make([]int64, 60)
	for i := range labels {
		labels[i] = int64(i % 3)
	}
	spoiled := 0
	for _, entry := range Methods() {
		for name, made := range variants(t, entry, "solver", "update") {
			for _, task := range entry.Tasks {
				t.Run(entry.Name+name+"/"+task, func(t *testing.T) {
					ended := 0
					run := func(at int, v float64) (calls int) {
						y := mat.DenseCopyOf(x)
						o := Options{Components: "largest", Threads: 1}
						o.Progress = func(Progress) {
							if calls++; calls == at {
								y.Apply(func(_, _ int, _ float64) float64 { return v }, y)
							}
						}
						m := made()
						_ = Set(m, "iterations", "60") // some have steps of another kind
						if method.RowOf(m).Labels {
							o.Labels = labels
						}
						ctx, cancel := context.WithTimeout(context.Background(), patienceOfTest)
						defer cancel()
						numbers, err := outcomeOf(ctx, m, task, y, o)
						what := fmt.Sprintf("%g at report %d", v, at)
						switch {
						case errors.Is(err, context.DeadlineExceeded):
							t.Errorf("%s: it does not end", what)
						case err != nil && at == 0 && name != "":
							return -1 // an update that diverges, or a solver that wants other settings
						case err != nil && at == 0:
							t.Fatal(err)
						}
						if err != nil {
							ended++
						}
						for _, v := range numbers {
							if v-v != 0 {
								t.Errorf("%s: a result of %v", what, v)
								break
							}
						}
						return calls
					}
					calls := run(0, 0)
					if calls < 0 {
						return
					}
					for _, v := range []float64{math.NaN(), math.Inf(1), 1e300} {
						for _, at := range []int{1, calls / 3, 2 * calls / 3, calls - 1} {
							run(max(at, 1), v)
						}
					}
					spoiled += ended
				})
			}
		}
	}
	// A made that has its products before it iterates ends with those.
	if spoiled < 100 {
		t.Errorf("%d runs met the spoiled numbers", spoiled)
	}
}
