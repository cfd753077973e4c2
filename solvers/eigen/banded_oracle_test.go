package eigen

import (
	"math"
	"math/big"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/sparse"
)

// banded is a pencil of band matrices in numbers of many bits, whose eigenvalues are found by counting.
type banded struct {
	width int
	a, m  [][]*big.Float // entry (i, i−k) is a[i][k]
}

// exactBits is the precision: factors without pivots lose as many bits as eigenvalues of leading blocks are near to a shift.
const exactBits = 400

func exact(v float64) *big.Float { return new(big.Float).SetPrec(exactBits).SetFloat64(v) }

func bandedOf(a *sparse.CSR, m mat.Matrix) *banded {
	r := &banded{}
	m = diagonalOf(m)
	widen := func(i, j int, _ float64) { r.width = max(r.width, i-j) }
	a.DoNonZero(widen)
	if c, is := m.(*sparse.CSR); is {
		c.DoNonZero(widen)
	}
	for i := range a.Rows {
		x, y := make([]*big.Float, r.width+1), make([]*big.Float, r.width+1)
		for k := range min(r.width, i) + 1 {
			x[k], y[k] = exact(a.At(i, i-k)), exact(0)
			switch {
			case m != nil:
				y[k] = exact(m.At(i, i-k))
			case k == 0:
				y[k] = exact(1)
			}
		}
		r.a, r.m = append(r.a, x), append(r.m, y)
	}
	return r
}

// below counts the eigenvalues below a number, by the signs of the pivots of A − xM.
func (r *banded) below(x float64) (count int) {
	shift, t := exact(x), exact(0)
	l, d := make([][]*big.Float, len(r.a)), make([]*big.Float, len(r.a))
	for i := range r.a {
		l[i] = make([]*big.Float, r.width+1)
		for k := min(r.width, i); k >= 0; k-- {
			j := i - k
			v := exact(0).Mul(r.m[i][k], shift)
			v.Sub(r.a[i][k], v)
			for q := max(0, i-r.width); q < j; q++ {
				v.Sub(v, t.Mul(t.Mul(l[i][i-q], l[j][j-q]), d[q]))
			}
			if k > 0 {
				l[i][k] = v.Quo(v, d[j])
				continue
			}
			if d[i] = v; v.Sign() < 0 {
				count++
			} else if v.Sign() == 0 {
				d[i] = exact(1e-300)
			}
		}
	}
	return count
}

// positive are the first eigenvalues above zero, to all digits.
func (r *banded) positive(count int) (out []float64) {
	first := r.below(0)
	for k := range count {
		low, high := -130.0, 130.0 // powers of two
		for range 20 {
			if mid := (low + high) / 2; r.below(math.Exp2(mid)) > first+k {
				high = mid
			} else {
				low = mid
			}
		}
		low, high = math.Exp2(low), math.Exp2(high)
		for range 40 {
			if mid := (low + high) / 2; r.below(mid) > first+k {
				high = mid
			} else {
				low = mid
			}
		}
		out = append(out, low+(high-low)/2)
	}
	return out
}

// diagonalOf is M as a matrix where it is given by its diagonal.
func diagonalOf(m mat.Matrix) mat.Matrix {
	if v, is := m.(*mat.VecDense); is {
		return mat.NewDiagDense(v.Len(), v.RawVector().Data)
	}
	return m
}

// filled is the symmetric matrix with the entries put, of which equal places are summed and mirror entries are added.
func filled(t testing.TB, n int, each func(put func(i, j int, v float64))) *sparse.CSR {
	var entries []sparse.Triplet
	each(func(i, j int, v float64) {
		entries = append(entries, sparse.Triplet{Row: i, Col: j, Val: v})
		if i != j {
			entries = append(entries, sparse.Triplet{Row: j, Col: i, Val: v})
		}
	})
	a, err := sparse.FromTriplets(n, n, entries)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// spring couples two vertices.
func spring(put func(i, j int, v float64), i, j int, stiffness float64) {
	put(i, i, stiffness)
	put(j, j, stiffness)
	put(i, j, -stiffness)
}

// chain is a path of unit springs, with what is added to it.
func chain(t testing.TB, n int, more func(put func(i, j int, v float64))) *sparse.CSR {
	return filled(t, n, func(put func(i, j int, v float64)) {
		for i := range n - 1 {
			spring(put, i, i+1, 1)
		}
		more(put)
	})
}
