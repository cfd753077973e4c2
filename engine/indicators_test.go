package engine

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/param"
)

// W has orthonormal columns and is nearly nonnegative.
func TestIndicatorsAreOrthonormal(t *testing.T) {
	x, _ := groups(90, 20)
	each(t, indicatorMethods(t), nil, func(t *testing.T, m Method) {
		r := factorized(t, x, m, FactorizeOptions{})
		var gram mat.Dense
		gram.Mul(r.W.T(), r.W)
		if !mat.EqualApprox(&gram, mat.NewDense(3, 3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}), 1e-10) {
			t.Errorf("WᵀW is %v", gram.RawMatrix().Data)
		}
		split := r.Details["residual_indicators"].(float64)
		if mat.Min(r.W) < -split*math.Sqrt(3) {
			t.Errorf("the least indicator is %g, ‖G − H‖/√c %g", mat.Min(r.W), split)
		}
		if split > 1e-2 {
			t.Errorf("‖G − H‖/√c is %g", split)
		}
	})
}

// The reports of a run: a finite trace from the start to the last iteration, and
// no model.
func TestIndicatorsReport(t *testing.T) {
	x, _ := groups(90, 20)
	each(t, indicatorMethods(t), nil, func(t *testing.T, m Method) {
		r := factorized(t, x, m, FactorizeOptions{TraceEvery: 5})
		for _, p := range r.Trace {
			for _, v := range []float64{p.Objective, p.Residual, p.Regularizer} {
				if v-v != 0 {
					t.Fatalf("point %+v", p)
				}
			}
		}
		if first := r.Trace[0].Iteration; first != 0 {
			t.Errorf("the trace begins at %d", first)
		}
		if last := r.Trace[len(r.Trace)-1].Iteration; last != r.Iterations {
			t.Errorf("the trace ends at %d of %d", last, r.Iterations)
		}
		if r.Duplicates != 1 {
			t.Errorf("%d duplicates", r.Duplicates)
		}
		if r.Params["labels"] != nil {
			t.Errorf("labels=%v is reported of a factorisation", r.Params["labels"])
		}
		if _, err := r.Model(); err == nil || !strings.Contains(err.Error(), "no rule for new samples, as the clusters are found for all samples together") {
			t.Errorf("a model: %v", err)
		}
	})
}

// For any scale and origin of the factors, X ≈ Offset + WH holds with the
// reported error, in the data's unit.
func TestIndicatorsInTheScaleOfTheData(t *testing.T) {
	x, _ := groups(90, 20)
	n, m := x.Dims()
	for j := range m { // features of different units, some of them negative, one constant
		for i := range n {
			x.Set(i, j, (x.At(i, j)-0.3)*math.Pow(10, float64(j%5))+float64(j))
			if j == 7 {
				x.Set(i, j, -3)
			}
		}
	}
	each(t, indicatorMethods(t), nil, func(t *testing.T, m Method) {
		if m.Name() == "apmf" {
			return // its H are directions
		}
		for _, protocol := range []string{"general", "paper"} {
			for _, scale := range []string{"minmax", "shift", "none"} {
				for _, offset := range []string{"mean", "none"} {
					for key, value := range map[string]string{"protocol": protocol, "scale": scale, "offset": offset} {
						if err := Set(m, key, value); err != nil {
							t.Fatal(err)
						}
					}
					r := factorized(t, x, m, FactorizeOptions{})
					if scale == "none" && offset == "none" && r.Offset != nil {
						t.Errorf("an offset where nothing was taken off: %v", r.Offset)
					}
					got := errorOfFactors(x, r.W, r.H, r.Offset)
					if math.Abs(got-r.RelativeError) > 1e-10 || !(got < 1) {
						t.Errorf("%s, scale=%s, offset=%s: the error is %g, and said to be %g", protocol, scale, offset, got, r.RelativeError)
					}
				}
			}
		}
	})
}

