package selective

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/solvers/alm"
	"github.com/orthant-go/orthant/solvers/projections"
)

// variants are options of every kind, for n samples.
func variants(n int) map[string]Options {
	k, tau := 6, n/8
	return map[string]Options{
		"smrmf":        {Neighbors: k, Exemplars: tau, Lambda: 0.1, Start: 15},
		"smrmf rank":   {Neighbors: k, Exemplars: tau, Lambda: 0.1, Start: 15, Diagonal: Rank},
		"smrmf p=2":    {Neighbors: k, Exemplars: tau + 4, Lambda: 0.1, Start: 15, Norm: Euclidean},
		"smrmf drop":   {Neighbors: k, Exemplars: tau, Lambda: 0.1, Beta: 0.2, Start: 15, Diagonal: Drop},
		"smrmf-euc":    {Neighbors: k, Exemplars: tau, Lambda: 0.1, Start: 15, Distances: true},
		"f-smrmf":      {Neighbors: k, Exemplars: tau, Lambda: 0.1, Fast: true, Diagonal: Rank},
		"f-smrmf in":   {Neighbors: k, Exemplars: tau, Lambda: 0.1, Fast: true, Input: true},
		"f-smrmf drop": {Neighbors: k, Exemplars: tau, Lambda: 0.1, Fast: true, Diagonal: Drop},
		"smrmf-ns":     {Neighbors: k, Lambda: 0.1, Fast: true, All: true},
		"no factors":   {Neighbors: k, Exemplars: tau, Start: 15},
	}
}

// passes runs a graph through some passes with the same factors.
func passes(t *testing.T, graph *Graph, w, wPlus []float64, r, count int) (residuals []float64) {
	t.Helper()
	mu := 0.5
	for pass := range count {
		residual := must.Get(graph.Update(context.Background(), w, wPlus, alm.Step{Pass: pass + 1, Rank: r, Mu: mu, Next: 1.2 * mu}))(t)
		mu *= 1.2
		residuals = append(residuals, residual)
	}
	return residuals
}

// TestPassesByTheFormulas follows every variant with dense matrices.
func TestPassesByTheFormulas(t *testing.T) {
	const n, m, r, count = 70, 3, 4, 3
	x, class := clouds(n, m, r)
	w, wPlus := indicators(class, r)
	for name, o := range variants(n) {
		t.Run(name, func(t *testing.T) {
			graph, err := New(context.Background(), n, m, x, o)
			if err != nil {
				t.Fatalf("%v", err)
			}
			z := graph.Encoding().Dense()
			dense := &formulas{o: graph.o, n: n, d: make([]float64, n*n), z: z, l: make([]float64, n*n), delta: graph.Delta()}
			graph.d.Columns(0, n, dense.d) // symmetric
			if !o.Fast {
				dense.c = graph.a.Dense() // A = C
			}
			dense.compare(t, name, graph)
			mu := 0.5
			for pass := range count {
				residual := must.Get(graph.Update(context.Background(), w, wPlus, alm.Step{Pass: pass + 1, Rank: r, Mu: mu, Next: 1.2 * mu}))(t)
				if want := dense.step(t, w, wPlus, r, mu); math.Abs(residual-want) > 1e-9 {
					t.Fatalf("pass %d: residual %v, want %v", pass, residual, want)
				}
				dense.compare(t, name, graph)
				mu *= 1.2
			}
		})
	}
}

// formulas are Z, C and Λ of a graph, row after row.
type formulas struct {
	o          Options
	n          int
	d, z, c, l []float64
	delta      float64
}

