package align

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/vector"
)

// Gram is the smaller of the two products of the centred data with itself:
// XcᵀXc (m × m) or XcXcᵀ (n × n). Both have the same nonzero eigenvalues. Where samples have weights, a row of
// Xc is √w(x − mean). Compressed samples are not multiplied out, nor are large dense ones of which few eigenpairs are
// wanted: of compressed ones the centred data are used through XcV = XV − 1(μᵀV).
type Gram struct {
	Mean     []float64 // m
	Weights  []float64 // of the samples; nil: 1 each
	Centered []float64 // n × m; nil: the samples are compressed, or incomplete
	Product  []float64 // order × order, both triangles; nil: it is not formed
	Order    int
	Columns  bool    // Product is XcᵀXc
	Squares  float64 // Σ w‖x − mean‖²
	Divisor  float64 // by which variances are means of squares: n − 1, or Σw − Σw²/Σw

	// Incomplete: entries are missing, and nothing else is set but the weights and the divisor.
	Incomplete bool
}

// formedOrder is the order up to which a Gram matrix is always formed. Beyond it, fewer eigenpairs than
// the order divided by formedShare are found by products with the centred data.
const (
	formedOrder = 2048
	formedShare = 64
)

// CenteredGram returns the Gram matrix of the centred samples for their dim largest eigenpairs. There is no graph: all
// samples are neighbours.
func CenteredGram(dim int) Rule[*Gram] { return WeightedGram(dim, nil) }

// WeightedGram is [CenteredGram] of samples with weights, one for each of all samples; nil: 1 each.
func WeightedGram(dim int, weights []float64) Rule[*Gram] {
	return func(in Input) (*Gram, error) {
		defer in.Phase("alignment")()
		n, m := in.X.N(), in.X.M()
		g := &Gram{Weights: in.X.OfWhole(weights), Order: min(n, m), Columns: m <= n}
		g.Divisor = divisorOf(n, g.Weights)
		if in.X.Compressed() != nil {
			if err := roomForDense(in, 8*int64(m)); err != nil {
				return nil, err
			}
			in.Explain("alignment: products with the centred samples, %d × %d, which stay sparse", n, m)
			g.Mean = in.X.WeightedMean(g.Weights)
			g.Squares = in.X.WeightedSquares(g.Mean, g.Weights)
			return g, in.Err()
		}
		formed := g.Order <= formedOrder || dim > g.Order/formedShare
		need := numbersOf(n, m)
		if formed { // the product, a copy of it and the memory of the eigensolver
			need += eigenBytes(g.Order) + numbersOf(g.Order, g.Order)
		}
		if err := roomForDense(in, need); err != nil {
			return nil, err
		}
		g.Mean = in.X.WeightedMean(g.Weights)
		g.Centered = in.X.Centered(g.Mean).Data()
		for i, w := range g.Weights {
			blas.Scale(math.Sqrt(w), g.Centered[i*m:(i+1)*m])
		}
		if err := in.Err(); err != nil {
			return nil, err
		}
		if !formed {
			g.Squares = blas.Dot(g.Centered, g.Centered)
			in.Explain("alignment: products with the centred samples, %d × %d, whose Gram matrix is not formed", n, m)
			return g, in.Err()
		}
		g.Product = GramOf(in.Run, g.Centered, n, m, g.Columns)
		for i := range g.Order {
			g.Squares += g.Product[i*g.Order+i]
		}
		in.Explain("alignment: Gram matrix of order %d", g.Order)
		return g, in.Err()
	}
}