// errorOfFactors returns ‖X − offset − WH‖/‖X − offset‖.
func errorOfFactors(x, w, h *mat.Dense, offset []float64) float64 {
	var left, whole mat.Dense
	whole.Apply(func(_, j int, v float64) float64 {
		if offset != nil {
			v -= offset[j]
		}
		return v
	}, x)
	left.Mul(w, h)
	left.Sub(&whole, &left)
	return mat.Norm(&left, 2) / mat.Norm(&whole, 2)
}

// A given start is in the unit of the data. With the defaults of the paper it is used unchanged,
// otherwise as its partition, whose factors are no worse than the given ones.
func TestIndicatorsStartAsGiven(t *testing.T) {
	x, _ := groups(90, 20)
	x.Scale(1000, x)
	r := factorized(t, x, RMNMF{Protocol: Protocol{Protocol: param.ProtocolOfPaper}, FeatureScale: FeatureScale{Scale: "none"}}, FactorizeOptions{})
	// A given start in that scale is used unchanged.
	w := mat.DenseCopyOf(r.W)
	w.Apply(func(_, _ int, v float64) float64 { return max(v, 0) }, w)
	h := mat.DenseCopyOf(r.H)
	h.Apply(func(_, _ int, v float64) float64 { return max(v, 0) }, h)
	var start mat.Dense
	start.Mul(w, h)
	start.Sub(x, &start)
	again := factorized(t, x, RMNMF{Protocol: Protocol{Protocol: param.ProtocolOfPaper}, FeatureScale: FeatureScale{Scale: "none"}, Lagrangian: Lagrangian{Iterations: 1}}, FactorizeOptions{InitW: w, InitH: h})
	if want := mat.Norm(&start, 2) / mat.Norm(x, 2); math.Abs(again.Trace[0].Residual-want) > 1e-10 {
		t.Errorf("the start errs by %g, given %g", again.Trace[0].Residual, want)
	}
	// The result of a run, whose H has entries of either sign, is a start of another one.
	first := factorized(t, x, RMNMF{}, FactorizeOptions{})
	if mat.Min(first.H) >= 0 {
		t.Fatal("H has no negative entry")
	}
	second := factorized(t, x, RMNMF{}, FactorizeOptions{InitW: first.W, InitH: first.H})
	before, after := first.Trace[len(first.Trace)-1].Objective, second.Trace[0].Objective
	if math.Abs(after-before) > 1e-4*before {
		t.Errorf("the objective ended at %g, and starts at %g from there", before, after)
	}
}

// Distant blobs are separated, by the largest entry and by k-means.
func TestIndicatorsCluster(t *testing.T) {
	set := generate(t, "gaussians", 120, 2, "clusters=3", "dims=6", "sd=0.4")
	for _, labels := range []string{"argmax", "kmeans"} {
		t.Run(labels, func(t *testing.T) {
			for _, m := range []Method{RMNMF{IndicatorLabels: IndicatorLabels{Labels: labels}}, RMNMF{IndicatorLabels: IndicatorLabels{Labels: labels}, Weights: "binary"}, AMRMF{IndicatorLabels: IndicatorLabels{Labels: labels}}} {
				r := clusteringOf(t, set.X, m, ClusterOptions{Clusters: 3})
				to := map[int64]int64{}
				for i, c := range set.Labels {
					if first, seen := to[c]; !seen {
						to[c] = r.Labels[i]
					} else if first != r.Labels[i] {
						t.Errorf("%s, %s: sample %d is not in the cluster of its blob", m.Name(), labels, i)
						break
					}
				}
				if len(r.Sizes) != 3 || slices.Contains(r.Sizes, 0) {
					t.Errorf("%s, %s: sizes %v", m.Name(), labels, r.Sizes)
				}
			}
		})
	}
}

