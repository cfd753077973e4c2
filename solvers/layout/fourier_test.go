package layout

import (
	"fmt"
	"math/cmplx"
	"testing"

	"github.com/orthant-go/orthant/blas"
)

func TestFourierIsTheSum(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 5, 12, 60, 64, 100, 135, 480} {
		for _, many := range []int{1, 3, 4} {
			f := newFourier(n)
			parts := make([]float64, 2*n*many)
			blas.NewStream(1).Normals(parts)
			x := make([]complex128, n*many)
			for k := range x {
				x[k] = complex(parts[2*k], parts[2*k+1])
			}
			want := make([]complex128, n*many)
			for k := range n {
				for j := range n {
					for q := range many {
						want[k*many+q] += root(j*k%n, n) * x[j*many+q]
					}
				}
			}
			got := f.transform(x, make([]complex128, n*many), many)
			for k := range got {
				if cmplx.Abs(got[k]-want[k]) > 1e-12*float64(n) {
					t.Fatalf("n=%d, %d at once: entry %d is %v, want %v", n, many, k, got[k], want[k])
				}
			}
		}
	}
}

func BenchmarkFourier(b *testing.B) {
	for _, n := range []int{512, 600, 625, 648, 720, 768, 1024} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			f := newFourier(n)
			x, spare := make([]complex128, 4*n), make([]complex128, 4*n)
			for b.Loop() {
				f.transform(x, spare, 4)
			}
		})
	}
}
