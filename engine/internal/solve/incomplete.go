package solve

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/vector"
)

const (
	// incompleteTolerance ends the iteration: the estimated relative distance of W and σ² from their limit.
	incompleteTolerance = 1e-8
	// incompleteSteps is the most steps of it.
	incompleteSteps = 3000
	// leastNoise is the smallest variance of the noise, relative to the mean square of the entries.
	leastNoise = 1e-14
	// fewKnown: the sums of a column with fewer than this share of the samples are made of its own entries.
	fewKnown = 0.125
)

// LikeliestComponents is [TopEigenvectors] as a model of the samples, for samples of which entries may be missing (NaN):
// the components are those of the most likely model. If no entry is missing, they are the same to the bit.
func LikeliestComponents(dim int, whiten bool) Rule[*align.Gram, *Probabilistic] {
	return func(in Input, g *align.Gram) (*Probabilistic, error) {
		if g.Incomplete {
			return incomplete(in, g, dim, whiten)
		}
		s, err := TopEigenvectors(dim, whiten)(in, g)
		if err != nil {
			return nil, err
		}
		m, ratio := in.X.M(), g.Divisor/sumOf(g.Weights, in.X.N())
		axes := mat.DenseCopyOf(s.Projection)
		variances := slices.Clone(s.Values)
		blas.Scale(ratio, variances)
		noise := 0.0
		if m > dim {
			noise = max(g.Squares/sumOf(g.Weights, in.X.N())-vector.Sum(variances), 0) / float64(m-dim)
		}
		noise = max(noise, leastNoise*g.Squares/(sumOf(g.Weights, in.X.N())*float64(m)), math.SmallestNonzeroFloat64)
		for j, v := range variances {
			length := math.Sqrt(max(v-noise, 0))
			if whiten {
				length *= math.Sqrt(s.Values[j])
			}
			for i := range m {
				axes.Set(i, j, length*axes.At(i, j))
			}
		}
		return &Probabilistic{s, axes, noise}, nil
	}
}

// sumOf returns the sum of the weights of n samples.
func sumOf(weights []float64, n int) float64 {
	if weights == nil {
		return float64(n)
	}
	return vector.Sum(weights)
}

// incomplete finds the components of samples with missing entries.
func incomplete(in Input, g *align.Gram, dim int, whiten bool) (*Probabilistic, error) {
	n, m := in.X.N(), in.X.M()
	if dim >= m {
		return nil, fmt.Errorf("%s: dim %d of data with %d columns of which entries are missing; give at most %d", in.Method(), dim, m, m-1)
	}
	k, err := newKnown(in, g.Weights)
	if err != nil {
		return nil, err
	}
	bytes := 8 * (2*int64(n)*int64(m) + int64(k.incomplete)*int64(dim)*int64(dim) + 3*int64(n)*int64(dim+1))
	if err := in.Fit(bytes, fmt.Sprintf("the components of %d × %d samples with missing entries need", n, m), "take fewer samples or components, or raise the limit"); err != nil {
		return nil, err
	}
	in.Explain("solve: the likeliest components where %.3g of the entries are missing, by expectation and maximisation", k.share)
	start, err := k.start(in, g, dim)
	if err != nil {
		return nil, err
	}
	best, off, steps, err := k.maximize(in.Run, start)
	if err != nil {
		return nil, err
	}
	s, err := k.solution(in, best, g)
	if err != nil {
		return nil, err
	}
	s.Iterations, s.Converged = steps, off <= incompleteTolerance
	for range dim {
		s.Residuals = append(s.Residuals, off)
	}
	if !s.Converged {
		in.Warn("after %d steps the components are still about %.2g away from the likeliest ones: they are the best found", steps, off)
	}
	in.Note("missing_share", k.share)
	in.Note("iterations", steps)
	run.Measure(in.Run, "noise_variance", run.Square, s.Noise)
	if whiten {
		s.whiten(in.Run, s.Projection)
	}
	by := Conditional{Linear{in.Kernels(), in.Threads(), s.Mean, s.Projection}, s.Loadings, s.Noise}
	s.Y = mat.NewDense(n, dim, nil)
	if err := by.Apply(in.Context(), in.X.Points(), s.Y); err != nil {
		return nil, err
	}
	s.signed(g.Weights)
	return s, in.Err()
}

