package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/method"
)

// patienceOfTest is far beyond what any of these runs takes: a run that is still under way
// then does not end.
const patienceOfTest = time.Minute

// Numbers that stop being finite in the midst of a run end it, in an error or in a finite
// result. The data lie where the caller has them, so that a report of progress can spoil
// them between two steps.
func TestDataThatBreakMidway(t *testing.T) {
	x, labels := sheet(t, 60), thirds(60)
	var spoiled atomic.Int64
	t.Cleanup(func() {
		least := int64(100) // a method that has its products before it iterates ends with those
		if testing.Short() {
			least = 20
		}
		if n := spoiled.Load(); n < least {
			t.Errorf("%d runs met the spoiled numbers", n)
		}
	})
	for _, entry := range Methods() {
		for name, made := range variants(t, entry, "solver", "update") {
			for _, task := range entry.Tasks {
				t.Run(entry.Name+name+"/"+task, func(t *testing.T) {
					t.Parallel()
					ended := int64(0)
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
						p := problem{x: y, Options: o}
						found, err := solvedBy(ctx, task, m, p)
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
						} else if bad := found.infinite(); bad != "" {
							t.Errorf("%s: %s", what, bad)
						}
						return calls
					}
					calls := run(0, 0)
					if calls < 0 {
						return
					}
					values, times := []float64{math.NaN(), math.Inf(1), 1e300}, []int{1, calls / 3, 2 * calls / 3, calls - 1}
					if testing.Short() {
						values, times = values[:1], times[1:3]
					}
					for _, v := range values {
						for _, at := range times {
							run(max(at, 1), v)
						}
					}
					spoiled.Add(ended)
				})
			}
		}
	}
}
