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
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/engine/internal/vector"
)

func TestLocalConverges(t *testing.T) {
	x := generate(t, "swiss-roll", 400, 1).X
	each(t, local(t), nil, func(t *testing.T, m Method) {
		r := embed(t, x, m, Options{})
		if !r.Converged {
			t.Errorf("not converged: residuals %g", r.Residuals)
		}
		if r.Components != 1 {
			t.Errorf("%d components", r.Components)
		}
	})
}

func TestLocalValuesAscend(t *testing.T) {
	x := generate(t, "swiss-roll", 400, 1).X
	each(t, local(t), exceptions{
		"diffusion-maps": "its eigenvalues are those of the walk, which descend: TestDiffusionMapsConstraint",
		"isomap":         "its eigenvalues descend: TestIsomapByDefinition",
	}, func(t *testing.T, m Method) {
		r := embed(t, x, m, Options{})
		if r.Values[0] < 0 {
			t.Errorf("the first eigenvalue is %g", r.Values[0])
		}
		if r.Values[1] < r.Values[0] || r.Next < r.Values[1] {
			t.Errorf("eigenvalues %g, then %g, are not ascending", r.Values, r.Next)
		}
	})
}

// YᵀY = I, columns have mean 0 and a positive largest entry.
func TestLocalConstraints(t *testing.T) {
	x := generate(t, "swiss-roll", 400, 1).X
	each(t, local(t), exceptions{
		"diffusion-maps": "its constraint has the weights of the walk: TestDiffusionMapsConstraint",
		"isomap":         "the lengths of its columns are the roots of its eigenvalues: TestIsomapByDefinition",
		"le":             "its constraint is YᵀDY = I: TestLaplacianEigenmapsConstraint",
		"smce":           "its constraint is that of le",
	}, func(t *testing.T, m Method) {
		r := embed(t, x, m, Options{})
		for j := range 2 {
			c := mat.Col(nil, j, r.Y)
			if mean := vector.Sum(c) / 400; math.Abs(mean) > 1e-10 {
				t.Errorf("column %d has mean %g", j, mean)
			}
			if norm := blas.Dot(c, c); math.Abs(norm-1) > 1e-12 {
				t.Errorf("column %d has squared norm %g", j, norm)
			}
			if c[largestAt(c)] < 0 {
				t.Errorf("the largest entry of column %d is negative", j)
			}
		}
		if d := blas.Dot(mat.Col(nil, 0, r.Y), mat.Col(nil, 1, r.Y)); math.Abs(d) > 1e-9 {
			t.Errorf("columns are not orthogonal: %g", d)
		}
	})
}

// moved is the roll rotated, scaled and shifted, and with its rows in another order.
type moved struct {
	x, rotated, permuted *mat.Dense
	order                []int
}

func movedRoll(t *testing.T) moved {
	t.Helper()
	const n = 300
	x := generate(t, "swiss-roll", n, 1).X
	s := blas.NewStream(5)
	// A rotation from the QR factors of a random matrix; shift and scale with it.
	var qr mat.QR
	random := mat.NewDense(3, 3, nil)
	s.Normals(random.RawMatrix().Data)
	qr.Factorize(random)
	var q, rotated mat.Dense
	qr.QTo(&q)
	rotated.Mul(x, &q)
	rotated.Apply(func(_, j int, v float64) float64 { return 3*v + float64(10*j) }, &rotated)
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
	return moved{x, &rotated, permuted, order}
}

// invariant reports whether rotation, scale, shift and order move an embedding, which
// has the scale of the data or, where that is 1, none.
func (c moved) invariant(t *testing.T, m Method, scale float64) {
	t.Helper()
	r := embed(t, c.x, m, Options{})
	// Rounding in the patches moves a vector by ε·|Φ|/(λ_{d+2} − λ_{d+1}); LLE has
	// the smallest gap of these, about 1e-7 of |Φ|.
	const tol = 1e-7
	y := embed(t, c.rotated, m, Options{}).Y
	y.Scale(1/scale, y)
	if d := farthest(r.Y, y); d > tol {
		t.Errorf("rotation, scale and shift move the embedding by %g", d)
	}
	y = embed(t, c.permuted, m, Options{}).Y
	back := mat.NewDense(len(c.order), 2, nil)
	for to, from := range c.order {
		back.SetRow(from, y.RawRowView(to))
	}
	if d := farthest(r.Y, back); d > tol {
		t.Errorf("permutation moves the embedding by %g", d)
	}
}

