package engine

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// scattered are n × m samples with a share of entries that are not 0, of any sign.
func scattered(n, m int, share float64) *sparse.CSR {
	stream := blas.NewStream(11)
	a := &sparse.CSR{Rows: n, Cols: m, Ptr: []int{0}}
	for range n {
		for j := range m {
			if stream.Uniform() < share {
				a.Col, a.Val = append(a.Col, int32(j)), append(a.Val, stream.Uniform()*3-1)
			}
		}
		a.Ptr = append(a.Ptr, len(a.Col))
	}
	return a
}

// sameUpToSigns reports whether the columns of two embeddings agree up to their signs.
func sameUpToSigns(got, want *mat.Dense, tolerance float64) error {
	n, d := want.Dims()
	size := mat.Max(want) - mat.Min(want)
	for c := range d {
		a, b := mat.Col(nil, c, got), mat.Col(nil, c, want)
		sign := 1.0
		if blas.Dot(a, b) < 0 {
			sign = -1
		}
		for i := range n {
			if !(math.Abs(sign*a[i]-b[i]) <= tolerance*size) {
				return fmt.Errorf("coordinate %d of sample %d is %v, want %v", c, i, sign*a[i], b[i])
			}
		}
	}
	return nil
}

// A pursuit, whose walk has several classes, finds the same of sparse samples, whose largest
// component is compared alone; its model holds them in compressed rows.
func TestEmbedSparse(t *testing.T) {
	a := scattered(300, 200, 0.05)
	for _, m := range []Method{LNP{Neighbors: 12}, SMCE{Neighbors: 12}} {
		got, model := fittedModel(t, a, m, Options{Components: "largest"})
		want := embed(t, a.Dense(), m, Options{Components: "largest"})
		if !got.Sparse || !slices.Equal(got.Sizes, want.Sizes) || apartIn(got.Values, want.Values, 1e-9) != "" {
			t.Errorf("%s: sparse %v, components %v, eigenvalues %v; want %v, %v", m.Name(), got.Sparse, got.Sizes, got.Values, want.Sizes, want.Values)
		}
		if want.Sizes[0] == 300 {
			if err := sameUpToSigns(got.Y, want.Y, 1e-7); err != nil {
				t.Error(err)
			}
		}
		if parts := partsOf(t, model); parts.Compressed["samples"] == nil || parts.Arrays["samples"] != nil {
			t.Error("the model does not hold its samples in compressed rows")
		}
	}
}

// A method's alignment matrix is that of the same samples dense.
func TestAlignmentSparse(t *testing.T) {
	a := scattered(300, 200, 0.05)
	for _, m := range []Method{LE{Neighbors: 8}, LLE{Neighbors: 8}, MLLE{Neighbors: 8}, NEML{Neighbors: 8}, HLLE{Neighbors: 9}, LTSA{Neighbors: 8},
		NLLE{Neighbors: 8}, NLE{Neighbors: 8}, LNP{Neighbors: 12}, SMCE{Neighbors: 12}} {
		got := must(Alignment(context.Background(), a, m, Options{}))(t)
		want := must(Alignment(context.Background(), a.Dense(), m, Options{}))(t)
		if !slices.Equal(got.Ptr, want.Ptr) || !slices.Equal(got.Col, want.Col) {
			t.Errorf("%s: another pattern", m.Name())
			continue
		}
		for p, v := range want.Val {
			if !(math.Abs(got.Val[p]-v) <= 1e-10*want.RowSumNorm()) {
				t.Errorf("%s: entry %d is %v, want %v", m.Name(), p, got.Val[p], v)
				break
			}
		}
	}
}

