package alm

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// projectionSteps is the number of steps of W in a pass.
const projectionSteps = 20

// Projection is the [Projector] of a factorisation in a subspace that is learned with
// it (Chen, Wang and Li 2018): the data are Y = XW with WᵀW = I, and the graph that of
// [Adaptive] for the rows of Y. In the step of W,
//
//	min μ/2 ‖XW − P‖² + 2 tr(WᵀXᵀLXW)   under WᵀW = I,   P = GFᵀ + E − Λ₁/μ,
//
// W becomes 20 times the orthonormal factor of (aI − Q)W + B, with Q = Xᵀ(μ/2 I + 2L)X,
// a = ‖Q‖₂ and B = μ/2 XᵀP, which never raises it (generalised power iteration; Nie,
// Zhang and Li 2017). Q is not formed: a step takes 4nmd flops, and samples of more
// features than there are samples are first turned to n coordinates in their row
// space, which holds W.
type Projection struct {
	*Adaptive           // of y
	r         int       // coordinates of a sample
	samples   []float64 // n × r
	basis     []float64 // r × m, orthonormal rows; nil: the features themselves
	d         int
	w         []float64 // r × d
	y         []float64 // n × d

	frame             *frame // of w
	b, next           []float64
	image, spread     []float64 // n × d
	partial           [][]float64
	chunk             int
	work              blas.Work
	penalty, multiple float64 // μ/2 of the step, and a
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
	p := &Projection{r: m, samples: x, d: d, y: make([]float64, n*d)}
	if m > n {
		if err := p.turn(n, m, o.Kernels); err != nil {
			return nil, err
		}
	}
	var err error
	if p.Adaptive, err = newAdaptive(n, d, p.y, k, o); err != nil {
		return nil, err
	}
	p.w, p.b, p.next = make([]float64, p.r*d), make([]float64, p.r*d), make([]float64, p.r*d)
	p.image, p.spread = make([]float64, n*d), make([]float64, n*d)
	p.frame = newFrame(p.r, d, o.Kernels, o.Threads)
	chunks := max(2, min(mostChunks, n/d))
	p.chunk = (n + chunks - 1) / chunks
	for range chunks {
		p.partial = append(p.partial, make([]float64, p.r*d))
	}
	if err := p.principal(); err != nil {
		return nil, err
	}
	p.measure()
	return p, p.learn(ctx)
}

// turn takes the samples to coordinates in their row space.
func (p *Projection) turn(n, m int, kernels *blas.Kernels) error {
	s, u := make([]float64, n), make([]float64, n*n)
	p.basis = make([]float64, n*m)
	if err := kernels.SVD(n, m, append([]float64(nil), p.samples...), m, s, u, n, p.basis, m, &p.work); err != nil {
		return err
	}
	for i := range n {
		for k, v := range s {
			u[i*n+k] *= v
		}
	}
	p.samples, p.r = u, n
	return nil
}

