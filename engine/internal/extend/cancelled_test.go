package extend

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers/nmf"
	"github.com/orthant-go/orthant/sparse"
)

// countdown is cancelled once it was asked a given number of times.
type countdown struct {
	context.Context
	asked, most atomic.Int64
}

func (c *countdown) Err() error {
	if c.asked.Add(1) > c.most.Load() {
		return context.Canceled
	}
	return nil
}

func countdownFrom(most int64) *countdown {
	c := &countdown{Context: context.Background()}
	c.most.Store(most)
	return c
}

// The mapping of one sample, which may take minutes by a model from a file, ends in its middle when it is
// cancelled.
func TestASampleIsCancelled(t *testing.T) {
	const k, m = 70, 50
	s := blas.NewStream(5)
	uniform := func(rows, cols int) *mat.Dense {
		a := mat.NewDense(rows, cols, nil)
		s.Uniforms(a.RawMatrix().Data)
		return a
	}
	labels := make([]int64, k)
	codes := &sparse.CSR{Rows: k, Cols: k, Ptr: []int{0}}
	for i := range k {
		codes.Col, codes.Val, codes.Ptr = append(codes.Col, int32(i)), append(codes.Val, 1), append(codes.Ptr, i+1)
	}
	factors := func(loss *nmf.Loss, descends bool, tolerance float64) Map {
		return FactorsMap{Components: uniform(k, m), Loss: loss, Descends: descends, Iterations: 200, Tolerance: tolerance, Beta: 0.5, Sigma: nmf.Sigma{Theta: 0.5}}
	}
	among := func() Training { return Searched{Samples: samples.Of(uniform(k, m)), Neighbors: k}.in(uniform(k, 2)) }
	for name, by := range map[string]Map{
		"weights":                 BarycentricMap{among(), patch.Regularization{Gamma: 1e-3}},
		"weights by eigenvectors": BarycentricMap{among(), patch.Regularization{Gamma: 1e-18}},
		"weights with tangents":   BarycentricMap{among(), patch.Regularization{Gamma: 1e-3, Tangents: 2}},
		"pursuit":                 PursuitMap{among(), 0},
		"sparse combination":      SparseAffineMap{among(), 1e-9, 1},
		"squares":                 factors(nmf.Frobenius, false, 0),
		"squares by descent":      factors(nmf.Frobenius, true, 0),
		"squares to the end":      factors(nmf.Frobenius, false, 1e-9),
		"divergence":              factors(nmf.KL, false, 0),
		"divergence to the end":   factors(nmf.KL, false, 1e-9),
		"correntropy":             factors(nmf.Correntropy, false, 0),
		"correntropy to the end":  factors(nmf.Correntropy, false, 1e-9),
		"β-divergence":            factors(nmf.Beta, false, 0),
		"β-divergence to the end": factors(nmf.Beta, false, 1e-9),
		"codes over many exemplars": SameCodesMap{Exemplars: uniform(k, m), ExemplarLabels: labels, Codes: codes, Labels: Labels{labels, 1},
			Gamma: 1e9, Joined: 3, Scaling: samples.Scaling{How: "none"}},
	} {
		mapping, err := (&Extension{Map: by}).Prepare(Resources{Kernels: blas.MustSelect("native"), Threads: 1, Samples: k})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		x, y := uniform(1, m), mat.NewDense(1, mapping.Dim, nil)
		if name == "pursuit" { // from the middle it selects many
			for j := range m {
				x.Set(0, j, 0.5)
			}
		}
		point := neighbors.Points{N: 1, M: m, Data: x.RawMatrix().Data}
		whole := countdownFrom(math.MaxInt64)
		if err := mapping.Apply(whole, point, y); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		asked := whole.asked.Load()
		if asked < 10 {
			t.Errorf("%s: it asks %d times whether it is cancelled", name, asked)
		}
		some := countdownFrom(asked / 2)
		if err := mapping.Apply(some, point, y); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: cancelled in its middle it ends with %v", name, err)
		}
		if after := some.asked.Load() - asked/2; after > 12 {
			t.Errorf("%s: it asks %d times after it was cancelled", name, after)
		}
	}
}
