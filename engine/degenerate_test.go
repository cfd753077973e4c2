package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/method"
)

// degenerate are samples in which neighbourhoods have no tangent space, no scale, or no unique
// order: 40 samples of each kind.
func degenerate() map[string]*mat.Dense {
	const n = 40
	s := blas.NewStream(7)
	one := make([]float64, 1)
	deviate := func() float64 { s.Normals(one); return one[0] }
	of := func(m int, entry func(i, j int) float64) *mat.Dense {
		x := mat.NewDense(n, m, nil)
		x.Apply(func(i, j int, _ float64) float64 { return entry(i, j) }, x)
		return x
	}
	normal := of(3, func(_, _ int) float64 { return deviate() })
	noise := func() float64 { return 1e-15 * deviate() }
	return map[string]*mat.Dense{
		"constant": of(3, func(_, _ int) float64 { return 1.5 }),
		"zeros":    of(3, func(_, _ int) float64 { return 0 }),
		"copies":   of(3, func(i, j int) float64 { return normal.At(i/5, j) }),
		"more copies than k": of(3, func(i, j int) float64 {
			if i < 13 {
				i = 0
			}
			return normal.At(i, j)
		}),
		"near copies": of(3, func(i, j int) float64 {
			if i < 13 {
				return normal.At(0, j) + noise()
			}
			return normal.At(i, j)
		}),
		"near copies of one":  of(3, func(_, _ int) float64 { return 1 + noise() }),
		"binary":              of(4, func(_, _ int) float64 { return math.Floor(2 * s.Uniform()) }),
		"lattice":             of(2, func(i, j int) float64 { return []float64{float64(i % 8), float64(i / 8)}[j] }),
		"line":                of(3, func(i, j int) float64 { return float64(i * (j + 1)) }),
		"line of any spacing": of(3, func(i, j int) float64 { return normal.At(i, 0) * float64(j+1) }),
		"columns of all sizes": of(3, func(i, j int) float64 {
			return normal.At(i, j) * []float64{1e-8, 1, 1e8}[j]
		}),
		"two distinct": of(3, func(i, j int) float64 { return normal.At(i%2, j) }),
		"one column":   of(1, func(i, j int) float64 { return normal.At(i, j) }),
	}
}

// soundText fails for a text that blames a step of the calculation, or holds a NaN.
func soundText(t *testing.T, what, text string) {
	t.Helper()
	for _, word := range []string{"NaN", "Inf", "is below sigma", "infinit"} {
		if strings.Contains(text, word) {
			t.Errorf("%s: %s", what, text)
			return
		}
	}
}

// Every embedding of degenerate samples ends in finite coordinates, or in an error that speaks
// of the samples.
func TestDegenerateSamples(t *testing.T) {
	labels := make([]int64, 40)
	for i := range labels {
		labels[i] = int64(i % 3)
	}
	for family, x := range degenerate() {
		for _, entry := range Methods() {
			for _, c := range []struct{ components, neighbors, dim string }{{"", "12", "2"}, {"joint", "12", "2"}, {"joint", "6", "1"}, {"joint", "12", "3"}} {
				o := Options{Components: c.components}
				m := named(t, entry.Name)
				_ = Set(m, "neighbors", c.neighbors) // some methods have none
				if err := Set(m, "dim", c.dim); err != nil && method.RowOf(m).Embed != nil {
					t.Fatal(err)
				}
				r := method.RowOf(m)
				if r.Embed == nil {
					continue
				}
				o.Threads = 1
				if r.Labels {
					o.Labels = labels
				}
				what := fmt.Sprintf("%s of %s, %v", entry.Name, family, c)
				began := time.Now()
				result, err := Embed(context.Background(), x, m, o)
				if took := time.Since(began); took > 10*time.Second {
					t.Errorf("%s took %v", what, took)
				}
				if os.Getenv("VERBOSE_DEGENERATE") != "" {
					t.Logf("%s: %v", what, err)
				}
				if err != nil {
					soundText(t, what, err.Error())
				}
				if result == nil {
					continue
				}
				if result.Y != nil {
					for _, v := range mat.DenseCopyOf(result.Y).RawMatrix().Data {
						if v-v != 0 {
							t.Errorf("%s: coordinates that are not finite, error %v", what, err)
							break
						}
					}
				}
				for _, v := range slices.Concat(result.Values, result.Residuals, result.Objective, []float64{result.Orthogonality}) {
					if v-v != 0 {
						t.Errorf("%s: eigenvalues %v, residuals %v, objective %v, error %v", what, result.Values, result.Residuals, result.Objective, err)
						break
					}
				}
				if k := result.KKT; len(result.Objective) > 0 && k-k != 0 {
					t.Errorf("%s: a residual of %v, error %v", what, k, err)
				}
				if _, err := json.Marshal(result.Quality); err != nil {
					t.Errorf("%s: %v", what, err)
				}
				for _, w := range result.Warnings {
					soundText(t, what, w)
				}
			}
		}
	}
}

// Samples that are copies but for rounding are embedded as copies are.
func TestNearCopiesAreCopies(t *testing.T) {
	all := degenerate()
	for _, name := range []string{"lle", "mlle", "neml", "ltsa", "ltsa-curvature", "hlle"} {
		var values [2][]float64
		for i, family := range []string{"more copies than k", "near copies"} {
			result, err := Embed(context.Background(), all[family], named(t, name), Options{Components: "joint", Threads: 1})
			if err != nil {
				t.Fatalf("%s of %s: %v", name, family, err)
			}
			values[i] = result.Values
		}
		for i, v := range values[0] {
			if math.Abs(values[1][i]-v) > 1e-4+0.15*v { // equal distances leave the lists of the others open
				t.Errorf("%s: eigenvalues %v of copies, %v of near copies", name, values[0], values[1])
				break
			}
		}
	}
}