// principal sets W to the leading right singular vectors of the centred samples, and Y.
// Vectors have no sign: that is chosen for which the largest entry of a column of Y
// is positive.
func (p *Projection) principal() error {
	n, r, d := p.n, p.r, p.d
	mean, centred := make([]float64, r), append([]float64(nil), p.samples...)
	for i := range n {
		blas.Axpy(1/float64(n), p.samples[i*r:(i+1)*r], mean)
	}
	for i := range n {
		blas.Axpy(-1, mean, centred[i*r:(i+1)*r])
	}
	scatter, values, vectors := make([]float64, r*r), make([]float64, d), make([]float64, d*r)
	p.kernels.SyrkParallel(p.threads, true, r, n, 1, centred, r, 0, scatter, r)
	for i := range r {
		for j := range i {
			scatter[i*r+j] = scatter[j*r+i]
		}
	}
	if err := p.kernels.SymEigRange(r, r-d, r, scatter, r, values, vectors, r, &p.work); err != nil {
		return err
	}
	for i := range r {
		for k := range d { // the largest is the last
			p.w[i*d+k] = vectors[(d-1-k)*r+i]
		}
	}
	p.project(p.w, d, p.y)
	for k := range d {
		sign := largestSign(p.y[k:], d)
		for _, u := range [][]float64{p.w, p.y} {
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

// Begin is [Start] for Y, which keeps its scale: the G of Y less its least entry, and
// the F that fits Y best.
func (p *Projection) Begin(ctx context.Context, c int, o Options) (*Beginning, error) {
	b := &Beginning{Norm: 1}
	o.Kernels = p.kernels
	return b, b.shifted(ctx, p.n, p.d, p.y, c, o)
}

// Directions are Wᵀ, d × m: orthonormal rows.
func (p *Projection) Directions(m int) []float64 {
	out := make([]float64, p.d*m)
	if p.basis != nil {
		p.kernels.GemmParallel(p.threads, true, false, p.d, m, p.r, 1, p.w, p.d, p.basis, m, 0, out, m)
		return out
	}
	for i := range m {
		for k := range p.d {
			out[k*m+i] = p.w[i*p.d+k]
		}
	}
	return out
}

// project computes X·u for an r × c panel.
func (p *Projection) project(u []float64, c int, to []float64) {
	p.kernels.GemmParallel(p.threads, false, false, p.n, c, p.r, 1, p.samples, p.r, u, c, 0, to, c)
}

// collect computes Xᵀ·v for an n × c panel, c ≤ d, in chunks that are added in order.
func (p *Projection) collect(ctx context.Context, v []float64, c int, to []float64) error {
	err := blas.For(ctx, p.threads, p.n, p.chunk, func(_, lo, hi int) {
		p.kernels.Gemm(true, false, p.r, c, hi-lo, 1, p.samples[lo*p.r:], p.r, v[lo*c:], c, 0, p.partial[lo/p.chunk], c)
	})
	copy(to[:p.r*c], p.partial[0])
	for at := p.chunk; at < p.n; at += p.chunk {
		blas.Axpy(1, p.partial[at/p.chunk][:p.r*c], to)
	}
	return err
}

// quadratic computes Q·u for an r × c panel, c ≤ d.
func (p *Projection) quadratic(ctx context.Context, u []float64, c int, to []float64) error {
	p.project(u, c, p.image)
	s := &p.s.csr
	s.MulBlock(p.threads, c, p.image, p.spread)
	for i := range p.n {
		_, vals := s.Row(i)
		degree := 0.0
		for _, v := range vals {
			degree += v
		}
		for q := i * c; q < (i+1)*c; q++ {
			p.spread[q] = (p.penalty+2*degree)*p.image[q] - 2*p.spread[q]
		}
	}
	return p.collect(ctx, p.spread[:p.n*c], c, to)
}

// Project takes the step of W, and puts XW into y.
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
	p.project(p.w, p.d, p.y)
	copy(y, p.y)
	p.measure()
	return nil
}

// stepDirections sets W to the orthonormal factor of (aI − Q)W + B.
func (p *Projection) stepDirections(ctx context.Context) error {
	if err := p.quadratic(ctx, p.w, p.d, p.next); err != nil {
		return err
	}
	for q, v := range p.next {
		p.next[q] = p.multiple*p.w[q] - v + p.b[q]
	}
	return p.frame.orthonormal(ctx, p.next, p.w)
}

// normSteps is the number of Lanczos steps for ‖Q‖₂.
const normSteps = 30

// norm bounds ‖Q‖₂ by the largest Ritz value of a Krylov space and its residual.
func (p *Projection) norm(ctx context.Context) (float64, error) {
	steps := min(normSteps, p.r)
	basis := [][]float64{make([]float64, p.r)}
	blas.NewStream(1).Normals(basis[0])
	blas.Scale(1/math.Sqrt(blas.Dot(basis[0], basis[0])), basis[0])
	t := make([]float64, steps*steps)
	var left float64
	for k := range steps {
		next := make([]float64, p.r)
		if err := p.quadratic(ctx, basis[k], 1, next); err != nil {
			return 0, err
		}
		for range 2 {
			for l, v := range basis {
				f := blas.Dot(v, next)
				t[l*steps+k] += f
				blas.Axpy(-f, v, next)
			}
		}
		left = math.Sqrt(blas.Dot(next, next))
		if k+1 == steps || left <= 1e-14*t[0] {
			steps, t = k+1, compact(t, steps, k+1)
			break
		}
		blas.Scale(1/left, next)
		basis = append(basis, next)
	}
	for k := range steps {
		for l := range k {
			t[k*steps+l] = t[l*steps+k]
		}
	}
	values := make([]float64, steps)
	if err := p.kernels.SymEig(steps, t, steps, values, &p.work); err != nil {
		return 0, errNotFinite
	}
	return values[steps-1] + left*math.Abs(t[(steps-1)*steps+steps-1]), nil
}

// compact keeps the leading k × k part of a matrix with rows of ld numbers.
func compact(t []float64, ld, k int) []float64 {
	out := make([]float64, k*k)
	for i := range k {
		copy(out[i*k:(i+1)*k], t[i*ld:])
	}
	return out
}
