package magnitude

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Unit is the power of two by which samples were divided, with the entry that is named if a result
// cannot be converted back.
type Unit struct {
	Exponent int // 0: they were not divided
	Method   string
	Row, Col int // of the largest entry, from 0
	Value    float64
	Alone    string // the graph or distances given without data, which contain that entry; empty: it is in the data
}

// Times returns the exponent of a power of the unit.
func (u Unit) Times(power float64) int { return int(power * float64(u.Exponent)) }

// Numbers multiplies x by a power of the unit; false: a product overflows.
func (u Unit) Numbers(power float64, x []float64) bool {
	e := u.Times(power)
	if e == 0 {
		return true
	}
	for i, v := range x {
		if x[i] = Times(v, e); math.IsInf(x[i], 0) && !math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// Squares is [Unit.Numbers] for higher powers, of which the largest must not underflow either.
// Lengths cannot unless the data do.
func (u Unit) Squares(power float64, x []float64) bool {
	if u.Times(power) == 0 {
		return true
	}
	_, before := Largest(x)
	if !u.Numbers(power, x) {
		return false
	}
	_, after := Largest(x)
	return before == 0 || after >= MinNormal
}

// MinNormal is the smallest number of full precision.
const MinNormal = 0x1p-1022

// Matrix is [Unit.Numbers] for a copy of a matrix.
func (u Unit) Matrix(power float64, y *mat.Dense) (*mat.Dense, bool) {
	if u.Times(power) == 0 || y == nil {
		return y, true
	}
	y = mat.DenseCopyOf(y)
	return y, u.Numbers(power, y.RawMatrix().Data)
}

// Holds returns an error if results in a power of the unit overflow or underflow.
func (u Unit) Holds(what string, power float64) error {
	if Normal(power * float64(u.Exponent)) {
		return nil
	}
	return u.Refuse("%s would be beyond the range of numbers", what)
}

// Refuse returns the error, with the largest entry and the remedy.
func (u Unit) Refuse(format string, args ...any) error {
	of := ""
	if u.Alone != "" {
		of = " of the " + u.Alone
	}
	return fmt.Errorf("%s: row %d, column %d (counting from 1)%s is %.4g, the largest entry, where %s; %s",
		u.Method, u.Row+1, u.Col+1, of, u.Value, fmt.Sprintf(format, args...), u.Remedy())
}

// Remedy suggests a factor that brings the largest entry near 1.
func (u Unit) Remedy() string {
	what := map[string]string{"": "the data", "graph": "the distances of the graph", "distances": "the distances"}[u.Alone]
	power := math.Floor(math.Log10(math.Abs(u.Value)))
	if power > 0 {
		return fmt.Sprintf("divide %s by 1e%.0f", what, power)
	}
	return fmt.Sprintf("multiply %s by 1e%.0f", what, min(-power, 300))
}

// Quantity is a set of numbers in a power of the unit. Scale multiplies them by it; false: a product
// is beyond the range of numbers.
type Quantity struct {
	What  string // name in errors
	Scale func(u Unit) bool
}

// Lengths are numbers in a power of the unit, which may underflow as the data do.
func Lengths(what string, power float64, x []float64) Quantity {
	return Quantity{what, func(u Unit) bool { return u.Numbers(power, x) }}
}

// Powers is [Lengths] for higher powers, of which the largest must not underflow.
func Powers(what string, power float64, x []float64) Quantity {
	return Quantity{what, func(u Unit) bool { return u.Squares(power, x) }}
}

// Length is [Lengths] for one number; NaN stays.
func Length(what string, power float64, v *float64) Quantity {
	return Quantity{what, func(u Unit) bool {
		one := []float64{*v}
		ok := u.Numbers(power, one)
		*v = one[0]
		return ok
	}}
}

// MatrixOf is [Lengths] for a matrix, which is replaced because it may be shared.
func MatrixOf(what string, power float64, y **mat.Dense) Quantity {
	return Quantity{what, func(u Unit) (ok bool) {
		*y, ok = u.Matrix(power, *y)
		return ok
	}}
}