// step is a pass as the papers write it.
func (f *formulas) step(t *testing.T, w, wPlus []float64, r int, mu float64) float64 {
	t.Helper()
	n, ratio := f.n, f.o.Lambda/f.o.Beta
	d2 := func(i, j int) float64 { return blas.SquaredDistance(w[i*r:(i+1)*r], wPlus[j*r:(j+1)*r]) }
	width := make([]float64, n)
	for i := range n {
		var row []float64
		for j := range n {
			if j != i {
				row = append(row, d2(i, j))
			}
		}
		slices.Sort(row)
		width[i] = row[f.o.Neighbors-1]
	}
	column := make([]float64, n)
	for j := range n {
		for i := range n {
			latent := -(math.Exp(-d2(i, j)/(2*width[i])) + math.Exp(-d2(j, i)/(2*width[j]))) / 2
			if f.o.Distances {
				latent = d2(i, j)
			}
			column[i] = f.d[i*n+j] + ratio*latent
		}
		if f.o.Fast {
			projections.Quadratic(column, column, f.delta)
		} else {
			for i := range n {
				column[i] = f.c[i*n+j] - f.l[i*n+j]/mu - f.o.Beta/mu*column[i]
			}
			projections.Simplex(column, column, 1)
		}
		for i := range n {
			f.z[i*n+j] = column[i]
		}
	}
	if f.o.Fast {
		return 0
	}
	// The projection wants groups in columns.
	a := make([]float64, n*n)
	for i := range n {
		for j := range n {
			a[j*n+i] = f.z[i*n+j] + f.l[i*n+j]/mu
		}
	}
	ball := &projections.Groups{Norm: f.o.Norm}
	must.Get(ball.Project(context.Background(), n, n, a, float64(f.o.Exemplars)))(t)
	var sum float64
	row := make([]float64, n)
	for j := range n {
		ball.Apply(row, a[j*n:(j+1)*n])
		for i, v := range row {
			f.c[i*n+j] = v
			f.l[i*n+j] += mu * (f.z[i*n+j] - v)
			sum += (f.z[i*n+j] - v) * (f.z[i*n+j] - v)
		}
	}
	return math.Sqrt(sum / float64(n))
}

// compare checks Z and what is learned from it.
func (f *formulas) compare(t *testing.T, name string, graph *Graph) {
	t.Helper()
	n := f.n
	got := graph.Encoding().Dense()
	golden.Expect(t, name+": Z", got, f.z, 1e-9)
	golden.Expect(t, name+": rows of Z", graph.Encoding().Rows().Dense().RawMatrix().Data, got, 0)
	order := make([]int, n)
	norms := make([]float64, n)
	for i := range n {
		order[i] = i
		for j := range n {
			if v := got[i*n+j]; j != i || f.o.Diagonal != Rank {
				norms[i] += v * v
			}
			if f.o.Diagonal == Drop && got[i*n+i] != 0 {
				t.Fatalf("%s: sample %d stands for itself by %v", name, i, got[i*n+i])
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(norms[b], norms[a]) })
	chosen := order[:n]
	if !f.o.All {
		chosen = order[:f.o.Exemplars]
	}
	chosen = slices.Sorted(slices.Values(chosen))
	if !slices.Equal(graph.Exemplars(), chosen) {
		t.Fatalf("%s: exemplars %v, want %v", name, graph.Exemplars(), chosen)
	}
	want := make([]float64, n*n)
	for _, i := range chosen {
		var list []int
		for j := range n {
			if j != i && got[i*n+j] > 0 {
				list = append(list, j)
			}
		}
		if f.o.Input {
			near := graph.nearest[i*f.o.Neighbors : (i+1)*f.o.Neighbors]
			list = slices.DeleteFunc(list, func(j int) bool { return !slices.Contains(near, int32(j)) })
		} else {
			slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(got[i*n+b], got[i*n+a]) })
			list = list[:min(len(list), f.o.Neighbors)]
		}
		for _, j := range list {
			want[i*n+j] = got[i*n+j]
		}
	}
	golden.Expect(t, name+": Ẑ", graph.Learned().Dense().RawMatrix().Data, want, 0)
	s := graph.Affinity()
	for i := range n {
		cols, _ := s.Row(i)
		if !slices.IsSorted(cols) {
			t.Fatalf("%s: row %d of S has the columns %v", name, i, cols)
		}
		for j := range n {
			if v := (want[i*n+j] + want[j*n+i]) / 2; s.At(i, j) != v {
				t.Fatalf("%s: S(%d, %d) = %v, want %v", name, i, j, s.At(i, j), v)
			}
		}
	}
}

func TestThreadsChangeNoBit(t *testing.T) {
	const n, m, r = 150, 4, 5
	x, class := clouds(n, m, r)
	w, wPlus := indicators(class, r)
	for name, o := range variants(n) {
		t.Run(name, func(t *testing.T) {
			var z [2][]float64
			var residuals [2][]float64
			for q, threads := range []int{1, 3} {
				o.Threads = threads
				graph := must.Get(New(context.Background(), n, m, x, o))(t)
				residuals[q] = passes(t, graph, w, wPlus, r, 3)
				z[q] = append(graph.Encoding().Dense(), graph.Affinity().Val...)
			}
			if !slices.Equal(z[0], z[1]) || !slices.Equal(residuals[0], residuals[1]) {
				t.Errorf("threads change bits")
			}
		})
	}
}

