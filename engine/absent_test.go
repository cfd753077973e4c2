package engine

import (
	"context"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// hollow is a matrix without entries that is no Dense.
type hollow struct{ rows, cols int }

func (h hollow) Dims() (rows, cols int) { return h.rows, h.cols }
func (hollow) At(int, int) float64      { panic("there is no entry") }
func (h hollow) T() mat.Matrix          { return mat.Transpose{Matrix: h} }

// entries are the functions that begin a run.
var entries = map[string]func(ctx context.Context, x mat.Matrix, m Method) error{
	"embed": func(ctx context.Context, x mat.Matrix, m Method) error {
		_, err := Embed(ctx, x, m, Options{})
		return err
	},
	"factorize": func(ctx context.Context, x mat.Matrix, m Method) error {
		_, err := Factorize(ctx, x, m, FactorizeOptions{Rank: 2})
		return err
	},
	"cluster": func(ctx context.Context, x mat.Matrix, m Method) error {
		_, err := Cluster(ctx, x, m, ClusterOptions{Clusters: 2})
		return err
	},
	"select": func(ctx context.Context, x mat.Matrix, m Method) error {
		_, err := Select(ctx, x, m, SelectOptions{Count: 2})
		return err
	},
	"represent": func(ctx context.Context, x mat.Matrix, m Method) error {
		_, err := Represent(ctx, x, m, Options{})
		return err
	},
	"separate errors": func(ctx context.Context, x mat.Matrix, m Method) error {
		_, err := SeparateErrors(ctx, x, nil, m, Options{}, measures.Trial{})
		return err
	},
}

// refused checks that an error is one line with the phrase.
func refused(t *testing.T, err error, phrase string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), phrase) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v, want %q", err, phrase)
	}
}

// What is not there at all is an error for every entry, not a panic.
func TestAbsentIsRefused(t *testing.T) {
	methods := map[string]Method{"embed": LLE{}, "factorize": NMF{}, "cluster": &KMeans{}, "select": DPP{}, "represent": LLE{}, "separate errors": &PCA{}}
	x := mat.NewDense(20, 3, nil)
	var nowhere context.Context
	for name, run := range entries {
		t.Run(name, func(t *testing.T) {
			m := methods[name]
			refused(t, run(t.Context(), nil, m), "engine: no data given")
			refused(t, run(t.Context(), (*mat.Dense)(nil), m), "engine: no data given")
			refused(t, run(t.Context(), (*sparse.CSR)(nil), m), "engine: no data given")
			refused(t, run(nowhere, x, m), "engine: no context given")
			refused(t, run(t.Context(), x, nil), "engine: no method given")
			for _, none := range []Method{(*LLE)(nil), (*NMF)(nil), (*KMeans)(nil), (*DPP)(nil)} {
				refused(t, run(t.Context(), x, none), "engine: no method given")
			}
		})
	}
	_, m := fittedModel(t, generate(t, "swiss-roll", 60, 1).X, PCA{}, Options{})
	for phrase, run := range map[string]func() error{
		"engine: no data given":    func() error { _, err := m.Transform(t.Context(), nil, Options{}); return err },
		"engine: no context given": func() error { _, err := m.Transform(nowhere, x, Options{}); return err },
		"neither fitted nor":       func() error { _, err := (*Model)(nil).Transform(t.Context(), x, Options{}); return err },
		"no samples to map":        func() error { _, err := m.Transform(t.Context(), hollow{0, 3}, Options{}); return err },
		"samples of 0 columns":     func() error { _, err := m.Transform(t.Context(), &mat.Dense{}, Options{}); return err },
		"weights: no graph given":  func() error { _, err := ReconstructionWeights(t.Context(), x, nil, 1, Options{}); return err },
		"engine: no method":        func() error { return Set((*LLE)(nil), "dim", "2") },
		"engine: no method given":  func() error { return SetJSON(nil, []byte("{}")) },
	} {
		refused(t, run(), phrase)
	}
	_, err := ReconstructionWeights(t.Context(), (*mat.Dense)(nil), &neighbors.Graph{}, 1, Options{})
	refused(t, err, "engine: no data given")
	p := must(m.Prepare(Options{}))(t)
	_, err = p.Stream(nowhere, &rowSource{x: x}, &rowSource{})
	refused(t, err, "engine: no context given")
	_, err = p.Stream(t.Context(), nil, &rowSource{})
	refused(t, err, "no rows to stream")
	_, err = p.Stream(t.Context(), &rowSource{x: x}, nil)
	refused(t, err, "no rows to stream")
}

// Data without rows or columns are an error of every method, in each of its tasks.
func TestHollowDataAreRefused(t *testing.T) {
	sizes := []mat.Matrix{&mat.Dense{}, hollow{0, 0}, hollow{0, 4}, hollow{5, 0}, &sparse.CSR{Ptr: []int{0}}, &sparse.CSR{Cols: 4, Ptr: []int{0}}, &sparse.CSR{Rows: 3, Ptr: make([]int, 4)}}
	for _, e := range Methods() {
		for _, task := range e.Tasks {
			t.Run(task+"/"+e.Name, func(t *testing.T) {
				for _, x := range sizes {
					m := named(t, e.Name)
					refused(t, entries[task](t.Context(), x, m), e.Name+": ")
				}
			})
		}
	}
}

// A start without entries, and one of another shape, are errors about the start.
func TestHollowStartsAreRefused(t *testing.T) {
	x := mat.NewDense(20, 3, nil)
	for i := range 20 {
		x.SetRow(i, []float64{float64(i), float64(i * i % 7), 1})
	}
	_, err := Embed(t.Context(), x, NPCA{}, Options{Init: &mat.Dense{}})
	refused(t, err, "npca: the start is 0 × 0")
	for _, o := range []FactorizeOptions{
		{Rank: 2, InitW: &mat.Dense{}, InitH: &mat.Dense{}}, {Rank: 2, InitH: mat.NewDense(3, 3, nil)}, {Rank: 2, InitW: mat.NewDense(20, 2, nil), InitH: &mat.Dense{}},
	} {
		_, err := Factorize(t.Context(), x, NMF{}, o)
		refused(t, err, "nmf: ")
	}
}
