package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/measures"
)

// local are the methods with a neighbour graph, at ten neighbours.
func local() []Method {
	return []Method{LLE{Neighbors: 10}, MLLE{Neighbors: 10}, NEML{Neighbors: 10}, LTSA{Neighbors: 10}, LTSA{Neighbors: 10, ExcludeSelf: true},
		LE{Neighbors: 10}, LE{Neighbors: 10, Weights: "heat"}, HLLE{Neighbors: 10}, LTSACurvature{Neighbors: 10}, Isomap{Neighbors: 10}, LNP{Neighbors: 10}, SMCE{Neighbors: 20}}
}

func generate(t testing.TB, name string, n int, seed uint64) *datasets.Set {
	t.Helper()
	s, err := datasets.Generate(name, n, seed, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func embed(t testing.TB, x mat.Matrix, m Method, o Options) *Result {
	t.Helper()
	r, err := Embed(context.Background(), x, m, o)
	if err != nil {
		t.Fatalf("%s: %v", m.Name(), err)
	}
	return r
}

// farthest is the largest difference of two embeddings' entries, column by
// column up to sign, relative to the largest entry.
func farthest(a, b *mat.Dense) float64 {
	_, d := a.Dims()
	var worst float64
	for j := range d {
		x, y := mat.Col(nil, j, a), mat.Col(nil, j, b)
		if blas.Dot(x, y) < 0 {
			blas.Scale(-1, y)
		}
		var largest, difference float64
		for i := range x {
			largest = max(largest, math.Abs(x[i]))
			difference = max(difference, math.Abs(x[i]-y[i]))
		}
		worst = max(worst, difference/largest)
	}
	return worst
}

func TestEmbeddingConstraints(t *testing.T) {
	x := generate(t, "swiss-roll", 400, 1).X
	for _, m := range local() {
		r := embed(t, x, m, Options{})
		if !r.Converged || r.Components != 1 {
			t.Errorf("%s: converged %v, %d components", m.Name(), r.Converged, r.Components)
		}
		if m.Name() == "isomap" {
			continue // eigenvalues descend, and columns have their roots as lengths; see TestIsomapByDefinition
		}
		if r.Values[0] < 0 || r.Values[1] < r.Values[0] || r.Next < r.Values[1] {
			t.Errorf("%s: eigenvalues %g, then %g, are not ascending", m.Name(), r.Values, r.Next)
		}
		if m.Name() == "le" || m.Name() == "smce" {
			continue // their constraint is YᵀDY = I; see TestLaplacianEigenmapsConstraint
		}
		for j := range 2 {
			c := mat.Col(nil, j, r.Y)
			if mean := sum(c) / 400; math.Abs(mean) > 1e-10 {
				t.Errorf("%s: column %d has mean %g", m.Name(), j, mean)
			}
			if norm := blas.Dot(c, c); math.Abs(norm-1) > 1e-12 {
				t.Errorf("%s: column %d has squared norm %g", m.Name(), j, norm)
			}
			if c[largestAt(c)] < 0 {
				t.Errorf("%s: the largest entry of column %d is negative", m.Name(), j)
			}
		}
		if d := blas.Dot(mat.Col(nil, 0, r.Y), mat.Col(nil, 1, r.Y)); math.Abs(d) > 1e-9 {
			t.Errorf("%s: columns are not orthogonal: %g", m.Name(), d)
		}
	}
}

func largestAt(x []float64) int {
	at := 0
	for i, v := range x {
		if math.Abs(v) > math.Abs(x[at]) {
			at = i
		}
	}
	return at
}

func TestLaplacianEigenmapsConstraint(t *testing.T) {
	x := generate(t, "swiss-roll", 400, 1).X
	for _, graph := range []string{"union", "mutual", "average"} {
		p := testProblem(x, nil)
		p.options, _ = Options{}.withDefaults()
		g, err := nearest(12).find(p)
		if err != nil {
			t.Fatal(err)
		}
		p.graph = g
		a, err := sumOfPatches(p, edges{graph: graph, weights: "binary"})
		if err != nil {
			t.Fatal(err)
		}
		// The patches sum to D − W: rows add up to 0 and the diagonal is the degree.
		lists := func(i, j int) float64 {
			if slices.Contains(g.Of(i), int32(j)) {
				return 1
			}
			return 0
		}
		degree := make([]float64, 400)
		for i := range 400 {
			for j := range 400 {
				if i == j {
					continue
				}
				want := map[string]float64{"union": max(lists(i, j), lists(j, i)), "mutual": lists(i, j) * lists(j, i), "average": (lists(i, j) + lists(j, i)) / 2}[graph]
				degree[i] += want
				if got := -a.phi.At(i, j); got != want {
					t.Fatalf("%s: weight (%d, %d) is %g, want %g", graph, i, j, got, want)
				}
			}
			if got := a.phi.At(i, i); got != degree[i] {
				t.Fatalf("%s: degree of %d is %g, want %g", graph, i, got, degree[i])
			}
		}
		r := embed(t, x, LE{Graph: graph}, Options{})
		for j := range 2 {
			var norm, mean float64
			for i := range 400 {
				y := r.Y.At(i, j)
				norm += degree[i] * y * y
				mean += degree[i] * y
			}
			if math.Abs(norm-1) > 1e-10 || math.Abs(mean) > 1e-9 {
				t.Errorf("%s: yᵀDy = %g, 1ᵀDy = %g", graph, norm, mean)
			}
		}
	}
}

func TestInvariance(t *testing.T) {
	const n = 300
	x := generate(t, "swiss-roll", n, 1).X
	s := blas.NewStream(5)
	// A rotation from the QR factors of a random matrix; shift and scale with it.
	var qr mat.QR
	random := mat.NewDense(3, 3, nil)
	s.Normals(random.RawMatrix().Data)
	qr.Factorize(random)
	var q, moved mat.Dense
	qr.QTo(&q)
	moved.Mul(x, &q)
	moved.Apply(func(_, j int, v float64) float64 { return 3*v + float64(10*j) }, &moved)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	for i := range n {
		j := i + s.Below(n-i)
		order[i], order[j] = order[j], order[i]
	}
	permuted := mat.NewDense(n, 3, nil)
	for to, from := range order {
		permuted.SetRow(to, x.RawRowView(from))
	}
	for _, m := range append(local(), PCA{}, MDS{}) {
		r := embed(t, x, m, Options{})
		// Rounding in the patches moves a vector by ε·|Φ|/(λ_{d+2} − λ_{d+1}); LLE has
		// the smallest gap of these, about 1e-7 of |Φ|.
		const tol = 1e-7
		y := embed(t, &moved, m, Options{}).Y
		if slices.Contains([]string{"pca", "mds", "isomap"}, m.Name()) {
			y.Scale(1.0/3, y)
		}
		if d := farthest(r.Y, y); d > tol {
			t.Errorf("%s: rotation, scale and shift move the embedding by %g", m.Name(), d)
		}
		y = embed(t, permuted, m, Options{}).Y
		back := mat.NewDense(n, 2, nil)
		for to, from := range order {
			back.SetRow(from, y.RawRowView(to))
		}
		if d := farthest(r.Y, back); d > tol {
			t.Errorf("%s: permutation moves the embedding by %g", m.Name(), d)
		}
	}
}

func TestSameBitsForAnyThreads(t *testing.T) {
	for _, x := range []*mat.Dense{generate(t, "swiss-roll", 1200, 1).X, generate(t, "gaussians", 600, 1).X} {
		for _, m := range append(local(), PCA{}, MDS{}) {
			components := "joint"
			if m.Name() == "isomap" {
				components = "each"
			}
			var first *Result
			for _, threads := range []int{1, 2, 3, 7} {
				r := embed(t, x, m, Options{Threads: threads, Components: components})
				if first == nil {
					first = r
				}
				if !slices.Equal(r.Y.RawMatrix().Data, first.Y.RawMatrix().Data) || !slices.Equal(r.Values, first.Values) {
					t.Errorf("%s: %d threads change the embedding", m.Name(), threads)
				}
			}
		}
	}
}

// Flat data is recovered up to an affine map: by LTSA and HLLE exactly, by NEML to O(γ).
func TestFlatDataIsRecovered(t *testing.T) {
	const n = 200
	s := blas.NewStream(1)
	truth := mat.NewDense(n, 2, nil)
	s.Uniforms(truth.RawMatrix().Data)
	basis := mat.NewDense(2, 5, nil)
	s.Normals(basis.RawMatrix().Data)
	var x mat.Dense
	x.Mul(truth, basis)
	for _, c := range []struct {
		m     Method
		limit float64
	}{
		{HLLE{Neighbors: 8}, 1e-9}, {LTSACurvature{Neighbors: 8}, 1e-9}, {LTSA{Neighbors: 8}, 1e-9}, {LTSA{Neighbors: 8, ExcludeSelf: true}, 1e-9},
		{NEML{Neighbors: 8}, 1e-2}, {NEML{Neighbors: 8, Gamma: 1e-10}, 1e-8}, {MLLE{Neighbors: 8, Gamma: 1e-10}, 1e-8},
	} {
		dev, _, err := measures.Deviation(truth, embed(t, &x, c.m, Options{}).Y)
		if err != nil {
			t.Fatal(err)
		}
		if dev > c.limit {
			t.Errorf("%s: dev %g, want below %g", c.m.Name(), dev, c.limit)
		}
	}
}

// The first figures of the NEML paper: flat in γ where LLE is erratic, and the
// triple peak, which is perfect only with sᵢ chosen by the rule.
func TestNEMLAgainstLLE(t *testing.T) {
	for seed := uint64(1); seed <= 2; seed++ {
		s := generate(t, "swiss-roll-hole", 1500, seed)
		best := math.Inf(1)
		var worst float64
		for _, gamma := range []float64{1e-10, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3} {
			best = min(best, deviation(t, s, LLE{Neighbors: 15, Gamma: gamma}))
			worst = max(worst, deviation(t, s, NEML{Neighbors: 15, Gamma: gamma}))
		}
		if worst > 0.05 || worst > best/2 {
			t.Errorf("seed %d: NEML's worst dev over γ is %g, LLE's best %g", seed, worst, best)
		}
	}
	s := generate(t, "triple-peak", 0, 1)
	if neml, ltsa := deviation(t, s, NEML{Neighbors: 15}), deviation(t, s, LTSA{Neighbors: 15}); neml > 0.01 || ltsa < 0.1 {
		t.Errorf("triple peak: dev %g (NEML), %g (LTSA)", neml, ltsa)
	}
}

func deviation(t testing.TB, s *datasets.Set, m Method) float64 {
	dev, _, err := measures.Deviation(s.Params, embed(t, s.X, m, Options{}).Y)
	if err != nil {
		t.Fatal(err)
	}
	return dev
}

func TestDefaultsAndCaps(t *testing.T) {
	x := generate(t, "swiss-roll", 10, 1).X
	r := embed(t, x, NEML{}, Options{})
	if r.Params["neighbors"] != 9 || len(r.Warnings) == 0 || !strings.Contains(r.Warnings[0], "12 neighbours, the default") {
		t.Errorf("params %v, warnings %q", r.Params, r.Warnings)
	}
	for key, want := range map[string]any{"dim": 2, "gamma": 1e-3, "eta": "auto", "lambda": "alpha", "components": "error", "duplicates": "keep"} {
		if r.Params[key] != want {
			t.Errorf("%s is %v, want %v", key, r.Params[key], want)
		}
	}
}

// Shapes at the edge of what is allowed give finite embeddings.
func TestEdgesOfTheDomain(t *testing.T) {
	s := blas.NewStream(1)
	random := func(n, m int) *mat.Dense {
		x := mat.NewDense(n, m, nil)
		s.Normals(x.RawMatrix().Data)
		return x
	}
	duplicated := random(40, 3)
	for i := range 15 {
		duplicated.SetRow(i+20, duplicated.RawRowView(i))
	}
	clumped := random(40, 3) // more copies than neighbours: patches without extent
	for i := range 20 {
		clumped.SetRow(i, []float64{1, 2, 3})
	}
	for _, c := range []struct {
		name   string
		x      *mat.Dense
		k, dim int
	}{
		{"k = n−1", random(12, 3), 11, 2}, {"k > m", random(40, 2), 9, 1}, {"k = d+1", random(60, 5), 3, 2}, {"one column", random(50, 1), 5, 1},
		{"d = m", random(60, 3), 8, 3}, {"d > m", random(60, 2), 8, 4}, {"duplicates", duplicated, 6, 2}, {"clumped", clumped, 8, 2},
		{"a constant column", mat.NewDense(6, 2, []float64{1, 0, 1, 1, 1, 2, 1, 3, 1, 4, 1, 5}), 3, 1}, {"two samples", random(2, 3), 1, 1},
		{"d = n−1", random(12, 4), 11, 11}, {"many pairs", random(60, 8), 40, 30},
	} {
		for _, name := range []string{"lle", "mlle", "neml", "ltsa", "le", "pca", "hlle", "ltsa-curvature", "isomap", "mds", "lnp", "smce"} {
			m, err := New(name)
			if err != nil {
				t.Fatal(err)
			}
			_ = Set(m, "neighbors", fmt.Sprint(c.k)) // pca has none
			if err := Set(m, "dim", fmt.Sprint(c.dim)); err != nil {
				t.Fatal(err)
			}
			components := "joint"
			if name == "isomap" {
				components = "largest"
			}
			r, err := Embed(context.Background(), c.x, m, Options{Components: components})
			if err != nil {
				// Methods that need k > d, and PCA with d > m, say so.
				if !strings.Contains(err.Error(), "give at") {
					t.Errorf("%s, %s: %v", c.name, name, err)
				}
				continue
			}
			if r.Components > 1 && name == "isomap" {
				continue // rows are NaN on purpose
			}
			for _, v := range r.Y.RawMatrix().Data {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Errorf("%s, %s: the embedding holds %v", c.name, name, v)
					break
				}
			}
			if !r.Converged {
				t.Errorf("%s, %s: residuals %g", c.name, name, r.Residuals)
			}
		}
	}
}

func TestEmbedRefuses(t *testing.T) {
	good := generate(t, "swiss-roll", 30, 1).X
	nan, inf := mat.DenseCopyOf(good), mat.DenseCopyOf(good)
	nan.Set(4, 1, math.NaN())
	inf.Set(0, 2, math.Inf(-1))
	eta := -1.0
	for _, c := range []struct {
		x    mat.Matrix
		m    Method
		o    Options
		want string
	}{
		{nan, LLE{}, Options{}, "row 5, column 2 (counting from 1) is NaN"},
		{inf, PCA{}, Options{}, "row 1, column 3 (counting from 1) is -Inf"},
		{good, LLE{Neighbors: 30}, Options{}, "lle: 30 neighbours asked of 30 samples; give a number from 1 to 29"},
		{good, LTSA{Neighbors: -1}, Options{}, "neighbors is -1; give a whole number ≥ 1"},
		{good, LLE{Dim: 30, Neighbors: 29}, Options{}, "dim 30 asked of 30 samples"},
		{good, NEML{Neighbors: 3, Dim: 3}, Options{}, "give at least 4 neighbours"},
		{good, LTSA{Neighbors: 2}, Options{}, "give at least 3 neighbours"},
		{good, LTSACurvature{Neighbors: 2}, Options{}, "ltsa-curvature: 2 neighbours for 2 dimensions; give at least 3 neighbours"},
		{good, LTSACurvature{Delta: -1}, Options{}, "delta is -1; give a number > 0"},
		{good, HLLE{Neighbors: 5}, Options{}, "hlle: 5 neighbours do not determine a Hessian in 2 dimensions; give at least 6 neighbours"},
		{good, HLLE{Dim: 4}, Options{}, "give at least 15 neighbours"},
		{good, MDS{Dim: 4}, Options{}, "mds: dim 4 of data with 3 columns"},
		{good, PCA{Dim: 4}, Options{}, "data with 3 columns"},
		{good, LLE{Gamma: -1}, Options{}, "gamma is -1; give a number > 0"},
		{good, NEML{Eta: &eta}, Options{}, "eta is -1; give a number ≥ 0, or auto"},
		{good, LE{Graph: "onion"}, Options{}, "graph is onion; give one of union, mutual, average"},
		{good, LLE{}, Options{Components: "some"}, "components is some; give one of error, largest, each, joint"},
		{good, LLE{}, Options{Duplicates: "drop"}, "duplicates is drop; give one of keep, merge"},
		{good, LLE{}, Options{Backend: "mkl"}, "available: auto"},
		{good, LLE{}, Options{Memory: 1000}, "the limit is 1000 B"},
		{mat.NewDense(1, 3, nil), LLE{}, Options{}, "at least 2 samples"},
		{good, nil, Options{}, "no method"},
	} {
		_, err := Embed(context.Background(), c.x, c.m, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want one line with %q", err, c.want)
		}
	}
}

func TestEmbedStopsWhenCancelled(t *testing.T) {
	x := generate(t, "swiss-roll", 3000, 1).X
	// Cancel at the first word from each phase in turn.
	for _, phase := range []string{"neighbors", "patches", "solve"} {
		ctx, cancel := context.WithCancel(context.Background())
		_, err := Embed(ctx, x, LLE{}, Options{Progress: func(p Progress) {
			if p.Phase == phase {
				cancel()
			}
		}})
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled during %s: %v", phase, err)
		}
	}
}

