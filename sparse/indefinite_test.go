package sparse

import (
	"errors"
	"fmt"
	"math"
	"os"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/blas"
)

// kinds are random sparse indefinite matrices B of order n: the matrix is DBD, where D spans the given number of powers of two.
var kinds = []struct {
	name   string
	powers int // of D
	middle int // of D, up or down
	make   func(t testing.TB, n int, random *blas.Stream) *CSR
}{
	{"random", 0, 0, func(t testing.TB, n int, r *blas.Stream) *CSR { return randomIndefinite(t, n, r, 0.15+0.5*r.Uniform()) }},
	{"zero diagonal", 0, 0, func(t testing.TB, n int, r *blas.Stream) *CSR { return randomIndefinite(t, n, r, 0) }},
	{"saddle", 0, 0, func(t testing.TB, n int, r *blas.Stream) *CSR { return randomSaddle(t, n, r, 1) }},
	{"saddle, zeros in H", 0, 0, func(t testing.TB, n int, r *blas.Stream) *CSR { return randomSaddle(t, n, r, 0.5) }},
	{"saddle, singular H", 0, 0, func(t testing.TB, n int, r *blas.Stream) *CSR { return randomSaddle(t, n, r, -1) }},
	{"Stokes", 0, 0, func(t testing.TB, n int, r *blas.Stream) *CSR {
		return stokes(t, max(2, int(math.Sqrt(float64(n)/3))), r)
	}},
	{"arrow", 0, 0, func(t testing.TB, n int, r *blas.Stream) *CSR { return randomArrow(t, n, r) }},
	{"adjacency", 0, 0, func(t testing.TB, n int, r *blas.Stream) *CSR { return adjacency(t, randomIndefinite(t, n, r, 0)) }},
	{"graded", 60, 0, func(t testing.TB, n int, r *blas.Stream) *CSR { return randomIndefinite(t, n, r, 0.3) }},
	{"graded saddle", 60, 0, func(t testing.TB, n int, r *blas.Stream) *CSR { return randomSaddle(t, n, r, 0.5) }},
	{"tiny and huge", 20, 490, func(t testing.TB, n int, r *blas.Stream) *CSR { return randomIndefinite(t, n, r, 0.3) }},
}

// randomIndefinite has two to seven small whole numbers a row; a row has a diagonal entry with that probability.
func randomIndefinite(t testing.TB, n int, r *blas.Stream, diagonal float64) *CSR {
	entries := map[[2]int]float64{}
	whole := func() float64 { return float64(1+r.Below(3)) * float64(1-2*r.Below(2)) }
	for i := range n {
		if r.Uniform() < diagonal {
			entries[[2]int{i, i}] = whole()
		}
	}
	for range int(float64(n) * (1.4 + 2*r.Uniform())) {
		if i, j := r.Below(n), r.Below(n); i != j {
			entries[[2]int{max(i, j), min(i, j)}] = whole()
		}
	}
	return fromEntries(t, n, entries)
}

// randomSaddle is [H Bᵀ; B 0] with a diagonal entry in that share of the rows of H; −1: H is singular, of rank about half.
func randomSaddle(t testing.TB, n int, r *blas.Stream, diagonal float64) *CSR {
	entries := map[[2]int]float64{}
	m := n / 3
	free := n - m
	for i := range free {
		if r.Uniform() < diagonal {
			entries[[2]int{i, i}] = 0.1 + r.Uniform()
		}
	}
	for range free {
		i, j := r.Below(free), r.Below(free)
		v := r.Uniform() - 0.5
		if diagonal < 0 { // v(eᵢ + eⱼ)(eᵢ + eⱼ)ᵀ
			entries[[2]int{i, i}] += v
			entries[[2]int{j, j}] += v
		}
		if i != j {
			entries[[2]int{max(i, j), min(i, j)}] += v
		}
	}
	for c := range m {
		for range 2 + r.Below(3) {
			entries[[2]int{free + c, r.Below(free)}] = r.Uniform() - 0.5
		}
	}
	return fromEntries(t, n, entries)
}

