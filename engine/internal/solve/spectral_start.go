package solve

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/eigen"
	"github.com/orthant-go/orthant/sparse"
)

// SpectralStart has the unit eigenvectors of the normalised Laplacian I − D^−½WD^−½ for the smallest positive
// eigenvalues, with positive largest entry. Several components are treated separately.
type SpectralStart struct {
	Y         *mat.Dense // n × dim
	Sizes     []int      // of the components, descending
	Values    []float64  // eigenvalues of the largest component; nil: it is too small
	Converged bool       // every solve reached its tolerance
}

// NewSpectralStart computes the start of a symmetric graph with positive weights and no diagonal.
// components selects the policy for several components: each, error or joint. columns is the number of
// columns of the data of the graph, 0 if unknown. A tolerance of 0 selects the default
// of the eigensolver.
func NewSpectralStart(job *run.Run, w *sparse.CSR, dim int, components string, columns int, tolerance float64) (*SpectralStart, error) {
	s := &spectralStart{job: job, w: w, dim: dim, columns: columns, tolerance: tolerance, place: make([]int32, w.Rows), random: blas.NewStream(max(job.Seed(), 1))}
	label, sizes, err := sparse.Components(w)
	if err != nil {
		return nil, err
	}
	lists := neighborhood.Members(label, sizes)
	s.result = &SpectralStart{Y: mat.NewDense(w.Rows, dim, nil), Converged: true}
	for _, list := range lists {
		s.result.Sizes = append(s.result.Sizes, len(list))
	}
	switch {
	case len(lists) == 1:
		err = s.whole(lists[0])
	case components == "error":
		return nil, wording.Errorf("%s: the graph has %d components (%s); give ‹components=each› or joint", job.Method(), len(lists), neighborhood.ListSizes(s.result.Sizes))
	case components == "joint":
		all := make([]int, w.Rows)
		for i := range all {
			all[i] = i
		}
		err = s.whole(all)
	default:
		err = s.apart(lists)
	}
	return s.result, err
}

// ScaleLargest scales y so that the largest absolute coordinate equals size.
func ScaleLargest(y *mat.Dense, size float64) {
	if most := max(mat.Max(y), -mat.Min(y)); most > 0 {
		y.Scale(size/most, y)
	}
}

// ScaleDeviation scales y so that the standard deviation of the first column equals size.
func ScaleDeviation(y *mat.Dense, size float64) {
	column := mat.Col(nil, 0, y)
	mean := floats.Sum(column) / float64(len(column))
	floats.AddConst(-mean, column)
	if deviation := floats.Norm(column, 2) / math.Sqrt(float64(len(column))); deviation > 0 {
		y.Scale(size/deviation, y)
	}
}

// spectralStart is the state of one [NewSpectralStart].
type spectralStart struct {
	job       *run.Run
	w         *sparse.CSR
	dim       int
	columns   int
	tolerance float64
	random    *blas.Stream
	result    *SpectralStart
	place     []int32 // index of each vertex in the current component
	done      int     // number of vertices with coordinates
}

// drawn reports whether a component is too small for eigenvectors and is placed at random.
func (s *spectralStart) drawn(size int) bool { return size <= s.dim+1 || size < 2*s.dim }

// whole embeds all vertices as one problem.
func (s *spectralStart) whole(members []int) error {
	if s.drawn(len(members)) {
		s.draw(members, make([]float64, s.dim), 1)
		return nil
	}
	vectors, err := s.eigenvectors(members)
	if err != nil {
		return err
	}
	for j, v := range vectors {
		s.result.Y.SetCol(j, v)
	}
	return nil
}

// apart embeds every component separately.
func (s *spectralStart) apart(lists [][]int) error {
	places, reach := componentPlaces(len(lists), s.dim)
	for c, members := range lists {
		if s.drawn(len(members)) {
			s.draw(members, places(c), reach)
			continue
		}
		vectors, err := s.eigenvectors(members)
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

// eigenvectors returns the eigenvectors of the normalised Laplacian of some vertices.
func (s *spectralStart) eigenvectors(members []int) ([][]float64, error) {
	laplacian, null := s.laplacian(members)
	job := s.job.Holding(laplacian.Bytes())
	o := eigen.Options{Kernels: job.Kernels(), Threads: job.Threads(), Seed: max(job.Seed(), 1), Memory: job.Remaining(), Laplacian: true, Columns: s.columns, Bound: 2, Trusted: true}
	report := job.Fraction("solve")
	before, share := float64(s.done)/float64(s.w.Rows), float64(len(members))/float64(s.w.Rows)
	o.Progress = func(done float64) { report(before + share*done) }
	o.Planned = func(plan eigen.Plan) { job.Exceeds(plan.Bytes) }
	var e *eigen.Eigen
	var err error
	if s.tolerance > 0 {
		e, err = eigen.Pencil{A: laplacian, Null: [][]float64{null}, Tolerance: s.tolerance}.Smallest(job.Context(), s.dim, o)
	} else {
		e, err = eigen.Smallest(job.Context(), laplacian, [][]float64{null}, s.dim, o)
	}
	if e, is := errors.AsType[*eigen.MemoryError](err); is {
		return nil, job.Fit(e.Need, "the eigensolver needs", "give fewer edges, or raise the limit")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", job.Method(), err)
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

// laplacian returns the normalised Laplacian of the subgraph of some vertices, ascending, and its known
// null vector D^½1. A vertex without edges has a row of zeros.
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

// componentPlaces returns the places of the components, the largest first, and the maximal distance of their
// vertices from there: half the smallest distance of two places.
func componentPlaces(count, dim int) (place func(c int) []float64, reach float64) {
	if count <= 2*dim {
		half := (count + 1) / 2 // as in umap-learn: +1 on half of the axes, then −1 on the same
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

// onSpiral returns the c-th point of the square spiral on the integer grid.
func onSpiral(c int) (x, y float64) {
	ring := int(math.Ceil((math.Sqrt(float64(c+1)) - 1) / 2))
	if ring == 0 {
		return 0, 0
	}
	side := 2 * ring
	along := c - (side-1)*(side-1) // from the corner after (ring, −ring)
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
