package engine

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// labelled clusters by a method and returns what is found with its model.
func labelled(t testing.TB, x mat.Matrix, m Method, clusters int) (*Clustering, *Model) {
	t.Helper()
	r := clusteringOf(t, x, m, ClusterOptions{Clusters: clusters, Options: Options{Model: true}})
	model := must(r.Model())(t)
	return r, model
}

func predicted(t testing.TB, m *Model, x mat.Matrix, o Options) []int64 {
	t.Helper()
	labels := must(m.Predict(context.Background(), x, o))(t)
	return labels
}

// Each predictor separates the clouds of new samples.
func TestPredictorsLabelNewSamples(t *testing.T) {
	x, _ := clouds(60, 40, 80)
	more, truth := clouds(9, 200, 30)
	more.Apply(func(_, _ int, v float64) float64 { return v + 0.1 }, more)
	except := exceptions{"esc-ffs": "it separates directions, which these clouds share: see TestSameCodesLabelSubspaces"}
	each(t, predictors(t), except, func(t *testing.T, m Method) {
		r, model := labelled(t, x, m, 3)
		if got := predicted(t, model, x, Options{}); !slices.Equal(got, r.Labels) {
			t.Errorf("training samples get other labels than they had")
		}
		if got := predicted(t, model, more, Options{}); !slices.Equal(got, truth) {
			t.Errorf("new samples get the labels %v", got)
		}
		if column := transformed(t, model, more, Options{}); column.RawMatrix().Cols != 1 || column.At(9, 0) != float64(truth[9]) {
			t.Error("Transform gives other numbers")
		}
	})
}

// The samples of a k-means that has converged get their labels again where no gap is
// between clusters, and where samples stand halfway between centres.
func TestKMeansModelLabelsTrainingSamples(t *testing.T) {
	uniform := make([]float64, 4000)
	s := blas.NewStream(5)
	for i := range uniform {
		uniform[i] = s.Uniform()
	}
	grid := make([]float64, 0, 1600)
	for i := range 800 {
		grid = append(grid, float64(i%40), float64(i/40))
	}
	for name, x := range map[string]*mat.Dense{"uniform": mat.NewDense(2000, 2, uniform), "grid": mat.NewDense(800, 2, grid)} {
		for _, tolerance := range []float64{0, 1e-6, 0.1} {
			for _, e := range []int{0, 466, -466} {
				if e != 0 && tolerance != 0 {
					continue
				}
				r, model := labelled(t, timesPower(e, x), KMeans{Tolerance: &tolerance, Restarts: 2}, 13)
				if !r.Converged {
					t.Fatalf("%s: not converged", name)
				}
				if got := predicted(t, model, timesPower(e, x), Options{}); !slices.Equal(got, r.Labels) {
					t.Errorf("%s, tolerance %g, 2^%d: training samples get other labels", name, tolerance, e)
				}
			}
		}
	}
}

// Centres are means of their samples in the unit of the data, and the cost is that of them.
func TestCenters(t *testing.T) {
	x, truth := clouds(60, 40, 80)
	for _, e := range []int{0, 466, -466} {
		zero := 0.0
		r := clusteringOf(t, timesPower(e, x), KMeans{Tolerance: &zero}, ClusterOptions{Clusters: 3})
		var cost float64
		means := mat.NewDense(3, 3, nil)
		for i, c := range truth {
			blas.Axpy(1/float64(r.Sizes[c]), x.RawRowView(i), means.RawRowView(int(c)))
		}
		for i, c := range truth {
			cost += blas.SquaredDistance(x.RawRowView(i), means.RawRowView(int(c)))
		}
		for at, v := range means.RawMatrix().Data {
			if got := math.Ldexp(r.Centers.RawMatrix().Data[at], -e); math.Abs(got-v) > 1e-12*100 {
				t.Errorf("2^%d: entry %d of the centres is %g, want %g", e, at, got, v)
			}
		}
		if got := math.Ldexp(r.Cost, -2*e); math.Abs(got-cost) > 1e-10*cost {
			t.Errorf("2^%d: the cost is %g, want %g", e, got, cost)
		}
	}
}

