package engine

import (
	"context"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/method"
)

// magnitudes are exponents of two that bring entries near 1e-308, 1e-200, 1e-160, 1e-140,
// 1e-60, 1e60, 1e140, 1e154, 1e200 and 1e300.
var magnitudes = []int{-1022, -664, -532, -466, -200, 200, 466, 512, 664, 996}

// unitPowers are the powers of the data's unit in the results of a method.
type unitPowers struct{ y, values, objective float64 }

var embeddingPowers = map[string]unitPowers{
	"pca": {1, 2, 0}, "mds": {1, 2, 0}, "isomap": {1, 2, 0}, "smacof": {1, 0, 0},
	"onpp": {1, 2, 0}, "olpp": {1, 2, 0}, "olpp-cai": {1, 0, 0},
	"nonpp": {1, 0, 2}, "nolpp": {1, 0, 2}, "npca": {1, 0, 2}, "nmms": {1, 0, 4},
}

// factorPowers are the powers in W, H and the objective; 0 for losses without a unit.
var factorPowers = map[string][3]float64{
	"nmf": {1, 0, 2}, "gnmf": {1, 0, 2}, "npaf": {1, 0, 2}, "gs-gnmf": {1, 0, 2}, "ndla": {1, 0, 2},
	"nmf-kl": {1, 0, 1}, "nmf-beta": {1, 0, 1.5}, "l21-nmf": {1, 0, 1}, "dsmf": {1, 0, 0}, "cim-nmf": {1, 0, 0},
	"rmnmf": {0, 1, 0}, "amrmf": {0, 1, 0}, "smrmf": {0, 1, 0}, "smrmf-euc": {0, 1, 0}, "smrmf-ns": {0, 1, 0}, "f-smrmf": {0, 1, 0},
	"cim-gnmf": {1, 0, math.NaN()}, "lp-rna": {1, 0, math.NaN()}, "sp-rna": {1, 0, math.NaN()},
}

// ordinaryData returns 40 samples in 5 columns, of three classes, whose largest entry is from ½ to 1,
// with so few digits that they stay exact as subnormal numbers.
func ordinaryData() (*mat.Dense, []int64) {
	const n, m = 40, 5
	s, x, labels := blas.NewStream(3), mat.NewDense(n, m, nil), make([]int64, n)
	for i := range n {
		labels[i] = int64(i % 3)
		for j := range m {
			v := 0.05 + 0.6*s.Uniform() + 0.15*float64(labels[i])*float64(j%2)
			x.Set(i, j, math.Round(v*0x1p25)/0x1p25)
		}
	}
	return x, labels
}

// timesPower returns a matrix multiplied by 2^e.
func timesPower(e int, x *mat.Dense) *mat.Dense {
	y := mat.DenseCopyOf(x)
	y.Apply(func(_, _ int, v float64) float64 { return math.Ldexp(v, e) }, y)
	return y
}

var refusal = regexp.MustCompile(`: row \d+, column \d+ \(counting from 1\) is [0-9.e+-]+, the largest entry, where .*; (divide|multiply) the data by 1e\d+$`)

// expectHeld reports whether there is a result, or instead the error that a result with
// one of these powers of 2^e overflows.
func expectHeld(t *testing.T, err error, e int, powers ...float64) bool {
	t.Helper()
	held := true
	for _, p := range powers {
		held = held && (math.IsNaN(p) || p <= 1 || math.Abs(p*float64(e)) <= 1015)
	}
	switch {
	case err == nil && !held:
		t.Errorf("2^%d: no refusal", e)
	case err != nil && held:
		t.Errorf("2^%d: %v", e, err)
	case err != nil && !refusal.MatchString(err.Error()):
		t.Errorf("2^%d: the refusal is %q", e, err)
	}
	return err == nil
}

func expectScaled(t *testing.T, what string, e int, power float64, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("2^%d: %d %s, want %d", e, len(got), what, len(want))
		return
	}
	for i, v := range want {
		if w := math.Ldexp(v, int(power*float64(e))); got[i] != w && !(math.IsNaN(v) && math.IsNaN(got[i])) {
			t.Errorf("2^%d: %s %d is %v, want %v", e, what, i, got[i], w)
			return
		}
	}
}

