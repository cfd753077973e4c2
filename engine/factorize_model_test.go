package engine

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/extend"
)

// A model survives its file, and maps a sample to the same bits whatever comes with
// it, on any number of threads.
func TestFactorizersModels(t *testing.T) {
	x, labels := groups(90, 20)
	more, _ := groups(150, 20)
	each(t, factorizers(t), nil, func(t *testing.T, method Method) {
		r := factorized(t, x, method, FactorizeOptions{Options: Options{Labels: labels, Model: true}})
		m := must(r.Model())(t)
		file := saved(t, m)
		back := loaded(t, file)
		if back.Kind() != "factors" {
			t.Errorf("a model of the kind %s", back.Kind())
		}
		if back.Dim != 3 || back.Features != 20 || back.Samples != 90 {
			t.Errorf("it came back as %+v", back)
		}
		if !bytes.Equal(saved(t, back), file) {
			t.Error("saved again, the bytes differ")
		}
		want := transformed(t, m, more, Options{Threads: 1})
		if mat.Min(want) < 0 {
			t.Errorf("a coordinate is negative")
		}
		if got := transformed(t, back, more, Options{Threads: 3}); !sameEntries(got, want) {
			t.Errorf("the file, or threads, change bits")
		}
		for _, size := range []int{1, 7, 64} {
			got := mat.NewDense(150, 3, nil)
			ready := must(back.Prepare(Options{}))(t)
			for lo := 0; lo < 150; lo += size {
				hi := min(lo+size, 150)
				y := must(ready.Apply(context.Background(), more.Slice(lo, hi, 0, 20)))(t)
				got.Slice(lo, hi, 0, 3).(*mat.Dense).Copy(y)
			}
			if !sameEntries(got, want) {
				t.Errorf("blocks of %d samples change bits", size)
			}
		}
		// The coordinates explain the new samples about as well as W does the old ones.
		var left mat.Dense
		left.Mul(want, r.H)
		left.Sub(more, &left)
		if e := mat.Norm(&left, 2) / mat.Norm(more, 2); e > r.RelativeError+0.15 {
			t.Errorf("error %g of new samples, %g of old ones", e, r.RelativeError)
		}
	})
}

// Convex problems have the same coordinates for training samples given again.
func TestFactorModelsKnowTheirSamples(t *testing.T) {
	x, _ := groups(60, 15)
	for _, method := range []Method{NMF{LeastSquares: LeastSquares{Solver: "hals"}, Updates: Updates{Iterations: 2000}}, NMF{Updates: Updates{Iterations: 5000}}, NMFKL{Updates: Updates{Iterations: 5000}}} {
		t.Run(method.Name(), func(t *testing.T) {
			r := factorized(t, x, method, FactorizeOptions{})
			m := must(r.Model())(t)
			y := transformed(t, m, x, Options{})
			var most float64
			for i := range 60 {
				for k := range 3 {
					most = max(most, math.Abs(y.At(i, k)-r.W.At(i, k)))
				}
			}
			// 5000 multiplicative steps of a fit do not quite get to the end.
			if limit := map[bool]float64{true: 1e-4, false: 0.01}[r.Params["solver"] == "hals"]; most > limit*mat.Max(r.W) {
				t.Errorf("%s: training samples come back off by %g of %g", method.Name(), most, mat.Max(r.W))
			}
		})
	}
}

func TestFactorModelsShift(t *testing.T) {
	x, _ := groups(60, 15)
	x.Apply(func(i, j int, v float64) float64 { return v - float64(j)/10 }, x)
	r := factorized(t, x, NMF{Updates: Updates{Shift: "columns", Iterations: 500}, LeastSquares: LeastSquares{Solver: "hals"}}, FactorizeOptions{})
	m := must(r.Model())(t)
	m = loaded(t, saved(t, m))
	if y := transformed(t, m, x, Options{}); !mat.EqualApprox(y, r.W, 1e-3) {
		t.Error("training samples do not come back")
	}
	// An entry below the least of the fit counts as the least.
	low, least := mat.DenseCopyOf(x.Slice(0, 1, 0, 15)), mat.DenseCopyOf(x.Slice(0, 1, 0, 15))
	low.Set(0, 9, -100)
	least.Set(0, 9, min(0, mat.Min(x.ColView(9))))
	if !sameEntries(transformed(t, m, low, Options{}), transformed(t, m, least, Options{})) {
		t.Error("an entry below the least has a place of its own")
	}
}

