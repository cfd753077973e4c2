package alm

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// projectionSteps is the number of steps of V in a pass.
const projectionSteps = 20

// Projection is the [Projector] of a factorization in a subspace that is learned with
// it (Chen, Wang and Li 2018): the data are Y = XV with VᵀV = I, and the graph is the one of
// [Adaptive] for the rows of Y. In the step of V,
//
//	min μ/2 ‖XV − P‖² + 2 tr(VᵀXᵀΦXV)   under VᵀV = I,   P = WH + E − Λ₁/μ,
//
// V becomes 20 times the orthonormal factor of (aI − Q)V + B, with Q = Xᵀ(μ/2 I + 2Φ)X,
// a = ‖Q‖₂ and B = μ/2 XᵀP, which never raises it (generalized power iteration; Nie,
// Zhang and Li 2017). Q is not formed: a step takes 4nmd flops, and samples of more
// features than there are samples are first turned to n coordinates in their row
// space, which holds V.
type Projection struct {
	*Adaptive           // of y
	features  int       // of a sample, or its coordinates in the row space
	samples   []float64 // n × features
	basis     []float64 // features × m, orthonormal rows; nil: the features themselves
	d         int
	v         []float64 // features × d
	y         []float64 // n × d

	frame             *frame // of v
	b, next           []float64
	image, spread     []float64 // n × d
	partial           [][]float64
	chunk             int
	work              blas.Work
	penalty, multiple float64   // μ/2 of the step, and a
	leading           []float64 // the eigenvector of ‖Q‖₂ in the last pass; nil: there was none
}

// NewProjection begins with the d leading principal directions of the n × m samples x,
// which are kept. d is from 1 to min(n, m), k as in [NewAdaptive]. Where m > n, an SVD
// of x comes first.
func NewProjection(ctx context.Context, n, m int, x []float64, d, k int, o Options) (*Projection, error) {
	if d < 1 || d > min(n, m) {
		return nil, fmt.Errorf("alm: a projection of %d × %d data to %d dimensions; give a number from 1 to %d", n, m, d, min(n, m))
	}
	if o.Kernels == nil {
		var err error
		if o.Kernels, err = blas.Select(""); err != nil {
			return nil, err
		}
	}
	p := &Projection{features: m, samples: x, d: d, y: make([]float64, n*d)}
	if m > n {
		if err := p.turn(n, m, o.Kernels); err != nil {
			return nil, err
		}
	}
	var err error
	if p.Adaptive, err = newAdaptive(n, d, p.y, k, o); err != nil {
		return nil, err
	}
	p.v, p.b, p.next = make([]float64, p.features*d), make([]float64, p.features*d), make([]float64, p.features*d)
	p.image, p.spread = make([]float64, n*d), make([]float64, n*d)
	p.frame = newFrame(p.features, d, o.Kernels, o.Threads)
	chunks := max(2, min(maxChunks, n/d))
	p.chunk = (n + chunks - 1) / chunks
	for range chunks {
		p.partial = append(p.partial, make([]float64, p.features*d))
	}
	if err := p.principal(); err != nil {
		return nil, err
	}
	p.measure()
	return p, p.learn(ctx)
}

// ProjectionBytes is the most memory that [NewProjection] takes in addition to the samples, except
// for the lists of neighbours.
func ProjectionBytes(n, m int) int64 {
	rows, features := int64(n), int64(min(n, m))
	bytes := 8 * (rows*features + 9*features*features/2)
	if m > n {
		bytes = max(bytes+8*(rows*rows+rows*int64(m)), 8*(2*rows*int64(m)+rows*rows)+blas.SVDBytes(n, m))
	}
	return bytes
}

// turn takes the samples to coordinates in their row space.
func (p *Projection) turn(n, m int, kernels *blas.Kernels) error {
	s, u := make([]float64, n), make([]float64, n*n)
	p.basis = make([]float64, n*m)
	if err := kernels.SVD(n, m, append([]float64(nil), p.samples...), m, s, u, n, p.basis, m, new(blas.Work)); err != nil {
		return err
	}
	for i := range n {
		for k, v := range s {
			u[i*n+k] *= v
		}
	}
	p.samples, p.features = u, n
	return nil
}

