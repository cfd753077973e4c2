package blas

// Rows are N samples of M columns each, row after row without gaps.
type Rows struct {
	N, M int
	Data []float64
}

// Row returns sample i.
func (x Rows) Row(i int) []float64 { return x.Data[i*x.M : (i+1)*x.M] }
