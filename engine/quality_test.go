package engine

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// roughRoll is a roll of 4000 samples whose neighbourhoods lie within the noise.
func roughRoll(t *testing.T) *mat.Dense {
	t.Helper()
	set := generate(t, "swiss-roll", 4000, 1, "noise=0.3")
	return set.X
}

// Every method that unrolls is called sound on a clean roll, and none of them on one of noise;
// what it says there is in its warnings once.
func TestVerdictOfEmbeddings(t *testing.T) {
	clean, noisy := generate(t, "swiss-roll", 2500, 1).X, roughRoll(t)
	for _, m := range []Method{NEML{}, MLLE{}, LTSA{}, LTSACurvature{}, HLLE{}, Isomap{}} {
		x := clean
		r := embed(t, x, m, Options{})
		if q := r.Quality; q.Verdict != Sound || q.Sentence != "" || !(q.Even < 0.2) || len(r.Warnings) > 0 {
			t.Errorf("%s of a clean roll: %+v, %q", m.Name(), q, r.Warnings)
		}
		if m.Name() == "isomap" {
			continue // noise does not tear its long paths
		}
		r = embed(t, noisy, m, Options{})
		q := r.Quality
		if q.Verdict != Doubtful || q.Sentence == "" || strings.Count(strings.Join(r.Warnings, "\n"), q.Sentence) != 1 {
			t.Errorf("%s of a noisy roll: %+v, %q", m.Name(), q, r.Warnings)
		}
		if q.Gap != r.Next/r.Values[1] || len(q.Participation) != 2 || len(q.Sizes) != 5 || len(q.Worst) != 5 || slices.Max(q.Worst) >= 4000 {
			t.Errorf("%s: %+v", m.Name(), q)
		}
		if known := !math.IsNaN(q.WeightsBias); known != (m.Name() == "neml" || m.Name() == "mlle") {
			t.Errorf("%s: weights' bias %g", m.Name(), q.WeightsBias)
		}
	}
}

// A flat cube of d dimensions in 50 columns is unrolled to rounding, and nothing speaks against that:
// the last of d directions holds as much as it does by chance, and half of a neighbourhood, which has
// no more samples than directions, is not asked for its curvature.
func TestVerdictInManyDimensions(t *testing.T) {
	for _, c := range []struct {
		d, k  int
		noise float64
	}{{6, 12, 0}, {8, 12, 0}, {10, 12, 0}, {10, 20, 0}, {20, 30, 0}, {8, 12, 0.02}} {
		x := cubeInColumns(800, c.d, 50, c.noise)
		if q := embed(t, x, LTSA{Neighbors: c.k, Dim: c.d}, Options{}).Quality; q.Verdict != Sound || q.Sentence != "" || len(q.NotJudged) > 0 {
			t.Errorf("d = %d, k = %d, noise %g: %+v", c.d, c.k, c.noise, q)
		}
	}
	// One coordinate too many is named, by the dimension that the data have.
	if q := embed(t, cubeInColumns(800, 6, 50, 0.001), LTSA{Neighbors: 20, Dim: 7}, Options{}).Quality; q.Verdict != Doubtful || !strings.Contains(q.Sentence, "Dim: 6") {
		t.Errorf("7 coordinates of 6 dimensions: %+v", q)
	}
	// More coordinates than a neighbourhood shows directions are not judged.
	if q := embed(t, cubeInColumns(600, 10, 50, 0), Isomap{Neighbors: 10, Dim: 10}, Options{}).Quality; q.Verdict == Sound {
		t.Errorf("10 coordinates by 10 neighbours: %+v", q)
	}
}

// cubeInColumns draws from the unit cube of d dimensions, turned into the given number of columns, with noise.
func cubeInColumns(n, d, columns int, noise float64) *mat.Dense {
	s := blas.NewStream(5)
	flat, turn := mat.NewDense(n, d, nil), mat.NewDense(columns, d, nil)
	s.Uniforms(flat.RawMatrix().Data)
	s.Normals(turn.RawMatrix().Data)
	var qr mat.QR
	qr.Factorize(turn)
	var q, x mat.Dense
	qr.QTo(&q)
	x.Mul(flat, q.Slice(0, columns, 0, d).T())
	e := make([]float64, n*columns)
	s.Normals(e)
	blas.Axpy(noise, e, x.RawMatrix().Data)
	return &x
}

