package engine

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers"
)

// shapes are n nonnegative samples of m columns around three patterns, with the
// pattern as label.
func shapes(n, m int) (*mat.Dense, []int64) {
	stream := blas.NewStream(11)
	patterns := make([]float64, 3*m)
	stream.Uniforms(patterns)
	x, labels := mat.NewDense(n, m, nil), make([]int64, n)
	for i := range n {
		labels[i] = int64(i % 3)
		for j := range m {
			x.Set(i, j, max(0, patterns[i%3*m+j]-0.3+0.3*stream.Uniform())*(1+float64(i%5)))
		}
	}
	return x, labels
}

// graphRules are the alignments that make a matrix from samples and labels.
var graphRules = map[string]func(p *problem) (*alignment, error){
	"lp":       func(p *problem) (*alignment, error) { return sparseAligned(p, 12) },
	"gs-gnmf":  func(p *problem) (*alignment, error) { return elasticNet{1e-3, 1e-4}.align(p, nil) },
	"gs-near":  elasticAligned,
	"sp":       discriminativeAligned(discriminative{3, 5, true, "pinv"}),
	"sp-ridge": discriminativeAligned(discriminative{3, 5, true, "ridge"}),
	"ndla":     discriminativeAligned(discriminative{3, 5, false, "pinv"}),
}

func sparseAligned(p *problem, k int) (*alignment, error) {
	var err error
	if p.graph, err = (unitNearest{nearest(k)}).find(p); err != nil {
		return nil, err
	}
	return locallySparse{0.01, 0.01, 1e-3}.align(p, nil)
}

// elasticAligned is the elastic-net graph among the nearest.
func elasticAligned(p *problem) (*alignment, error) {
	var err error
	if p.graph, err = (unitNearest{9}).find(p); err != nil {
		return nil, err
	}
	return elasticNet{1e-3, 1e-4}.align(p, nil)
}

func discriminativeAligned(r discriminative) func(p *problem) (*alignment, error) {
	return func(p *problem) (*alignment, error) { return r.align(p, nil) }
}

func (a *alignment) entries() []float64 {
	if a.whole != nil {
		return a.whole
	}
	return denseOf(a.phi)
}

// Every alignment is symmetric and positive semidefinite; graph Laplacians have no
// positive entry off the diagonal and send the constants to zero.
func TestGraphAlignments(t *testing.T) {
	x, labels := shapes(45, 20)
	for name, rule := range graphRules {
		t.Run(name, func(t *testing.T) {
			a, err := rule(sparseProblem(t, x, Options{Labels: labels}))
			if err != nil {
				t.Fatal(err)
			}
			phi, n := a.entries(), 45
			values := make([]float64, n)
			if err := blas.MustSelect("auto").SymEig(n, slices.Clone(phi), n, values, &blas.Work{}); err != nil {
				t.Fatal(err)
			}
			// The dense ones are products whose factors have entries up to 1e3 (the
			// root of 1e-6), rounded.
			tol := 1e-13 * values[n-1]
			if a.whole != nil {
				tol = 1e-9 * values[n-1]
			}
			if !(values[n-1] > 0) || values[0] < -tol {
				t.Errorf("eigenvalues from %g to %g", values[0], values[n-1])
			}
			for i := range n {
				var sum float64
				for j := range n {
					v := phi[i*n+j]
					sum += v
					if v != phi[j*n+i] {
						t.Fatalf("entries (%d, %d) and (%d, %d) differ", i, j, j, i)
					}
					if a.phi != nil && i != j && v > 0 {
						t.Errorf("entry (%d, %d) of a Laplacian is %g", i, j, v)
					}
				}
				if name != "sp-ridge" && math.Abs(sum) > 20*tol {
					t.Errorf("row %d of Φ sums to %g", i, sum)
				}
			}
		})
	}
}

// tr(HΦHᵀ) is the sum over samples and neighbours that the patches were made for:
// ΣᵢΣⱼ Sᵢⱼ‖hᵢ − hⱼ‖².
func TestSparseGraphIdentity(t *testing.T) {
	x, _ := shapes(30, 16)
	p := sparseProblem(t, x, Options{})
	a, err := sparseAligned(p, 9)
	if err != nil {
		t.Fatal(err)
	}
	q, err := onUnitRows(p)
	if err != nil {
		t.Fatal(err)
	}
	g, weights, err := locallySparse{0.01, 0.01, 1e-3}.codes(q)
	if err != nil {
		t.Fatal(err)
	}
	n := 30
	s := make([]float64, n*n)
	for i := range n {
		for at, j := range g.Of(i) {
			w := weights[g.Ptr[i]+at]
			if w < 1e-3 {
				t.Errorf("weight %g is below τ", w)
			}
			s[i*n+int(j)] += w / 2
			s[int(j)*n+i] += w / 2
		}
	}
	h, applied := make([]float64, n), make([]float64, n)
	blas.NewStream(3).Uniforms(h)
	var want float64
	for i := range n {
		for j := range n {
			want += s[i*n+j] * (h[i] - h[j]) * (h[i] - h[j])
		}
	}
	a.phi.MulVec(1, h, applied)
	if got := blas.Dot(h, applied); math.Abs(got-want) > 1e-13*want {
		t.Errorf("hᵀΦh = %v, want %v", got, want)
	}
}

