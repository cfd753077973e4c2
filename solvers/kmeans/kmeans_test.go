package kmeans_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/solvers/kmeans"
	"github.com/orthant-go/orthant/sparse"
)

// blobs draws n samples around this many corners of a cube, sample i around
// corner i mod corners.
func blobs(seed uint64, n, m, corners int, spread float64) []float64 {
	s := blas.NewStream(seed)
	x := make([]float64, n*m)
	s.Normals(x)
	blas.Scale(spread, x)
	for i := range n {
		for j := range m {
			if (i%corners)>>j&1 == 1 {
				x[i*m+j] += 10
			}
		}
	}
	return x
}

// checkPartition holds a partition to what defines it: every sample at the nearest
// centre, every centre the mean of its samples, cost and sizes what they say.
func checkPartition(t *testing.T, what string, x []float64, n, m int, p *kmeans.Partition) {
	t.Helper()
	clusters := len(p.Sizes)
	means, counts, cost := make([]float64, clusters*m), make([]int, clusters), 0.0
	for i := range n {
		row := x[i*m : (i+1)*m]
		own := blas.SquaredDistance(row, p.Centers[p.Labels[i]*m:(p.Labels[i]+1)*m])
		cost += own
		for c := range clusters {
			if d := blas.SquaredDistance(row, p.Centers[c*m:(c+1)*m]); d < own*(1-1e-12) {
				t.Errorf("%s: sample %d is nearer to centre %d than to its own", what, i, c)
			}
		}
		counts[p.Labels[i]]++
		blas.Axpy(1, row, means[p.Labels[i]*m:(p.Labels[i]+1)*m])
	}
	if !slices.Equal(counts, p.Sizes) {
		t.Errorf("%s: sizes %v, counted %v", what, p.Sizes, counts)
	}
	if math.Abs(cost-p.Cost) > 1e-10*cost {
		t.Errorf("%s: cost %g, summed %g", what, p.Cost, cost)
	}
	for c, count := range counts {
		for j := range m {
			if count > 0 && math.Abs(means[c*m+j]/float64(count)-p.Centers[c*m+j]) > 1e-10 {
				t.Errorf("%s: centre %d is not the mean of its samples", what, c)
			}
		}
	}
}

func TestKMeansFindsBlobs(t *testing.T) {
	for _, c := range []struct{ n, m, clusters int }{{400, 3, 8}, {3000, 5, 4}, {64, 2, 2}, {10, 1, 2}} {
		t.Run(fmt.Sprintf("%v", c), func(t *testing.T) {
			x := blobs(7, c.n, c.m, c.clusters, 0.5)
			p := must.Get(kmeans.KMeans(context.Background(), x, c.n, c.m, c.clusters, kmeans.KMeansOptions{}))(t)
			for i, l := range p.Labels { // clusters are numbered by their first samples
				if l != i%c.clusters {
					t.Fatalf("%v: sample %d is in cluster %d", c, i, l)
				}
			}
			checkPartition(t, fmt.Sprint(c), x, c.n, c.m, p)
			if !p.Converged || p.FirstCost < p.Cost {
				t.Errorf("%v: converged %v, cost %g then %g", c, p.Converged, p.FirstCost, p.Cost)
			}
		})
	}
}

// On structureless data the result is a fixed point of Lloyd's iteration, more
// restarts cost no more, and threads change no bit.
func TestKMeansIsAFixedPoint(t *testing.T) {
	for _, c := range []struct{ n, m, clusters int }{{500, 2, 7}, {1500, 10, 30}, {50, 3, 50}, {50, 3, 1}, {700, 1, 12}} {
		t.Run(fmt.Sprintf("%v", c), func(t *testing.T) {
			x := blobs(3, c.n, c.m, 1, 1)
			var one, ten *kmeans.Partition
			for _, restarts := range []int{1, 10} {
				var err error
				one = ten
				if ten, err = kmeans.KMeans(context.Background(), x, c.n, c.m, c.clusters, kmeans.KMeansOptions{Restarts: restarts, Seed: 5}); err != nil {
					t.Fatal(err)
				}
				checkPartition(t, fmt.Sprint(c), x, c.n, c.m, ten)
			}
			if ten.Cost > one.Cost {
				t.Errorf("%v: ten restarts cost %g, the first of them %g", c, ten.Cost, one.Cost)
			}
			for _, threads := range []int{1, 3} {
				again, err := kmeans.KMeans(context.Background(), x, c.n, c.m, c.clusters, kmeans.KMeansOptions{Seed: 5, Threads: threads})
				if err != nil || !slices.Equal(again.Labels, ten.Labels) || again.Cost != ten.Cost {
					t.Errorf("%v: %d threads change the result (%v)", c, threads, err)
				}
			}
		})
	}
}

