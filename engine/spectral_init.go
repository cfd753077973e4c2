package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/memory"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/eigen"
	"github.com/orthant-go/orthant/sparse"
)

// SpectralInitOptions are the options of [SpectralInit]. The zero value is the default.
type SpectralInitOptions struct {
	// Components says what becomes of a disconnected graph: "each" (the default) embeds
	// every component apart and places it, "error" refuses, and "joint" solves for all as
	// one, whose first coordinates then only tell the components apart.
	Components string
	// Scale is "none" (the default), "umap": the largest coordinate in size is 10, or
	// "tsne": the standard deviation of the first column is 1e-4 (Kobak and Berens 2019).
	Scale    string
	Seed     uint64 // of the solver and of small components; 0: 1
	Backend  string // as in [Options]
	Threads  int    // as in [Options]; changes no bit
	Memory   int64  // as in [Options]: a limit in bytes of the process; 0: none
	Progress func(Progress)
}

// SpectralStart is what [SpectralInit] found.
type SpectralStart struct {
	Y         *mat.Dense // n × dim
	Sizes     []int      // of the components, the largest first
	Values    []float64  // the eigenvalues of the largest component; nil where that is too small to have them
	Converged bool       // every solve met its tolerance
}

// SpectralInit computes the spectral start of UMAP (McInnes, Healy and Melville 2018) and t-SNE: the
// eigenvectors of the normalised Laplacian I − D^−½WD^−½ of a weighted graph with the smallest
// positive eigenvalues, n × dim, each of unit length, its largest entry in size positive.
//
// The graph is the n × n matrix W, sparse, of any type that [sparse.Of] takes: symmetric,
// finite and not negative, such as UMAP's fuzzy graph or the affinities of t-SNE. Entries that are
// zero are no edges, and the diagonal does not count.
//
// Components are placed as umap-learn does: up to 2·dim of them at ±1 on the axes, each scaled to
// half the distance to the nearest other; more of them on a square grid in the first two
// coordinates, the largest in its middle (umap-learn places those by the means of the
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
		return nil, fmt.Errorf("spectral init: %d coordinates asked of %d vertices; give from 1 to one fewer than these, of at least 2", dim, n)
	}
	s := &spectralStart{w: w, dim: dim, options: o, held: held + 8*int64(w.Rows)*int64(dim+4), place: make([]int32, w.Rows), random: blas.NewStream(max(o.Seed, 1))}
	if s.kernels, err = blas.Select(o.Backend); err != nil {
		return nil, err
	}
	label, sizes, err := sparse.Components(w)
	if err != nil {
		return nil, fmt.Errorf("spectral init: %w", err)
	}
	lists := neighborhood.Members(label, sizes)
	s.result = &SpectralStart{Y: mat.NewDense(w.Rows, dim, nil), Converged: true}
	for _, list := range lists {
		s.result.Sizes = append(s.result.Sizes, len(list))
	}
	switch {
	case len(lists) == 1:
		err = s.whole(ctx, lists[0])
	case o.Components == "error":
		return nil, wording.Errorf("spectral init: the graph has %d components (%s); give ‹components=each› or joint", len(lists), neighborhood.ListSizes(s.result.Sizes))
	case o.Components == "joint":
		all := make([]int, w.Rows)
		for i := range all {
			all[i] = i
		}
		err = s.whole(ctx, all)
	default:
		err = s.apart(ctx, lists)
	}
	if err != nil {
		return nil, err
	}
	s.scale()
	return s.result, nil
}

// weightsOf checks a matrix of weights and returns its positive entries off the diagonal,
// with the bytes that are held.
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

// spectralStart is one call of [SpectralInit] under way.
type spectralStart struct {
	w       *sparse.CSR
	dim     int
	options SpectralInitOptions
	held    int64
	kernels *blas.Kernels
	random  *blas.Stream
	result  *SpectralStart
	place   []int32 // of each vertex in its component, of the one that is worked on
	done    int     // vertices that have coordinates
}

// drawn reports whether a component is too small for its eigenvectors.
func (s *spectralStart) drawn(size int) bool { return size <= s.dim+1 || size < 2*s.dim }

// whole embeds all vertices by one problem.
func (s *spectralStart) whole(ctx context.Context, members []int) error {
	if s.drawn(len(members)) {
		s.draw(members, make([]float64, s.dim), 1)
		return nil
	}
	vectors, err := s.eigenvectors(ctx, members)
	if err != nil {
		return err
	}
	for j, v := range vectors {
		s.result.Y.SetCol(j, v)
	}
	return nil
}

// apart embeds every component on its own.
func (s *spectralStart) apart(ctx context.Context, lists [][]int) error {
	places, reach := componentPlaces(len(lists), s.dim)
	for c, members := range lists {
		if s.drawn(len(members)) {
			s.draw(members, places(c), reach)
			continue
		}
		vectors, err := s.eigenvectors(ctx, members)
		if err != nil {
			return err
		}
		var most float64
		for _, v := range vectors {
			for _, x := range v {
				most = max(most, math.Abs(x))
			}
		}
		at := places(c)
		for j, v := range vectors {
			for to, i := range members {
				s.result.Y.Set(i, j, at[j]+v[to]*reach/most)
			}
		}
	}
	return nil
}

// draw places vertices at random within reach of a place.
func (s *spectralStart) draw(members []int, at []float64, reach float64) {
	for _, i := range members {
		for j := range s.dim {
			s.result.Y.Set(i, j, at[j]+reach*(2*s.random.Uniform()-1))
		}
	}
	s.done += len(members)
}

