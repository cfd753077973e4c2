package patch

import (
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/vector"
)

// TangentMap is the least-squares map J from the d leading tangent coordinates θ of a set of
// samples, about their mean, to their coordinates y: what an alignment takes for the
// derivative of the embedding there.
type TangentMap struct {
	Metric []float64 // JJᵀ, p × p for p columns of y
	Whole  []float64 // Σ(y − ȳ)(y − ȳ)ᵀ, p × p
	Left   []float64 // the same of what the map leaves of y
}

// NewTangentMap makes room for p coordinates.
func NewTangentMap(p int) TangentMap {
	room := make([]float64, 3*p*p)
	return TangentMap{Metric: room[:p*p], Whole: room[p*p : 2*p*p], Left: room[2*p*p:]}
}

// TangentMapper finds tangent maps. It is one worker's scratch.
type TangentMapper struct {
	laid     *samples.Laid
	spectrum *leftSpectrum
	y        []float64 // centred, column after column
	along    []float64
}

// NewTangentMapper makes the scratch for sets of so many samples and p coordinates.
func NewTangentMapper(in Local, most, p int) *TangentMapper {
	return &TangentMapper{laid: samples.NewLaid(in.X), spectrum: newLeftSpectrum(in.Kernels(), most), y: make([]float64, most*p), along: make([]float64, p)}
}

// Find fills in the map of a set in d tangent coordinates, and returns the shares of the
// set's variance that d − 1 and d directions leave. O(n·m·min(n, m) + min(n, m)³) for n samples
// of m columns.
func (t *TangentMapper) Find(set []int32, dim int, y *mat.Dense, into TangentMap) (thin, off float64) {
	n := len(set)
	_, p := y.Dims()
	columns, along := t.y[:n*p], t.along[:p]
	for f := range p {
		column := columns[f*n : f*n+n]
		var mean float64
		for a, j := range set {
			column[a] = y.At(int(j), f)
			mean += column[a]
		}
		mean /= float64(n)
		for a := range column {
			column[a] -= mean
		}
	}
	for f := range p {
		for g := range p {
			into.Whole[f*p+g] = blas.Dot(columns[f*n:f*n+n], columns[g*n:g*n+n])
		}
	}
	copy(into.Left, into.Whole)
	clear(into.Metric)
	z, m := t.laid.Centered(set)
	rank := t.spectrum.rank(z, n, m, dim)
	values := t.spectrum.values[:n]
	for r := range rank {
		u := t.spectrum.vectors[r*n : r*n+n]
		for f := range p {
			along[f] = blas.Dot(u, columns[f*n:f*n+n])
		}
		for f := range p {
			for g := range p {
				into.Metric[f*p+g] += along[f] * along[g] / values[r]
				into.Left[f*p+g] -= along[f] * along[g]
			}
		}
	}
	return tailOf(values, dim-1), tailOf(values, dim)
}

// Off is the share of a set's variance that d directions leave.
func (t *TangentMapper) Off(set []int32, dim int) float64 {
	z, m := t.laid.Centered(set)
	t.spectrum.analyze(z, len(set), m, 0)
	return tailOf(t.spectrum.values[:len(set)], dim)
}

// tailOf is the share of the eigenvalues behind the first j; 0 where all are 0.
func tailOf(values []float64, j int) float64 {
	whole := vector.Sum(values)
	if !(whole > 0) || j >= len(values) {
		return 0
	}
	return vector.Sum(values[j:]) / whole
}
