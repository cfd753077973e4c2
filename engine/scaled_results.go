package engine

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
)

// numbers gives numbers, in place, the unit of the data to a power, and refuses those
// beyond the range.
func (s scaling) numbers(what string, power float64, x []float64) error {
	e := s.times(power)
	if e == 0 {
		return nil
	}
	for i, v := range x {
		if x[i] = magnitude.Times(v, e); math.IsInf(x[i], 0) && !math.IsInf(v, 0) {
			return s.refuse("%s would be beyond the range of numbers", what)
		}
	}
	return nil
}

// squares is [scaling.numbers] for higher powers, of which the largest must not vanish
// either. Lengths do not where the data do not.
func (s scaling) squares(what string, power float64, x []float64) error {
	_, before := magnitude.Largest(x)
	if err := s.numbers(what, power, x); err != nil || s.times(power) == 0 {
		return err
	}
	if _, after := magnitude.Largest(x); before > 0 && after < leastNormal {
		return s.refuse("%s would be beyond the range of numbers", what)
	}
	return nil
}

// matrix is a matrix in the unit of the data to a power. The given one may be shared, and
// is left as it was.
func (s scaling) matrix(what string, power float64, y *mat.Dense) (*mat.Dense, error) {
	if s.times(power) == 0 || y == nil {
		return y, nil
	}
	y = mat.DenseCopyOf(y)
	return y, s.numbers(what, power, y.RawMatrix().Data)
}

// number is [scaling.numbers] of one; NaN stays.
func (s scaling) number(what string, power float64, v *float64) error {
	one := []float64{*v}
	err := s.numbers(what, power, one)
	*v = one[0]
	return err
}

// details gives those of the notes that have a unit theirs, and leaves out, with a
// warning, those that no number holds.
func (b begun) details(s scaling, u units) {
	notes := b.Notes()
	for _, key := range slices.Sorted(maps.Keys(u.details)) {
		var list []float64
		switch v := notes[key].(type) {
		case float64:
			list = []float64{v}
		case []float64:
			list = v
		}
		if list == nil {
			continue
		}
		if s.squares(key, u.details[key], list) != nil {
			delete(notes, key)
			b.Warn("the detail %s is beyond the range of numbers and left out", key)
		} else if _, single := notes[key].(float64); single {
			notes[key] = list[0]
		}
	}
}

// outcome gives what an embedding found the units of the data. Its rule for new samples
// stays one of divided samples, and says so.
func (b begun) outcome(s scaling, o *outcome, u units) error {
	if e := affinitiesExponent(b.options.Affinities); e != 0 && o.Y != nil {
		o.Y = mat.DenseCopyOf(o.Y)
		magnitude.Scale(int(u.affinities*float64(e)), o.Y.RawMatrix().Data)
	}
	if s.exponent == 0 {
		return nil
	}
	b.details(s, u)
	if o.extension != nil {
		o.extension.Divide(s.exponent, u.coordinates)
	}
	var err error
	if o.Y, err = s.matrix("coordinates", u.coordinates, o.Y); err != nil {
		return err
	}
	if err := s.squares("eigenvalues", u.values, o.Values); err != nil {
		return err
	}
	if err := s.number("eigenvalues", u.values, &o.Next); err != nil {
		return err
	}
	return s.squares("the objective", u.objective, o.Objective)
}

// factors gives what a factorisation found the units of the data.
func (b begun) factors(s scaling, found *factor.Found, of factor.Units, u units) error {
	if s.exponent == 0 {
		return nil
	}
	b.details(s, u)
	if found.Extension != nil {
		found.Extension.Divide(s.exponent, of.W)
		found.H = slices.Clone(found.H) // the extension keeps its own
	}
	if err := s.numbers("coordinates", of.W, found.W); err != nil {
		return err
	}
	if err := s.numbers("components", of.H, found.H); err != nil {
		return err
	}
	found.Offset = slices.Clone(found.Offset) // of a shift the extension has the same
	if err := s.numbers("the offset", 1, found.Offset); err != nil {
		return err
	}
	for i, p := range found.Trace {
		found.Trace[i] = of.Point(p, s.exponent)
		if p = found.Trace[i]; math.IsInf(p.Objective, 0) || math.IsInf(p.Surrogate, 0) {
			return s.refuse("the objective would be beyond the range of numbers")
		}
	}
	return nil
}

// clusters gives what a clustering found the units of the data.
func (b begun) clusters(s scaling, r *Clustering, g grouping, u units) error {
	if s.exponent == 0 {
		return nil
	}
	b.details(s, u)
	costs := []float64{r.FirstCost, r.Cost}
	if err := s.squares("the cost of k-means", g.costUnit(), costs); err != nil {
		return err
	}
	r.FirstCost, r.Cost = costs[0], costs[1]
	if r.extension != nil {
		r.extension.Divide(s.exponent, 0)
	}
	var err error
	if r.Centers, err = s.matrix("centres", 1, r.Centers); err != nil {
		return err
	}
	for c := range r.Parts {
		part := &r.Parts[c]
		if part.Y == nil {
			continue
		}
		size, dim := part.Y.Dims()
		if part.Y, err = s.matrix("coordinates", rowOf(g.embed(size, dim)).unitsOf().coordinates, part.Y); err != nil {
			return err
		}
	}
	return nil
}
