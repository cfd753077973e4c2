package quality

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/solve"
	"github.com/orthant-go/orthant/internal/must"
)

// chartsOn measures an embedding of a sheet.
func chartsOn(t *testing.T, in patch.Local, y *mat.Dense) *Scores {
	t.Helper()
	q := must.Get(Measure(in, patch.Rule{}, &solve.Solution{Y: y, Values: []float64{1, 2}, Next: 10}, Lengths, 0))(t)
	return q
}

// mapped is f at each row.
func mapped(flat *mat.Dense, f func(a, b float64) []float64) *mat.Dense {
	n, _ := flat.Dims()
	y := mat.NewDense(n, 2, nil)
	for i := range n {
		y.SetRow(i, f(flat.At(i, 0), flat.At(i, 1)))
	}
	return y
}

// Affine images of a sheet are even, and images that bend, fold or collapse are not; the
// charts that are the worst lie where the image was bent.
func TestEvenness(t *testing.T) {
	x, flat := sheet(3000, 1)
	in := around(t, x, 12, 2)
	for name, c := range map[string]struct {
		f    func(a, b float64) []float64
		even bool
	}{
		"itself":     {func(a, b float64) []float64 { return []float64{a, b} }, true},
		"affine":     {func(a, b float64) []float64 { return []float64{3*a - 2*b + 5, 0.01 * b} }, true},
		"bent":       {func(a, b float64) []float64 { return []float64{a + 0.3*a*a, b} }, false},
		"folded":     {func(a, b float64) []float64 { return []float64{math.Abs(a - 2), b * (a - 2)} }, false},
		"a function": {func(a, b float64) []float64 { return []float64{a, (a - 2) * (a - 2)} }, false},
	} {
		q := chartsOn(t, in, mapped(flat, c.f))
		if even := q.Charts.MinUnevenness(); q.Charts.Uneven() == c.even || c.even && even > 0.05 {
			t.Errorf("%s: unevenness %g", name, q.Charts.Unevenness)
		}
		if q.Gap != 5 {
			t.Errorf("gap %g", q.Gap)
		}
	}
	dented := mapped(flat, func(a, b float64) []float64 { return []float64{a + 3*math.Exp(-4*(a-3)*(a-3)), b} })
	for _, i := range chartsOn(t, in, dented).Charts.Worst(5) {
		if a := flat.At(i, 0); math.Abs(a-3) > 0.8 {
			t.Errorf("one of the worst places is at %g, the dent at 3", a)
		}
	}
}

// The scores are those of plain formulas with gonum's decompositions.
func TestDeviationsByPlainFormulas(t *testing.T) {
	x, flat := sheet(600, 2)
	in := around(t, x, 10, 1)
	y := mapped(flat, func(a, b float64) []float64 { return []float64{a + 0.1*a*a, b - 0.2*a*b} })
	c := chartsOn(t, in, y).Charts
	if !slices.Equal(c.Sizes, []int{11, 22, 44, 88}) || len(c.Centers) != 64 {
		t.Fatalf("sizes %v, %d charts", c.Sizes, len(c.Centers))
	}
	w := newWalker(in, nil)
	for s, size := range c.Sizes {
		metrics, mean := make([]*mat.Dense, len(c.Centers)), mat.NewDense(2, 2, nil)
		off := make([]float64, len(c.Centers))
		for at, i := range c.Centers {
			metrics[at], off[at] = plainMetric(x, y, w.nearest(i, size))
			var part mat.Dense
			part.Scale(1/float64(len(c.Centers)), metrics[at])
			mean.Add(mean, &part)
		}
		var inverse mat.Dense
		must.Do(t, inverse.Inverse(mean))
		deviations := make([]float64, len(metrics))
		for at, g := range metrics {
			var p, sq mat.Dense // ‖M^−½GM^−½ − I‖² = tr((M⁻¹G − I)²)
			p.Mul(&inverse, g)
			p.Sub(&p, mat.NewDiagDense(2, []float64{1, 1}))
			sq.Mul(&p, &p)
			deviations[at] = math.Sqrt(mat.Trace(&sq) / 2)
		}
		slices.Sort(deviations)
		slices.Sort(off)
		if want := deviations[44]; math.Abs(c.Unevenness[s]-want) > 1e-9 {
			t.Errorf("%d samples: unevenness %g, want %g", size, c.Unevenness[s], want)
		}
		if want := off[31]; math.Abs(c.Off[s]-want) > 1e-12 {
			t.Errorf("%d samples: %g off the tangents, want %g", size, c.Off[s], want)
		}
	}
}

// plainMetric is JJᵀ for the map from two principal coordinates to y, and what these leave.
func plainMetric(x, y *mat.Dense, set []int32) (*mat.Dense, float64) {
	centred := func(m *mat.Dense) *mat.Dense {
		_, cols := m.Dims()
		out := mat.NewDense(len(set), cols, nil)
		for j := range cols {
			var mean float64
			for _, i := range set {
				mean += m.At(int(i), j) / float64(len(set))
			}
			for a, i := range set {
				out.Set(a, j, m.At(int(i), j)-mean)
			}
		}
		return out
	}
	z, v := centred(x), centred(y)
	var svd mat.SVD
	svd.Factorize(z, mat.SVDThin)
	var directions mat.Dense
	svd.VTo(&directions)
	values := svd.Values(nil)
	var theta, j, g mat.Dense
	theta.Mul(z, directions.Slice(0, 3, 0, 2))
	if err := j.Solve(&theta, v); err != nil { // θJᵀ = y
		panic(err)
	}
	g.Mul(j.T(), &j)
	return &g, values[2] * values[2] / (values[0]*values[0] + values[1]*values[1] + values[2]*values[2])
}

// A sheet that is given a third coordinate has no direction for it.
func TestTooManyCoordinates(t *testing.T) {
	x, flat := sheet(2000, 4)
	in := around(t, x, 12, 2)
	three := mat.NewDense(2000, 3, nil)
	for i := range 2000 {
		three.SetRow(i, []float64{flat.At(i, 0), flat.At(i, 1), flat.At(i, 0) * flat.At(i, 1)})
	}
	q := must.Get(Measure(in, patch.Rule{}, &solve.Solution{Y: three, Values: []float64{1, 2, 3}, Next: math.NaN()}, Lengths, 0))(t)
	if !q.Charts.TooThin(3) {
		t.Errorf("the last direction holds %g", q.Charts.Thin)
	}
	if two := chartsOn(t, in, flat); two.Charts.TooThin(2) {
		t.Errorf("of two directions the last holds %g", two.Charts.Thin)
	}
}

// Threads change no bit.
func TestChartsForAnyThreads(t *testing.T) {
	x, flat := sheet(1500, 5)
	first := chartsOn(t, around(t, x, 12, 1), flat)
	for _, threads := range []int{2, 5} {
		if again := fmt.Sprint(*chartsOn(t, around(t, x, 12, threads), flat)); again != fmt.Sprint(*first) {
			t.Errorf("%d threads: %v, one: %v", threads, again, *first)
		}
	}
}