// Samples given in another order give the same matrix, permuted; scaling samples
// changes nothing, since all are scaled to unit length.
func TestGraphAlignmentsPermuted(t *testing.T) {
	const n = 36
	x, labels := shapes(n, 24)
	moved, movedLabels := mat.NewDense(n, 24, nil), make([]int64, n)
	to := func(i int) int { return (i*7 + 3) % n }
	for i := range n {
		row := slices.Clone(x.RawRowView(i))
		blas.Scale(math.Ldexp(1, i%4), row) // a power of two, which rounds nothing
		moved.SetRow(to(i), row)
		movedLabels[to(i)] = 5 - labels[i]
	}
	for name, rule := range graphRules {
		t.Run(name, func(t *testing.T) {
			a, err := rule(sparseProblem(t, x, Options{Labels: labels}))
			if err != nil {
				t.Fatal(err)
			}
			b, err := rule(sparseProblem(t, moved, Options{Labels: movedLabels}))
			if err != nil {
				t.Fatal(err)
			}
			one, other := a.entries(), b.entries()
			largest := max(slices.Max(one), -slices.Min(one))
			for i := range n {
				for j := range n {
					// Codes are exact to 1e-11; the roots of L^b magnify that at most 1e3-fold.
					if v, w := one[i*n+j], other[to(i)*n+to(j)]; math.Abs(v-w) > 1e-7*largest {
						t.Fatalf("%s: entry (%d, %d) is %v, and %v in another order", name, i, j, v, w)
					}
				}
			}
		})
	}
}

func TestGraphAlignmentsSameBits(t *testing.T) {
	x, labels := shapes(70, 30)
	for name, rule := range graphRules {
		t.Run(name, func(t *testing.T) {
			var first []float64
			for _, threads := range []int{1, 2, 5} {
				a, err := rule(sparseProblem(t, x, Options{Labels: labels, Threads: threads}))
				if err != nil {
					t.Fatal(err)
				}
				if got := a.entries(); first == nil {
					first = got
				} else if !slices.Equal(got, first) {
					t.Errorf("%s: other bits with %d threads", name, threads)
				}
			}
		})
	}
}

