package eigen

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/sparse"
)

const (
	// maxOfShift is the number of pairs up to which one shift serves a slice; where there are more, it serves
	// partOfShift of them.
	maxOfShift  = 40
	partOfShift = 32
)

// IntervalError says that an interval holds more eigenpairs than fit into [Options.Memory].
type IntervalError struct {
	Count int // eigenvalues in the interval
	MemoryError
}

func (e *IntervalError) Error() string {
	return fmt.Sprintf("solvers: the interval holds %d eigenvalues, whose pairs need %s where the limit is %s; take a shorter interval, or raise the limit",
		e.Count, limits.FormatBytes(e.Need), limits.FormatBytes(e.Limit))
}

// Unwrap gives the [MemoryError].
func (e *IntervalError) Unwrap() error { return &e.MemoryError }

// Between finds all eigenpairs with eigenvalues from low to high, ascending. Sigma and Start are not used. All else is as for
// [Pencil.Nearest].
//
// The spectrum is sliced (Ericsson and Ruhe 1980; Grimes, Lewis and Simon 1994). The inertia of A − low·M and A − high·M says how many
// pairs there are. A shift in the middle of a slice gives its pairs, at most 40. For a slice with more pairs it gives those
// nearest to the middle, and its inertia says how many are left on either side. If an end is an eigenvalue it is moved outwards; the
// plan's reason says by how much. [Eigen.Certificate] has the count: Below counts those below the upper end, and Known includes those
// below the lower one. If the search finds fewer pairs than were counted, Converged is false. An end
// with an eigenvalue within the bound of its count is moved, too; where that does not help, the certificate is not Certain. Where M has rows
// of zeros, Below and Known may include the negative eigenvalues of the block of A in these rows.
//
// An interval with more pairs than the memory allows is an [IntervalError], which says how many there are.
func (p Pencil) Between(ctx context.Context, low, high float64, o Options) (*Eigen, error) {
	if math.IsNaN(low) || math.IsNaN(high) || math.IsInf(low, 0) || math.IsInf(high, 0) || low >= high {
		return nil, fmt.Errorf("solvers: the interval goes from %v to %v; give finite numbers, the lower one first", low, high)
	}
	p.Sigma, p.Start = low, nil
	s, err := p.within(ctx, 1, o)
	if err != nil {
		return nil, err
	}
	low, high = s.scaling.inside(low), s.scaling.inside(high)
	var e *Eigen
	if s.n <= denseOrder {
		if e, err = s.allIfSmall(ctx); err != nil {
			return nil, err
		}
	}
	if e == nil {
		if e, err = s.soundlySliced(ctx, low, high); err != nil {
			return nil, err
		}
		return s.finished(ctx, e)
	}
	// A value at an end is inside, on whichever side of it rounding has left it.
	near := func(end float64) float64 {
		if s.scaling.graded() {
			return onShare * (math.Abs(end) + 0x1p-6*s.scaling.least)
		}
		return onShare * s.size / s.mass.norm
	}
	e.cut(low-near(low), high+near(high))
	s.ended(e)
	return s.finished(ctx, e)
}

// soundlySliced finds the pairs of an interval, and once more with better solutions where the solutions of the plain factor
// were not good enough.
func (s *pencil) soundlySliced(ctx context.Context, low, high float64) (*Eigen, error) {
	s.wanted = min(maxOfShift, s.finite()-len(s.Null)) // at a time
	form, err := s.form(ctx)
	if err != nil {
		return nil, err
	}
	form.counted = true
	reason := s.plan.Reason
	e, loose, err := s.sliced(ctx, form, low, high)
	if err != nil {
		return nil, err
	}
	s.ended(e)
	if !loose || e.Converged && (len(e.Residuals) == 0 || slices.Max(e.Residuals) <= max(looseResidual, s.accuracy)) {
		return e, s.complete(e)
	}
	form.strict, s.plan.Reason = true, reason
	if e, _, err = s.sliced(ctx, form, low, high); err != nil {
		return nil, err
	}
	s.ended(e)
	return e, s.complete(e)
}

