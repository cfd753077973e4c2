package exemplars

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// LogElementary returns the logarithms of the elementary symmetric polynomials of
// numbers that are not negative, entry l·(N + 1) + j that of e_l(w_1 … w_j), for
// l ≤ k; −Inf stands for 0. In logarithms neither the many terms of large N nor the
// products of small numbers leave the range. O(N k).
func LogElementary(w []float64, k int) []float64 {
	width := len(w) + 1
	table := make([]float64, (k+1)*width)
	for l := 1; l <= k; l++ {
		above, row := table[(l-1)*width:l*width], table[l*width:(l+1)*width]
		row[0] = math.Inf(-1)
		for j, v := range w {
			row[j+1] = logSum(row[j], math.Log(v)+above[j])
		}
	}
	return table
}

// logSum is log(eᵃ + eᵇ).
func logSum(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(b, -1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}

// Sample draws a subset of k samples with probability proportional to det(L_Y). It
// draws from the stream, first, from the largest eigenvalue down while pairs are still
// wanted, one number for each pair that is not certain to be taken; then one for each
// sample, by increasing index. k is from 1 to the rank. O(N k²) after the
// decomposition.
func (e *Ensemble) Sample(ctx context.Context, k int, s *blas.Stream) ([]int, error) {
	if rank := e.Rank(); k < 1 || k > rank {
		return nil, fmt.Errorf("exemplars: a subset of %d of a kernel of rank %d has determinant 0; give a number from 1 to %d", k, rank, rank)
	}
	top := e.Values[e.N-1]
	scaled := make([]float64, e.N)
	for j, w := range e.Values {
		scaled[j] = w / top
	}
	table, width := LogElementary(scaled, k), e.N+1
	var kept []int
	for j, l := e.N, k; l > 0; j-- {
		// The probability that pair j is among the l that are left to take of j.
		if l == j || s.Uniform() < math.Exp(math.Log(scaled[j-1])+table[(l-1)*width+j-1]-table[l*width+j]) {
			kept = append(kept, j-1)
			l--
		}
	}
	return e.draw(ctx, kept, s)
}

// SamplePlain draws a subset of any size with probability det(L_Y)/det(L + I): from the
// largest eigenvalue w down each pair stays with probability w/(1 + w), one number of the
// stream each; then one for each sample. The subset may be empty.
func (e *Ensemble) SamplePlain(ctx context.Context, s *blas.Stream) ([]int, error) {
	var kept []int
	for j := e.N - 1; j >= 0; j-- {
		if w := e.Values[j]; s.Uniform() < w/(1+w) {
			kept = append(kept, j)
		}
	}
	return e.draw(ctx, kept, s)
}

// draw samples from the process whose kernel projects on the span of the eigenvectors
// kept: sample i with probability in proportion to the squared length of row i of
// V, given those drawn before that of what is left of row i orthogonal to their rows.
// The rows are left as they are and the orthonormal directions taken off the lengths
// alone, which are those of V after elimination, whatever its basis.
func (e *Ensemble) draw(ctx context.Context, kept []int, s *blas.Stream) ([]int, error) {
	n, l := e.N, len(kept)
	rows, left := make([]float64, n*l), make([]float64, n)
	for q, j := range kept {
		for i, v := range e.vectors[j*n : (j+1)*n] {
			rows[i*l+q] = v
			left[i] += v * v
		}
	}
	basis := make([]float64, l*l)
	var chosen []int
	for t := range l {
		i := drawIndex(left, s.Uniform())
		chosen = append(chosen, i)
		direction := basis[t*l : (t+1)*l]
		copy(direction, rows[i*l:(i+1)*l])
		orthonormalize(direction, basis[:t*l])
		err := blas.For(ctx, e.options.Threads, n, 4*blockRows, func(_, lo, hi int) {
			for j := lo; j < hi; j++ {
				d := blas.Dot(direction, rows[j*l:(j+1)*l])
				left[j] = max(left[j]-d*d, 0)
			}
		})
		if err != nil {
			return nil, err
		}
		left[i] = 0
		e.options.Progress(float64(t+1) / float64(l))
	}
	return chosen, nil
}

// drawIndex returns the index at which the running sum of the weights passes the share u
// of their total.
func drawIndex(weights []float64, u float64) int {
	var total float64
	for _, w := range weights {
		total += w
	}
	target, sum, last := u*total, 0.0, 0
	for i, w := range weights {
		if w > 0 {
			if sum += w; sum > target {
				return i
			}
			last = i
		}
	}
	return last
}

// orthonormalize takes the rows of an orthonormal basis out of v, twice, scales what is
// left to unit length, and returns its length before.
func orthonormalize(v, basis []float64) float64 {
	blas.OrthogonalizeRows(basis, v)
	length := norm(v)
	if length > 0 {
		blas.Scale(1/length, v)
	}
	return length
}

// norm is the Euclidean length.
func norm(v []float64) float64 { return math.Sqrt(blas.Dot(v, v)) }