func expectMatrix(t *testing.T, what string, e int, power float64, got, want *mat.Dense) {
	t.Helper()
	if (got == nil) != (want == nil) {
		t.Errorf("2^%d: %s is there: %v", e, what, got != nil)
	} else if got != nil {
		expectScaled(t, what, e, power, mat.DenseCopyOf(got).RawMatrix().Data, mat.DenseCopyOf(want).RawMatrix().Data)
	}
}

// For entries of any magnitude, the results of every method and task are those for
// data of ordinary magnitude, in the unit of the data, or an error says that they overflow.
func TestMagnitudes(t *testing.T) {
	x, labels := ordinaryData()
	o := Options{Labels: labels, Components: "largest", Threads: 1}
	for _, entry := range Methods() {
		for _, task := range entry.Tasks {
			t.Run(entry.Name+"/"+task, func(t *testing.T) {
				t.Parallel()
				run := map[string]func(t *testing.T, name string, x *mat.Dense, o Options){
					"embed": embedMagnitudes, "factorize": factorizeMagnitudes, "cluster": clusterMagnitudes, "select": selectMagnitudes,
				}[task]
				run(t, entry.Name, x, o)
			})
		}
	}
}

func embedMagnitudes(t *testing.T, name string, x *mat.Dense, o Options) {
	p := embeddingPowers[name]
	want := embed(t, x, named(t, name), o)
	var mapped *mat.Dense
	if model, err := want.Model(); err == nil {
		mapped = transformed(t, model, x, Options{})
	}
	for _, e := range magnitudes {
		o.Threads = 3 // the same bits as with one
		y := timesPower(e, x)
		got, err := Embed(context.Background(), y, named(t, name), o)
		if !expectHeld(t, err, e, p.values, p.objective) {
			continue
		}
		expectMatrix(t, "coordinate", e, p.y, got.Y, want.Y)
		expectScaled(t, "eigenvalue", e, p.values, append(got.Values, got.Next), append(want.Values, want.Next))
		expectScaled(t, "objective", e, p.objective, got.Objective, want.Objective)
		expectScaled(t, "residual", e, 0, got.Residuals, want.Residuals)
		got.Warnings = slices.DeleteFunc(got.Warnings, func(w string) bool { return strings.HasSuffix(w, "is beyond the range of numbers and left out") })
		if fmt.Sprint(got.Params) != fmt.Sprint(want.Params) || fmt.Sprint(got.Warnings) != fmt.Sprint(want.Warnings) || got.Converged != want.Converged {
			t.Errorf("2^%d: %v, %v where there was %v, %v", e, got.Params, got.Warnings, want.Params, want.Warnings)
		}
		if mapped == nil {
			continue
		}
		model := must(got.Model())(t)
		expectMatrix(t, "coordinate of the model", e, p.y, transformed(t, loaded(t, saved(t, model)), y, Options{}), mapped)
	}
}

func factorizeMagnitudes(t *testing.T, name string, x *mat.Dense, o Options) {
	p := factorPowers[name]
	f := FactorizeOptions{Options: o, Rank: 2}
	want := factorized(t, x, named(t, name), f)
	squares := p[2]
	if _, correntropy := want.Details["sigma2"]; correntropy {
		squares = 2
	}
	var mapped *mat.Dense
	if model, err := want.Model(); err == nil {
		mapped = transformed(t, model, x, Options{})
	}
	for _, e := range magnitudes {
		y := timesPower(e, x)
		f.Threads = 3
		got, err := Factorize(context.Background(), y, named(t, name), f)
		if !expectHeld(t, err, e, squares) {
			continue
		}
		expectMatrix(t, "coordinate", e, p[0], got.W, want.W)
		expectMatrix(t, "component", e, p[1], got.H, want.H)
		expectScaled(t, "offset", e, 1, got.Offset, want.Offset)
		for i, at := range want.Trace {
			now := got.Trace[i]
			if !math.IsNaN(p[2]) {
				expectScaled(t, "objective", e, p[2], []float64{now.Objective}, []float64{at.Objective})
			} else if loss := at.Objective - at.Regularizer; math.Abs(now.Objective-(loss+math.Ldexp(at.Regularizer, 2*e))) > 1e-12*math.Abs(now.Objective) {
				t.Errorf("2^%d: objective %v", e, now.Objective)
			}
			if now.Residual != at.Residual || now.Iteration != at.Iteration {
				t.Errorf("2^%d: residual %v, not %v", e, now.Residual, at.Residual)
			}
		}
		if got.RelativeError != want.RelativeError || fmt.Sprint(got.Warnings) != fmt.Sprint(want.Warnings) {
			t.Errorf("2^%d: %v, %v where there was %v, %v", e, got.RelativeError, got.Warnings, want.RelativeError, want.Warnings)
		}
		if mapped != nil {
			model := must(got.Model())(t)
			expectMatrix(t, "coordinate of the model", e, p[0], transformed(t, loaded(t, saved(t, model)), y, Options{}), mapped)
		}
	}
}