// The residual of the splitting vanishes as the penalty grows, and the bound holds.
func TestPenaltyClosesTheSplitting(t *testing.T) {
	const n, m, r = 60, 3, 3
	x, class := clouds(n, m, r)
	w, wPlus := indicators(class, r)
	for _, norm := range []projections.Norm{Max, Euclidean} {
		t.Run(fmt.Sprintf("p = %v", norm), func(t *testing.T) {
			tau := 8
			graph := must.Get(New(context.Background(), n, m, x, Options{Neighbors: 7, Exemplars: tau, Lambda: 0.1, Norm: norm}))(t)
			var last float64
			for pass, mu := 0, 0.01; pass < 150; pass++ {
				last = must.Get(graph.Update(context.Background(), w, wPlus, alm.Step{Pass: pass, Rank: r, Mu: mu, Next: 1.1 * mu}))(t)
				mu *= 1.1
			}
			if !(last < 1e-4) {
				t.Errorf("p = %v: the residual is %v after 150 passes", norm, last)
			}
			if total := rowSums(norm, graph); total > float64(tau)+1e-3*n {
				t.Errorf("p = %v: norms of rows sum to %v, τ = %d", norm, total, tau)
			}
		})
	}
}

func rowSums(norm projections.Norm, graph *Graph) (total float64) {
	a := graph.Encoding().Rows()
	for i := range a.Rows {
		_, values := a.Row(i)
		var length float64
		for _, v := range values {
			if norm == Max {
				length = max(length, v)
			} else {
				length = math.Hypot(length, v)
			}
		}
		total += length
	}
	return total
}

// Samples that are all equal, and factors that are, have uniform encodings and no NaN.
func TestEqualSamples(t *testing.T) {
	const n, m, r = 40, 3, 2
	x := make([]float64, n*m)
	for i := range x {
		x[i] = 0.3
	}
	w := make([]float64, n*r)
	for i := range w {
		w[i] = 0.1
	}
	for name, o := range variants(n) {
		t.Run(name, func(t *testing.T) {
			graph, err := New(context.Background(), n, m, x, o)
			if err != nil {
				t.Fatalf("%v", err)
			}
			for _, residual := range passes(t, graph, w, w, r, 4) {
				if math.IsNaN(residual) {
					t.Fatalf("the residual is NaN")
				}
			}
			for j := range n {
				_, values := graph.Encoding().Column(j)
				var sum float64
				for _, v := range values {
					sum += v
					if o.Fast && o.Diagonal != Drop && math.Abs(v-1.0/n) > 1e-6 {
						t.Fatalf("an entry of %v where all are alike", v)
					}
				}
				if !(math.Abs(sum-1) < 1e-9) {
					t.Fatalf("column %d sums to %v", j, sum)
				}
			}
		})
	}
}

func TestNewRefuses(t *testing.T) {
	x := make([]float64, 12)
	for i := range x {
		x[i] = float64(i * i)
	}
	for name, c := range map[string]struct {
		n, m int
		o    Options
		want string
	}{
		"one sample":       {1, 12, Options{Neighbors: 1}, "at least 2 samples"},
		"no columns":       {6, 0, Options{Neighbors: 1}, "at least 2 samples"},
		"size":             {5, 2, Options{Neighbors: 1}, "12 numbers"},
		"no neighbours":    {6, 2, Options{}, "0 neighbours"},
		"many neighbours":  {6, 2, Options{Neighbors: 6}, "from 1 to 5"},
		"exemplars":        {6, 2, Options{Neighbors: 2, Exemplars: 7}, "7 exemplars"},
		"negative":         {6, 2, Options{Neighbors: 2, Exemplars: -1}, "-1 exemplars"},
		"λ":                {6, 2, Options{Neighbors: 2, Lambda: -1}, "λ is -1"},
		"NaN λ":            {6, 2, Options{Neighbors: 2, Lambda: math.NaN()}, "λ is NaN"},
		"β":                {6, 2, Options{Neighbors: 2, Beta: -1}, "β is -1"},
		"λ/β":              {6, 2, Options{Neighbors: 2, Lambda: 1e300, Beta: 1e-300}, "β is 1e-300"},
		"δ":                {6, 2, Options{Neighbors: 2, Fast: true, Delta: -1}, "δ is -1"},
		"p = 2, few":       {6, 2, Options{Neighbors: 2, Exemplars: 2, Norm: Euclidean}, "at least 3 exemplars"},
		"word of diagonal": {6, 2, Options{Neighbors: 2, Diagonal: "leave"}, `diagonal "leave"`},
	} {
		t.Run(name, func(t *testing.T) {
			must.Refuse(t, c.want)(New(context.Background(), c.n, c.m, x, c.o))
		})
	}
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := New(stopped, 6, 2, x, Options{Neighbors: 2}); err == nil {
		t.Error("a cancelled start gave no error")
	}
}
