package engine_test

import (
	"math"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/internal/must"
)

// TestStabilityOf has two separate blobs, and a third one that is cut in two for no reason.
func TestStabilityOf(t *testing.T) {
	x, labels := mat.NewDense(240, 2, nil), make([]int64, 240)
	blas.NewStream(4).Normals(x.RawMatrix().Data)
	for i := range labels {
		labels[i] = int64(i / 80)
		x.Set(i, 0, x.At(i, 0)+30*float64(i/80))
		x.Set(i, 1, x.At(i, 1)+20*float64(i/80%2))
		if i >= 160 && x.At(i, 1) > 0 {
			labels[i] = 3
		}
	}
	o := engine.ClusterOptions{Clusters: 3}
	m := must.Get(engine.New("kmeans"))(t)
	r := must.Get(engine.StabilityOf(t.Context(), x, labels, m, o, 6))(t)
	if r.Jaccard[0] != 1 || r.Jaccard[1] != 1 || math.Abs(r.Jaccard[2]+r.Jaccard[3]-1) > 0.1 || r.Dissolved[0] != 0 || r.Dissolved[2]+r.Dissolved[3] < 6 || !(r.Agreement > 0.7 && r.Agreement < 1) || r.Size != 120 {
		t.Errorf("%+v", r)
	}
	o.Threads = 3
	if again := must.Get(engine.StabilityOf(t.Context(), x, labels, m, o, 6))(t); !reflect.DeepEqual(again, r) {
		t.Errorf("three threads: %+v, want %+v", again, r)
	}
	for i := range labels {
		labels[i]--
	}
	if noisy := must.Get(engine.StabilityOf(t.Context(), x, labels, m, o, 6))(t); len(noisy.Jaccard) != 3 || noisy.Jaccard[0] != 1 || noisy.Agreement != r.Agreement {
		t.Errorf("with noise: %+v", noisy)
	}
	must.Refuse(t, "240 samples are fewer than 200 clusters")(engine.StabilityOf(t.Context(), x, labels, m, engine.ClusterOptions{Clusters: 200}, 1))
	must.Refuse(t, "0 subsamples")(engine.StabilityOf(t.Context(), x, labels, m, o, 0))
	must.Refuse(t, "3 labels of 240 samples")(engine.StabilityOf(t.Context(), x, labels[:3], m, o, 1))
	o.Graph = &neighbors.Graph{}
	must.Refuse(t, "given a graph of all samples")(engine.StabilityOf(t.Context(), x, labels, m, o, 1))
}
