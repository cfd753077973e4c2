package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine/method"
)

// updated are the factorisations by updates of nonnegative factors.
var updated = []string{"nmf", "nmf-kl", "nmf-beta", "l21-nmf", "cim-nmf", "gnmf", "gs-gnmf", "cim-gnmf", "lp-rna", "npaf", "ndla", "sp-rna"}

// A default weight has the same effect for data in any unit, such as pixels or counts: components
// have unit length, coordinates scale with the data, and the clusters stay the same.
func TestFactorsOfAnyScale(t *testing.T) {
	x, labels := groups(60, 20)
	for _, name := range append(slices.Clone(updated), "dsmf", "npaf loss=kl", "gnmf solver=mu") {
		t.Run(name, func(t *testing.T) {
			scaled := func(c float64) (*Factorization, []int64) {
				y := mat.DenseCopyOf(x)
				y.Scale(c, y)
				var m Method = NPAF{Loss: "kl"}
				if name == "gnmf solver=mu" {
					m = GNMF{LeastSquares: LeastSquares{Solver: "mu"}}
				} else if name != "npaf loss=kl" {
					m = named(t, name)
				}
				o := Options{Labels: labels, Seed: 4}
				r := factorized(t, y, m, FactorizeOptions{Options: o})
				if !slices.Contains(method.TasksOf(m), "cluster") {
					return r, nil
				}
				p := clusteringOf(t, y, m, ClusterOptions{Options: o, Clusters: 3})
				return r, p.Labels
			}
			want, clusters := scaled(1)
			for _, c := range []float64{1e-3, 255} {
				got, now := scaled(c)
				if !slices.Equal(now, clusters) {
					t.Errorf("times %g: other clusters", c)
				}
				if d := relativeDistance(got.H, want.H, 1); d > 1e-6 {
					t.Errorf("times %g: the components are off by %.2g", c, d)
				}
				if d := relativeDistance(got.W, want.W, c); d > 1e-6 {
					t.Errorf("times %g: the coordinates are off by %.2g", c, d)
				}
			}
		})
	}
}

// relativeDistance returns ‖A − cB‖/‖cB‖.
func relativeDistance(a, b *mat.Dense, c float64) float64 {
	var d, s mat.Dense
	s.Scale(c, b)
	d.Sub(a, &s)
	return mat.Norm(&d, 2) / mat.Norm(&s, 2)
}

// The weight in the details is λ divided by the mean degree of the graph, here of k nearest
// neighbours that were searched directly.
func TestWeightOfABalancedTerm(t *testing.T) {
	x, _ := groups(60, 20)
	const k = 4
	joined := map[[2]int]bool{}
	for i := range 60 {
		order := make([]int, 0, 59)
		for j := range 60 {
			if j != i {
				order = append(order, j)
			}
		}
		distance := func(j int) float64 { return blas.SquaredDistance(x.RawRowView(i), x.RawRowView(j)) }
		slices.SortStableFunc(order, func(a, b int) int {
			if distance(a) < distance(b) {
				return -1
			} else if distance(a) > distance(b) {
				return 1
			}
			return a - b
		})
		for _, j := range order[:k] {
			joined[[2]int{min(i, j), max(i, j)}] = true
		}
	}
	degree := 2 * float64(len(joined)) / 60
	lambda := 7.0
	r := factorized(t, x, GNMF{Neighbors: k, Lambda: &lambda}, FactorizeOptions{})
	if got, ok := r.Details["weight"].(float64); !ok || math.Abs(got-lambda/degree) > 1e-12 {
		t.Errorf("the weight is %v, want %v", r.Details["weight"], lambda/degree)
	}
	mean := mat.Sum(x) / (60 * 20)
	r = factorized(t, x, NPAF{Loss: "kl", Neighbors: k, Lambda: &lambda}, FactorizeOptions{})
	if got, ok := r.Details["weight"].(float64); !ok || math.Abs(got-lambda/degree/mean) > 1e-9*got {
		t.Errorf("of the divergence it is %v, want %v", r.Details["weight"], lambda/degree/mean)
	}
	if r = factorized(t, x, GNMF{Protocol: Protocol{Protocol: "paper"}, Neighbors: k}, FactorizeOptions{}); r.Details["weight"] != nil {
		t.Errorf("a plain term has the weight %v with its λ", r.Details["weight"])
	}
}

