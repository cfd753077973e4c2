package engine

import (
	"fmt"
	"math"
	"reflect"

	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/method"
)

// rescale refuses samples with entries that are not finite, and divides samples whose squares
// would overflow or underflow by a power of two (see [magnitude.Exponent]); others are not
// copied. A graph or distances are divided likewise. All runs get their samples from here.
type rescale struct{}

func (rescale) apply(s state) (state, undo, error) {
	if row, col, value := s.x.FirstNotFinite(); row >= 0 && s.incomplete() {
		if row, col, value = s.x.FirstInfinite(); row >= 0 {
			return s, nil, fmt.Errorf("%s: row %d, column %d (counting from 1) is %v, which is not a missing value; correct it first", s.Method(), row+1, col+1, value)
		}
	} else if row >= 0 {
		return s, nil, fmt.Errorf("%s: row %d, column %d (counting from 1) is %v; remove or fill in non-finite entries", s.Method(), row+1, col+1, value)
	}
	u := magnitude.Unit{Method: s.Method()}
	switch u.Row, u.Col, u.Value = s.x.Largest(); {
	case s.x.Absent() && s.given.Graph != nil:
		u.Row, u.Col, u.Value = longestEdge(s.given.Graph)
		u.Alone = "graph"
	case s.x.Absent():
		u.Row, u.Col, u.Value = s.given.Distances.Largest()
		u.Alone = "distances"
	}
	if u.Exponent = magnitude.Exponent(math.Abs(u.Value)); u.Exponent != 0 {
		s.Explain("data: the largest entry is %.4g, so all entries are divided by 2^%d; the lines below refer to the divided entries", u.Value, u.Exponent)
		s.Run = s.Holding(s.x.Bytes()) // for compressed rows only the entries are copied
	}
	if g := s.given.Graph; g != nil && !s.given.Affine {
		s.given.Graph = g.ScaledDown(u.Exponent)
	}
	if d := s.given.Distances; u.Exponent != 0 && d.N() > 0 {
		s.Run = s.Holding(d.Bytes())
		s.given.Distances = d.ScaledDown(u.Exponent)
	}
	s.x, s.unit = s.x.ScaledDown(u.Exponent), u
	return s, rescaled{u}, nil
}

// rescaled converts results to the unit of the data.
type rescaled struct{ unit magnitude.Unit }

// back converts a result. Its rule for new samples keeps working on divided samples, and records the
// division.
func (r rescaled) back(f *fitted) error {
	u := r.unit
	if u.Exponent == 0 {
		return nil
	}
	run.SetDetails(f.Run, detailsIn(u, f.Run))
	if f.rule != nil {
		f.rule.Divide = &extend.Division{Exponent: u.Exponent, Coordinates: u.Times(f.power)}
	}
	for _, q := range f.result.quantities() {
		if !q.Scale(u) {
			return u.Refuse("%s would be beyond the range of numbers", q.What)
		}
	}
	return nil
}

// detailsIn returns the details of a run in the unit of the data. Details that overflow are left out,
// with a warning.
func detailsIn(u magnitude.Unit, job *run.Run) run.Details {
	all, omitted := run.DetailsOf(job).InUnit(u.Squares)
	for _, name := range omitted {
		job.Warn("the detail %s is beyond the range of numbers and left out", name)
	}
	return all
}

// inUnit converts the parameters of a method to the unit of the samples, and refuses work whose
// results overflow in the unit of the data.
type inUnit struct{ task string }

func (g inUnit) apply(s state) (state, undo, error) {
	u := s.unit
	m, err := methodIn(u, s.method)
	if err != nil {
		return s, nil, err
	}
	s.method = m
	if err := s.checkUnits(g.task); err != nil {
		return s, nil, err
	}
	of := method.RowOf(m).UnitsOf()
	if g.task == "cluster" {
		plan := method.RowOf(m).Cluster(2)
		if err := u.Holds("the cost of k-means", plan.CostUnit()); err != nil || plan.Factors == nil {
			return s, nil, err
		}
	}
	return s, nil, checkResults(u, of)
}

// methodIn returns the method with its parameters in the unit of the samples.
func methodIn(u magnitude.Unit, m Method) (Method, error) {
	powers := method.RowOf(m).UnitsOf().Parameters
	if u.Exponent == 0 || len(powers) == 0 {
		return m, nil
	}
	own := param.Copy(m)
	for _, f := range param.Fields(own) {
		power, at := powers[f.Key], f.Value
		if at.Kind() == reflect.Pointer {
			if at.IsNil() {
				continue // found from the samples
			}
			value := reflect.New(at.Type().Elem())
			value.Elem().Set(at.Elem())
			at.Set(value)
			at = value.Elem()
		}
		if power == 0 || at.Float() == 0 {
			continue
		}
		scaled := magnitude.TimesPower(at.Float(), -power*float64(u.Exponent))
		if size := math.Abs(scaled); !(size >= magnitude.MinNormal && size <= math.MaxFloat64) {
			return nil, u.Refuse("%s = %v, which has a unit of the data's, is beyond what counts", f.Key, at.Float())
		}
		at.SetFloat(scaled)
	}
	return own, nil
}

// divideStart divides a given start like the factors.
func divideStart(u magnitude.Unit, w *factor.Work) error {
	of := w.Plan.Solve.Units()
	down := magnitude.Unit{Exponent: -u.Exponent}
	var holds [2]bool
	w.InitW, holds[0] = down.Matrix(of.StartW, w.InitW)
	w.InitH, holds[1] = down.Matrix(of.StartH, w.InitH)
	if holds != [2]bool{true, true} {
		return u.Refuse("the given start would be beyond the range of numbers")
	}
	return nil
}

// maxApart is the largest ratio of given distances and samples, and its reciprocal the
// smallest, for which both contribute to sums of squares.
const maxApart = 0x1p300

// checkUnits refuses a graph, a metric or distances, given with samples, whose magnitude differs so much
// from theirs that squares would overflow or underflow. A structure without samples was divided itself.
func (s state) checkUnits(task string) error {
	if m := s.Metric(); !m.InUnit() && method.RowOf(s.method).Measures(task) && math.Abs(float64(s.unit.Exponent)) > math.Log2(maxApart) {
		return s.unit.Refuse("distances by %s, which do not grow with the samples, would not count next to these", m)
	}
	if s.x.Absent() || s.given.Affine || !s.given.Present() || !method.RowOf(s.method).Measures(task) {
		return nil
	}
	what, row, col, value := "graph", 0, 0, 0.0
	if s.given.Graph != nil {
		row, col, value = longestEdge(s.given.Graph)
	} else {
		what = "distances"
		row, col, value = s.given.Distances.Largest()
	}
	if value == 0 || value >= 1/maxApart && value <= maxApart {
		return nil
	}
	return fmt.Errorf("%s: row %d, column %d (counting from 1) of the %s is %.4g, the largest distance, where the largest entry of the samples is %.4g, and squares would be beyond the range of numbers; give both in one unit",
		s.Method(), row+1, col+1, what, magnitude.Times(value, s.unit.Exponent), math.Abs(s.unit.Value))
}

// checkResults refuses work whose results are squares, or higher powers, of the data's unit that overflow or
// underflow.
func checkResults(u magnitude.Unit, of method.Units) error {
	if u.Exponent != 0 && of.Mixed != "" {
		return u.Refuse("%s between its ends adds penalties of different units", of.Mixed)
	}
	if err := u.Holds("eigenvalues", of.Values); err != nil {
		return err
	}
	return u.Holds("the objective", of.Objective)
}