func clusterMagnitudes(t *testing.T, name string, x *mat.Dense, o Options) {
	c := ClusterOptions{Options: o, Clusters: countOf(named(t, name), 2), Embeddings: true}
	want := clusteringOf(t, x, named(t, name), c)
	p := factorPowers[name]
	cost := 0.0 // for rows of unit length
	if name == "kmeans" {
		cost = 2
	}
	squares := max(cost, p[2])
	if _, correntropy := want.Details["sigma2"]; correntropy {
		squares = 2
	}
	part := 1.0 // for principal components
	if slices.Contains([]string{"lnp", "smce", "spectral", "leiden"}, name) {
		part = 0
	}
	for _, e := range magnitudes {
		c.Threads = 3
		got, err := Cluster(context.Background(), timesPower(e, x), named(t, name), c)
		if !expectHeld(t, err, e, squares) {
			continue
		}
		if !slices.Equal(got.Labels, want.Labels) {
			t.Errorf("2^%d: other clusters", e)
		}
		expectScaled(t, "cost", e, cost, []float64{got.FirstCost, got.Cost}, []float64{want.FirstCost, want.Cost})
		expectScaled(t, "eigenvalue", e, 0, append(got.Values, got.Next), append(want.Values, want.Next))
		for i, w := range want.Parts {
			if got.Parts[i].Dimension != w.Dimension {
				t.Errorf("2^%d: dimension %d, not %d", e, got.Parts[i].Dimension, w.Dimension)
			}
			expectMatrix(t, "coordinate of a cluster", e, part, got.Parts[i].Y, w.Y)
		}
	}
}

func selectMagnitudes(t *testing.T, name string, x *mat.Dense, o Options) {
	want := selected(t, x, named(t, name), SelectOptions{Options: o, Count: 4})
	for _, e := range magnitudes {
		o.Threads = 3
		got, err := Select(context.Background(), timesPower(e, x), named(t, name), SelectOptions{Options: o, Count: 4})
		if !expectHeld(t, err, e) {
			continue
		}
		if !slices.Equal(got.Indices, want.Indices) {
			t.Errorf("2^%d: %v, not %v", e, got.Indices, want.Indices)
		}
		expectScaled(t, "objective", e, 0, []float64{got.FirstObjective, got.Objective}, []float64{want.FirstObjective, want.Objective})
	}
}

func TestMagnitudesOfRepresentations(t *testing.T) {
	x, _ := ordinaryData()
	for _, name := range []string{"lle", "le", "lnp", "smce"} {
		t.Run(name, func(t *testing.T) {
			want := must(Represent(context.Background(), x, named(t, name), Options{}))(t)
			weights := must(ReconstructionWeights(context.Background(), x, want, 1e-3, Options{}))(t)
			for _, e := range magnitudes {
				y := timesPower(e, x)
				got := must(Represent(context.Background(), y, named(t, name), Options{}))(t)
				if !slices.Equal(got.Index, want.Index) {
					t.Errorf("2^%d: other neighbours", e)
				}
				expectScaled(t, "weight", e, 0, got.Weight, want.Weight)
				expectScaled(t, "distance", e, 1, got.Dist, want.Dist)
				again := must(ReconstructionWeights(context.Background(), y, got, 1e-3, Options{}))(t)
				expectMatrix(t, "weight", e, 0, again, weights)
			}
		})
	}
}

