package engine

import (
	"context"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// halved are data in float32, and the same numbers in float64.
func halved(x *mat.Dense) (*Single, *mat.Dense) {
	n, m := x.Dims()
	s, same := &Single{n, m, make([]float32, n*m)}, mat.NewDense(n, m, nil)
	for i, v := range x.RawMatrix().Data {
		s.Data[i] = float32(v)
		same.RawMatrix().Data[i] = float64(s.Data[i])
	}
	return s, same
}

// Data in float32 have the factors of the same numbers in float64, to the bit, whether they stay so
// or not.
func TestSingle(t *testing.T) {
	x, _ := groups(200, 40)
	huge := mat.DenseCopyOf(x)
	huge.Scale(1e34, huge)
	negative := mat.DenseCopyOf(x)
	negative.Set(3, 2, -1)
	for name, c := range map[string]struct {
		x *mat.Dense
		m Method
	}{
		"nmf": {x, NMF{}}, "mu": {x, NMF{LeastSquares: LeastSquares{Solver: "mu"}}}, "nmf-kl": {x, NMFKL{}},
		"minibatch": {x, NMF{LeastSquares: LeastSquares{Solver: "minibatch"}, MiniBatch: MiniBatch{Batch: 64}}},
		"svd":       {x, NMF{Start: Start{Init: "nndsvd"}}}, "gnmf": {x, GNMF{}}, "l21": {x, L21NMF{}},
		"huge": {huge, NMF{}}, "shifted": {negative, NMF{Updates: Updates{Shift: "columns"}}},
	} {
		t.Run(name, func(t *testing.T) {
			s, same := halved(c.x)
			a, b := factorized(t, s, c.m, FactorizeOptions{}), factorized(t, same, c.m, FactorizeOptions{})
			if !mat.Equal(a.W, b.W) || !mat.Equal(a.H, b.H) || !reflect.DeepEqual(a.Trace, b.Trace) || a.Duplicates != b.Duplicates || !reflect.DeepEqual(a.Offset, b.Offset) {
				t.Error("other factors")
			}
		})
	}
	s, same := halved(negative)
	_, err := Factorize(context.Background(), s, NMF{}, FactorizeOptions{Rank: 3})
	_, want := Factorize(context.Background(), same, NMF{}, FactorizeOptions{Rank: 3})
	if err == nil || want == nil || err.Error() != want.Error() {
		t.Errorf("the error is %v, not %v", err, want)
	}
}

// Data in float32 take half: no copy in float64 is made of them, and none is reckoned with.
func TestSingleMemory(t *testing.T) {
	const n, m = 4000, 500
	s := &Single{n, m, make([]float32, n*m)}
	for i := range s.Data {
		s.Data[i] = float32(i*7919%1000) / 1000
	}
	var r *Factorization
	held := peakOf(t, func() {
		r = factorized(t, s, NMF{Updates: Updates{Iterations: 20}}, FactorizeOptions{Rank: 5})
	})
	if held > 4*n*m {
		t.Errorf("%d bytes beside the data, which have %d", held, 4*n*m)
	}
	d := mat.NewDense(n, m, nil)
	for i, v := range s.Data {
		d.RawMatrix().Data[i] = float64(v)
	}
	if twice := factorized(t, d, NMF{Updates: Updates{Iterations: 1}}, FactorizeOptions{Rank: 5}); twice.EstimatedBytes-r.EstimatedBytes < 4*n*m {
		t.Errorf("%d bytes are reckoned with, of float64 %d", r.EstimatedBytes, twice.EstimatedBytes)
	}
}
