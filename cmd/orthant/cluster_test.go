package main

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
)

// trefoils is a folder with two knots of 100 samples in x.npy and their classes in
// truth.npy.
func trefoils(t *testing.T) {
	inFolder(t, "")
	must(t, "generate", "two-trefoils", "--samples", "200", "--out", "x.npy", "--out-labels", "truth.npy")
}

func TestClusterIsTheEnginesClustering(t *testing.T) {
	trefoils(t)
	must(t, "cluster", "--method", "kmeans", "--in", "x.npy", "--clusters", "5", "--out", "found.npy", "--seed", "3", "--set", "restarts=4", "--tolerance", "0")
	tolerance := 0.0
	r, err := engine.Cluster(t.Context(), matrix(t, "x.npy"), engine.KMeans{Restarts: 4, Tolerance: &tolerance},
		engine.ClusterOptions{Clusters: 5, Options: engine.Options{Seed: 3}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := files.ReadLabels("found.npy", files.Options{})
	if err != nil || fmt.Sprint(got) != fmt.Sprint(r.Labels) {
		t.Errorf("the file differs from what engine.Cluster returns (%v)", err)
	}
}

func TestClusterEmbedsEveryCluster(t *testing.T) {
	trefoils(t)
	must(t, "cluster", "--method", "lnp", "--in", "x.npy", "--clusters", "2", "--out", "found.npy", "--out-embeddings", "a/parts", "--dim", "2")
	var index struct {
		Method   string
		Clusters []part
	}
	if err := json.Unmarshal(read(t, "a/parts/index.json"), &index); err != nil {
		t.Fatal(err)
	}
	if index.Method != "lnp" || len(index.Clusters) != 2 {
		t.Fatalf("index %+v", index)
	}
	x, labels := matrix(t, "x.npy"), read(t, "found.npy")
	for c, p := range index.Clusters {
		y := matrix(t, filepath.Join("a/parts", p.File))
		if n, d := y.Dims(); n != 100 || d != 2 || p.Size != 100 || p.Dim != 2 || p.Dimension != 1 || len(p.Rows) != 100 || p.Cluster != c {
			t.Errorf("cluster %d: %+v, embedding %d × %d", c, p, n, d)
		}
		own := mat.NewDense(100, 100, nil)
		for at, i := range p.Rows {
			own.SetRow(at, x.RawRowView(i))
		}
		// A knot embedded alone is a ring: no sample at its middle.
		r, err := engine.Embed(t.Context(), own, engine.LNP{Dim: 2}, engine.Options{})
		if err != nil || !mat.Equal(r.Y, y) {
			t.Errorf("cluster %d: the embedding is not that of its samples alone (%v)", c, err)
		}
		for at := range 100 {
			if radius := math.Hypot(y.At(at, 0), y.At(at, 1)); !(radius > 0.08 && radius < 0.2) {
				t.Errorf("cluster %d: sample %d at radius %g of a ring of 0.14", c, at, radius)
			}
		}
	}
	if len(labels) == 0 {
		t.Error("no labels")
	}
}