// Noise of 200 columns is never sound, in any number of coordinates, and what was not judged is said.
func TestVerdictOnNoise(t *testing.T) {
	x := mat.NewDense(500, 200, nil)
	blas.NewStream(9).Normals(x.RawMatrix().Data)
	for _, dim := range []int{2, 16, 17, 24} {
		for _, m := range []Method{Isomap{Neighbors: 40, Dim: dim}, PCA{Dim: dim}, LE{Neighbors: 40, Dim: dim}} {
			if q := embed(t, x, m, Options{}).Quality; q.Verdict == Sound || q.Sentence == "" && len(q.NotJudged) == 0 {
				t.Errorf("%s, dim %d: %+v", m.Name(), dim, q)
			}
		}
	}
}

// Samples far from all others take the places of a picture, and leave one to the rest.
func TestVerdictOnCollapse(t *testing.T) {
	x := mat.DenseCopyOf(generate(t, "swiss-roll", 400, 1).X)
	x.Set(7, 0, 1e6)
	x.Set(9, 1, 1e6)
	if q := embed(t, x, PCA{}, Options{}).Quality; q.Verdict != Doubtful || !strings.Contains(q.Sentence, "few places") || !(q.Places < 3) {
		t.Errorf("%+v", q)
	}
	// Few different samples have few places, and that is no fault.
	few := mat.NewDense(400, 3, nil)
	for i := range 400 {
		few.SetRow(i, []float64{float64(i % 2), float64(i / 2 % 2), float64(i / 4 % 2)})
	}
	if q := embed(t, few, PCA{}, Options{}).Quality; strings.Contains(q.Sentence, "few places") {
		t.Errorf("%+v", q)
	}
}

// A remedy is tried before it is named: of 800 samples of a roll 15 neighbours are too many, and 10
// give a sound embedding.
func TestRemediesAreTried(t *testing.T) {
	x := generate(t, "swiss-roll", 800, 1).X
	q := embed(t, x, NEML{Neighbors: 15}, Options{}).Quality
	if q.Verdict != Doubtful || !strings.Contains(q.Sentence, "Neighbors: 15 is too many; take Neighbors: 10: tried") {
		t.Errorf("%+v", q)
	}
	if len(q.Remedies) == 0 || q.Remedies[0].Setting != "neighbors=10" || !q.Remedies[0].Tried || !q.Remedies[0].Offered || !q.Remedies[0].Sound {
		t.Errorf("%+v", q.Remedies)
	}
	if q := embed(t, x, NEML{Neighbors: 10}, Options{}).Quality; q.Verdict != Sound {
		t.Errorf("the remedy: %+v", q)
	}
	// Neither is a remedy named that was tried and does not help.
	if q := embed(t, x, LLE{Neighbors: 15}, Options{}).Quality; strings.Contains(q.Sentence, "take") {
		t.Errorf("lle: %+v", q)
	}
}

// Dimensions that the data do not have are named.
func TestVerdictOnTheDimension(t *testing.T) {
	x := generate(t, "s-curve", 2000, 1).X
	for _, m := range []Method{LTSA{Neighbors: 12, Dim: 3}, Isomap{Dim: 3}} {
		if q := embed(t, x, m, Options{}).Quality; q.Verdict != Doubtful || !strings.Contains(q.Sentence, "Dim: 3 is too large") || !strings.Contains(q.Sentence, "take Dim: 2") || !(q.Thin < 0.04) {
			t.Errorf("%s: %+v", m.Name(), q)
		}
	}
}

// Where no sheet is unrolled no charts are laid, and few samples say nothing.
func TestVerdictWithoutCharts(t *testing.T) {
	x := generate(t, "swiss-roll", 400, 1).X
	for _, m := range []Method{LE{}, PCA{}, LPP{}, MDS{}, NLE{Iterations: 5}} {
		if q := embed(t, x, m, Options{}).Quality; q.Verdict == Doubtful || q.Charts != 0 || !math.IsNaN(q.Even) || len(q.Worst) > 0 {
			t.Errorf("%s: %+v", m.Name(), q)
		}
	}
	if q := embed(t, x.Slice(0, 100, 0, 3), LTSA{Neighbors: 12}, Options{Components: "largest"}).Quality; q.Charts != 0 {
		t.Errorf("%+v", q)
	}
}

// The scores have the same bits for any number of threads.
func TestQualityForAnyThreads(t *testing.T) {
	x := roughRoll(t)
	first := fmt.Sprint(*embed(t, x, NEML{}, Options{Threads: 1}).Quality)
	for _, threads := range []int{2, 5} {
		if again := fmt.Sprint(*embed(t, x, NEML{}, Options{Threads: threads}).Quality); again != first {
			t.Errorf("%d threads: %s, one: %s", threads, again, first)
		}
	}
}