func TestLocalInvariance(t *testing.T) {
	c := movedRoll(t)
	each(t, local(t), nil, func(t *testing.T, m Method) {
		scale := 1.0
		if m.Name() == "isomap" { // keeps distances, as the global methods do
			scale = 3
		}
		c.invariant(t, m, scale)
	})
}

func TestGlobalInvariance(t *testing.T) {
	c := movedRoll(t)
	each(t, global(t), nil, func(t *testing.T, m Method) { c.invariant(t, m, 3) })
}

func TestLocalSameBitsForAnyThreads(t *testing.T) { sameBits(t, local(t)) }

func TestGlobalSameBitsForAnyThreads(t *testing.T) { sameBits(t, global(t)) }

// sameBits embeds one piece and clouds, with threads of any number.
func sameBits(t *testing.T, all []trial) {
	t.Helper()
	sets := []*mat.Dense{generate(t, "swiss-roll", 1200, 1).X, generate(t, "gaussians", 600, 1).X}
	each(t, all, nil, func(t *testing.T, m Method) {
		components := "joint"
		if m.Name() == "isomap" { // has no distance between components
			components = "each"
		}
		for _, x := range sets {
			var first *Result
			for _, threads := range []int{1, 2, 3, 7} {
				r, err := Embed(t.Context(), x, m, Options{Threads: threads, Components: components})
				if err != nil && strings.Contains(err.Error(), "ExcludeSelf: false") {
					continue // in many dimensions there are samples that nobody lists
				}
				if err != nil {
					t.Fatal(err)
				}
				if first == nil {
					first = r
				}
				if !slices.Equal(r.Y.RawMatrix().Data, first.Y.RawMatrix().Data) {
					t.Errorf("%d threads change the embedding", threads)
				}
				if !slices.Equal(r.Values, first.Values) {
					t.Errorf("%d threads change the eigenvalues", threads)
				}
			}
		}
	})
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
		t.Run(graph, func(t *testing.T) {
			job, rows := steptest.Run(t), samples.Of(x)
			found := must(neighborhood.Nearest(12).Find(job, rows))(t)
			g := found.Graph
			local := patch.Local{Run: job, X: rows, Graph: g}
			a := must(align.SumOfPatches(align.Input{Local: local, Patch: patch.Edges{Graph: graph, Weights: "binary"}.Rule()}))(t)
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
					if got := -a.Phi.At(i, j); got != want {
						t.Fatalf("%s: weight (%d, %d) is %g, want %g", graph, i, j, got, want)
					}
				}
				if got := a.Phi.At(i, i); got != degree[i] {
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
		})
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
		name  string
		m     Method
		limit float64
	}{
		{"hlle", HLLE{Neighbors: 8}, 1e-9}, {"ltsa-curvature", LTSACurvature{Neighbors: 8}, 1e-9},
		{"ltsa", LTSA{Neighbors: 8}, 1e-9}, {"ltsa without self", LTSA{Neighbors: 8, ExcludeSelf: true}, 1e-9},
		{"neml", NEML{Neighbors: 8}, 1e-2}, {"neml, small γ", NEML{Neighbors: 8, Gamma: 1e-10}, 1e-8}, {"mlle, small γ", MLLE{Neighbors: 8, Gamma: 1e-10}, 1e-8},
	} {
		t.Run(c.name, func(t *testing.T) {
			dev := deviationOf(t, truth, embed(t, &x, c.m, Options{}).Y)
			if dev > c.limit {
				t.Errorf("dev %g, want below %g", dev, c.limit)
			}
		})
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
	dev := deviationOf(t, s.Params, embed(t, s.X, m, Options{}).Y)
	return dev
}