// With protocol=paper the parameters are those of the papers.
func TestPapersOfTheFactorisations(t *testing.T) {
	lambdas := map[string]float64{"gnmf": 100, "gs-gnmf": 100, "cim-gnmf": 100, "lp-rna": 100, "npaf": 1, "ndla": 1e-4, "sp-rna": 1e-4}
	for _, name := range updated {
		m := named(t, name)
		if err := Set(m, "protocol", "paper"); err != nil {
			t.Fatal(err)
		}
		got := Values(m)
		want := map[string]any{"iterations": 200, "tolerance": 0.0, "normalise": "end", "init": "random"}
		if name == "cim-nmf" {
			want["iterations"] = 1500
		}
		if _, scaled := got["theta"]; scaled {
			want["residual_scale"], want["theta"], want["freeze_sigma_after"] = "mean", 0.5, 0
		}
		if name == "l21-nmf" {
			want["warm"] = 0
		}
		if _, penalised := got["alpha_w"]; penalised {
			want["normalise"] = "auto" // at the end, if no penalty is given
		}
		if lambda, graph := lambdas[name]; graph {
			want["lambda"], want["term"] = lambda, "plain"
		}
		for key, v := range map[string]any{"solver": "mu", "labels": "kmeans", "rows": "codes"} {
			if _, has := got[key]; has {
				want[key] = v
			}
		}
		for key, v := range want {
			if got[key] != v {
				t.Errorf("%s: %s=%v, want %v", name, key, got[key], v)
			}
		}
	}
}

// Classes at their default weight have an effect.
func TestLabelsHaveAnEffect(t *testing.T) {
	x, labels := groups(60, 20)
	o := FactorizeOptions{Options: Options{Labels: labels}}
	for _, pair := range [][2]Method{{NDLA{}, NMF{}}, {SPRNA{}, CIMNMF{Updates: Updates{Iterations: 1000}}}} {
		got, plain := factorized(t, x, pair[0], o), factorized(t, x, pair[1], o)
		if d := relativeDistance(got.W, plain.W, 1); d < 0.01 || got.Quality.GraphShare < 1e-4 {
			t.Errorf("%s: coordinates off by %.2g from those of %s, the term is %.2g of the objective", got.Method, d, plain.Method, got.Quality.GraphShare)
		}
	}
}

// What k-means sees, against the rows made by hand.
func TestRowsThatAreClustered(t *testing.T) {
	x, _ := groups(60, 20)
	m := NMF{Updates: Updates{Iterations: 12}}
	r := factorized(t, x, m, FactorizeOptions{Rank: 4})
	var model mat.Dense
	model.Mul(r.W, r.H)
	unit := func(a *mat.Dense) *mat.Dense {
		a = mat.DenseCopyOf(a)
		n, _ := a.Dims()
		for i := range n {
			row := a.RawRowView(i)
			if l := math.Sqrt(blas.Dot(row, row)); l > 0 {
				blas.Scale(1/l, row)
			}
		}
		return a
	}
	var all [][]int64
	for rows, y := range map[string]*mat.Dense{"codes": r.W, "unit": unit(r.W), "model": &model, "unit-model": unit(&model)} {
		want := clusteringOf(t, y, KMeans{}, ClusterOptions{Clusters: 4})
		m.Labels, m.Rows = "spectral", rows
		bySpectrum := clusteringOf(t, x, m, ClusterOptions{Clusters: 4})
		alone := clusteringOf(t, y, Spectral{Neighbors: 7}, ClusterOptions{Clusters: 4})
		if !slices.Equal(bySpectrum.Labels, alone.Labels) {
			t.Errorf("rows=%s: other clusters than those of the graph of these rows", rows)
		}
		m.Labels = "kmeans"
		got := clusteringOf(t, x, m, ClusterOptions{Clusters: 4})
		if !slices.Equal(got.Labels, want.Labels) || math.Abs(got.Cost-want.Cost) > 1e-9*want.Cost {
			t.Errorf("rows=%s: cost %v, k-means among these rows %v", rows, got.Cost, want.Cost)
		}
		all = append(all, got.Labels)
	}
	if fmt.Sprint(all[0]) == fmt.Sprint(all[1]) && fmt.Sprint(all[1]) == fmt.Sprint(all[2]) && fmt.Sprint(all[2]) == fmt.Sprint(all[3]) {
		t.Error("all rows give the same clusters: nothing is separated")
	}
}

