package engine

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// hold counts the memory of the data, and refuses a copy that does not fit. A sparse
// matrix of any type is returned as a [*sparse.CSR], any other unchanged.
func (s state) hold(x mat.Matrix) (state, mat.Matrix, error) {
	held, copied, isSparse := sparse.OfBytes(x)
	if !isSparse {
		s.Run = s.Holding(heldDense(x))
		return s, x, nil
	}
	s.Run = s.Holding(held)
	if copied > 0 {
		if err := s.Fit(copied, "the sparse data in compressed rows need", "give a sparse.CSR with the columns of each row ascending and distinct, or raise the limit"); err != nil {
			return s, nil, err
		}
	}
	a, _, err := sparse.Of(x)
	if err != nil {
		return s, nil, fmt.Errorf("%s: %w", s.Method(), err)
	}
	s.Run = s.Holding(copied)
	return s, a, nil
}

// heldDense returns the memory of data that are not sparse: 8nm bytes, twice if rows with gaps or in
// another form have to be copied.
func heldDense(x mat.Matrix) int64 {
	n, m := x.Dims()
	switch x := x.(type) {
	case *Single:
		return 4 * int64(n) * int64(m)
	case *neighbors.Stored:
		return x.Bytes() + x.WidenedBytes()
	}
	bytes := 8 * int64(n) * int64(m)
	if copiedFrom(x) {
		bytes *= 2
	}
	return bytes
}

// copiedFrom reports whether the samples of a matrix are a copy of it.
func copiedFrom(x mat.Matrix) bool {
	if stored, is := x.(*neighbors.Stored); is {
		return stored.WidenedBytes() > 0
	}
	raw, is := x.(mat.RawMatrixer)
	return !is || raw.RawMatrix().Stride != raw.RawMatrix().Cols
}

// read makes samples of the data in their form: dense or compressed rows, or
// absent if a graph replaces them.
type read struct {
	data       mat.Matrix
	keepSingle bool // a [Single] stays in float32
}

func (g read) apply(s state) (state, undo, error) {
	switch x := g.data.(type) {
	case shape:
		s.x = samples.Unknown(x.rows)
		return s, nil, nil
	case *sparse.CSR:
		s.x = samples.OfCompressed(x)
		return s, nil, nil
	case *Single:
		if g.keepSingle {
			s.x = samples.OfSingle(x.Rows, x.Cols, x.Data)
			return s, nil, nil
		}
		need := 8 * int64(x.Rows) * int64(x.Cols)
		if err := s.Fit(need, "this method needs the float32 data in float64, which takes", "take fewer samples, or raise the limit"); err != nil {
			return s, nil, err
		}
		s.Run = s.Holding(need)
	}
	s.x, s.own = samples.Of(g.data), copiedFrom(g.data)
	return s, nil, nil
}

// Remedies if sparse samples do not fit into memory when they are made dense.
const (
	fewerEntries = "take fewer samples or columns, or raise the limit"
	staysSparse  = "take a method that keeps them sparse (kmeans, nmf, gnmf, cim-nmf, spectral …), or raise the limit"
)

// maxDense is a size of dense data, in bytes, that exceeds the address space.
const maxDense = 1 << 47

// densify makes sparse samples dense, unless the method keeps them sparse.
type densify struct {
	always bool
	remedy string // if they do not fit
}

func (g densify) apply(s state) (state, undo, error) {
	a := s.x.Compressed()
	if a == nil {
		return s, nil, nil
	}
	if a.Rows == 0 || a.Cols == 0 {
		s.x = samples.Of(a.Dense())
		return s, nil, nil
	}
	if !g.always && method.RowOf(s.method).KeepsSparse() {
		s.Explain("data: sparse, %d entries in compressed rows, which stay so", a.NNZ())
		return s, nil, nil
	}
	need := 8 * float64(a.Rows) * float64(a.Cols)
	if need >= maxDense {
		return s, nil, s.Refuse("this method needs the %d × %d sparse data dense, which no machine holds; take fewer samples or columns", a.Rows, a.Cols)
	}
	if err := s.Fit(int64(need), fmt.Sprintf("this method needs the %d × %d sparse data dense, which takes", a.Rows, a.Cols), g.remedy); err != nil {
		return s, nil, err
	}
	s.Explain("data: sparse, made dense, as %s centres, scales or compares every entry", s.Method())
	s.Run = s.Holding(int64(need))
	s.x = samples.Of(a.Dense())
	return s, nil, nil
}

// Single is a dense matrix in float32, row by row without gaps. In [Factorize] nmf and nmf-kl keep
// it in float32, in half the memory, unless they start from singular vectors, shift it or scale it.
// Computations are in float64, and results have the same bits as for the same numbers in float64. All
// other work makes a float64 copy.
type Single struct {
	Rows, Cols int
	Data       []float32
}

// Dims returns the number of rows and columns.
func (s *Single) Dims() (r, c int) { return s.Rows, s.Cols }

// At returns an entry.
func (s *Single) At(i, j int) float64 {
	if i < 0 || i >= s.Rows || j < 0 || j >= s.Cols {
		panic("engine: index out of range")
	}
	return float64(s.Data[i*s.Cols+j])
}

// T returns the transpose as a view.
func (s *Single) T() mat.Matrix { return mat.Transpose{Matrix: s} }

// KeepsSingle reports whether [Factorize] keeps a [Single] in float32.
func KeepsSingle(m Method) bool {
	return method.RowOf(m).KeepsSingle
}

// shape represents data with unknown entries.
type shape struct{ rows, cols int }

func (x shape) Dims() (rows, cols int) { return x.rows, x.cols }
func (x shape) At(i, j int) float64    { panic("engine: samples that are not known") }
func (x shape) T() mat.Matrix          { return mat.Transpose{Matrix: x} }

// unknownRows represents the data if a graph replaces them: n samples without
// columns.
func unknownRows(n int) mat.Matrix { return shape{n, 0} }
