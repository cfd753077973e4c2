package scale

import (
	"context"

	"github.com/orthant-go/orthant/engine/neighbors"
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
	return z, by, found, by.apply(ctx, x, f.near.Number, z, progress)
}
