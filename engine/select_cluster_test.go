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
)

// planes are samples of planes through the origin of eight dimensions, in turn.
func planes(count, n int) (*mat.Dense, []int64) {
	s := blas.NewStream(21)
	bases, data, truth := make([]float64, count*2*8), make([]float64, n*8), make([]int64, n)
	s.Normals(bases)
	for i := range n {
		var c [2]float64
		s.Normals(c[:])
		truth[i] = int64(i % count)
		for q, v := range c {
			at := (i%count*2 + q) * 8
			blas.Axpy(v, bases[at:at+8], data[i*8:(i+1)*8])
		}
	}
	return mat.NewDense(n, 8, data), truth
}

func TestESCFFSTellsPlanesApart(t *testing.T) {
	x, truth := planes(4, 240)
	for _, threads := range []int{1, 3} {
		r := clusteringOf(t, x, ESCFFS{Gamma: 50, T: 25}, ClusterOptions{Clusters: 4, Options: Options{Threads: threads}})
		if acc, err := measures.Accuracy(truth, r.Labels); err != nil || acc < 0.97 {
			t.Errorf("accuracy %v (%v), warnings %q", acc, err, r.Warnings)
		}
		if len(r.Details["exemplars"].([]int)) != 24 || !r.Converged {
			t.Errorf("details %v", r.Details)
		}
	}
}

func TestDS3ClustersByExemplars(t *testing.T) {
	x, truth := clouds(60, 40, 80)
	r := clusteringOf(t, x, DS3{}, ClusterOptions{Clusters: 3, Embeddings: true})
	if !slices.Equal(r.Labels, truth) || !slices.Equal(r.Sizes, []int{60, 40, 80}) {
		t.Errorf("sizes %v, warnings %q", r.Sizes, r.Warnings)
	}
	if !(r.Cost > 0 && r.Cost < r.FirstCost) || r.Parts[0].Y == nil {
		t.Errorf("cost %v from %v; embedding %v", r.Cost, r.FirstCost, r.Parts[0].Y)
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
	if _, err := Cluster(context.Background(), x, RMNMF{Select: "dpp", Exemplars: &beyond}, ClusterOptions{Clusters: 2}); err == nil || !strings.Contains(err.Error(), "71 exemplars asked of 70 samples") {
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

// The regularised form may leave more representatives than there are to be clusters.
func TestDS3RefusesMoreRepresentativesThanClusters(t *testing.T) {
	x := generate(t, "gaussians", 60, 1).X
	_, err := Cluster(t.Context(), x, DS3{Form: "regularised", Alpha: 1e-3}, ClusterOptions{Clusters: 2})
	if err == nil || !strings.Contains(err.Error(), "representatives for 2 clusters; give a larger alpha") {
		t.Errorf("the error is %v", err)
	}
}
