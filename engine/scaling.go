package engine

import (
	"fmt"
	"math"
	"reflect"

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
	alone    string // the graph or distances that stand alone, of which that entry is; empty: of the data
}

// ordinary refuses the first entry that is NaN or infinite, and returns the samples
// divided by a power of two where they are of no ordinary size (see
// [magnitude.Exponent]); else the same, without a copy. All runs take their samples from
// here.
func (b *begun) ordinary(x samples.Samples) (samples.Samples, scaling, error) {
	s := scaling{method: b.Method()}
	if row, col, value := x.FirstNotFinite(); row >= 0 {
		return x, s, fmt.Errorf("%s: row %d, column %d (counting from 1) is %v; remove or fill in what is not finite", b.Method(), row+1, col+1, value)
	}
	switch s.row, s.col, s.value = x.Largest(); {
	case x.Absent() && b.graph != nil:
		s.row, s.col, s.value = longestEdge(b.graph)
		s.alone = "graph"
	case x.Absent():
		s.row, s.col, s.value = b.distances.Largest()
		s.alone = "distances"
	}
	if s.exponent = magnitude.Exponent(math.Abs(s.value)); s.exponent != 0 {
		b.Explain("data: the largest entry is %.4g, so that all are divided by 2^%d; what follows is told of them", s.value, s.exponent)
		b.Run = b.Holding(x.Bytes()) // of compressed rows the entries alone are copied
	}
	if b.graph != nil && b.options.Affinities == nil {
		b.graph = b.graph.Over(s.exponent)
	}
	if s.exponent != 0 && b.distances.N() > 0 {
		b.Run = b.Holding(b.distances.Bytes())
		b.distances = b.distances.Over(s.exponent)
	}
	return x.Over(s.exponent), s, nil
}

// check refuses work whose results are squares, or higher powers, of the data's unit that
// no number holds.
func (s scaling) check(u units) error {
	if s.exponent != 0 && u.mixed != "" {
		return s.refuse("%s between its ends adds penalties of different units", u.mixed)
	}
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

// checkClusters is [scaling.check] for a clustering.
func (s scaling) checkClusters(g grouping, u units) error {
	if err := s.holds("the cost of k-means", g.costUnit()); err != nil || g.Factors == nil {
		return err
	}
	return s.check(u)
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
	of := ""
	if s.alone != "" {
		of = " of the " + s.alone
	}
	return fmt.Errorf("%s: row %d, column %d (counting from 1)%s is %.4g, the largest entry, where %s; %s",
		s.method, s.row+1, s.col+1, of, s.value, fmt.Sprintf(format, args...), s.remedy())
}

// remedy brings the largest entry near 1.
func (s scaling) remedy() string {
	what := map[string]string{"": "the data", "graph": "the distances of the graph", "distances": "the distances"}[s.alone]
	power := math.Floor(math.Log10(math.Abs(s.value)))
	if power > 0 {
		return fmt.Sprintf("divide %s by 1e%.0f", what, power)
	}
	return fmt.Sprintf("multiply %s by 1e%.0f", what, min(-power, 300))
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
		scaled := magnitude.TimesPower(at.Float(), -power*float64(s.exponent))
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
