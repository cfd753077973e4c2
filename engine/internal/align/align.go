// Package align implements the third step: combining the patches. The result of a rule is typed,
// so that only solvers that accept it can follow.
package align

import (
	"math"

	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/sparse"
)

// Input is the input of a rule.
type Input struct {
	patch.Local
	Patch patch.Rule
	// Diagonal is that of given affinities, the weight of each sample's edge to itself; nil: affinities were not given, or a Laplacian, in
	// which it does not count, is all that is made of them.
	Diagonal []float64
	// Landmarks are the samples between which a rule may use distances, ascending;
	// nil: all.
	Landmarks []int
	// Solved: an eigensolver follows, for which a sum of patches is analysed while they are computed.
	Solved bool
}

// Rule combines the patches into an A.
type Rule[A any] func(in Input) (A, error)

// Aligned is the result of a rule. Its memory is held during the solve.
type Aligned interface{ Bytes() int64 }

// Phi is Φ of the graph term λ tr(WᵀΦW) of a factorisation, sparse or dense.
type Phi struct {
	Sparse *sparse.CSR
	Dense  []float64 // in place of Sparse if that would be dense: n × n, row by row
}

// numbers returns the memory of slices of float64.
func numbers(slices ...[]float64) int64 {
	var bytes int64
	for _, s := range slices {
		bytes += 8 * int64(cap(s))
	}
	return bytes
}

// Bytes returns its memory.
func (p *Phi) Bytes() int64 {
	if p.Sparse == nil {
		return numbers(p.Dense)
	}
	return p.Sparse.Bytes()
}

// Degree returns the mean of the diagonal, which for a Laplacian is the mean degree of the graph.
func (p *Phi) Degree() float64 {
	var sum float64
	if p.Sparse == nil {
		n := int(math.Sqrt(float64(len(p.Dense))))
		for i := range n {
			sum += p.Dense[i*n+i]
		}
		return sum / float64(n)
	}
	for i := range p.Sparse.Rows {
		sum += p.Sparse.At(i, i)
	}
	return sum / float64(p.Sparse.Rows)
}

// Regularizer converts a rule of sums to one of graph terms.
func Regularizer(rule Rule[*Sum]) Rule[*Phi] {
	return func(in Input) (*Phi, error) {
		a, err := rule(in)
		if err != nil {
			return nil, err
		}
		warnOfLoose(in, a.Phi, "the graph term")
		return &Phi{Sparse: a.Phi}, nil
	}
}
