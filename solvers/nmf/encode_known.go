package nmf

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// checkKnown refuses weights where samples cannot be encoded under them.
func (e *Encoder) checkKnown(d Data) error {
	switch {
	case !d.Weights.Present():
		return nil
	case e.fixed.loss.scaled:
		return fmt.Errorf("nmf: loss %s encodes samples of which every entry is known; fill in the missing ones", e.fixed.loss)
	case e.options.Tolerance == 0:
		return fmt.Errorf("nmf: samples with weights are encoded to the end; give a tolerance")
	}
	return nil
}

// whole tells whether the entries of a sample all have weight 1, so that it is encoded as
// though there were no weights, to the bit.
func (f *factorization) whole(i int) bool {
	k := f.data.known
	if k == nil {
		return true
	}
	if k.v == nil {
		return k.all && k.q.Ptr[i] == k.q.Ptr[i+1]
	}
	for _, v := range k.v[i*f.m : (i+1)*f.m] {
		if v != 1 {
			return false
		}
	}
	return true
}

// gramOf is HVHᵀ for the weights V of a sample, with the l2 of the penalty of W on its
// diagonal as whole, HHᵀ, has it, and the length of the sample under the weights.
func (f *factorization) gramOf(s *scratch, i int, whole []float64) (gram []float64, size float64) {
	if f.whole(i) {
		return whole, math.Sqrt(f.rowSquares(s, i))
	}
	k, c := f.data.known, s.code
	columns, weights := k.rowWeights(i, f.m)
	root := c.root[:len(weights)]
	for q, v := range weights {
		root[q] = math.Sqrt(v)
	}
	f.weightedGram(c, root, columns)
	if k.all {
		for at, v := range c.gram {
			c.gram[at] = f.gramH[at] - v
		}
	}
	for at := 0; at < len(c.gram); at += f.r + 1 {
		c.gram[at] += f.penaltyW.l2
	}
	return c.gram, math.Sqrt(k.squares[i])
}

// sumsOf are the row sums of HV for the weights V of a sample with the l1 of the penalty of W,
// as sums, those of H, have it.
func (f *factorization) sumsOf(i int, sums []float64, c *codeScratch) []float64 {
	if f.whole(i) {
		return sums
	}
	k := f.data.known
	columns, weights := k.rowWeights(i, f.m)
	own := c.sums
	for at := range own {
		own[at] = f.penaltyW.l1
	}
	if k.all {
		copy(own, sums)
	}
	for q, v := range weights {
		j := q
		if columns != nil {
			j = int(columns[q])
		}
		blas.Axpy(k.sign()*v, f.ht[j*f.r:(j+1)*f.r], own)
	}
	for at, v := range own {
		own[at] = max(v, 0)
	}
	return own
}

// rowWeights are the weights of a sample, or what is taken off them, and their columns (nil:
// all).
func (k *known) rowWeights(i, m int) (columns []int32, weights []float64) {
	if k.v != nil {
		return nil, k.v[i*m : (i+1)*m]
	}
	return k.q.Row(i)
}
