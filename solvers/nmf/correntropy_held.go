package nmf

import "github.com/orthant-go/orthant/blas"

// weighted is Σ P∘E² + λ tr(WᵀΦW) under the weights P of an iteration, before its half
// steps and after. The steps are those of this quadratic, which is all that the proof of
// You et al. (2015), Theorem 1, is about. With Refresh each half step has weights of its
// own, and there is no such pair.
type weighted struct {
	asked         bool // for the iteration under way
	before, after float64
}

// weightedSquares is Σ p(x − t)².
func weightedSquares(p, x, t []float64) float64 {
	var sum float64
	for j, v := range p {
		e := x[j] - t[j]
		sum += v * e * e
	}
	return sum
}

// residualHeld is residual with the squares under the weights that the buffer still
// holds, before WH takes their place.
func (u *correntropy) residualHeld(s *scratch, lo, hi int, sum *partialSums) {
	m := u.m
	model := s.model[:(hi-lo)*m]
	u.modelRows(lo, hi, model)
	for i := range hi - lo {
		*sum.loss += weightedSquares(u.buffer[(lo+i)*m:(lo+i+1)*m], u.data.Dense[(lo+i)*m:(lo+i+1)*m], model[i*m:(i+1)*m])
	}
	copy(u.buffer[lo*m:hi*m], model)
	*sum.squares += blas.SquaredDistance(u.rows(s, lo, hi), model)
}
