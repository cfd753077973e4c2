package nmf

import (
	"context"
	"math"
	"testing"

	"github.com/orthant-go/orthant/internal/must"
)

// Lanczos finds the triplets of the full decomposition, on dense and sparse data.
func TestLeadingTriplets(t *testing.T) {
	const n, m, r = 120, 90, 7
	d := lowRankData(n, m, 5, 19)
	sparseData := Sparse(compressed(t, n, m, d.Dense))
	sparseData.transpose = transposeSparse(sparseData.Sparse)
	o := must.Get(Options{Rank: r}.withDefaults(d))(t)
	want, _, _, err := newFactorization(d, o, dataSums{}).fullTriplets(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range []Data{d, sparseData} {
		f := newFactorization(data, o, dataSums{})
		s, u, v, err := f.lanczosTriplets(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		for k := range r {
			if math.Abs(s[k]-want[k]) > 1e-12*want[0] {
				t.Errorf("singular value %d is %v, not %v", k, s[k], want[k])
			}
			left := make([]float64, n)
			must.Do(t, f.apply(context.Background(), false, v[k], left))
			for i, x := range left {
				if math.Abs(x-s[k]*u[k][i]) > 1e-11*want[0] {
					t.Fatalf("triplet %d: (Dv)[%d] = %v, s·u = %v", k, i, x, s[k]*u[k][i])
				}
			}
		}
	}
}

// Data of lower rank than requested exhaust the Lanczos space; the results must still be singular
// triplets, with values of zero at the end.
func TestTripletsOfLowRank(t *testing.T) {
	const n, m = 40, 30
	x := make([]float64, n*m)
	for i := range n {
		for j := range m {
			x[i*m+j] = float64(i%3)*float64(j%2) + 1
		}
	}
	d := Dense(n, m, x)
	o := must.Get(Options{Rank: 6}.withDefaults(d))(t)
	s, _, _, err := newFactorization(d, o, dataSums{}).lanczosTriplets(context.Background(), 6)
	if err != nil {
		t.Fatal(err)
	}
	if !(s[1] > 1) || s[2] > 1e-10*s[0] {
		t.Errorf("singular values %v of data of rank 2", s)
	}
	for _, init := range []string{NNDSVDMean, NNDSVDRandom} {
		r := factorize(t, d, Options{Rank: 6, Init: init, Iterations: 50})
		if last := r.Trace[len(r.Trace)-1]; last.Residual > 0.05 {
			t.Errorf("%s: residual %v", init, last.Residual)
		}
	}
}
