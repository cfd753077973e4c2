package engine

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/solvers/density"
)

// clouds are groups of samples far apart, of the sizes given, one after the other.
func clouds(sizes ...int) (*mat.Dense, []int64) {
	s := blas.NewStream(9)
	var data []float64
	var labels []int64
	for c, size := range sizes {
		part := make([]float64, 3*size)
		s.Normals(part)
		for i := range size {
			part[3*i] += 100 * float64(c)
			labels = append(labels, int64(c))
		}
		data = append(data, part...)
	}
	return mat.NewDense(len(labels), 3, data), labels
}

func TestClusterersFindClouds(t *testing.T) {
	x, truth := clouds(60, 40, 80)
	each(t, clusterers(t), nil, func(t *testing.T, m Method) {
		r := clusteringOf(t, x, m, ClusterOptions{Clusters: 3})
		if !slices.Equal(r.Labels, truth) {
			t.Errorf("other labels; warnings %q", r.Warnings)
		}
		if !slices.Equal(r.Sizes, []int{60, 40, 80}) {
			t.Errorf("sizes %v", r.Sizes)
		}
		if !r.Converged {
			t.Error("not converged")
		}
		for c, p := range r.Parts {
			if len(p.Rows) != r.Sizes[c] || r.Labels[p.Rows[0]] != int64(c) {
				t.Errorf("part %d has rows %v", c, p.Rows)
			}
		}
	})
}

// One cluster with nearly all samples is doubted; clusters of 5 and of 95 samples in a hundred are not.
func TestOneClusterWithAllIsDoubted(t *testing.T) {
	for _, c := range []struct {
		sizes []int
		sound bool
	}{{[]int{590, 3, 3}, false}, {[]int{590, 5, 30}, true}, {[]int{400, 3}, false}, {[]int{95, 5}, true}, {[]int{60, 1}, false}} {
		x, truth := clouds(c.sizes...)
		r := clusteringOf(t, x, KMeans{}, ClusterOptions{Clusters: len(c.sizes)})
		if !slices.Equal(r.Labels, truth) {
			t.Fatalf("%v: the clouds are not found: %v", c.sizes, r.Sizes)
		}
		if (r.Quality.Verdict == Sound) != c.sound || !c.sound && !strings.Contains(r.Quality.Sentence, fmt.Sprintf("%d of %d samples are in one of %d clusters", c.sizes[0], len(truth), len(c.sizes))) {
			t.Errorf("%v: sound %v, %q", c.sizes, r.Quality.Verdict, r.Quality.Sentence)
		}
	}
}

// The rounding of a cost of zero is no doubt.
func TestCopiesAreClusteredSoundly(t *testing.T) {
	x := mat.NewDense(3000, 3, nil)
	for i := range 3000 {
		for j := range 3 {
			x.Set(i, j, 0.1*float64(j+1)/float64(3+i%3*7)+0.7*float64(i%3))
		}
	}
	for seed := range uint64(5) {
		r := clusteringOf(t, x, KMeans{}, ClusterOptions{Clusters: 3, Options: Options{Seed: seed}})
		if r.Quality.Verdict != Sound || r.Cost > r.FirstCost || r.Cost > 1e-20 {
			t.Errorf("seed %d: from %v to %v, %q", seed, r.FirstCost, r.Cost, r.Quality.Sentence)
		}
	}
}

// A component for each cloud at least, and as many eigenvalues 1.
func TestClusterersFindComponents(t *testing.T) {
	x, _ := clouds(60, 40, 80)
	each(t, clusterers(t), exceptions{"kmeans": "it has no graph: TestKMeansHasNoGraph", "hdbscan": "its tree is of all samples", "leiden": "it has no eigenvalues"}, func(t *testing.T, m Method) {
		r := clusteringOf(t, x, m, ClusterOptions{Clusters: 3})
		if r.Components < 3 {
			t.Errorf("%d components", r.Components)
		}
		if sumOf(r.ComponentSizes) != 180 {
			t.Errorf("components of %v samples", r.ComponentSizes)
		}
		if !slices.Equal(r.Values, []float64{1, 1, 1}) {
			t.Errorf("eigenvalues %v", r.Values)
		}
	})
}

func TestKMeansHasNoGraph(t *testing.T) {
	x, _ := clouds(60, 40, 80)
	r := clusteringOf(t, x, KMeans{}, ClusterOptions{Clusters: 3})
	if len(r.Values) != 0 || !math.IsNaN(r.Next) {
		t.Errorf("eigenvalues %v then %g", r.Values, r.Next)
	}
	if r.Components != 0 {
		t.Errorf("%d components", r.Components)
	}
}

