package exemplars

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// normals are n × m samples.
func normals(seed uint64, n, m int) blas.Rows {
	x := blas.Rows{N: n, M: m, Data: make([]float64, n*m)}
	blas.NewStream(seed).Normals(x.Data)
	return x
}

// determinant of the rows and columns of l that are listed.
func determinant(l []float64, n int, rows []int) float64 {
	if len(rows) == 0 {
		return 1
	}
	sub := mat.NewDense(len(rows), len(rows), nil)
	for a, i := range rows {
		for b, j := range rows {
			sub.Set(a, b, l[i*n+j])
		}
	}
	return mat.Det(sub)
}

// members lists the bits of a mask.
func members(mask, n int) (rows []int) {
	for i := range n {
		if mask>>i&1 == 1 {
			rows = append(rows, i)
		}
	}
	return rows
}

// expectFrequencies compares how often each subset came with its probability: within four
// standard deviations of a binomial.
func expectFrequencies(t *testing.T, what string, seen map[int]int, weight func(mask int) float64, n, draws int) {
	t.Helper()
	var total float64
	for mask := range 1 << n {
		total += weight(mask)
	}
	for mask := range 1 << n {
		p := weight(mask) / total
		deviation := math.Sqrt(p * (1 - p) * float64(draws))
		if got := float64(seen[mask]); math.Abs(got-p*float64(draws)) > 4*deviation+1e-9 {
			t.Errorf("%s: subset %v came %g times in %d, expected %.1f ± %.1f", what, members(mask, n), got, draws, p*float64(draws), deviation)
		}
	}
}

func TestSamplesComeWithTheirDeterminants(t *testing.T) {
	ctx := context.Background()
	const n, k, draws = 6, 3, 40000
	l := gramOf(normals(3, n, 5)) // of rank 5
	e := must.Get(NewEnsemble(ctx, slices.Clone(l), n, Options{}))(t)
	if e.Rank() != 5 {
		t.Errorf("rank %d of a kernel of rank 5", e.Rank())
	}
	fixed, plain := map[int]int{}, map[int]int{}
	s := blas.NewStream(7)
	maskOf := func(rows []int, err error) (mask int) {
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range rows {
			if mask>>i&1 == 1 {
				t.Fatalf("sample %d twice in %v", i, rows)
			}
			mask |= 1 << i
		}
		return mask
	}
	for range draws {
		fixed[maskOf(e.Sample(ctx, k, s))]++
		plain[maskOf(e.SamplePlain(ctx, s))]++
	}
	expectFrequencies(t, "size 3", fixed, func(mask int) float64 {
		if rows := members(mask, n); len(rows) == k {
			return determinant(l, n, rows)
		}
		return 0
	}, n, draws)
	expectFrequencies(t, "any size", plain, func(mask int) float64 { return max(determinant(l, n, members(mask, n)), 0) }, n, draws)
	for _, wrong := range []int{0, -1, 6} {
		if _, err := e.Sample(ctx, wrong, s); err == nil {
			t.Errorf("a subset of %d of rank 5 is drawn", wrong)
		}
	}
}

// Every order of the same draws: elimination as the textbook has it, with the basis
// changed at every step, gives the same samples from the same stream.
func TestDrawIsElimination(t *testing.T) {
	ctx := context.Background()
	const n, k = 30, 8
	e := must.Get(NewEnsemble(ctx, gramOf(normals(5, n, 12)), n, Options{}))(t)
	kept := []int{29, 27, 26, 25, 22, 21, 20, 18}
	for seed := range uint64(20) {
		got := must.Get(e.draw(ctx, kept, blas.NewStream(seed)))(t)
		if want := eliminate(e, kept, blas.NewStream(seed)); !slices.Equal(got, want) {
			t.Errorf("seed %d: %v, by elimination %v", seed, got, want)
		}
		if len(got) != k {
			t.Errorf("seed %d: %d samples of %d", seed, len(got), k)
		}
	}
}

func eliminate(e *Ensemble, kept []int, s *blas.Stream) (chosen []int) {
	n := e.N
	v := mat.NewDense(n, len(kept), nil)
	for q, j := range kept {
		v.SetCol(q, e.vectors[j*n:(j+1)*n])
	}
	for l := len(kept); l > 0; l-- {
		weights := make([]float64, n)
		for i := range n {
			for q := range l {
				weights[i] += v.At(i, q) * v.At(i, q)
			}
		}
		i := drawIndex(weights, s.Uniform())
		chosen = append(chosen, i)
		at := 0
		for q := range l {
			if math.Abs(v.At(i, q)) > math.Abs(v.At(i, at)) {
				at = q
			}
		}
		rest := mat.NewDense(n, max(l-1, 1), nil)
		for q, to := 0, 0; q < l; q++ {
			if q == at {
				continue
			}
			for r := range n {
				rest.Set(r, to, v.At(r, q)-v.At(r, at)*v.At(i, q)/v.At(i, at))
			}
			to++
		}
		if l > 1 {
			var qr mat.QR
			qr.Factorize(rest)
			var q mat.Dense
			qr.QTo(&q)
			v = mat.DenseCopyOf(q.Slice(0, n, 0, l-1))
		}
	}
	return chosen
}

