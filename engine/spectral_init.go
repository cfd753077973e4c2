package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/solve"
	"github.com/orthant-go/orthant/engine/memory"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/sparse"
)

// SpectralInitOptions configure [SpectralInit]. The zero value is the default.
type SpectralInitOptions struct {
	// Components is the policy for a disconnected graph: "each" (the default) embeds
	// every component separately and places it, "error" returns an error, and "joint" solves one problem
	// for all, whose first coordinates then only separate the components.
	Components string
	// Scale is "none" (the default), "umap", which scales the largest absolute coordinate to 10, or
	// "tsne", which scales the standard deviation of the first column to 1e-4 (Kobak and Berens 2019).
	Scale    string
	Seed     uint64 // of the solver and of small components; 0 means 1
	Backend  string // as in [Options]
	Threads  int    // as in [Options]; does not change the result
	Memory   int64  // as in [Options]: a limit in bytes for the process; 0: none
	Progress func(Progress)
}

// SpectralStart is the result of [SpectralInit].
type SpectralStart struct {
	Y         *mat.Dense // n × dim
	Sizes     []int      // of the components, descending
	Values    []float64  // eigenvalues of the largest component; nil: it is too small
	Converged bool       // every solve reached its tolerance
}

// SpectralInit computes the spectral start of UMAP (McInnes, Healy and Melville 2018) and t-SNE: the
// eigenvectors of the normalised Laplacian I − D^−½WD^−½ of a weighted graph for the smallest
// positive eigenvalues, n × dim, each of unit length, with positive largest entry.
//
// The graph is the sparse n × n matrix W, of any type that [sparse.Of] accepts: symmetric,
// finite and nonnegative, such as UMAP's fuzzy graph or the affinities of t-SNE. Zero
// entries are not edges, and the diagonal is ignored.
//
// Components are placed as by umap-learn: up to 2·dim of them at ±1 on the axes, each scaled to
// half the distance to the nearest other; more of them on a square grid in the first two
// coordinates, the largest in the middle (umap-learn places those by the means of the
// samples, which are not known here). A component of at most dim + 1 vertices, or fewer than 2·dim,
// is drawn uniformly.
//
// One sparse factorisation and tens of solves for each component; see [eigen.Smallest].
func SpectralInit(ctx context.Context, graph mat.Matrix, dim int, o SpectralInitOptions) (*SpectralStart, error) {
	o.Components, o.Scale = cmp.Or(o.Components, "each"), cmp.Or(o.Scale, "none")
	if !slices.Contains([]string{"each", "error", "joint"}, o.Components) {
		return nil, fmt.Errorf("spectral init: components is %q; give each, error or joint", o.Components)
	}
	if !slices.Contains([]string{"none", "umap", "tsne"}, o.Scale) {
		return nil, fmt.Errorf("spectral init: scale is %q; give none, umap or tsne", o.Scale)
	}
	w, held, err := weightsOf(graph, o.Memory)
	if err != nil {
		return nil, err
	}
	if n := w.Rows; n < 2 || dim < 1 || dim >= n {
		return nil, fmt.Errorf("spectral init: %d coordinates requested of %d vertices; give from 1 to one fewer than these, of at least 2", dim, n)
	}
	kernels, err := blas.Select(o.Backend)
	if err != nil {
		return nil, err
	}
	job := method.NewRun(ctx, "spectral init", kernels, Options{Threads: o.Threads, Seed: o.Seed, Memory: o.Memory, Progress: o.Progress}, NewClock())
	start, err := solve.NewSpectralStart(job.Holding(held+8*int64(w.Rows)*int64(dim+4)), w, dim, o.Components, 0, 0)
	if err != nil {
		return nil, err
	}
	switch o.Scale {
	case "umap":
		solve.ScaleLargest(start.Y, 10)
	case "tsne":
		solve.ScaleDeviation(start.Y, 1e-4)
	}
	return (*SpectralStart)(start), nil
}

// weightsOf checks a matrix of weights and returns its positive off-diagonal entries,
// and the bytes held.
func weightsOf(graph mat.Matrix, limit int64) (*sparse.CSR, int64, error) {
	held, copied, isSparse := sparse.OfBytes(graph)
	if !isSparse {
		return nil, 0, errors.New("spectral init: the graph is not sparse; give a sparse.CSR or a matrix of github.com/james-bowman/sparse")
	}
	held += copied + held // its positive entries are copied
	if need := memory.Process(held); limit > 0 && need > limit {
		return nil, 0, run.Refusal("spectral init: the graph needs about %s where the limit is %s; give fewer edges, or raise the limit", limits.FormatBytes(need), limits.FormatBytes(limit))
	}
	a, _, err := sparse.Of(graph)
	if err == nil {
		err = a.CheckSymmetric()
	}
	if err != nil {
		return nil, 0, fmt.Errorf("spectral init: the graph: %w", err)
	}
	w := &sparse.CSR{Rows: a.Rows, Cols: a.Cols, Ptr: make([]int, 1, a.Rows+1), Col: make([]int32, 0, a.NNZ()), Val: make([]float64, 0, a.NNZ())}
	for i := range a.Rows {
		cols, vals := a.Row(i)
		for p, v := range vals {
			if !(v >= 0) || math.IsInf(v, 1) {
				return nil, 0, fmt.Errorf("spectral init: the weight in row %d, column %d (counting from 0) is %v; give finite weights ≥ 0", i, cols[p], v)
			}
			if v > 0 && int(cols[p]) != i {
				w.Col, w.Val = append(w.Col, cols[p]), append(w.Val, v)
			}
		}
		w.Ptr = append(w.Ptr, len(w.Col))
	}
	return w, held, nil
}
