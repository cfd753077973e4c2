package engine

import (
	"fmt"
	"math"
	"sync/atomic"

	"github.com/orthant-go/orthant/sparse"
)

// discriminative is the alignment of SP-RNA (You et al. 2015, eqs 21–29) and NDLA
// (Guan et al. 2011): what keeps a sample with its class, seen where what keeps it from
// the others has unit size,
//
//	Φ = (L^b)^(−½) L^w (L^b)^(−½).
//
// L^w sums patches over the nearest of the same class: reconstructions by sparse
// affine codes (codes), or distances of weight 1. L^b sums patches of distances over
// the nearest of other classes, of the weight of [fisherWeight], or 1. Samples are
// scaled to unit length. Φ is dense; see [whitened] for L^b, which is singular.
type discriminative struct {
	within, between int    // k1, k2
	codes           bool   // SP-RNA's patches; else NDLA's
	singular        string // pinv or ridge
}

func (r discriminative) align(p *problem, _ patchRule) (*alignment, error) {
	if err := p.roomForSquares("the dense alignment between classes", whitenedSquares); err != nil {
		return nil, err
	}
	within, between, err := r.parts(p)
	if err != nil {
		return nil, err
	}
	phi, err := whitened(p, within, between, r.singular)
	return &alignment{whole: phi}, err
}

// parts returns L^w and L^b.
func (r discriminative) parts(p *problem) (within, between *sparse.CSR, err error) {
	if err := r.check(p); err != nil {
		return nil, nil, err
	}
	q, err := onUnitRows(p)
	if err != nil {
		return nil, nil, err
	}
	if within, err = r.inside(q); err != nil {
		return nil, nil, err
	}
	between, err = r.across(q)
	return within, between, err
}

func (r discriminative) check(p *problem) error {
	if r.within < 1 || r.between < 1 {
		return fmt.Errorf("%s: %d neighbours within and %d between classes; give numbers from 1", p.name, r.within, r.between)
	}
	if len(p.labels) != p.x.N {
		return fmt.Errorf("%s: %d labels of %d samples; this method learns from the class of each sample (--labels, Options.Labels)", p.name, len(p.labels), p.x.N)
	}
	_, sizes := classes(p.labels)
	alone := 0
	for _, size := range sizes {
		if size == 1 {
			alone++
		}
	}
	switch {
	case len(sizes) < 2:
		return fmt.Errorf("%s: all samples are of one class; give labels of at least 2", p.name)
	case len(sizes) == p.x.N:
		return fmt.Errorf("%s: every sample is a class of its own, so that nothing is kept within the classes; give labels that repeat", p.name)
	case alone > 0:
		p.warn("%d of %d classes have one sample only, which no patch within its class holds", alone, len(sizes))
	}
	return nil
}

// inside returns L^w.
func (r discriminative) inside(p *problem) (*sparse.CSR, error) {
	q, end := *p, p.clock.Phase("neighbors")
	var err error
	if q.graph, err = withinClasses(p, r.within); err != nil {
		return nil, err
	}
	end()
	var rule patchRule = stars{ones(len(q.graph.Index))}
	var failed atomic.Int64
	if r.codes {
		rule = affineReconstruction{&failed}
	}
	a, err := sumOfPatches(&q, rule)
	if err != nil {
		return nil, err
	}
	if count := failed.Load(); count > 0 {
		p.warn("the sparse affine codes of %d samples are not exact", count)
	}
	return a.phi, nil
}

// across returns L^b.
func (r discriminative) across(p *problem) (*sparse.CSR, error) {
	q, end := *p, p.clock.Phase("neighbors")
	var err error
	if q.graph, err = betweenClasses(p, r.between); err != nil {
		return nil, err
	}
	end()
	weights := ones(len(q.graph.Index))
	if r.codes {
		for at, d := range q.graph.Dist {
			weights[at] = fisherWeight(d)
		}
	}
	a, err := sumOfPatches(&q, stars{weights})
	if err != nil {
		return nil, err
	}
	return a.phi, nil
}

func ones(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 1
	}
	return w
}

// fisherWeight is ω(d) = erf(d/(2√2))/(2d²), how much two class means at
// distance d count for the separation of all classes (Loog, Duin and Haeb-Umbach
// 2001): about 0.2/d for near ones. Distances are floored at 1e-6, so that equal
// samples of different classes count, but not without bound.
func fisherWeight(d float64) float64 {
	d = max(d, 1e-6)
	return math.Erf(d/(2*math.Sqrt2)) / (2 * d * d)
}
