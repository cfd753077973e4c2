package align

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/engine/memory"
	"github.com/orthant-go/orthant/internal/must"
)

// inputOf are samples with their labels, in a run of the given settings, before their
// neighbours are found.
func inputOf(ctx context.Context, x *mat.Dense, labels []int64, s run.Settings) Input {
	s.Kernels, s.Seed = blas.MustSelect("auto"), 1
	return Input{Local: patch.Local{Run: run.New(ctx, "test", s), X: samples.Of(x).Labeled(labels)}}
}

// withNearest is the same input with the k nearest of unit length.
func withNearest(in Input, k int) (Input, error) {
	found, err := neighborhood.UnitNearest{Nearest: neighborhood.Nearest(k)}.Find(in.Run, in.X)
	in.Graph = found.Graph
	return in, err
}

// graphRules are the alignments that make a matrix from samples and labels.
var graphRules = map[string]Rule[*Phi]{
	"lp":       Regularizer(func(in Input) (*Sum, error) { return sparseAligned(in, 12) }),
	"gs-gnmf":  Regularizer(ElasticNet{1e-3, 1e-4}.Align),
	"gs-near":  Regularizer(elasticAligned),
	"sp":       Discriminative{3, 5, true, "pinv"}.Align,
	"sp-ridge": Discriminative{3, 5, true, "ridge"}.Align,
	"ndla":     Discriminative{3, 5, false, "pinv"}.Align,
}

func sparseAligned(in Input, k int) (*Sum, error) {
	in, err := withNearest(in, k)
	if err != nil {
		return nil, err
	}
	return LocallySparse{0.01, 0.01, 1e-3}.Align(in)
}

// elasticAligned is the elastic-net graph among the nearest.
func elasticAligned(in Input) (*Sum, error) {
	in, err := withNearest(in, 9)
	if err != nil {
		return nil, err
	}
	return ElasticNet{1e-3, 1e-4}.Align(in)
}

// entriesOf are the entries of Φ, sparse or dense.
func entriesOf(a *Phi) []float64 {
	if a.Dense != nil {
		return a.Dense
	}
	return denseOf(a.Sparse)
}