// Next to a huge entry, other entries keep their relative size, and sparse data stay sparse.
func TestMixedMagnitudes(t *testing.T) {
	x, _ := ordinaryData()
	y := mat.DenseCopyOf(x)
	for i := range 40 {
		y.Set(i, 2, math.Ldexp(y.At(i, 2), 664))
		x.Set(i, 0, 0)
		x.Set(i, 1, 0)
		x.Set(i, 3, 0)
		x.Set(i, 4, 0)
	}
	got := embed(t, y, LE{}, Options{Components: "largest"})
	want := embed(t, x, LE{}, Options{Components: "largest"})
	expectMatrix(t, "coordinate", 664, 0, got.Y, want.Y)
}

func TestMagnitudesOfSparseData(t *testing.T) {
	x, _ := ordinaryData()
	for i := range 40 {
		x.Set(i, i%5, 0)
	}
	for _, m := range []Method{NMFKL{}, NMF{}, GNMF{Lambda: new(float64)}} {
		want := factorized(t, compressedOf(t, x), m, FactorizeOptions{Rank: 2})
		model := must(want.Model())(t)
		mapped := transformed(t, model, compressedOf(t, x), Options{})
		for _, e := range []int{-466, 466} {
			y := compressedOf(t, timesPower(e, x))
			before := slices.Clone(y.Val)
			got := factorized(t, y, m, FactorizeOptions{Rank: 2})
			if !got.Sparse || !slices.Equal(y.Val, before) {
				t.Errorf("%s: the data became dense, or others", m.Name())
			}
			expectMatrix(t, "coordinate", e, 1, got.W, want.W)
			model = must(got.Model())(t)
			again := transformed(t, model, y, Options{})
			expectMatrix(t, "coordinate of the model", e, 1, again, mapped)
		}
	}
}

// Subnormal samples have few digits. Results are finite or
// refused, and errors name the entry.
func TestSubnormalData(t *testing.T) {
	x, labels := ordinaryData()
	for _, c := range columns(t, everyMethod) {
		if c.form != "" || c.task != "embed" && c.task != "factorize" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, e := range []int{-1060, 1023} {
				p := problem{x: timesPower(e, x), size: 2, Options: Options{Labels: labels, Components: "largest"}}
				s, err := solvedBy(t.Context(), c.task, named(t, c.Name), p)
				if err != nil {
					if !refusal.MatchString(err.Error()) {
						t.Errorf("2^%d: %v", e, err)
					}
					continue
				}
				if bad := s.unsound(p); bad != "" {
					t.Errorf("2^%d: %s", e, bad)
				}
				if mat.Norm(s.samples(), math.Inf(1)) == 0 {
					t.Errorf("2^%d: nothing but zeros", e)
				}
			}
		})
	}
}

// The policies around a method also use divided samples: landmarks, components, copies,
// and the approximate search.
func TestMagnitudesOfPolicies(t *testing.T) {
	x := mat.NewDense(120, 3, nil)
	s := blas.NewStream(5)
	for i := range 120 {
		for j := range 3 {
			x.Set(i, j, math.Round(0x1p25*(0.2*s.Uniform()+0.7*float64(i%2)))/0x1p25)
		}
	}
	x.SetRow(7, x.RawRowView(3))
	for _, m := range []Method{LLE{}, Isomap{}, OLPPCai{}, LTSA{}, DiffusionMaps{}, SMCE{}} {
		for _, o := range []Options{
			{Components: "each", Landmarks: 60}, {Components: "each", Landmarks: 80, LandmarkChoice: "random"},
			{Components: "each"}, {Components: "largest", Duplicates: "merge"}, {Components: "largest", Neighbors: "approximate"},
		} {
			want := embed(t, x, m, o)
			p := embeddingPowers[m.Name()]
			for _, e := range []int{-400, 400} {
				y := timesPower(e, x)
				got := embed(t, y, m, o)
				expectMatrix(t, "coordinate", e, p.y, got.Y, want.Y)
				if got.Duplicates != 1 || got.Components != want.Components {
					t.Errorf("2^%d: %d duplicates, %d components", e, got.Duplicates, got.Components)
				}
				before, err := want.Model()
				if err != nil {
					continue
				}
				model := must(got.Model())(t)
				expectMatrix(t, "coordinate of the model", e, p.y, transformed(t, model, y, Options{}), transformed(t, before, x, Options{}))
			}
		}
	}
}