// Landmarks, components, merged copies and the clusters of a graph do not make sparse
// samples dense, nor give other coordinates.
func TestEmbedSparseSettings(t *testing.T) {
	grouped, _ := topics(150, 60, 8) // three components
	whole := scattered(200, 60, 0.1)
	whole.Col, whole.Val = append(whole.Col, whole.Col[:whole.Ptr[20]]...), append(whole.Val, whole.Val[:whole.Ptr[20]]...)
	for i := range 20 { // 20 copies
		whole.Ptr = append(whole.Ptr, whole.Ptr[200]+whole.Ptr[i+1])
	}
	whole.Rows += 20
	for _, c := range []struct {
		name string
		x    *sparse.CSR
		m    Method
		o    Options
	}{
		{"bridge", grouped, LE{Neighbors: 6}, Options{Components: "bridge"}},
		{"bridge of parts", grouped, MLLE{Neighbors: 6}, Options{Components: "bridge"}},
		{"each", grouped, LE{Neighbors: 6}, Options{Components: "each"}},
		{"copies", whole, LLE{Neighbors: 8}, Options{Duplicates: "merge"}},
		{"random landmarks", whole, LTSA{Neighbors: 8}, Options{Landmarks: 120, LandmarkChoice: "random", Duplicates: "merge"}},
		{"far landmarks", whole, LLE{Neighbors: 8}, Options{Landmarks: 120, LandmarkChoice: "farthest", Duplicates: "merge"}},
		{"landmarks of paths", whole, Isomap{Neighbors: 8}, Options{Landmarks: 60, LandmarkChoice: "random"}},
		{"threads", whole, NEML{Neighbors: 8}, Options{Threads: 3, Duplicates: "merge"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := embed(t, c.x, c.m, c.o)
			want := embed(t, c.x.Dense(), c.m, c.o)
			if !got.Sparse || got.Duplicates != want.Duplicates || got.Components != want.Components {
				t.Errorf("sparse %v, %d copies, %d components; want %d and %d", got.Sparse, got.Duplicates, got.Components, want.Duplicates, want.Components)
			}
			if err := sameUpToSigns(got.Y, want.Y, 1e-6); err != nil {
				t.Error(err)
			}
			c.o.Threads = 2
			again := embed(t, c.x, c.m, c.o)
			if !mat.Equal(again.Y, got.Y) {
				t.Error("other bits with other threads")
			}
		})
	}
	got := clusteringOf(t, grouped, Spectral{Neighbors: 6}, ClusterOptions{Clusters: 2, Embeddings: true})
	want := clusteringOf(t, grouped.Dense(), Spectral{Neighbors: 6}, ClusterOptions{Clusters: 2, Embeddings: true})
	if !got.Sparse || !slices.Equal(got.Labels, want.Labels) || got.Parts[0].Dimension != want.Parts[0].Dimension {
		t.Errorf("sparse %v, labels %v, want %v", got.Sparse, got.Labels, want.Labels)
	}
}

// Samples of no ordinary size are divided, sparse ones too.
func TestEmbedSparseMagnitudes(t *testing.T) {
	a := scattered(120, 60, 0.1)
	want := embed(t, a, Isomap{Neighbors: 6}, Options{})
	large := &sparse.CSR{Rows: a.Rows, Cols: a.Cols, Ptr: a.Ptr, Col: a.Col, Val: slices.Clone(a.Val)}
	for p := range large.Val {
		large.Val[p] = math.Ldexp(large.Val[p], 500)
	}
	got := embed(t, large, Isomap{Neighbors: 6}, Options{})
	got.Y.Scale(math.Ldexp(1, -500), got.Y)
	if !got.Sparse || !mat.EqualApprox(got.Y, want.Y, 1e-10) {
		t.Error("samples times a power of two have another embedding")
	}
	model := must(got.Model())(t)
	var file bytes.Buffer
	if err := model.Save(&file); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadModel(&file); err != nil {
		t.Fatal(err)
	}
	if _, err := model.Transform(context.Background(), large.RowRange(0, 5), Options{}); err != nil {
		t.Fatal(err)
	}
}

func TestEmbedSparseRefusals(t *testing.T) {
	r := refusing(t)
	changed := func(change func(a *sparse.CSR)) *sparse.CSR {
		a := scattered(40, 60, 0.2)
		change(a)
		return a
	}
	r.embed("", changed(func(a *sparse.CSR) { a.Val[a.Ptr[2]] = math.NaN() }), LLE{}, Options{})
	r.embed("", changed(func(a *sparse.CSR) { a.Val[a.Ptr[2]] = math.Inf(1) }), LE{}, Options{})
	r.embed("the origin", changed(func(a *sparse.CSR) { clear(a.Val[a.Ptr[4]:a.Ptr[5]]) }), LE{Weights: "cosine"}, Options{Components: "joint"})
	r.embed("a column outside", changed(func(a *sparse.CSR) { a.Col[0] = 70 }), LLE{}, Options{})
}

// Nothing of the size of the dense samples is allocated.
func TestEmbedSparseStaysSparse(t *testing.T) {
	const n, m = 300, 60_000
	a, _ := topics(n, m, 60)
	for _, method := range []Method{LE{Neighbors: 6}, LLE{Neighbors: 6}, LTSA{Neighbors: 6}, Isomap{Neighbors: 6}} {
		t.Run(method.Name(), func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r := embed(t, a, method, Options{Threads: 2, Components: "largest"})
			model := must(r.Model())(t)
			if _, err := model.Transform(context.Background(), a, Options{Threads: 2}); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 8*n*m/2 {
				t.Errorf("%d MiB are allocated, where the dense samples are %d", bytes>>20, 8*n*m>>20)
			}
		})
	}
}

