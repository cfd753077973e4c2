package nmf

import (
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// Penalties keep the factors of n × m data small or sparse. The three numbers mean the same as in
// scikit-learn's NMF: the term added to the loss D is
//
//	P(W, H) = α_W·m·(ρ‖W‖₁ + (1−ρ)/2·‖W‖²) + α_H·n·(ρ‖H‖₁ + (1−ρ)/2·‖H‖²),
//
// where D is half of the squared error, or the Kullback–Leibler or β-divergence. The trace
// measures the squared error without that half, and so has ‖X − WH‖² + 2P: twice
// scikit-learn's objective. Under the divergences both have D + P.
//
// With one of α_W and α_H zero there is no minimiser: the factor that is penalised
// shrinks while the other grows, at the same WH. [Factorize] warns of it.
type Penalties struct {
	W, H    float64 // α_W, α_H ≥ 0
	L1Ratio float64 // ρ, the part of L1, from 0 to 1
}

// Present reports whether anything is penalised.
func (p Penalties) Present() bool { return p.W > 0 || p.H > 0 }

// check refuses numbers out of their range.
func (p Penalties) check() error {
	for _, c := range []struct {
		name  string
		value float64
	}{{"α_W", p.W}, {"α_H", p.H}} {
		if !(c.value >= 0) || c.value-c.value != 0 {
			return fmt.Errorf("nmf: %s is %v; give a finite number ≥ 0", c.name, c.value)
		}
	}
	if !(p.L1Ratio >= 0 && p.L1Ratio <= 1) {
		return fmt.Errorf("nmf: the L1 ratio is %v; give a number from 0 to 1", p.L1Ratio)
	}
	return nil
}

// checkPenalties refuses penalties with options that have none.
func (o Options) checkPenalties() error {
	switch {
	case !o.Penalties.Present():
		return nil
	case o.Loss != Frobenius && o.Loss != KL && o.Loss != Beta:
		return fmt.Errorf("nmf: penalties are for loss %s, %s or %s; leave them out for %s", Frobenius, KL, Beta, o.Loss)
	case o.Lambda > 0 && o.Graph.present():
		return fmt.Errorf("nmf: penalties go with no graph term; leave out one of them")
	case o.Extrapolate:
		return fmt.Errorf("nmf: penalties go with no extrapolation; leave out one of them")
	case o.Order == CodesFirst:
		return fmt.Errorf("nmf: order %s sets the scale of the components, which penalties choose; take order %s", CodesFirst, BasisFirst)
	case o.Normalize == EachIteration:
		return fmt.Errorf("nmf: components that are normalised in each iteration have no scale that penalties could choose; normalise at the %s, or %s", AtEnd, Never)
	}
	return nil
}

// warning describes oddities of the penalties, "" for none.
func (p Penalties) warning() string {
	shrinks, grows := "W", "H"
	switch {
	case (p.W > 0) == (p.H > 0):
		return ""
	case p.H > 0:
		shrinks, grows = grows, shrinks
	}
	return fmt.Sprintf("a penalty on %s alone has no minimum: %s shrinks while %s grows, so that the number of iterations decides; penalise both factors", shrinks, shrinks, grows)
}

// penalty is l1·‖A‖₁ + l2/2·‖A‖² of one factor A. The zero value is none.
type penalty struct{ l1, l2 float64 }

// penaltiesOf are the penalties of W and H for n × m data.
func penaltiesOf(p Penalties, n, m int) (w, h penalty) {
	w = penalty{p.W * p.L1Ratio * float64(m), p.W * (1 - p.L1Ratio) * float64(m)}
	h = penalty{p.H * p.L1Ratio * float64(n), p.H * (1 - p.L1Ratio) * float64(n)}
	return w, h
}

func (p penalty) present() bool { return p.l1 > 0 || p.l2 > 0 }

// value is the penalty of a factor without negative entries.
func (p penalty) value(a []float64) float64 {
	if !p.present() {
		return 0
	}
	return p.l1*total(a) + p.l2/2*blas.Dot(a, a)
}

// addTo adds the derivative l1 + l2·a to the denominators of a multiplicative step.
func (p penalty) addTo(den, a []float64) {
	if !p.present() {
		return
	}
	for i, v := range a {
		den[i] += p.l1 + p.l2*v
	}
}

// penalties is P of the present factors.
func (f *factorization) penalties() float64 {
	return f.penaltyW.value(f.w) + f.penaltyH.value(f.h)
}

// divergenceStep minimizes a·z − b·log z + q/2·z², the majorizer of the divergence in one
// entry z of a factor, with q ≥ 0 the curvature of the added term.
func divergenceStep(a, b, q float64) float64 {
	return flushTiny(2 * b / max(a+math.Sqrt(a*a+4*q*b), denominator))
}

// ridged is the Gram matrix of the other factor with l2 on its diagonal: a copy in to,
// where there is an l2.
func (p penalty) ridged(r int, gram, to []float64) []float64 {
	if p.l2 == 0 {
		return gram
	}
	copy(to, gram)
	for k := range r {
		to[k*r+k] += p.l2
	}
	return to
}

// takeFrom takes the derivative l1 off products of the data with the other factor.
func (p penalty) takeFrom(num []float64) {
	if p.l1 == 0 {
		return
	}
	for i := range num {
		num[i] -= p.l1
	}
}

// penalise prepares an encoder for a penalty.
func (e *Encoder) penalise() {
	f := &e.fixed
	e.ridged = f.penaltyW.ridged(f.r, f.gramH, make([]float64, f.r*f.r))
	e.slopes = slices.Clone(e.rowSums)
	for k := range e.slopes {
		e.slopes[k] += f.penaltyW.l1
	}
}
