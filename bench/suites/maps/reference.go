package maps

import (
	"context"
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// nearest is the number of neighbours of a sample that a map should preserve.
const nearest = 15

// reference holds the data with which all maps of a set are compared. Each part is computed on first use: for the largest
// set they take as long as a map.
type reference struct {
	data  *bench.Data
	near  *neighbors.Graph // the nearest neighbours in the data
	p     *sparse.CSR      // t-SNE's affinities
	start *mat.Dense       // principal components, the start of t-SNE
}

// latest is the reference of the current set; cases run set by set.
var latest struct {
	sync.Mutex
	reference *reference
}

// referenceOf returns the reference of a set, computed once.
func referenceOf(d *bench.Data) *reference {
	latest.Lock()
	defer latest.Unlock()
	if latest.reference == nil || latest.reference.data.Hash != d.Hash || d.Hash == "" {
		latest.reference = &reference{data: d}
	}
	return latest.reference
}

func (r *reference) neighbors(ctx context.Context) (g *neighbors.Graph, err error) {
	if r.near == nil {
		r.near, err = nearestOf(ctx, r.data.X, nearest)
	}
	return r.near, err
}

// affinities returns t-SNE's affinities, which are symmetric and sum to 1.
func (r *reference) affinities(ctx context.Context) (p *sparse.CSR, err error) {
	if r.p == nil {
		var m engine.Method
		if m, err = bench.NewMethod("tsne", map[string]string{"perplexity": "30"}); err != nil {
			return nil, err
		}
		r.p, err = engine.Alignment(ctx, r.data.X, m, engine.Options{})
	}
	return r.p, err
}

// components returns the first two principal components, scaled to standard deviation 1e-4 of the first.
func (r *reference) components(ctx context.Context) (*mat.Dense, error) {
	if r.start != nil {
		return r.start, nil
	}
	m, err := bench.NewMethod("pca", map[string]string{"dim": "2"})
	if err != nil {
		return nil, err
	}
	found, err := engine.Embed(ctx, r.data.X, m, engine.Options{})
	if err != nil {
		return nil, err
	}
	n, _ := found.Y.Dims()
	y := mat.DenseCopyOf(found.Y)
	first := mat.Norm(y.ColView(0), 2) / math.Sqrt(float64(n)) // its mean is 0
	y.Scale(1e-4/first, y)
	r.start = y
	return y, nil
}

// nearestOf finds the nearest neighbours of every row, on all cores.
func nearestOf(ctx context.Context, x *mat.Dense, k int) (*neighbors.Graph, error) {
	n, m := x.Dims()
	return neighbors.Exact(ctx, neighbors.Points{N: n, M: m, Data: x.RawMatrix().Data}, k, neighbors.Options{})
}