// Principal components of sparse samples are those of the dense ones, whichever side is
// the smaller, and of data far from the origin, too.
func TestPrincipalComponentsSparse(t *testing.T) {
	far := scattered(400, 30, 0.3)
	for q := range far.Val {
		far.Val[q] += 1e4
	}
	for _, a := range []*sparse.CSR{scattered(300, 60, 0.1), scattered(60, 300, 0.1), scattered(900, 800, 0.02), far} {
		for _, m := range []Method{PCA{Dim: 3}, MDS{Dim: 3}} {
			got := embed(t, a, m, Options{Threads: 2})
			want := embed(t, a.Dense(), m, Options{})
			if err := sameUpToSigns(got.Y, want.Y, 1e-7); err != nil || !got.Sparse {
				t.Errorf("%s: sparse %v, %v", m.Name(), got.Sparse, err)
			}
			shares := want.Details["explained_variance_ratio"].([]float64)
			for j, v := range got.Details["explained_variance_ratio"].([]float64) {
				if math.Abs(got.Values[j]-want.Values[j]) > 1e-10*want.Values[0] || math.Abs(v-shares[j]) > 1e-10 {
					t.Errorf("%s: variance %v of share %v, want %v of %v", m.Name(), got.Values[j], v, want.Values[j], shares[j])
				}
			}
			model := must(got.Model())(t)
			for _, x := range []mat.Matrix{a, a.Dense()} {
				y, err := model.Transform(context.Background(), x, Options{})
				if err != nil || !mat.EqualApprox(y, got.Y, 1e-9*math.Max(1, mat.Max(got.Y))) {
					t.Errorf("%s: samples of the fit get other coordinates: %v", m.Name(), err)
				}
			}
		}
	}
}

// topics are n sparse samples of m columns, of three groups with columns of their own.
func topics(n, m, entries int) (*sparse.CSR, []int64) {
	stream := blas.NewStream(5)
	a, labels := &sparse.CSR{Rows: n, Cols: m, Ptr: []int{0}}, make([]int64, n)
	for i := range n {
		labels[i] = int64(i % 3)
		taken := map[int32]bool{}
		for range entries {
			taken[int32(stream.Below(m/3)+i%3*(m/3))] = true
		}
		cols := make([]int32, 0, entries)
		for j := range taken {
			cols = append(cols, j)
		}
		slices.Sort(cols)
		for _, j := range cols {
			a.Col, a.Val = append(a.Col, j), append(a.Val, 1+stream.Uniform())
		}
		a.Ptr = append(a.Ptr, len(a.Col))
	}
	return a, labels
}

// A sample of zeros has the cluster that it has among dense samples, and clusters are embedded from
// their own rows.
func TestClusterSparse(t *testing.T) {
	a, _ := topics(60, 30, 8)
	zero := &sparse.CSR{Rows: a.Rows, Cols: a.Cols, Ptr: slices.Clone(a.Ptr), Col: a.Col[a.Ptr[1]:], Val: a.Val[a.Ptr[1]:]}
	for i := range zero.Ptr {
		zero.Ptr[i] = max(a.Ptr[i]-a.Ptr[1], 0)
	}
	for _, m := range []Method{DSMF{}, NMF{}, KMeans{}} {
		found, dense := clusteringOf(t, zero, m, ClusterOptions{Clusters: 3}), clusteringOf(t, zero.Dense(), m, ClusterOptions{Clusters: 3})
		if !slices.Equal(found.Labels, dense.Labels) || !found.Sparse {
			t.Errorf("%s: %v, dense %v; sparse %v", m.Name(), found.Labels, dense.Labels, found.Sparse)
		}
	}
	o := ClusterOptions{Clusters: 3, Embeddings: true, Dim: 2}
	found, dense := clusteringOf(t, a, NMF{}, o), clusteringOf(t, a.Dense(), NMF{}, o)
	for c, part := range found.Parts {
		if part.Y == nil || sameUpToSigns(part.Y, dense.Parts[c].Y, 1e-9) != nil || part.Dimension != dense.Parts[c].Dimension {
			t.Errorf("cluster %d: %v, want %v", c, part, dense.Parts[c])
		}
	}
}

