package layout

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// repulsion sums Σ_j k_ij² (y_i − y_j) and Z = Σ k_ij, over all pairs of vertices.
type repulsion struct {
	theta   *float64 // as in TSNE
	threads int
	axes    int       // 2 or 3
	push    []float64 // the sums of every vertex
	parts   []float64 // of Z, by blocks of vertices
	tree    tree
	grid    interpolation
}

const (
	exactUpTo    = 250 // vertices: for so few the sums over all are about as fast as the tree
	defaultTheta = 0.5
)

func newRepulsion(n, axes int, theta *float64, threads int) *repulsion {
	return &repulsion{theta: theta, threads: threads, axes: axes, push: make([]float64, n*axes), grid: interpolation{convolution: convolution{threads: threads}}}
}

// sum fills push, and returns Z. low and high are the least and the largest coordinates.
func (f *repulsion) sum(ctx context.Context, at []float64, low, high []float64) (float64, error) {
	n := len(at) / f.axes
	var z float64
	var err error
	switch theta := f.theta; {
	case n <= exactUpTo || theta != nil && *theta == 0:
		z, err = f.exact(ctx, at)
	case theta != nil:
		z, err = f.tree.sum(ctx, f.threads, *theta, at, f.axes, f.push)
	case f.axes == 2 && interpolates(n, low, high):
		z, err = f.grid.sum(ctx, at, low, high, f.push)
	default:
		z, err = f.tree.sum(ctx, f.threads, defaultTheta, at, f.axes, f.push)
	}
	return max(z, math.SmallestNonzeroFloat64), err
}

// interpolates reports whether the grid is estimated to take less time than the tree: measured on amd64
// from 1000 to 70 000 vertices, in nanoseconds.
func interpolates(n int, low, high []float64) bool {
	_, width, height := gridFor(high[0]-low[0], high[1]-low[1])
	nodes, vertices := width*height, float64(n)
	const perNode, perVertex, perLevel, maxNodes = 46, 75, 50, 1 << 24
	return nodes < maxNodes && perNode*nodes+perVertex*vertices < perLevel*vertices*math.Log2(vertices)
}

// exact takes all pairs.
func (f *repulsion) exact(ctx context.Context, at []float64) (float64, error) {
	n := len(at) / f.axes
	f.parts = resized(f.parts, (n+layoutRows-1)/layoutRows)
	err := blas.For(ctx, f.threads, n, layoutRows, func(_, lo, hi int) {
		var z float64
		for i := lo; i < hi; i++ {
			if f.axes == 2 {
				x, y, sum := exact2(at[2*i], at[2*i+1], at)
				f.push[2*i], f.push[2*i+1] = x, y
				z += sum - 1 // of the vertex itself
			} else {
				x, y, d, sum := exact3(at[3*i], at[3*i+1], at[3*i+2], at)
				f.push[3*i], f.push[3*i+1], f.push[3*i+2] = x, y, d
				z += sum - 1
			}
		}
		f.parts[lo/layoutRows] = z
	})
	var z float64
	for _, part := range f.parts {
		z += part
	}
	return z, err
}

func exact2(x, y float64, at []float64) (px, py, z float64) {
	for j := 0; j+1 < len(at); j += 2 {
		dx, dy := x-at[j], y-at[j+1]
		v := 1 / (1 + float64(dx*dx) + float64(dy*dy))
		z += v
		v *= v
		px += float64(v * dx)
		py += float64(v * dy)
	}
	return px, py, z
}

func exact3(x, y, z float64, at []float64) (px, py, pz, sum float64) {
	for j := 0; j+2 < len(at); j += 3 {
		dx, dy, dz := x-at[j], y-at[j+1], z-at[j+2]
		v := 1 / (1 + float64(dx*dx) + float64(dy*dy) + float64(dz*dz))
		sum += v
		v *= v
		px += float64(v * dx)
		py += float64(v * dy)
		pz += float64(v * dz)
	}
	return px, py, pz, sum
}
