package engine

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// unequal are samples of which the columns have standard deviations from 1e-2 to 1e3.
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

// A method on data that are standardised is the method on standardised data, for any number
// of threads; its model takes new samples as they are.
func TestStandardizeIsOfTheData(t *testing.T) {
	x := unequal(2500)
	given := mat.DenseCopyOf(x)
	for _, how := range samples.Standards[1:] {
		for _, m := range []Method{PCA{Dim: 2}, LLE{Neighbors: 8}} {
			t.Run(how+" "+m.Name(), func(t *testing.T) {
				got := embed(t, x, m, Options{Standardize: how, Threads: 3})
				if !mat.Equal(x, given) {
					t.Fatal("the samples were written to")
				}
				of := samples.Of(x)
				s, _ := of.StandardOf(context.Background(), 1, how)
				scaled, _ := of.Standardized(context.Background(), 1, s, false)
				want := embed(t, scaled.Dense(), m, Options{Standardize: "none"})
				if !mat.Equal(got.Y, want.Y) {
					t.Error("another embedding than of the standardised data")
				}
				if got.Params["standardize"] != how {
					t.Errorf("params %v", got.Params)
				}
				overwritten := embed(t, mat.DenseCopyOf(x), m, Options{Standardize: how, Overwrite: true})
				if !mat.Equal(got.Y, overwritten.Y) {
					t.Error("another embedding where the data may be overwritten")
				}
				model := loaded(t, saved(t, must(got.Model())(t)))
				if v := versionOf(t, must(got.Model())(t)); v != 6 {
					t.Errorf("version %d of the model", v)
				}
				part := mat.DenseCopyOf(x.Slice(0, 40, 0, 4))
				z := must(model.Transform(context.Background(), part, Options{}))(t)
				plain := must(must(want.Model())(t).Transform(context.Background(), scaled.Dense().Slice(0, 40, 0, 4), Options{}))(t)
				if !mat.Equal(z, plain) {
					t.Error("another transform than of standardised samples")
				}
			})
		}
	}
}

func versionOf(t *testing.T, m *Model) byte {
	t.Helper()
	var file bytes.Buffer
	if err := m.Save(&file); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()[8]
}

