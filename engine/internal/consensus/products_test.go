package consensus

import (
	"context"
	"math"
	"testing"

	"github.com/orthant-go/orthant/sparse"
)

// columns are a constant whose squares sum with rounding errors, a varying column far from zero, zeros, and two columns
// of which the first row is untypical.
func columns(n int) Data {
	d := Data{Rows: n, Cols: 5, Dense: make([]float64, 5*n)}
	for i := range n {
		row := d.Dense[5*i : 5*i+5]
		row[0] = 0.1
		row[1] = 1e8 + float64(i%2)
		row[3] = float64(i % 4)
		if i == 0 {
			row[4] = 3
		}
	}
	return d
}

func TestDeviations(t *testing.T) {
	const n = 4000
	dense := columns(n)
	var entries []sparse.Triplet
	for at, v := range dense.Dense {
		if v != 0 {
			entries = append(entries, sparse.Triplet{Row: at / 5, Col: at % 5, Val: v})
		}
	}
	csr, err := sparse.FromTriplets(n, 5, entries)
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{0, 0.5, 0, math.Sqrt(1.25), 3 * math.Sqrt(n-1) / n}
	u := make([]float64, n)
	for i := range u {
		u[i] = 1
	}
	for name, d := range map[string]Data{"dense": dense, "sparse": {Rows: n, Cols: 5, Sparse: csr}} {
		s, err := d.SumsWith(context.Background(), 2, u, 1)
		if err != nil {
			t.Fatal(err)
		}
		for j, v := range s.Deviations {
			if math.Abs(v-want[j]) > 1e-9*want[j] {
				t.Errorf("%s: deviation %d is %g, want %g", name, j, v, want[j])
			}
		}
		for j, v := range s.Scores(u, n, 1) {
			if constant := want[j] == 0; math.IsNaN(v) != constant {
				t.Errorf("%s: the score of column %d is %g", name, j, v)
			}
		}
	}
}
