package engine

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/sparse"
)

// walk is the random walk of diffusion maps among all samples, by its definition.
func walk(x *mat.Dense, epsilon, alpha float64) (p *mat.Dense, stationary []float64) {
	points := samples.Of(x)
	n := points.N()
	kernel, density := mat.NewDense(n, n, nil), make([]float64, n)
	for i := range n {
		for j := range n {
			k := math.Exp(-blas.SquaredDistance(points.Row(i), points.Row(j)) / epsilon)
			kernel.Set(i, j, k)
			density[i] += k
		}
	}
	stationary = make([]float64, n)
	var total float64
	p = mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			w := kernel.At(i, j) / math.Pow(density[i]*density[j], alpha)
			p.Set(i, j, w)
			stationary[i] += w
		}
		total += stationary[i]
		blas.Scale(1/stationary[i], p.RawRowView(i))
	}
	blas.Scale(1/total, stationary)
	return p, stationary
}

// With all coordinates the Euclidean distance of two rows is the diffusion distance of
// the paper, that of the distributions of walks of t steps.
func TestDiffusionDistances(t *testing.T) {
	const n, steps = 40, 3
	x := generate(t, "swiss-roll", n, 3).X
	for _, alpha := range []float64{0, 0.5, 1} {
		epsilon, time := 60.0, steps
		r := embed(t, x, DiffusionMaps{Neighbors: n - 1, Dim: n - 1, Alpha: &alpha, Time: &time, Epsilon: &epsilon}, Options{})
		p, stationary := walk(x, epsilon, alpha)
		var after mat.Dense
		after.Pow(p, steps)
		for i := range n {
			for j := range i {
				var want float64
				for l, pi := range stationary {
					d := after.At(i, l) - after.At(j, l)
					want += d * d / pi
				}
				if got := blas.SquaredDistance(r.Y.RawRowView(i), r.Y.RawRowView(j)); math.Abs(got-want) > 1e-10*(1+want) {
					t.Fatalf("alpha %g: the squared distance of %d and %d is %g, want %g", alpha, i, j, got, want)
				}
			}
		}
	}
}

// Σ πᵢyᵢyᵢᵀ = diag(λ²ᵗ), Σ πᵢyᵢ = 0, and the eigenvalues descend from below 1.
func TestDiffusionMapsConstraint(t *testing.T) {
	const n = 120
	x := generate(t, "swiss-roll", n, 1).X
	epsilon := 40.0
	r := embed(t, x, DiffusionMaps{Neighbors: n - 1, Dim: 4, Epsilon: &epsilon}, Options{})
	_, stationary := walk(x, epsilon, 1)
	if !slices.IsSortedFunc(append(slices.Clone(r.Values), r.Next), func(a, b float64) int { return int(math.Copysign(1, b-a)) }) || r.Values[0] >= 1 {
		t.Errorf("eigenvalues %g, then %g", r.Values, r.Next)
	}
	for a := range 4 {
		column := mat.Col(nil, a, r.Y)
		if column[largestAt(column)] < 0 {
			t.Errorf("the largest entry of column %d is negative", a)
		}
		if mean := blas.Dot(stationary, column); math.Abs(mean) > 1e-10 {
			t.Errorf("column %d has the weighted mean %g", a, mean)
		}
		for b := range a + 1 {
			var got, want float64
			for i, pi := range stationary {
				got += pi * r.Y.At(i, a) * r.Y.At(i, b)
			}
			if a == b {
				want = r.Values[a] * r.Values[a]
			}
			if math.Abs(got-want) > 1e-10 {
				t.Errorf("columns %d and %d have the weighted product %g, want %g", a, b, got, want)
			}
		}
	}
}

// A step more multiplies every column by its eigenvalue once more.
func TestDiffusionTime(t *testing.T) {
	x := generate(t, "swiss-roll", 300, 2).X
	still, five := 0, 5
	now := embed(t, x, DiffusionMaps{Neighbors: 10, Dim: 3, Time: &still}, Options{})
	later := embed(t, x, DiffusionMaps{Neighbors: 10, Dim: 3, Time: &five}, Options{})
	for j, lambda := range now.Values {
		want := mat.Col(nil, j, now.Y)
		blas.Scale(math.Pow(lambda, 5), want)
		expectClose(t, "column after five steps", mat.Col(nil, j, later.Y), want, 1e-12)
	}
}

