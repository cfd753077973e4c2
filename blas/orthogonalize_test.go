package blas

import (
	"math"
	"slices"
	"testing"
)

// All forms remove the same, to the bit, and the remainder is orthogonal to rounding even if almost
// nothing is left.
func TestOrthogonalize(t *testing.T) {
	const n, k = 23, 5
	stream := NewStream(4)
	rows := make([]float64, k*n)
	stream.Normals(rows)
	var basis [][]float64
	for i := range k {
		q := rows[i*n : (i+1)*n]
		Orthogonalize(basis, q)
		Scale(1/math.Sqrt(Dot(q, q)), q)
		basis = append(basis, q)
	}
	for name, rest := range map[string]float64{"ordinary": 1, "nearly dependent": 1e-12} {
		t.Run(name, func(t *testing.T) {
			v := make([]float64, n)
			stream.Normals(v)
			Scale(rest, v)
			for i, q := range basis {
				Axpy(float64(i+1), q, v)
			}
			want := slices.Clone(v)
			Orthogonalize(basis, want)
			length := math.Sqrt(Dot(want, want))
			for i, q := range basis {
				if got := math.Abs(Dot(q, want)); got > 1e-14*length {
					t.Errorf("%g of basis vector %d is left", got, i)
				}
			}
			// Column 1 of three.
			byList, byRows := make([]float64, 3*k), make([]float64, 3*k)
			for form, run := range map[string]func(u []float64){
				"once and once": func(u []float64) { OrthogonalizeOnce(basis, u); OrthogonalizeOnce(basis, u) },
				"QR":            func(u []float64) { OrthogonalizeQR(basis, u, byList[1:], 3) },
				"rows":          func(u []float64) { OrthogonalizeRows(rows, u) },
				"rows, QR":      func(u []float64) { OrthogonalizeRowsQR(rows, u, byRows[1:], 3) },
			} {
				got := slices.Clone(v)
				if run(got); !slices.Equal(got, want) {
					t.Errorf("%s: other bits", form)
				}
			}
			if !slices.Equal(byList, byRows) {
				t.Error("the coefficients have other bits by rows")
			}
			for i, q := range basis {
				if want := Dot(q, v); math.Abs(byList[3*i+1]-want) > 1e-13*math.Abs(want) {
					t.Errorf("coefficient %d is %v, want %v", i, byList[3*i+1], want)
				}
			}
		})
	}
}
