// Package align has the third step: how the patches add up. What a rule makes is typed,
// so that it goes with the solves that take it and with no others.
package align

import (
	"math"

	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/sparse"
)

// Input is what a rule aligns.
type Input struct {
	patch.Local
	Patch patch.Rule
	// Landmarks are the samples between which a rule may look at distances, ascending;
	// nil: all.
	Landmarks []int
}

// Rule adds the patches up to an A.
type Rule[A any] func(in Input) (A, error)

// Aligned is what a rule makes. Its memory is held while it is solved.
type Aligned interface{ Bytes() int64 }

// Phi is Φ of the graph term λ tr(WᵀΦW) of a factorisation, sparse or dense.
type Phi struct {
	Sparse *sparse.CSR
	Dense  []float64 // in place of Sparse where that would not be sparse: n × n, row after row
}

// numbers is the memory of slices of float64.
func numbers(slices ...[]float64) int64 {
	var bytes int64
	for _, s := range slices {
		bytes += 8 * int64(cap(s))
	}
	return bytes
}

// Bytes is its memory.
func (p *Phi) Bytes() int64 {
	if p.Sparse == nil {
		return numbers(p.Dense)
	}
	return p.Sparse.Bytes()
}

// Degree is the mean of the diagonal: of a graph's Laplacian its mean degree.
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

// Regularizer is a rule of sums as one of graph terms.
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
