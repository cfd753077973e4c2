package extend

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// Names of the numbers of an extension of divided samples: the exponent of the power of
// two that they were divided by, and the exponent of the one that coordinates are
// multiplied by.
const (
	exponentNumber    = "exponent"
	coordinatesNumber = "coordinates_exponent"
)

// mostDivided bounds the exponents of a model: those of any number, and some more.
const mostDivided = 2200

// mostPower bounds the power of the data's unit that coordinates have.
const mostPower = 2

// Divide makes the extension one of samples that were divided by 2^exponent, with
// coordinates in that power of their unit.
func (e *Extension) Divide(exponent int, power float64) {
	e.Numbers = mapsWith(e.Numbers, exponentNumber, float64(exponent))
	e.Numbers[coordinatesNumber] = power * float64(exponent)
}

func mapsWith(m map[string]float64, name string, v float64) map[string]float64 {
	all := map[string]float64{name: v}
	for n, v := range m {
		all[n] = v
	}
	return all
}

// Divided reports whether the extension is one of divided samples.
func (e *Extension) Divided() bool {
	_, there := e.Numbers[exponentNumber]
	return there
}

// exponent is that of the power of two that the samples were divided by.
func (e *Extension) exponent() int {
	return int(max(-mostDivided, min(e.Numbers[exponentNumber], mostDivided)))
}

// divided is the mapping of an extension of divided samples, for samples as they are.
func (e *Extension) divided(m *Mapping) (*Mapping, error) {
	var exponents [2]int
	for i, name := range []string{exponentNumber, coordinatesNumber} {
		v, err := e.number(name, -mostDivided, mostDivided)
		if err != nil {
			return nil, err
		}
		if v != math.Trunc(v) {
			return nil, fmt.Errorf("model: the number %q of a %s model is %v, not a whole one", name, e.Kind, v)
		}
		exponents[i] = int(v)
	}
	if by, c := exponents[0], exponents[1]; by == 0 || by%2 != 0 || c%(by/2) != 0 || max(c/(by/2), -c/(by/2)) > 2*mostPower || Labels(e.Kind) && c != 0 {
		return nil, fmt.Errorf("model: the numbers %q and %q of a %s model are %d and %d, which no fit makes", exponentNumber, coordinatesNumber, e.Kind, by, c)
	}
	down, up := -exponents[0], exponents[1]
	outer := *m
	outer.Exponent = exponents[0]
	outer.RowBytes += 8 * int64(m.Features)
	outer.Apply = func(ctx context.Context, points neighbors.Points, dst *mat.Dense) error {
		points.Data = magnitude.Scaled(down, points.Data[:points.N*points.M])
		if err := m.Apply(ctx, points, dst); err != nil {
			return err
		}
		return multiplied(dst, points.N, up)
	}
	if m.ApplySparse != nil {
		outer.ApplySparse = func(ctx context.Context, a *sparse.CSR, dst *mat.Dense) error {
			part := *a
			part.Val = magnitude.Scaled(down, a.Val)
			if err := m.ApplySparse(ctx, &part, dst); err != nil {
				return err
			}
			return multiplied(dst, a.Rows, up)
		}
	}
	return &outer, nil
}

// multiplied multiplies the coordinates of n samples by 2^e.
func multiplied(dst *mat.Dense, n, e int) error {
	for i := range n {
		row := dst.RawRowView(i)
		magnitude.Scale(e, row)
		for _, v := range row {
			if math.IsInf(v, 0) {
				return &RowError{i, "has coordinates beyond the range of numbers; divide the data of the model and of new samples by a power of ten"}
			}
		}
	}
	return nil
}
