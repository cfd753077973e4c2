package bench

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/memory"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// Neighbors is a case that finds the k nearest neighbours of every sample,
// exactly. The measures look at the distances, n × k, nearest first.
func Neighbors(name string, data Source, k int, list ...Measure) Case {
	return Case{
		Name: name, Data: data.Name(), N: data.N, Method: "neighbors", Params: map[string]any{"neighbors": k}, Needs: data.Needs(),
		Run: func(ctx context.Context, e *Env, c *Case) (*Outcome, error) {
			d, err := data.Load(e)
			if err != nil {
				return nil, err
			}
			kernels, err := blas.Select(c.Backend)
			if err != nil {
				return nil, err
			}
			n, m := d.X.Dims()
			clock := engine.NewClock()
			g, err := neighbors.Exact(ctx, neighbors.Points{N: n, M: m, Data: d.X.RawMatrix().Data}, k, neighbors.Options{Kernels: kernels, Threads: c.ThreadCount()})
			if err != nil {
				return nil, err
			}
			out := &Outcome{Samples: n, Features: m, DataHash: d.Hash, Backend: kernels.Name()}
			out.Seconds, out.CPUSeconds = clock.Seconds()
			if c.Fresh {
				out.PeakBytes = memory.Peak()
			}
			distances := mat.NewDense(n, k, nil)
			for i := range n {
				copy(distances.RawRowView(i), g.Distances(i))
			}
			return out, assess(ctx, c, list, d, distances, out)
		},
	}
}

// MeanDistance is the mean of all distances that a search for neighbours found:
// two exact searches agree on it.
var MeanDistance = quality("mean-distance", func(_ context.Context, _ *Data, y *mat.Dense) (float64, error) {
	n, k := y.Dims()
	if n*k == 0 {
		return 0, fmt.Errorf("no distances")
	}
	return mat.Sum(y) / float64(n*k), nil
})

// NearestNeighbors finds the k nearest neighbors of every row, on one thread.
func NearestNeighbors(ctx context.Context, x *mat.Dense, k int) (*neighbors.Graph, error) {
	n, m := x.Dims()
	return neighbors.Exact(ctx, neighbors.Points{N: n, M: m, Data: x.RawMatrix().Data}, k, neighbors.Options{Threads: 1})
}
