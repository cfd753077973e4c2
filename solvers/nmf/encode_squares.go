package nmf

import "github.com/orthant-go/orthant/blas"

// solveSquares finds the nonnegative least squares of a block of samples.
func solveSquares(e *Encoder, f *factorization, s *scratch, lo, hi int) {
	r := f.r
	num := s.num[:(hi-lo)*r]
	f.dataProducts(s, lo, hi, num)
	f.penaltyW.takeFrom(num)
	for i := lo; i < hi; i++ {
		gram, size := f.gramOf(s, i, e.ridged)
		s.code.worst = max(s.code.worst, s.code.squares.solve(gram, num[(i-lo)*r:(i-lo+1)*r], f.w[i*r:(i+1)*r], size, e.options.Tolerance, e.options.Iterations))
	}
}

// rowSquares is ‖x‖² of a sample.
func (f *factorization) rowSquares(s *scratch, i int) float64 {
	if a := f.data.Sparse; a != nil {
		_, vals := a.Row(i)
		return blas.Dot(vals, vals)
	}
	x := f.rows(s, i, i+1)
	return blas.Dot(x, x)
}

// weightedRows is how many weighted columns of H are multiplied at a time.
const weightedRows = 64

// weightedGram computes HDHᵀ for a diagonal D of which root has the square roots, over
// the given columns, all where that is nil.
func (f *factorization) weightedGram(c *codeScratch, root []float64, columns []int32) {
	r := f.r
	clear(c.gram)
	for lo := 0; lo < len(root) && !f.stopped(); lo += weightedRows {
		part := root[lo:min(lo+weightedRows, len(root))]
		for q, v := range part {
			j := lo + q
			if columns != nil {
				j = int(columns[lo+q])
			}
			to := c.panel[q*r : (q+1)*r]
			copy(to, f.ht[j*r:(j+1)*r])
			blas.Scale(v, to)
		}
		f.kernels.Gemm(true, false, r, r, len(part), 1, c.panel, r, c.panel, r, 1, c.gram, r)
	}
}

// codeScratch is what a worker needs to encode samples to the end.
type codeScratch struct {
	squares *leastSquares
	gram    []float64 // r × r, weighted
	panel   []float64 // weightedRows × r
	root    []float64 // m: square roots of weights
	model   []float64 // m: wH
	right   []float64 // r: H(p∘x)
	next    []float64 // r: where a step leads
	move    []float64 // r: the step
	spare   []float64 // m
	sums    []float64 // r: of the rows of H under the weights of a sample
	sigma2  float64   // of the last weights
	worst   float64   // the largest residual so far
}

func newCodeScratch(r, m int) *codeScratch {
	return &codeScratch{squares: newLeastSquares(r), gram: make([]float64, r*r), panel: make([]float64, weightedRows*r),
		root: make([]float64, m), spare: make([]float64, m), model: make([]float64, m), right: make([]float64, r), sums: make([]float64, r), next: make([]float64, r), move: make([]float64, r)}
}
