package patch

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/vector"
)

// nestedSpectra finds the leading principal directions of prefixes of a list of samples,
// each about its own mean, and the coordinates of the samples along them. Quantities that depend on pairs of
// samples or columns are computed once for all prefixes, from differences between samples, so that
// no digits are lost to a mean far from 0. It is the scratch of one worker.
//
// A prefix of n samples is decomposed by the smaller of two matrices: the Gram matrix −½JD²J
// of their squared distances D², where J subtracts the mean (Torgerson 1952), or the scatter
// ZᵀZ − ssᵀ/n of their differences Z to the first sample, with sums s.
type nestedSpectra struct {
	kernels  *blas.Kernels
	x        samples.Samples
	gathered *samples.Gathered
	work     blas.Work

	set  []int32
	y    *mat.Dense // nil: there are no coordinates
	p    int        // of the coordinates
	m    int        // columns of the samples
	rows []float64  // Z; nil: dense data with no more samples than columns

	square   []float64 // D², lower triangle
	side     int       // of square
	far      int       // number of samples whose distances are in square
	joint    []float64 // the rows of Z and of the coordinates, side by side
	products []float64 // products of the columns of joint, summed over samples; lower triangle
	sums     []float64 // sums of those columns
	summed   int       // number of samples in the sums

	matrix, mean    []float64 // the decomposed matrix; means needed to compute it
	centred         []float64 // the coordinates about their mean, column after column
	values, vectors []float64
	along           []float64 // uᵀy of each direction u and coordinate y, direction after direction
	whole           []float64 // Σ(y − ȳ)(y − ȳ)ᵀ
}

func newNestedSpectra(in Local) *nestedSpectra {
	return &nestedSpectra{kernels: in.Kernels(), x: in.X, gathered: samples.NewGathered(in.X)}
}

// nestedBytes returns the memory of the scratch for lists of up to n samples with p coordinates
// and up to count directions.
func nestedBytes(x samples.Samples, most, p, count int) int64 {
	n, m := int64(most), int64(x.M())
	q, w := min(n, m), m+int64(p)
	bytes := 2*q*q + 2*n + (int64(count)+int64(p))*(n+int64(p)) + 128*q // with the eigensolver's
	if n > m {
		bytes += n*w + w*w + w
	}
	if n > m || x.Compressed() != nil {
		return 8*bytes + x.GatheredBytes(most)
	}
	return 8 * bytes
}

// begin takes a list, and the coordinates of all samples.
func (s *nestedSpectra) begin(set []int32, y *mat.Dense) {
	s.set, s.far, s.summed = set, 0, 0
	if s.y, s.p = y, 0; y != nil {
		_, s.p = y.Dims()
	}
	if s.rows, s.m = nil, s.x.M(); s.x.Compressed() != nil || len(set) > s.m {
		s.rows, s.m = s.gathered.Differences(int(set[0]), set)
	}
	n, w := len(set), s.m+s.p
	s.side = min(n, s.m)
	s.square, s.matrix, s.mean = sized(s.square, s.side*s.side), sized(s.matrix, s.side*s.side), sized(s.mean, s.side)
	s.centred, s.whole = sized(s.centred, n*s.p), sized(s.whole, s.p*s.p)
	if n > s.m {
		s.joint, s.products, s.sums = sized(s.joint, n*w), sized(s.products, w*w), sized(s.sums, w)
	}
}

// sized returns a slice of n numbers with arbitrary values.
func sized(v []float64, n int) []float64 { return slices.Grow(v[:0], n)[:n] }

// leading decomposes the first n samples, and returns the count largest of the squared singular values,
// descending, at most as many as there are, with the sum of all. If directions is set, the part of the coordinates
// along the directions above rounding level is written to along; a computed null vector
// need not be orthogonal to the constants. n ascends from call to call until the next list.
func (s *nestedSpectra) leading(n, count int, directions bool) (values []float64, sum float64, rank int) {
	q := min(n, s.m)
	count = min(count, q)
	if n <= s.m {
		s.gram(n)
	} else {
		s.scatter(n)
	}
	for i := range q {
		sum += s.matrix[i*q+i]
	}
	s.values = sized(s.values, count)
	values = s.values
	var vectors []float64
	if directions {
		s.vectors = sized(s.vectors, count*q)
		vectors = s.vectors
	}
	// Data is finite: it converges.
	_ = blas.SymEigLargest(q, count, s.matrix[:q*q], values, vectors, &s.work)
	for j := range values {
		values[j] = max(values[j], 0)
	}
	if directions {
		for rank < count && values[rank] > roundingShare*math.Max(values[0], 0x1p-1022) {
			rank++
		}
		s.project(n, rank)
	}
	return values, sum, rank
}