// Every alignment is symmetric and positive semidefinite; graph Laplacians have no
// positive entry off the diagonal and send the constants to zero.
func TestGraphAlignments(t *testing.T) {
	x, labels := steptest.Shapes(45, 20)
	for name, rule := range graphRules {
		t.Run(name, func(t *testing.T) {
			a := must.Get(rule(inputOf(t.Context(), x, labels, run.Settings{})))(t)
			phi, n := entriesOf(a), 45
			values := make([]float64, n)
			must.Do(t, blas.MustSelect("auto").SymEig(n, slices.Clone(phi), n, values, &blas.Work{}))
			// The dense ones are products whose factors have entries up to 1e3 (the
			// root of 1e-6), rounded.
			tol := 1e-13 * values[n-1]
			if a.Dense != nil {
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
					if a.Sparse != nil && i != j && v > 0 {
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
	x, _ := steptest.Shapes(30, 16)
	in := inputOf(t.Context(), x, nil, run.Settings{})
	a := must.Get(sparseAligned(in, 9))(t)
	in = must.Get(withNearest(in, 9))(t)
	unit := must.Get(onUnitRows(in))(t)
	g := must.Get(LocallySparse{0.01, 0.01, 1e-3}.Codes(unit.Local))(t)
	n := 30
	s := make([]float64, n*n)
	for i := range n {
		for at, j := range g.Of(i) {
			w := g.Weight[g.Ptr[i]+at]
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
	a.Phi.MulVec(1, h, applied)
	if got := blas.Dot(h, applied); math.Abs(got-want) > 1e-13*want {
		t.Errorf("hᵀΦh = %v, want %v", got, want)
	}
}

// Samples given in another order give the same matrix, permuted; scaling samples
// changes nothing, since all are scaled to unit length.
func TestGraphAlignmentsPermuted(t *testing.T) {
	const n = 36
	x, labels := steptest.Shapes(n, 24)
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
			a := must.Get(rule(inputOf(t.Context(), x, labels, run.Settings{})))(t)
			b := must.Get(rule(inputOf(t.Context(), moved, movedLabels, run.Settings{})))(t)
			one, other := entriesOf(a), entriesOf(b)
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
	x, labels := steptest.Shapes(70, 30)
	for name, rule := range graphRules {
		t.Run(name, func(t *testing.T) {
			var first []float64
			for _, threads := range []int{1, 2, 5} {
				a := must.Get(rule(inputOf(t.Context(), x, labels, run.Settings{Threads: threads})))(t)
				if got := entriesOf(a); first == nil {
					first = got
				} else if !slices.Equal(got, first) {
					t.Errorf("%s: other bits with %d threads", name, threads)
				}
			}
		})
	}
}

func TestGraphAlignmentErrors(t *testing.T) {
	x, labels := steptest.Shapes(12, 6)
	alone := make([]int64, 12)
	for i := range alone {
		alone[i] = int64(i)
	}
	sp := graphRules["sp"]
	for _, c := range []struct {
		name, want string
		rule       Rule[*Phi]
		labels     []int64
		memory     int64
	}{
		{"no labels", "0 labels of 12 samples", sp, nil, 0},
		{"few labels", "5 labels of 12 samples", sp, labels[:5], 0},
		{"one class", "all samples are of one class", sp, make([]int64, 12), 0},
		{"single samples", "class of its own", sp, alone, 0},
		{"k1", "0 neighbours within", Discriminative{0, 5, true, "pinv"}.Align, labels, 0},
		{"memory", "the dense alignment between classes of 12 samples needs about", sp, labels, 1000},
		{"memory of gs-gnmf", "the Gram matrix of all samples, with its inverse, of 12 samples", graphRules["gs-gnmf"], nil, memory.Process(1500)}, // where the scaled samples fit
		{"xi2", "give Xi2 > 0", Regularizer(LocallySparse{0.01, 0, 0}.Align), nil, 0},
		{"xi1", "the others ≥ 0", Regularizer(LocallySparse{math.NaN(), 1, 0}.Align), nil, 0},
		{"l1", "give numbers above 0", Regularizer(ElasticNet{1, 0}.Align), nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			must.Refuse(t, c.want)(c.rule(inputOf(t.Context(), x, c.labels, run.Settings{Memory: c.memory})))
		})
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, rule := range graphRules {
		t.Run(name, func(t *testing.T) {
			if _, err := rule(inputOf(ctx, x, labels, run.Settings{})); err == nil {
				t.Errorf("%s: goes on when cancelled", name)
			}
		})
	}
}

// A neighbourhood larger than the set is cut with a warning, a class of one sample is
// reported, and samples of zeros and equal samples are accepted.
func TestGraphAlignmentsOfOddSamples(t *testing.T) {
	x, labels := steptest.Shapes(15, 8)
	for i := range 2 {
		x.SetRow(i, make([]float64, 8))
	}
	x.SetRow(5, x.RawRowView(4))
	x.SetRow(7, x.RawRowView(4)) // of the same class
	labels[14] = 9
	for name, rule := range graphRules {
		t.Run(name, func(t *testing.T) {
			in := inputOf(t.Context(), x, labels, run.Settings{})
			a := must.Get(rule(in))(t)
			for _, v := range entriesOf(a) {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("%s: entry %v", name, v)
				}
			}
			if a.Dense != nil && !slices.ContainsFunc(in.Warnings(), func(w string) bool { return strings.Contains(w, "one sample only") }) {
				t.Errorf("%s: no warning of a class of one sample: %q", name, in.Warnings())
			}
		})
	}
	in := inputOf(t.Context(), x, nil, run.Settings{})
	if _, err := sparseAligned(in, 100); err != nil || len(in.Warnings()) != 1 || !strings.Contains(in.Warnings()[0], "took 14") {
		t.Errorf("p = 100 of 15 samples: %v, %q", err, in.Warnings())
	}
}
