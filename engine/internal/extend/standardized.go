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

// Names of what an extension of standardised samples holds besides: see docs/model-format.md.
const (
	standardNumber      = "standardize"
	standardCenterArray = "standardize_center"
	standardSpreadArray = "standardize_spread"
)

// Standardize makes the extension one of samples that were standardised first, as new
// samples are then.
func (e *Extension) Standardize(s samples.Standard) {
	e.Numbers = mapsWith(e.Numbers, standardNumber, float64(slices.Index(samples.Standards, s.How)))
	if s.Center == nil {
		return
	}
	arrays := map[string]*mat.Dense{standardCenterArray: mat.NewDense(1, len(s.Center), s.Center), standardSpreadArray: mat.NewDense(1, len(s.Spread), s.Spread)}
	for name, a := range e.Arrays {
		arrays[name] = a
	}
	e.Arrays = arrays
}

// Standardized reports whether new samples are standardised first.
func (e *Extension) Standardized() bool {
	_, there := e.Numbers[standardNumber]
	return there
}

// Standard is how new samples are standardised, by what Standardize wrote for samples of m
// columns.
func (e *Extension) Standard(m int) (s samples.Standard, err error) {
	v, err := e.number(standardNumber, 1, float64(len(samples.Standards)-1))
	if err != nil {
		return s, err
	}
	if v != math.Trunc(v) {
		return s, fmt.Errorf("model: the number %q of a %s model is %v, not a whole one", standardNumber, e.Kind, v)
	}
	s.How = samples.Standards[int(v)]
	if samples.ByColumns(s.How) {
		center, err := e.array(standardCenterArray, 1, m)
		if err != nil {
			return s, err
		}
		spread, err := e.array(standardSpreadArray, 1, m)
		if err != nil {
			return s, err
		}
		s.Center, s.Spread = center.RawRowView(0), spread.RawRowView(0)
	}
	if err := samples.CheckStandard(s, m); err != nil {
		return s, fmt.Errorf("model: %w", err)
	}
	return s, nil
}

// standardized is the mapping of an extension of standardised samples, for samples as they
// are. What the mapping refuses of them it says of the entries that it was given.
func (e *Extension) standardized(m *Mapping) (*Mapping, error) {
	s, err := e.Standard(m.Features)
	if err != nil {
		return nil, err
	}
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
	return &outer, nil
}

// beyond refuses entries that no way brings to a common scale: those without a logarithm,
// and those so far from the samples of the fit that squares would overflow.
func beyond(row int, scaled, before []float64, column func(q int) int) *RowError {
	const most = 1e150
	for q, v := range scaled {
		if v-v != 0 && before[q] == before[q] || math.Abs(v) > most {
			return &RowError{row, fmt.Sprintf("has %v in column %d, which is far outside of what the model brings to a common scale; give samples in the unit of those that it was fitted to", before[q], column(q)+1)}
		}
	}
	return nil
}

// ofStandardized says of an error about a row that its entries are standardised ones.
func ofStandardized(how string, err error) error {
	var row *RowError
	if errors.As(err, &row) {
		return &RowError{row.Row, row.What + " (of the sample as ‹standardize=" + how + "› makes it)"}
	}
	return err
}
