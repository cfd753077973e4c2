package exemplars

import (
	"context"
	"math"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// measured are dense samples.
type measured struct{ rows blas.Rows }

func (x measured) N() int { return x.rows.N }

func (x measured) SquaredDistance(i, j int) float64 {
	return blas.SquaredDistance(x.rows.Row(i), x.rows.Row(j))
}

func (x measured) SquaredRadius() float64 {
	var most float64
	for i := range x.rows.N {
		most = max(most, x.SquaredDistance(i, 0))
	}
	return most
}

// Pair after pair the kernel is that of all pairs, with and without a floor under the
// bandwidths, and a sample of the distances gives much the same floor.
func TestAdaptiveKernelIsThatOfAllPairs(t *testing.T) {
	const n, m, k = 60, 3, 4
	ordinary, copies := cloud(3, n, m), cloud(4, n, m)
	for i := range 8 {
		copy(copies[(i+1)*m:(i+2)*m], copies[:m])
	}
	for name, data := range map[string][]float64{"ordinary": ordinary, "copies": copies, "equal": make([]float64, n*m)} {
		t.Run(name, func(t *testing.T) {
			all := must.Get(Kernel(context.Background(), n, m, data, KernelOptions{Neighbors: k}))(t)
			x := blas.Rows{N: n, M: m, Data: data}
			kth := func() []float64 {
				bandwidths := make([]float64, n)
				var s selector
				for i := range bandwidths {
					row := make([]float64, n)
					for j := range row {
						row[j] = math.Sqrt(blas.SquaredDistance(x.Row(i), x.Row(j)))
					}
					bandwidths[i] = s.smallest(row, i, k)
				}
				return bandwidths
			}
			kernel, sampled := NewAdaptiveKernel(measured{x}, kth(), n), NewAdaptiveKernel(measured{x}, kth(), n/3)
			for i := range n {
				// The median of [Kernel] is the lower one, to 20 bits.
				if got, want := kernel.bandwidths[i], all.Bandwidths[i]; math.Abs(got-want) > 0.05*want {
					t.Errorf("bandwidth %d is %v, of all pairs %v", i, got, want)
				}
				if got, want := sampled.bandwidths[i], kernel.bandwidths[i]; math.Abs(got-want) > 0.5*want {
					t.Errorf("bandwidth %d is %v by a sample, %v by all distances", i, got, want)
				}
				for j := range n {
					d := math.Sqrt(blas.SquaredDistance(x.Row(i), x.Row(j)))
					if got, want := kernel.Weight(i, j, d), -all.D.At(i, j); math.Abs(got-want) > 1e-9 {
						t.Fatalf("(%d, %d): %v, of all pairs %v", i, j, got, want)
					}
				}
			}
		})
	}
}

func TestSampledMedian(t *testing.T) {
	x := blas.Rows{N: 6, M: 1, Data: []float64{0, 0, 0, 1, 2, 4}}
	if got := sampledMedian(measured{x}, 1000); got != 2 { // 1 ×4, 2 ×4, 3, 4 ×3
		t.Errorf("the median distance is %v", got)
	}
}