func TestPredictorsRefuse(t *testing.T) {
	x, _ := clouds(60, 40, 80)
	r := refusing(t)
	each(t, predictors(t), nil, func(t *testing.T, m Method) {
		_, model := labelled(t, x, m, 3)
		for _, bad := range []*mat.Dense{mat.NewDense(4, 2, nil), mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, math.NaN()}), mat.NewDense(1, 3, []float64{1e200, 0, 0})} {
			r.of(m.Name(), failed(model.Predict(t.Context(), bad, Options{})))
		}
		r.of("backend", failed(model.Predict(t.Context(), x, Options{Backend: "none"})))
	})
	_, coordinates := fittedModel(t, x, PCA{}, Options{})
	r.of("coordinates", failed(coordinates.Predict(t.Context(), x, Options{})))
	if coordinates.Clusters() != 0 || (&Model{}).Clusters() != 0 {
		t.Error("a model of coordinates has clusters")
	}
}

// A method without a rule for new samples says so before the work, and in one line.
func TestClusterersWithoutRule(t *testing.T) {
	x, _ := clouds(20, 20)
	without := trials(t, func(e Entry) bool { return clusters(e) && !e.Predicts }, nil)
	each(t, without, nil, func(t *testing.T, m Method) {
		_, err := Cluster(context.Background(), x, m, ClusterOptions{Clusters: countOf(m, 2), Options: Options{Model: true, Progress: func(p Progress) {
			t.Errorf("it worked on %s", p.Phase)
		}}})
		if err == nil || !strings.Contains(err.Error(), m.Name()+": there is no rule for new samples, as ") {
			t.Errorf("got %v", err)
		}
	})
	if _, err := (&Clustering{Method: "test"}).Model(); err == nil {
		t.Error("a model of nothing")
	}
}

// joinedDiscs are two discs with a chain between them, so that the graph is connected.
func joinedDiscs(n int, seed uint64) *mat.Dense {
	x, s := mat.NewDense(n, 2, nil), blas.NewStream(seed)
	for i := range n {
		u, radius := 2*math.Pi*s.Uniform(), math.Sqrt(s.Uniform())
		x.SetRow(i, []float64{radius*math.Cos(u) + 2.15*float64(i%2), radius * math.Sin(u)})
	}
	return x
}

// Clusters of a connected graph go on for new samples, and training samples keep theirs
// but for few at the boundary. Methods by codes write a training sample by itself alone.
func TestSpectralModelsOfAConnectedGraph(t *testing.T) {
	x, more := joinedDiscs(300, 3), joinedDiscs(400, 4)
	for _, c := range []struct {
		m     Method
		least int // of the 300 training samples
	}{
		{Spectral{Neighbors: 8}, 291}, {Spectral{Neighbors: 8, Weights: "heat", Graph: "average"}, 291}, {Spectral{Neighbors: 8, Weights: "heat_norm"}, 291},
		{LNP{Neighbors: 8}, 300}, {SMCE{Neighbors: 15}, 300},
	} {
		t.Run(c.m.Name(), func(t *testing.T) {
			r, model := labelled(t, x, c.m, 2)
			same := 0
			for i, label := range predicted(t, model, x, Options{}) {
				if label == r.Labels[i] {
					same++
				}
			}
			if same < c.least {
				t.Errorf("%d of the training samples keep their labels", same)
			}
			right := 0
			for i, label := range predicted(t, model, more, Options{}) {
				if label == r.Labels[i%2] {
					right++
				}
			}
			if right < 380 {
				t.Errorf("%d of 400 new samples get the label of their disc", right)
			}
		})
	}
}

// New samples among components without a cluster of their own go to that of the nearest sample.
func TestSpectralModelOfMoreComponents(t *testing.T) {
	x, _ := clouds(50, 10, 60, 12)
	for i := range 10 {
		x.Set(50+i, 0, x.At(50+i, 0)-60)
	}
	for _, m := range []Method{Spectral{Neighbors: 6}, LNP{Neighbors: 6}} {
		r, model := labelled(t, x, m, 2)
		if got := predicted(t, model, x, Options{}); !slices.Equal(got, r.Labels) {
			t.Errorf("%s: training samples get other labels", m.Name())
		}
	}
}

