package nmf

import (
	"context"
	"fmt"
	"math"
)

// Rules to stop of [Options].
const (
	// Change stops when ‖W′H′ − WH‖_F falls below so much of ‖W′H′‖_F. It is computed from
	// Gram matrices, hence blind below 1e-7.
	Change = "change"
	// RelativeDecrease is the rule of scikit-learn's multiplicative updates. Every tenth
	// iteration it stops if the error has fallen since the last time by less than so much of
	// the error of the start. The error is the root of the loss, without penalties.
	RelativeDecrease = "relative-decrease"
	// Violation is the rule of scikit-learn's coordinate descent, of solver [HALS]. It stops
	// when the violation of an iteration is at most the tolerance times the violation of the first.
	// The violation is the sum over all entries of both factors of |g|, or of max(−g, 0) for an entry
	// that is zero, where g is the slope of half the objective when the entry's turn comes. Of several
	// sweeps the first counts.
	Violation = "violation"
)

// decreaseEvery is the number of iterations from one look at the error to the next.
const decreaseEvery = 10

// checkStop refuses rules that do not go with the other options.
func (o Options) checkStop() error {
	switch {
	case o.Stop != Violation:
		return nil
	case o.Solver != HALS:
		return fmt.Errorf("nmf: stop %s is for solver %s; take stop %s or %s", Violation, HALS, Change, RelativeDecrease)
	case o.Lambda > 0 && o.Graph.present():
		return fmt.Errorf("nmf: stop %s goes with no graph term; take stop %s or %s", Violation, Change, RelativeDecrease)
	case o.Extrapolate:
		return fmt.Errorf("nmf: stop %s goes with no extrapolation; take stop %s or %s", Violation, Change, RelativeDecrease)
	}
	return nil
}

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
	if s.tolerance == 0 {
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
