package engine

import "fmt"

// LLE is locally linear embedding (Roweis and Saul 2000): each sample is
// written as a weighted mean of its k nearest neighbours, and the embedding
// keeps the weights,
//
//	min Σᵢ ‖yᵢ − Σⱼ wᵢⱼ yⱼ‖²   under YᵀY = I, 1ᵀY = 0.
//
// The weights are regularised by γ times the trace of the local Gram matrix,
// always (as scikit-learn's reg). For k > d + 1 they are far from unique, which
// is what [NEML] mends. O(N k²(m + k)) and a sparse factorisation.
type LLE struct {
	Neighbors int     `json:"neighbors" default:"12" allowed:"≥ 1" doc:"k, the nearest neighbours of each sample"`
	Dim       int     `json:"dim" default:"2" allowed:"≥ 1" doc:"d, the columns of the embedding"`
	Gamma     float64 `json:"gamma" default:"0.001" allowed:"> 0" doc:"γ, regularisation of the weights, times the trace of the local Gram matrix"`
}

// Name returns "lle".
func (LLE) Name() string { return "lle" }

func (p LLE) steps() steps {
	return steps{
		neighbors: nearest(p.Neighbors),
		patch:     reconstruction{p.Gamma},
		align:     sumOfPatches,
		solve:     bottomEigenvectors(p.Dim, 0),
	}
}

// needMoreThanDim is the condition of methods whose patches span d directions.
func needMoreThanDim(name string, neighbors, dim int) error {
	if neighbors <= dim {
		return fmt.Errorf("%s: %d neighbours for %d dimensions; give at least %d neighbours or a smaller dim", name, neighbors, dim, dim+1)
	}
	return nil
}