// Samples of no ordinary size get the labels of those that have one.
func TestModelsOfDividedSamples(t *testing.T) {
	x, _ := clouds(30, 20, 40)
	each(t, predictors(t), nil, func(t *testing.T, m Method) {
		_, want := labelled(t, x, m, 3)
		labels := predicted(t, want, x, Options{})
		for _, e := range []int{-466, 466} {
			_, model := labelled(t, timesPower(e, x), m, 3)
			if !slices.Equal(predicted(t, model, timesPower(e, x), Options{}), labels) {
				t.Errorf("2^%d: other labels", e)
			}
			if back := loaded(t, saved(t, model)); !slices.Equal(predicted(t, back, timesPower(e, x), Options{}), labels) {
				t.Errorf("2^%d: other labels from the file", e)
			}
		}
	})
}

// Subspaces go on for new samples by their codes over exemplars,
// after the file of the model was written and read, and on any number of threads.
func TestSameCodesLabelSubspaces(t *testing.T) {
	all, _ := planes(3, 330)
	x, more := all.Slice(0, 180, 0, 8).(*mat.Dense), all.Slice(180, 330, 0, 8).(*mat.Dense)
	for _, m := range []ESCFFS{{Gamma: 50, T: 25}, {Gamma: 80, T: 12}, {Gamma: 30, T: 40}} {
		r, model := labelled(t, x, m, 3)
		count := 0
		for i, label := range predicted(t, model, x, Options{}) {
			if label == r.Labels[i] {
				count++
			}
		}
		if count < 178 {
			t.Errorf("%+v: %d of 180 training samples keep their labels", m, count)
		}
		back := loaded(t, saved(t, model))
		labels := predicted(t, back, more, Options{Threads: 3})
		if !slices.Equal(labels, predicted(t, model, more, Options{Threads: 1})) {
			t.Error("the file or threads change labels")
		}
		count = 0
		for i, label := range labels {
			if label == r.Labels[i%3] {
				count++
			}
		}
		if count < 146 {
			t.Errorf("%+v: %d of 150 new samples get the label of their plane", m, count)
		}
		if len(r.Exemplars) < 6 {
			t.Errorf("exemplars %v", r.Exemplars)
		}
		if label := predicted(t, model, mat.NewDense(1, 8, nil), Options{}); label[0] < 0 || label[0] > 2 {
			t.Errorf("a sample of zeros gets the label %d", label[0])
		}
	}
}

// DS3 names the exemplar of each cluster, and new samples go to the nearest one, with the
// scaling of the fit.
func TestExemplarsLabelNewSamples(t *testing.T) {
	x, truth := clouds(30, 20, 40)
	for _, scale := range []string{"none", "minmax"} {
		r, model := labelled(t, x, DS3{FeatureScale: FeatureScale{Scale: scale}}, 3)
		if !slices.Equal(r.Labels, truth) || len(r.Exemplars) != 3 {
			t.Fatalf("scale %s: labels %v, exemplars %v", scale, r.Labels, r.Exemplars)
		}
		for c, i := range r.Exemplars {
			if r.Labels[i] != int64(c) {
				t.Errorf("scale %s: exemplar %d of cluster %d has the label %d", scale, i, c, r.Labels[i])
			}
		}
		// Between the first two exemplars the nearer one counts.
		a, b := x.RawRowView(r.Exemplars[0]), x.RawRowView(r.Exemplars[1])
		between := mat.NewDense(2, 3, nil)
		for j := range 3 {
			between.Set(0, j, 0.51*a[j]+0.49*b[j])
			between.Set(1, j, 0.49*a[j]+0.51*b[j])
		}
		if got := predicted(t, model, between, Options{}); !slices.Equal(got, []int64{0, 1}) {
			t.Errorf("scale %s: labels %v", scale, got)
		}
	}
	if _, err := Cluster(context.Background(), x, DS3{Dissimilarities: "kernel"}, ClusterOptions{Clusters: 3, Options: Options{Model: true}}); err == nil || !strings.Contains(err.Error(), `Dissimilarities: "kernel"`) {
		t.Errorf("got %v", err)
	}
}
