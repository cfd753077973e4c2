package solvers

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// compressed holds the entries of a sparse matrix in two, by their sign: no entry
// twice, and every row of a product with both parts reads it once.
type compressed struct {
	plus, minus *sparse.CSR // values of both are positive
	sign, sigma float64
	columns     int
}

// rowsOfSparse is the number of rows of a sparse matrix that a worker takes at a
// time.
const rowsOfSparse = 512

// SignedSparse is σI + M, or σI − M where negated, for a symmetric matrix in
// compressed rows, which is copied. Entries that are not finite are an error.
func SignedSparse(m *sparse.CSR, negated bool, sigma float64) (Signed, error) {
	if m.Rows != m.Cols || m.Rows < 1 {
		return nil, fmt.Errorf("solvers: a %d × %d matrix is not symmetric", m.Rows, m.Cols)
	}
	if !allFinite(m.Val) {
		return nil, errNotFinite
	}
	c := &compressed{sign: 1, sigma: sigma}
	if negated {
		c.sign = -1
	}
	count := [2]int{}
	for _, v := range m.Val {
		if c.sign*v > 0 {
			count[0]++
		} else {
			count[1]++
		}
	}
	empty := func(nnz int) *sparse.CSR {
		return &sparse.CSR{Rows: m.Rows, Cols: m.Cols, Ptr: make([]int, 1, m.Rows+1), Col: make([]int32, 0, nnz), Val: make([]float64, 0, nnz)}
	}
	c.plus, c.minus = empty(count[0]+m.Rows), empty(count[1])
	for i := range m.Rows {
		cols, vals := m.Row(i)
		pending := sigma != 0 // the diagonal of the shift
		for p, j := range cols {
			v := c.sign * vals[p]
			if pending && int(j) >= i {
				if pending = false; int(j) == i {
					v += sigma
				} else {
					c.add(int32(i), sigma)
				}
			}
			c.add(j, v)
		}
		if pending {
			c.add(int32(i), sigma)
		}
		c.plus.Ptr, c.minus.Ptr = append(c.plus.Ptr, len(c.plus.Col)), append(c.minus.Ptr, len(c.minus.Col))
	}
	return c, nil
}

func (c *compressed) add(j int32, v float64) {
	to := c.plus
	if v < 0 {
		to = c.minus
	}
	if v != 0 {
		to.Col, to.Val = append(to.Col, j), append(to.Val, math.Abs(v))
	}
}

func (c *compressed) Order() int                   { return c.plus.Rows }
func (c *compressed) terms() (sign, sigma float64) { return c.sign, c.sigma }
func (c *compressed) oneSided() bool               { return c.minus.NNZ() == 0 }
func (c *compressed) block() int                   { return rowsOfSparse }
func (c *compressed) begin(w, _ int, _ []float64)  { c.columns = w }

func (c *compressed) diagonal() []float64 {
	diagonal := make([]float64, c.Order())
	for i := range diagonal {
		diagonal[i] = c.plus.At(i, i) - c.minus.At(i, i)
	}
	return diagonal
}

// width is one for which products are fast, where there is one.
func (c *compressed) width(p int) int {
	switch {
	case p > 8 && p <= 16:
		return 16
	case p > 4 && p <= 8:
		return 8
	}
	return fours(p)
}

func (c *compressed) rows(_, lo, hi int, u, plus, minus []float64) {
	w := c.columns
	blas.MulCSRBlock(w, lo, hi, c.plus.Ptr, c.plus.Col, c.plus.Val, u, plus)
	if !c.oneSided() {
		blas.MulCSRBlock(w, lo, hi, c.minus.Ptr, c.minus.Col, c.minus.Val, u, minus)
	}
}