func TestDefaultsAndCaps(t *testing.T) {
	x := generate(t, "swiss-roll", 10, 1).X
	r := embed(t, x, NEML{}, Options{})
	if r.Params["neighbors"] != 9 || len(r.Warnings) == 0 || !strings.Contains(r.Warnings[0], "12 neighbours, the default") {
		t.Errorf("params %v, warnings %q", r.Params, r.Warnings)
	}
	for key, want := range map[string]any{"dim": 2, "gamma": "auto", "eta": "auto", "lambda": "alpha", "components": "auto", "duplicates": "keep"} {
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
	type shape struct {
		name   string
		x      *mat.Dense
		k, dim int
	}
	shapes := []shape{
		{"k = n−1", random(12, 3), 11, 2}, {"k > m", random(40, 2), 9, 1}, {"k = d+1", random(60, 5), 3, 2}, {"one column", random(50, 1), 5, 1},
		{"d = m", random(60, 3), 8, 3}, {"d > m", random(60, 2), 8, 4}, {"duplicates", duplicated, 6, 2}, {"clumped", clumped, 8, 2},
		{"a constant column", mat.NewDense(6, 2, []float64{1, 0, 1, 1, 1, 2, 1, 3, 1, 4, 1, 5}), 3, 1}, {"two samples", random(2, 3), 1, 1},
		{"d = n−1", random(12, 4), 11, 11}, {"many pairs", random(60, 8), 40, 30},
	}
	each(t, append(trials(t, isLocal, nil), global(t)...), nil, func(t *testing.T, m Method) {
		for _, c := range shapes {
			t.Run(c.name, func(t *testing.T) {
				if _, has := Values(m)["neighbors"]; has {
					if err := Set(m, "neighbors", fmt.Sprint(c.k)); err != nil {
						t.Fatal(err)
					}
				}
				if err := Set(m, "dim", fmt.Sprint(c.dim)); err != nil {
					t.Fatal(err)
				}
				components := "joint"
				if m.Name() == "isomap" { // has no distance between components
					components = "largest"
				}
				r, err := Embed(context.Background(), c.x, m, Options{Components: components})
				if err != nil {
					// Methods that need k > d, and PCA with d > m, say so.
					if !strings.Contains(err.Error(), "give at") {
						t.Error(err)
					}
					return
				}
				if r.Components > 1 && components == "largest" {
					return // rows are NaN on purpose
				}
				for _, v := range r.Y.RawMatrix().Data {
					if math.IsNaN(v) || math.IsInf(v, 0) {
						t.Errorf("the embedding holds %v", v)
						break
					}
				}
				if !r.Converged {
					t.Errorf("residuals %g", r.Residuals)
				}
			})
		}
	})
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
		{good, LTSA{Neighbors: -1}, Options{}, "Neighbors is -1; give a whole number ≥ 1"},
		{good, LLE{Dim: 30, Neighbors: 29}, Options{}, "dim 30 asked of 30 samples"},
		{good, NEML{Neighbors: 3, Dim: 3}, Options{}, "give at least 4 neighbours"},
		{good, LTSA{Neighbors: 2}, Options{}, "give at least 3 neighbours"},
		{good, LTSACurvature{Neighbors: 2}, Options{}, "ltsa-curvature: 2 neighbours for 2 dimensions; give at least 3 neighbours"},
		{good, LTSACurvature{Delta: -1}, Options{}, "Delta is -1; give a number > 0"},
		{good, HLLE{Neighbors: 5}, Options{}, "hlle: 5 neighbours do not determine a Hessian in 2 dimensions; give at least 6 neighbours"},
		{good, HLLE{Dim: 4}, Options{}, "give at least 15 neighbours"},
		{good, MDS{Dim: 4}, Options{}, "mds: dim 4 of data with 3 columns"},
		{good, PCA{Dim: 4}, Options{}, "data with 3 columns"},
		{good, LLE{Gamma: -1}, Options{}, "Gamma is -1; give a number > 0"},
		{good, NEML{Eta: &eta}, Options{}, "Eta is -1; give a number ≥ 0, or auto"},
		{good, LE{Graph: "onion"}, Options{}, "Graph is onion; give one of union, mutual, average"},
		{good, LLE{}, Options{Components: "some"}, "Components is some; give one of auto, error, largest, each, joint, bridge"},
		{good, LLE{}, Options{Duplicates: "drop"}, "Duplicates is drop; give one of keep, merge"},
		{good, LLE{}, Options{Backend: "mkl"}, "available: auto"},
		{good, LLE{}, Options{Memory: 1000}, "the limit is 1000 B"},
		{mat.NewDense(1, 3, nil), LLE{}, Options{}, "at least 2 samples"},
		{good, nil, Options{}, "no method"},
	} {
		t.Run(c.want, func(t *testing.T) {
			_, err := Embed(context.Background(), c.x, c.m, c.o)
			expectRefusal(t, err, c.want)
		})
	}
}

// expectRefusal wants an error of one line that says so.
func expectRefusal(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case err == nil:
		t.Errorf("no error, want %q", want)
	case !strings.Contains(err.Error(), want):
		t.Errorf("got %v, want %q", err, want)
	case strings.Contains(err.Error(), "\n"):
		t.Errorf("more than one line: %q", err)
	}
}

