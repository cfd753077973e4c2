package engine

import (
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// Single is a dense matrix in float32, row after row without gaps. In [Factorize] nmf and nmf-kl keep
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

// single are samples in float32, where the data are and the method keeps them so.
func single(x mat.Matrix, keeps bool) (samples.Samples, bool) {
	s, is := x.(*Single)
	if !is || !keeps {
		return samples.Samples{}, false
	}
	return samples.OfSingle(s.Rows, s.Cols, s.Data), true
}

// keepsSingle tells whether a factorisation by a start keeps samples in float32. Where entries
// may be missing it does not.
func keepsSingle(init string, u Updates, g MissingEntries) bool {
	return g.Missing != "weight" && (init == "" || init == nmf.RandomStart) && (u.Shift == "" || u.Shift == "none")
}

func (p NMF) keepsSingle() bool   { return keepsSingle(p.Init, p.Updates, p.MissingEntries) }
func (p NMFKL) keepsSingle() bool { return keepsSingle(p.Init, p.Updates, p.MissingEntries) }

// KeepsSingle tells whether [Factorize] keeps a [Single] as it is.
func KeepsSingle(m Method) bool {
	p, may := m.(interface{ keepsSingle() bool })
	return may && p.keepsSingle()
}
