package engine

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/measures"
)

// rays are samples of any sign on three rays, of very different lengths.
func rays(n, m int) (*mat.Dense, []int64) {
	stream := blas.NewStream(4)
	directions := make([]float64, 3*m)
	stream.Normals(directions)
	x, labels := mat.NewDense(n, m, nil), make([]int64, n)
	for i := range n {
		labels[i] = int64(i % 3)
		length := math.Exp(3 * stream.Uniform())
		row := x.RawRowView(i)
		stream.Normals(row)
		for j := range row {
			row[j] = length * (directions[i%3*m+j] + 0.2*row[j])
		}
	}
	return x, labels
}

func TestDSMF(t *testing.T) {
	x, labels := rays(90, 20)
	for _, m := range []Method{DSMF{}, DSMF{Layers: "3"}, DSMF{Layers: "8, 5,3", Iterations: 60}} {
		t.Run(fmt.Sprintf("layers %q", m.(DSMF).Layers), func(t *testing.T) {
			o := FactorizeOptions{TraceEvery: 1, Options: Options{Threads: 1}}
			r := factorized(t, x, m, o)
			o.Threads = 3
			if again := factorized(t, x, m, o); !sameEntries(r.W, again.W) || !sameEntries(r.H, again.H) {
				t.Errorf("%+v: threads change bits", m)
			}
			if mat.Min(r.W) < 0 || mat.Min(r.H) >= 0 {
				t.Errorf("%+v: least coordinate %v, least component %v", m, mat.Min(r.W), mat.Min(r.H))
			}
			var left mat.Dense
			left.Mul(r.W, r.H)
			left.Sub(x, &left)
			if got := mat.Norm(&left, 2) / mat.Norm(x, 2); math.Abs(got-r.RelativeError) > 1e-12 || !(got < 0.3) {
				t.Errorf("%+v: the error is %v, and said to be %v", m, got, r.RelativeError)
			}
			if len(r.Trace) != r.Iterations+1 {
				t.Errorf("%+v: %d points of %d iterations", m, len(r.Trace), r.Iterations)
			}
			if _, err := r.Model(); err == nil || !strings.Contains(err.Error(), "both signs") {
				t.Errorf("%+v: a model: %v", m, err)
			}
			for _, how := range []string{"kmeans", "argmax"} {
				d := m.(DSMF)
				d.Labels = how
				c := clusteringOf(t, x, d, ClusterOptions{Clusters: 3})
				// Rays whose lengths differ by e³ are distinguished by their directions. A code's
				// largest entry need not distinguish them: codes are unique up to mixing.
				want := labels
				if how == "argmax" {
					want = make([]int64, 90)
					for i := range want {
						row := r.W.RawRowView(i)
						want[i] = int64(slices.Index(row, slices.Max(row)))
					}
				}
				if acc, err := measures.Accuracy(want, c.Labels); err != nil || acc < 1 {
					t.Errorf("%+v: %v clustered right by %s (%v)", d, acc, how, err)
				}
			}
		})
	}
	zero := factorized(t, mat.NewDense(6, 4, nil), DSMF{}, FactorizeOptions{Rank: 2})
	if zero.RelativeError != 0 || mat.Norm(zero.W, 2) != 0 {
		t.Errorf("zeros get the error %v and the coordinates %v", zero.RelativeError, mat.Formatted(zero.W))
	}
}

func TestDSMFRefuses(t *testing.T) {
	x, _ := rays(12, 5)
	never := 0.0
	r := refusing(t)
	r.factorize("rank", x, DSMF{}, FactorizeOptions{Rank: 6})
	r.factorize("words", x, DSMF{Layers: "many"}, FactorizeOptions{})
	r.factorize("last", x, DSMF{Layers: "4,2"}, FactorizeOptions{})
	r.factorize("rising", x, DSMF{Layers: "2,3"}, FactorizeOptions{})
	r.factorize("large", x, DSMF{Layers: "6,3"}, FactorizeOptions{})
	r.factorize("start", x, DSMF{}, FactorizeOptions{InitW: mat.NewDense(12, 3, nil), InitH: mat.NewDense(3, 5, nil)})
	r.factorize("memory", x, DSMF{Tolerance: &never}, FactorizeOptions{Options: Options{Memory: 100}})
	r.factorize("a model", x, DSMF{}, FactorizeOptions{Options: Options{Model: true}})
}