// With α = 1 a circle stays one however its samples are spread; with 0 it does not.
func TestDiffusionMapsWithoutDensity(t *testing.T) {
	const n = 400
	x := mat.NewDense(n, 2, nil)
	for i := range n {
		s := 2 * math.Pi * float64(i) / n
		angle := s + 0.8*math.Sin(s) // nine times as dense on one side as on the other
		x.SetRow(i, []float64{math.Cos(angle), math.Sin(angle)})
	}
	unevenness := func(alpha float64) float64 {
		epsilon, still := 0.02, 0
		r := embed(t, x, DiffusionMaps{Neighbors: n - 1, Dim: 2, Alpha: &alpha, Epsilon: &epsilon, Time: &still}, Options{})
		low, high := math.Inf(1), 0.0
		for i := range n {
			radius := math.Hypot(r.Y.At(i, 0), r.Y.At(i, 1))
			low, high = min(low, radius), max(high, radius)
		}
		return high / low
	}
	without, with := unevenness(1), unevenness(0)
	if without > 1.1 {
		t.Errorf("with alpha 1 the largest radius is %g of the least", without)
	}
	if with < 2 {
		t.Errorf("with alpha 0 the largest radius is %g of the least: the density does not show", with)
	}
}

// Where the fit joined all samples Nyström's formula gives them back; between them it
// follows the curve.
func TestDiffusionMapsOfNewSamples(t *testing.T) {
	const n = 300
	curve := func(s float64) []float64 { return []float64{math.Cos(s), math.Sin(s)} }
	x, between := mat.NewDense(n, 2, nil), mat.NewDense(n, 2, nil)
	for i := range n {
		x.SetRow(i, curve(2*math.Pi*float64(i)/n))
		between.SetRow(i, curve(2*math.Pi*(float64(i)+0.5)/n))
	}
	epsilon := 0.05
	r := embed(t, x, DiffusionMaps{Neighbors: n - 1, Dim: 2, Epsilon: &epsilon}, Options{})
	model := must(r.Model())(t)
	if model.Kind() != "diffusion" {
		t.Errorf("the rule is %q", model.Kind())
	}
	again := transformed(t, model, x, Options{})
	expectClose(t, "training samples", again.RawMatrix().Data, r.Y.RawMatrix().Data, 1e-11)
	middle := transformed(t, model, between, Options{})
	for i := range n {
		for j := range 2 {
			mean := (r.Y.At(i, j) + r.Y.At((i+1)%n, j)) / 2
			if got := middle.At(i, j); math.Abs(got-mean) > 2e-3 {
				t.Fatalf("the sample behind %d is at %g, between its neighbours is %g", i, got, mean)
			}
		}
	}
}

// Given affinities are the kernel, with their diagonal: those of the method itself give its own coordinates, in any unit.
func TestDiffusionMapsOfAffinities(t *testing.T) {
	x := sheet(t, 200)
	g := graphOf(t, x, 9)
	epsilon, alpha := 2.0, 0.5
	m := DiffusionMaps{Alpha: &alpha, Epsilon: &epsilon}
	own := embed(t, nil, m, Options{Graph: g})
	var entries []sparse.Triplet
	mutual := g.Mutual()
	for i := range g.Len() {
		entries = append(entries, sparse.Triplet{Row: i, Col: i, Val: 1})
		for q, j := range g.Of(i) {
			w := math.Exp(-g.Distances(i)[q] * g.Distances(i)[q] / epsilon)
			entries = append(entries, sparse.Triplet{Row: i, Col: int(j), Val: w})
			if !mutual[g.Ptr[i]+q] {
				entries = append(entries, sparse.Triplet{Row: int(j), Col: i, Val: w})
			}
		}
	}
	k := must(sparse.FromTriplets(200, 200, entries))(t)
	given := embed(t, nil, DiffusionMaps{Alpha: &alpha}, Options{Affinities: k})
	if !mat.EqualApprox(own.Y, given.Y, 1e-8) {
		t.Error("the coordinates by the given kernel differ from those by the own one")
	}
	for q := range k.Val {
		k.Val[q] *= 0x1p40
	}
	if scaled := embed(t, nil, DiffusionMaps{Alpha: &alpha}, Options{Affinities: k}); !mat.EqualApprox(own.Y, scaled.Y, 1e-8) {
		t.Error("the unit of the kernel changes the coordinates")
	}
	refusing(t).embed("", nil, m, Options{Affinities: k})
}
