package sparse

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// parallelPatterns have enough flops for threads; in some the subtrees matter,
// in others the strips of large panels.
var parallelPatterns = map[string]func() *CSR{
	"grid":         func() *CSR { return grid(150, false) },
	"cliques, 2d":  func() *CSR { return cliques(4000, 2, 12, 3) },
	"cliques, 8d":  func() *CSR { return cliques(1300, 8, 16, 3) },
	"full":         func() *CSR { return star(1100, 1100) },
	"arrow":        func() *CSR { return star(4000, 100) },
	"scattered":    func() *CSR { return scattered(1500, 6, blas.NewStream(4)) },
	"disconnected": func() *CSR { return blocks(7, 300) },
}

// blocks is count full blocks of the given order.
func blocks(count, order int) *CSR {
	neighbors := make([][]int32, count*order)
	for i := range neighbors {
		for j := range order {
			neighbors[i] = append(neighbors[i], int32(i/order*order+j))
		}
	}
	return fromNeighbors(neighbors, blas.NewStream(8))
}

func analysis(t testing.TB, a *CSR) *Analysis {
	t.Helper()
	s := must.Get(Analyze(context.Background(), a))(t)
	return s
}

// backends are those to try: the default one alone in short tests, as the race detector makes plain Go many times slower.
func backends() []string {
	if testing.Short() {
		return []string{""}
	}
	return blas.Available()
}

// manyThreads are numbers of threads to compare with one; 0 is all cores. Short tests take one of them.
func manyThreads() []int {
	if testing.Short() {
		return []int{3}
	}
	return []int{0, 2, 3, 7}
}

func TestFactorSameBitsForAnyThreads(t *testing.T) {
	for name, pattern := range parallelPatterns {
		t.Run(name, func(t *testing.T) {
			a := pattern()
			s := analysis(t, a)
			if s.flops < parallelFlops {
				t.Fatalf("%g flops: too small to be worth threads", s.flops)
			}
			for _, backend := range backends() {
				kernels := blas.MustSelect(backend)
				want := must.Get(s.Factor(context.Background(), kernels, 1, a, 0.1))(t)
				for _, threads := range manyThreads() {
					got := must.Get(s.Factor(context.Background(), kernels, threads, a, 0.1))(t)
					if !slices.Equal(got.values.all(), want.values.all()) {
						t.Errorf("%s: %d threads give other bits than one", backend, threads)
					}
				}
			}
		})
	}
}

func TestParallelFactorSolves(t *testing.T) {
	for name, pattern := range parallelPatterns {
		a := pattern()
		f := must.Get(analysis(t, a).Factor(context.Background(), blas.MustSelect(""), 3, a, 0))(t)
		b := make([]float64, a.Rows)
		blas.NewStream(6).Normals(b)
		x := slices.Clone(b)
		f.Solve(x, 1, nil)
		if got := residual(a, 0, x, b, 1); !(got < 1e-13) {
			t.Errorf("%s: relative residual %g", name, got)
		}
	}
}

// Several panels fail; whatever the schedule, the error is the same as with one thread.
func TestParallelFactorNamesTheFirstColumnThatFails(t *testing.T) {
	for name, pattern := range parallelPatterns {
		t.Run(name, func(t *testing.T) {
			a := pattern()
			s := analysis(t, a)
			random := blas.NewStream(12)
			for range 3 {
				for range 5 {
					i := random.Below(a.Rows)
					cols, vals := a.Row(i)
					p, _ := slices.BinarySearch(cols, int32(i))
					vals[p] = -vals[p]
				}
				var want, got *NotPositiveDefiniteError
				if _, err := s.Factor(context.Background(), blas.MustSelect(""), 1, a, 0); !errors.As(err, &want) {
					t.Fatalf("error %v, want one that names a column", err)
				}
				for _, threads := range manyThreads() {
					_, err := s.Factor(context.Background(), blas.MustSelect(""), threads, a, 0)
					if !errors.As(err, &got) || got.Column != want.Column ||
						math.Float64bits(got.Pivot) != math.Float64bits(want.Pivot) {
						t.Fatalf("%d threads: error %v, one thread: %v", threads, err, want)
					}
				}
			}
		})
	}
}

// questions is a context that is cancelled at the n-th question, whoever asks,
// or panics there.
type questions struct {
	left  atomic.Int64
	panic bool
}

func (c *questions) Deadline() (time.Time, bool) { return time.Time{}, false }
func (c *questions) Done() <-chan struct{}       { return nil }
func (c *questions) Value(any) any               { return nil }
func (c *questions) Err() error {
	left := c.left.Add(-1)
	if left == -1 && c.panic {
		panic("asked too often")
	}
	if left < 0 && !c.panic {
		return context.Canceled
	}
	return nil
}

