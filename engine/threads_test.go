package engine

import (
	"context"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/limits"
)

// The tests of this package take more threads than a machine may have cores.
func init() { threadsFor = blas.Threads }

// A run takes no more threads than the process may use, and what the environment says
// where none are asked for.
func TestThreadsAreBounded(t *testing.T) {
	tests := threadsFor
	threadsFor = limits.ForProcess
	defer func() { threadsFor = tests }()
	x := mat.NewDense(4, 2, []float64{1, 2, 3, 5, 8, 1, 0, 4})
	for asked, most := range map[int]int{1: 1, 1000: runtime.NumCPU()} {
		if r, err := Embed(context.Background(), x, PCA{}, Options{Threads: asked}); err != nil || r.Threads > most || r.Threads < 1 {
			t.Errorf("asked for %d threads it took %d, %v", asked, r.Threads, err)
		}
	}
	for _, name := range []string{"OMP_NUM_THREADS", "ORTHANT_NUM_THREADS"} {
		t.Setenv("OMP_NUM_THREADS", "1000")
		t.Setenv("ORTHANT_NUM_THREADS", "")
		t.Setenv(name, "1")
		if r, err := Embed(context.Background(), x, PCA{}, Options{}); err != nil || r.Threads != 1 {
			t.Errorf("%s=1: it took %d threads, %v", name, r.Threads, err)
		}
	}
}
