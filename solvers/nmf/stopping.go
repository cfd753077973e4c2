package nmf

import (
	"context"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// decreaseEvery is the number of iterations from one look at the error to the next.
const decreaseEvery = 10

// stopping is the rule by which one iteration ends.
type stopping struct {
	rule        string
	tolerance   float64
	first, last float64 // error, or violation
	before      *snapshot
}

// error is the root of the loss of a point.
func (p Point) error() float64 { return math.Sqrt(max(0, p.Objective-p.Regularizer-p.Penalty)) }

func newStopping(o Options, start Point) *stopping {
	return &stopping{rule: o.Stop, tolerance: o.Tolerance, first: start.error(), last: start.error()}
}

// begin keeps the values to compare with.
func (s *stopping) begin(f *factorization) {
	if s.tolerance > 0 && s.rule == Change {
		s.before = f.remember(s.before)
	}
}

// looks reports whether the error of iteration t is requested.
func (s *stopping) looks(t int) bool {
	return s.tolerance > 0 && s.rule == RelativeDecrease && t%decreaseEvery == 0
}

// ended reports whether iteration t is the last. point measures the factors.
func (s *stopping) ended(ctx context.Context, f *factorization, u updates, t int) (bool, error) {
	if s.tolerance == 0 || f.parts != nil && t <= f.parts.of.Hold {
		return false, nil
	}
	switch s.rule {
	case Change:
		return f.relativeChange(s.before) < s.tolerance, nil
	case Violation:
		return s.violated(f.violation(), t), nil
	}
	if !s.looks(t) {
		return false, nil
	}
	p, err := u.point(ctx)
	if err != nil {
		return false, err
	}
	return s.settled(p), nil
}

// violated reports whether the violation of iteration t ends the fit.
func (s *stopping) violated(now float64, t int) bool {
	if t == 1 {
		s.first = now
	}
	return now <= s.tolerance*s.first
}

// settled reports whether the error has fallen by so little that the fit ends.
func (s *stopping) settled(p Point) bool {
	fall := s.last - p.error()
	s.last = p.error()
	return fall < s.tolerance*s.first
}

// violations are the parts of the violation that pieces of the factors have.
type violations struct{ w, h []float64 }

// watchViolation takes memory for the violations of coordinate descent.
func (f *factorization) watchViolation() {
	f.violations = &violations{make([]float64, (f.n+f.block-1)/f.block), make([]float64, (f.m+f.columns-1)/f.columns)}
}

// violation is the violation of the last iteration.
func (f *factorization) violation() float64 { return total(f.violations.w) + total(f.violations.h) }

// violationOf sums the violations of entries z ≥ least, which counts as zero. t holds
// the negated slopes without l1.
func violationOf(t, z []float64, l1, least float64) float64 {
	var sum float64
	for j, v := range t {
		if v -= l1; z[j] > least {
			v = math.Abs(v)
		}
		sum += max(v, 0)
	}
	return sum
}

// snapshot is a pair of factors.
type snapshot struct {
	w, ht []float64
	whole [][]float64 // of a [Collection]
}

func (f *factorization) remember(s *snapshot) *snapshot {
	if s == nil {
		s = &snapshot{w: slices.Clone(f.w), ht: slices.Clone(f.ht)}
	}
	copy(s.w, f.w)
	copy(s.ht, f.ht)
	if f.parts != nil {
		f.parts.rememberWhole(s)
	}
	return s
}

// relativeChange is ‖WH − W′H′‖_F/‖WH‖_F since the snapshot, from Gram matrices.
func (f *factorization) relativeChange(s *snapshot) float64 {
	if f.parts != nil {
		return f.parts.relativeChange(s)
	}
	r := f.r
	inner := func(w1, ht1, w2, ht2 []float64) float64 {
		a, b := make([]float64, r*r), make([]float64, r*r)
		f.crossGram(f.n, w1, w2, a)
		f.crossGram(f.m, ht1, ht2, b)
		return blas.Dot(a, b)
	}
	return changeOf(inner(f.w, f.ht, f.w, f.ht), inner(f.w, f.ht, s.w, s.ht), inner(s.w, s.ht, s.w, s.ht))
}

// changeOf is ‖A − B‖/‖A‖ by the inner products of A with itself, of both, and of B with
// itself.
func changeOf(now, cross, before float64) float64 {
	if now == 0 {
		return 0
	}
	return math.Sqrt(max(0, now-2*cross+before) / now)
}
