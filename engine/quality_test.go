package engine

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/datasets"
)

// roughRoll is a roll of 4000 samples whose neighbourhoods lie within the noise.
func roughRoll(t *testing.T) *mat.Dense {
	t.Helper()
	set, err := datasets.Generate("swiss-roll", 4000, 1, map[string]string{"noise": "0.3"})
	if err != nil {
		t.Fatal(err)
	}
	return set.X
}

// Every method that unrolls is called sound on a clean roll, and none of them on one of noise;
// what it says there is in its warnings once.
func TestVerdictOfEmbeddings(t *testing.T) {
	clean, noisy := generate(t, "swiss-roll", 2500, 1).X, roughRoll(t)
	for _, m := range []Method{NEML{}, MLLE{}, LTSA{}, LTSACurvature{}, HLLE{}, Isomap{}} {
		x := clean
		r := embed(t, x, m, Options{})
		if q := r.Quality; q.Verdict == Doubtful || q.Sentence != "" || !(q.Even < 0.2) || len(r.Warnings) > 0 {
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
	text, err := json.Marshal(&Quality{Verdict: Sound, Gap: math.Inf(1), Even: math.NaN(), Thin: 0.25, Participation: []float64{0.5, math.NaN()}})
	if err != nil {
		t.Fatal(err)
	}
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
		r, err := Factorize(t.Context(), x, c.method, options)
		if err != nil {
			t.Fatal(err)
		}
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
	r, err := Cluster(t.Context(), ring, Spectral{Neighbors: 6}, ClusterOptions{Clusters: 2})
	if err != nil {
		t.Fatal(err)
	}
	if q := r.Quality; q.Verdict != Doubtful || !strings.Contains(q.Sentence, "eigenvalues 2 and 3 of the graph agree") {
		t.Errorf("%+v", q)
	}
	moons := generate(t, "two-moons", 300, 1).X
	for _, m := range []Method{Spectral{}, KMeans{}} {
		r, err := Cluster(t.Context(), moons, m, ClusterOptions{Clusters: 2})
		if err != nil {
			t.Fatal(err)
		}
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