// known are the known entries of samples, minus the means of their columns and divided by their root mean square.
type known struct {
	n, m       int
	x          []float64 // 0 where an entry is missing
	shift      []float64
	unit       float64
	weights    []float64 // of the samples; nil: 1 each
	lacking    [][]int32 // the missing columns of each sample, ascending
	without    [][]int32 // the samples that lack each column, ascending
	incomplete int       // the samples that lack an entry
	at         []int32   // the place of each among these
	squares    []float64 // of each column, Σ wx²
	total      float64   // Σ w over the known entries
	share      float64   // of the entries that are missing
}

// newKnown lists the known entries. A row or a column without any is an error.
func newKnown(in Input, weights []float64) (*known, error) {
	n, m := in.X.N(), in.X.M()
	k := &known{n: n, m: m, weights: weights, x: slices.Clone(in.X.Data()), shift: make([]float64, m), lacking: make([][]int32, n), without: make([][]int32, m), at: make([]int32, n), squares: make([]float64, m)}
	sums := make([]float64, m)
	missing := 0
	for i := range n {
		for j, v := range k.row(i) {
			if v != v {
				k.lacking[i], k.without[j] = append(k.lacking[i], int32(j)), append(k.without[j], int32(i))
				k.row(i)[j] = 0
				continue
			}
			sums[j] += k.weight(i)
			k.shift[j] += k.weight(i) * v
		}
		if missing += len(k.lacking[i]); len(k.lacking[i]) == m {
			return nil, fmt.Errorf("%s: row %d (counting from 1) has no entry that is known; leave it out", in.Method(), in.X.Number(i))
		} else if len(k.lacking[i]) > 0 {
			k.at[i] = int32(k.incomplete)
			k.incomplete++
		}
	}
	for j, sum := range sums {
		if sum == 0 {
			return nil, fmt.Errorf("%s: column %d (counting from 1) has no entry that is known and counts; leave it out", in.Method(), j+1)
		}
		k.shift[j] /= sum
		k.total += sum
	}
	for i := range n {
		row := k.row(i)
		blas.Axpy(-1, k.shift, row)
		for _, j := range k.lacking[i] {
			row[j] = 0
		}
		for j, v := range row {
			k.squares[j] += k.weight(i) * v * v
		}
	}
	if k.unit = math.Sqrt(vector.Sum(k.squares) / k.total); k.unit == 0 {
		k.unit = 1
	}
	blas.Scale(1/k.unit, k.x)
	blas.Scale(1/(k.unit*k.unit), k.squares)
	k.share = float64(missing) / (float64(n) * float64(m))
	return k, nil
}

func (k *known) row(i int) []float64 { return k.x[i*k.m : (i+1)*k.m] }

func (k *known) weight(i int) float64 {
	if k.weights == nil {
		return 1
	}
	return k.weights[i]
}

// model is x = mean + Wz + noise, in the unit of the known entries.
type model struct {
	d     int
	w     []float64 // m × d
	mean  []float64 // m
	noise float64
}

// start returns the model of the samples with the means of the columns in place of missing entries.
func (k *known) start(in Input, g *align.Gram, dim int) (*model, error) {
	job := in.Within()
	part := align.Input{Local: patch.Local{Run: job, X: samples.OfRows(k.n, k.m, k.x)}}
	gram, err := align.WeightedGram(dim, k.weights)(part)
	if err != nil {
		return nil, err
	}
	found, err := LikeliestComponents(dim, false)(Input{Run: job, X: part.X}, gram)
	if err != nil {
		return nil, err
	}
	return &model{d: dim, w: found.Loadings.RawMatrix().Data, mean: slices.Clone(found.Mean), noise: max(found.Noise, leastNoise)}, nil
}

