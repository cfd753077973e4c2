package extend

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// Division holds the powers of two by which samples are divided and coordinates multiplied.
type Division struct {
	Exponent    int // of samples
	Coordinates int // of coordinates
}

// divided returns the mapping for undivided samples, from an extension of divided ones.
func (d Division) divided(m *Mapping) *Mapping {
	down, up := -d.Exponent, d.Coordinates
	outer := *m
	outer.Exponent = d.Exponent
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
	return &outer
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