// eigenvectors returns those of the normalised Laplacian of some vertices.
func (s *spectralStart) eigenvectors(ctx context.Context, members []int) ([][]float64, error) {
	laplacian, null := s.laplacian(members)
	o := eigen.Options{Kernels: s.kernels, Threads: s.options.Threads, Seed: max(s.options.Seed, 1), Laplacian: true, Bound: 2, Trusted: true}
	if s.options.Memory > 0 {
		o.Memory = max(memory.Live(s.options.Memory)-s.held-laplacian.Bytes(), 1)
	}
	if tell := s.options.Progress; tell != nil {
		before, share := float64(s.done)/float64(s.w.Rows), float64(len(members))/float64(s.w.Rows)
		o.Progress = func(done float64) { tell(Progress{Phase: "solve", Done: before + share*done}) }
	}
	e, err := eigen.Smallest(ctx, laplacian, [][]float64{null}, s.dim, o)
	if e, is := errors.AsType[*eigen.MemoryError](err); is {
		return nil, run.Refusal("spectral init: the eigensolver needs about %s where the limit is %s; give fewer edges, or raise the limit",
			limits.FormatBytes(memory.Process(s.held+laplacian.Bytes()+e.Need)), limits.FormatBytes(s.options.Memory))
	}
	if err != nil {
		return nil, fmt.Errorf("spectral init: %w", err)
	}
	for _, v := range e.Vectors {
		if largest := slices.MaxFunc(v, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) }); largest < 0 {
			blas.Scale(-1, v)
		}
	}
	s.result.Converged = s.result.Converged && e.Converged
	if s.result.Values == nil {
		s.result.Values = e.Values // the largest component comes first
	}
	s.done += len(members)
	return e.Vectors, nil
}

// laplacian returns that of the subgraph of some vertices, ascending, and its known null
// vector D^½1. A vertex without edges has a row of zeros.
func (s *spectralStart) laplacian(members []int) (*sparse.CSR, []float64) {
	place, root := s.place, make([]float64, len(members))
	var entries int
	for to, i := range members {
		place[i] = int32(to)
		_, vals := s.w.Row(i)
		entries += len(vals) + 1
		var degree float64
		for _, v := range vals {
			degree += v
		}
		root[to] = math.Sqrt(degree)
	}
	l := &sparse.CSR{Rows: len(members), Cols: len(members), Ptr: make([]int, 1, len(members)+1), Col: make([]int32, 0, entries), Val: make([]float64, 0, entries)}
	for to, i := range members {
		cols, vals := s.w.Row(i)
		put := len(cols) == 0
		for p, j := range cols {
			if int(j) > i && !put {
				l.Col, l.Val, put = append(l.Col, int32(to)), append(l.Val, 1), true
			}
			l.Col, l.Val = append(l.Col, place[j]), append(l.Val, -vals[p]/(root[to]*root[place[j]]))
		}
		if !put {
			l.Col, l.Val = append(l.Col, int32(to)), append(l.Val, 1)
		}
		l.Ptr = append(l.Ptr, len(l.Col))
	}
	blas.Scale(1/math.Sqrt(blas.Dot(root, root)), root)
	return l, root
}

// scale brings the coordinates to the size that was asked for.
func (s *spectralStart) scale() {
	y := s.result.Y
	switch s.options.Scale {
	case "umap":
		if most := max(mat.Max(y), -mat.Min(y)); most > 0 {
			y.Scale(10/most, y)
		}
	case "tsne":
		column := mat.Col(nil, 0, y)
		mean := floats.Sum(column) / float64(len(column))
		floats.AddConst(-mean, column)
		if deviation := floats.Norm(column, 2) / math.Sqrt(float64(len(column))); deviation > 0 {
			y.Scale(1e-4/deviation, y)
		}
	}
}

// componentPlaces returns where the components stand, the largest first, and how far their
// vertices may lie from there: half the least distance of two places.
func componentPlaces(count, dim int) (place func(c int) []float64, reach float64) {
	if count <= 2*dim {
		half := (count + 1) / 2 // as umap-learn: +1 on half of the axes, then −1 on the same
		reach = math.Sqrt2 / 2
		if half == 1 {
			reach = 1
		}
		return func(c int) []float64 {
			at := make([]float64, dim)
			at[c%half] = 1
			if c >= half {
				at[c%half] = -1
			}
			return at
		}, reach
	}
	return func(c int) []float64 {
		at := make([]float64, dim)
		if dim == 1 {
			at[0] = float64((c + 1) / 2)
			if c%2 == 0 {
				at[0] = -at[0]
			}
			return at
		}
		at[0], at[1] = onSpiral(c)
		return at
	}, 0.5
}

// onSpiral returns the c-th place of the square spiral through the integer grid.
func onSpiral(c int) (x, y float64) {
	ring := int(math.Ceil((math.Sqrt(float64(c+1)) - 1) / 2))
	if ring == 0 {
		return 0, 0
	}
	side := 2 * ring
	along := c - (side-1)*(side-1) // from the corner behind (ring, −ring) on
	q, r := along/side, float64(along%side+1)
	k := float64(ring)
	switch q {
	case 0:
		return k, -k + r
	case 1:
		return k - r, k
	case 2:
		return -k, k - r
	}
	return -k + r, -k
}