// stokes is a staggered grid of side × side cells: Laplacians of both velocities, gradients, and a pressure fixed in one cell.
func stokes(t testing.TB, side int, r *blas.Stream) *CSR {
	entries := map[[2]int]float64{}
	velocities := side * (side - 1)
	pressure := func(i, j int) int { return 2*velocities + i*side + j - 1 }
	viscosity := 0.5 + r.Uniform()
	for direction := range 2 {
		at := func(i, j int) int { // 0 ≤ i < side − 1 along the direction
			return direction*velocities + i*side + j
		}
		for i := range side - 1 {
			for j := range side {
				k := at(i, j)
				entries[[2]int{k, k}] = 4 * viscosity
				if i > 0 {
					entries[[2]int{k, at(i-1, j)}] = -viscosity
				}
				if j > 0 {
					entries[[2]int{k, at(i, j-1)}] = -viscosity
				}
				for step, v := range []float64{-1, 1} {
					cell := pressure(i+step, j)
					if direction == 1 {
						cell = pressure(j, i+step)
					}
					if cell >= 2*velocities {
						entries[[2]int{cell, k}] = v
					}
				}
			}
		}
	}
	return fromEntries(t, 2*velocities+side*side-1, entries)
}

// randomArrow has a few dense rows, and a diagonal with zeros.
func randomArrow(t testing.TB, n int, r *blas.Stream) *CSR {
	entries := map[[2]int]float64{}
	for i := range n {
		if r.Below(4) > 0 {
			entries[[2]int{i, i}] = r.Uniform() - 0.5
		}
	}
	for head := range min(n, 1+r.Below(3)) {
		for i := range n {
			if i != head {
				entries[[2]int{max(i, head), min(i, head)}] = r.Uniform() - 0.5
			}
		}
	}
	return fromEntries(t, n, entries)
}

func fromEntries(t testing.TB, n int, entries map[[2]int]float64) *CSR {
	places := make([][2]int, 0, len(entries))
	for at := range entries {
		places = append(places, at)
	}
	sort.Slice(places, func(i, j int) bool {
		return places[i][0] < places[j][0] || places[i][0] == places[j][0] && places[i][1] < places[j][1]
	})
	var lower []Triplet
	for _, at := range places {
		lower = append(lower, Triplet{at[0], at[1], entries[at]})
	}
	return fromPairs(t, n, lower)
}

// verdict is what comes of one matrix.
type verdict struct{ right, refused, unsure, singular int }

const (
	// conditioned is the condition of B up to which nothing may be refused or unsure, and singularAbove that from which it is singular.
	conditioned, singularAbove = 1e9, 1e14
)

