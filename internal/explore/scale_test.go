package explore

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/draw"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/internal/picture"
	"github.com/orthant-go/orthant/sparse"
)

// drawn fills a table from draws of the uniform and of the normal distribution for each entry.
func drawn(n, m int, entry func(i, j int, u, z float64) float64) *mat.Dense {
	s := blas.NewStream(7)
	x := mat.NewDense(n, m, nil)
	for i := range n {
		for j := range m {
			u, v := s.Uniform(), s.Uniform()
			z := math.Sqrt(-2*math.Log(max(u, 1e-12))) * math.Cos(2*math.Pi*v)
			x.Set(i, j, entry(i, j, u, z))
		}
	}
	return x
}

func compressed(t *testing.T, x *mat.Dense) *sparse.CSR {
	n, m := x.Dims()
	return must.Get(sparse.FromEntries(n, m, func(put func(i, j int, v float64)) {
		for i := range n {
			for j := range m {
				if v := x.At(i, j); v != 0 {
					put(i, j, v)
				}
			}
		}
	}))(t)
}

// rowwise changes every sample.
func rowwise(x *mat.Dense, by func(row []float64)) *mat.Dense {
	n, _ := x.Dims()
	for i := range n {
		by(x.RawRowView(i))
	}
	return x
}

// geometric is a count of a mean that differs between the samples and the columns.
func geometric(i, j int, u, _ float64) float64 {
	mean := (0.2 + float64(i%5)) * (0.1 + 3*float64(j%9)*float64(j%9)/81)
	return math.Floor(math.Log(1-u) / math.Log(mean/(1+mean)))
}

// Each kind of table has its scale, dense and sparse.
func TestScaleByWhatColumnsAre(t *testing.T) {
	units := []float64{0.01, 1, 30, 1000}
	for _, c := range []struct {
		what   string
		x      *mat.Dense
		scale  string
		sparse string // of the same table, compressed
	}{
		{"normal columns in one unit", drawn(300, 6, func(_, j int, _, z float64) float64 { return z*(1+float64(j)/3) + float64(j) }), "none", ""},
		{"normal columns in different units", drawn(300, 4, func(_, j int, _, z float64) float64 { return units[j] * (z + 5) }), "standard", ""},
		{"amounts over several orders", drawn(300, 5, func(_, _ int, _, z float64) float64 { return math.Exp(1.5 * z) }), "asinh", ""},
		{"long tails on both sides, different units", drawn(300, 4, func(_, j int, _, z float64) float64 { return units[j] * (z*z*z*z*z + 1) }), "asinh", ""},
		{"one column with a long tail of many", drawn(300, 10, func(_, j int, _, z float64) float64 {
			if j == 3 {
				return 100 * math.Exp(1.5*z)
			}
			return z
		}), "standard", ""},
		{"counts", drawn(300, 40, geometric), "counts", "counts"},
		{"marks", drawn(300, 40, func(_, j int, u, _ float64) float64 { return math.Floor(u + 0.02*float64(j%10)) }), "none", "unit"},
		{"pixels", drawn(300, 64, func(_, _ int, u, _ float64) float64 { return math.Round(255 * min(1, max(0, 1.6*u-0.3))) }), "none", ""},
		{"ratings from 1 to 5", drawn(300, 12, func(_, _ int, u, _ float64) float64 { return 1 + math.Floor(5*u) }), "none", ""},
		{"weights of words", rowwise(drawn(300, 40, geometric), func(row []float64) {
			for j := range row {
				row[j] *= 0.3 + 0.1*float64(j)
			}
		}), "", "unit"},
		{"weights of words, of length 1", rowwise(drawn(300, 40, geometric), func(row []float64) {
			var sum float64
			for _, v := range row {
				sum += v * v
			}
			for j := range row {
				row[j] /= math.Sqrt(max(sum, 1))
			}
		}), "", "none"},
		{"logarithms of counts per total", rowwise(drawn(300, 40, geometric), func(row []float64) {
			var sum float64
			for _, v := range row {
				sum += v
			}
			for j, v := range row {
				row[j] = math.Log1p(1e4 * v / max(sum, 1))
			}
		}), "", "none"},
		{"one value", drawn(20, 3, func(_, _ int, _, _ float64) float64 { return 4 }), "none", ""},
	} {
		if c.scale != "" {
			if got := must.Get(Describe(t.Context(), c.x))(t).Scale(); got.What != c.scale {
				t.Errorf("%s: %s (%s), want %s", c.what, got.What, got.Reason, c.scale)
			}
		}
		if c.sparse != "" {
			if got := must.Get(Describe(t.Context(), compressed(t, c.x)))(t).Scale(); got.What != c.sparse {
				t.Errorf("%s, sparse: %s (%s), want %s", c.what, got.What, got.Reason, c.sparse)
			}
		}
	}
}