// A penalty chooses the length of the components; without one it is 1 in the end, unless
// that is asked for.
func TestPenaltiesChooseTheLength(t *testing.T) {
	x, _ := groups(40, 12)
	for _, c := range []struct {
		m    Method
		unit bool
	}{
		{NMF{}, true},
		{NMFKL{}, true},
		{NMF{Penalties: Penalties{AlphaW: 0.02}}, false},
		{NMFKL{Penalties: Penalties{AlphaW: 0.02}}, false},
		{NMF{Penalties: Penalties{AlphaW: 0.02}, Updates: Updates{Normalize: "end"}}, true},
		{NMF{Updates: Updates{Normalize: "none"}}, false},
	} {
		r := factorized(t, x, c.m, FactorizeOptions{})
		row := r.H.RawRowView(0)
		if unit := math.Abs(blas.Dot(row, row)-1) < 1e-12; unit != c.unit {
			t.Errorf("%+v: ‖h‖² is %v", c.m, blas.Dot(row, row))
		}
	}
}

// Of data of which most entries are zero, robust factors are not those of the zeros: the
// defaults explain nearly what nmf does, sound and falling. A mean over all entries would be the
// scale of the zeros.
func TestRobustDefaultsOnSparseCounts(t *testing.T) {
	x, labels := sparseCounts()
	o := FactorizeOptions{Rank: 4, TraceEvery: 1, Options: Options{Labels: labels, Seed: 2}}
	plain := factorized(t, x, NMF{}, o)
	for _, name := range []string{"cim-nmf", "cim-gnmf", "lp-rna", "sp-rna", "l21-nmf"} {
		r := factorized(t, x, named(t, name), o)
		if r.Quality.Verdict != Sound || r.RelativeError > 1.06*plain.RelativeError {
			t.Errorf("%s: the error is %v, of nmf %v; %q", name, r.RelativeError, plain.RelativeError, r.Quality.Sentence)
		}
		for i, p := range r.Trace[1:] {
			if before := r.Trace[i]; p.Surrogate > before.Surrogate*(1+1e-9) || p.Sigma2 > before.Sigma2 {
				t.Errorf("%s: iteration %d goes from %v to %v", name, p.Iteration, before.Surrogate, p.Surrogate)
				break
			}
		}
	}
	if r := factorized(t, x, CIMNMF{Protocol: Protocol{Protocol: "paper"}}, o); r.Quality.Verdict == Sound && r.RelativeError < 1.1*plain.RelativeError {
		t.Errorf("with the mean the error is %v, of nmf %v: the test shows nothing", r.RelativeError, plain.RelativeError)
	}
}

// sparseCounts are logarithms of counts of four kinds with zeros for most entries, and their kinds.
func sparseCounts() (*mat.Dense, []int64) {
	const n, m = 200, 120
	x, labels, stream := mat.NewDense(n, m, nil), make([]int64, n), blas.NewStream(3)
	for i := range n {
		labels[i] = int64(i % 4)
		depth := 0.5 + stream.Uniform()
		for j := range m {
			rate := 0.05 * depth
			if j/15 == i%4 {
				rate = 2 * depth
			}
			count := 0.0
			for left := math.Exp(-rate); ; count++ { // by Knuth
				if left /= max(stream.Uniform(), 1e-300); left >= 1 {
					break
				}
			}
			x.Set(i, j, math.Log1p(count))
		}
	}
	return x, labels
}

