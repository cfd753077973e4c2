package nmf

import "github.com/orthant-go/orthant/sparse"

// fewEntries is the share of the entries of dense data that are not zero up to which products with these
// entries alone take less time than products with all.
const fewEntries = 0.25

// SkipsZeros reports whether a factorisation with these options takes less time where few entries are
// not zero and the data are sparse. Other losses than the squared error
// take longer for a stored entry.
func (o Options) SkipsZeros() bool {
	return o.Loss.orDefault() == Frobenius && o.Solver != MiniBatch && !o.Extrapolate
}

// FewEntries returns the number of entries of dense data that are not zero, and whether they are so few
// that [Data.WithoutZeros] makes products faster: a quarter. It stops counting where they are not.
func (d Data) FewEntries() (entries int, few bool) {
	most := int(fewEntries * float64(d.Rows) * float64(d.Cols))
	if d.Sparse != nil {
		return 0, false
	}
	for lo := 0; lo < d.Rows*d.Cols && entries <= most; lo += d.Cols {
		if d.Single != nil {
			entries += notZeroIn(d.Single[lo : lo+d.Cols])
		} else {
			entries += notZeroIn(d.Dense[lo : lo+d.Cols])
		}
	}
	return entries, entries <= most
}

func notZeroIn[T float32 | float64](row []T) (count int) {
	for _, v := range row {
		if v != 0 {
			count++
		}
	}
	return count
}

// WithoutZeros returns dense data as sparse data. entries is the number of those that are not zero.
func (d Data) WithoutZeros(entries int) Data {
	a := &sparse.CSR{Rows: d.Rows, Cols: d.Cols, Ptr: make([]int, 1, d.Rows+1), Col: make([]int32, 0, entries), Val: make([]float64, 0, entries)}
	row := make([]float64, d.Cols)
	for lo := 0; lo < d.Rows*d.Cols; lo += d.Cols {
		if d.Single != nil {
			widened(d.Single[lo:lo+d.Cols], row)
		} else {
			row = d.Dense[lo : lo+d.Cols]
		}
		for j, v := range row {
			if v != 0 {
				a.Col, a.Val = append(a.Col, int32(j)), append(a.Val, v)
			}
		}
		a.Ptr = append(a.Ptr, len(a.Col))
	}
	d.Dense, d.Single, d.Sparse = nil, nil, a
	return d
}

// WithoutZerosBytes is the memory that a factorisation of dense data needs in addition if it takes only the given
// number of entries, those that are not zero: by rows and by columns.
func WithoutZerosBytes(entries int) int64 { return 24 * int64(entries) }