// compressedRows is a source that holds its rows, and cannot give them out dense.
type compressedRows struct{ *sparse.CSR }

func (s compressedRows) Cols() int                   { return s.CSR.Cols }
func (s compressedRows) Rows() int                   { return s.CSR.Rows }
func (s compressedRows) Next([]float64) (int, error) { return 0, io.ErrUnexpectedEOF }
func (s compressedRows) Sparse() *sparse.CSR         { return s.CSR }

type keptRows struct{ blocks []*mat.Dense }

func (k *keptRows) Write(rows *mat.Dense) error {
	k.blocks = append(k.blocks, mat.DenseCopyOf(rows))
	return nil
}

// Sparse new samples are streamed as they are mapped in one piece, and what is wrong is said by row.
func TestTransformSparse(t *testing.T) {
	a, _ := topics(60, 30, 8)
	r := refusing(t)
	for _, m := range []Method{NMF{}, NMFKL{}, GNMF{Neighbors: 4}, CIMNMF{}} {
		ready := must(must(factorized(t, a, m, FactorizeOptions{}).Model())(t).Prepare(Options{}))(t)
		kept, want := &keptRows{}, must(ready.Apply(t.Context(), a))(t)
		if done := must(ready.Stream(t.Context(), compressedRows{a}, kept))(t); done.Rows != 60 || len(kept.blocks) != 1 || !mat.Equal(kept.blocks[0], want) {
			t.Errorf("%s: a stream of %d rows in %d blocks", m.Name(), done.Rows, len(kept.blocks))
		}
		for _, v := range []float64{-1, math.Inf(1)} {
			bad := &sparse.CSR{Rows: a.Rows, Cols: a.Cols, Ptr: a.Ptr, Col: a.Col, Val: slices.Clone(a.Val)}
			bad.Val[a.Ptr[2]] = v
			r.of(m.Name(), failed(ready.Apply(t.Context(), bad)))
		}
	}
}

// Blocks of a long stream come in their order, and errors name the row of the input.
func TestStreamSparseBlocks(t *testing.T) {
	const block = 4096 // compressed rows that are mapped at a time
	a, _ := topics(block+50, 30, 3)
	model := must(factorized(t, a.RowRange(0, 90), NMFKL{Updates: Updates{Iterations: 5}}, FactorizeOptions{}).Model())(t)
	ready := must(model.Prepare(Options{}))(t)
	want := must(ready.Apply(context.Background(), a))(t)
	kept := &keptRows{}
	if done, err := ready.Stream(context.Background(), compressedRows{a}, kept); err != nil || done.Rows != block+50 || len(kept.blocks) != 2 {
		t.Fatalf("%d rows in %d blocks, %v", done.Rows, len(kept.blocks), err)
	}
	var whole mat.Dense
	whole.Stack(kept.blocks[0], kept.blocks[1])
	if !mat.Equal(&whole, want) {
		t.Error("the blocks are other coordinates than the whole")
	}
	a.Val[a.Ptr[block+1]] = math.NaN()
	if _, err := ready.Stream(context.Background(), compressedRows{a}, &keptRows{}); err == nil || !strings.Contains(err.Error(), "row 4098 (counting from 1) has NaN") {
		t.Errorf("error %v", err)
	}
}

// Nothing of the size of the dense samples is allocated.
func TestSparseInputStaysSparse(t *testing.T) {
	const n, m = 300, 60_000
	a, labels := topics(n, m, 60)
	allocated := func(f func()) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	few := Updates{Iterations: 10}
	for _, method := range []Method{NMF{Updates: few}, NMFKL{Updates: few}, GNMF{Neighbors: 4, Updates: few}} {
		t.Run(method.Name(), func(t *testing.T) {
			var model *Model
			for what, f := range map[string]func(){
				"cluster": func() {
					if _, err := Cluster(context.Background(), a, method, ClusterOptions{Clusters: countOf(method, 3), Options: Options{Threads: 2}}); err != nil {
						t.Fatal(err)
					}
				},
				"transform": func() {
					r := factorized(t, a, method, FactorizeOptions{Rank: 3, Options: Options{Threads: 2, Labels: labels}})
					model = must(r.Model())(t)
					if _, err := model.Transform(context.Background(), a, Options{Threads: 2}); err != nil {
						t.Fatal(err)
					}
				},
			} {
				if bytes := allocated(f); bytes > 8*n*m/2 {
					t.Errorf("%s of %s allocates %d MiB, where the dense samples are %d", what, method.Name(), bytes>>20, 8*n*m>>20)
				}
			}
		})
	}
}
