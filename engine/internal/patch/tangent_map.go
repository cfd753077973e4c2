package patch

import (
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/samples"
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

// TangentMapper finds the tangent maps of the beginnings of lists of samples. It is one worker's
// scratch.
type TangentMapper struct{ spectra *nestedSpectra }

// NewTangentMapper makes the scratch.
func NewTangentMapper(in Local) *TangentMapper { return &TangentMapper{newNestedSpectra(in)} }

// TangentMapperBytes is its memory for lists of up to so many samples and d coordinates.
func TangentMapperBytes(x samples.Samples, most, dim int) int64 {
	return nestedBytes(x, most, dim, dim)
}

// Begin takes a list of samples, which stays in use, and the coordinates of all samples; nil:
// only [TangentMapper.Off] is asked for.
func (t *TangentMapper) Begin(set []int32, y *mat.Dense) { t.spectra.begin(set, y) }

// Find fills in the map of the first n samples of the list in d tangent coordinates, and returns
// the shares of their variance that d − 1 and d directions leave. n ascends from call to call.
// For m columns it takes O(nm·min(n, m)) for the samples that are new, and O(min(n, m)³).
func (t *TangentMapper) Find(n, dim int, into TangentMap) (thin, off float64) {
	s := t.spectra
	values, sum, rank := s.leading(n, dim, true)
	order := min(n, s.m)
	copy(into.Whole, s.whole)
	copy(into.Left, s.whole)
	clear(into.Metric)
	for r := range rank {
		along := s.along[r*s.p : r*s.p+s.p]
		for f := range s.p {
			for g := range s.p {
				into.Metric[f*s.p+g] += along[f] * along[g] / values[r]
				into.Left[f*s.p+g] -= along[f] * along[g]
			}
		}
	}
	return tailOf(values, sum, order, dim-1), tailOf(values, sum, order, dim)
}

// Off is the share of the variance of the first n samples that d directions leave.
func (t *TangentMapper) Off(n, dim int) float64 {
	values, sum, _ := t.spectra.leading(n, dim, false)
	return tailOf(values, sum, min(n, t.spectra.m), dim)
}

// tailOf is the share of the sum of so many eigenvalues that is behind the first j, of which the
// values are given; 0 where all are 0.
func tailOf(values []float64, sum float64, count, j int) float64 {
	if !(sum > 0) || j >= count {
		return 0
	}
	left := sum
	for _, v := range values[:j] {
		left -= v
	}
	return max(left, 0) / sum
}
