package extend

import (
	"math"

	"github.com/orthant-go/orthant/solvers/nmf"
	"github.com/orthant-go/orthant/sparse"
)

// known gives missing entries of samples the weight 0, where the fit was told to. A sample
// without an entry is refused.
func (f *factorsMap) known(d nmf.Data) (nmf.Data, error) {
	if !f.missing {
		return d, nil
	}
	places := &sparse.CSR{Rows: d.Rows, Cols: d.Cols, Ptr: make([]int, 1, d.Rows+1)}
	for i := range d.Rows {
		columns, values := entriesOf(d, i)
		stored := d.Cols
		if f.unstored && columns != nil {
			stored = len(values)
		}
		missing := 0
		for p, v := range values {
			if math.IsNaN(v) {
				j := int32(p)
				if columns != nil {
					j = columns[p]
				}
				places.Col, places.Val = append(places.Col, j), append(places.Val, 1)
				missing++
			}
		}
		if missing == stored {
			return d, &RowError{i, "has no entry that is known; leave it out"}
		}
		places.Ptr = append(places.Ptr, len(places.Col))
	}
	if f.unstored && d.Sparse != nil {
		d.Weights = d.Weights.Stored(d.Sparse)
	}
	if places.NNZ() > 0 {
		d = d.Without(places)
	}
	return d, nil
}

// entriesOf are the entries of a sample and their columns; nil: all.
func entriesOf(d nmf.Data, i int) ([]int32, []float64) {
	if d.Sparse == nil {
		return nil, d.Dense[i*d.Cols : (i+1)*d.Cols]
	}
	columns, values := d.Sparse.Row(i)
	if columns == nil {
		columns = []int32{}
	}
	return columns, values
}