// gram fills in the Gram matrix of the first n samples. O(n²m) for new samples.
func (s *nestedSpectra) gram(n int) {
	for ; s.far < n; s.far++ {
		a := s.far
		for b := range a {
			s.square[a*s.side+b] = blas.SquaredDistance(s.row(a), s.row(b))
		}
	}
	mean := s.mean[:n]
	clear(mean)
	var all float64
	for a := range n {
		for b, v := range s.square[a*s.side : a*s.side+a] {
			mean[a] += v
			mean[b] += v
		}
	}
	for a := range mean {
		mean[a] /= float64(n)
		all += mean[a] / float64(n)
	}
	for a := range n {
		for b, v := range s.square[a*s.side : a*s.side+a] {
			g := (mean[a] + mean[b] - all - v) / 2
			s.matrix[a*n+b], s.matrix[b*n+a] = g, g
		}
		s.matrix[a*n+a] = mean[a] - all/2
	}
}

// row returns a sample, or its difference to the first.
func (s *nestedSpectra) row(a int) []float64 {
	if s.rows == nil {
		return s.x.Row(int(s.set[a]))
	}
	return s.rows[a*s.m : a*s.m+s.m]
}

// minProduct is the number of columns from which a matrix product is faster.
const minProduct = 8

// scatter fills in the scatter matrix of the first n samples. O(nm²) for new samples.
func (s *nestedSpectra) scatter(n int) {
	w, m := s.m+s.p, s.m
	if s.summed == 0 {
		clear(s.sums)
		clear(s.products)
	}
	first := s.summed
	for ; s.summed < n; s.summed++ {
		row := s.joint[s.summed*w : s.summed*w+w]
		copy(row, s.row(s.summed))
		for f := range s.p {
			row[m+f] = s.y.At(int(s.set[s.summed]), f) - s.y.At(int(s.set[0]), f)
		}
		for c, v := range row {
			s.sums[c] += v
		}
		if w < minProduct {
			for c, v := range row {
				products := s.products[c*w : c*w+c+1]
				for e, u := range row[:c+1] {
					products[e] += v * u
				}
			}
		}
	}
	if w >= minProduct && n > first {
		s.kernels.Gemm(true, false, w, w, n-first, 1, s.joint[first*w:n*w], w, s.joint[first*w:n*w], w, 1, s.products, w)
	}
	for c := range m {
		for e := range c + 1 {
			v := s.about(c, e, n)
			s.matrix[c*m+e], s.matrix[e*m+c] = v, v
		}
	}
}

// about returns the sum of products of two columns of joint about their means, e ≤ c.
func (s *nestedSpectra) about(c, e, n int) float64 {
	return s.products[c*(s.m+s.p)+e] - s.sums[c]/float64(n)*s.sums[e]
}

// project fills in along and whole for the first n samples.
func (s *nestedSpectra) project(n, rank int) {
	s.along = sized(s.along, rank*s.p)
	if n > s.m {
		s.projectColumns(n, rank)
		return
	}
	for f := range s.p {
		column := s.centred[f*n : f*n+n]
		var mean float64
		for a := range column {
			column[a] = s.y.At(int(s.set[a]), f)
			mean += column[a]
		}
		mean /= float64(n)
		for a := range column {
			column[a] -= mean
		}
		for g := range f + 1 {
			v := blas.Dot(column, s.centred[g*n:g*n+n])
			s.whole[f*s.p+g], s.whole[g*s.p+f] = v, v
		}
		for r := range rank {
			s.along[r*s.p+f] = blas.Dot(s.vectors[r*n:r*n+n], column)
		}
	}
}

