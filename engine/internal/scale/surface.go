package scale

import (
	"context"
	"fmt"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// Settings of a search for the scale.
type Settings struct {
	Kernels *blas.Kernels
	Threads int    // 0: all cores
	Seed    uint64 // of the centres that are looked at
}

const (
	treeColumns = 8 // as many a k-d tree divides well
	// MostColumns are looked at: of more, the leading principal components.
	MostColumns = 64
)

// surface are samples that are looked at at many scales.
type surface struct {
	Settings
	x      neighbors.Points        // as given
	low    neighbors.Points        // the columns that are looked at: all, or principal components
	basis  []float64               // of those, p × m; nil: all columns are looked at
	center []float64               // of the samples, where there is a basis
	rest   float64                 // the mean squared distance from the components
	near   *neighbors.Surroundings // among the columns that are looked at
	d      int
}

func newSurface(ctx context.Context, x neighbors.Points, d int, s Settings) (*surface, error) {
	if d < 1 || d >= x.M || x.N < d+2 {
		return nil, fmt.Errorf("scale: planes of %d dimensions among %d × %d samples; d must be from 1 to %d", d, x.N, x.M, x.M-1)
	}
	f := &surface{Settings: s, x: x, low: x, d: d}
	if x.M <= treeColumns {
		f.near = neighbors.NewSurroundings(x, nil)
		return f, ctx.Err()
	}
	basis, center := principal(x, min(x.M, MostColumns), s)
	if x.M <= MostColumns {
		f.near = neighbors.NewSurroundings(x, basis[:treeColumns*x.M])
		return f, ctx.Err()
	}
	if d >= MostColumns {
		return nil, fmt.Errorf("scale: planes of %d dimensions; d must be below %d where there are more columns", d, MostColumns)
	}
	f.basis, f.center = basis, center
	f.low = f.project(x)
	f.near = f.among(f.low)
	return f, ctx.Err()
}

// among makes samples of the columns that are looked at ready to be searched.
func (f *surface) among(low neighbors.Points) *neighbors.Surroundings {
	if low.M <= treeColumns {
		return neighbors.NewSurroundings(low, nil)
	}
	axes := make([]float64, treeColumns*low.M)
	for a := range treeColumns {
		axes[a*low.M+a] = 1
	}
	if f.basis == nil {
		axes, _ = principal(low, treeColumns, f.Settings)
	}
	return neighbors.NewSurroundings(low, axes)
}

// project takes samples to their components, and adds up what is left.
func (f *surface) project(x neighbors.Points) neighbors.Points {
	p := len(f.basis) / x.M
	low := neighbors.Points{N: x.N, M: p, Data: make([]float64, x.N*p)}
	const rows = 256
	part, left := make([]float64, rows*x.M), 0.0
	for lo := 0; lo < x.N; lo += rows {
		n := min(rows, x.N-lo)
		for i := range n {
			for j, v := range x.Row(lo + i) {
				part[i*x.M+j] = v - f.center[j]
			}
		}
		f.Kernels.Gemm(false, true, n, p, x.M, 1, part, x.M, f.basis, x.M, 0, low.Data[lo*p:], p)
		left += blas.Dot(part[:n*x.M], part[:n*x.M]) - blas.Dot(low.Data[lo*p:(lo+n)*p], low.Data[lo*p:(lo+n)*p])
	}
	f.rest = max(left, 0) / float64(x.N)
	return low
}