// The factors of l21-nmf have no larger loss than those of nmf, from which they begin.
func TestL21IsNotAboveNMF(t *testing.T) {
	faces := generate(t, "faces", 60, 1).X
	bands := mat.NewDense(150, 40, nil) // smooth spectra, nearly collinear
	stream := blas.NewStream(8)
	for i := range 150 {
		a, b, c := stream.Uniform(), stream.Uniform(), stream.Uniform()
		for j := range 40 {
			u := float64(j) / 39
			bands.Set(i, j, 1+a*math.Exp(-u)+b*math.Exp(-1.2*u)+c*(1+0.1*u)+0.01*stream.Uniform())
		}
	}
	for kind, x := range map[string]mat.Matrix{"faces": faces, "spectra": bands} {
		y := mat.DenseCopyOf(x)
		loss := func(f *Factorization) (sum float64) {
			var model mat.Dense
			model.Mul(f.W, f.H)
			model.Sub(y, &model)
			for i := range y.RawMatrix().Rows {
				sum += mat.Norm(model.RowView(i), 2)
			}
			return sum
		}
		o := FactorizeOptions{Rank: 4, Options: Options{Seed: 3}}
		plain, r := loss(factorized(t, y, NMF{}, o)), factorized(t, y, L21NMF{}, o)
		if got := loss(r); got > plain*(1+1e-9) || r.Quality.Verdict != Sound {
			t.Errorf("%s: the loss is %v, of the factors of nmf %v; %q", kind, got, plain, r.Quality.Sentence)
		}
	}
}

// The order of Cai et al. by the method, with its own graph.
func TestGoldenGNMFCodesFirst(t *testing.T) {
	golden.Cases(t, "smrmf-baselines", func(t *testing.T, raw json.RawMessage) {
		var c struct {
			Tol  float64
			X    [][]float64
			GNMF struct {
				K, Iters  int
				Lam       float64
				F0, G0    [][]float64
				F, G      [][]float64
				Objective []float64
			}
		}
		decode(t, raw, &c)
		g := c.GNMF
		r := factorized(t, transposed(c.X), GNMF{Protocol: Protocol{Protocol: "paper"}, Neighbors: g.K, Lambda: &g.Lam, Order: "codes-first", Updates: Updates{Iterations: g.Iters, Tolerance: 1e-300, Normalize: "none"}},
			FactorizeOptions{Rank: len(g.F0[0]), InitW: matrix(g.G0), InitH: transposed(g.F0), TraceEvery: 1})
		expectClose(t, "G", r.W.RawMatrix().Data, golden.Flat(g.G), c.Tol)
		expectClose(t, "F", r.H.RawMatrix().Data, transposed(g.F).RawMatrix().Data, c.Tol)
		for i, want := range g.Objective {
			expectClose(t, "objective", []float64{r.Trace[i+1].Objective}, []float64{want}, c.Tol)
		}
	})
}

// A clustering takes the codes first and says so, a factorisation the components.
func TestOrderByTask(t *testing.T) {
	paper := Protocol{Protocol: "paper"}
	x, _ := groups(90, 20)
	for _, m := range []Method{NMF{Protocol: paper}, GNMF{Protocol: paper}} {
		t.Run(m.Name(), func(t *testing.T) {
			r := factorized(t, x, m, FactorizeOptions{})
			for key, want := range map[string]any{"order": "basis-first", "iterations": 200, "tolerance": 0.0} {
				if r.Params[key] != want {
					t.Errorf("factorize: %s=%v, want %v", key, r.Params[key], want)
				}
			}
			if r.Iterations != 200 {
				t.Errorf("%d iterations", r.Iterations)
			}
			c := clusteringOf(t, x, m, ClusterOptions{Clusters: 3})
			for key, want := range map[string]any{"order": "codes-first", "iterations": 500, "tolerance": 1e-5} {
				if c.Params[key] != want {
					t.Errorf("cluster: %s=%v, want %v", key, c.Params[key], want)
				}
			}
		})
	}
	for _, m := range []Method{NMF{}, NMF{LeastSquares: LeastSquares{Solver: "hals"}}, GNMF{LeastSquares: LeastSquares{Solver: "auto"}}} {
		if c, err := Cluster(context.Background(), x, m, ClusterOptions{Clusters: 3}); err != nil || c.Params["order"] != "basis-first" || c.Params["solver"] != "hals" {
			t.Errorf("hals: %v, %v", c.Params, err)
		}
	}
	if r := factorized(t, x, NMF{Order: "codes-first"}, FactorizeOptions{}); r.Params["solver"] != "mu" {
		t.Errorf("codes first: %v", r.Params)
	}
	if _, err := Factorize(context.Background(), x, GNMF{LeastSquares: LeastSquares{Solver: "hals"}, Order: "codes-first"}, FactorizeOptions{Rank: 3}); err == nil || !strings.Contains(err.Error(), "Order: \"codes-first\" is for Solver: \"mu\"") {
		t.Errorf("hals with codes first: %v", err)
	}
	// The two orders do not give the same: the first step is another.
	a := factorized(t, x, NMF{Order: "codes-first", Updates: Updates{Iterations: 3, Tolerance: 1e-300}}, FactorizeOptions{})
	if b := factorized(t, x, NMF{Updates: Updates{Iterations: 3}}, FactorizeOptions{}); slices.Equal(a.W.RawMatrix().Data, b.W.RawMatrix().Data) {
		t.Error("both orders give the same")
	}
}