func sumOf(sizes []int) (total int) {
	for _, s := range sizes {
		total += s
	}
	return total
}

// More components than clusters: the largest make the clusters, and the others go
// to what is nearest.
func TestClusterWithMoreComponents(t *testing.T) {
	x, _ := clouds(50, 10, 60, 12)
	for i := range 10 {
		x.Set(50+i, 0, x.At(50+i, 0)-60) // nearer to the first cloud than to the third
	}
	r := clusteringOf(t, x, Spectral{Neighbors: 6}, ClusterOptions{Clusters: 2})
	want := slices.Concat(slices.Repeat([]int64{0}, 60), slices.Repeat([]int64{1}, 72))
	if !slices.Equal(r.Labels, want) {
		t.Errorf("other labels, sizes %v", r.Sizes)
	}
	if r.Components != 4 {
		t.Errorf("%d components", r.Components)
	}
	if r.Next != 1 {
		t.Errorf("the next eigenvalue is %g", r.Next)
	}
	if !strings.Contains(strings.Join(r.Warnings, "\n"), "4 components (sizes 60, 50, 12, 10) for 2 clusters") {
		t.Errorf("warnings %q", r.Warnings)
	}
}

// Threads change no bit, and a connected graph is split by its eigenvectors.
func TestClusterersSplitAndRepeat(t *testing.T) {
	x := mat.NewDense(300, 2, nil) // two discs, joined by a chain
	s := blas.NewStream(3)
	var truth []int64
	for i := range 300 {
		u, radius := 2*math.Pi*s.Uniform(), math.Sqrt(s.Uniform())
		x.SetRow(i, []float64{radius*math.Cos(u) + 2.15*float64(i%2), radius * math.Sin(u)})
		truth = append(truth, int64(i%2))
	}
	each(t, clusterers(t), nil, func(t *testing.T, m Method) {
		var first *Clustering
		for _, threads := range []int{1, 2, 5} {
			r := clusteringOf(t, x, m, ClusterOptions{Clusters: 2, Embeddings: true, Options: Options{Threads: threads}})
			if first == nil {
				first = r
			}
			if !slices.Equal(first.Labels, r.Labels) {
				t.Errorf("%d threads change the labels", threads)
			}
			if math.Float64bits(first.Cost) != math.Float64bits(r.Cost) {
				t.Errorf("%d threads change the cost", threads)
			}
			if !slices.Equal(first.Values, r.Values) {
				t.Errorf("%d threads change the eigenvalues", threads)
			}
		}
		if acc, err := measures.Accuracy(truth, first.Labels); err != nil || acc < 0.95 {
			t.Errorf("%s: accuracy %g (%v), %d components, eigenvalues %v", m.Name(), acc, err, first.Components, first.Values)
		}
		for j, v := range first.Values {
			if v > 1 || j > 0 && v > first.Values[j-1] || first.Residuals[j] > 1e-9 {
				t.Errorf("%s: eigenvalues %v, residuals %v", m.Name(), first.Values, first.Residuals)
			}
		}
		for c, p := range first.Parts {
			if p.Y == nil || p.Dimension < 1 {
				t.Errorf("%s: cluster %d has dimension %d and no embedding: %q", m.Name(), c, p.Dimension, p.Warnings)
			} else if n, d := p.Y.Dims(); n != len(p.Rows) || d != p.Dimension {
				t.Errorf("%s: cluster %d: %d × %d", m.Name(), c, n, d)
			}
		}
	})
}

func TestClusterRefuses(t *testing.T) {
	x, _ := clouds(10, 10)
	r := refusing(t)
	r.cluster("", x, nil, ClusterOptions{Clusters: 2})
	r.cluster("", x, PCA{}, ClusterOptions{Clusters: 2})
	r.cluster("", x, LNP{Neighbors: 20}, ClusterOptions{Clusters: 2})
	r.cluster("Dim", x, LNP{}, ClusterOptions{Clusters: 2, Dim: -1})
	r.cluster("0 clusters", x, Spectral{}, ClusterOptions{})
	r.embed("", x, KMeans{}, Options{})
	r.cluster("", x, SMCE{Keep: 2}, ClusterOptions{Clusters: 2})
	r.cluster("", x, KMeans{Restarts: -1}, ClusterOptions{Clusters: 2})
}

// Clusters of one sample have no embedding, which is said.
func TestClustersWithoutEmbeddings(t *testing.T) {
	x, _ := clouds(9)
	for _, m := range []Method{LNP{}, SMCE{}, KMeans{}, Spectral{}} {
		for c, part := range clusteringOf(t, x, m, ClusterOptions{Clusters: 9, Embeddings: true}).Parts {
			if part.Y != nil || !strings.Contains(strings.Join(part.Warnings, "\n"), "1 samples have no embedding") {
				t.Errorf("%s: cluster %d has %v, warnings %q", m.Name(), c, part.Y, part.Warnings)
			}
		}
	}
}

