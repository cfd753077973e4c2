package layout

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// descentAt is a descent at y whose repulsion is summed, with Z.
func descentAt(t testing.TB, layout TSNE, p *sparse.CSR, y *mat.Dense) (d *descent, z float64) {
	t.Helper()
	d = newDescent(layout, p, y)
	err := d.centre(t.Context())
	if err == nil {
		err = d.links.take(t.Context(), layout.Threads, p, d.order)
	}
	if err == nil {
		z, err = d.repulsion.sum(t.Context(), d.at, d.low, d.high)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d, z
}

// sums are the repulsion of a map and Z, by a method.
func sums(t testing.TB, threads int, y *mat.Dense, method func(d *descent) (float64, error)) (push []float64, z float64) {
	t.Helper()
	n, _ := y.Dims()
	d := newDescent(TSNE{Threads: threads}, &sparse.CSR{Rows: n, Cols: n, Ptr: make([]int, n+1)}, y)
	err := d.centre(t.Context())
	if err == nil {
		z, err = method(d)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d.repulsion.push, z
}

func exactly(t testing.TB) func(d *descent) (float64, error) {
	return func(d *descent) (float64, error) { return d.repulsion.exact(t.Context(), d.at) }
}

func byTree(t testing.TB, theta float64) func(d *descent) (float64, error) {
	return func(d *descent) (float64, error) {
		return d.repulsion.tree.sum(t.Context(), d.Threads, theta, d.at, d.axes, d.repulsion.push)
	}
}

func byInterpolation(t testing.TB) func(d *descent) (float64, error) {
	return func(d *descent) (float64, error) {
		return d.repulsion.grid.sum(t.Context(), d.at, d.low, d.high, d.repulsion.push)
	}
}

// missed is the difference of two vectors over the second, in the root of the mean square.
func missed(got, want []float64) float64 {
	return math.Sqrt(blas.SquaredDistance(got, want) / max(blas.Dot(want, want), 1e-16))
}

// even is a map that fills a square or a cube.
func even(n, dim int, width float64) *mat.Dense {
	stream := blas.NewStream(11)
	y := mat.NewDense(n, dim, nil)
	for i := range n {
		for k := range dim {
			y.Set(i, k, width*stream.Uniform())
		}
	}
	return y
}

// The gradient is the divergence's derivative by every coordinate.
func TestGradientIsTheDerivative(t *testing.T) {
	p := probabilitiesOf(rings(3, 10))
	for _, dim := range []int{1, 2, 3} {
		y := scattered(p.Rows, dim, 1)
		d, z := descentAt(t, TSNE{}, p, y)
		for i := range p.Rows {
			g := d.gradient(i, z, 1)
			for k := range dim {
				const h = 1e-5
				value := func(step float64) float64 {
					moved := mat.DenseCopyOf(y)
					moved.Set(i, k, moved.At(i, k)+step)
					v := must.Get(Divergence(t.Context(), 1, p, moved))(t)
					return v
				}
				want := (value(h) - value(-h)) / (2 * h)
				if got := 4 * g[d.columns[0]+k]; math.Abs(got-want) > 1e-7 {
					t.Errorf("%d columns: the gradient of row %d, column %d is %g, want %g", dim, i, k, got, want)
				}
			}
		}
	}
}

// The tree's sums are those over all vertices, to the error that θ allows.
func TestTreeApproximatesAllPairs(t *testing.T) {
	for _, dim := range []int{1, 2, 3} {
		for _, width := range []float64{1e-3, 1, 10, 100, 1e4} {
			y := even(1500, dim, width)
			for i := 7; i < 30; i++ {
				y.SetRow(i, y.RawRowView(3)) // more equal ones than a leaf holds
			}
			want, wantZ := sums(t, 2, y, exactly(t))
			for theta, allowed := range map[float64]float64{0.2: 5e-3, 0.5: 3e-2} {
				got, z := sums(t, 2, y, byTree(t, theta))
				if e := missed(got, want); e > allowed || math.Abs(z/wantZ-1) > allowed {
					t.Errorf("%d columns, %g wide, θ = %g: the forces miss %.1e of themselves, and Z is %g for %g", dim, width, theta, e, z, wantZ)
				}
			}
		}
	}
}

// Sums by interpolation are those over all vertices, to the error that the doc comment of interpolation
// states: for maps that are small, that have vertices far from all others, or that are long in one
// direction, too.
func TestInterpolationApproximatesAllPairs(t *testing.T) {
	for _, dim := range []int{1, 2} {
		for _, width := range []float64{1e-100, 1e-9, 1e-3, 1, 10, 30, 100, 300} {
			for name, y := range map[string]*mat.Dense{"even": even(2000, dim, width), "normal": scattered(2000, dim, width/6)} {
				want, wantZ := sums(t, 2, y, exactly(t))
				got, z := sums(t, 2, y, byInterpolation(t))
				if e := missed(got, want); e > 1.5e-2 || math.Abs(z/wantZ-1) > 1e-3 {
					t.Errorf("%s, %d columns, %g wide: the forces miss %.1e of themselves, and Z is %g for %g", name, dim, width, e, z, wantZ)
				}
			}
		}
	}
	long := even(2000, 1, 3000)
	want, wantZ := sums(t, 2, long, exactly(t))
	got, z := sums(t, 2, long, byInterpolation(t))
	if e := missed(got, want); e > 1.5e-2 || math.Abs(z/wantZ-1) > 2e-3 {
		t.Errorf("3000 long: the forces miss %.1e of themselves, and Z is %g for %g", e, z, wantZ)
	}
	y := even(2000, 2, 20)
	for i := range 2000 {
		y.Set(i, 1, y.At(i, 1)/1000)
	}
	y.SetRow(5, []float64{150, 3})
	want, wantZ = sums(t, 2, y, exactly(t))
	got, z = sums(t, 2, y, byInterpolation(t))
	if e := missed(got, want); e > 1.5e-2 || math.Abs(z/wantZ-1) > 2e-3 {
		t.Errorf("a line and a far place: the forces miss %.1e of themselves, and Z is %g for %g", e, z, wantZ)
	}
}

// One grid serves many maps, as it does in the iterations of a layout.
func TestInterpolationOfAGrowingMap(t *testing.T) {
	n := 500
	y := even(n, 2, 1)
	d := newDescent(TSNE{Threads: 2}, &sparse.CSR{Rows: n, Cols: n, Ptr: make([]int, n+1)}, y)
	for range 60 {
		for k := range d.at {
			d.at[k] *= 1.1
		}
		must.Do(t, d.centre(t.Context()))
		wantZ := must.Get(exactly(t)(d))(t)
		want := append([]float64(nil), d.repulsion.push...)
		z := must.Get(byInterpolation(t)(d))(t)
		if e := missed(d.repulsion.push, want); e > 1.5e-2 || math.Abs(z/wantZ-1) > 1e-3 {
			t.Fatalf("%g wide: the forces miss %.1e of themselves, and Z is %g for %g", d.high[0]-d.low[0], e, z, wantZ)
		}
	}
}

func TestSumsHaveTheSameBitsOnAnyNumberOfThreads(t *testing.T) {
	for _, dim := range []int{1, 2, 3} {
		methods := map[string]func(d *descent) (float64, error){"all pairs": exactly(t), "the tree": byTree(t, 0.5)}
		if dim < 3 {
			methods["interpolation"] = byInterpolation(t)
		}
		for name, method := range methods {
			y := scattered(5000, dim, 20)
			want, wantZ := sums(t, 1, y, method)
			for _, threads := range threadCounts()[1:] {
				got, z := sums(t, threads, y, method)
				if z != wantZ || missed(got, want) != 0 {
					t.Errorf("%s in %d columns: %d threads change bits", name, dim, threads)
				}
			}
		}
	}
}

// Layouts of many vertices, which are summed by the tree and by interpolation in turn, have the same
// bits, too.
func TestLargeTSNEHasTheSameBitsOnAnyNumberOfThreads(t *testing.T) {
	p := probabilitiesOf(rings(60, 100))
	var want *mat.Dense
	for _, threads := range threadCounts() {
		y := scattered(p.Rows, 2, 1e-4)
		must.Do(t, (TSNE{Iterations: 60, Early: new(30), Threads: threads}).Arrange(t.Context(), p, y))
		if want == nil {
			want = y
		} else if !mat.Equal(y, want) {
			t.Errorf("%d threads change bits", threads)
		}
	}
}

// Maps without a width, with vertices far from each other, and of few vertices are summed without a
// number that is not finite.
func TestDegenerateMaps(t *testing.T) {
	line, equal, apart, mixed := even(1200, 2, 5), mat.NewDense(1200, 2, nil), even(1200, 2, 5), even(1200, 2, 1)
	for i := range 1200 {
		line.Set(i, 1, 2*line.At(i, 0))
		if i%2 == 0 {
			apart.Set(i, 0, apart.At(i, 0)+1e6)
		}
		mixed.Set(i, 0, mixed.At(i, 0)*math.Pow(10, float64(i%12)-6))
	}
	for name, y := range map[string]*mat.Dense{"a line": line, "equal places": equal, "two clusters": apart, "all scales": mixed,
		"one vertex": mat.NewDense(1, 2, nil), "two vertices": mat.NewDense(2, 2, []float64{0, 0, 3, 4}), "far ones": even(1200, 2, 1e100)} {
		n, _ := y.Dims()
		want, wantZ := sums(t, 2, y, exactly(t))
		methods := map[string]func(d *descent) (float64, error){"the tree": byTree(t, 0.5),
			"the method chosen": func(d *descent) (float64, error) { return d.repulsion.sum(t.Context(), d.at, d.low, d.high) }}
		if name == "a line" || name == "equal places" || n < 3 {
			methods["interpolation"] = byInterpolation(t)
		}
		for method, sum := range methods {
			got, z := sums(t, 2, y, sum)
			if e := missed(got, want); !(e < 3e-2) || !(math.Abs(z-wantZ) <= 1e-2*wantZ+1e-9) {
				t.Errorf("%s by %s: the forces miss %g of themselves, and Z is %g for %g", name, method, e, z, wantZ)
			}
		}
		p := &sparse.CSR{Rows: n, Cols: n, Ptr: make([]int, n+1)}
		if n > 2 {
			p = probabilitiesOf(rings(n/100, 100))
		}
		if err := (TSNE{Iterations: 5}).Arrange(t.Context(), p, y); err != nil || mat.Max(y)-mat.Max(y) != 0 {
			t.Errorf("%s: the layout ends with %v at %g", name, err, mat.Max(y))
		}
	}
}

func TestTSNEStopsWhenCancelled(t *testing.T) {
	p := probabilitiesOf(rings(50, 100))
	for _, at := range []int{0, 1, 7, 50} {
		ctx, cancel := context.WithCancel(t.Context())
		y := scattered(p.Rows, 2, 1)
		var last float64
		err := TSNE{Iterations: 100, Early: new(30), Threads: 2, Progress: func(done float64) {
			if last = done; math.Round(100*done) == float64(at) {
				cancel()
			}
		}}.Arrange(ctx, p, y)
		if at == 0 {
			cancel()
			continue
		}
		if err != context.Canceled || math.Round(100*last) != float64(at) || finite(y) != nil {
			t.Errorf("cancelled at %d, it ends at %g with %v, %v", at, 100*last, err, finite(y))
		}
		// The map is the one after that number of iterations.
		want := scattered(p.Rows, 2, 1)
		if err := (TSNE{Iterations: at, Early: new(min(at, 30)), Threads: 2}).Arrange(t.Context(), p, want); err != nil || !mat.Equal(y, want) {
			t.Errorf("cancelled at %d, it leaves another map than %d iterations make; %v", at, at, err)
		}
	}
}

func TestTSNERefusesAStepThatLeavesTheNumbers(t *testing.T) {
	p := probabilitiesOf(rings(5, 100))
	if err := (TSNE{Rate: 1e308}).Arrange(t.Context(), p, scattered(p.Rows, 2, 1)); err == nil {
		t.Error("no error")
	}
}

func TestObjective(t *testing.T) {
	p := probabilitiesOf(rings(6, 100))
	for _, dim := range []int{1, 2, 3} {
		var iterations []int
		var last float64
		y := scattered(p.Rows, dim, 1)
		must.Do(t, TSNE{Iterations: 120, Early: new(30), Objective: func(i int, v float64) {
			iterations, last = append(iterations, i), v
		}}.Arrange(t.Context(), p, y))
		if fmt.Sprint(iterations) != "[50 100 120]" {
			t.Errorf("%d columns: reports after iterations %v, want 50, 100 and 120", dim, iterations)
		}
		want, err := Divergence(t.Context(), 2, p, y)
		if err != nil || math.Abs(last-want) > 1e-2*want {
			t.Errorf("%d columns: the last divergence is %g, want %g; %v", dim, last, want, err)
		}
		other := scattered(p.Rows, dim, 1)
		if err := (TSNE{Iterations: 120, Early: new(30)}).Arrange(t.Context(), p, other); err != nil || !mat.Equal(y, other) {
			t.Errorf("%d columns: reports change the map; %v", dim, err)
		}
	}
}

// The order of a Morton curve is that of its codes, and of numbers where these are equal.
func TestSortCodes(t *testing.T) {
	stream := blas.NewStream(1)
	for _, mask := range []uint64{0, 0xff, 0xff00, 1<<62 - 1, 0x10001} {
		var m morton
		for i := range 1000 {
			m.codes = append(m.codes, coded{stream.Uint64() & mask, int32(i)})
		}
		m.spare = make([]coded, 1000)
		m.sortCodes()
		for k := 1; k < 1000; k++ {
			if a, b := m.codes[k-1], m.codes[k]; a.code > b.code || a.code == b.code && a.i > b.i {
				t.Fatalf("mask %x: entry %d is out of order", mask, k)
			}
		}
	}
}

func BenchmarkRepulsion(b *testing.B) {
	for _, n := range []int{1000, 10000, 70000} {
		y := scattered(n, 2, 3*math.Pow(float64(n), 0.25)) // about as wide as maps of n vertices
		for name, method := range map[string]func(d *descent) (float64, error){"tree": byTree(b, 0.5), "grid": byInterpolation(b)} {
			d := newDescent(TSNE{Threads: 1}, &sparse.CSR{Rows: n, Cols: n, Ptr: make([]int, n+1)}, y)
			if err := d.centre(b.Context()); err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				for b.Loop() {
					if _, err := method(d); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkTSNE(b *testing.B) {
	for _, size := range []int{10, 100, 700} {
		p := probabilitiesOf(rings(size, 100))
		b.Run(fmt.Sprint(p.Rows), func(b *testing.B) {
			for b.Loop() {
				if err := (TSNE{Iterations: 20, Threads: 1}).Arrange(b.Context(), p, scattered(p.Rows, 2, 1e-4)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