// A rule to stop that is named ends the fit, whichever factor is updated first; a decrease
// is looked at in every tenth iteration.
func TestNamedRulesToStop(t *testing.T) {
	x, _ := groups(60, 20)
	for name, m := range map[string]Method{
		"mu":          NMF{LeastSquares: LeastSquares{Solver: "mu"}, Updates: Updates{Tolerance: 1e-3}, Stopping: Stopping{Stop: "relative-decrease"}},
		"codes first": NMF{Order: "codes-first", Updates: Updates{Tolerance: 1e-3}, Stopping: Stopping{Stop: "relative-decrease"}},
		"kl":          NMFKL{Updates: Updates{Tolerance: 1e-3}, Stopping: Stopping{Stop: "relative-decrease"}},
		"hals":        NMF{Updates: Updates{Tolerance: 1e-3}, Stopping: Stopping{Stop: "violation"}},
	} {
		r := factorized(t, x, m, FactorizeOptions{})
		if !r.Converged || r.Iterations >= 200 || name != "hals" && r.Iterations%10 != 0 {
			t.Errorf("%s: %d iterations, converged %v", name, r.Iterations, r.Converged)
		}
	}
}

// A fixed factor comes back to the bit, also of data that are divided for their size; the
// other follows the data, and starts of its own lead to the same place.
func TestFixedFactorStays(t *testing.T) {
	const n, m, r = 60, 20, 3
	x, _ := groups(n, m)
	random := blas.NewStream(3)
	of := func(rows, cols int) *mat.Dense {
		a := mat.NewDense(rows, cols, nil)
		random.Uniforms(a.RawMatrix().Data)
		return a
	}
	w, h := of(n, r), of(r, m)
	for name, with := range map[string]func(FixedFactor) Method{
		"hals": func(f FixedFactor) Method { return NMF{FixedFactor: f} },
		"mu":   func(f FixedFactor) Method { return NMF{FixedFactor: f, LeastSquares: LeastSquares{Solver: "mu"}} },
		"kl":   func(f FixedFactor) Method { return NMFKL{FixedFactor: f} },
	} {
		t.Run(name, func(t *testing.T) {
			for _, scale := range []float64{1, 1e-30, 1e60} {
				y := mat.DenseCopyOf(x)
				y.Scale(scale, y)
				one := factorized(t, y, with(FixedFactor{Fixed: "h"}), FactorizeOptions{Options: Options{Seed: 4}, InitH: h})
				two := factorized(t, y, with(FixedFactor{Fixed: "w"}), FactorizeOptions{Options: Options{Seed: 4}, InitW: w})
				if !slices.Equal(one.H.RawMatrix().Data, h.RawMatrix().Data) || !slices.Equal(two.W.RawMatrix().Data, w.RawMatrix().Data) {
					t.Errorf("times %g: a fixed factor moved", scale)
				}
				if one.Quality.Verdict == Doubtful || two.Quality.Verdict == Doubtful {
					t.Errorf("times %g: %+v, %+v", scale, one.Quality, two.Quality)
				}
				given := factorized(t, y, with(FixedFactor{Fixed: "h"}), FactorizeOptions{Options: Options{Seed: 4}, InitW: scaledBy(w, scale), InitH: h})
				if d := relativeDistance(given.W, one.W, 1); d > 1e-3 {
					t.Errorf("times %g: from another start W is off by %.2g", scale, d)
				}
			}
		})
	}
}

func scaledBy(a *mat.Dense, c float64) *mat.Dense {
	b := mat.DenseCopyOf(a)
	b.Scale(c, b)
	return b
}