// A column that is constant becomes 0, one without a number stays so, and NaN count for
// nothing.
func TestStandardOfOddColumns(t *testing.T) {
	nan := math.NaN()
	x := samples.OfRows(4, 3, []float64{5, nan, 1, 5, nan, nan, 5, nan, 3, 5, nan, 5})
	for how, want := range map[string][]float64{
		"standard": {0, nan, -math.Sqrt(1.5), 0, nan, nan, 0, nan, 0, 0, nan, math.Sqrt(1.5)},
		"minmax":   {0, nan, 0, 0, nan, nan, 0, nan, 0.5, 0, nan, 1},
		"robust":   {0, nan, -1, 0, nan, nan, 0, nan, 0, 0, nan, 1},
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

// Sums of many samples are taken in blocks of their own, whatever the threads.
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

// Ways that leave zeros what they are keep compressed samples so; the others are refused.
func TestStandardizeOfSparseSamples(t *testing.T) {
	dense := mat.NewDense(30, 6, nil)
	for i := range 30 {
		dense.Set(i, i%6, float64(1+i))
		dense.Set(i, (i*5+2)%6, 3)
	}
	a := compressedOf(t, dense)
	before := slices.Clone(a.Val)
	for _, how := range []string{"unit", "log1p"} {
		want := factorized(t, dense, NMF{}, FactorizeOptions{Rank: 2, Options: Options{Standardize: how}})
		got := factorized(t, a, NMF{}, FactorizeOptions{Rank: 2, Options: Options{Standardize: how}})
		if !got.Sparse || !mat.EqualApprox(got.H, want.H, 1e-9) {
			t.Errorf("%s: sparse %t, another factorisation", how, got.Sparse)
		}
		model := loaded(t, saved(t, must(got.Model())(t)))
		if z, y := must(model.Transform(context.Background(), a, Options{}))(t), must(model.Transform(context.Background(), dense, Options{}))(t); !mat.EqualApprox(z, y, 1e-6) {
			t.Errorf("%s: sparse samples have other coordinates than dense ones", how)
		}
	}
	if !slices.Equal(a.Val, before) {
		t.Error("the samples were written to")
	}
	for _, how := range []string{"standard", "minmax", "robust"} {
		_, err := Factorize(context.Background(), a, DSMF{}, FactorizeOptions{Rank: 2, Options: Options{Standardize: how}})
		if err == nil || !strings.Contains(err.Error(), "take unit or log1p") {
			t.Errorf("%s: %v", how, err)
		}
	}
}

func TestStandardizeRefusals(t *testing.T) {
	x := unequal(50)
	with := func(i, j int, v float64) *mat.Dense {
		y := mat.DenseCopyOf(x)
		y.Set(i, j, v)
		return y
	}
	for name, c := range map[string]struct {
		run  func() error
		want string
	}{
		"an unknown way": {func() error {
			_, err := Embed(context.Background(), x, PCA{}, Options{Standardize: "zscore"})
			return err
		}, "none, standard, minmax, unit, robust, log1p"},
		"negative entries of nmf": {func() error {
			_, err := Factorize(context.Background(), x, NMF{}, FactorizeOptions{Rank: 2, Options: Options{Standardize: "standard"}})
			return err
		}, "Standardize: \"standard\" makes negative entries, and the method takes none; take minmax"},
		"negative entries of a clustering": {func() error {
			_, err := Cluster(context.Background(), x, GNMF{}, ClusterOptions{Clusters: 2, Options: Options{Standardize: "robust"}})
			return err
		}, "take minmax (each column from 0 to 1) or unit"},
		"no logarithm": {func() error {
			_, err := Embed(context.Background(), with(3, 2, -1), PCA{}, Options{Standardize: "log1p"})
			return err
		}, "row 4, column 3 (counting from 1) is -1, and Standardize: \"log1p\""},
		"an infinity": {func() error {
			_, err := Embed(context.Background(), with(3, 2, math.Inf(-1)), PCA{}, Options{Standardize: "minmax"})
			return err
		}, "row 4, column 3 (counting from 1) is -Inf"},
		"not a number": {func() error {
			_, err := Embed(context.Background(), with(3, 2, math.NaN()), PCA{}, Options{Standardize: "standard"})
			return err
		}, "row 4, column 3 (counting from 1) is NaN"},
		"beyond differences": {func() error {
			_, err := Embed(context.Background(), with(3, 2, 1e308), PCA{}, Options{Standardize: "standard"})
			return err
		}, "row 4, column 3 (counting from 1) is 1e+308, and differences"},
		"imputed": {func() error {
			_, err := Factorize(context.Background(), x, NMF{MissingEntries: MissingEntries{Missing: "weight"}}, FactorizeOptions{Rank: 2, Impute: true, Options: Options{Standardize: "unit"}})
			return err
		}, "leave one of the two out"},
		"little by little": {func() error {
			_, _, err := Learn(context.Background(), x, NMF{LeastSquares: LeastSquares{Solver: nmf.MiniBatch}}, FactorizeOptions{Rank: 2, Options: Options{Standardize: "minmax"}}, nil)
			return err
		}, "those of later calls are not known"},
		"too little memory": {func() error {
			_, err := Embed(context.Background(), mat.NewDense(40000, 60, slices.Repeat([]float64{1, 2, 3, 4}, 600000)), PCA{}, Options{Standardize: "standard", Memory: 60 << 20})
			return err
		}, "the standardised data need"},
	} {
		if err := c.run(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

// New samples that are far from those of the fit are refused by their own entries.
func TestStandardizedModelRefusals(t *testing.T) {
	x := unequal(60)
	model := must(embed(t, x, PCA{Dim: 2}, Options{Standardize: "standard"}).Model())(t)
	for v, want := range map[float64]string{1e200: "row 2 (counting from 1) has 1e+200 in column 1", math.NaN(): "NaN", math.Inf(1): "+Inf"} {
		z := mat.DenseCopyOf(x.Slice(0, 3, 0, 4))
		z.Set(1, 0, v)
		if _, err := model.Transform(context.Background(), z, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", v, err)
		}
	}
	positive := must(factorized(t, x, NMF{}, FactorizeOptions{Rank: 2, Options: Options{Standardize: "minmax"}}).Model())(t)
	below := mat.DenseCopyOf(x.Slice(0, 3, 0, 4))
	below.Set(2, 1, -7)
	if _, err := positive.Transform(context.Background(), below, Options{}); err == nil || !strings.Contains(err.Error(), "(of the sample as Standardize: \"minmax\" makes it)") {
		t.Error(err)
	}
	for what, spoil := range map[string]func(m *Model){
		"the number":        func(m *Model) { m.extension.Numbers[`standardize`] = 9 },
		"no whole one":      func(m *Model) { m.extension.Numbers[`standardize`] = 1.5 },
		"is missing":        func(m *Model) { delete(m.extension.Arrays, "standardize_center") },
		"contradict":        func(m *Model) { m.extension.Arrays["standardize_spread"] = mat.NewDense(1, 3, []float64{1, 1, 1}) },
		"it divides by":     func(m *Model) { m.extension.Arrays["standardize_spread"] = mat.NewDense(1, 4, nil) },
		"(counting from 1)": func(m *Model) { m.extension.Arrays["standardize_center"].Set(0, 0, math.NaN()) },
	} {
		m := model.Clone()
		spoil(m)
		if _, err := m.Prepare(Options{}); err == nil {
			t.Errorf("%s: a model that is damaged is taken", what)
		}
	}
}

// Samples in float32 stay so, and samples that come batch by batch are standardised as they
// come.
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
		if s, err := streamed.extension.Standard(4); err != nil || s.How != how {
			t.Errorf("%s: the model has %q, %v", how, s.How, err)
		}
	}
	for how, x := range map[string][]float64{"standard": {1, 2, 3, 4}, "log1p": {1, 2, -3, 4}} {
		if _, err := FactorizeSource(context.Background(), nmf.Memory(nmf.Data{Rows: 2, Cols: 2, Dense: x}), method, FactorizeOptions{Rank: 1, Options: Options{Standardize: how}}, nil); err == nil || !strings.Contains(err.Error(), "Standardize: \""+how) {
			t.Errorf("%s: %v", how, err)
		}
	}
}

// Where the columns differ much and nothing was asked, one line says so.
func TestUnequalSpreadsAreTold(t *testing.T) {
	x := unequal(300)
	for _, c := range []struct {
		m    Method
		x    *mat.Dense
		o    Options
		told bool
	}{
		{PCA{}, x, Options{}, true},
		{PCA{}, x, Options{Standardize: "none"}, false},
		{PCA{}, x, Options{Standardize: "standard"}, false},
		{PCA{}, mat.DenseCopyOf(x.Slice(0, 300, 1, 3)), Options{}, false},
		{LDA{}, x, Options{Labels: slices.Repeat([]int64{0, 1, 2}, 100)}, false},
	} {
		r := embed(t, c.x, c.m, c.o)
		if told := strings.Contains(fmt.Sprint(r.Warnings), `Standardize: "standard"`); told != c.told {
			t.Errorf("%s %q: warnings %q", c.m.Name(), c.o.Standardize, r.Warnings)
		}
	}
}

// Whatever is asked of sparse samples, columns are not centred.
func TestStandardizeByColumnsFillsZeros(t *testing.T) {
	a, _ := topics(60, 30, 8)
	for _, how := range []string{"standard", "minmax", "robust"} {
		o := Options{Standardize: how}
		for name, run := range map[string]func() error{
			"embed":     func() error { _, err := Embed(t.Context(), a, PCA{}, o); return err },
			"alignment": func() error { _, err := Alignment(t.Context(), a, LLE{}, o); return err },
			"represent": func() error { _, err := Represent(t.Context(), a, LLE{}, o); return err },
			"denoise":   func() error { _, err := Denoise(t.Context(), a, 2, o); return err },
		} {
			if err := run(); err == nil || !strings.Contains(err.Error(), "fills the zeros of sparse data") {
				t.Errorf("%s, %s: %v", name, how, err)
			}
		}
	}
}

// A cluster is embedded from the samples that were clustered, which were standardised with all.
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
	for how, c := range map[string]struct {
		x    *mat.Dense
		want string
	}{
		"best":     {x, `standardize is "best"; give one of none, standard`},
		"standard": {mat.NewDense(2, 1, []float64{1, math.Inf(1)}), "row 2, column 1"},
		"log1p":    {mat.NewDense(2, 1, []float64{1, -2}), "entries above -1"},
	} {
		if _, err := Standardize(t.Context(), c.x, how, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", how, err)
		}
	}
}
