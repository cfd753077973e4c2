package engine

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// magnitudes are exponents of two that bring entries near 1e-308, 1e-200, 1e-160, 1e-140,
// 1e-60, 1e60, 1e140, 1e154, 1e200 and 1e300.
var magnitudes = []int{-1022, -664, -532, -466, -200, 200, 466, 512, 664, 996}

// unitPowers are those of the data's unit in what a method finds.
type unitPowers struct{ y, values, objective float64 }

var embeddingPowers = map[string]unitPowers{
	"pca": {1, 2, 0}, "mds": {1, 2, 0}, "isomap": {1, 2, 0},
	"onpp": {1, 2, 0}, "olpp": {1, 2, 0}, "olpp-cai": {1, 0, 0},
	"nonpp": {1, 0, 2}, "nolpp": {1, 0, 2}, "npca": {1, 0, 2}, "nmms": {1, 0, 4},
}

// factorPowers are those of W, H and the objective. Losses without a unit are 0.
var factorPowers = map[string][3]float64{
	"nmf": {1, 0, 2}, "gnmf": {1, 0, 2}, "npaf": {1, 0, 2}, "gs-gnmf": {1, 0, 2}, "ndla": {1, 0, 2},
	"nmf-kl": {1, 0, 1}, "nmf-beta": {1, 0, 1.5}, "l21-nmf": {1, 0, 1}, "dsmf": {1, 0, 0}, "cim-nmf": {1, 0, 0},
	"rmnmf": {0, 1, 0}, "amrmf": {0, 1, 0}, "smrmf": {0, 1, 0}, "smrmf-euc": {0, 1, 0}, "smrmf-ns": {0, 1, 0}, "f-smrmf": {0, 1, 0},
	"cim-gnmf": {1, 0, math.NaN()}, "lp-rna": {1, 0, math.NaN()}, "sp-rna": {1, 0, math.NaN()},
}

// ordinaryData has 40 samples in 5 columns, of three classes, whose largest entry is from ½ to 1
// and whose digits are so few that it stays exact among subnormal numbers.
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

// times is a matrix times 2^e.
func timesPower(e int, x *mat.Dense) *mat.Dense {
	y := mat.DenseCopyOf(x)
	y.Apply(func(_, _ int, v float64) float64 { return math.Ldexp(v, e) }, y)
	return y
}

var refusal = regexp.MustCompile(`: row \d+, column \d+ \(counting from 1\) is [0-9.e+-]+, the largest entry, where .*; (divide|multiply) the data by 1e\d+$`)

// expectHeld reports whether there is a result, or the refusal that no number holds one of
// such a power of 2^e.
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

// Whatever the size of the entries, every method finds for every task what it finds for
// data of ordinary size, in the unit of the data, or says that no number holds it.
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
		o.Threads = 3 // the same bits as of one
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
	c := ClusterOptions{Options: o, Clusters: 2, Embeddings: true}
	want := clusteringOf(t, x, named(t, name), c)
	p := factorPowers[name]
	cost := 0.0 // of rows of unit length
	if name == "kmeans" {
		cost = 2
	}
	squares := max(cost, p[2])
	if _, correntropy := want.Details["sigma2"]; correntropy {
		squares = 2
	}
	part := 1.0 // of principal components
	if slices.Contains([]string{"lnp", "smce", "spectral"}, name) {
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
