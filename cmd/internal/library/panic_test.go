package library

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// A panic is an error of its own. The model that it came out of is not used again; a
// result is one without arrays.
func TestPanics(t *testing.T) {
	x := waves(20, 3)
	m := &model{prepared: &engine.Transformer{}, threads: limits.ForProcess(0)} // without what that has: the next use panics
	g := given{model: m, x: viewing(x, 20, 3, 3, typeFloat64)}
	for _, phrase := range []string{"please report it", "unusable after an internal error"} {
		w := must.Get(prepare(taskNumber("transform"), g))(t)
		r := carryOut(w)
		if _, err := r.array("embedding"); statusOf(err) != statusInternal || !strings.Contains(err.Error(), phrase) {
			t.Errorf("%v", err)
		}
	}
	r := begin(func(context.Context, func(engine.Progress)) (*made, error) { panic("a mistake") })
	if !r.wait(time.Minute) || statusOf(r.err) != statusInternal {
		t.Errorf("%v", r.err)
	}
}

// A panic of a goroutine of the engine is an error too: nothing else keeps it from ending
// the process of the caller.
func TestPanicsElsewhere(t *testing.T) {
	grid := &sparse.CSR{Rows: 8000, Cols: 8000, Ptr: []int{0}}
	for i := range grid.Rows {
		for _, j := range []int{i - 100, i - 1, i + 1, i + 100} {
			if j >= 0 && j < grid.Cols {
				grid.Col, grid.Val = append(grid.Col, int32(j)), append(grid.Val, 1)
			}
		}
		grid.Ptr = append(grid.Ptr, len(grid.Col))
	}
	x := mat.NewDense(3000, 3, waves(3000, 3))
	for name, task := range map[string]func(ctx context.Context) error{
		"dissection": func(ctx context.Context) error {
			_, err := sparse.NestedDissection(ctx, grid, 4)
			return err
		},
		"loops": func(ctx context.Context) error { return blas.For(ctx, 4, 100, 1, func(int, int, int) {}) },
		"embedding": func(ctx context.Context) error {
			_, err := engine.Embed(ctx, x, engine.LLE{}, engine.Options{Threads: 4})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := begin(func(ctx context.Context, _ func(engine.Progress)) (*made, error) {
				return nil, task(elsewhere{ctx})
			})
			if !r.wait(time.Minute) || statusOf(r.err) != statusInternal || !strings.Contains(r.err.Error(), "a bug elsewhere") {
				t.Errorf("%v", r.err)
			}
		})
	}
}

// elsewhere is a context that panics where it is asked on another goroutine than the
// task's own.
type elsewhere struct{ context.Context }

func (elsewhere) Err() error {
	stack := make([]byte, 1<<16)
	if stack = stack[:runtime.Stack(stack, false)]; !strings.Contains(string(stack), "(*result).run(") {
		panic("a bug elsewhere")
	}
	return nil
}
