package alm

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// cones draws n samples of m columns in r cones around random directions, with noise, some
// of them far off, and their cones.
func cones(seed uint64, n, m, r int) (x []float64, labels []int) {
	s := blas.NewStream(seed)
	axes, noise := make([]float64, r*m), make([]float64, m)
	s.Normals(axes)
	x, labels = make([]float64, n*m), make([]int, n)
	for i := range n {
		c := i % r
		labels[i] = c
		s.Normals(noise)
		size := 0.2
		if i%11 == 0 {
			size = 1.5
		}
		length := 0.5 + s.Uniform()
		for j := range m {
			x[i*m+j] = length*axes[c*m+j] + size*noise[j]
		}
	}
	return x, labels
}

func optionsOf(r int) Options { return Options{Rank: r, Kernels: blas.MustSelect("")} }

// feasible checks WᵀW = I, W ≥ 0, and that the positive entry of each row matches its label.
func feasible(t *testing.T, n, r int, w []float64, labels []int) {
	t.Helper()
	for k := range r {
		for l := range r {
			var sum float64
			for i := range n {
				sum += w[i*r+k] * w[i*r+l]
			}
			want := 0.0
			if k == l {
				want = 1
			}
			if math.Abs(sum-want) > 1e-12 {
				t.Fatalf("column %d times column %d is %v", k, l, sum)
			}
		}
	}
	for i := range n {
		for k := range r {
			if (w[i*r+k] > 0) != (k == labels[i]) || w[i*r+k] < 0 {
				t.Fatalf("sample %d of cluster %d has %v", i, labels[i], w[i*r:(i+1)*r])
			}
		}
	}
}

// lossOf is Σ ‖(X − WH)ᵢ‖.
func lossOf(n, m, r int, x, w, h []float64) float64 {
	var loss float64
	for i := range n {
		var d float64
		for j := range m {
			v := x[i*m+j]
			for k := range r {
				v -= w[i*r+k] * h[k*m+j]
			}
			d += v * v
		}
		loss += math.Sqrt(d)
	}
	return loss
}

// In the plane the best ray of a cluster is found by trying all angles.
func TestRaysAreThoseOfAllAngles(t *testing.T) {
	const n, m, r, angles = 90, 2, 3, 20000
	for seed := range uint64(8) {
		x, labels := cones(seed+1, n, m, r)
		w, h := must.Two(Rays(context.Background(), n, m, x, r, labels, nil, optionsOf(r)))(t)
		feasible(t, n, r, w, labels)
		var want float64
		for c := range r {
			best := math.Inf(1)
			for a := range angles {
				u := [2]float64{math.Cos(2 * math.Pi * float64(a) / angles), math.Sin(2 * math.Pi * float64(a) / angles)}
				var loss float64
				for i, own := range labels {
					if own == c {
						p := max(0, x[2*i]*u[0]+x[2*i+1]*u[1])
						loss += math.Hypot(x[2*i]-p*u[0], x[2*i+1]-p*u[1])
					}
				}
				best = min(best, loss)
			}
			want += best
		}
		if got := lossOf(n, m, r, x, w, h); got > want*(1+1e-4) {
			t.Errorf("seed %d: the loss is %v, by all angles %v", seed, got, want)
		}
	}
}

// The fit does not raise the loss of the directions that it begins at, and ends where no
// turn of a ray lowers it.
func TestRaysDescend(t *testing.T) {
	const n, m, r = 80, 7, 4
	x, labels := cones(5, n, m, r)
	from := make([]float64, r*m)
	blas.NewStream(6).Normals(from)
	for c := range r { // near the cones, where rays see their samples
		for j := range m {
			from[c*m+j] = x[c*m+j] + 0.3*from[c*m+j]
		}
	}
	projected := func(h []float64) float64 { // the loss of these directions, with the best entries
		var loss float64
		for i, c := range labels {
			u, row := h[c*m:(c+1)*m], x[i*m:(i+1)*m]
			p := max(0, blas.Dot(u, row)) / blas.Dot(u, u)
			var d float64
			for j, v := range row {
				d += (v - p*u[j]) * (v - p*u[j])
			}
			loss += math.Sqrt(d)
		}
		return loss
	}
	w, h := must.Two(Rays(context.Background(), n, m, x, r, labels, from, optionsOf(r)))(t)
	after := lossOf(n, m, r, x, w, h)
	if before := projected(from); after > before {
		t.Errorf("the loss rises from %v to %v", before, after)
	}
	turn := make([]float64, r*m)
	for seed := range uint64(20) {
		blas.NewStream(seed).Normals(turn)
		for q := range turn {
			turn[q] = h[q] + 0.02*turn[q]
		}
		if got := projected(turn); got < after*(1-2e-4) {
			t.Errorf("a turn lowers the loss from %v to %v", after, got)
		}
	}
}

// Clusters without samples, of zeros alone, and of opposite samples have feasible factors.
func TestRaysOfOddClusters(t *testing.T) {
	const n, m, r = 12, 3, 4
	x, _ := cones(2, n, m, 2)
	labels := make([]int, n)
	for i := range n {
		switch {
		case i < 3: // zeros
			clear(x[i*m : (i+1)*m])
		case i < 5: // opposite samples, of mean zero
			labels[i] = 1
			for j := range m {
				x[i*m+j] = float64(1-2*(i%2)) * float64(j+1)
			}
		default: // and none in cluster 3
			labels[i] = 2
		}
	}
	w, h := must.Two(Rays(context.Background(), n, m, x, r, labels, nil, optionsOf(r)))(t)
	of := largestEntries(n, r, w)
	count := make([]int, r)
	for i, c := range of {
		labels[i] = int(c)
		count[c]++
	}
	feasible(t, n, r, w, labels)
	if slices.Contains(count, 0) || count[3] != 1 {
		t.Errorf("%v samples in the clusters", count)
	}
	for _, v := range h {
		if v-v != 0 {
			t.Fatalf("H has %v", v)
		}
	}
}