func TestGraphAlignmentErrors(t *testing.T) {
	x, labels := shapes(12, 6)
	alone := make([]int64, 12)
	for i := range alone {
		alone[i] = int64(i)
	}
	sp := graphRules["sp"]
	for _, c := range []struct {
		name, want string
		rule       func(p *problem) (*alignment, error)
		o          Options
	}{
		{"no labels", "0 labels of 12 samples", sp, Options{}},
		{"few labels", "5 labels of 12 samples", sp, Options{Labels: labels[:5]}},
		{"one class", "all samples are of one class", sp, Options{Labels: make([]int64, 12)}},
		{"single samples", "class of its own", sp, Options{Labels: alone}},
		{"k1", "0 neighbours within", discriminativeAligned(discriminative{0, 5, true, "pinv"}), Options{Labels: labels}},
		{"memory", "the dense alignment between classes of 12 samples needs about", sp, Options{Labels: labels, Memory: 1000}},
		{"memory of gs-gnmf", "the Gram matrix of all samples, with its inverse, of 12 samples", graphRules["gs-gnmf"], Options{Memory: 1000}},
		{"xi2", "give xi2 > 0", func(p *problem) (*alignment, error) { return locallySparse{0.01, 0, 0}.align(p, nil) }, Options{}},
		{"xi1", "the others ≥ 0", func(p *problem) (*alignment, error) { return locallySparse{math.NaN(), 1, 0}.align(p, nil) }, Options{}},
		{"l1", "give numbers above 0", func(p *problem) (*alignment, error) { return elasticNet{1, 0}.align(p, nil) }, Options{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := c.rule(sparseProblem(t, x, c.o)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, rule := range graphRules {
		t.Run(name, func(t *testing.T) {
			p := sparseProblem(t, x, Options{Labels: labels})
			p.ctx = ctx
			if _, err := rule(p); err == nil {
				t.Errorf("%s: goes on when cancelled", name)
			}
		})
	}
}

// A neighbourhood larger than the set is cut with a warning, a class of one sample is
// told of, and samples of zeros, or equal ones, are no obstacle.
func TestGraphAlignmentsOfOddSamples(t *testing.T) {
	x, labels := shapes(15, 8)
	for i := range 2 {
		x.SetRow(i, make([]float64, 8))
	}
	x.SetRow(5, x.RawRowView(4))
	x.SetRow(7, x.RawRowView(4)) // of the same class
	labels[14] = 9
	for name, rule := range graphRules {
		t.Run(name, func(t *testing.T) {
			p := sparseProblem(t, x, Options{Labels: labels})
			a, err := rule(p)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range a.entries() {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("%s: entry %v", name, v)
				}
			}
			if a.whole != nil && !slices.ContainsFunc(p.warnings, func(w string) bool { return strings.Contains(w, "one sample only") }) {
				t.Errorf("%s: no warning of a class of one sample: %q", name, p.warnings)
			}
		})
	}
	p := sparseProblem(t, x, Options{})
	if _, err := sparseAligned(p, 100); err != nil || len(p.warnings) != 1 || !strings.Contains(p.warnings[0], "took 14") {
		t.Errorf("p = 100 of 15 samples: %v, %q", err, p.warnings)
	}
}

// The lists of the classes, by measuring every distance.
func TestClassNeighbors(t *testing.T) {
	x, labels := shapes(31, 12)
	labels[30] = 7
	p := sparseProblem(t, x, Options{Labels: labels})
	p.labels = labels
	for _, within := range []bool{true, false} {
		find := betweenClasses
		if within {
			find = withinClasses
		}
		for _, k := range []int{1, 4, 50} {
			g, err := find(p, k)
			if err != nil {
				t.Fatal(err)
			}
			for i := range 31 {
				var want []int32
				for j := range 31 {
					if j != i && (labels[i] == labels[j]) == within {
						want = append(want, int32(j))
					}
				}
				slices.SortStableFunc(want, func(a, b int32) int {
					da, db := blas.SquaredDistance(p.x.Row(i), p.x.Row(int(a))), blas.SquaredDistance(p.x.Row(i), p.x.Row(int(b)))
					switch {
					case da < db:
						return -1
					case da > db:
						return 1
					}
					return 0
				})
				want = want[:min(k, len(want))]
				if !slices.Equal(g.Of(i), want) {
					t.Errorf("within %v, k = %d: neighbours of %d are %v, want %v", within, k, i, g.Of(i), want)
				}
			}
		}
	}
}

func coil(tb testing.TB) neighbors.Points {
	tb.Helper()
	x, err := files.ReadMatrix(filepath.Join(golden.Data(tb), "coil20.X.npy"), files.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return pointsOf(x)
}

// The locally sparse graph of COIL-20, p = 100: the neighbours, then the codes of all
// 1440 samples, once as the engine finds them and once by FISTA, one lasso a sample, as
// published.
func BenchmarkLocallySparseCOIL(b *testing.B) {
	p := sparseProblem(b, mat.NewDense(1, 1, nil), Options{Threads: 1})
	p.x = coil(b)
	q, err := onUnitRows(p)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("neighbors", func(b *testing.B) {
		for b.Loop() {
			if q.graph, err = (unitNearest{100}).find(q); err != nil {
				b.Fatal(err)
			}
		}
	})
	if q.graph == nil {
		if q.graph, err = (unitNearest{100}).find(q); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("codes", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := (locallySparse{0.01, 0.01, 1e-3}).codes(q); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(q.details["unconverged_codes"].(int)), "unconverged")
	})
	b.Run("fista", func(b *testing.B) {
		coder := solvers.NewRobustLasso(q.kernels, 0.01, 0.01)
		unconverged := 0
		for b.Loop() {
			unconverged = 0
			for i := range q.x.N {
				if _, r := coder.FISTA(q.x.Row(i), q.x.Data, q.graph.Of(i)); !r.Converged {
					unconverged++
				}
			}
		}
		b.ReportMetric(float64(unconverged), "unconverged")
	})
	all := *q
	all.graph = nil
	for name, q := range map[string]*problem{"elastic-net": q, "elastic-net-all": &all} { // the graph that stands in for GS-GNMF's
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := (elasticNet{1e-3, 1e-4}).align(q, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The alignment of SP-RNA for COIL-20, dense 1440 × 1440.
func BenchmarkDiscriminativeCOIL(b *testing.B) {
	p := sparseProblem(b, mat.NewDense(1, 1, nil), Options{Threads: 1})
	p.x = coil(b)
	p.labels = make([]int64, p.x.N)
	for i := range p.labels {
		p.labels[i] = int64(i / 72)
	}
	for b.Loop() {
		if _, err := (discriminative{6, 20, true, "pinv"}).align(p, nil); err != nil {
			b.Fatal(err)
		}
	}
}
