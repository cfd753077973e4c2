package metrics

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/internal/must"
)

// line is samples on a bent line, with its own parameter as embedding and truth, and two classes one after the other.
func line(n int) *Inputs {
	x, y, labels := mat.NewDense(n, 2, nil), mat.NewDense(n, 1, nil), make([]int64, n)
	for i := range n {
		t := float64(i) / float64(n)
		x.SetRow(i, []float64{t, 0.1 * t * t})
		y.Set(i, 0, t)
		labels[i] = int64(2 * i / n)
	}
	return &Inputs{
		Matrices: map[string]*mat.Dense{"in": x, "embedding": y, "truth": y, "w": y, "h": mat.NewDense(1, 2, []float64{1, 0.1})},
		Classes:  map[string][]int64{"labels": labels, "predicted": labels}, K: 4, Set: map[string]string{}}
}

// Every metric finds a faithful embedding, a right clustering and a near factorisation as good as they are.
func TestTable(t *testing.T) {
	best := map[string]float64{"dev": 0, "trustworthiness": 1, "continuity": 1, "mrre": 0, "lcmc": 1 - 4./39, "residual-variance": 0, "nalac": 1, "soft-nalac": 1, "intrinsic-dimension": 1,
		"random-triplet": 1, "centroid-triplet": 1, "distance-correlation": 1, "procrustes": 0,
		"kl-divergence": 0.29,                                                                     // a line of equal steps is not what lowers it most
		"silhouette":    0.61, "davies-bouldin": 0.5, "calinski-harabasz": 113.985, "dbcv": 0.459, // of two halves of a line
		"ari": 1, "ami": 1,
		"roc-auc": 1, "acc": 1, "nmi": 1, "bad-neighbors": 0.05, "nn-error": 0, "reconstruction": 0,
		"component-match": 1, "component-sparseness": 0.9, "component-shares": 1,
		"nfl-error": 0.5} // in one dimension every line goes through every sample
	for _, m := range All() {
		in := line(40)
		must.Do(t, m.CheckInputs(in))
		if in.K = 4; m.Name == "nalac" || m.Name == "reconstruction" {
			in.Matrices["embedding"], in.Matrices["in"] = in.Matrices["truth"], in.Matrices["truth"] // the order of ties does not matter then
			in.Matrices["h"] = mat.NewDense(1, 1, []float64{1})
		}
		switch m.Name {
		case "centroid-triplet":
			for i := range in.Classes["labels"] {
				in.Classes["labels"][i] = int64(i / 7)
			}
		case "component-match": // one column as a row
			in.Matrices["h"] = mat.NewDense(1, 1, []float64{2})
		case "component-sparseness":
			in.Matrices["h"] = in.Matrices["in"]
		case "kl-divergence": // in the unit of t-SNE
			in.Matrices["embedding"].Scale(6, in.Matrices["embedding"])
		}
		v, err := m.Measure(t.Context(), in)
		want, known := best[m.Name]
		if err != nil || !known || !(math.Abs(v.Value-want) <= 0.06) {
			t.Errorf("%s: %v (%v), want %v", m.Name, v, err, want)
		}
		for _, need := range m.Needs {
			if !slices.Contains(InputNames, need) {
				t.Errorf("%s needs %s", m.Name, need)
			}
			less := line(40)
			delete(less.Matrices, need)
			delete(less.Classes, need)
			must.Refuse(t, m.Name+" needs "+need)(m.CheckInputs(less))
		}
		set := m.Described(in)
		for key, words := range m.Settings {
			if m.Name == "kl-divergence" { // of 40 samples
				words = []string{"13"}
			}
			if text, is := set[key].(string); is && text != words[0] || m.Numbers[key] && fmt.Sprint(set[key]) != words[0] {
				t.Errorf("%s: %s is %v, want %s", m.Name, key, set[key], words[0])
			}
		}
		if m.Samples(in) != 40 || (set["neighbors"] == 4) != m.Neighbors {
			t.Errorf("%s: %d samples, %v", m.Name, m.Samples(in), set)
		}
	}
	if len(best) != len(Names()) {
		t.Errorf("%d metrics", len(Names()))
	}
}