func TestLogElementaryOfManyNumbers(t *testing.T) {
	// e_k of N ones is the binomial, beyond the range of float64 here.
	const n, k = 3000, 700
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	table := LogElementary(ones, k)
	a, _ := math.Lgamma(n + 1)
	b, _ := math.Lgamma(k + 1)
	c, _ := math.Lgamma(n - k + 1)
	// Both sum some thousand logarithms, each to rounding.
	if got, want := table[k*(n+1)+n], a-b-c; !(math.Abs(got-want) < 1e-10*want) || want < 1000 {
		t.Errorf("log e_k is %v, want %v", got, want)
	}
	// Numbers down to 1e-300 and zeros: against the polynomial Π(1 + w t).
	table = LogElementary([]float64{0, 1e-300, 2, 0, 1e-200}, 4)
	want := []float64{0, math.Log(2), math.Log(2e-200), math.Log(2) - 500*math.Ln10, math.Inf(-1)}
	for l, w := range want {
		if got := table[l*6+5]; !(got == w || math.Abs(got-w) < 1e-12*math.Abs(w)) {
			t.Errorf("log e_%d is %v, want %v", l, got, w)
		}
	}
}

func TestGreedyTakesTheLargestFactor(t *testing.T) {
	ctx := context.Background()
	const n, k = 40, 12
	l := gramOf(normals(11, n, 20))
	got, logs, err := Greedy(ctx, l, n, k, Options{Threads: 3})
	if err != nil || len(got) != k {
		t.Fatalf("%v (%v)", got, err)
	}
	sum := 0.0
	for at := range got {
		best, most := -1, 0.0
		for i := range n {
			if !slices.Contains(got[:at], i) {
				if d := determinant(l, n, append(slices.Clone(got[:at]), i)); d > most {
					best, most = i, d
				}
			}
		}
		if best != got[at] {
			t.Errorf("choice %d is %d, the largest determinant has %d", at, got[at], best)
		}
		sum += logs[at]
		if !(math.Abs(sum-math.Log(most)) < 1e-9) {
			t.Errorf("log det of %d is %v, want %v", at+1, sum, math.Log(most))
		}
	}
	one, _, _ := Greedy(ctx, l, n, k, Options{Threads: 1})
	if !slices.Equal(one, got) {
		t.Error("threads change the choice")
	}
}

func TestGreedyStopsWhereNothingIsLeft(t *testing.T) {
	ctx := context.Background()
	ones := []float64{1, 1, 1, 1, 1, 1, 1, 1, 1}
	if got, _, err := Greedy(ctx, ones, 3, 3, Options{}); err != nil || !slices.Equal(got, []int{0}) {
		t.Errorf("equal samples: %v (%v), want the first alone", got, err)
	}
	if got, _, err := Greedy(ctx, make([]float64, 9), 3, 2, Options{}); err != nil || len(got) != 0 {
		t.Errorf("a kernel of zeros: %v (%v), want none", got, err)
	}
	// Indefinite: eigenvalues 3 and −1.
	if got, _, err := Greedy(ctx, []float64{1, 2, 2, 1}, 2, 2, Options{}); err != nil || !slices.Equal(got, []int{0}) {
		t.Errorf("an indefinite kernel: %v (%v), want the first alone", got, err)
	}
	for _, count := range []int{0, 4} {
		if _, _, err := Greedy(ctx, ones, 3, count, Options{}); err == nil {
			t.Errorf("%d of 3 samples are chosen", count)
		}
	}
	if _, _, err := Greedy(ctx, []float64{1, 0, 0, math.NaN()}, 2, 1, Options{}); err == nil {
		t.Error("a kernel with NaN is taken")
	}
}

func TestEnsembleDropsNegativeEigenvalues(t *testing.T) {
	const n = 7
	a := normals(2, n, n)
	for i := range n {
		for j := range i {
			a.Data[i*n+j] = a.Data[j*n+i]
		}
	}
	e := must.Get(NewEnsemble(context.Background(), slices.Clone(a.Data), n, Options{}))(t)
	var eigen mat.EigenSym
	eigen.Factorize(mat.NewSymDense(n, a.Data), true)
	var v mat.Dense
	eigen.VectorsTo(&v)
	values := eigen.Values(nil)
	negative := 0
	for j, w := range values {
		if w < 0 {
			values[j] = 0
			negative++
		}
	}
	var want mat.Dense
	want.Product(&v, mat.NewDiagDense(n, values), v.T())
	got := e.Kernel()
	for i, w := range want.RawMatrix().Data {
		if math.Abs(got[i]-w) > 1e-12 {
			t.Errorf("entry %d is %v, want %v", i, got[i], w)
		}
	}
	if e.Negative != negative || negative == 0 || e.Rank() != n-negative {
		t.Errorf("%d negative eigenvalues and rank %d, want %d and %d", e.Negative, e.Rank(), negative, n-negative)
	}
}