// maximize steps to the most likely model. Every second pair of steps is extrapolated (SQUAREM, Varadhan and Roland 2008),
// which is undone where the likelihood falls. It returns the estimated distance from the limit.
func (k *known) maximize(job *run.Run, at *model) (best *model, off float64, steps int, err error) {
	f := newEM(k, at.d)
	progress := job.Counting("solve", "steps", incompleteSteps)
	rate, first := 0.0, math.NaN()
	for {
		one, _, err := f.step(job, at)
		if err != nil {
			return nil, 0, 0, err
		}
		two, middle, err := f.step(job, one)
		if err != nil {
			return nil, 0, 0, err
		}
		steps += 2
		r, v, size, way := between(at, one, two)
		if now := way / r; r > 0 && now == now {
			rate = min(max(now, 0.9*rate), 1-1e-6)
		}
		off = way / size * max(rate/(1-rate), 1)
		if first != first {
			first = off
		}
		progress(math.Log(max(first/max(off, incompleteTolerance), 1)) / math.Log(max(first/incompleteTolerance, math.E)))
		if off <= incompleteTolerance || steps >= incompleteSteps || r == 0 {
			return two, off, steps, nil
		}
		jump := extrapolated(at, one, two, max(r/v, 1))
		after, likelihood, err := f.step(job, jump)
		if err != nil {
			return nil, 0, 0, err
		}
		steps++
		if at = two; likelihood >= middle {
			at = after
		}
	}
}

// between returns the lengths of the first step r, of the difference of both steps, of the last model, and of the second step.
func between(a, b, c *model) (r, v, size, way float64) {
	add := func(x, y, z float64) {
		r += (y - x) * (y - x)
		v += (z - 2*y + x) * (z - 2*y + x)
		way += (z - y) * (z - y)
		size += z * z
	}
	for i := range a.w {
		add(a.w[i], b.w[i], c.w[i])
	}
	for j := range a.mean {
		add(a.mean[j], b.mean[j], c.mean[j])
	}
	add(math.Sqrt(a.noise), math.Sqrt(b.noise), math.Sqrt(c.noise))
	return math.Sqrt(r), math.Sqrt(v), math.Sqrt(size), math.Sqrt(way)
}

// extrapolated returns a + 2s(b − a) + s²(c − 2b + a); the noise by its logarithm.
func extrapolated(a, b, c *model, s float64) *model {
	along := func(x, y, z float64) float64 { return x + 2*s*(y-x) + s*s*(z-2*y+x) }
	e := &model{d: a.d, w: make([]float64, len(a.w)), mean: make([]float64, len(a.mean))}
	for i := range e.w {
		e.w[i] = along(a.w[i], b.w[i], c.w[i])
	}
	for j := range e.mean {
		e.mean[j] = along(a.mean[j], b.mean[j], c.mean[j])
	}
	e.noise = max(math.Exp(along(math.Log(a.noise), math.Log(b.noise), math.Log(c.noise))), leastNoise)
	return e
}

// em is the scratch space of steps of expectation and maximisation.
type em struct {
	*known
	d      int
	z      []float64 // n × (d + 1): the mean of z given the known entries, and 1, times the weight
	second []float64 // of the incomplete samples, d × d: E zzᵀ given the known entries
}

func newEM(k *known, d int) *em {
	return &em{known: k, d: d, z: make([]float64, k.n*(d+1)), second: make([]float64, k.incomplete*d*d)}
}

// step returns the model after a step from at, and the log-likelihood of at.
func (f *em) step(job *run.Run, at *model) (*model, float64, error) {
	likelihood, sums, cov, err := f.expect(job, at)
	if err != nil {
		return nil, 0, err
	}
	next, err := f.maximized(job, sums, cov)
	return next, likelihood, err
}

