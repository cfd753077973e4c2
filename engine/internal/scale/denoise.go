package scale

import (
	"context"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers"
)

// Smooth moves samples near a surface of d dimensions onto it. Planes are fitted to k
// neighbours; 0: to as many as [Find] says, and nothing is moved where it is not certain.
// The smoother is nil then.
func Smooth(ctx context.Context, x neighbors.Points, d, k int, s Settings, progress func(more int)) (z []float64, by *Smoother, found Found, err error) {
	f, err := newSurface(ctx, x, d, s)
	if err != nil {
		return nil, nil, found, err
	}
	if k == 0 {
		if found, err = f.find(ctx); err != nil || !found.Certain {
			return nil, nil, found, err
		}
		k = found.Neighbors
	}
	found.Neighbors = k
	if by, err = f.smoother(ctx, k); err != nil {
		return nil, nil, found, err
	}
	z = make([]float64, x.N*x.M)
	// In the order of the tree, so that neighbours are looked for one after the other.
	workers := make([]*mover, blas.Threads(s.Threads))
	err = blas.For(ctx, s.Threads, x.N, blockPlaces, func(w, lo, hi int) {
		if workers[w] == nil {
			workers[w] = by.mover()
		}
		for place := lo; place < hi; place++ {
			i := f.near.Number(place)
			by.one(workers[w], x.Row(i), z[i*x.M:(i+1)*x.M])
		}
		progress(hi - lo)
	})
	return z, by, found, err
}

func median(v []float64) float64 { return solvers.LowerMedian(v) }