// judge compares a factorisation of DBD with the dense spectrum of B, and solutions with the original one; it returns the errors.
func (v *verdict) judge(t testing.TB, b *CSR, d []float64, random *blas.Stream) (wrong string) {
	n := b.Rows
	w := spectrum(t, b, 0)
	a := *b
	a.Val = make([]float64, len(b.Val))
	for i := range n {
		for p := b.Ptr[i]; p < b.Ptr[i+1]; p++ {
			a.Val[p] = b.Val[p] * d[i] * d[b.Col[p]]
		}
	}
	largest, least, negative := 0.0, math.Inf(1), 0
	sign, logarithm := 1.0, 0.0
	for i, x := range w {
		largest, least = max(largest, math.Abs(x)), min(least, math.Abs(x))
		logarithm += math.Log(math.Abs(x)) + 2*math.Log(d[i])
		if x < 0 {
			negative++
			sign = -sign
		}
	}
	condition := largest / least
	sound := condition < conditioned
	// No scaling makes all graded matrices as good as B, and determinants are not refined.
	digits := 1e-9
	for _, v := range d {
		if v != d[0] {
			digits = 1e-5
		}
	}
	if !sound {
		v.singular++
	}
	f, err := NewLDLT(t.Context(), &a, 0, CholeskyOptions{Threads: 1})
	if err != nil {
		v.refused++
		return ""
	}
	in, err := f.Inertia()
	if err != nil {
		v.refused++
		return ""
	}
	if in.Certain && condition < singularAbove && in.Negative != negative {
		return fmt.Sprintf("inertia %v, %d negative; condition %.1e", in, negative, condition)
	}
	if in.Certain && condition > 1e17 {
		return fmt.Sprintf("%v is certain at a condition of %.1e", in, condition)
	}
	if sound && !in.Certain {
		v.unsure++
		if in.Negative != negative {
			return "" // it said so
		}
	}
	if s, l, err := f.LogDet(); sound && in.Certain && (err != nil || s != sign || !(math.Abs(l-logarithm) < 1e-12*condition+digits*(1+math.Abs(logarithm)))) {
		return fmt.Sprintf("determinant (%g, %.12g), want (%g, %.12g): condition %.1e", s, l, sign, logarithm, condition)
	}
	x, y, side := make([]float64, n), make([]float64, n), make([]float64, n)
	random.Normals(x)
	b.MulVec(1, x, side)
	for i := range y {
		y[i] = side[i] * d[i]
	}
	if _, err := f.Solve(y, 1); err != nil {
		var missed *BackwardError
		if !errors.As(err, &missed) {
			return err.Error()
		}
		if sound {
			v.refused++
		}
		return ""
	}
	var off, size, left, solution, most float64
	r := make([]float64, n)
	for i := range y {
		y[i] *= d[i]
		off, size = max(off, math.Abs(y[i]-x[i])), max(size, math.Abs(x[i]))
	}
	b.MulVec(1, y, r)
	for i := range y {
		left, solution, most = max(left, math.Abs(r[i]-side[i])), max(solution, math.Abs(y[i])), max(most, math.Abs(side[i]))
	}
	if !(off <= 1e-12*condition*size) && sound {
		return fmt.Sprintf("solution off by %.1e, condition %.1e", off, condition)
	}
	if !(left <= 1e-11*(b.RowSumNorm()*solution+most)) && (sound || digits < 1e-5) { // the backward errors of the others refer to another scaling
		return fmt.Sprintf("residual %.1e, condition %.1e", left/(b.RowSumNorm()*solution+most), condition)
	}
	v.right++
	return ""
}

// Random indefinite matrices of order 2 to 60 have the solutions, the inertia and the determinant of the dense spectrum, or
// it is said that they have not: every wrong result is reported. ORTHANT_INDEFINITE=100000 takes 100 000:
//
//	ORTHANT_INDEFINITE=100000 go test -v -run TestIndefinite ./sparse
func TestIndefinite(t *testing.T) {
	count := 2200
	if text := os.Getenv("ORTHANT_INDEFINITE"); text != "" {
		count, _ = strconv.Atoi(text)
	}
	random := blas.NewStream(50)
	verdicts, matrices, wrong := make([]verdict, len(kinds)), make([]int, len(kinds)), make([]int, len(kinds))
	for k := range count {
		which := k % len(kinds)
		kind := kinds[which]
		least := 2
		if kind.powers > 0 {
			least = 12 // with fewer rows some are similar as given, by chance
		}
		b := kind.make(t, least+random.Below(61-least), random)
		d := make([]float64, b.Rows)
		middle := kind.middle * (1 - 2*(k%2))
		for i := range d {
			if d[i] = math.Ldexp(1, middle); kind.powers > 0 {
				d[i] = math.Ldexp(1, middle+random.Below(kind.powers)-kind.powers/2)
			}
		}
		matrices[which]++
		if says := verdicts[which].judge(t, b, d, random); says != "" {
			if wrong[which]++; wrong[which] <= 3 {
				t.Errorf("%s, matrix %d of order %d: %s", kind.name, k, b.Rows, says)
			}
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%-20s %9s %9s %9s %9s %9s %9s\n", "family", "matrices", "singular", "right", "refused", "unsure", "wrong")
	said := 0
	for i, kind := range kinds {
		v := verdicts[i]
		said += v.refused + v.unsure
		fmt.Fprintf(&text, "%-20s %9d %9d %9d %9d %9d %9d\n", kind.name, matrices[i], v.singular, v.right, v.refused, v.unsure, wrong[i])
	}
	if said > 1+count/1000 {
		t.Errorf("%d of %d refused or unsure", said, count)
	}
	t.Log("\n" + text.String())
}
