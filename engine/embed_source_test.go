package engine

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/solvers/nmf"
)

// uncounted is a source whose number of rows is known only at the end, and that gives a few of them at a time.
type uncounted struct{ nmf.Source }

func (uncounted) Rows() int { return -1 }

func (u uncounted) Next(dst []float64) (int, error) {
	return u.Source.Next(dst[:min(len(dst), 7*u.Cols())])
}

// Samples from a source have the coordinates of the same samples in memory, to rounding, with the same signs, also far from the
// origin, and a model that gives them again.
func TestEmbedSource(t *testing.T) {
	const n, m = 900, 700 // several blocks
	x := planted(n, m, 5, 0.3, 3)
	for i := range n {
		for j := range m {
			x.Set(i, j, x.At(i, j)+1000*float64(j%3))
		}
	}
	src := func() nmf.Source { return nmf.Memory(nmf.Dense(n, m, x.RawMatrix().Data)) }
	for _, p := range []PCA{{Dim: 4}, {Dim: 3, Whiten: true}} {
		whole := embed(t, x, p, Options{})
		r := must(EmbedSource(t.Context(), src(), p, Options{Threads: 1}))(t)
		if !mat.EqualApprox(r.Y, whole.Y, 1e-9) {
			t.Errorf("%+v: other coordinates than in memory", p)
		}
		for j, v := range r.Values {
			shares, want := r.Details["explained_variance_ratio"].([]float64), whole.Details["explained_variance_ratio"].([]float64)
			if math.Abs(v-whole.Values[j]) > 1e-10*whole.Values[0] || math.Abs(shares[j]-want[j]) > 1e-10 {
				t.Errorf("%+v: value %d is %v, in memory %v", p, j, v, whole.Values[j])
			}
		}
		if r.Samples != n || r.Features != m || r.Quality.Verdict != NotJudged || r.EstimatedBytes == 0 {
			t.Errorf("%d × %d, %v, %d bytes", r.Samples, r.Features, r.Quality.Verdict, r.EstimatedBytes)
		}
		for name, again := range map[string]*Result{
			"with 3 threads":      must(EmbedSource(t.Context(), src(), p, Options{Threads: 3}))(t),
			"by an unknown count": must(EmbedSource(t.Context(), uncounted{src()}, p, Options{Threads: 1}))(t),
		} {
			if !mat.Equal(again.Y, r.Y) || again.Samples != n {
				t.Errorf("%+v: other bits %s", p, name)
			}
		}
		model := must(r.Model())(t)
		if y := transformed(t, loaded(t, saved(t, model)), x, Options{}); !mat.Equal(y, r.Y) {
			t.Errorf("%+v: the model gives training samples other coordinates", p)
		}
	}
}

// Methods and options that need all samples, and samples that cannot be embedded, are refused.
func TestEmbedSourceRefuses(t *testing.T) {
	x := planted(20, 6, 2, 0.1, 1).RawMatrix().Data
	of := func(n, m int, data ...float64) nmf.Source { return nmf.Memory(nmf.Dense(n, m, slices.Clone(data))) }
	for _, c := range []struct {
		words string
		src   nmf.Source
		m     Method
		o     Options
	}{
		{"read block by block for pca", of(20, 6, x...), LLE{}, Options{}},
		{"read block by block for pca", of(20, 6, x...), PCA{Missing: "weight"}, Options{}},
		{"read block by block for pca", of(20, 6, x...), PCA{Dim: Auto}, Options{}},
		{"needs all samples at once", of(20, 6, x...), PCA{}, Options{Standardize: "standard"}},
		{"needs all samples at once", of(20, 6, x...), PCA{}, Options{Weights: slices.Repeat([]float64{1}, 20)}},
		{"needs all samples at once", of(20, 6, x...), PCA{}, Options{Duplicates: "merge"}},
		{"give at most 6", of(20, 6, x...), PCA{Dim: 7}, Options{}},
		{"the products of 6 columns", of(20, 6, x...), PCA{}, Options{Memory: 1}},
		{"give more samples", uncounted{of(3, 6, x[:18]...)}, PCA{Dim: 3}, Options{}},
		{"an entry of the samples is NaN", of(2, 2, 1, 2, math.NaN(), 4), PCA{Dim: 1}, Options{}},
		{"beyond the range of numbers", of(2, 2, 1, 2, 1e200, 4), PCA{Dim: 1}, Options{}},
		{"no samples to read", nil, PCA{}, Options{}},
	} {
		if _, err := EmbedSource(t.Context(), c.src, c.m, c.o); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("got %v, want %q", err, c.words)
		}
	}
}
