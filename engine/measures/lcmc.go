package measures

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// LCMC is the local continuity meta-criterion of an embedding y of the data x (Chen and
// Buja 2009): the share of a sample's k nearest that it keeps, less what chance keeps,
//
//	(1/(nk)) · Σ_i |N_k(i in x) ∩ N_k(i in y)| − k/(n − 1)
//
// so that 1 − k/(n − 1) is best, 0 is that of a random order, and k = n − 1 says nothing.
// Of equally distant points the lower index comes first.
//
// x is n × m and y n × d. Errors are about different numbers of rows, values
// that are not finite, k outside 1 ≤ k < n, and a cancelled context. Time and memory are
// those of two exact searches (see [neighbors.Exact]).
func LCMC(ctx context.Context, x, y mat.Matrix, k int, o Options) (float64, error) {
	data, err := readPoints("lcmc", "data", x)
	if err != nil {
		return 0, err
	}
	shown, err := readPoints("lcmc", "embedding", y)
	if err != nil {
		return 0, err
	}
	if err := sameSamples("lcmc", data, shown); err != nil {
		return 0, err
	}
	n := data.N
	if n < 2 || k < 1 || k >= n {
		return 0, fmt.Errorf("lcmc: %d neighbours asked of %d samples; give a number from 1 to %d", k, n, n-1)
	}
	if o, err = o.withDefaults("lcmc"); err != nil {
		return 0, err
	}
	var lists [2]*neighbors.Graph
	for i, p := range []blas.Rows{data, shown} {
		if lists[i], err = neighbors.Exact(ctx, neighbors.Points(tame(p)[0]), k, neighbors.Options{Kernels: o.Kernels, Threads: o.Threads}); err != nil {
			return 0, err
		}
	}
	kept, near := 0, make([]bool, n)
	for i := range n {
		for _, j := range lists[0].Of(i) {
			near[j] = true
		}
		for _, j := range lists[1].Of(i) {
			if near[j] {
				kept++
			}
		}
		for _, j := range lists[0].Of(i) {
			near[j] = false
		}
	}
	return float64(kept)/(float64(n)*float64(k)) - float64(k)/float64(n-1), nil
}
