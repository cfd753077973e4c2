package exemplars

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// Options are common to the selections of this package.
type Options struct {
	Kernels  *blas.Kernels // nil: blas.Select("")
	Threads  int           // 0: all cores
	Seed     uint64        // of whatever is random
	Progress func(done float64)
}

// fill completes the options.
func (o *Options) fill() error {
	if o.Kernels == nil {
		kernels, err := blas.Select("")
		if err != nil {
			return err
		}
		o.Kernels = kernels
	}
	if o.Progress == nil {
		o.Progress = func(float64) {}
	}
	return nil
}

// minPivot ends a greedy selection: what no sample adds more of than this share of
// the largest diagonal entry is rounding.
const minPivot = 1e-14

// Greedy looks for the subset Y of count samples with the largest det(L_Y) for a
// positive semidefinite n × n kernel L, both triangles given: sample after sample,
// the one that multiplies the determinant most, ties to the lower index (a pivoted
// Cholesky factorisation; Chen, Zhang and Zhou 2018). It returns the samples in the
// order of choice and the logarithm of each factor, whose sum is log det L_Y; they
// are fewer than count where the determinant of every larger set is 0 to rounding,
// or where L is not positive semidefinite after all. O(n count²), 8n·count bytes.
func Greedy(ctx context.Context, l []float64, n, count int, o Options) (indices []int, logs []float64, err error) {
	if count < 1 || count > n {
		return nil, nil, fmt.Errorf("exemplars: %d exemplars requested of %d samples; give a number from 1 to %d", count, n, n)
	}
	if err := o.fill(); err != nil {
		return nil, nil, err
	}
	gain, factor := make([]float64, n), make([]float64, n*count)
	for i := range n {
		if gain[i] = l[i*n+i]; math.IsNaN(gain[i]) || math.IsInf(gain[i], 0) {
			return nil, nil, fmt.Errorf("exemplars: entry (%d, %d) of the kernel (counting from 1) is %v", i+1, i+1, gain[i])
		}
	}
	least := minPivot * max(gain[largestEntry(gain)], 0)
	for t := range count {
		i := largestEntry(gain)
		if !(gain[i] > least) {
			break
		}
		indices, logs = append(indices, i), append(logs, math.Log(gain[i]))
		row, root, own := l[i*n:(i+1)*n], math.Sqrt(gain[i]), factor[i*count:i*count+t]
		err := blas.For(ctx, o.Threads, n, 4*blockRows, func(_, lo, hi int) {
			for j := lo; j < hi; j++ {
				e := (row[j] - blas.Dot(own, factor[j*count:j*count+t])) / root
				factor[j*count+t] = e
				gain[j] -= e * e
			}
		})
		if err != nil {
			return nil, nil, err
		}
		gain[i] = math.Inf(-1)
		o.Progress(float64(t+1) / float64(count))
	}
	return indices, logs, nil
}

// Ensemble is the determinantal point process of an L-ensemble, P(Y) = det(L_Y)/det(L + I),
// by the eigenpairs of its kernel (Kulesza and Taskar 2012). Negative eigenvalues are
// taken as 0.
type Ensemble struct {
	N        int
	Values   []float64 // N, ascending, none negative
	Negative int       // eigenvalues that were below 0 by more than rounding
	Lowest   float64   // the smallest eigenvalue of the kernel as given
	Largest  float64

	vectors []float64 // N × N, eigenvector j in row j
	options Options
}

// rankShare: eigenvalues below this share of the largest, for each row, are rounding.
const rankShare = 0x1p-51

// NewEnsemble decomposes the symmetric n × n kernel, both triangles given, which is
// overwritten and must not be used afterwards. O(n³).
func NewEnsemble(ctx context.Context, l []float64, n int, o Options) (*Ensemble, error) {
	if n < 1 {
		return nil, errors.New("exemplars: an empty kernel")
	}
	if err := o.fill(); err != nil {
		return nil, err
	}
	e := &Ensemble{N: n, Values: make([]float64, n), vectors: l[:n*n], options: o}
	if err := o.Kernels.SymEig(n, e.vectors, n, e.Values, new(blas.Work)); err != nil {
		return nil, fmt.Errorf("exemplars: the kernel: %w", err)
	}
	e.Lowest, e.Largest = e.Values[0], e.Values[n-1]
	floor := rankShare * float64(n) * max(e.Largest, -e.Lowest)
	for j, w := range e.Values {
		if w < -floor {
			e.Negative++
		}
		if w <= floor {
			e.Values[j] = 0
		}
	}
	return e, ctx.Err()
}

// Rank returns the number of positive eigenvalues, the size of the largest subset of
// positive probability.
func (e *Ensemble) Rank() int {
	rank := 0
	for _, w := range e.Values {
		if w > 0 {
			rank++
		}
	}
	return rank
}

// Kernel returns the kernel without its negative eigenvalues, the nearest positive
// semidefinite matrix, n × n. O(n² · rank).
func (e *Ensemble) Kernel() []float64 {
	n, rank := e.N, e.Rank()
	scaled, l := make([]float64, rank*n), make([]float64, n*n)
	for r := range rank {
		j := n - rank + r
		blas.Axpy(math.Sqrt(e.Values[j]), e.vectors[j*n:(j+1)*n], scaled[r*n:(r+1)*n])
	}
	if rank > 0 {
		e.options.Kernels.SyrkParallel(e.options.Threads, true, n, rank, 1, scaled, n, 0, l, n)
	}
	for i := range n {
		for j := range i {
			l[i*n+j] = l[j*n+i]
		}
	}
	return l
}

// LogFactors returns the logarithms of the factors by which the samples chosen, in their
// order, multiply det(L_Y); their sum is its logarithm. A factor that is 0 to
// rounding is −Inf, as are those behind it. O(k³) for k of them.
func LogFactors(ctx context.Context, l []float64, n int, chosen []int) ([]float64, error) {
	k := len(chosen)
	factor, logs := make([]float64, k*k), make([]float64, k)
	for a, i := range chosen {
		row := factor[a*k : a*k+a+1]
		for b, j := range chosen[:a] {
			above := factor[b*k : b*k+b+1]
			row[b] = (l[i*n+j] - blas.Dot(above[:b], row)) / above[b]
		}
		square := l[i*n+i] - blas.Dot(row[:a], row)
		if !(square > minPivot*l[i*n+i]) {
			for ; a < k; a++ {
				logs[a] = math.Inf(-1)
			}
			break
		}
		row[a] = math.Sqrt(square)
		logs[a] = math.Log(square)
	}
	return logs, ctx.Err()
}

// LogElementary returns the logarithms of the elementary symmetric polynomials of
// numbers that are not negative, entry l·(N + 1) + j the logarithm of e_l(w_1 … w_j), for
// l ≤ k; −Inf means 0. In logarithms neither the many terms of large N nor the
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
// V, given those drawn before, of the part of row i that is orthogonal to their rows.
// The rows are left as they are and the orthonormal directions subtracted from the lengths
// alone, which equal the lengths of V after elimination, whatever its basis.
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