// inSevens is a RowSource of a matrix, with at most seven rows at a time, and a RowSink.
type inSevens struct {
	x       *mat.Dense
	at      int
	written []float64
}

func (g *inSevens) Cols() int { return g.x.RawMatrix().Cols }
func (g *inSevens) Rows() int { return g.x.RawMatrix().Rows }

func (g *inSevens) Next(dst []float64) (int, error) {
	cols := g.Cols()
	n := min(len(dst)/cols, 7, g.Rows()-g.at)
	if n == 0 {
		return 0, io.EOF
	}
	copy(dst, g.x.RawMatrix().Data[g.at*cols:(g.at+n)*cols])
	g.at += n
	return n, nil
}

func (g *inSevens) Write(rows *mat.Dense) error {
	n, _ := rows.Dims()
	for i := range n {
		g.written = append(g.written, rows.RawRowView(i)...)
	}
	return nil
}

// A stream divides its blocks like a whole matrix, on any number of threads.
func TestStreamOfDividedModels(t *testing.T) {
	x, _ := ordinaryData()
	y := timesPower(700, x)
	for _, m := range []Method{LTSA{}, OLPPCai{}, LE{}} {
		_, model := fittedModel(t, y, m, Options{Components: "largest"})
		want := transformed(t, model, y, Options{Threads: 1})
		p := must(model.Prepare(Options{Threads: 3}))(t)
		g := &inSevens{x: y}
		if _, err := p.Stream(context.Background(), g, g); err != nil {
			t.Fatal(err)
		}
		expectScaled(t, m.Name(), 0, 0, g.written, want.RawMatrix().Data)
	}
}

// Data of ordinary magnitude are used in place.
func TestOrdinaryDataAreNotCopied(t *testing.T) {
	x, _ := ordinaryData()
	began := state{Run: method.NewRun(context.Background(), "pca", nil, Options{}, NewClock())}
	began.x = samples.Of(x)
	s, _, err := rescale{}.apply(began)
	if err != nil || s.unit.Exponent != 0 || &s.x.Data()[0] != &x.RawMatrix().Data[0] {
		t.Errorf("exponent %d, error %v, or a copy", s.unit.Exponent, err)
	}
	y := timesPower(300, x)
	began.x = samples.Of(y)
	if s, _, err = (rescale{}).apply(began); err != nil || s.unit.Exponent != 300 || s.x.Row(3)[2] != x.At(3, 2) || y.At(3, 2) != math.Ldexp(x.At(3, 2), 300) {
		t.Errorf("exponent %d, error %v, or others", s.unit.Exponent, err)
	}
}