// BlockGram returns the Gram matrix of the columns of samples that are read once, and their number. The sums of the blocks, each
// about its own mean, are combined (Chan, Golub and LeVeque 1979).
func BlockGram(job *run.Run, x samples.Blocks) (g *Gram, n int, err error) {
	defer job.Phase("alignment")()
	m := x.M
	g = &Gram{Mean: make([]float64, m), Product: make([]float64, m*m), Order: m, Columns: true}
	add := func(rows []float64, count int, weight float64) {
		job.Kernels().SyrkParallel(job.Threads(), true, m, count, weight, rows, m, 1, g.Product, m)
	}
	own := make([]float64, m)
	err = x.Each(func(rows []float64) error {
		count := len(rows) / m
		clear(own)
		for i := range count {
			blas.Axpy(1/float64(count), rows[i*m:(i+1)*m], own)
		}
		for i := range count {
			blas.Axpy(-1, own, rows[i*m:(i+1)*m])
		}
		add(rows, count, 1)
		blas.Axpy(-1, g.Mean, own)
		share := float64(count) / float64(n+count)
		add(own, 1, float64(n)*share)
		blas.Axpy(share, own, g.Mean)
		n += count
		return job.Err()
	})
	if err != nil {
		return nil, n, err
	}
	vector.Mirror(g.Product, m)
	g.Divisor = divisorOf(n, nil)
	for j := range m {
		g.Squares += g.Product[j*m+j]
	}
	if math.IsInf(g.Squares, 0) || math.IsNaN(g.Squares) {
		return nil, n, fmt.Errorf("%s: the squares of the samples are beyond the range of numbers; divide the samples by a power of ten first", job.Method())
	}
	job.Explain("alignment: Gram matrix of the columns, order %d, of %d samples read block by block", m, n)
	return g, n, job.Err()
}

// IncompleteGram is [WeightedGram] of samples of which entries may be NaN, which are missing. Their Gram matrix is not
// known, and is found in the solve.
func IncompleteGram(dim int, weights []float64) Rule[*Gram] {
	return func(in Input) (*Gram, error) {
		if !in.X.Incomplete() {
			return WeightedGram(dim, weights)(in)
		}
		own := in.X.OfWhole(weights)
		return &Gram{Weights: own, Divisor: divisorOf(in.X.N(), own), Incomplete: true}, nil
	}
}

// divisorOf returns n − 1, or with weights Σw − Σw²/Σw, which is that for equal ones up to their unit.
func divisorOf(n int, weights []float64) float64 {
	if weights == nil {
		return float64(n - 1)
	}
	sum := vector.Sum(weights)
	return sum - blas.Dot(weights, weights)/sum
}

// FeatureGram returns C = XcᵀXc, m × m, even if the other Gram matrix is smaller, for
// methods that need the signs of its entries.
func FeatureGram(in Input) (*Projection, error) {
	defer in.Phase("alignment")()
	n, m := in.X.N(), in.X.M()
	if err := roomForDense(in, numbersOf(n, m)+numbersOf(m, m)); err != nil {
		return nil, err
	}
	mean := in.X.Mean()
	q := GramOf(in.Run, in.X.Centered(mean).Data(), n, m, true)
	in.Explain("alignment: Gram matrix of the columns, order %d", m)
	return &Projection{Order: m, Q: q, Mean: mean}, in.Err()
}

// Bytes returns its memory.
func (g *Gram) Bytes() int64 { return numbers(g.Mean, g.Weights, g.Centered, g.Product) }

// StoredGram is the largest number of samples for which the Gram matrix is stored.
const StoredGram = 20_000

// Similarity is K, the n × n matrix of inner products of the samples.
type Similarity struct {
	K        []float64 // both triangles; nil: K is kept in factored form
	Centered []float64 // n × m, Xc with K = XcXcᵀ, if K is kept in factored form; nil: K is stored
}

// SimilarityGram returns K = XcXcᵀ, in factored form Xc if there are many samples with fewer
// columns.
func SimilarityGram(in Input) (*Similarity, error) {
	return similarity(in, in.X.N() <= StoredGram || in.X.M() >= in.X.N())
}

// SimilarityFactor returns K = XcXcᵀ, in factored form Xc if that is smaller.
func SimilarityFactor(in Input) (*Similarity, error) {
	return similarity(in, in.X.M() >= in.X.N())
}