// There are no more clusters than distinct samples.
func TestIndicatorsOfFewDifferentSamples(t *testing.T) {
	x := mat.NewDense(20, 4, nil)
	x.Apply(func(i, j int, _ float64) float64 { return float64((i % 4) * (j + 1) % 5) }, x)
	r := refusing(t)
	each(t, indicatorMethods(t), nil, func(t *testing.T, m Method) {
		r.factorize("5 clusters of 4 different samples by "+m.Name(), x, m, FactorizeOptions{Rank: 5})
	})
	if c := clusteringOf(t, mat.NewDense(2, 2, []float64{1, 2, 3, 5}), RMNMF{}, ClusterOptions{Clusters: 2}); len(c.Labels) != 2 {
		t.Errorf("rmnmf of two samples: %v", c.Labels)
	}
}

func TestIndicatorsRefuse(t *testing.T) {
	x, _ := groups(30, 8)
	with := func(v float64) mat.Matrix {
		y := mat.DenseCopyOf(x)
		y.Set(4, 6, v)
		return y
	}
	number := func(k int) *int { return &k }
	minus := -1.0
	r := refusing(t)
	r.factorize("NaN", with(math.NaN()), RMNMF{}, FactorizeOptions{})
	r.factorize("infinite", with(math.Inf(-1)), APMF{}, FactorizeOptions{})
	r.factorize("one sample", mat.NewDense(1, 3, []float64{1, 2, 3}), RMNMF{}, FactorizeOptions{Rank: 1})
	r.factorize("no graph of one sample", mat.NewDense(1, 3, []float64{1, 2, 3}), RMNMF{Lambda: new(float64)}, FactorizeOptions{Rank: 1})
	r.factorize("rank 0", x, AMRMF{}, FactorizeOptions{Rank: -1})
	r.factorize("rank", x, RMNMF{}, FactorizeOptions{Rank: 31})
	r.factorize("k = 0", x, RMNMF{Neighbors: number(0)}, FactorizeOptions{})
	r.factorize("k = n", x, RMNMF{Neighbors: number(30)}, FactorizeOptions{})
	r.factorize("adaptive k = n − 1", x, AMRMF{Neighbors: number(29)}, FactorizeOptions{})
	r.factorize("two samples", mat.NewDense(2, 1, []float64{1, 2}), AMRMF{}, FactorizeOptions{Rank: 1})
	r.factorize("λ", x, RMNMF{Lambda: &minus}, FactorizeOptions{})
	r.factorize("μ", x, RMNMF{Lagrangian: Lagrangian{Mu: -2}}, FactorizeOptions{})
	r.factorize("ρ", x, AMRMF{Lagrangian: Lagrangian{Rho: 0.9}}, FactorizeOptions{})
	r.factorize("scale", x, RMNMF{FeatureScale: FeatureScale{Scale: "z"}}, FactorizeOptions{})
	r.factorize("subspace", x, APMF{Subspace: number(9)}, FactorizeOptions{})
	r.factorize("a start of apmf", x, APMF{}, FactorizeOptions{InitW: mat.NewDense(30, 3, nil), InitH: mat.NewDense(3, 8, nil)})
	r.factorize("half a start", x, RMNMF{}, FactorizeOptions{InitW: mat.NewDense(30, 3, nil)})
	r.factorize("memory", x, RMNMF{}, FactorizeOptions{Options: Options{Memory: 5000}})
	r.factorize("a model", x, AMRMF{}, FactorizeOptions{Options: Options{Model: true}})
}