// Copies have the label of their original, also with a constant column.
func TestCopiesKeepTogether(t *testing.T) {
	x, _ := clouds(15, 15)
	twice := mat.NewDense(60, 4, nil)
	for i := range 60 {
		twice.SetRow(i, append([]float64{7}, x.RawRowView(i%30)...))
	}
	each(t, clusterers(t), nil, func(t *testing.T, m Method) {
		r := clusteringOf(t, twice, m, ClusterOptions{Clusters: 2, Embeddings: true})
		if r.Duplicates != 30 || !slices.Equal(r.Labels[:30], r.Labels[30:]) {
			t.Errorf("%d duplicates, labels %v", r.Duplicates, r.Labels)
		}
	})
}

func TestTasks(t *testing.T) {
	want := map[string]string{"pca": "[embed]", "lnp": "[embed cluster]", "smce": "[embed cluster]", "kmeans": "[cluster]", "spectral": "[cluster]",
		"ds3": "[cluster select]", "esc-ffs": "[cluster select]", "dpp": "[select]", "ipm": "[select]"}
	for _, e := range Methods() {
		t.Run(e.Name, func(t *testing.T) {
			if w, ok := want[e.Name]; ok && fmt.Sprint(e.Tasks) != w || len(e.Tasks) == 0 {
				t.Errorf("tasks %v, want %s", e.Tasks, w)
			}
			for _, task := range e.Tasks {
				if _, err := NewFor(task, e.Name); err != nil {
					t.Error(err)
				}
			}
		})
	}
	if _, err := NewFor("cluster", "spectrl"); err == nil || !strings.Contains(err.Error(), `did you mean "spectral"`) {
		t.Errorf("got %v", err)
	}
}

func TestESCFFSSeparatesPlanes(t *testing.T) {
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

// The regularised form may leave more representatives than there are to be clusters.
func TestDS3RefusesMoreRepresentativesThanClusters(t *testing.T) {
	x := generate(t, "gaussians", 60, 1).X
	_, err := Cluster(t.Context(), x, DS3{Form: "regularised", Alpha: 1e-3}, ClusterOptions{Clusters: 2})
	if err == nil || !strings.Contains(err.Error(), "representatives for 2 clusters; give a larger alpha") {
		t.Errorf("the error is %v", err)
	}
}

// Four groups of three clouds have a layer of clouds, until the small one of each group is too small, and a layer of groups.
func TestLayersOfNestedClouds(t *testing.T) {
	var clouds, groups []int32
	for g := range int32(4) {
		for c, size := range []int{60, 60, 30} {
			clouds, groups = append(clouds, slices.Repeat([]int32{3*g + int32(c)}, size)...), append(groups, slices.Repeat([]int32{g}, size)...)
		}
	}
	x := mat.NewDense(len(clouds), 2, nil)
	blas.NewStream(3).Normals(x.RawMatrix().Data)
	for i, c := range clouds {
		x.Set(i, 0, x.At(i, 0)+[]float64{0, 15, 45}[c%3]+200*float64(groups[i]))
	}
	few := 5
	run := func(most, threads int) []density.Layer {
		r := clusteringOf(t, x, HDBSCAN{MinClusterSize: 20, MinSamples: &few, Layers: most}, ClusterOptions{Options: Options{Threads: threads}})
		return r.Hierarchy.Layers
	}
	layers := run(10, 1)
	if len(layers) != 2 || !slices.Equal(layers[0].Labels, clouds) || !slices.Equal(layers[1].Labels, groups) {
		t.Fatalf("layers %+v", layers)
	}
	for _, threads := range []int{2, 3} {
		if got := run(10, threads); !reflect.DeepEqual(got, layers) {
			t.Errorf("%d threads: %+v", threads, got)
		}
	}
	if only := run(1, 1); len(only) != 1 || only[0].Persistence != max(layers[0].Persistence, layers[1].Persistence) {
		t.Errorf("the only layer: %+v", only)
	}
	if none := run(0, 1); none != nil {
		t.Errorf("without layers: %+v", none)
	}
	lone := clusteringOf(t, x.Slice(0, 30, 0, 2), HDBSCAN{MinClusterSize: 16, Layers: 2}, ClusterOptions{})
	if len(lone.Hierarchy.Layers) > 0 || !slices.ContainsFunc(lone.Warnings, func(w string) bool { return strings.Contains(w, "no layers") }) {
		t.Errorf("a cloud: %+v, warnings %q", lone.Hierarchy.Layers, lone.Warnings)
	}
}
