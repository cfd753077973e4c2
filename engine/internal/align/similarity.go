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
	defer in.Phase("alignment")()
	n, m := in.X.N(), in.X.M()
	centered := in.X.Centered(in.X.Mean()).Data()
	if n > StoredGram && m < n {
		in.Explain("alignment: Gram matrix of order %d, not stored", n)
		return &Similarity{Centered: centered}, in.Err()
	}
	if err := roomForGram(in, n); err != nil {
		return nil, err
	}
	k := GramOf(in.Run, centered, n, m, false)
	in.Explain("alignment: Gram matrix of order %d", n)
	return &Similarity{K: k}, in.Err()
}

// GeodesicGram is K = −½JD²J, J = I − 11ᵀ/n, for the lengths D of shortest paths
// through the neighbour graph. It need not be semidefinite.
func GeodesicGram(in Input) (*Similarity, error) {
	if err := roomForGram(in, in.X.N()); err != nil {
		return nil, err
	}
	in.Landmarks = nil
	g, err := geodesics(in)
	if err != nil {
		return nil, err
	}
	defer in.Phase("alignment")()
	n, place := in.X.N(), g.Paths.Place() // of a sample among the vertices
	k, mean := make([]float64, n*n), make([]float64, n)
	var total float64
	for i := range n {
		for j := range n {
			v, w := int(place[i]), int(place[j])
			if v > w {
				v, w = w, v
			}
			k[i*n+j] = -0.5 * g.Squares.Row(v)[w-g.Squares.First(v)]
			mean[i] += k[i*n+j] / float64(n)
		}
		total += mean[i] / float64(n)
	}
	for i := range n {
		for j := range n {
			k[i*n+j] += total - (mean[i] + mean[j]) // in this order symmetric to the bit
		}
	}
	return &Similarity{K: k}, in.Err()
}

// roomForGram refuses a matrix of that order beside the data where that exceeds the
// limit.
func roomForGram(in Input, order int) error {
	need := 8 * (2*int64(order)*int64(order) + int64(in.X.N())*int64(in.X.M()))
	return in.Fit(need, fmt.Sprintf("a matrix of order %d needs", order), "take fewer samples or columns, or raise the limit")
}