// Every number can be written as JSON, those that are not known as null.
func TestQualityAsJSON(t *testing.T) {
	text := must(json.Marshal(&Quality{Verdict: Sound, Gap: math.Inf(1), Even: math.NaN(), Thin: 0.25, Participation: []float64{0.5, math.NaN()}}))(t)
	for _, want := range []string{`"sound":true`, `"gap":null`, `"even":null`, `"thin":0.25`, `"participation":[0.5,null]`, `"worst":[]`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %s", text, want)
		}
	}
}

// A factorisation whose objective rises, and labels without effect, are told; what lowers its
// objective with a graph is sound.
func TestVerdictOfFactors(t *testing.T) {
	set := generate(t, "gaussians", 120, 1)
	x := mat.DenseCopyOf(set.X)
	x.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, x)
	little := 1e-8
	options := FactorizeOptions{Rank: 2, Options: Options{Labels: set.Labels}}
	for name, c := range map[string]struct {
		method Method
		want   string
	}{
		"nmf": {NMF{}, ""}, "gnmf": {GNMF{}, ""}, "ndla": {NDLA{Lambda: &little}, "has no effect"},
	} {
		r := factorized(t, x, c.method, options)
		q := r.Quality
		if (q.Verdict != Doubtful) != (c.want == "") || !strings.Contains(q.Sentence, c.want) || !(q.Improvement > 0) {
			t.Errorf("%s: %+v", name, q)
		}
		if c.want != "" && strings.Count(strings.Join(r.Warnings, "\n"), q.Sentence) != 1 {
			t.Errorf("%s: warnings %q", name, r.Warnings)
		}
	}
}

// A ring has no two clusters: the eigenvalues behind the first agree.
func TestVerdictOfClusters(t *testing.T) {
	ring := mat.NewDense(300, 2, nil)
	for i := range 300 {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / 300)
		ring.SetRow(i, []float64{cos, sin})
	}
	r := clusteringOf(t, ring, Spectral{Neighbors: 6}, ClusterOptions{Clusters: 2})
	if q := r.Quality; q.Verdict != Doubtful || !strings.Contains(q.Sentence, "eigenvalues 2 and 3 of the graph agree") {
		t.Errorf("%+v", q)
	}
	moons := generate(t, "two-moons", 300, 1).X
	for _, m := range []Method{Spectral{}, KMeans{}} {
		r := clusteringOf(t, moons, m, ClusterOptions{Clusters: 2})
		if q := r.Quality; q.Verdict == Doubtful || q.Improvement < 0 {
			t.Errorf("%s: %+v", m.Name(), q)
		}
	}
}

// A component that is embedded on its own has its word in the verdict.
func TestVerdictOfComponents(t *testing.T) {
	sound, torn := generate(t, "swiss-roll", 2500, 1).X, generate(t, "swiss-roll", 600, 1).X
	for _, c := range []struct {
		other *mat.Dense
		says  string
	}{{generate(t, "swiss-roll", 2000, 2).X, ""}, {torn, "component 2 (600 samples): "}} {
		far := mat.DenseCopyOf(c.other)
		far.Apply(func(_, _ int, v float64) float64 { return v + 1000 }, far)
		var x mat.Dense
		x.Stack(sound, far)
		q := embed(t, &x, LTSA{Neighbors: 10}, Options{Components: "each"}).Quality
		if (q.Verdict != Doubtful) != (c.says == "") || !strings.HasPrefix(q.Sentence, c.says) || !(q.Even < 0.2) {
			t.Errorf("%+v", q)
		}
	}
}

// Where the default number of neighbours leaves several components, which are refused, auto
// takes the least that joins them, as the message of a number does.
func TestAutoNeighborsJoin(t *testing.T) {
	near, far := generate(t, "swiss-roll", 300, 1).X, mat.DenseCopyOf(generate(t, "swiss-roll", 20, 2).X)
	far.Apply(func(_, j int, v float64) float64 { return v + []float64{0, 60, 0}[j] }, far)
	var x mat.Dense
	x.Stack(near, far)
	if _, err := Embed(t.Context(), &x, Isomap{}, Options{Components: "error"}); err == nil || !strings.Contains(err.Error(), "components") {
		t.Fatalf("12 neighbours: %v", err)
	}
	r := embed(t, &x, Isomap{Neighbors: Auto}, Options{Components: "error"})
	if k := r.Details["neighbors_found"].(int); r.Components != 1 || k <= 12 || k > 40 || !strings.Contains(r.Details["neighbors_reason"].(string), "one component") {
		t.Errorf("%d neighbours, %d components, %v", k, r.Components, r.Details)
	}
}