func TestFactorModelsRefuse(t *testing.T) {
	x, _ := groups(30, 8)
	fit := func(change func(e *extend.Extension)) *Model {
		m := must(factorized(t, x, CIMNMF{Updates: Updates{Iterations: 20}}, FactorizeOptions{}).Model())(t)
		e := *m.extension
		e.Arrays = map[string]*mat.Dense{"components": mat.DenseCopyOf(e.Arrays["components"])}
		e.Numbers = map[string]float64{}
		for k, v := range m.extension.Numbers {
			e.Numbers[k] = v
		}
		change(&e)
		m.extension = &e
		return m
	}
	for name, change := range map[string]func(e *extend.Extension){
		"no components": func(e *extend.Extension) { delete(e.Arrays, "components") },
		"negative":      func(e *extend.Extension) { e.Arrays["components"].Set(1, 2, -1) },
		"NaN":           func(e *extend.Extension) { e.Arrays["components"].Set(1, 2, math.NaN()) },
		"zeros":         func(e *extend.Extension) { e.Arrays["components"].Zero() },
		"huge": func(e *extend.Extension) {
			e.Arrays["components"].Apply(func(_, _ int, _ float64) float64 { return 1e308 }, e.Arrays["components"])
		},
		"other rank": func(e *extend.Extension) {
			e.Arrays["components"] = mat.NewDense(2, 8, slices.Repeat([]float64{1}, 16))
		},
		"other columns": func(e *extend.Extension) {
			e.Arrays["components"] = mat.NewDense(3, 7, slices.Repeat([]float64{1}, 21))
		},
		"a long shift":              func(e *extend.Extension) { e.Arrays["shift"] = mat.NewDense(1, 9, nil) },
		"an unknown loss":           func(e *extend.Extension) { e.Numbers["loss"] = 3 },
		"half a loss":               func(e *extend.Extension) { e.Numbers["loss"] = 0.5 },
		"no loss":                   func(e *extend.Extension) { delete(e.Numbers, "loss") },
		"no iterations":             func(e *extend.Extension) { e.Numbers["iterations"] = 0 },
		"many iterations":           func(e *extend.Extension) { e.Numbers["iterations"] = 1e9 },
		"θ 0":                       func(e *extend.Extension) { e.Numbers["theta"] = 0 },
		"σ² NaN":                    func(e *extend.Extension) { e.Numbers["sigma2"] = math.NaN() },
		"half a coordinate descent": func(e *extend.Extension) { e.Numbers["hals"] = 0.5 },
	} {
		t.Run(name, func(t *testing.T) {
			m := fit(change)
			if name != "σ² NaN" { // which no header holds
				m = loaded(t, saved(t, m))
			}
			if _, err := m.Prepare(Options{}); err == nil || !strings.HasPrefix(err.Error(), "model: ") {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	m := fit(func(*extend.Extension) {})
	for entry, want := range map[float64]string{-0.5: "row 2 (counting from 1) has -0.5 in column 4", math.NaN(): "row 2 (counting from 1) has NaN in column 4", 1e160: "row 2 (counting from 1) has 1e+160"} {
		bad := mat.DenseCopyOf(x)
		bad.Set(1, 3, entry)
		if _, err := m.Transform(context.Background(), bad, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%g: %v", entry, err)
		}
	}
	large := mat.DenseCopyOf(x)
	large.Scale(1e149, large)
	if y, err := m.Transform(context.Background(), large, Options{}); err == nil {
		for _, v := range y.RawMatrix().Data {
			if v-v != 0 {
				t.Fatal("large samples get coordinates that are not finite")
			}
		}
	}
}

func TestFactorizersCluster(t *testing.T) {
	x, labels := groups(90, 20)
	clustering := slices.DeleteFunc(factorizers(t), func(tr trial) bool {
		_, has := Values(tr.method)["labels"] // how W gives them
		return !has
	})
	each(t, clustering, nil, func(t *testing.T, m Method) {
		for _, how := range []string{"kmeans", "argmax"} {
			if err := Set(m, "labels", how); err != nil {
				t.Fatal(err)
			}
			if _, among := Values(m)["rows"]; among {
				if err := Set(m, "rows", "codes"); err != nil {
					t.Fatal(err)
				}
			}
			r := clusteringOf(t, x, m, ClusterOptions{Clusters: 3, Embeddings: true, Dim: 2})
			w := factorized(t, x, m, FactorizeOptions{}).W
			want := make([]int64, 90)
			if how == "kmeans" {
				of := clusteringOf(t, w, KMeans{}, ClusterOptions{Clusters: 3})
				want = of.Labels
			} else {
				seen := map[int]int64{}
				for i := range want {
					row := w.RawRowView(i)
					k := slices.Index(row, slices.Max(row))
					if _, ok := seen[k]; !ok {
						seen[k] = int64(len(seen))
					}
					want[i] = seen[k]
				}
			}
			if !slices.Equal(r.Labels, want) {
				t.Errorf("%s: other labels than those of W", how)
			}
			if m.Name() == "nmf" && Values(m)["solver"] == "hals" && Values(m)["init"] == "nndsvd" && !slices.Equal(r.Labels, labels) {
				t.Errorf("%s: the three groups are not told apart", how)
			}
			if math.IsNaN(r.Cost) != (how == "argmax") {
				t.Errorf("%s: cost %g", how, r.Cost)
			}
			if !r.Converged {
				t.Errorf("%s: not converged", how)
			}
			if r.Params["labels"] != how {
				t.Errorf("%s: labels=%v", how, r.Params["labels"])
			}
			if r.Parts[0].Y == nil {
				t.Errorf("%s: no embedding of the first cluster", how)
			}
		}
	})
	y := mat.DenseCopyOf(x)
	y.Set(3, 3, -9)
	if _, err := Cluster(context.Background(), y, NMF{}, ClusterOptions{Clusters: 3}); err == nil || !strings.Contains(err.Error(), `Shift: "columns"`) {
		t.Errorf("negative entries: %v", err)
	}
	if _, err := Cluster(context.Background(), y, NMF{Updates: Updates{Shift: "columns"}}, ClusterOptions{Clusters: 3, Embeddings: true}); err != nil {
		t.Errorf("shifted: %v", err)
	}
}