// What an iteration returns is the partition of least objective, which is reported as a plain
// computation finds it, is never above that of the start, and has the same bits for any
// number of threads.
func TestHardenReturnsTheBestPartition(t *testing.T) {
	const n, m, r, lambda = 90, 8, 3, 0.05
	ctx, s := context.Background(), ring(t, n, 4)
	improved := 0
	for seed := range uint64(10) {
		x, _ := cones(seed+20, n, m, r)
		must.Get(Normalize(ctx, n, m, x, optionsOf(r)))(t)
		labels := make([]int, n)
		for i := range labels { // a poor start
			labels[i] = int(blas.NewStream(seed*1000+uint64(i)).Uniform() * r)
		}
		run := func(threads int) *Result {
			o := optionsOf(r)
			o.Lambda, o.Balanced, o.Hold, o.Harden, o.Threads, o.Passes = lambda, true, 10, 20, threads, 110
			var err error
			if o.W, o.H, err = Rays(ctx, n, m, x, r, labels, nil, o); err != nil {
				t.Fatal(err)
			}
			found, err := Factorize(ctx, n, m, x, Fixed(s), o)
			if err != nil {
				t.Fatal(err)
			}
			return found
		}
		found := run(1)
		best, first := found.Partitions[found.Best], found.Partitions[0]
		for _, p := range found.Partitions {
			if p.Objective() < best.Objective() {
				t.Errorf("%+v is better than %+v", p, best)
			}
		}
		if best.Objective() < first.Objective() {
			improved++
		}
		if last := found.Partitions[len(found.Partitions)-1]; first.Pass != 0 || last.Pass > 110 {
			t.Errorf("partitions from pass %d to %d", first.Pass, last.Pass)
		}
		of := largestEntries(n, r, found.W)
		own := make([]int, n)
		for i, c := range of {
			own[i] = int(c)
		}
		feasible(t, n, r, found.W, own)
		loss, term := lossOf(n, m, r, x, found.W, found.H), 0.0
		for i := range n {
			for j := range n {
				for k := range r {
					d := found.W[i*r+k] - found.W[j*r+k]
					term += lambda * s.At(i, j) * d * d / 2
				}
			}
		}
		if math.Abs(loss-best.Loss) > 1e-10*loss || math.Abs(term-best.Regularizer) > 1e-10*term {
			t.Errorf("loss %v and graph term %v are reported as %v and %v", loss, term, best.Loss, best.Regularizer)
		}
		again := run(3)
		if !slices.Equal(found.W, again.W) || !slices.Equal(found.H, again.H) || !slices.Equal(found.Partitions, again.Partitions) {
			t.Error("threads change bits")
		}
	}
	if improved < 8 {
		t.Errorf("%d of 10 poor starts are improved", improved)
	}
}

// A descent by single samples lowers the objective of a poor partition from round to round,
// leaves no cluster empty, and stays at the partition that it ends at.
func TestDescentOfSingleSamples(t *testing.T) {
	const n, m, r, lambda = 90, 8, 4, 0.02
	ctx, s, o := context.Background(), ring(t, n, 4), optionsOf(r)
	for seed := range uint64(6) {
		x, _ := cones(seed+40, n, m, r)
		labels := make([]int32, n)
		for i := range labels {
			labels[i] = int32(blas.NewStream(seed*1000+uint64(i)).Uniform() * r)
		}
		q := must.Get(fitRays(ctx, n, m, x, r, labels, nil, o))(t)
		before := q.objective(s, lambda)
		end := must.Get(q.descend(ctx, s, lambda, o))(t)
		after := end.objective(s, lambda)
		if !(after < 0.95*before) {
			t.Errorf("seed %d: from %v to %v", seed, before, after)
		}
		of := make([]int, n)
		for i, c := range end.labels {
			of[i] = int(c)
		}
		feasible(t, n, r, end.indicators(), of)
		for c := range r {
			if !slices.Contains(of, c) {
				t.Errorf("cluster %d is empty", c)
			}
		}
		again := must.Get(end.descend(ctx, s, lambda, o))(t)
		if got := again.objective(s, lambda); got > after || got < after*(1-1e-3) {
			t.Errorf("seed %d: from the end %v to %v", seed, after, got)
		}
	}
}

// A start that the passes do not improve is not returned where a single sample can.
func TestHardenDescendsFromTheStart(t *testing.T) {
	const n, m, r = 60, 6, 3
	ctx := context.Background()
	x, labels := cones(9, n, m, r)
	labels[0] = (labels[0] + 1) % r
	o := optionsOf(r)
	o.Harden, o.Passes, o.Mu, o.Lambda = 1000, 1, 1e6, 1e-3 // one pass, which cannot move
	var err error
	if o.W, o.H, err = Rays(ctx, n, m, x, r, labels, nil, o); err != nil {
		t.Fatal(err)
	}
	found, err := Factorize(ctx, n, m, x, Fixed(ring(t, n, 3)), o)
	if err != nil {
		t.Fatal(err)
	}
	if found.Best == 0 || found.Partitions[found.Best].Objective() >= found.Partitions[0].Objective() {
		t.Errorf("the best of %+v is %d", found.Partitions, found.Best)
	}
}
