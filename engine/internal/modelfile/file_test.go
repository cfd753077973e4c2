package modelfile

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/extend"
)

// Arrays are stored as narrow as loses nothing, and come back bit by bit.
func TestArraysAreExact(t *testing.T) {
	for name, c := range map[string]struct {
		kind string
		data []float64
	}{
		"bytes":    {"|u1", []float64{0, 1, 255, 17, 3, 4}},
		"single":   {"<f4", []float64{0.5, -1, 256, float64(float32(0.1)), math.Copysign(0, -1), 0x1p100}},
		"negative": {"<f4", []float64{math.Copysign(0, -1), 1, 2, 3, 4, 5}},
		"double":   {"<f8", []float64{0.1, 1e300, 5e-324, -1, 0, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			a := mat.NewDense(3, 2, c.data)
			if kind := narrowest(a); kind != c.kind {
				t.Errorf("%s are stored as %s, want %s", name, kind, c.kind)
			}
			about := About{Method: "test", Samples: 1, Features: 3, Dim: 2}
			var file bytes.Buffer
			if err := Write(&file, about, PartsOf(&extend.Extension{Map: extend.LinearMap{Mean: []float64{0, 0.1, 7}, Projection: a}})); err != nil {
				t.Fatal(err)
			}
			read, rule, err := Read(&file, 0)
			if err != nil || read.Method != about.Method || read.Samples != 1 || read.Features != 3 || read.Dim != 2 {
				t.Fatalf("%+v, %v", read, err)
			}
			back := rule.Map.(extend.LinearMap).Projection.RawMatrix().Data
			for p, v := range c.data {
				if math.Float64bits(back[p]) != math.Float64bits(v) {
					t.Errorf("%s: %g came back as %g", name, v, back[p])
				}
			}
		})
	}
}

// A header may name an array once.
func TestHeaderNamesAnArrayOnce(t *testing.T) {
	one := denseArray{"a", 1, 1, "|u1", 0, 1}
	again := one
	again.Offset = alignment
	h := header{About: About{Method: "pca", Samples: 1, Features: 1, Dim: 1}, Arrays: []denseArray{one, again}}
	if err := h.check(2 * alignment); err == nil || !strings.Contains(err.Error(), "comes twice") {
		t.Error(err)
	}
}