func TestEmbedStopsWhenCancelled(t *testing.T) {
	x := generate(t, "swiss-roll", 3000, 1).X
	// Cancel at the first word from each phase in turn.
	for _, phase := range []string{"neighbors", "patches", "solve"} {
		t.Run(phase, func(t *testing.T) {
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
		})
	}
}

// withStray is a flat sheet of n − 1 samples, and one more of its plane that nobody lists.
func withStray(n int) *mat.Dense {
	x := mat.NewDense(n, 2, nil)
	blas.NewStream(5).Uniforms(x.RawMatrix().Data)
	x.SetRow(n-1, []float64{3, 2})
	return x
}

// A sample that is in nobody's list has an equation of its own: the patch holds the
// sample. Without it there is none, which is refused by name.
func TestHLLEOfASampleThatNobodyLists(t *testing.T) {
	x := withStray(120)
	r := embed(t, x, HLLE{Neighbors: 9}, Options{})
	dev := deviationOf(t, x, r.Y)
	if dev > 1e-8 {
		t.Errorf("dev %g of flat data", dev)
	}
	_, err := Embed(t.Context(), x, HLLE{Neighbors: 9, ExcludeSelf: true}, Options{})
	if err == nil || !strings.Contains(err.Error(), "sample 120") || !strings.Contains(err.Error(), "ExcludeSelf: false") {
		t.Errorf("without the sample itself: %v", err)
	}
}

// In many dimensions some samples are in nobody's list, and before these had the first
// coordinates to themselves, of eigenvalue 0.
func TestHLLEInManyDimensions(t *testing.T) {
	x := mat.NewDense(300, 60, nil)
	blas.NewStream(2).Normals(x.RawMatrix().Data)
	if r := embed(t, x, HLLE{Neighbors: 12}, Options{}); r.Values[0] < 1e-6 {
		t.Errorf("eigenvalues %g", r.Values)
	}
}

// On a grid the products of tangent coordinates depend on each other, and some are
// dropped: the coordinates are finite all the same.
func TestHLLEOnAGrid(t *testing.T) {
	x := mat.NewDense(25, 2, nil)
	for i := range 25 {
		x.SetRow(i, []float64{float64(i / 5), float64(i % 5)})
	}
	for _, m := range []Method{HLLE{Neighbors: 8}, HLLE{Neighbors: 6}} {
		r := embed(t, x, m, Options{})
		for _, v := range r.Y.RawMatrix().Data {
			if math.IsNaN(v) {
				t.Fatal("a coordinate is NaN")
			}
		}
	}
}

// Copies stay together: two that nobody lists, and many that list one another alone.
func TestHLLEOfCopies(t *testing.T) {
	x := withStray(140)
	x.SetRow(3, x.RawRowView(139))
	for i := 60; i < 90; i++ {
		x.SetRow(i, x.RawRowView(59))
	}
	r := embed(t, x, HLLE{Neighbors: 9}, Options{})
	dev := deviationOf(t, x, r.Y)
	if dev > 1e-8 {
		t.Errorf("dev %g of flat data", dev)
	}
}

// The triple peak, which bends sharply at its ridges: with weights for the
// curvature LTSA loses more than half of its error (Zhang, Wang and Zha 2012).
func TestCurvatureOnTheTriplePeak(t *testing.T) {
	s := generate(t, "triple-peak", 0, 1)
	plain := deviation(t, s, LTSA{Neighbors: 15})
	for delta, want := range map[float64]float64{1e-3: 0.086, 1e-2: 0.068, 0.1: 0.117} {
		if dev := deviation(t, s, LTSACurvature{Neighbors: 15, Delta: delta}); math.Abs(dev-want) > 1e-3 || dev > 0.8*plain {
			t.Errorf("δ = %g: dev %g, want %g; of plain LTSA %g", delta, dev, want, plain)
		}
	}
}

// strayAt is a flat sheet of 119 samples and one more of its plane.
func strayAt(u, v float64) *mat.Dense {
	x := withStray(120)
	x.SetRow(119, []float64{u, v})
	return x
}

