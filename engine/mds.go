package engine

import (
	"fmt"

	"github.com/orthant-go/orthant/blas"
)

// MDS is classical multidimensional scaling of Euclidean data (Torgerson 1952):
// Y = V√λ for the d largest eigenpairs of the Gram matrix XcXcᵀ of the centred
// samples, which are the values reported. The coordinates are those of [PCA];
// only the scale of the values differs. O(n m·min(n, m)).
type MDS struct {
	Dim int `json:"dim" default:"2" allowed:"≥ 1" doc:"d, the columns of the embedding, at most those of the data"`
}

// Name returns "mds".
func (MDS) Name() string { return "mds" }

func (p MDS) check(n, m int) error {
	if p.Dim > m {
		return fmt.Errorf("mds: dim %d of data with %d columns; give at most %d", p.Dim, m, m)
	}
	return nil
}

func (p MDS) steps() steps {
	return steps{align: centredGram, solve: squaredLengths(topEigenvectors(p.Dim)), extend: linearExtension}
}

// squaredLengths reports λ itself, the squared length of a coordinate, in place
// of the variance λ/(n − 1).
func squaredLengths(rule solveRule) solveRule {
	return func(p *problem, a *alignment) (*solution, error) {
		s, err := rule(p, a)
		if err == nil {
			blas.Scale(float64(p.x.N-1), s.values)
			s.next *= float64(p.x.N - 1)
		}
		return s, err
	}
}