func TestSetSuggestsAndRefuses(t *testing.T) {
	if _, err := New("nmel"); err == nil || !strings.Contains(err.Error(), `"neml"`) {
		t.Errorf("got %v", err)
	}
	m, err := New("neml")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ key, value, want string }{
		{"gama", "1", `did you mean "gamma"`}, {"gamma", "0", "gamma is 0; give a number > 0"}, {"gamma", "NaN", "gamma is \"NaN\""},
		{"neighbors", "2.5", "give a whole number ≥ 1"}, {"neighbors", "0", "neighbors is 0"}, {"eta", "x", "or auto"}, {"zzzz", "1", "there are neighbors, dim"},
	} {
		if err := Set(m, c.key, c.value); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s=%s: got %v, want %q", c.key, c.value, err, c.want)
		}
	}
	if err := SetJSON(m, []byte(`{"gamma": 1e-4, "eta": 0, "lambda": "alpha"}`)); err != nil {
		t.Fatal(err)
	}
	if v := Values(m); v["gamma"] != 1e-4 || v["eta"] != 0.0 || v["lambda"] != "alpha" {
		t.Errorf("values %v", v)
	}
}

// Every parameter of every method is documented and has a default that it
// accepts.
func TestParameterTables(t *testing.T) {
	for _, e := range Methods() {
		m, err := New(e.Name)
		if err != nil || m.Name() != e.Name || e.Title == "" || e.Summary == "" || e.Source == "" {
			t.Errorf("%s: incomplete entry (%v)", e.Name, err)
		}
		for _, p := range e.Parameters {
			if p.Key == "" || p.Meaning == "" || p.Type == "" || p.Default == nil {
				t.Errorf("%s: incomplete parameter %+v", e.Name, p)
			}
			if err := Set(m, p.Key, fmt.Sprint(p.Default)); err != nil {
				t.Errorf("%s refuses its own default: %v", e.Name, err)
			}
		}
	}
}