// complete refuses a result without all the pairs that were counted, or with more.
func (s *pencil) complete(e *Eigen) error {
	if c := e.Certificate; c.Known != c.Below {
		below := c.Below - c.Known + len(e.Values)
		return fmt.Errorf("solvers: the interval holds %d eigenvalues by the count, and the search found %d; take ends farther from eigenvalues, or parts of the interval", below, len(e.Values))
	}
	return nil
}

// cut keeps the pairs from low to high, of ascending ones.
func (e *Eigen) cut(low, high float64) {
	lo, hi := 0, len(e.Values)
	for lo < hi && e.Values[lo] < low {
		lo++
	}
	for lo < hi && e.Values[hi-1] > high {
		hi--
	}
	if hi < len(e.Values) {
		e.Next = e.Values[hi]
	}
	e.Values, e.Vectors = e.Values[lo:hi], e.Vectors[lo:hi]
}

// slice is a part of the interval, with the eigenvalues below it and in it.
type slice struct {
	low, high    float64
	below, count int
}

// slicing is a search by slices under way.
type slicing struct {
	*inverted
	low, high float64 // as they were moved
	found     *Eigen
	shifts    int
	total     int  // pairs in the interval
	loose     bool // solutions of some shift are less accurate than strictSolve
}

// sliced finds the pairs of an interval slice by slice. loose reports whether solutions were less accurate than strictSolve.
func (s *pencil) sliced(ctx context.Context, form *inverted, low, high float64) (e *Eigen, loose bool, err error) {
	first, err := form.at(ctx, low, -1)
	if err != nil {
		return nil, false, err
	}
	last, err := form.at(ctx, high, 1)
	if err != nil {
		return nil, false, err
	}
	all := slice{first.sigma, last.sigma, first.below(), last.below() - first.below()}
	if all.count > 0 {
		if need := s.plan.Bytes + 24*int64(s.n)*int64(all.count); s.Memory > 0 && need > s.Memory {
			return nil, false, &IntervalError{all.count, MemoryError{need + s.copied, s.Memory + s.copied}}
		}
	}
	bound, certain := max(first.inertia.Bound, last.inertia.Bound), first.counts && last.counts
	v := &slicing{inverted: form, low: all.low, high: all.high, shifts: 2, total: all.count, found: &Eigen{Converged: true, Next: math.NaN()}}
	first, last = nil, nil // their memory
	if err := v.slices(ctx, all); err != nil {
		return nil, false, err
	}
	if missing := all.count - len(v.found.Values); missing > 0 {
		at, err := v.at(ctx, all.low+(all.high-all.low)/2, 1)
		if err != nil {
			return nil, false, err
		}
		v.shifts++
		for missing > 0 {
			before := len(v.found.Values)
			if _, err := v.serve(ctx, at, min(missing, maxOfShift), v.found.Vectors); err != nil {
				return nil, false, err
			}
			if len(v.found.Values) == before {
				break
			}
			missing = all.count - len(v.found.Values)
		}
	}
	e = v.found
	e.Converged = len(e.Values) == all.count // and all are measured
	e.Certificate = &sparse.Certificate{Shift: all.high, Below: all.below + all.count, Known: all.below + len(e.Values), Pairs: len(e.Values), Bound: bound, Factorisations: v.shifts, Certain: certain}
	s.count = len(e.Values)
	s.plan.Reason += fmt.Sprintf(", %d shifts", v.shifts)
	if all.low != low || all.high != high {
		out := s.scaling.outside
		e.Moved = fmt.Sprintf("the interval moved from %.17g … %.17g to %.17g … %.17g, off eigenvalues", out(low), out(high), out(all.low), out(all.high))
		s.plan.Reason += ", " + e.Moved
	}
	return e, v.loose, nil
}

