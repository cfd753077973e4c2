package engine

import (
	"fmt"
	"math"
	"reflect"

	"gonum.org/v1/gonum/mat"

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

// unit is the power of two by which samples were divided; exponent 0: they were not.
type unit struct {
	exponent int
	method   string
	row, col int // of the largest entry, from 0
	value    float64
	alone    string // the graph or distances given without data, which contain that entry; empty: it is in the data
}

func (rescale) apply(s state) (state, undo, error) {
	if row, col, value := s.x.FirstNotFinite(); row >= 0 {
		return s, nil, fmt.Errorf("%s: row %d, column %d (counting from 1) is %v; remove or fill in non-finite entries", s.Method(), row+1, col+1, value)
	}
	u := unit{method: s.Method()}
	switch u.row, u.col, u.value = s.x.Largest(); {
	case s.x.Absent() && s.given.graph != nil:
		u.row, u.col, u.value = longestEdge(s.given.graph)
		u.alone = "graph"
	case s.x.Absent():
		u.row, u.col, u.value = s.given.distances.Largest()
		u.alone = "distances"
	}
	if u.exponent = magnitude.Exponent(math.Abs(u.value)); u.exponent != 0 {
		s.Explain("data: the largest entry is %.4g, so all entries are divided by 2^%d; the lines below refer to the divided entries", u.value, u.exponent)
		s.Run = s.Holding(s.x.Bytes()) // for compressed rows only the entries are copied
	}
	if g := s.given.graph; g != nil && !s.given.affine {
		s.given.graph = g.ScaledDown(u.exponent)
	}
	if d := s.given.distances; u.exponent != 0 && d.N() > 0 {
		s.Run = s.Holding(d.Bytes())
		s.given.distances = d.ScaledDown(u.exponent)
	}
	s.x, s.unit = s.x.ScaledDown(u.exponent), u
	return s, u, nil
}

// measured is a result with numbers in the unit of the data.
type measured interface {
	// quantities returns these numbers, copied if they are shared.
	quantities() []quantity
}

// quantity is a set of numbers in a power of the unit of the data. The method determines the
// power of each result, as [units] says.
type quantity struct {
	what  string // name in errors
	scale func(u unit) bool
}

// lengths are numbers in a power of the unit, which may underflow as the data do.
func lengths(what string, power float64, x []float64) quantity {
	return quantity{what, func(u unit) bool { return u.numbers(power, x) }}
}

// powers is [lengths] for higher powers, of which the largest must not underflow.
func powers(what string, power float64, x []float64) quantity {
	return quantity{what, func(u unit) bool { return u.squares(power, x) }}
}

// length is [lengths] for one number; NaN stays.
func length(what string, power float64, v *float64) quantity {
	return quantity{what, func(u unit) bool {
		one := []float64{*v}
		ok := u.numbers(power, one)
		*v = one[0]
		return ok
	}}
}

// matrixOf is [lengths] for a matrix, which is replaced because it may be shared.
func matrixOf(what string, power float64, y **mat.Dense) quantity {
	return quantity{what, func(u unit) (ok bool) {
		*y, ok = u.matrix(power, *y)
		return ok
	}}
}

// back converts a result to the unit of the data. Its rule for new samples keeps working on divided
// samples, and records the division.
func (u unit) back(f *fitted) error {
	if u.exponent == 0 {
		return nil
	}
	run.SetDetails(f.Run, u.details(f.Run))
	if f.rule != nil {
		f.rule.Divide = &extend.Division{Exponent: u.exponent, Coordinates: u.times(f.power)}
	}
	for _, q := range f.result.quantities() {
		if !q.scale(u) {
			return u.refuse("%s would be beyond the range of numbers", q.what)
		}
	}
	return nil
}

// times returns the exponent of a power of the unit.
func (u unit) times(power float64) int { return int(power * float64(u.exponent)) }

// numbers multiplies x by a power of the unit; false: a product overflows.
func (u unit) numbers(power float64, x []float64) bool {
	e := u.times(power)
	if e == 0 {
		return true
	}
	for i, v := range x {
		if x[i] = magnitude.Times(v, e); math.IsInf(x[i], 0) && !math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// squares is [unit.numbers] for higher powers, of which the largest must not underflow either.
// Lengths cannot unless the data do.
func (u unit) squares(power float64, x []float64) bool {
	if u.times(power) == 0 {
		return true
	}
	_, before := magnitude.Largest(x)
	if !u.numbers(power, x) {
		return false
	}
	_, after := magnitude.Largest(x)
	return before == 0 || after >= minNormal
}

// matrix is [unit.numbers] for a copy of a matrix.
func (u unit) matrix(power float64, y *mat.Dense) (*mat.Dense, bool) {
	if u.times(power) == 0 || y == nil {
		return y, true
	}
	y = mat.DenseCopyOf(y)
	return y, u.numbers(power, y.RawMatrix().Data)
}

// details returns the details of a run in the unit of the data. Details that overflow are left out,
// with a warning.
func (u unit) details(job *run.Run) run.Details {
	all, omitted := run.DetailsOf(job).InUnit(u.squares)
	for _, name := range omitted {
		job.Warn("the detail %s is beyond the range of numbers and left out", name)
	}
	return all
}

// inUnit converts the parameters of a method to the unit of the samples, and refuses work whose
// results overflow in the unit of the data.
type inUnit struct{ fit }

func (g inUnit) apply(s state) (state, undo, error) {
	u := s.unit
	m, err := u.of(s.method)
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
		if err := u.holds("the cost of k-means", plan.CostUnit()); err != nil || plan.Factors == nil {
			return s, nil, err
		}
	}
	return s, nil, u.check(of)
}

// of returns the method with its parameters in the unit of the samples.
func (u unit) of(m Method) (Method, error) {
	powers := method.RowOf(m).UnitsOf().Parameters
	if u.exponent == 0 || len(powers) == 0 {
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
		scaled := magnitude.TimesPower(at.Float(), -power*float64(u.exponent))
		if size := math.Abs(scaled); !(size >= minNormal && size <= math.MaxFloat64) {
			return nil, u.refuse("%s = %v, which has a unit of the data's, is beyond what counts", f.Key, at.Float())
		}
		at.SetFloat(scaled)
	}
	return own, nil
}

// minNormal is the smallest number of full precision.
const minNormal = 0x1p-1022

// start divides a given start like the factors.
func (u unit) start(w *factor.Work) error {
	of := w.Plan.Solve.Units()
	down := unit{exponent: -u.exponent}
	var holds [2]bool
	w.InitW, holds[0] = down.matrix(of.StartW, w.InitW)
	w.InitH, holds[1] = down.matrix(of.StartH, w.InitH)
	if holds != [2]bool{true, true} {
		return u.refuse("the given start would be beyond the range of numbers")
	}
	return nil
}

// maxApart is the largest ratio of given distances and samples, and its reciprocal the
// smallest, for which both contribute to sums of squares.
const maxApart = 0x1p300

// checkUnits refuses a graph, a metric or distances, given with samples, whose magnitude differs so much
// from theirs that squares would overflow or underflow. A structure without samples was divided itself.
func (s state) checkUnits(task string) error {
	if m := s.Metric(); !m.InUnit() && method.RowOf(s.method).Measures(task) && math.Abs(float64(s.unit.exponent)) > math.Log2(maxApart) {
		return s.unit.refuse("distances by %s, which do not grow with the samples, would not count next to these", m)
	}
	if s.x.Absent() || s.given.affine || !s.given.present() || !method.RowOf(s.method).Measures(task) {
		return nil
	}
	what, row, col, value := "graph", 0, 0, 0.0
	if s.given.graph != nil {
		row, col, value = longestEdge(s.given.graph)
	} else {
		what = "distances"
		row, col, value = s.given.distances.Largest()
	}
	if value == 0 || value >= 1/maxApart && value <= maxApart {
		return nil
	}
	return fmt.Errorf("%s: row %d, column %d (counting from 1) of the %s is %.4g, the largest distance, where the largest entry of the samples is %.4g, and squares would be beyond the range of numbers; give both in one unit",
		s.Method(), row+1, col+1, what, magnitude.Times(value, s.unit.exponent), math.Abs(s.unit.value))
}

// check refuses work whose results are squares, or higher powers, of the data's unit that overflow or
// underflow.
func (u unit) check(of method.Units) error {
	if u.exponent != 0 && of.Mixed != "" {
		return u.refuse("%s between its ends adds penalties of different units", of.Mixed)
	}
	if err := u.holds("eigenvalues", of.Values); err != nil {
		return err
	}
	return u.holds("the objective", of.Objective)
}

// holds returns an error if results in a power of the data's unit overflow or underflow.
func (u unit) holds(what string, power float64) error {
	if magnitude.Normal(power * float64(u.exponent)) {
		return nil
	}
	return u.refuse("%s would be beyond the range of numbers", what)
}

// refuse returns the error, with the largest entry and the remedy.
func (u unit) refuse(format string, args ...any) error {
	of := ""
	if u.alone != "" {
		of = " of the " + u.alone
	}
	return fmt.Errorf("%s: row %d, column %d (counting from 1)%s is %.4g, the largest entry, where %s; %s",
		u.method, u.row+1, u.col+1, of, u.value, fmt.Sprintf(format, args...), u.remedy())
}

// remedy suggests a factor that brings the largest entry near 1.
func (u unit) remedy() string {
	what := map[string]string{"": "the data", "graph": "the distances of the graph", "distances": "the distances"}[u.alone]
	power := math.Floor(math.Log10(math.Abs(u.value)))
	if power > 0 {
		return fmt.Sprintf("divide %s by 1e%.0f", what, power)
	}
	return fmt.Sprintf("multiply %s by 1e%.0f", what, min(-power, 300))
}
