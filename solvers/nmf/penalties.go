package nmf

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
)

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

// divergenceStep minimizes a·z − b·log z + q/2·z², the majorizer of the divergence in one
// entry z of a factor, with q ≥ 0 the curvature of the added term.
func divergenceStep(a, b, q float64) float64 {
	return flushTiny(2 * b / max(a+math.Sqrt(a*a+4*q*b), denominator))
}

// divergenceMinimum is [divergenceStep] for an a of any sign.
func divergenceMinimum(a, b, q float64) float64 {
	if a >= 0 || q == 0 {
		return divergenceStep(a, b, q)
	}
	return flushTiny((math.Sqrt(float64(a*a)+4*q*b) - a) / (2 * q))
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
