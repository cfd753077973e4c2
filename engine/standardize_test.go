package engine

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/modelfile"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/solvers/nmf"
	"github.com/orthant-go/orthant/sparse"
)

// unequal returns samples whose columns have standard deviations from 1e-2 to 1e3.
func unequal(n int) *mat.Dense {
	random := rand.New(rand.NewPCG(3, 3))
	x := mat.NewDense(n, 4, nil)
	for i := range n {
		for j, size := range []float64{0.01, 1, 30, 1000} {
			x.Set(i, j, size*(random.Float64()+float64(i%3)*float64(j%2)))
		}
	}
	return x
}

// The values are those of scikit-learn 1.2.1: StandardScaler, MinMaxScaler, RobustScaler and
// Normalizer on the same samples.
func TestStandardizedAsByScikitLearn(t *testing.T) {
	x := mat.NewDense(5, 3, []float64{1, 200, -3, 2, 900, 0, 4, 100, 5, 7, 400, 1, 1.5, -50, 2.5})
	for how, want := range map[string][]float64{
		"standard": {-0.9545454545454545, -0.3341012065769329, -1.5452456409610384, -0.5, 1.7919973807308216, -0.41457809879442503, 0.409090909090909, -0.6378295761923264,
			1.4698678048165976, 1.7727272727272725, 0.27335553265385415, -0.03768891807222049, -0.7272727272727273, -1.0934221306154166, 0.5276448530110863},
		"minmax": {0, 0.2631578947368421, 0, 0.16666666666666666, 1, 0.375, 0.5, 0.15789473684210525, 1, 1, 0.47368421052631576, 0.5, 0.08333333333333334, 0, 0.6875},
		"robust": {-0.4, 0, -1.6, 0, 2.3333333333333335, -0.4, 0.8, -0.3333333333333333, 1.6, 2, 0.6666666666666666, 0, -0.2, -0.8333333333333334, 0.6},
		"unit": {0.004999375117163091, 0.9998750234326182, -0.014998125351489274, 0.002222216735274094, 0.9999975308733424, 0, 0.039918251291566814, 0.9979562822891704,
			0.04989781411445852, 0.017497266265702294, 0.9998437866115596, 0.002499609466528899, 0.02994912968261787, -0.998304322753929, 0.04991521613769645},
	} {
		of := samples.Of(x)
		s := must(of.StandardOf(context.Background(), 1, how))(t)
		got := must(of.Standardized(context.Background(), 1, s, false))(t)
		for i, v := range got.Data() {
			if math.Abs(v-want[i]) > 4e-16*max(1, math.Abs(want[i])) {
				t.Errorf("%s: entry %d is %v, want %v", how, i, v, want[i])
			}
		}
	}
}

// The result and the model's file report the standardisation, and the samples do not change.
// TestStages tests that the method gets standardised samples.
func TestStandardizeIsReported(t *testing.T) {
	x := unequal(200)
	given := mat.DenseCopyOf(x)
	for _, how := range samples.Standards[1:] {
		r, m := fittedModel(t, x, PCA{}, Options{Standardize: how, Threads: 3})
		if r.Params["standardize"] != how || !mat.Equal(x, given) {
			t.Errorf("params %v, or the samples were written to", r.Params)
		}
		if v := saved(t, m)[8]; v != 6 {
			t.Errorf("version %d of the model", v)
		}
	}
}

// A sample of zeros stays zero when rows are scaled to length 1.
func TestUnitRowsOfZeros(t *testing.T) {
	a, _ := topics(60, 30, 8)
	clear(a.Val[:a.Ptr[1]])
	o := FactorizeOptions{Options: Options{Standardize: "unit"}}
	got, want := factorized(t, a, NMF{LeastSquares: LeastSquares{Sweeps: 2}}, o), factorized(t, a.Dense(), NMF{LeastSquares: LeastSquares{Sweeps: 2}}, o)
	if !got.Sparse || !mat.EqualApprox(got.H, want.H, 1e-6) || mat.Norm(got.W.RowView(0), 2) > 1e-12 {
		t.Errorf("sparse %v, another factorisation, or coordinates %v of zeros", got.Sparse, got.W.RawRowView(0))
	}
}

