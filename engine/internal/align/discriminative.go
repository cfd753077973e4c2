package align

import (
	"fmt"
	"math"
	"sync/atomic"

	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/sparse"
)

// Discriminative is the alignment of SP-RNA (You et al. 2015, eqs 21–29) and NDLA
// (Guan et al. 2011), which keeps samples of a class together relative to the separation of
// the classes:
//
//	Φ = (L^b)^(−½) L^w (L^b)^(−½).
//
// L^w sums patches over the nearest of the same class: reconstructions by sparse
// affine codes (codes), or distances of weight 1. L^b sums patches of distances over
// the nearest of other classes, with the weight [FisherWeight] or 1. Samples are
// scaled to unit length. Φ is dense; see [whitened] for L^b, which is singular.
type Discriminative struct {
	Within, Between int    // k1, k2
	Codes           bool   // SP-RNA's patches; otherwise NDLA's
	Singular        string // pinv or ridge
}

// Align computes Φ. It searches the neighbours by class itself.
func (r Discriminative) Align(in Input) (*Phi, error) {
	if err := roomForSquares(in.Local, "the dense alignment between classes", WhitenedSquares); err != nil {
		return nil, err
	}
	within, between, err := r.Parts(in)
	if err != nil {
		return nil, err
	}
	phi, err := whitened(in, within, between, r.Singular)
	return &Phi{Dense: phi}, err
}

// Parts returns L^w and L^b.
func (r Discriminative) Parts(in Input) (within, between *sparse.CSR, err error) {
	if err := r.check(in); err != nil {
		return nil, nil, err
	}
	unit, err := onUnitRows(in)
	if err != nil {
		return nil, nil, err
	}
	if within, err = r.inside(unit); err != nil {
		return nil, nil, err
	}
	between, err = r.across(unit)
	return within, between, err
}

func (r Discriminative) check(in Input) error {
	if r.Within < 1 || r.Between < 1 {
		return fmt.Errorf("%s: %d neighbours within and %d between classes; give numbers from 1", in.Method(), r.Within, r.Between)
	}
	if len(in.X.Labels()) != in.X.N() {
		return wording.Errorf("%s: %d labels of %d samples; this method learns from the class of each sample (‹labels›)", in.Method(), len(in.X.Labels()), in.X.N())
	}
	_, sizes := in.X.Classes()
	alone := 0
	for _, size := range sizes {
		if size == 1 {
			alone++
		}
	}
	switch {
	case len(sizes) < 2:
		return fmt.Errorf("%s: all samples are of one class; give labels of at least 2", in.Method())
	case len(sizes) == in.X.N():
		return fmt.Errorf("%s: every sample is a class of its own, so that nothing is kept within the classes; give labels that repeat", in.Method())
	case alone > 0:
		in.Warn("%d of %d classes have one sample only, which no patch within its class holds", alone, len(sizes))
	}
	return nil
}

// inside returns L^w.
func (r Discriminative) inside(in Input) (*sparse.CSR, error) {
	end := in.Phase("neighbors")
	var err error
	if in.Graph, err = neighborhood.WithinClasses(in.Run, in.X, r.Within); err != nil {
		return nil, err
	}
	end()
	in.Graph.Weight, in.Patch = ones(len(in.Graph.Index)), patch.Stars()
	var failed atomic.Int64
	if r.Codes {
		in.Patch = patch.AffineCodes(&failed)
	}
	a, err := GraphTerm(in)
	if err != nil {
		return nil, err
	}
	if count := failed.Load(); count > 0 {
		in.Warn("the sparse affine codes of %d samples are not exact", count)
	}
	return a.Phi, nil
}

// across returns L^b.
func (r Discriminative) across(in Input) (*sparse.CSR, error) {
	end := in.Phase("neighbors")
	var err error
	if in.Graph, err = neighborhood.BetweenClasses(in.Run, in.X, r.Between); err != nil {
		return nil, err
	}
	end()
	in.Graph.Weight, in.Patch = ones(len(in.Graph.Index)), patch.Stars()
	if r.Codes {
		for at, d := range in.Graph.Dist {
			in.Graph.Weight[at] = FisherWeight(d)
		}
	}
	a, err := GraphTerm(in)
	if err != nil {
		return nil, err
	}
	return a.Phi, nil
}

func ones(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 1
	}
	return w
}

// FisherWeight returns ω(d) = erf(d/(2√2))/(2d²), the weight of two class means at
// distance d in the separation of all classes (Loog, Duin and Haeb-Umbach
// 2001): about 0.2/d for near ones. Distances are at least 1e-6, so that equal
// samples of different classes have a bounded weight.
func FisherWeight(d float64) float64 {
	d = max(d, 1e-6)
	return math.Erf(d/(2*math.Sqrt2)) / (2 * d * d)
}
