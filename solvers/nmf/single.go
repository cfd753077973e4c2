package nmf

import "fmt"

// widenedRows are rows of float32 data in float64.
type widenedRows struct {
	rows   []float64
	lo, hi int
}

// widen returns rows of float32 data in float64. A step asks for one block several times.
func (s *scratch) widen(f *factorization, lo, hi int) []float64 {
	w, m := &s.wide, f.m
	if len(w.rows) < (hi-lo)*m {
		w.rows, w.hi = make([]float64, max(hi-lo, f.block)*m), 0
	}
	if w.lo != lo || w.hi != hi {
		widened(f.data.Single[lo*m:hi*m], w.rows)
		w.lo, w.hi = lo, hi
	}
	return w.rows[:(hi-lo)*m]
}

// widened copies numbers, and returns the copy.
func widened(from []float32, to []float64) []float64 {
	to = to[:len(from)]
	for i, v := range from {
		to[i] = float64(v)
	}
	return to
}

// inspectSingle checks float32 data and sums them.
func (d Data) inspectSingle(s *dataSums) error {
	if len(d.Single) != d.Rows*d.Cols {
		return fmt.Errorf("nmf: %d numbers are no %d × %d matrix", len(d.Single), d.Rows, d.Cols)
	}
	row := make([]float64, d.Cols)
	for i := range d.Rows {
		widened(d.Single[i*d.Cols:(i+1)*d.Cols], row)
		if at := s.add(row); at >= 0 {
			return &NegativeError{i, at, row[at]}
		}
	}
	return s.check()
}

// checkSingle refuses what needs all of float32 data in float64 at once.
func (o Options) checkSingle(d Data) error {
	switch {
	case d.Single == nil:
		return nil
	case o.Loss != Frobenius && o.Loss != KL:
		return fmt.Errorf("nmf: float32 data are for loss %s or %s; convert them to float64 for %s", Frobenius, KL, o.Loss)
	case o.Lambda > 0 && o.Graph.present():
		return fmt.Errorf("nmf: float32 data go with no graph term; convert them to float64")
	case o.Init == NNDSVD || o.Init == NNDSVDMean || o.Init == NNDSVDRandom:
		return fmt.Errorf("nmf: float32 data have no start by singular vectors; convert them to float64, or take init %s", RandomStart)
	}
	return nil
}