// principal sets V to the leading right singular vectors of the centered samples, and Y.
// Vectors have no sign: that is chosen for which the largest entry of a column of Y
// is positive.
func (p *Projection) principal() error {
	n, features, d := p.n, p.features, p.d
	mean, centered := make([]float64, features), append([]float64(nil), p.samples...)
	for i := range n {
		blas.Axpy(1/float64(n), p.samples[i*features:(i+1)*features], mean)
	}
	for i := range n {
		blas.Axpy(-1, mean, centered[i*features:(i+1)*features])
	}
	scatter, values, vectors := make([]float64, features*features), make([]float64, d), make([]float64, d*features)
	p.kernels.SyrkParallel(p.threads, true, features, n, 1, centered, features, 0, scatter, features)
	for i := range features {
		for j := range i {
			scatter[i*features+j] = scatter[j*features+i]
		}
	}
	if err := p.kernels.SymEigRange(features, features-d, features, scatter, features, values, vectors, features, &p.work); err != nil {
		return err
	}
	for i := range features {
		for k := range d { // the largest is the last
			p.v[i*d+k] = vectors[(d-1-k)*features+i]
		}
	}
	p.project(p.v, d, p.y)
	for k := range d {
		sign := largestSign(p.y[k:], d)
		for _, u := range [][]float64{p.v, p.y} {
			for q := k; q < len(u); q += d {
				u[q] *= sign
			}
		}
	}
	return nil
}

// largestSign is the sign of the entry of largest size, the first of those, among
// every step-th.
func largestSign(v []float64, step int) float64 {
	at := 0
	for q := 0; q < len(v); q += step {
		if math.Abs(v[q]) > math.Abs(v[at]) {
			at = q
		}
	}
	return math.Copysign(1, v[at])
}

// Data are Y, n × d, which Project overwrites: the caller takes a copy.
func (p *Projection) Data() []float64 { return append([]float64(nil), p.y...) }

// Start is [Start] for Y, which keeps its scale: the W of Y less its least entry, and
// the H that fits Y best.
func (p *Projection) Start(ctx context.Context, r int, o Options) (*InitialFactors, error) {
	b := &InitialFactors{Norm: 1}
	o.Kernels = p.kernels
	return b, b.startShifted(ctx, p.n, p.d, p.y, r, o)
}

// Directions are Vᵀ, d × m: orthonormal rows.
func (p *Projection) Directions(m int) []float64 {
	out := make([]float64, p.d*m)
	if p.basis != nil {
		p.kernels.GemmParallel(p.threads, true, false, p.d, m, p.features, 1, p.v, p.d, p.basis, m, 0, out, m)
		return out
	}
	for i := range m {
		for k := range p.d {
			out[k*m+i] = p.v[i*p.d+k]
		}
	}
	return out
}

// project computes X·u for a features × width panel.
func (p *Projection) project(u []float64, width int, to []float64) {
	p.kernels.GemmParallel(p.threads, false, false, p.n, width, p.features, 1, p.samples, p.features, u, width, 0, to, width)
}

// collect computes Xᵀ·y for an n × width panel, width ≤ d, in chunks that are added in order.
func (p *Projection) collect(ctx context.Context, y []float64, width int, to []float64) error {
	err := blas.For(ctx, p.threads, p.n, p.chunk, func(_, lo, hi int) {
		p.kernels.Gemm(true, false, p.features, width, hi-lo, 1, p.samples[lo*p.features:], p.features, y[lo*width:], width, 0, p.partial[lo/p.chunk], width)
	})
	copy(to[:p.features*width], p.partial[0])
	for at := p.chunk; at < p.n; at += p.chunk {
		blas.Axpy(1, p.partial[at/p.chunk][:p.features*width], to)
	}
	return err
}

// quadratic computes Q·u for a features × width panel, width ≤ d.
func (p *Projection) quadratic(ctx context.Context, u []float64, width int, to []float64) error {
	p.project(u, width, p.image)
	s := &p.s.csr
	s.MulBlock(p.threads, width, p.image, p.spread)
	for i := range p.n {
		_, vals := s.Row(i)
		degree := 0.0
		for _, v := range vals {
			degree += v
		}
		for q := i * width; q < (i+1)*width; q++ {
			p.spread[q] = (p.penalty+2*degree)*p.image[q] - 2*p.spread[q]
		}
	}
	return p.collect(ctx, p.spread[:p.n*width], width, to)
}