// below is the number of eigenvalues below the shift, null vectors left out.
func (s *shifted) below() int {
	if s.sigma > 0 {
		return s.inertia.Negative - len(s.known)
	}
	return s.inertia.Negative
}

// slices serves a slice, and what is left of it on either side.
func (v *slicing) slices(ctx context.Context, s slice) error {
	if s.count <= 0 {
		return nil
	}
	count := s.count
	if count > maxOfShift {
		count = partOfShift
	}
	width := s.high - s.low
	at, err := v.at(ctx, s.low+width/2, 1)
	if err != nil {
		return err
	}
	v.shifts++
	var near [][]float64 // pairs that a shift in the middle would meet again
	for j, value := range v.found.Values {
		if value > s.low-width && value < s.high+width {
			near = append(near, v.found.Vectors[j])
		}
	}
	out := served{under: at.below()}
	for out.less+out.more < s.count {
		more, err := v.serve(ctx, at, min(count, s.count-out.less-out.more), near)
		if err != nil {
			return err
		}
		out.less, out.more, out.reach = out.less+more.less, out.more+more.more, max(out.reach, more.reach)
		near = append(near, more.vectors...)
		// Further ones at this shift where they are as far away as these: copies of a multiple eigenvalue.
		if len(more.vectors) == 0 || !more.alike && out.reach < width/2 {
			break
		}
		count *= 2
	}
	if out.less+out.more >= s.count || out.reach >= width/2 {
		return nil
	}
	left := slice{s.low, at.sigma - out.reach, s.below, out.under - s.below - out.less}
	right := slice{at.sigma + out.reach, s.high, out.under + out.more, 0}
	right.count = s.below + s.count - right.below
	if err := v.slices(ctx, left); err != nil {
		return err
	}
	return v.slices(ctx, right)
}

// served is what a search at a shift gave: the eigenvalues below it, and the eigenvalues of its pairs on either side.
type served struct {
	under      int
	less, more int
	reach      float64     // how far its pairs go
	alike      bool        // half of them are as far
	vectors    [][]float64 // the vectors of the interval
}

// serve finds the given number of pairs nearest to a shift, orthogonal to those near it that are known, and keeps those in
// the interval.
func (v *slicing) serve(ctx context.Context, at *shifted, count int, near [][]float64) (*served, error) {
	v.loose = v.loose || at.loose
	count = min(count, v.n-len(v.known)-len(near))
	out := &served{}
	if count <= 0 {
		return out, nil
	}
	e, err := at.search(ctx, slices.Concat(v.known, near), count, count, true)
	if err != nil {
		return nil, err
	}
	if !e.Converged {
		v.sound(e)
	}
	for _, value := range e.Values {
		out.reach = max(out.reach, math.Abs(value-at.sigma))
	}
	equal := 0
	for j, value := range e.Values {
		if value < at.sigma {
			out.less++
		} else {
			out.more++
		}
		if math.Abs(value-at.sigma) >= (1-clusterTolerance)*out.reach {
			equal++
		}
		if value >= v.low && value <= v.high {
			v.found.Values, v.found.Vectors = append(v.found.Values, value), append(v.found.Vectors, e.Vectors[j])
			out.vectors = append(out.vectors, e.Vectors[j])
		}
	}
	out.alike = 2*equal >= len(e.Values)
	v.found.Solves += e.Solves
	v.Progress(0.5 + 0.5*float64(len(v.found.Values))/float64(max(v.total, 1)))
	return out, nil
}

// sound leaves the pairs of a search that has not converged which are eigenpairs all the same.
func (v *slicing) sound(e *Eigen) {
	v.measure(e)
	limit, kept := max(residualLimit, v.accuracy), 0
	for j, r := range e.Residuals {
		if r <= limit {
			e.Values[kept], e.Vectors[kept] = e.Values[j], e.Vectors[j]
			kept++
		}
	}
	e.Values, e.Vectors = e.Values[:kept], e.Vectors[:kept]
}