// expect finds the distribution of z of each sample. It returns the log-likelihood up to a constant, the sums of
// (z, 1)(z, 1)ᵀ over the samples, and the covariance of z of a complete sample.
func (f *em) expect(job *run.Run, at *model) (likelihood float64, sums, cov []float64, err error) {
	d, m, side := f.d, f.m, f.d+1
	by := Conditional{Linear{Kernels: job.Kernels()}, mat.NewDense(m, d, at.w), at.noise}
	whole := by.gram()
	full := newExpectation(m, d)
	full.solve(at.w, whole, at.noise, nil)
	cov = inverseOf(full.factor, d, at.noise)
	blocks := (f.n + linearRows - 1) / linearRows
	parts, likely := make([][]float64, blocks), make([]float64, blocks)
	workers := make([]*expectation, blas.Threads(job.Threads()))
	err = blas.For(job.Context(), job.Threads(), f.n, linearRows, func(worker, lo, hi int) {
		if workers[worker] == nil {
			workers[worker] = newExpectation(m, d)
		}
		e := workers[worker]
		rows := e.rows[:(hi-lo)*m]
		for i := lo; i < hi; i++ {
			row := rows[(i-lo)*m : (i-lo+1)*m]
			copy(row, f.row(i))
			blas.Axpy(-1, at.mean, row)
			for _, j := range f.lacking[i] {
				row[j] = 0
			}
		}
		products := make([]float64, (hi-lo)*d)
		job.Kernels().Gemm(false, false, hi-lo, d, m, 1, rows, m, at.w, d, 0, products, d)
		sum := make([]float64, side*side)
		for i := lo; i < hi; i++ {
			row, product, weight := rows[(i-lo)*m:(i-lo+1)*m], products[(i-lo)*d:(i-lo+1)*d], f.weight(i)
			copy(e.z, product)
			factor, own := full.factor, cov
			if len(f.lacking[i]) == 0 {
				blas.CholeskySolveSmall(d, factor, e.z)
			} else {
				e.solve(at.w, whole, at.noise, f.lacking[i])
				factor = e.factor
				own = inverseOf(factor, d, at.noise)
			}
			logs := float64(m-len(f.lacking[i])-d) * math.Log(at.noise)
			for k := range d {
				logs += 2 * math.Log(factor[k*d+k])
			}
			likely[lo/linearRows] -= weight / 2 * (logs + (blas.Dot(row, row)-blas.Dot(product, e.z))/at.noise)
			z := f.z[i*side : (i+1)*side]
			copy(z, e.z)
			z[d] = 1
			for k := range d {
				row := sum[k*side : (k+1)*side]
				blas.Axpy(weight, own[k*d:(k+1)*d], row[:d])
				blas.Axpy(weight*z[k], z, row)
			}
			blas.Axpy(weight, z, sum[d*side:])
			if len(f.lacking[i]) > 0 {
				place := int(f.at[i]) * d * d
				second := f.second[place : place+d*d]
				copy(second, own)
				for k := range d {
					blas.Axpy(z[k], z[:d], second[k*d:(k+1)*d])
				}
			}
		}
		parts[lo/linearRows] = sum
	})
	if err != nil {
		return 0, nil, nil, err
	}
	sums = parts[0]
	for _, part := range parts[1:] {
		blas.Axpy(1, part, sums)
	}
	return vector.Sum(likely), sums, cov, nil
}

// inverseOf returns f·(LLᵀ)⁻¹.
func inverseOf(l []float64, d int, f float64) []float64 {
	inverse := make([]float64, d*d)
	for k := range d {
		row := inverse[k*d : (k+1)*d]
		row[k] = f
		blas.CholeskySolveSmall(d, l, row)
	}
	return inverse
}

