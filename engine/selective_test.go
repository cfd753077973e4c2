package engine

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/sparse"
)

// heaps are three clouds of 20 samples far from each other, in four columns.
func heaps() *mat.Dense {
	x, _ := groups(60, 4)
	for i := range 60 {
		row := x.RawRowView(i)
		for k := range row {
			row[k] *= 0.1
		}
		row[i/20] += 5
	}
	return x
}

func TestSelectiveMethodsFindClusters(t *testing.T) {
	x := heaps()
	each(t, trials(t, isSelective, nil), nil, func(t *testing.T, m Method) {
		for _, labels := range []string{"argmax", "kmeans"} {
			pointer := must(New(m.Name()))(t)
			if err := Set(pointer, "labels", labels); err != nil {
				t.Fatal(err)
			}
			r, err := Cluster(context.Background(), x, pointer, ClusterOptions{Clusters: 3})
			if err != nil {
				t.Fatalf("%s: %v", m.Name(), err)
			}
			for i, l := range r.Labels {
				if l != int64(i/20) {
					t.Errorf("%s, %s: sample %d of heap %d has the label %d", m.Name(), labels, i, i/20, l)
					break
				}
			}
			if r.Selection == nil || r.Selection.Learned.NNZ() == 0 {
				t.Fatalf("%s: no selection, or an empty graph", m.Name())
			}
			// The graph goes to the other package and back without a copy of its values.
			learned := r.Selection.Learned
			back, _, err := sparse.Of(learned.Storage())
			if err != nil || !mat.Equal(back, learned) || &back.Val[0] != &learned.Val[0] {
				t.Errorf("%s: another graph in storage, or a copy: %v", m.Name(), err)
			}
		}
	})
}

func TestSelectiveFactorization(t *testing.T) {
	x := heaps()
	each(t, selectiveMethods(t), nil, func(t *testing.T, m Method) {
		var w []float64
		for _, threads := range []int{1, 3} {
			r, err := Factorize(context.Background(), x, m, FactorizeOptions{Rank: 3, Options: Options{Threads: threads}})
			if err != nil {
				t.Fatalf("%s: %v", m.Name(), err)
			}
			if w != nil && !slices.Equal(w, r.W.RawMatrix().Data) {
				t.Errorf("%s: threads change bits", m.Name())
			}
			w = r.W.RawMatrix().Data
			s := r.Selection
			want := 6
			if m.Name() == "smrmf-ns" {
				want = 60
			}
			if len(s.Exemplars) != want {
				t.Errorf("%s: %d exemplars, want %d", m.Name(), len(s.Exemplars), want)
			}
			for i := range 60 {
				cols, vals := s.Learned.Row(i)
				if len(cols) > 7 || len(cols) > 0 && !slices.Contains(s.Exemplars, i) {
					t.Errorf("%s: sample %d has %d neighbours", m.Name(), i, len(cols))
				}
				for q, j := range cols {
					if int(j) == i || vals[q] != s.Encoding.At(i, int(j)) {
						t.Errorf("%s: the affinity of %d and %d is %v", m.Name(), i, j, vals[q])
					}
				}
			}
			for j := range 60 {
				var sum float64
				for i := range 60 {
					sum += s.Encoding.At(i, j)
				}
				if math.Abs(sum-1) > 1e-9 {
					t.Errorf("%s: column %d of the encoding sums to %v", m.Name(), j, sum)
				}
			}
		}
	})
}

func TestSelectiveMethodsRefuse(t *testing.T) {
	x := heaps()
	r := refusing(t)
	each(t, selectiveMethods(t), nil, func(t *testing.T, base Method) {
		for _, pair := range []string{"neighbors=0", "neighbors=60", "lambda=-1", "dissimilarity_weight=0", "rho=0.5", "mu=-1", "mode=both", "scale=log", "tolerance=-1",
			"exemplars=61", "exemplars=-1", "p=2", "diag=none", "square_weight=-0.5", "start_steps=-3"} {
			m := named(t, base.Name())
			key, value, _ := strings.Cut(pair, "=")
			if _, known := Values(m)[key]; !known {
				continue // not a parameter of this method
			}
			if err := Set(m, key, value); err != nil {
				r.of(base.Name()+" "+pair, err)
				continue
			}
			r.factorize("", x, m, FactorizeOptions{})
		}
		r.factorize("", x, base, FactorizeOptions{Options: Options{Memory: 30000}})
		r.factorize("one sample of "+base.Name(), mat.NewDense(1, 2, nil), base, FactorizeOptions{Rank: 1})
	})
}

// A δ so small that every sample stands for itself leaves no graph, which is said.
func TestSelectiveMethodsSayThatTheGraphIsEmpty(t *testing.T) {
	x, beta := heaps(), 1e9
	x.Set(4, 0, x.At(4, 0)+0.01) // which was a copy
	m := FSMRMF{SquaredEncoding: SquaredEncoding{Delta: 1e-9}, Lagrangian: Lagrangian{Iterations: 3}}
	m.Beta = &beta
	r := factorized(t, x, m, FactorizeOptions{Rank: 3})
	if r.Selection.Learned.NNZ() > 0 || !slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, "the learned graph is empty") }) {
		t.Errorf("%d entries, warnings %q", r.Selection.Learned.NNZ(), r.Warnings)
	}
}