func TestParallelFactorStops(t *testing.T) {
	before := runtime.NumGoroutine()
	for name, pattern := range parallelPatterns {
		a := pattern()
		s := analysis(t, a)
		for _, panics := range []bool{false, true} {
			for n := int64(0); n < int64(len(s.rowLo)); n = 2*n + 1 {
				t.Run(fmt.Sprint(name, ", question ", n, ", panic ", panics), func(t *testing.T) {
					ctx := &questions{panic: panics}
					ctx.left.Store(n)
					defer func() {
						if p := recover(); (p != nil) != panics {
							t.Errorf("recovered %v", p)
						}
					}()
					if _, err := s.Factor(ctx, blas.MustSelect(""), 3, a, 0); !errors.Is(err, context.Canceled) {
						t.Errorf("error %v, want that of the context", err)
					}
				})
			}
		}
	}
	// Workers are done when Factor returns, but a busy machine may take its time
	// before it runs their last instructions.
	for limit := time.Now().Add(time.Minute); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(limit) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}

func TestParallelFactorRefusesAnotherPattern(t *testing.T) {
	a := grid(150, false)
	s := analysis(t, a)
	moved := cornersJoined(t, a)
	var want error
	for _, threads := range []int{1, 2, 7} {
		_, err := s.Factor(context.Background(), blas.MustSelect("gonum"), threads, moved, 1)
		if err == nil || (want != nil && err.Error() != want.Error()) {
			t.Errorf("%d threads: error %v, one thread: %v", threads, err, want)
		}
		want = err
	}
}

// Every panel is in one task, after the tasks of its children.
func TestTasksCoverThePanels(t *testing.T) {
	for name, pattern := range parallelPatterns {
		a := pattern()
		s := analysis(t, a)
		n := newNumeric(&Factor{symbolic: s}, blas.MustSelect("gonum"), a, 0)
		for _, threads := range []int{2, 5} {
			c := n.plan(threads)
			done := make([]bool, len(s.rowLo))
			count := 0
			for i := c.take(); i != none; i = c.take() {
				count++
				for p := c.tasks[i].lo; p < c.tasks[i].hi; p++ {
					if done[p] {
						t.Fatalf("%s: panel %d twice", name, p)
					}
					for _, u := range n.panelUpdates(p) {
						if !done[u.panel] {
							t.Fatalf("%s: panel %d before %d, which updates it", name, p, u.panel)
						}
					}
					done[p] = true
				}
				c.done(i)
			}
			if slices.Contains(done, false) || c.left != 0 || count != len(c.tasks) {
				t.Errorf("%s: panels left over", name)
			}
		}
	}
}

// factorInStrips factorises a with strips of the given height in all panels.
func factorInStrips(t *testing.T, s *Analysis, a *CSR, strip, threads int) *Factor {
	t.Helper()
	f := newFactor(s, nil)
	n := newNumeric(f, blas.MustSelect("gonum"), a, 0.1)
	for p := range n.strip {
		n.strip[p] = int32(strip)
	}
	must.Do(t, n.run(context.Background(), threads, nil))
	return f
}

// Strips change the shapes of products, hence rounding; threads change nothing.
// The matrices are well conditioned: row sums up to some hundred, eigenvalues
// from 0.1 up.
func TestStripsAreTheWholePanel(t *testing.T) {
	for name, a := range map[string]*CSR{
		"cliques":   cliques(400, 6, 14, 13),
		"full":      star(300, 300),
		"arrow":     star(300, 30),
		"scattered": scattered(300, 5, blas.NewStream(7)),
	} {
		s := analysis(t, a)
		whole := factorInStrips(t, s, a, a.Rows, 1)
		for _, strip := range []int{1, 7, 48, 100} {
			strips := factorInStrips(t, s, a, strip, 1)
			for _, threads := range []int{2, 3, 7} {
				if f := factorInStrips(t, s, a, strip, threads); !slices.Equal(f.values.all(), strips.values.all()) {
					t.Errorf("%s: strips of %d rows: %d threads give other bits than one", name, strip, threads)
				}
			}
			x, y := strips.lower(), whole.lower()
			for i := range x {
				if d := math.Abs(x[i] - y[i]); !(d < 1e-11) {
					t.Fatalf("%s: entry %d: %g in strips of %d rows, %g at once", name, i, x[i], strip, y[i])
				}
			}
		}
	}
}

func TestStripHeight(t *testing.T) {
	for _, c := range []struct {
		height int
		flops  float64
		want   int
	}{
		{5000, 1e6, 5000},              // little work
		{5000, 2*stripFlops - 1, 5000}, // not enough for two
		{1000, 4 * stripFlops, 288},
		{500, 1e12, stripLeast},
		{4000, 1e12, 288},
		{50000, 1e12, stripMost},
		{80, 1e12, stripLeast}, // more than there are: not split
	} {
		if got := stripHeight(c.height, c.flops); got != c.want {
			t.Errorf("%d rows, %g flops: strips of %d, want %d", c.height, c.flops, got, c.want)
		}
	}
}
