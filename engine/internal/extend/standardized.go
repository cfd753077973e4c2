package extend

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// standardized returns the mapping for samples as given, from an extension of standardised
// ones. Its errors name the given entries.
func standardized(s samples.Standard, m *Mapping) *Mapping {
	outer := *m
	outer.Standard = s.How
	outer.RowBytes += 8 * int64(m.Features)
	outer.Apply = func(ctx context.Context, points neighbors.Points, dst *mat.Dense) error {
		data := slices.Clone(points.Data[:points.N*points.M])
		for i := range points.N {
			row := data[i*points.M : (i+1)*points.M]
			s.Scale(row)
			if err := beyond(i, row, points.Data[i*points.M:], func(q int) int { return q }); err != nil {
				return err
			}
		}
		points.Data = data
		return ofStandardized(s.How, m.Apply(ctx, points, dst))
	}
	outer.ApplySparse = nil
	if m.ApplySparse != nil && !samples.ByColumns(s.How) {
		outer.ApplySparse = func(ctx context.Context, a *sparse.CSR, dst *mat.Dense) error {
			part := *a
			part.Val = slices.Clone(a.Val)
			s.ScaleCompressed(&part)
			for i := range part.Rows {
				cols, vals := part.Row(i)
				_, before := a.Row(i)
				if err := beyond(i, vals, before, func(q int) int { return int(cols[q]) }); err != nil {
					return err
				}
			}
			return ofStandardized(s.How, m.ApplySparse(ctx, &part, dst))
		}
	}
	return &outer
}

// beyond returns an error for entries that cannot be standardised: those without a logarithm,
// and those so far from the training samples that squares would overflow.
func beyond(row int, scaled, before []float64, column func(q int) int) *RowError {
	const most = 1e150
	for q, v := range scaled {
		if v-v != 0 && before[q] == before[q] || math.Abs(v) > most {
			return &RowError{row, fmt.Sprintf("has %v in column %d, which is far outside of what the model brings to a common scale; give samples in the unit of those that it was fitted to", before[q], column(q)+1)}
		}
	}
	return nil
}

// ofStandardized adds to an error about a row that its entries are standardised.
func ofStandardized(how string, err error) error {
	var row *RowError
	if errors.As(err, &row) {
		return &RowError{row.Row, row.What + " (of the sample as ‹standardize=" + how + "› makes it)"}
	}
	return err
}