// projectColumns is project with u = Ze/√λ for the eigenvectors e of the scatter.
func (s *nestedSpectra) projectColumns(n, rank int) {
	m, cross := s.m, s.mean[:s.m]
	for f := range s.p {
		for g := range f + 1 {
			v := s.about(m+f, m+g, n)
			s.whole[f*s.p+g], s.whole[g*s.p+f] = v, v
		}
		for c := range cross {
			cross[c] = s.about(m+f, c, n)
		}
		for r := range rank {
			s.along[r*s.p+f] = blas.Dot(s.vectors[r*m:r*m+m], cross) / math.Sqrt(s.values[r])
		}
	}
}

// TangentMap is the least-squares map J from the d leading tangent coordinates θ of a set of
// samples, about their mean, to their coordinates y. An alignment takes it for the
// derivative of the embedding there.
type TangentMap struct {
	Metric []float64 // JJᵀ, p × p for p columns of y
	Whole  []float64 // Σ(y − ȳ)(y − ȳ)ᵀ, p × p
	Left   []float64 // the same for the residual of the map
}

// NewTangentMap makes room for p coordinates.
func NewTangentMap(p int) TangentMap {
	room := make([]float64, 3*p*p)
	return TangentMap{Metric: room[:p*p], Whole: room[p*p : 2*p*p], Left: room[2*p*p:]}
}

// TangentMapper finds the tangent maps of prefixes of lists of samples. It is the scratch of one
// worker.
type TangentMapper struct{ spectra *nestedSpectra }

// NewTangentMapper returns a mapper.
func NewTangentMapper(in Local) *TangentMapper { return &TangentMapper{newNestedSpectra(in)} }

// TangentMapperBytes returns the memory of a [TangentMapper] for lists of up to n samples and d coordinates.
func TangentMapperBytes(x samples.Samples, most, dim int) int64 {
	return nestedBytes(x, most, dim, dim)
}

// Begin takes a list of samples, which stays in use, and the coordinates of all samples; nil:
// only [TangentMapper.UnexplainedShare] will be called.
func (t *TangentMapper) Begin(set []int32, y *mat.Dense) { t.spectra.begin(set, y) }

// Find fills in the map of the first n samples of the list in d tangent coordinates, and returns
// the shares of their variance outside d − 1 and d directions. n ascends from call to call.
// For m columns it takes O(nm·min(n, m)) for new samples, and O(min(n, m)³).
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

// UnexplainedShare returns the share of the variance of the first n samples outside d directions.
func (t *TangentMapper) UnexplainedShare(n, dim int) float64 {
	values, sum, _ := t.spectra.leading(n, dim, false)
	return tailOf(values, sum, min(n, t.spectra.m), dim)
}

// tailOf returns the share of the sum of count eigenvalues that is after the first j, whose
// values are given; 0 if all are 0.
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

// TailShares returns 1 − Σ_{l≤j} λ_l / Σ λ of some neighbourhoods, the share outside a flat piece of j
// dimensions, in row j for j from 0 to most. λ are the eigenvalues of the
// scatter of a list and its sample about their mean. O(k²m + k³) for each neighbourhood.
func TailShares(in Local, some []int, lists [][]int32, most int) ([][]float64, error) {
	shares := make([][]float64, most+1)
	for j := range shares {
		shares[j] = make([]float64, len(some))
	}
	type scratch struct {
		set     []int32
		spectra *nestedSpectra
	}
	workers := make([]*scratch, blas.Threads(in.Threads()))
	err := blas.For(in.Context(), in.Threads(), len(some), blockSome, func(w, lo, hi int) {
		if workers[w] == nil {
			workers[w] = &scratch{nil, newNestedSpectra(in)}
		}
		s := workers[w]
		for at := lo; at < hi; at++ {
			s.set = append(append(s.set[:0], lists[at]...), int32(some[at]))
			s.spectra.begin(s.set, nil)
			values, _, _ := s.spectra.leading(len(s.set), len(s.set), false)
			whole := vector.Sum(values)
			for j := range shares {
				if whole > 0 && j < len(values) {
					shares[j][at] = vector.Sum(values[j:]) / whole
				}
			}
		}
	})
	return shares, err
}
