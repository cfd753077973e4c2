package nonnegative

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// randomGraph is a sparse symmetric matrix; of both signs, or a normalised
// Laplacian.
func randomGraph(t testing.TB, n int, laplacian bool) *sparse.CSR {
	random := blas.NewStream(9)
	var entries []sparse.Triplet
	for i := range n {
		for range 5 {
			j, v := random.Below(n), random.Uniform()-0.4
			if laplacian {
				v = -1
			}
			if i != j {
				entries = append(entries, sparse.Triplet{Row: i, Col: j, Val: v}, sparse.Triplet{Row: j, Col: i, Val: v})
			}
		}
	}
	m := must.Get(sparse.FromTriplets(n, n, entries))(t)
	if !laplacian {
		return m
	}
	degree := make([]float64, n)
	for i := range n {
		_, vals := m.Row(i)
		for _, v := range vals {
			degree[i] -= v
		}
	}
	entries = entries[:0]
	for i := range n {
		cols, vals := m.Row(i)
		entries = append(entries, sparse.Triplet{Row: i, Col: i, Val: 1})
		for q, j := range cols {
			entries = append(entries, sparse.Triplet{Row: i, Col: int(j), Val: vals[q] / math.Sqrt(degree[i]*degree[j])})
		}
	}
	m = must.Get(sparse.FromTriplets(n, n, entries))(t)
	return m
}

func TestSparsePathIsTheDensePath(t *testing.T) {
	const n = 150
	for _, laplacian := range []bool{false, true} {
		m := randomGraph(t, n, laplacian)
		for _, c := range []struct {
			negated bool
			sigma   float64
			p       int
			update  string
		}{{true, 1, 2, UpdatePaper}, {true, 3, 5, UpdatePaper}, {false, 0.5, 9, UpdatePaper}, {false, 4, 18, UpdatePaper}, {true, 2, 3, UpdatePenalty}} {
			o := Multiplicative{Update: c.update, Alpha: 3, Iterations: 30}
			s := must.Get(SignedSparse(m, c.negated, c.sigma))(t)
			if one := laplacian && c.negated && c.sigma >= 1; s.oneSided() != one {
				t.Errorf("laplacian=%v, %+v: one-sided %v", laplacian, c, s.oneSided())
			}
			u := uniform(n*c.p, 3)
			a := maximize(t, s, c.p, u, o)
			b := maximize(t, signedDense(t, n, m.Dense().RawMatrix().Data, c.negated, c.sigma), c.p, u, o)
			for i := range a.U {
				if math.Abs(a.U[i]-b.U[i]) > 1e-12*math.Max(1, math.Abs(b.U[i])) {
					t.Fatalf("laplacian=%v, %+v: entry %d is %g, dense %g", laplacian, c, i, a.U[i], b.U[i])
				}
			}
			last := len(a.Objective) - 1
			if math.Abs(a.Objective[last]-b.Objective[last]) > 1e-11*math.Max(1, math.Abs(b.Objective[last])) {
				t.Errorf("laplacian=%v, %+v: objective %g, dense %g", laplacian, c, a.Objective[last], b.Objective[last])
			}
		}
	}
}

// A Gram matrix that is not stored gives what the stored one does.
func TestSignedGramIsTheGram(t *testing.T) {
	const n, f, p = 200, 5, 3
	x, k := make([]float64, n*f), make([]float64, n*n)
	blas.NewStream(4).Normals(x)
	kernels := blas.MustSelect("")
	kernels.Gemm(false, true, n, n, f, 1, x, f, x, f, 0, k, n)
	g := must.Get(SignedGram(kernels, n, f, x))(t)
	o := Multiplicative{Iterations: 25, Threads: 2}
	a, b := maximize(t, g, p, uniform(n*p, 5), o), maximize(t, signedDense(t, n, k, false, 0), p, uniform(n*p, 5), o)
	for i := range a.U {
		if math.Abs(a.U[i]-b.U[i]) > 1e-11 {
			t.Fatalf("entry %d is %g, stored %g", i, a.U[i], b.U[i])
		}
	}
}

func TestIterationsSameBitsForAnyThreads(t *testing.T) {
	const n = 1500
	graph := randomGraph(t, n, true)
	full := gramian(300, 1)
	for name, operator := range map[string]func() (Signed, error){
		"dense":     func() (Signed, error) { return SignedDense(300, slices.Clone(full), false, 0.1) },
		"one-sided": func() (Signed, error) { return SignedSparse(graph, true, 1) },
		"sparse":    func() (Signed, error) { return SignedSparse(graph, true, 0.7) },
		"gram":      func() (Signed, error) { return SignedGram(blas.MustSelect(""), 300, 300, full) },
	} {
		t.Run(name, func(t *testing.T) {
			for _, update := range []string{UpdatePaper, UpdatePenalty} {
				var first *Nonnegative
				var rounded *Rounded
				for _, threads := range []int{1, 2, 3, 7} {
					c := must.Get(operator())(t)
					r := maximize(t, c, 3, uniform(c.Order()*3, 2), Multiplicative{Update: update, Norm: 2, Iterations: 30, Threads: threads})
					round := must.Get(Round(context.Background(), c, 3, r.U, threads, 1))(t)
					if first == nil {
						first, rounded = r, round
					}
					if !slices.Equal(r.U, first.U) || !slices.Equal(r.Objective, first.Objective) || !slices.Equal(r.Orthogonality, first.Orthogonality) {
						t.Errorf("%s: %d threads change bits", update, threads)
					}
					if !slices.Equal(round.U, rounded.U) || round.Trace != rounded.Trace {
						t.Errorf("%s: %d threads change bits of the rounding", update, threads)
					}
				}
			}
		})
	}
}

func TestIterationsDoNotAllocate(t *testing.T) {
	const n, p = 1500, 10
	graph := randomGraph(t, n, false)
	for _, threads := range []int{1, 2} {
		for name, operator := range map[string]func() (Signed, error){
			"dense":  func() (Signed, error) { return SignedDense(200, mixed(200, 1), false, 0.1) },
			"sparse": func() (Signed, error) { return SignedSparse(graph, true, 1) },
		} {
			c := must.Get(operator())(t)
			it := must.Get(newIteration(c, p, uniform(c.Order()*p, 1), Multiplicative{Threads: threads, Normalize: true}))(t)
			it.objective = it.trace
			it.after = func(bool) { it.stepWeights() }
			r := &Nonnegative{Objective: make([]float64, 0, 1000), Orthogonality: make([]float64, 0, 1000)}
			must.Do(t, it.evaluate(r, true))
			for _, s := range []stage{
				{prepare: it.preparePaper, update: it.updatePaper},
				{prepare: func() { it.preparePenalty(2) }, update: it.updatePenalty},
			} {
				allocations := testing.AllocsPerRun(20, func() {
					it.step(s)
					must.Do(t, it.evaluate(r, false))
				})
				if allocations != 0 {
					t.Errorf("%s, %d threads: %g allocations an iteration", name, threads, allocations)
				}
			}
			it.pool.close()
		}
	}
}

func TestPoolRaisesPanics(t *testing.T) {
	for _, threads := range []int{1, 3} {
		func() {
			tm := newPool(threads, 10)
			defer tm.close()
			defer func() {
				if p := recover(); p != "block 7" {
					t.Errorf("%d threads: recovered %v", threads, p)
				}
			}()
			tm.run(10, func(_, b int) {
				if b == 7 {
					panic("block 7")
				}
			})
			t.Errorf("%d threads: no panic", threads)
		}()
	}
}