// maximized returns the most likely model for the distributions of z, with z scaled to mean 0 and covariance I, which
// shortens the way (Liu, Rubin and Wu 1998).
func (f *em) maximized(job *run.Run, sums, cov []float64) (*model, error) {
	d, m, side := f.d, f.m, f.d+1
	weighted := f.z
	if f.weights != nil {
		weighted = slices.Clone(f.z)
		for i, w := range f.weights {
			blas.Scale(w, weighted[i*side:(i+1)*side])
		}
	}
	right := make([]float64, m*side)
	job.Kernels().GemmParallel(job.Threads(), true, false, m, side, f.n, 1, f.x, m, weighted, side, 0, right, side)
	next := &model{d: d, w: make([]float64, m*d), mean: make([]float64, m)}
	left := make([]float64, m)
	err := blas.For(job.Context(), job.Threads(), m, 8, func(_, lo, hi int) {
		normal, spare, solved := make([]float64, side*side), make([]float64, side*side), make([]float64, side)
		for j := lo; j < hi; j++ {
			f.normal(j, sums, cov, normal)
			factorize(normal, spare, side)
			product := right[j*side : (j+1)*side]
			copy(solved, product)
			blas.CholeskySolveSmall(side, normal, solved)
			left[j] = max(f.squares[j]-blas.Dot(product, solved), 0)
			copy(next.w[j*d:(j+1)*d], solved[:d])
			next.mean[j] = solved[d]
		}
	})
	if err != nil {
		return nil, err
	}
	next.noise = max(vector.Sum(left)/f.total, leastNoise)
	// z → Lz + mean of z.
	count := sums[d*side+d]
	mean, spread := make([]float64, d), make([]float64, d*d)
	for k := range d {
		mean[k] = sums[d*side+k] / count
	}
	for k := range d {
		for l := range d {
			spread[k*d+l] = sums[k*side+l]/count - mean[k]*mean[l]
		}
	}
	factorize(spread, make([]float64, d*d), d)
	for j := range m {
		row := next.w[j*d : (j+1)*d]
		next.mean[j] += blas.Dot(row, mean)
		for l := range d { // row·L, of which entry l needs those from l on
			var sum float64
			for k := l; k < d; k++ {
				sum += row[k] * spread[k*d+l]
			}
			row[l] = sum
		}
	}
	return next, nil
}

// normal writes the sums of (z, 1)(z, 1)ᵀ over the samples that know column j.
func (f *em) normal(j int, sums, cov, out []float64) {
	d, side := f.d, f.d+1
	add := func(i int, weight float64) {
		z, second := f.z[i*side:(i+1)*side], cov
		lacks := len(f.lacking[i]) > 0
		if lacks {
			place := int(f.at[i]) * d * d
			second = f.second[place : place+d*d]
		}
		for k := range d {
			row := out[k*side : k*side+k+1]
			blas.Axpy(weight, second[k*d:k*d+k+1], row)
			if !lacks {
				blas.Axpy(weight*z[k], z[:k+1], row)
			}
		}
		blas.Axpy(weight, z, out[d*side:])
	}
	if without := f.without[j]; float64(f.n-len(without)) >= fewKnown*float64(f.n) {
		copy(out, sums)
		for _, i := range without {
			add(int(i), -f.weight(int(i)))
		}
		return
	}
	clear(out)
	next := 0
	for i := range f.n {
		if next < len(f.without[j]) && int(f.without[j][next]) == i {
			next++
			continue
		}
		add(i, f.weight(i))
	}
}

// solution returns the components of a model, in the unit of the samples.
func (k *known) solution(in Input, at *model, g *align.Gram) (*Probabilistic, error) {
	m, d := k.m, at.d
	s := newProjected()
	s.Mean = make([]float64, m)
	for j, v := range at.mean {
		s.Mean[j] = k.shift[j] + k.unit*v
	}
	lengths, u, vt := make([]float64, d), make([]float64, m*d), make([]float64, d*d)
	if err := in.Kernels().SVD(m, d, slices.Clone(at.w), d, lengths, u, d, vt, d, new(blas.Work)); err != nil {
		return nil, err
	}
	s.Projection = mat.NewDense(m, d, u)
	loadings := mat.DenseCopyOf(s.Projection)
	square := k.unit * k.unit
	noise := at.noise * square
	total := noise * float64(m-d)
	ratio := sumOf(k.weights, k.n) / g.Divisor
	shares := make([]float64, d)
	for j, length := range lengths {
		for i := range m {
			loadings.Set(i, j, k.unit*length*loadings.At(i, j))
		}
		shares[j] = length*length*square + noise
		s.Values = append(s.Values, shares[j]*ratio)
		total += shares[j]
	}
	if total > 0 {
		blas.Scale(1/total, shares)
	}
	in.Note("explained_variance_ratio", shares)
	return &Probabilistic{s, loadings, noise}, nil
}
