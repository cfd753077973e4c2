package engine

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/engine/internal/samples"
)

// scaling is what was done about samples whose squares would overflow or vanish: they
// were divided by a power of two, by their largest entry. The zero exponent: nothing was.
type scaling struct {
	exponent int
	method   string
	row, col int // of the largest entry, from 0
	value    float64
}

// ordinary refuses the first entry that is NaN or infinite, and returns the samples
// divided by a power of two where they are of no ordinary size (see
// [magnitude.Exponent]); else the same, without a copy. All entries of the package take
// their samples from here.
func (b begun) ordinary(x samples.Samples) (samples.Samples, scaling, error) {
	s := scaling{method: b.Method()}
	if row, col, value := x.FirstNotFinite(); row >= 0 {
		return x, s, fmt.Errorf("%s: row %d, column %d (counting from 1) is %v; remove or fill in what is not finite", b.Method(), row+1, col+1, value)
	}
	s.row, s.col, s.value = x.Largest()
	if s.exponent = magnitude.Exponent(math.Abs(s.value)); s.exponent != 0 {
		b.Explain("data: the largest entry is %.4g, so that all are divided by 2^%d; what follows is told of them", s.value, s.exponent)
	}
	return x.Over(s.exponent), s, nil
}

// check refuses work whose results are squares, or higher powers, of the data's unit that
// no number holds.
func (s scaling) check(u units) error {
	for _, r := range []struct {
		what  string
		power float64
	}{{"eigenvalues", u.values}, {"the objective", u.objective}} {
		if err := s.holds(r.what, r.power); err != nil {
			return err
		}
	}
	return nil
}

// holds refuses results whose unit, so many times the data's, no number holds.
func (s scaling) holds(what string, power float64) error {
	if magnitude.Normal(power * float64(s.exponent)) {
		return nil
	}
	return s.refuse("%s would be beyond the range of numbers", what)
}

// refuse words a refusal by the entry and the remedy.
func (s scaling) refuse(format string, args ...any) error {
	return fmt.Errorf("%s: row %d, column %d (counting from 1) is %.4g, the largest entry, where %s; %s",
		s.method, s.row+1, s.col+1, s.value, fmt.Sprintf(format, args...), s.remedy())
}

// remedy brings the largest entry near 1.
func (s scaling) remedy() string {
	power := math.Floor(math.Log10(math.Abs(s.value)))
	if power > 0 {
		return fmt.Sprintf("divide the data by 1e%.0f", power)
	}
	return fmt.Sprintf("multiply the data by 1e%.0f", min(-power, 300))
}

// of returns the method with parameters for the samples as they were divided.
func (s scaling) of(m Method) (Method, error) {
	powers := rowOf(m).unitsOf().parameters
	if s.exponent == 0 || len(powers) == 0 {
		return m, nil
	}
	v := reflect.Indirect(reflect.ValueOf(m))
	copied := reflect.New(v.Type())
	copied.Elem().Set(v)
	for _, f := range fields(copied.Interface()) {
		power := powers[f.Key]
		at := f.value
		if at.Kind() == reflect.Pointer {
			if at.IsNil() {
				continue // found from the samples
			}
			own := reflect.New(at.Type().Elem())
			own.Elem().Set(at.Elem())
			at.Set(own)
			at = own.Elem()
		}
		if power == 0 || at.Float() == 0 {
			continue
		}
		scaled := magnitude.Times(at.Float(), -s.times(power))
		if size := math.Abs(scaled); !(size >= leastNormal && size <= math.MaxFloat64) {
			return nil, s.refuse("%s = %v, which has a unit of the data's, is beyond what counts", f.Key, at.Float())
		}
		at.SetFloat(scaled)
	}
	return copied.Interface().(Method), nil
}

// leastNormal is the smallest number that has all its digits.
const leastNormal = 0x1p-1022

// times is the exponent of a power of the data's unit.
func (s scaling) times(power float64) int { return int(power * float64(s.exponent)) }

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

// start divides a given start, as its factors are.
func (s scaling) start(w *factor.Work) error {
	u := w.Plan.Solve.Units()
	down := scaling{exponent: -s.exponent, method: s.method, row: s.row, col: s.col, value: s.value}
	var err error
	if w.InitW, err = down.matrix("the given start", u.StartW, w.InitW); err != nil {
		return err
	}
	w.InitH, err = down.matrix("the given start", u.StartH, w.InitH)
	return err
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
	for i, p := range found.Trace {
		found.Trace[i] = of.Point(p, s.exponent)
		if p = found.Trace[i]; math.IsInf(p.Objective, 0) || math.IsInf(p.Surrogate, 0) {
			return s.refuse("the objective would be beyond the range of numbers")
		}
	}
	return nil
}

// checkClusters is [scaling.check] for a clustering.
func (s scaling) checkClusters(g grouping, u units) error {
	if err := s.holds("the cost of k-means", g.costUnit()); err != nil || g.Factors == nil {
		return err
	}
	return s.check(u)
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
	for c := range r.Parts {
		part := &r.Parts[c]
		if part.Y == nil {
			continue
		}
		size, dim := part.Y.Dims()
		var err error
		if part.Y, err = s.matrix("coordinates", rowOf(g.embed(size, dim)).unitsOf().coordinates, part.Y); err != nil {
			return err
		}
	}
	return nil
}