// A sample without an equation is refused before the solve, by its number, with the
// cause and what mends it.
func TestSamplesWithoutAnEquation(t *testing.T) {
	small := 1e-3
	heat := strayAt(2, 2)
	for name, c := range map[string]struct {
		method Method
		x      *mat.Dense
		want   []string
	}{
		"hlle, unlisted":           {HLLE{Neighbors: 9, ExcludeSelf: true}, withStray(120), []string{"sample 120 (", "nobody lists", "ExcludeSelf: false"}},
		"ltsa, unlisted":           {LTSA{Neighbors: 9, ExcludeSelf: true}, withStray(120), []string{"sample 120 (", "nobody lists", "ExcludeSelf: false"}},
		"ltsa-curvature, unlisted": {LTSACurvature{Neighbors: 9, ExcludeSelf: true}, withStray(120), []string{"sample 120 (", "nobody lists", "ExcludeSelf: false"}},
		"hlle, far away":           {HLLE{Neighbors: 9}, strayAt(1e10, 3e9), []string{"sample 120 (", "far from all others", "leave them out"}},
		"le, mutual":               {LE{Neighbors: 9, Graph: "mutual"}, withStray(120), []string{"sample 120 (", "lists them in its turn", `Graph: "union"`}},
		"le, heat":                 {LE{Neighbors: 9, Weights: "heat", T: &small}, heat, []string{"sample 120 (", "weight 0", "t is too small"}},
		"diffusion-maps, mutual":   {DiffusionMaps{Neighbors: 9, Graph: "mutual"}, withStray(120), []string{"sample 120 (", "lists them in its turn", `Graph: "union"`}},
		"diffusion-maps, epsilon":  {DiffusionMaps{Neighbors: 9, Epsilon: &small}, heat, []string{"sample 120 (", "weight 0", "epsilon is too small"}},
		"nle, mutual":              {NLE{Neighbors: 9, Graph: "mutual"}, withStray(120), []string{"sample 120 (", `Graph: "union"`}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Embed(t.Context(), c.x, c.method, Options{Components: "joint"})
			for _, want := range c.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Fatalf("error %v, want one with %q", err, want)
				}
			}
		})
	}
	// Clusters come of components, and a sample without edges is one.
	c, err := Cluster(t.Context(), heat, Spectral{Neighbors: 9, Weights: "heat", T: &small}, ClusterOptions{Clusters: 2})
	if err != nil || len(c.Labels) != 120 || c.Components < 2 {
		t.Errorf("spectral: %v, error %v", c, err)
	}
}

// A sample that nobody lists has an equation where its own neighbourhood holds it.
func TestUnlistedSamplesThatHoldThemselves(t *testing.T) {
	for _, m := range []Method{LLE{Neighbors: 9}, NEML{Neighbors: 9}, MLLE{Neighbors: 9}, LTSA{Neighbors: 9}, HLLE{Neighbors: 9},
		LNP{Neighbors: 9}, SMCE{Neighbors: 9}, LE{Neighbors: 9}, DiffusionMaps{Neighbors: 9}, NPP{Neighbors: 9}} {
		if _, err := Embed(t.Context(), strayAt(1.4, 1.3), m, Options{Components: "largest"}); err != nil {
			t.Errorf("%s: %v", m.Name(), err)
		}
	}
}

// A projection places every sample by its columns: one without an edge is told of.
func TestProjectionsTellOfSamplesWithoutAnEdge(t *testing.T) {
	x := mat.NewDense(120, 3, nil)
	blas.NewStream(3).Uniforms(x.RawMatrix().Data)
	x.SetRow(119, []float64{3, 3, 3})
	r := embed(t, x, LPP{Neighbors: 9, Graph: "mutual"}, Options{})
	if text := strings.Join(r.Warnings, "\n"); !strings.Contains(text, "no edge of positive weight leads to sample 120 (counting from 1)") {
		t.Errorf("warnings %q", text)
	}
}

// A sample is named by its number in all of the data, not in the component that it is in.
func TestNumbersOfSamplesInComponents(t *testing.T) {
	x := mat.NewDense(420, 2, nil)
	whole := withStray(120)
	for i := range 300 { // another component, before
		x.SetRow(i, []float64{50 + float64(i%20), float64(i / 20)})
	}
	for i := range 120 {
		x.SetRow(300+i, whole.RawRowView(i))
	}
	_, err := Embed(t.Context(), x, HLLE{Neighbors: 9, ExcludeSelf: true}, Options{Components: "each"})
	if err == nil || !strings.Contains(err.Error(), "sample 420 (") {
		t.Errorf("error %v", err)
	}
}