func TestKMeansEdges(t *testing.T) {
	ctx := context.Background()
	x := []float64{1, 1, 1, 1, 2}
	p, err := kmeans.KMeans(ctx, x, 5, 1, 2, kmeans.KMeansOptions{})
	if err != nil || p.Cost != 0 || !slices.Equal(p.Labels, []int{0, 0, 0, 0, 1}) {
		t.Errorf("two distinct samples: %+v, %v", p, err)
	}
	// Fewer distinct samples than clusters.
	p, err = kmeans.KMeans(ctx, x, 5, 1, 4, kmeans.KMeansOptions{})
	if err != nil {
		t.Fatalf("two distinct samples, four clusters: %v", err)
	}
	if p.Cost != 0 || !p.Converged {
		t.Errorf("two distinct samples, four clusters: cost %v, converged %v", p.Cost, p.Converged)
	}
	if !slices.Equal(p.Labels, []int{0, 0, 0, 0, 1}) {
		t.Errorf("two distinct samples, four clusters: labels %v", p.Labels)
	}
	if !slices.Equal(p.Sizes, []int{4, 1, 0, 0}) {
		t.Errorf("two distinct samples, four clusters: sizes %v", p.Sizes)
	}
	for _, clusters := range []int{0, -1, 6} {
		if _, err := kmeans.KMeans(ctx, x, 5, 1, clusters, kmeans.KMeansOptions{}); err == nil {
			t.Errorf("%d clusters of 5 samples are not refused", clusters)
		}
	}
	if _, err := kmeans.KMeans(ctx, []float64{1, math.NaN()}, 2, 1, 1, kmeans.KMeansOptions{}); err == nil {
		t.Error("NaN is not refused")
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := kmeans.KMeans(cancelled, x, 5, 1, 2, kmeans.KMeansOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	limited, err := kmeans.KMeans(ctx, blobs(3, 500, 2, 1, 1), 500, 2, 9, kmeans.KMeansOptions{Iterations: 2, Restarts: 1})
	if err != nil || limited.Converged || limited.Iterations != 2 {
		t.Errorf("two iterations: %+v, %v", limited, err)
	}
}

func BenchmarkKMeans(b *testing.B) {
	const n, m = 20000, 16
	x := blobs(1, n, m, 16, 2)
	for b.Loop() {
		if _, err := kmeans.KMeans(context.Background(), x, n, m, 16, kmeans.KMeansOptions{Restarts: 1}); err != nil {
			b.Fatal(err)
		}
	}
}

// Samples that differ by rounding alone, between which the centres would go to and fro.
func TestKMeansOfRounding(t *testing.T) {
	x := []float64{0.2959288416173441, 1.9402802008674658, 0.2959288416173441, 1.9402802008674658,
		0.2959288416173441, 1.9402802008674658, 0.2959288416173442, 1.9402802008674658}
	for seed := range uint64(5) {
		p, err := kmeans.KMeans(context.Background(), x, 4, 2, 2, kmeans.KMeansOptions{Restarts: 10, Iterations: 300, Tolerance: 1e-6, Seed: seed})
		if err != nil || !p.Converged || p.Cost > 1e-30 {
			t.Errorf("seed %d: %+v, %v", seed, p, err)
		}
	}
}

// Sparse samples are partitioned as the same dense ones are, with the same draws.
func TestKMeansSparse(t *testing.T) {
	const n, m = 700, 40
	stream := blas.NewStream(5)
	a := &sparse.CSR{Rows: n, Cols: m, Ptr: []int{0}}
	for i := range n {
		for j := range m {
			if own := j/8 == i%5; own && stream.Uniform() < 0.6 || stream.Uniform() < 0.05 {
				a.Col, a.Val = append(a.Col, int32(j)), append(a.Val, 1+stream.Uniform())
			}
		}
		a.Ptr = append(a.Ptr, len(a.Col))
	}
	x := a.Dense().RawMatrix().Data
	for _, o := range []kmeans.KMeansOptions{{Seed: 3, Threads: 1}, {Seed: 3, Threads: 7}, {Seed: 4, Restarts: 2, Tolerance: 1e-3}} {
		got := must.Get(kmeans.KMeansSparse(context.Background(), a, 5, o))(t)
		want := must.Get(kmeans.KMeans(context.Background(), x, n, m, 5, o))(t)
		if !slices.Equal(got.Labels, want.Labels) || !slices.Equal(got.Sizes, want.Sizes) || got.Iterations != want.Iterations || !slices.Equal(got.Centers, want.Centers) {
			t.Errorf("seed %d: other clusters than of dense samples, %v and %v", o.Seed, got.Sizes, want.Sizes)
		}
		if math.Abs(got.Cost-want.Cost) > 1e-11*want.Cost || math.Abs(got.FirstCost-want.FirstCost) > 1e-11*want.FirstCost {
			t.Errorf("cost %v and %v, of dense samples %v and %v", got.FirstCost, got.Cost, want.FirstCost, want.Cost)
		}
		if o.Tolerance == 0 {
			checkPartition(t, "sparse", x, n, m, got)
		}
	}
	// Fewer distinct samples than clusters: copies stay together.
	few := &sparse.CSR{Rows: 6, Cols: 3, Ptr: []int{0, 2, 4, 6, 6, 6, 8}, Col: []int32{0, 2, 0, 2, 0, 2, 0, 2}, Val: []float64{0.1, 0.7, 0.1, 0.7, 0.1, 0.7, 0.1, 0.7}}
	p, err := kmeans.KMeansSparse(context.Background(), few, 4, kmeans.KMeansOptions{})
	if err != nil || p.Cost != 0 || !slices.Equal(p.Labels, []int{0, 0, 0, 1, 1, 0}) {
		t.Errorf("two distinct samples: %+v, %v", p, err)
	}
	for _, c := range []struct {
		a        *sparse.CSR
		clusters int
	}{{few, 0}, {few, 7}, {&sparse.CSR{Rows: 1, Cols: 1, Ptr: []int{0, 1}, Col: []int32{0}, Val: []float64{math.NaN()}}, 1}, {&sparse.CSR{Rows: 1, Cols: 1, Ptr: []int{0, 1}, Col: []int32{3}, Val: []float64{1}}, 1}} {
		if _, err := kmeans.KMeansSparse(context.Background(), c.a, c.clusters, kmeans.KMeansOptions{}); err == nil {
			t.Errorf("%d clusters of %d rows were found", c.clusters, c.a.Rows)
		}
	}
}
