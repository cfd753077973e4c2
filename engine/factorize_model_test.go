package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/modelfile"
)

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
	m := must(factorized(t, x, CIMNMF{Updates: Updates{Iterations: 20}}, FactorizeOptions{}).Model())(t)
	r := refusing(t)
	for _, c := range []struct {
		name   string
		change func(p *modelfile.Parts)
	}{
		{"no components", func(p *modelfile.Parts) { delete(p.Arrays, "components") }},
		{"negative", func(p *modelfile.Parts) { p.Arrays["components"].Set(1, 2, -1) }},
		{"NaN", func(p *modelfile.Parts) { p.Arrays["components"].Set(1, 2, math.NaN()) }},
		{"zeros", func(p *modelfile.Parts) { p.Arrays["components"].Zero() }},
		{"huge", func(p *modelfile.Parts) {
			p.Arrays["components"].Apply(func(_, _ int, _ float64) float64 { return 1e308 }, p.Arrays["components"])
		}},
		{"other rank", func(p *modelfile.Parts) {
			p.Arrays["components"] = mat.NewDense(2, 8, slices.Repeat([]float64{1}, 16))
		}},
		{"other columns", func(p *modelfile.Parts) {
			p.Arrays["components"] = mat.NewDense(3, 7, slices.Repeat([]float64{1}, 21))
		}},
		{"a long shift", func(p *modelfile.Parts) { p.Arrays["shift"] = mat.NewDense(1, 9, nil) }},
		{"an unknown loss", func(p *modelfile.Parts) { p.Numbers["loss"] = 3 }},
		{"half a loss", func(p *modelfile.Parts) { p.Numbers["loss"] = 0.5 }},
		{"no loss", func(p *modelfile.Parts) { delete(p.Numbers, "loss") }},
		{"no iterations", func(p *modelfile.Parts) { p.Numbers["iterations"] = 0 }},
		{"many iterations", func(p *modelfile.Parts) { p.Numbers["iterations"] = 1e9 }},
		{"θ 0", func(p *modelfile.Parts) { p.Numbers["theta"] = 0 }},
		{"half a coordinate descent", func(p *modelfile.Parts) { p.Numbers["hals"] = 0.5 }},
	} {
		p := partsOf(t, m)
		c.change(p)
		r.of(c.name, refusalOf(written(t, m, p)))
	}
	for _, entry := range []float64{-0.5, math.NaN(), 1e160} {
		r.transform("", m, changedAt(x, 1, 3, entry))
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
				t.Errorf("%s: the three groups are not separated", how)
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

// kktOfCode is the residual of coordinates w of a sample under fixed components, by the definition of
// the pages: of the weighted least squares, or of the divergence. numbers are those of the
// model.
func kktOfCode(x, w []float64, h *mat.Dense, numbers map[string]float64) float64 {
	r, m := h.Dims()
	if numbers["loss"] == 3 {
		return kktOfBeta(x, w, h, numbers["beta"])
	}
	divergence, weighted := numbers["loss"] == 1, numbers["loss"] == 2
	model, weight := make([]float64, m), make([]float64, m)
	var squares, size, most float64
	for j := range m {
		for k := range r {
			model[j] += w[k] * h.At(k, j)
		}
		squares += (x[j] - model[j]) * (x[j] - model[j])
	}
	sigma2 := numbers["sigma2"]
	switch share := numbers["share"]; {
	case sigma2 > 0:
	case share > 0: // that of the fit, in proportion to the mean square of the sample
		sigma2 = share * blas.Dot(x, x) / float64(m)
	default:
		sigma2 = numbers["theta"] * squares / float64(m)
	}
	for j := range m {
		weight[j] = 1
		if weighted {
			weight[j] = math.Exp(-(x[j] - model[j]) * (x[j] - model[j]) / (2 * sigma2))
		}
		if divergence {
			size += x[j]
		} else {
			size += weight[j] * x[j] * x[j]
		}
	}
	if !divergence {
		size = math.Sqrt(size)
	}
	for k := range r {
		var length, gradient float64
		for j := range m {
			v := h.At(k, j)
			switch {
			case divergence:
				length += v
				gradient += v
				if x[j] > 0 {
					gradient -= v * x[j] / model[j]
				}
			default:
				length += weight[j] * v * v
				gradient += weight[j] * (model[j] - x[j]) * v
			}
		}
		if !divergence {
			length = math.Sqrt(length)
			most = max(most, math.Abs(min(w[k]*length/size, gradient/(length*size))))
		} else {
			most = max(most, math.Abs(min(w[k]*length/size, gradient/length)))
		}
	}
	return most
}

// Held-out samples of a real set are encoded to the end by the models of all methods:
// the conditions of Karush, Kuhn and Tucker hold for each.
func TestFactorModelsSolve(t *testing.T) {
	all := dataset(t, "sonar.X.npy")
	_, m := all.Dims()
	labels := make([]int64, 150)
	for i := range labels {
		labels[i] = int64(i % 2)
	}
	fit, rest := mat.DenseCopyOf(all.Slice(0, 150, 0, m)), mat.DenseCopyOf(all.Slice(150, 208, 0, m))
	each(t, factorizers(t), nil, func(t *testing.T, method Method) {
		r := factorized(t, fit, method, FactorizeOptions{Rank: 6, Options: Options{Labels: labels, Model: true}})
		model := must(r.Model())(t)
		if r.Params["shift"] != "none" {
			return // other samples are encoded then
		}
		y := transformed(t, model, rest, Options{})
		var worst float64
		for i := range 58 {
			worst = max(worst, kktOfCode(rest.RawRowView(i), y.RawRowView(i), r.H, partsOf(t, model).Numbers))
		}
		if worst > extend.EncodeTolerance*(1+1e-6) {
			t.Errorf("the residual of a new sample is %g", worst)
		}
		// A model of an earlier version takes its 200 steps.
		old := partsOf(t, model)
		delete(old.Numbers, "tolerance")
		z := transformed(t, loaded(t, written(t, model, old)), rest, Options{})
		if mat.Min(z) < 0 || mat.Equal(z, y) {
			t.Error("a model without a tolerance maps as one with it")
		}
	})
}

// A model of a penalised fit makes new samples pay for their coordinates, after it was saved
// too, in a file of version 5; and without a penalty the file is what it was.
func TestPenalisedModels(t *testing.T) {
	x, _ := groups(60, 20)
	news := mat.DenseCopyOf(x.Slice(0, 25, 0, 20))
	for name, make := range map[string]func(Penalties) Method{
		"nmf":    func(p Penalties) Method { return NMF{Penalties: p} },
		"nmf-kl": func(p Penalties) Method { return NMFKL{Penalties: p} },
	} {
		for _, ratio := range []float64{0, 0.3, 1} {
			for _, scale := range []float64{1, 1e-30, 1e40} {
				if ratio == 0.3 && scale != 1 {
					continue // penalties of two units are refused
				}
				t.Run(fmt.Sprintf("%s, %v, %v", name, ratio, scale), func(t *testing.T) {
					// α times W, or W², is added to the loss, and W has half of the unit of the data.
					unit := 0.5 * ratio
					if name == "nmf" {
						unit++
					}
					p := Penalties{AlphaW: 0.02 * math.Pow(scale, unit), L1Ratio: ratio}
					y := mat.DenseCopyOf(x)
					y.Scale(scale, y)
					own := mat.DenseCopyOf(news)
					own.Scale(scale, own)
					r := factorized(t, y, make(p), FactorizeOptions{Options: Options{Seed: 4, Model: true}})
					m := must(r.Model())(t)
					var file bytes.Buffer
					if err := m.Save(&file); err != nil {
						t.Fatal(err)
					}
					if v := binary.LittleEndian.Uint32(file.Bytes()[8:]); v != 5 {
						t.Errorf("the file has version %d", v)
					}
					loaded := must(LoadModel(&file))(t)
					w := transformed(t, loaded, own, Options{})
					for i := range 25 {
						for k := range 3 {
							slope, size := penalisedSlope(name == "nmf-kl", p, own.RawRowView(i), w.RawRowView(i), r.H, k)
							if v := w.At(i, k) * math.Pow(scale, -0.5); !(math.Abs(math.Min(v, slope/size)) <= 1e-5) {
								t.Fatalf("sample %d, coordinate %d is %v with slope %v of %v", i, k, v, slope, size)
							}
						}
					}
				})
			}
		}
		r := factorized(t, x, make(Penalties{}), FactorizeOptions{Options: Options{Seed: 4, Model: true}})
		m := must(r.Model())(t)
		var file bytes.Buffer
		if err := m.Save(&file); err != nil || binary.LittleEndian.Uint32(file.Bytes()[8:]) != 1 {
			t.Errorf("%s: without a penalty the file has version %d, %v", name, binary.LittleEndian.Uint32(file.Bytes()[8:]), err)
		}
	}
}

// penalisedSlope is the derivative of the penalised loss of a sample, and what pushes down.
func penalisedSlope(divergence bool, p Penalties, x, w []float64, h *mat.Dense, k int) (slope, size float64) {
	m := float64(len(x))
	size = p.AlphaW * m * (p.L1Ratio + (1-p.L1Ratio)*w[k])
	slope = size
	for j, v := range x {
		var model float64
		for l, c := range w {
			model += c * h.At(l, j)
		}
		if divergence {
			size += h.At(k, j)
			slope += h.At(k, j) * (1 - v/model)
			continue
		}
		size += h.At(k, j) * model
		slope += h.At(k, j) * (model - v)
	}
	return slope, size
}