// Parameters in the data's unit are given in that unit.
func TestMagnitudesOfParameters(t *testing.T) {
	x, _ := ordinaryData()
	edges := func(m func(weights string, t *float64) Method, weights string, power int) func(e int) Method {
		return func(e int) Method {
			width := math.Ldexp(0.11, power*e)
			return m(weights, &width)
		}
	}
	number := func(v float64, e int) *float64 { v = math.Ldexp(v, e); return &v }
	for name, make := range map[string]func(e int) Method{
		"le heat":        edges(func(w string, t *float64) Method { return LE{Weights: w, T: t} }, "heat", 2),
		"le heat_norm":   edges(func(w string, t *float64) Method { return &LE{Weights: w, T: t} }, "heat_norm", 1),
		"lpp":            edges(func(w string, t *float64) Method { return LPP{Weights: w, T: t} }, "heat", 2),
		"olpp":           edges(func(w string, t *float64) Method { return OLPP{Weights: w, T: t} }, "heat_norm", 1),
		"olpp-cai":       edges(func(w string, t *float64) Method { return OLPPCai{Weights: w, T: t} }, "heat", 2),
		"nle":            edges(func(w string, t *float64) Method { return NLE{Weights: w, T: t} }, "heat", 2),
		"nolpp":          edges(func(w string, t *float64) Method { return NOLPP{Weights: w, T: t} }, "heat", 2),
		"diffusion-maps": func(e int) Method { return DiffusionMaps{Epsilon: number(0.1, 2*e)} },
		"nonpp":          func(e int) Method { return NONPP{Sigma: number(3, 2*e)} },
		"npca":           func(e int) Method { return NPCA{Alpha: number(2, 2*e)} },
		"nmms":           func(e int) Method { return NMMS{Alpha: number(2, 4*e)} },
	} {
		t.Run(name, func(t *testing.T) {
			want := embed(t, x, make(0), Options{Components: "largest"})
			p := embeddingPowers[want.Method]
			power := 2
			if want.Params["weights"] == "heat_norm" {
				power = 1
			}
			for _, e := range []int{-200, 200} {
				got := embed(t, timesPower(e, x), make(e), Options{Components: "largest"})
				expectMatrix(t, "coordinate", e, p.y, got.Y, want.Y)
				expectScaled(t, "eigenvalue", e, p.values, got.Values, want.Values)
				for _, key := range []string{"t", "epsilon"} {
					if w, there := want.Details[key]; there {
						expectScaled(t, key, e, float64(power), []float64{got.Details[key].(float64)}, []float64{w.(float64)})
					}
				}
			}
		})
	}
}

