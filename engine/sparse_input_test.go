package engine

import (
	"context"
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

var sparseMethods = []Method{NMF{}, NMFKL{}, L21NMF{}, GNMF{Neighbors: 4}, NPAF{Neighbors: 4}, GSGNMF{}, CIMNMF{}, CIMGNMF{Neighbors: 4}, LPRNA{P: 10}}

// A clustering of sparse samples is that of the same samples dense.
func TestClusterSparse(t *testing.T) {
	a, _ := topics(60, 30, 8)
	first := a.Ptr[1] // the first sample becomes one of zeros
	a.Col, a.Val = a.Col[first:], a.Val[first:]
	for i := range a.Ptr {
		a.Ptr[i] = max(a.Ptr[i]-first, 0)
	}
	for _, m := range append(slices.Clone(sparseMethods), NMF{LeastSquares: LeastSquares{Solver: "hals"}}, DSMF{}, RMNMF{}, KMeans{}) {
		t.Run(m.Name(), func(t *testing.T) {
			found := clusteringOf(t, a, m, ClusterOptions{Clusters: 3})
			dense := clusteringOf(t, a.Dense(), m, ClusterOptions{Clusters: 3})
			if !slices.Equal(found.Labels, dense.Labels) || found.Duplicates != dense.Duplicates || found.Components != dense.Components {
				t.Errorf("%s: %v, %d copies, %d components; dense %v, %d, %d", m.Name(), found.Labels, found.Duplicates, found.Components, dense.Labels, dense.Duplicates, dense.Components)
			}
			if stays := m.Name() != "rmnmf"; found.Sparse != stays || dense.Sparse {
				t.Errorf("%s: sparse %v, want %v", m.Name(), found.Sparse, stays)
			}
		})
	}
	// Clusters are embedded from their own rows.
	o := ClusterOptions{Clusters: 3, Embeddings: true, Dim: 2}
	found := clusteringOf(t, a, NMF{}, o)
	dense := clusteringOf(t, a.Dense(), NMF{}, o)
	for c, part := range found.Parts {
		if part.Y == nil || sameUpToSigns(part.Y, dense.Parts[c].Y, 1e-9) != nil || part.Dimension != dense.Parts[c].Dimension {
			t.Errorf("cluster %d: %v, want %v", c, part, dense.Parts[c])
		}
	}
}

func TestClusterSparseRefusals(t *testing.T) {
	for _, c := range []struct {
		value float64
		m     Method
		o     ClusterOptions
		want  string
	}{
		{math.NaN(), NMF{}, ClusterOptions{Clusters: 2}, "is NaN; remove or fill in"},
		{-1, GNMF{}, ClusterOptions{Clusters: 2}, "is -1; give entries ≥ 0"},
		{1, RMNMF{}, ClusterOptions{Clusters: 2, Options: Options{Memory: 1000}}, "needs the 12 × 30 sparse data dense"},
		{1, NMF{}, ClusterOptions{Clusters: 2, Options: Options{Memory: 10}}, "where the limit is 10 B"},
		{1, NMF{}, ClusterOptions{Clusters: 13}, "13 clusters asked of 12 samples"},
	} {
		t.Run(c.want, func(t *testing.T) {
			a, _ := topics(12, 30, 4)
			a.Val[7] = c.value
			if _, err := Cluster(context.Background(), a, c.m, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: error %v, want one with %q", c.m.Name(), err, c.want)
			}
		})
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

// Sparse new samples get the coordinates of dense ones, as a matrix and as a stream.
func TestTransformSparse(t *testing.T) {
	a, _ := topics(60, 30, 8)
	dense := a.Dense()
	for _, m := range append(slices.Clone(sparseMethods), NMF{LeastSquares: LeastSquares{Solver: "hals"}}) {
		t.Run(m.Name(), func(t *testing.T) {
			model := must(factorized(t, a, m, FactorizeOptions{}).Model())(t)
			ready := must(model.Prepare(Options{}))(t)
			want := must(ready.Apply(context.Background(), dense))(t)
			got := must(ready.Apply(context.Background(), a))(t)
			// Sums in another order, over 200 steps that contract.
			if !mat.EqualApprox(got, want, 1e-9*mat.Max(want)) {
				t.Errorf("%s: other coordinates of sparse samples", m.Name())
			}
			kept := &keptRows{}
			done, err := ready.Stream(context.Background(), compressedRows{a}, kept)
			if err != nil || done.Rows != 60 {
				t.Errorf("%d rows streamed: %v", done.Rows, err)
			}
			if len(kept.blocks) != 1 || !mat.Equal(kept.blocks[0], got) {
				t.Errorf("%s: a stream of %d rows in %d blocks, %v", m.Name(), done.Rows, len(kept.blocks), err)
			}
			for value, want := range map[float64]string{-1: "row 3 (counting from 1) has -1", math.Inf(1): "row 3 (counting from 1) has +Inf"} {
				bad := &sparse.CSR{Rows: a.Rows, Cols: a.Cols, Ptr: a.Ptr, Col: a.Col, Val: slices.Clone(a.Val)}
				bad.Val[a.Ptr[2]] = value
				if _, err := ready.Apply(context.Background(), bad); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: error %v, want one with %q", m.Name(), err, want)
				}
			}
		})
	}
}

// Blocks of a long stream come in their order, and errors name the row of the input.
func TestStreamSparseBlocks(t *testing.T) {
	a, _ := topics(sparseBlock+50, 30, 3)
	model := must(factorized(t, a.RowRange(0, 90), NMFKL{Updates: Updates{Iterations: 5}}, FactorizeOptions{}).Model())(t)
	ready := must(model.Prepare(Options{}))(t)
	want := must(ready.Apply(context.Background(), a))(t)
	kept := &keptRows{}
	if done, err := ready.Stream(context.Background(), compressedRows{a}, kept); err != nil || done.Rows != sparseBlock+50 || len(kept.blocks) != 2 {
		t.Fatalf("%d rows in %d blocks, %v", done.Rows, len(kept.blocks), err)
	}
	var whole mat.Dense
	whole.Stack(kept.blocks[0], kept.blocks[1])
	if !mat.Equal(&whole, want) {
		t.Error("the blocks are other coordinates than the whole")
	}
	a.Val[a.Ptr[sparseBlock+1]] = math.NaN()
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
					if _, err := Cluster(context.Background(), a, method, ClusterOptions{Clusters: 3, Options: Options{Threads: 2}}); err != nil {
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
