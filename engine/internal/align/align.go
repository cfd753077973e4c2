// Package align has the third step: how the patches add up. What a rule makes is typed,
// so that it goes with the solves that take it and with no others.
package align

import (
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

// Phi is Φ of the graph term λ tr(WᵀΦW) of a factorisation, sparse or dense.
type Phi struct {
	Sparse *sparse.CSR
	Dense  []float64 // in place of Sparse where that would not be sparse: n × n, row after row
}

// Regularizer is a rule of sums as one of graph terms.
func Regularizer(rule Rule[*Sum]) Rule[*Phi] {
	return func(in Input) (*Phi, error) {
		a, err := rule(in)
		if err != nil {
			return nil, err
		}
		return &Phi{Sparse: a.Phi}, nil
	}
}
