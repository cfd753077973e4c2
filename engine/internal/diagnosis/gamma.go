package diagnosis

import (
	"fmt"
	"slices"

	"github.com/orthant-go/orthant/engine/internal/patch"
)

const (
	// tangentialShare is the share of an eigenvalue due to γ from which γ is the cause.
	tangentialShare = 0.1
	// aboveAuto: a γ up to this multiple of the value for the median local spectrum is not blamed.
	aboveAuto = 2
	// minGamma is the smallest such value; the largest is [patch.PaperGamma].
	minGamma = 1e-12
)

// gamma reports whether the eigenvalues are due to the regularisation of the weights and not to the
// curvature of the data: γ is larger than the local spectra require, and Σ gᵀLᵢg over the
// tangential parts g of an eigenvector y, which is due to γ alone, is a considerable share of λ = Σ yᵀLᵢy.
func gamma(c Case, s scales) (cause, error) {
	r := c.Patch.Given
	if r == nil || s.most < c.dim() {
		return cause{}, nil
	}
	left := s.same.median(c.dim())
	auto := min(patch.PaperGamma, max(minGamma, r.Share*left/(1-left)))
	if r.Gamma <= aboveAuto*auto {
		return cause{}, nil
	}
	n := c.X.N()
	some := centers(n)
	energy, err := r.Tangential(c.Local, some, c.Y)
	if err != nil {
		return cause{}, err
	}
	for j := range energy {
		energy[j] *= float64(n) / float64(len(some)) / c.Values[j]
	}
	share := slices.Max(energy)
	if !(share >= tangentialShare) {
		return cause{}, nil
	}
	return cause{text: fmt.Sprintf("‹gamma=%.3g› is too large: it makes %.0f %% of an eigenvalue, by errors of the weights along the data's own tangents, where %s %.2g of a neighbourhood's variance",
		r.Gamma, 100*min(share, 1), directions(c.dim()), left), advice: "take ‹gamma=auto›", tries: []Remedy{{Gamma: true}}}, nil
}
