package extend

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
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
	labels := mat.NewDense(k, 1, nil)
	codes := &sparse.CSR{Rows: k, Cols: k, Ptr: []int{0}}
	for i := range k {
		codes.Col, codes.Val, codes.Ptr = append(codes.Col, int32(i)), append(codes.Val, 1), append(codes.Ptr, i+1)
	}
	factors := func(loss, hals, tolerance float64) *Extension {
		e := &Extension{Kind: "factors", Arrays: map[string]*mat.Dense{"components": uniform(k, m)},
			Numbers: map[string]float64{"loss": loss, "hals": hals, "iterations": 200, "theta": 0.5, "sigma2": 0, "beta": 0.5}}
		if tolerance > 0 {
			e.Numbers["tolerance"] = tolerance
		}
		return e
	}
	among := func(kind string, numbers map[string]float64) *Extension {
		numbers["neighbors"] = k
		return &Extension{Kind: kind, Arrays: map[string]*mat.Dense{"samples": uniform(k, m), "embedding": uniform(k, 2)}, Numbers: numbers}
	}
	for name, e := range map[string]*Extension{
		"weights":                 among("barycentric", map[string]float64{"gamma": 1e-3}),
		"weights by eigenvectors": among("barycentric", map[string]float64{"gamma": 1e-18}),
		"weights with tangents":   among("barycentric", map[string]float64{"gamma": 1e-3, "tangents": 2}),
		"pursuit":                 among("pursuit", map[string]float64{"cap": 0}),
		"sparse combination":      among("sparse-affine", map[string]float64{"lambda": 1e-9, "keep": 1}),
		"squares":                 factors(0, 0, 0),
		"squares by descent":      factors(0, 1, 0),
		"squares to the end":      factors(0, 0, 1e-9),
		"divergence":              factors(1, 0, 0),
		"divergence to the end":   factors(1, 0, 1e-9),
		"correntropy":             factors(2, 0, 0),
		"correntropy to the end":  factors(2, 0, 1e-9),
		"β-divergence":            factors(3, 0, 0),
		"β-divergence to the end": factors(3, 0, 1e-9),
		"codes over many exemplars": {Kind: "same-codes", Arrays: map[string]*mat.Dense{"exemplars": uniform(k, m), "exemplar_labels": labels, "labels": labels},
			Compressed: map[string]*sparse.CSR{"codes": codes}, Numbers: map[string]float64{"gamma": 1e9, "t": 3, "clusters": 1, "scale": 0}},
	} {
		mapping, err := e.Prepare(Resources{Kernels: blas.MustSelect("native"), Threads: 1, Samples: k})
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