// The graph of selective regularisation by its definition: M has the similarities of the
// exemplars with their neighbours, W = (M + Mᵀ)/2, and Φ = D − W.
func TestSelectiveGraph(t *testing.T) {
	const k, tau = 6, 9
	x, _ := clouds(30, 40)
	n, _ := x.Dims()
	neighbours, chosen := k, tau
	for _, name := range namesOf(trials(t, selects, nil)) {
		t.Run(name, func(t *testing.T) {
			for _, weights := range []string{"adaptive", "binary"} {
				m := RMNMF{Neighbors: &neighbours, Select: name, Exemplars: &chosen, Weights: weights, FeatureScale: FeatureScale{Scale: "none"}, Lagrangian: Lagrangian{Iterations: 1}}
				r := lagrangianRunOf(t, x, m, 2)
				exemplars := r.Notes()["exemplars"].([]int)
				if len(exemplars) != tau {
					t.Errorf("%s: exemplars %v", name, exemplars)
				}
				want := mat.NewDense(n, n, nil)
				width, nearest := make([]float64, n), make([][]int, n)
				for i := range n {
					nearest[i], width[i] = nearestOf(x, i, k)
				}
				for _, i := range exemplars {
					for _, j := range nearest[i] {
						w := 1.0
						if weights == "adaptive" {
							d := blas.SquaredDistance(x.RawRowView(i), x.RawRowView(j))
							w = (math.Exp(-d/(2*width[i]*width[i])) + math.Exp(-d/(2*width[j]*width[j]))) / 2
						}
						want.Set(i, j, want.At(i, j)-w/2)
						want.Set(j, i, want.At(j, i)-w/2)
						want.Set(i, i, want.At(i, i)+w/2)
						want.Set(j, j, want.At(j, j)+w/2)
					}
				}
				expectClose(t, name+" Φ", r.phi.Dense().RawMatrix().Data, want.RawMatrix().Data, 1e-12)
				untouched := 0
				for i := range n {
					if want.At(i, i) == 0 {
						untouched++
					}
				}
				if untouched == 0 {
					t.Errorf("%s: every sample is touched, and the test has no point", name)
				}
			}
		})
	}
}

// nearestOf lists the k nearest other samples, and the distance of the last.
func nearestOf(x *mat.Dense, i, k int) ([]int, float64) {
	n, _ := x.Dims()
	var others []int
	for j := range n {
		if j != i {
			others = append(others, j)
		}
	}
	square := func(j int) float64 { return blas.SquaredDistance(x.RawRowView(i), x.RawRowView(j)) }
	slices.SortStableFunc(others, func(a, b int) int {
		switch {
		case square(a) < square(b):
			return -1
		case square(a) > square(b):
			return 1
		}
		return 0
	})
	return others[:k], math.Sqrt(square(others[k-1]))
}

func TestSelectiveRMNMF(t *testing.T) {
	x, truth := clouds(30, 40)
	for _, name := range namesOf(trials(t, selects, nil)) {
		t.Run(name, func(t *testing.T) {
			r, err := Cluster(context.Background(), x, RMNMF{Select: name}, ClusterOptions{Clusters: 2})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
			if acc, _ := measures.Accuracy(truth, r.Labels); acc < 0.99 {
				t.Errorf("%s: accuracy %v of two clouds far apart", name, acc)
			}
			if len(r.Details["exemplars"].([]int)) != 7 || r.Params["select"] != name {
				t.Errorf("%s: details %v, parameters %v", name, r.Details, r.Params)
			}
		})
	}
	beyond := 71
	if _, err := Cluster(context.Background(), x, RMNMF{Select: "dpp", Exemplars: &beyond}, ClusterOptions{Clusters: 2}); err == nil || !strings.Contains(err.Error(), "71 exemplars requested of 70 samples") {
		t.Errorf("71 exemplars of 70 samples: %v", err)
	}
}

// Sets that are drawn are those of dpp itself, by the seed and for any number of threads.
func TestSelectiveRMNMFDrawsItsExemplars(t *testing.T) {
	x, _ := clouds(30, 40)
	exemplars := func(seed uint64, threads int) []int {
		t.Helper()
		r := clusteringOf(t, x, RMNMF{Select: "dpp-exact"}, ClusterOptions{Clusters: 2, Options: Options{Seed: seed, Threads: threads}})
		return r.Details["exemplars"].([]int)
	}
	got := exemplars(5, 1)
	own := selected(t, x, DPP{Sample: "exact"}, SelectOptions{Count: 7, Options: Options{Seed: 5}}).Indices
	if !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(own))) {
		t.Errorf("the exemplars are %v, dpp draws %v", got, own)
	}
	if again := exemplars(5, 3); !slices.Equal(got, again) {
		t.Errorf("on three threads %v, on one %v", again, got)
	}
	if other := exemplars(6, 1); slices.Equal(got, other) {
		t.Errorf("seeds 5 and 6 both draw %v", got)
	}
}