func similarity(in Input, stored bool) (*Similarity, error) {
	defer in.Phase("alignment")()
	n, m := in.X.N(), in.X.M()
	need := numbersOf(n, m)
	if stored {
		need += numbersOf(n, n)
	}
	if err := roomForDense(in, need); err != nil {
		return nil, err
	}
	centered := in.X.Centered(in.X.Mean()).Data()
	if !stored {
		in.Explain("alignment: Gram matrix of order %d, not stored", n)
		return &Similarity{Centered: centered}, in.Err()
	}
	k := GramOf(in.Run, centered, n, m, false)
	in.Explain("alignment: Gram matrix of order %d", n)
	return &Similarity{K: k}, in.Err()
}

// GeodesicGram returns K = −½JD²J, J = I − 11ᵀ/n, for the shortest path lengths D
// in the neighbour graph. It need not be semidefinite.
func GeodesicGram(in Input) (*Similarity, error) {
	n := in.X.N()
	if err := roomForDense(in, numbersOf(n, n)+GeodesicBytes(int64(n), in.Threads(), 0)); err != nil {
		return nil, err
	}
	in.Landmarks = nil
	g, err := geodesics(in)
	if err != nil {
		return nil, err
	}
	defer in.Phase("alignment")()
	place := g.Paths.Place() // index of a sample among the vertices
	k := gramOfSquares(n, func(i, j int) float64 {
		return g.Squares.At(int(place[i]), int(place[j]))
	})
	return &Similarity{K: k}, in.Err()
}

// gramOfSquares returns −½JD²J for squared distances.
func gramOfSquares(n int, square func(i, j int) float64) []float64 {
	k, mean := make([]float64, n*n), make([]float64, n)
	var total float64
	for i := range n {
		for j := range n {
			k[i*n+j] = -0.5 * square(i, j)
			mean[i] += k[i*n+j] / float64(n)
		}
		total += mean[i] / float64(n)
	}
	for i := range n {
		for j := range n {
			k[i*n+j] += total - (mean[i] + mean[j]) // this order makes it symmetric to the bit
		}
	}
	return k
}

// roomForDense returns an error if dense matrices of the given size exceed the memory limit.
func roomForDense(in Input, bytes int64) error {
	return in.Fit(bytes, fmt.Sprintf("the dense matrices of %d × %d samples need", in.X.N(), in.X.M()), "take fewer samples or columns, or raise the limit")
}

// numbersOf returns the memory of a dense matrix.
func numbersOf(rows, cols int) int64 { return 8 * int64(rows) * int64(cols) }

// eigenBytes returns the memory of a matrix of the given order and of computing its eigenvectors,
// which takes 2.5 such matrices.
func eigenBytes(order int) int64 { return 7 * numbersOf(order, order) / 2 }

// Bytes returns its memory.
func (s *Similarity) Bytes() int64 { return numbers(s.K, s.Centered) }

// gramRows is the number of rows of a Gram matrix of compressed samples that a worker computes
// at a time.
const gramRows = 32

// gramOfSamples returns XXᵀ, both triangles. For compressed samples a row is summed over the
// columns in which its sample has entries: O(Σⱼ cⱼ²) for columns with cⱼ entries.
func gramOfSamples(job *run.Run, x samples.Samples) ([]float64, error) {
	a := x.Compressed()
	if a == nil {
		return GramOf(job, x.Data(), x.N(), x.M(), false), nil
	}
	n, columns := x.N(), a.Transposed()
	gram := make([]float64, n*n)
	err := blas.For(job.Context(), job.Threads(), n, gramRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row := gram[i*n : (i+1)*n]
			cols, vals := a.Row(i)
			for p, j := range cols {
				others, entries := columns.Row(int(j))
				for q, k := range others {
					row[k] += vals[p] * entries[q]
				}
			}
		}
	})
	return gram, err
}