// With their defaults the methods return feasible factors whose objective is not above that of
// the start, and report whether it is the start itself, for every kind of start and a given one.
func TestIndicatorsAreNoWorseThanTheirStart(t *testing.T) {
	x, _ := groups(90, 20)
	each(t, indicatorMethods(t), nil, func(t *testing.T, m Method) {
		for _, init := range []string{"spectral", "kmeans", "nndsvd", "given"} {
			o := FactorizeOptions{Rank: 4}
			if init == "given" {
				if m.Name() == "apmf" {
					continue // it starts from its own projection
				}
				o.InitW, o.InitH = mat.NewDense(90, 4, nil), mat.NewDense(4, x.RawMatrix().Cols, nil)
				for i := range 90 {
					o.InitW.Set(i, i*7%4, 0.3)
				}
				o.InitH.Apply(func(i, j int, _ float64) float64 { return math.Sin(float64(3*i + j)) }, o.InitH)
			} else if err := Set(m, "init", init); err != nil {
				t.Fatal(err)
			}
			r := factorized(t, x, m, o)
			first, last := r.Trace[0].Objective, r.Trace[len(r.Trace)-1].Objective
			if last > first {
				t.Errorf("%s: the objective rises from %v to %v", init, first, last)
			}
			for i := 1; i < len(r.Trace); i++ {
				if r.Trace[i].Objective > r.Trace[i-1].Objective {
					t.Errorf("%s: the best objective rises to %v", init, r.Trace[i])
				}
			}
			if stayed := r.Details["start_returned"].(bool); stayed != (last == first) {
				t.Errorf("%s: start_returned is %v, where the objective goes from %v to %v", init, stayed, first, last)
			}
			if slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, "objective rises") }) {
				t.Errorf("%s: %q", init, r.Warnings)
			}
			for i := range 90 {
				positive := 0
				for _, v := range r.W.RawRowView(i) {
					if v > 0 {
						positive++
					} else if v < 0 {
						t.Fatalf("%s: an indicator is %v", init, v)
					}
				}
				if positive != 1 {
					t.Fatalf("%s: row %d of W is %v", init, i+1, r.W.RawRowView(i))
				}
			}
		}
	})
}

// The labels are the places of the positive indicators, and every cluster has samples.
func TestIndicatorsTellTheClusters(t *testing.T) {
	x, _ := groups(90, 20)
	each(t, indicatorMethods(t), nil, func(t *testing.T, m Method) {
		r := factorized(t, x, m, FactorizeOptions{Rank: 3})
		c := clusteringOf(t, x, m, ClusterOptions{Clusters: 3})
		to := map[int]int64{}
		for i, label := range c.Labels {
			row := r.W.RawRowView(i)
			at := slices.Index(row, slices.Max(row))
			if own, seen := to[at]; seen && own != label {
				t.Fatalf("sample %d: cluster %d where others of column %d are in %d", i+1, label, at, own)
			}
			to[at] = label
		}
		if slices.Contains(c.Sizes, 0) {
			t.Errorf("sizes %v", c.Sizes)
		}
	})
}

// The weight λ adapts to the data: other units of the features change no cluster.
func TestIndicatorsOfOtherUnits(t *testing.T) {
	x, _ := groups(90, 20)
	y := mat.DenseCopyOf(x)
	y.Apply(func(_, j int, v float64) float64 { return 1024*v*math.Pow(4, float64(j%3)) - 512 }, y)
	each(t, indicatorMethods(t), nil, func(t *testing.T, m Method) {
		a := clusteringOf(t, x, m, ClusterOptions{Clusters: 3})
		b := clusteringOf(t, y, m, ClusterOptions{Clusters: 3})
		if !slices.Equal(a.Labels, b.Labels) {
			t.Error("units of the features change the clusters")
		}
		if la, lb := a.Details["lambda"].(float64), b.Details["lambda"].(float64); math.Abs(la-lb) > 1e-9*la {
			t.Errorf("λ is %v and %v", la, lb)
		}
	})
}

func TestIndicatorsRefuseStarts(t *testing.T) {
	x, _ := groups(30, 8)
	w, h := mat.NewDense(30, 3, nil), mat.NewDense(3, 8, nil)
	negative, infinite := mat.DenseCopyOf(w), mat.DenseCopyOf(h)
	negative.Set(3, 1, -0.5)
	infinite.Set(2, 4, math.Inf(-1))
	r := refusing(t)
	r.factorize("a negative W", x, RMNMF{}, FactorizeOptions{InitW: negative, InitH: h})
	r.factorize("an infinite H", x, RMNMF{}, FactorizeOptions{InitW: w, InitH: infinite})
	r.factorize("another shape", x, RMNMF{}, FactorizeOptions{InitW: mat.NewDense(30, 4, nil), InitH: h})
	r.factorize("another shape H", x, RMNMF{}, FactorizeOptions{InitW: w, InitH: mat.NewDense(3, 7, nil)})
}