// Counts are divided by the sum of their sample, times the median of the sums, as by numpy's log1p(x / x.sum(1) * median(x.sum(1))),
// dense and sparse: the median of 10, 4 and 20 is that of the samples that are not all zero.
func TestStandardizeCounts(t *testing.T) {
	dense := samples.OfRows(4, 3, []float64{7, 3, 0, 0, 0, 4, 0, 0, 0, 5, 5, 10})
	want := []float64{math.Log(8), math.Log(4), 0, 0, 0, math.Log(11), 0, 0, 0, math.Log(3.5), math.Log(3.5), math.Log(6)}
	compressed := must(sparse.FromEntries(4, 3, func(put func(i, j int, v float64)) {
		for at, v := range dense.Data() {
			if v != 0 {
				put(at/3, at%3, v)
			}
		}
	}))(t)
	for _, x := range []samples.Samples{dense, samples.Of(compressed)} {
		s := must(x.StandardOf(t.Context(), 2, "counts"))(t)
		if !slices.Equal(s.Spread, []float64{10}) {
			t.Errorf("the median of the sums is %v", s.Spread)
		}
		got := must(x.Standardized(t.Context(), 2, s, false))(t)
		for i, v := range want {
			have := 0.0
			if a := got.Compressed(); a != nil {
				have = a.At(i/3, i%3)
			} else {
				have = got.Data()[i]
			}
			if math.Abs(have-v) > 1e-15 {
				t.Errorf("entry %d is %v, want %v", i, have, v)
			}
		}
	}
}

// A constant column becomes 0, a column without a number is unchanged, and NaN is ignored.
func TestStandardOfOddColumns(t *testing.T) {
	nan := math.NaN()
	x := samples.OfRows(4, 3, []float64{5, nan, 1, 5, nan, nan, 5, nan, 3, 5, nan, 5})
	for how, want := range map[string][]float64{
		"standard": {0, nan, -math.Sqrt(1.5), 0, nan, nan, 0, nan, 0, 0, nan, math.Sqrt(1.5)},
		"minmax":   {0, nan, 0, 0, nan, nan, 0, nan, 0.5, 0, nan, 1},
		"robust":   {0, nan, -1, 0, nan, nan, 0, nan, 0, 0, nan, 1},
		"asinh":    {0, nan, -math.Asinh(1), 0, nan, nan, 0, nan, 0, 0, nan, math.Asinh(1)},
	} {
		s, _ := x.StandardOf(context.Background(), 1, how)
		got, _ := x.Standardized(context.Background(), 1, s, false)
		for i, v := range got.Data() {
			if !(math.Abs(v-want[i]) < 1e-15) && !(math.IsNaN(v) && math.IsNaN(want[i])) {
				t.Errorf("%s: entry %d is %v, want %v", how, i, v, want[i])
			}
		}
	}
}

// Sums of many samples are computed in separate blocks, for any number of threads.
func TestStandardHasTheSameBitsOnAnyThreads(t *testing.T) {
	x := samples.Of(unequal(5000))
	for _, how := range samples.Standards[1:] {
		one, _ := x.StandardOf(context.Background(), 1, how)
		many, _ := x.StandardOf(context.Background(), 7, how)
		if !slices.Equal(one.Center, many.Center) || !slices.Equal(one.Spread, many.Spread) {
			t.Errorf("%s: other bits", how)
		}
	}
}

func TestStandardizeRefusals(t *testing.T) {
	x := unequal(50)
	r := refusing(t)
	r.factorize("", x, NMF{}, FactorizeOptions{Options: Options{Standardize: "standard"}})
	r.cluster("", x, GNMF{}, ClusterOptions{Clusters: 2, Options: Options{Standardize: "robust"}})
	r.embed("no logarithm", changedAt(x, 3, 2, -1), PCA{}, Options{Standardize: "log1p"})
	r.embed("a negative count", changedAt(x, 3, 2, -1), PCA{}, Options{Standardize: "counts"})
	r.embed("an infinity", changedAt(x, 3, 2, math.Inf(-1)), PCA{}, Options{Standardize: "minmax"})
	r.embed("beyond differences", changedAt(x, 3, 2, 1e308), PCA{}, Options{Standardize: "standard"})
	r.factorize("imputed", x, NMF{MissingEntries: MissingEntries{Missing: "weight"}}, FactorizeOptions{Rank: 2, Impute: true, Options: Options{Standardize: "unit"}})
	_, _, err := Learn(t.Context(), x, NMF{LeastSquares: LeastSquares{Solver: nmf.MiniBatch}}, FactorizeOptions{Rank: 2, Options: Options{Standardize: "minmax"}}, nil)
	r.of("little by little", err)
	r.embed("too little memory", mat.NewDense(40000, 60, slices.Repeat([]float64{1, 2, 3, 4}, 600000)), PCA{}, Options{Standardize: "standard", Memory: 60 << 20})
}