// A metric that embeds is another one by its settings, and takes a method with its parameters.
func TestVariant(t *testing.T) {
	set := map[string]string{"projection": "separate", "method": "pca", "dim": "1", "splits": "3"}
	m, err := Named("nn-error", set)
	if err != nil || !m.Embeds || !slices.Equal(m.Needs, []string{"in", "labels"}) {
		t.Fatalf("%v (%v)", m, err)
	}
	own, parameters := m.Divide(set)
	if len(own) != 2 || own["splits"] != "3" || len(parameters) != 1 || parameters["dim"] != "1" || m.CheckSettings(own) != nil {
		t.Errorf("%v, %v", own, parameters)
	}
	in := line(40)
	in.Set, in.Method, in.Options.Seed = own, &engine.PCA{Dim: 1}, 3
	v, err := m.Measure(t.Context(), in)
	if err != nil || len(v.Rates) != 3 || v.Value != v.Rates.Mean() || v.Value > 0.2 {
		t.Errorf("%v (%v)", v, err)
	}
	if set := m.Described(in); set["dim"] != 1 || set["splits"] != 3. || set["train"] != 0.5 {
		t.Errorf("%v", set)
	}
	if m, err := Named("nn-error", nil); err != nil || m.Embeds {
		t.Errorf("%v (%v)", m, err)
	}
}

func TestRefuses(t *testing.T) {
	must.Refuse(t, `did you mean "mrre"?`)(Named("mmre", nil))
	m, _ := Named("mrre", nil)
	for set, phrase := range map[[2]string]string{{"sid", "data"}: `did you mean "side"?`, {"side", "left"}: "give embedding, data"} {
		must.Refuse(t, phrase)(m.CheckSettings(map[string]string{set[0]: set[1]}))
	}
	acc, _ := Named("acc", nil)
	must.Refuse(t, "it has none")(acc.CheckSettings(map[string]string{"a": "b"}))
	in := line(40)
	in.Classes["predicted"] = in.Classes["predicted"][:1]
	in.Called = func(input string) string { return "--" + input }
	if err := acc.CheckInputs(in); err == nil || err.Error() != "acc: --predicted has 1 row where --labels has 40; they must be of the same samples" {
		t.Error(err)
	}
}

// The perplexity is a setting, by default 30 or what the samples allow; the seed draws triplets and pairs.
func TestMapMetrics(t *testing.T) {
	kl, _ := Named("kl-divergence", nil)
	values := map[string]float64{}
	for _, text := range []string{"", "13", "4.5"} {
		in := line(40)
		if text != "" {
			in.Set["perplexity"] = text
		}
		v, err := kl.Measure(t.Context(), in)
		if err != nil || text == "4.5" && kl.Described(in)["perplexity"] != 4.5 || text != "4.5" && kl.Described(in)["perplexity"] != 13. {
			t.Errorf("perplexity %q: %v (%v)", text, kl.Described(in), err)
			continue
		}
		values[text] = v.Value
	}
	if values[""] != values["13"] || values["13"] == values["4.5"] {
		t.Error(values)
	}
	for text, phrase := range map[string]string{"x": `perplexity is "x"; give a number from 1 to 13`, "0": `perplexity is "0"`, "20": "a perplexity of 20 for 40 samples"} {
		in := line(40)
		in.Set["perplexity"] = text
		must.Refuse(t, phrase)(kl.Measure(t.Context(), in))
	}
	drawn, _ := Named("random-triplet", nil)
	seeds := map[float64]bool{}
	for seed := range uint64(3) {
		in := line(80)
		in.Matrices["embedding"] = mat.NewDense(80, 1, nil)
		for i := range 80 {
			in.Matrices["embedding"].Set(i, 0, float64(i*i%17)+float64(i)/100)
		}
		in.Options.Seed = seed
		v := must.Get(drawn.Measure(t.Context(), in))(t)
		seeds[v.Value] = true
	}
	if len(seeds) != 3 {
		t.Error(seeds)
	}
}

// Without a name the metrics are those that judge what is given.
func TestDefaults(t *testing.T) {
	for given, want := range map[string]string{
		"in embedding":              "trustworthiness continuity lcmc residual-variance",
		"in embedding truth labels": "dev trustworthiness continuity lcmc residual-variance nn-error",
		"labels predicted":          "acc nmi",
		"in w h":                    "reconstruction",
		"in labels":                 "intrinsic-dimension bad-neighbors",
		"in":                        "intrinsic-dimension",
		"w":                         "",
		"":                          "",
	} {
		if got := strings.Join(Defaults(strings.Fields(given)), " "); got != want {
			t.Errorf("%s: %s, want %s", given, got, want)
		}
	}
	for _, name := range slices.Concat(ofResults, ofData) {
		if !slices.Contains(Names(), name) {
			t.Errorf("%s is not a metric", name)
		}
	}
}
