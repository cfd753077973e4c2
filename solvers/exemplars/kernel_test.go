package exemplars

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// cloud draws n points in m columns.
func cloud(seed uint64, n, m int) []float64 {
	return normals(seed, n, m).Data
}

// Squares of samples that lie far from the origin and near each other keep their
// digits, and equal samples are at exactly 0.
func TestSquaresKeepTheirDigits(t *testing.T) {
	const n, m = 70, 5
	x := cloud(1, n, m)
	for i := range n {
		for k := range m {
			if i >= 35 {
				x[i*m+k] = 1e6 + 1e-6*x[i*m+k]
			}
		}
	}
	copy(x[3*m:4*m], x[:m])
	d := must.Get(squares(context.Background(), blas.MustSelect("auto"), 2, n, m, x))(t)
	for i := range n {
		for j := range n {
			want := blas.SquaredDistance(x[i*m:(i+1)*m], x[j*m:(j+1)*m])
			if got := d.At(i, j); math.Abs(got-want) > 1e-5*want {
				t.Fatalf("(%d, %d): %v, want %v", i, j, got, want)
			}
		}
	}
	if d.At(0, 3) != 0 {
		t.Errorf("equal samples are at %v", d.At(0, 3))
	}
}

func TestKernelOfEqualSamples(t *testing.T) {
	ctx := context.Background()
	const n, m = 40, 3
	x := make([]float64, n*m)
	for i := range x {
		x[i] = 0.1 + float64(i%m)
	}
	r := must.Get(Kernel(ctx, n, m, x, KernelOptions{Neighbors: 4, Lists: true}))(t)
	for _, v := range r.D.Data {
		if v != -1 {
			t.Fatalf("the kernel of equal samples has %v", -v)
		}
	}
	if !slices.Equal(r.Nearest[:4], []int32{1, 2, 3, 4}) {
		t.Errorf("the first sample's nearest are %v", r.Nearest[:4])
	}
	e, err := Distances(ctx, n, m, x, KernelOptions{Neighbors: 4})
	if err != nil || slices.Max(e.D.Data) != 0 {
		t.Errorf("distances up to %v between equal samples (%v)", slices.Max(e.D.Data), err)
	}
	delta, err := AutoDelta(ctx, r.D, 4, 1)
	if err != nil || !(delta > 0) {
		t.Errorf("δ = %v (%v)", delta, err)
	}
	// More copies than neighbours, among others: a bandwidth of next to nothing.
	x = append(x, cloud(2, 10, m)...)
	r = must.Get(Kernel(ctx, n+10, m, x, KernelOptions{Neighbors: 4}))(t)
	if s := r.Bandwidths[0]; !(s > 1e-10 && s < 1e-6) {
		t.Errorf("the bandwidth of a copy is %v", s)
	}
	if far := r.D.At(0, n); !(far <= 0 && far > -0.6) {
		t.Errorf("a copy and another sample have %v", far)
	}
}

func TestThreadsChangeNoBit(t *testing.T) {
	ctx := context.Background()
	const n, m = 130, 7
	x := cloud(3, n, m)
	run := func(threads int) []float64 {
		r := must.Get(Kernel(ctx, n, m, x, KernelOptions{Neighbors: 8, Threads: threads}))(t)
		delta := must.Get(AutoDelta(ctx, r.D, 8, threads))(t)
		s := must.Get(Split(ctx, r.D, SplitOptions{Radius: 9, Delta: 1e-3, Accelerated: true, Iterations: 20, Threads: threads}))(t)
		ds3 := must.Get(DS3(ctx, distances(n, m, x), n, DS3Options{Iterations: 20, Threads: threads}))(t)
		return slices.Concat(r.D.Data, []float64{delta}, s.C.Dense(), s.Z.Dense(), ds3.Z)
	}
	if !slices.Equal(run(1), run(3)) {
		t.Error("threads change bits")
	}
}

func TestKernelRefuses(t *testing.T) {
	x := cloud(4, 5, 2)
	for _, c := range []struct {
		n, m, k int
		want    string
	}{
		{1, 2, 1, "at least 2 samples"}, {5, 0, 1, "at least 2 samples"}, {4, 2, 1, "10 numbers"},
		{5, 2, 0, "from 1 to 4"}, {5, 2, 5, "from 1 to 4"},
	} {
		must.Refuse(t, c.want)(Kernel(context.Background(), c.n, c.m, x, KernelOptions{Neighbors: c.k}))
	}
}

// TestFactorDissimilarities compares with the formulas, also where bandwidths cancel to nothing.
func TestFactorDissimilarities(t *testing.T) {
	ctx := context.Background()
	const n, r, k = 75, 4, 5
	for _, kind := range []string{"apart", "copies", "equal"} {
		t.Run(kind, func(t *testing.T) {
			w, wPlus := cloud(5, n, r), cloud(6, n, r)
			switch kind {
			case "copies": // twenty rows of H and three of G are alike, far from the origin
				for i := range 20 {
					for q := range r {
						wPlus[i*r+q] = 1e3
						w[i%3*r+q] = 1e3
					}
				}
			case "equal":
				for i := range w {
					w[i], wPlus[i] = 0.1, 0.1
				}
			}
			d2 := func(i, j int) float64 { return blas.SquaredDistance(w[i*r:(i+1)*r], wPlus[j*r:(j+1)*r]) }
			var all []float64
			kth := make([]float64, n)
			for i := range n {
				var row []float64
				for j := range n {
					if j != i {
						row = append(row, d2(i, j))
					}
				}
				slices.Sort(row)
				kth[i] = row[k-1]
				for _, v := range row {
					if v > 0 {
						all = append(all, v)
					}
				}
			}
			floor := 1e-8
			if slices.Sort(all); len(all) > 0 {
				floor *= math.Sqrt(all[(len(all)-1)/2])
			}
			kernel := func(i, j int) float64 { return math.Exp(-d2(i, j) / (2 * max(kth[i], floor*floor))) }
			for _, squared := range []bool{false, true} {
				l := &FactorDissimilarities{Squared: squared, Neighbors: k, Threads: 2, Kernels: blas.MustSelect("auto")}
				// The second time in storage of the first, and near its bandwidths; before, far
				// from them.
				for _, far := range []bool{true, false, false} {
					factor := w
					if far {
						factor = cloud(9, n, r)
						blas.Scale(0.01, factor)
					}
					must.Do(t, l.Fit(ctx, n, r, factor, wPlus))
				}
				dst := make([]float64, Width*n)
				for lo := 0; lo < n; lo += Width {
					hi := min(lo+Width, n)
					for q := range dst {
						dst[q] = 1
					}
					l.Add(0, lo, hi, 2, dst)
					for j := lo; j < hi; j++ {
						for i := range n {
							want := 1 - (kernel(i, j) + kernel(j, i))
							if squared {
								want = 1 + 2*d2(i, j)
							}
							if got := dst[(j-lo)*n+i]; math.Abs(got-want) > 1e-6*max(1, math.Abs(want)) {
								t.Fatalf("plain %v: (%d, %d) is %v, want %v", squared, i, j, got, want)
							}
						}
					}
				}
			}
		})
	}
}