// New samples far from the training samples are refused by their original entries, and so are
// damaged models.
func TestStandardizedModelRefusals(t *testing.T) {
	x := unequal(60)
	_, model := fittedModel(t, x, PCA{Dim: 2}, Options{Standardize: "standard"})
	r := refusing(t)
	few := mat.DenseCopyOf(x.Slice(0, 3, 0, 4))
	for _, v := range []float64{1e200, math.NaN(), math.Inf(1)} {
		r.transform("", model, changedAt(few, 1, 0, v))
	}
	positive := must(factorized(t, x, NMF{}, FactorizeOptions{Rank: 2, Options: Options{Standardize: "minmax"}}).Model())(t)
	r.transform("negative", positive, changedAt(few, 2, 1, -7))
	for _, c := range []struct {
		what  string
		spoil func(p *modelfile.Parts)
	}{
		{"an unknown way", func(p *modelfile.Parts) { p.Numbers[`standardize`] = 9 }},
		{"half a way", func(p *modelfile.Parts) { p.Numbers[`standardize`] = 1.5 }},
		{"no centre", func(p *modelfile.Parts) { delete(p.Arrays, "standardize_center") }},
		{"fewer columns", func(p *modelfile.Parts) { p.Arrays["standardize_spread"] = mat.NewDense(1, 3, []float64{1, 1, 1}) }},
		{"no spread", func(p *modelfile.Parts) { p.Arrays["standardize_spread"] = mat.NewDense(1, 4, nil) }},
		{"NaN", func(p *modelfile.Parts) { p.Arrays["standardize_center"].Set(0, 0, math.NaN()) }},
	} {
		p := partsOf(t, model)
		c.spoil(p)
		r.of(c.what, refusalOf(written(t, model, p)))
	}
}

// Samples in float32 stay in float32, and samples read in batches are standardised as they
// are read.
func TestStandardizedInItsOwnStorage(t *testing.T) {
	x := unequal(400)
	single := &Single{Rows: 400, Cols: 4}
	for _, v := range x.RawMatrix().Data {
		single.Data = append(single.Data, float32(v))
	}
	kept := slices.Clone(single.Data)
	got := factorized(t, single, NMF{}, FactorizeOptions{Rank: 2, Options: Options{Standardize: "minmax"}})
	if !slices.Equal(single.Data, kept) {
		t.Error("the samples were written to")
	}
	want := factorized(t, x, NMF{}, FactorizeOptions{Rank: 2, Options: Options{Standardize: "minmax"}})
	if !mat.EqualApprox(got.H, want.H, 1e-4) {
		t.Error("samples in float32 have other components")
	}
	method := NMF{LeastSquares: LeastSquares{Solver: nmf.MiniBatch}}
	for _, how := range []string{"minmax", "unit", "log1p"} {
		o := FactorizeOptions{Rank: 2, Options: Options{Standardize: how}}
		streamed := must(FactorizeSource(context.Background(), nmf.Memory(nmf.Data{Rows: 400, Cols: 4, Dense: slices.Clone(x.RawMatrix().Data)}), method, o, nil))(t)
		whole := factorized(t, x, method, o)
		if !mat.EqualApprox(streamed.H, whole.H, 1e-12) {
			t.Errorf("%s: other components batch by batch", how)
		}
		if s := streamed.extension.Standard; s == nil || s.How != how {
			t.Errorf("%s: the model has %v", how, s)
		}
	}
	for how, x := range map[string][]float64{"standard": {1, 2, 3, 4}, "log1p": {1, 2, -3, 4}} {
		if _, err := FactorizeSource(context.Background(), nmf.Memory(nmf.Data{Rows: 2, Cols: 2, Dense: x}), method, FactorizeOptions{Rank: 1, Options: Options{Standardize: how}}, nil); err == nil || !strings.Contains(err.Error(), "Standardize: \""+how) {
			t.Errorf("%s: %v", how, err)
		}
	}
}