// The start, the split of the unit between the factors and a given σ² are in
// the data's unit.
func TestMagnitudesOfFactors(t *testing.T) {
	x, _ := ordinaryData()
	w, h := mat.NewDense(40, 2, nil), mat.NewDense(2, 5, nil)
	s := blas.NewStream(8)
	s.Uniforms(w.RawMatrix().Data)
	s.Uniforms(h.RawMatrix().Data)
	paper := Protocol{Protocol: "paper"}
	lambda := func(e float64) *float64 { v := math.Ldexp(3, int(e)); return &v }
	for name, c := range map[string]struct {
		m     func(e float64) Method
		w, h  float64
		given bool
	}{
		"never": {func(float64) Method { return NMF{Updates: Updates{Normalize: "none"}} }, 0.5, 0.5, false},
		"given": {func(float64) Method { return NMF{Updates: Updates{Normalize: "none"}} }, 0.5, 0.5, true},
		"squares": {func(e float64) Method {
			return NMF{Penalties: Penalties{AlphaW: math.Ldexp(0.02, int(e))}}
		}, 0.5, 0.5, true},
		"sums": {func(e float64) Method {
			return NMF{Penalties: Penalties{AlphaW: math.Ldexp(0.02, int(1.5*e)), AlphaH: lambda(1.5*e - 6), L1Ratio: 1}}
		}, 0.5, 0.5, true},
		"squares with the divergence": {func(float64) Method { return NMFKL{Penalties: Penalties{AlphaW: 0.02}} }, 0.5, 0.5, false},
		"sums with the divergence": {func(e float64) Method {
			return NMFKL{Penalties: Penalties{AlphaW: math.Ldexp(0.02, int(0.5*e)), L1Ratio: 1}}
		}, 0.5, 0.5, false},
		"descent":     {func(float64) Method { return NMF{LeastSquares: LeastSquares{Solver: "hals"}} }, 1, 0, true},
		"codes first": {func(float64) Method { return GNMF{Order: "codes-first", Lambda: lambda(0)} }, 1, 0, false},
		"λ": {func(e float64) Method {
			return GNMF{Protocol: paper, Lambda: lambda(e), Updates: Updates{Normalize: "none"}}
		}, 0.5, 0.5, true},
		"balanced λ": {func(float64) Method { return GNMF{Lambda: lambda(0), Updates: Updates{Normalize: "none"}} }, 0.5, 0.5, true},
		"divergence": {func(float64) Method {
			return NPAF{Protocol: paper, Loss: "kl", Lambda: lambda(0), Updates: Updates{Normalize: "none"}}
		}, 0.5, 0.5, false},
		"balanced divergence": {func(float64) Method { return NPAF{Loss: "kl", Lambda: lambda(0), Updates: Updates{Normalize: "none"}} }, 0.5, 0.5, false},
		"σ²":                  {func(e float64) Method { return CIMNMF{Correntropy: Correntropy{Sigma2: lambda(2*e - 8)}} }, 1, 0, false},
		"the constant": {func(e float64) Method {
			return CIMGNMF{Protocol: paper, Lambda: lambda(0), CorrentropyTerm: CorrentropyTerm{KernelConstant: true}}
		}, 1, 0, false},
		"the constant of a balanced term": {func(e float64) Method {
			return CIMGNMF{Lambda: lambda(-e), CorrentropyTerm: CorrentropyTerm{KernelConstant: true}}
		}, 1, 0, false},
		"warm": {func(e float64) Method {
			return CIMGNMF{Protocol: paper, Lambda: lambda(e), CorrentropyTerm: CorrentropyTerm{Correntropy: Correntropy{Warm: 50}}}
		}, 1, 0, false},
		"warm and balanced": {func(e float64) Method {
			return CIMGNMF{Lambda: lambda(0), CorrentropyTerm: CorrentropyTerm{Correntropy: Correntropy{Warm: 50}}}
		}, 1, 0, false},
		"features": {func(float64) Method { return RMNMF{FeatureScale: FeatureScale{Scale: "none"}} }, 0, 1, true},
		"subspace": {func(float64) Method { return APMF{FeatureScale: FeatureScale{Scale: "shift"}} }, 0, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			run := func(e int) *Factorization {
				o := FactorizeOptions{Rank: 2}
				if c.given {
					o.InitW, o.InitH = timesPower(e/2, w), timesPower(e/2, h)
					if c.h == 1 {
						o.InitW, o.InitH = w, timesPower(e, h)
					}
				}
				f := factorized(t, timesPower(e, x), c.m(float64(e)), o)
				return f
			}
			want := run(0)
			for _, e := range []int{-200, 200} {
				got := run(e)
				expectMatrix(t, "coordinate", e, c.w, got.W, want.W)
				expectMatrix(t, "component", e, c.h, got.H, want.H)
				for i, p := range want.Trace {
					expectScaled(t, "σ²", e, 2, []float64{got.Trace[i].Sigma2}, []float64{p.Sigma2})
					if now := got.Trace[i]; now.Residual != p.Residual || p.Regularizer > 0 && !(now.Regularizer > 0) {
						t.Errorf("2^%d: %+v, was %+v", e, now, p)
					}
				}
			}
		})
	}
}

// A parameter out of proportion to the data is refused, with the entry.
func TestParametersBeyondTheData(t *testing.T) {
	x, _ := ordinaryData()
	width := 0.5
	for _, m := range []Method{LE{Weights: "heat", T: &width}, NMMS{Alpha: &width}, DiffusionMaps{Epsilon: &width}} {
		if _, err := Embed(context.Background(), timesPower(664, x), m, Options{Components: "largest"}); err == nil || !refusal.MatchString(err.Error()) {
			t.Errorf("%s: got %v", m.Name(), err)
		}
	}
}

// Penalties of both kinds have two units, so data of unusual magnitude are refused
// with a remedy.
func TestMixedPenaltiesOfLargeData(t *testing.T) {
	x, _ := ordinaryData()
	m := NMF{Penalties: Penalties{AlphaW: 0.1, L1Ratio: 0.5}}
	_, err := Factorize(context.Background(), timesPower(200, x), m, FactorizeOptions{Rank: 2})
	if err == nil || !strings.Contains(err.Error(), "l1_ratio between its ends adds penalties of different units; divide the data by") {
		t.Errorf("got %v", err)
	}
	if _, err := Factorize(context.Background(), x, m, FactorizeOptions{Rank: 2}); err != nil {
		t.Error(err)
	}
}