// Project takes the step of V, and puts XV into y.
func (p *Projection) Project(ctx context.Context, target, y []float64, step Step) error {
	p.penalty = step.Mu / 2
	if err := p.collect(ctx, target, p.d, p.b); err != nil {
		return err
	}
	blas.Scale(p.penalty, p.b)
	var err error
	if p.multiple, err = p.norm(ctx); err != nil {
		return err
	}
	for range projectionSteps {
		if err := p.stepDirections(ctx); err != nil {
			return err
		}
	}
	p.project(p.v, p.d, p.y)
	copy(y, p.y)
	p.measure()
	return nil
}

// stepDirections sets V to the orthonormal factor of (aI − Q)V + B.
func (p *Projection) stepDirections(ctx context.Context) error {
	if err := p.quadratic(ctx, p.v, p.d, p.next); err != nil {
		return err
	}
	for q, qv := range p.next {
		p.next[q] = p.multiple*p.v[q] - qv + p.b[q]
	}
	return p.frame.orthonormalize(ctx, p.next, p.v)
}

const (
	// normSteps bounds the Lanczos steps for ‖Q‖₂, and minNormSteps is the fewest.
	normSteps, minNormSteps = 30, 4
	// normTolerance ends them: the bound exceeds ‖Q‖₂ by so much of it at most.
	normTolerance = 1e-3
	// normSpread is the share of a random direction in the vector that the Lanczos steps
	// begin with, so that they also find an eigenvalue which has become the largest since.
	normSpread = 1e-2
)

// norm bounds ‖Q‖₂ by the largest Ritz value of a Krylov space and its residual. The space
// begins with the Ritz vector of the last pass, to which Q has hardly moved.
func (p *Projection) norm(ctx context.Context) (float64, error) {
	steps := min(normSteps, p.features)
	basis := [][]float64{make([]float64, p.features)}
	// A combination of the samples, which is the same vector in their row space.
	blas.NewStream(1).Normals(p.image[:p.n])
	if err := p.collect(ctx, p.image[:p.n], 1, basis[0]); err != nil {
		return 0, err
	}
	toUnit(basis[0])
	if p.leading == nil {
		p.leading = make([]float64, p.features)
	} else {
		blas.Scale(normSpread, basis[0])
		blas.Axpy(1, p.leading, basis[0])
		toUnit(basis[0])
	}
	t := make([]float64, steps*steps)
	for k := range steps {
		next := make([]float64, p.features)
		if err := p.quadratic(ctx, basis[k], 1, next); err != nil {
			return 0, err
		}
		blas.OrthogonalizeQR(basis, next, t[k:], steps)
		left := math.Sqrt(blas.Dot(next, next))
		done := k+1 == steps || left <= 1e-14*t[0]
		if done || k+1 >= minNormSteps {
			value, vector, err := p.largestRitz(t, steps, k+1)
			if err != nil {
				return 0, err
			}
			excess := left * math.Abs(vector[k])
			if done || excess <= normTolerance*value {
				clear(p.leading)
				for l, c := range vector {
					blas.Axpy(c, basis[l], p.leading)
				}
				return value + excess, nil
			}
		}
		blas.Scale(1/left, next)
		basis = append(basis, next)
	}
	panic("unreachable: the last step returns")
}

// largestRitz is the largest eigenvalue, and its vector, of the leading k × k part of the upper
// triangle of t, whose rows have ld numbers.
func (p *Projection) largestRitz(t []float64, ld, k int) (float64, []float64, error) {
	lead, values := compact(t, ld, k), make([]float64, k)
	for i := range k {
		for j := range i {
			lead[i*k+j] = lead[j*k+i]
		}
	}
	if err := p.kernels.SymEig(k, lead, k, values, &p.work); err != nil {
		return 0, nil, errNotFinite
	}
	return values[k-1], lead[(k-1)*k:], nil
}

// compact keeps the leading k × k part of a matrix with rows of ld numbers.
func compact(t []float64, ld, k int) []float64 {
	out := make([]float64, k*k)
	for i := range k {
		copy(out[i*k:(i+1)*k], t[i*ld:])
	}
	return out
}
