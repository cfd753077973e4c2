package scale

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// A plane is that of the weighted covariance, computed plainly, in few and in many columns.
func TestPlane(t *testing.T) {
	for _, m := range []int{3, 5, 20} {
		x := roll(600, m, 0.2, 2)
		const k, d = 40, 2
		z := x.Row(17)
		order := make([]int, x.N)
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int {
			return cmp.Compare(blas.SquaredDistance(z, x.Row(a)), blas.SquaredDistance(z, x.Row(b)))
		})
		far := blas.SquaredDistance(z, x.Row(order[k-1])) * (1 + 2.0/k)
		mean, total := make([]float64, m), 0.0
		weight := make([]float64, k)
		for q := range k {
			if order[q] == 17 {
				continue // itself
			}
			weight[q] = 1 - blas.SquaredDistance(z, x.Row(order[q]))/far
			total += weight[q]
			for j, v := range x.Row(order[q]) {
				mean[j] += weight[q] * v
			}
		}
		covariance := make([]float64, m*m)
		for j := range mean {
			mean[j] /= total
		}
		for q := range k {
			row := x.Row(order[q])
			for a := range m {
				for b := range m {
					covariance[a*m+b] += weight[q] / total * (row[a] - mean[a]) * (row[b] - mean[b])
				}
			}
		}
		values, scratch := make([]float64, m), make([]float64, 2*m)
		blas.SymEigSmall(m, covariance, values, true, scratch)
		want, off := slices.Clone(z), 0.0
		for a := range m - d { // along the normals alone
			normal := covariance[a*m : (a+1)*m]
			off += values[a]
			along := 0.0
			for j, v := range normal {
				along += v * (mean[j] - z[j])
			}
			blas.Axpy(along, normal, want)
		}
		p := newPlane(neighbors.NewUnorderedIndex(x, nil), m, d, settings(t, 1).Kernels)
		p.fit(z, k)
		got := slices.Clone(z)
		p.move(got)
		for j := range got {
			if math.Abs(got[j]-want[j]) > 1e-3 || math.Abs(p.off-off) > 1e-4*off {
				t.Fatalf("%d columns: foot %v, want %v; off the plane %g, want %g", m, got, want, p.off, off)
			}
		}
	}
}