// A dense table and the same one compressed have the same description, and columns with one value are found.
func TestDescribeSparseAsDense(t *testing.T) {
	x := drawn(200, 130, geometric)
	for i := range 200 {
		x.Set(i, 5, 0)
		x.Set(i, 7, 3)
	}
	a, b := must.Get(Describe(t.Context(), x))(t), must.Get(Describe(t.Context(), compressed(t, x)))(t)
	if a.Zeros != b.Zeros || a.Most != b.Most || a.Ones != b.Ones || a.Tops != b.Tops || len(a.columns) != len(b.columns) || len(a.Constant) < 2 || a.Constant[0] != 0 && a.Constant[0] != 5 {
		t.Errorf("%+v\n%+v", a, b)
	}
	for k, c := range a.columns {
		d := b.columns[k]
		if c.at != d.at || c.kinds != d.kinds || c.zeros != d.zeros || math.Abs(c.spread-d.spread) > 1e-12*c.spread || math.Abs(c.skewness-d.skewness) > 1e-9*(1+math.Abs(c.skewness)) {
			t.Fatalf("column %d: %+v, compressed %+v", c.at, c, d)
		}
	}
	if k, _ := a.Reduce(); k != Components {
		t.Errorf("%d components of %d columns", k, len(a.columns))
	}
}

// The means of groups, in standard deviations: 0, 0, 1, 3 has the mean 1 and the standard deviation √1.5.
func TestMeansOfGroups(t *testing.T) {
	x := mat.NewDense(4, 3, []float64{0, 1, 5, 0, 1, 5, 1, 0, 5, 3, 0, 5})
	want := [][]float64{{-1 / math.Sqrt(1.5), 1, 0}, {1 / math.Sqrt(1.5), -1, 0}}
	for _, data := range []mat.Matrix{x, compressed(t, x)} {
		got := must.Get(Means(t.Context(), data, "standard", []int64{0, 0, 1, 1}, 2, []int{0, 1, 2}))(t)
		for g := range want {
			for k, v := range want[g] {
				if math.Abs(got[g][k]-v) > 1e-12 {
					t.Errorf("group %d, column %d: %v, want %v", g, k, got[g][k], v)
				}
			}
		}
	}
	counts := must.Get(Means(t.Context(), mat.NewDense(2, 2, []float64{2, 2, 8, 0}), "counts", []int64{0, 1}, 2, []int{1}))(t)
	if math.Abs(counts[0][0]-1) > 1e-12 || math.Abs(counts[1][0]+1) > 1e-12 {
		t.Errorf("counts: %v", counts)
	}
}

// Names from the data cannot add anything to the page, which names no address.
func TestPageHoldsNamesAsText(t *testing.T) {
	evil := "</script><script>alert(1)</script>\u202e"
	points := &picture.Scatter{Y: mat.NewDense(2, 2, []float64{0, 0, 1, 1}), Colors: &draw.Coloring{Classes: []int{0, 1}, Names: []string{evil, "b"}}}
	r := &Report{Title: evil, Map: points, Cards: []Card{{evil, evil, evil}}, Groups: []Group{{Name: evil, Columns: []Shown{{Name: evil}}, Mostly: evil}, {Name: "b"}},
		Heat: &Heat{[]string{evil}, [][]float64{{1}, {-1}}}, Agree: &Agree{[]Measured{{evil, evil, 1}}, []string{evil}, [][]int{{1}, {1}}}, Steps: []Step{{evil, evil, evil}}, Redo: []Typed{{evil, evil}}, Notes: []string{evil}}
	var b bytes.Buffer
	must.Do(t, r.Write(&b))
	if s := b.String(); strings.Contains(s, "alert(1)</script>") || strings.Contains(s, "\u202e") || strings.Contains(s, "http") {
		t.Error("a name is more than text, or the page names an address")
	}
}
