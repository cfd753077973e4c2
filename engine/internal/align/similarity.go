package align

import "fmt"

// StoredGram is the number of samples up to which their Gram matrix is stored.
const StoredGram = 20_000

// Similarity is K, n × n, of inner products of the samples.
type Similarity struct {
	K        []float64 // both triangles; nil: it is left in its factor
	Centered []float64 // n × m, Xc with K = XcXcᵀ, where K is left in it; nil: K is stored
}

// SimilarityGram is K = XcXcᵀ. Of many samples with fewer columns it is left in its
// factor Xc.
func SimilarityGram(in Input) (*Similarity, error) {
	return similarity(in, in.X.N() <= StoredGram || in.X.M() >= in.X.N())
}

// SimilarityFactor is K = XcXcᵀ, left in its factor Xc wherever that is smaller.
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

// GeodesicGram is K = −½JD²J, J = I − 11ᵀ/n, for the lengths D of shortest paths
// through the neighbour graph. It need not be semidefinite.
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
	place := g.Paths.Place() // of a sample among the vertices
	k := gramOfSquares(n, func(i, j int) float64 {
		return g.Squares.At(int(place[i]), int(place[j]))
	})
	return &Similarity{K: k}, in.Err()
}

// gramOfSquares is −½JD²J for the squares of distances.
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
			k[i*n+j] += total - (mean[i] + mean[j]) // in this order symmetric to the bit
		}
	}
	return k
}

// roomForDense refuses dense matrices of so many bytes where they exceed the limit.
func roomForDense(in Input, bytes int64) error {
	return in.Fit(bytes, fmt.Sprintf("the dense matrices of %d × %d samples need", in.X.N(), in.X.M()), "take fewer samples or columns, or raise the limit")
}

// numbersOf is the memory of a dense matrix.
func numbersOf(rows, cols int) int64 { return 8 * int64(rows) * int64(cols) }

// eigenBytes is the memory of a matrix of that order with what its eigenvectors take
// besides: 2.5 such matrices.
func eigenBytes(order int) int64 { return 7 * numbersOf(order, order) / 2 }