// If the columns differ much and the caller made no choice, there is one warning.
func TestUnequalSpreadsAreReported(t *testing.T) {
	x := unequal(300)
	for _, c := range []struct {
		m        Method
		x        *mat.Dense
		o        Options
		reported bool
	}{
		{PCA{}, x, Options{}, true},
		{PCA{}, x, Options{Standardize: "none"}, false},
		{PCA{}, x, Options{Standardize: "standard"}, false},
		{PCA{}, mat.DenseCopyOf(x.Slice(0, 300, 1, 3)), Options{}, false},
		{LDA{}, x, Options{Labels: slices.Repeat([]int64{0, 1, 2}, 100)}, false},
	} {
		r := embed(t, c.x, c.m, c.o)
		if reported := strings.Contains(fmt.Sprint(r.Warnings), `Standardize: "standard"`); reported != c.reported {
			t.Errorf("%s %q: warnings %q", c.m.Name(), c.o.Standardize, r.Warnings)
		}
	}
}

// Columns of sparse samples are never centred, also by the entries other than the tasks.
func TestStandardizeByColumnsFillsZeros(t *testing.T) {
	a, _ := topics(60, 30, 8)
	r := refusing(t)
	for _, how := range []string{"standard", "minmax", "robust"} {
		o := Options{Standardize: how}
		r.of("alignment", failed(Alignment(t.Context(), a, LLE{}, o)))
		r.of("represent", failed(Represent(t.Context(), a, LLE{}, o)))
		r.of("denoise", failed(Denoise(t.Context(), a, 2, o)))
	}
}

// A cluster is embedded from the clustered samples, which were standardised together.
func TestClustersAreStandardizedOnce(t *testing.T) {
	x := unequal(90)
	o := ClusterOptions{Clusters: 3, Embeddings: true, Dim: 2}
	before := must(Standardize(t.Context(), x, "standard", Options{}))(t)
	want := must(Cluster(t.Context(), before, KMeans{}, o))(t)
	o.Standardize = "standard"
	got := must(Cluster(t.Context(), x, KMeans{}, o))(t)
	for c := range want.Parts {
		if want.Parts[c].Y == nil || !mat.Equal(got.Parts[c].Y, want.Parts[c].Y) {
			t.Errorf("cluster %d has another embedding", c)
		}
	}
}

func TestStandardizeAlone(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{0, 3, 2, 4, 4, 5})
	before := slices.Clone(x.RawMatrix().Data)
	for how, want := range map[string][]float64{
		"":       {0, 3, 2, 4, 4, 5},
		"none":   {0, 3, 2, 4, 4, 5},
		"minmax": {0, 0, 0.5, 0.5, 1, 1},
		"unit":   {0, 1, 2 / math.Sqrt(20), 4 / math.Sqrt(20), 4 / math.Sqrt(41), 5 / math.Sqrt(41)},
	} {
		y := must(Standardize(t.Context(), x, how, Options{}))(t)
		for p, v := range y.RawMatrix().Data {
			if math.Abs(v-want[p]) > 1e-15 {
				t.Errorf("%q: entry %d is %v, want %v", how, p, v, want[p])
			}
		}
	}
	if !slices.Equal(x.RawMatrix().Data, before) {
		t.Error("the samples have changed")
	}
	r := refusing(t)
	r.of("best", failed(Standardize(t.Context(), x, "best", Options{})))
	r.of("standard", failed(Standardize(t.Context(), mat.NewDense(2, 1, []float64{1, math.Inf(1)}), "standard", Options{})))
	r.of("log1p", failed(Standardize(t.Context(), mat.NewDense(2, 1, []float64{1, -2}), "log1p", Options{})))
}
