package alm

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// blobs are n samples around c random corners of the unit cube, sample i around corner
// i mod c.
func blobs(n, m, r int, spread float64, seed uint64) []float64 {
	random := blas.NewStream(seed)
	corners, noise := make([]float64, r*m), make([]float64, n*m)
	random.Uniforms(corners)
	random.Normals(noise)
	x := make([]float64, n*m)
	for i := range x {
		x[i] = max(0, corners[i/m%r*m+i%m]+spread*noise[i])
	}
	return x
}

// ring joins each sample to the next of its blob.
func ring(t testing.TB, n, r int) *sparse.CSR {
	t.Helper()
	z := make([][]float64, n)
	for i := range z {
		z[i] = make([]float64, n)
		z[i][(i+r)%n] = 1
	}
	return affinity(t, z)
}

// graphMaker makes data of m columns, a graph for them and the start.
type graphMaker func(t testing.TB) (x []float64, m int, graph Graph, begin *InitialFactors)

// graphs are the kinds of graphs, by name, each for data of its own.
func graphs(n, m, r int, o Options) map[string]graphMaker {
	ctx := context.Background()
	fail := func(t testing.TB, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	started := func(t testing.TB) ([]float64, *InitialFactors) {
		x := blobs(n, m, r, 0.05, 1)
		begin, err := Start(ctx, n, m, x, r, o)
		fail(t, err)
		return x, begin
	}
	return map[string]graphMaker{
		"none": func(t testing.TB) ([]float64, int, Graph, *InitialFactors) {
			x, begin := started(t)
			return x, m, nil, begin
		},
		"fixed": func(t testing.TB) ([]float64, int, Graph, *InitialFactors) {
			x, begin := started(t)
			return x, m, Fixed(ring(t, n, r)), begin
		},
		"adaptive": func(t testing.TB) ([]float64, int, Graph, *InitialFactors) {
			x, begin := started(t)
			a, err := NewAdaptive(ctx, n, m, x, 5, o)
			fail(t, err)
			return x, m, a, begin
		},
		"projection": func(t testing.TB) ([]float64, int, Graph, *InitialFactors) {
			x := blobs(n, m, r, 0.05, 1)
			_, err := Normalize(ctx, n, m, x, o)
			fail(t, err)
			p, err := NewProjection(ctx, n, m, x, r, 5, o)
			fail(t, err)
			begin, err := p.Start(ctx, r, o)
			fail(t, err)
			return p.Data(), r, p, begin
		},
	}
}

func factorize(t testing.TB, n int, make graphMaker, o Options) *Result {
	t.Helper()
	x, m, graph, begin := make(t)
	o.W, o.H = begin.W, begin.H
	found := must.Get(Factorize(context.Background(), n, m, x, graph, o))(t)
	return found
}

// The splittings close: in the end W is orthonormal and, up to a small residual, nonnegative;
// it separates the blobs (but in a subspace of its own); and no bit depends on the number of threads.
func TestFactorize(t *testing.T) {
	n, m, r := 90, 8, 3
	o := Options{Rank: r, Lambda: 0.1, Passes: 150, Threads: 1}
	other := o
	other.Threads = 3
	again := graphs(n, m, r, other)
	for name, make := range graphs(n, m, r, o) {
		t.Run(name, func(t *testing.T) {
			found := factorize(t, n, make, o)
			last := found.Trace[len(found.Trace)-1]
			// μ has grown to 1.6e4, to which the splittings close inversely.
			if last.Largest() > 1e-3 {
				t.Errorf("residuals %v", last.Residuals)
			}
			if last.Pass != 150 || found.Passes != 150 {
				t.Errorf("%d passes, the last point of pass %d", found.Passes, last.Pass)
			}
			if len(found.Trace) != 16 {
				t.Errorf("%d points of the trace", len(found.Trace))
			}
			for k := range r {
				for l := range r {
					var dot float64
					for i := range n {
						dot += found.W[i*r+k] * found.W[i*r+l]
					}
					if k == l {
						dot--
					}
					if math.Abs(dot) > 1e-11 {
						t.Errorf("WᵀW − I has an entry %g", dot)
					}
				}
			}
			if least := slices.Min(found.NonnegativePart); least < 0 {
				t.Errorf("an entry of W₊ is %v", least)
			}
			if least := slices.Min(found.W); least < -last.Residuals[1]*math.Sqrt(float64(r)) {
				t.Errorf("an entry of W is %v", least)
			}
			for i := range n {
				if name == "projection" {
					break // whose objective likes directions in which the blobs hardly differ
				}
				if largestOf(found.W[i*r:(i+1)*r]) != largestOf(found.W[i%r*r:(i%r+1)*r]) {
					t.Errorf("sample %d is not in the cluster of its blob", i)
					break
				}
			}
			same := factorize(t, n, again[name], other)
			if !slices.Equal(same.W, found.W) {
				t.Error("threads change bits of W")
			}
			if !slices.Equal(same.H, found.H) {
				t.Error("threads change bits of H")
			}
			if !slices.Equal(same.Trace, found.Trace) {
				t.Error("threads change bits of the trace")
			}
		})
	}
}

func largestOf(row []float64) int {
	best := 0
	for k, v := range row {
		if v > row[best] {
			best = k
		}
	}
	return best
}

// The tolerance and the watcher end the iteration; a cancelled context does at once.
func TestFactorizeEnds(t *testing.T) {
	n, m, r := 60, 6, 2
	o := Options{Rank: r, Lambda: 0.1, Passes: 500, Tolerance: 1e-3}
	all := graphs(n, m, r, o)
	found := factorize(t, n, all["fixed"], o)
	last := found.Trace[len(found.Trace)-1]
	if !found.Converged || found.Passes >= 500 {
		t.Errorf("%d passes, converged %v", found.Passes, found.Converged)
	}
	if last.Pass != found.Passes {
		t.Errorf("%d passes, the last point of pass %d", found.Passes, last.Pass)
	}
	if last.Largest() > 1e-3 {
		t.Errorf("residuals %v", last.Residuals)
	}
	o.Watch = func(p Point) bool { return p.Pass == 7 }
	if found := factorize(t, n, all["fixed"], o); found.Passes != 7 || found.Converged || found.Trace[len(found.Trace)-1].Pass != 7 {
		t.Errorf("the watcher let %d passes go", found.Passes)
	}
	for name, make := range all {
		t.Run(name, func(t *testing.T) {
			x, width, graph, begin := make(t)
			ctx, cancel := context.WithCancel(context.Background())
			seen := 0
			o.W, o.H = begin.W, begin.H
			o.Watch = func(p Point) bool {
				if seen = p.Pass; seen == 3 {
					cancel()
				}
				return false
			}
			if _, err := Factorize(ctx, n, width, x, graph, o); !errors.Is(err, context.Canceled) || seen != 3 {
				t.Errorf("cancelled in pass 3, seen %d, %v", seen, err)
			}
		})
	}
}

// Zeros, equal samples, constant features, copies, one cluster, one a sample, and more
// clusters than features have no NaN, and orthonormal indicators.
func TestOddData(t *testing.T) {
	ones := slices.Repeat([]float64{1}, 20*4)
	constant := uniforms(20*4, 2)
	copies := uniforms(20*4, 3)
	signed := normals(20*4, 4)
	for i := range 20 {
		constant[i*4+1] = 0.5
		copy(copies[i*4:(i+1)*4], copies[i%3*4:(i%3+1)*4])
	}
	huge, small := uniforms(20*4, 5), uniforms(20*4, 6)
	blas.Scale(1e150, huge)
	blas.Scale(1e-150, small)
	for name, x := range map[string][]float64{
		"zeros": make([]float64, 20*4), "equal": ones, "constant": constant, "copies": copies, "signed": signed, "huge": huge, "small": small,
	} {
		t.Run(name, func(t *testing.T) {
			for _, r := range []int{1, 2, 6, 20} {
				ctx, o := context.Background(), Options{Rank: r, Lambda: 0.1, Passes: 40, Threads: 1}
				y := slices.Clone(x)
				begin, err := Start(ctx, 20, 4, y, r, o)
				if err != nil {
					t.Errorf("rank %d: %v", r, err)
					continue
				}
				if r > 4 && begin.Filled < r-4 {
					t.Errorf("rank %d: %d columns filled", r, begin.Filled)
				}
				o.W, o.H = begin.W, begin.H
				adaptive := must.Get(NewAdaptive(ctx, 20, 4, y, 3, o))(t)
				for _, graph := range []Graph{Fixed(ring(t, 20, 2)), adaptive} {
					found, err := Factorize(ctx, 20, 4, y, graph, o)
					if err != nil {
						t.Errorf("rank %d: %v", r, err)
						continue
					}
					for _, v := range slices.Concat(found.W, found.NonnegativePart, found.H) {
						if v-v != 0 {
							t.Fatalf("rank %d: a factor has %v", r, v)
						}
					}
					if got := blas.Dot(found.W, found.W); math.Abs(got-float64(r)) > 1e-10*float64(r) {
						t.Errorf("rank %d: ‖W‖² is %v", r, got)
					}
					if r == 1 && name == "equal" {
						// λ/μ begins at 10: the first passes multiply rounding by up to 10‖L‖.
						for _, v := range found.W {
							if math.Abs(v-1/math.Sqrt(20)) > 1e-3 {
								t.Fatalf("one cluster of equal samples has indicator %v", v)
							}
						}
					}
				}
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	ctx, x := context.Background(), uniforms(12, 1)
	begin := must.Get(Start(ctx, 4, 3, slices.Clone(x), 2, Options{}))(t)
	good := Options{Rank: 2, W: begin.W, H: begin.H}
	for want, change := range map[string]func(o *Options){
		"rank 0 for 4 samples": func(o *Options) { o.Rank = 0 },
		"rank 5 for 4 samples": func(o *Options) { o.Rank = 5 },
		"λ is -1":              func(o *Options) { o.Lambda = -1 },
		"λ is NaN":             func(o *Options) { o.Lambda = math.NaN() },
		"grows by 0.5":         func(o *Options) { o.Rho = 0.5 },
		"the penalty is -1":    func(o *Options) { o.Mu = -1 },
		"passes is -1":         func(o *Options) { o.Passes = -1 },
		"a start of 8 and 5":   func(o *Options) { o.H = o.H[:5] },
		"no longer finite":     func(o *Options) { o.Lambda = math.MaxFloat64 },
	} {
		t.Run(want, func(t *testing.T) {
			o := good
			change(&o)
			must.Refuse(t, want)(Factorize(ctx, 4, 3, slices.Clone(x), Fixed(ring(t, 4, 2)), o))
		})
	}
	bad := slices.Clone(x)
	for value, want := range map[float64]string{math.Inf(1): "row 2, column 3 (counting from 1) is +Inf", 1e200: "overflow"} {
		bad[5] = value
		for _, err := range []error{
			func() error { _, err := Factorize(ctx, 4, 3, bad, nil, good); return err }(),
			func() error { _, err := Start(ctx, 4, 3, bad, 2, good); return err }(),
			func() error { _, err := Normalize(ctx, 4, 3, bad, good); return err }(),
		} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v in the data: %v", value, err)
			}
		}
	}
	for name, err := range map[string]error{
		"give a number from 1 to 2": func() error { _, err := NewAdaptive(ctx, 4, 3, x, 3, good); return err }(),
		"to 4 dimensions":           func() error { _, err := NewProjection(ctx, 4, 3, x, 4, 2, good); return err }(),
		"rank 9 for 4 samples":      func() error { _, err := Start(ctx, 4, 3, x, 9, good); return err }(),
		"at least 2 samples":        func() error { _, err := Start(ctx, 1, 12, x, 1, good); return err }(),
	} {
		t.Run(name, func(t *testing.T) {
			if err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%q: %v", name, err)
			}
		})
	}
}
