package patch

import (
	"math"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/vector"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers/orderstat"
)

// MultipleWeights is the patch of NEML: instead of one weight vector, the
// s ≈ k − d independent ones that are nearly as good. It first passes over all
// samples to find η (Wang and Zhang 2010, section 4).
type MultipleWeights struct {
	Dim    int
	By     Regularization // of w; with tangents, γ is at most the median gap of the local spectra after d
	Eta    *float64       // nil: the median of ρ
	Lambda *float64       // mixing parameter; nil: α, the choice of NEML

	seen *atomic.Pointer[counted] // result of the last pass over all samples; nil: nothing is kept
}

// counted is the result of a pass over all samples.
type counted struct {
	graph *neighbors.Graph
	by    Regularization
	eta   float64
	count []int32 // s of each sample; 1 if all neighbours coincide with it
}

// Rule returns the patch rule.
func (r MultipleWeights) Rule() Rule {
	r.seen = new(atomic.Pointer[counted])
	rule := Rule{Sets: withSelf, Begin: r.begin, Factor: r.factor, Bias: r.bias, NoDistances: true}
	if r.By.Tangents == 0 {
		rule.Given = &GivenGamma{Gamma: r.By.Gamma, Share: 1, Begin: r.beginSome}
	}
	return rule
}

const (
	// minEta bounds an automatic η from below: on flat data ρ is rounding noise.
	minEta = 1e-14
	// etaSlack: the median sample satisfies the condition on s with equality, which
	// rounding must not decide.
	etaSlack = 1 + 1e-10
	// minAlpha: below it the direction of V₀V₀ᵀ1 is undetermined.
	minAlpha = 1e-12
)

func (r MultipleWeights) begin(in Local) (func() Func, error) {
	c, err := r.look(in)
	if err != nil {
		return nil, err
	}
	in.Note("eta", c.eta)
	in.Note("gamma", c.by.Gamma)
	r.By = c.by
	return func() Func {
		k := in.Graph.MaxDegree()
		calculator := r.newCalculator(in.Kernels(), k)
		gathered := samples.NewGathered(in.X)
		return func(i int, dst []float64) {
			list := in.Graph.Of(i)
			g, m := gathered.Differences(i, list)
			calculator.patch(g, len(list), m, int(c.count[i]), dst)
		}
	}, nil
}

// look passes over all samples, once for the patches and their factors together.
func (r MultipleWeights) look(in Local) (*counted, error) {
	if r.seen != nil {
		if c := r.seen.Load(); c != nil && c.graph == in.Graph {
			return c, nil
		}
	}
	lambda, err := localSpectra(in)
	if err != nil {
		return nil, err
	}
	g := in.Graph
	c := &counted{graph: g, by: r.By.within(in, lambda), eta: r.tolerance(in, lambda), count: make([]int32, g.Len())}
	for i := range c.count {
		own := lambda[g.Ptr[i]:g.Ptr[i+1]]
		if c.count[i] = 1; own[0] > 0 {
			c.count[i] = int32(weightCount(own, r.Dim, c.eta))
		}
	}
	if r.seen != nil {
		r.seen.Store(c)
	}
	return c, nil
}

// localSpectra returns the eigenvalues λ of GGᵀ of every sample, descending, one
// for each list entry of the graph.
func localSpectra(in Local) ([]float64, error) {
	k := in.Graph.MaxDegree()
	lambda := make([]float64, len(in.Graph.Index))
	type scratch struct {
		gathered *samples.Gathered
		spectrum *leftSpectrum
	}
	workers := make([]*scratch, blas.Threads(in.Threads()))
	err := blas.For(in.Context(), in.Threads(), in.Graph.Len(), blockPatches, func(w, lo, hi int) {
		if workers[w] == nil {
			workers[w] = &scratch{samples.NewGathered(in.X), newLeftSpectrum(in.Kernels(), k)}
		}
		s := workers[w]
		for i := lo; i < hi; i++ {
			list := in.Graph.Of(i)
			g, m := s.gathered.Differences(i, list)
			s.spectrum.analyze(g, len(list), m, 0)
			copy(lambda[in.Graph.Ptr[i]:in.Graph.Ptr[i+1]], s.spectrum.values)
		}
	})
	return lambda, err
}

// tolerance returns η: the given one, or the median of ρ over the samples.
func (r MultipleWeights) tolerance(in Local, lambda []float64) float64 {
	if r.Eta != nil {
		return *r.Eta
	}
	g := in.Graph
	rho := make([]float64, g.Len())
	for i := range rho {
		rho[i] = tailShare(lambda[g.Ptr[i]:g.Ptr[i+1]], r.Dim)
	}
	return max(in.median(rho), minEta)
}

// tailShare returns ρ = Σ_{j>d} λⱼ / Σ_{j≤d} λⱼ; 0 for a sample whose neighbours all
// coincide with it.
func tailShare(lambda []float64, dim int) float64 {
	head, tail := vector.Sum(lambda[:dim]), vector.Sum(lambda[dim:])
	if head == 0 {
		return 0
	}
	return tail / head
}

// weightCount returns s: the largest ℓ ≤ k − d with
//
//	Σ_{j>k−ℓ} λⱼ ≤ η·Σ_{j≤k−ℓ} λⱼ
//
// and 1 if there is none. λ is descending.
func weightCount(lambda []float64, dim int, eta float64) int {
	k := len(lambda)
	for l := k - dim; l > 1; l-- {
		if vector.Sum(lambda[k-l:]) <= etaSlack*eta*vector.Sum(lambda[:k-l]) {
			return l
		}
	}
	return 1
}

// multipleCalculator computes the patches of one worker.
type multipleCalculator struct {
	MultipleWeights
	weights  *WeightSolver
	spectrum *leftSpectrum
	q        []float64
	alpha    float64 // of the last patch
}

func (r MultipleWeights) newCalculator(kernels *blas.Kernels, k int) *multipleCalculator {
	return &multipleCalculator{MultipleWeights: r, weights: NewWeightSolver(kernels, k, r.By), spectrum: newLeftSpectrum(kernels, k), q: make([]float64, k)}
}

// patch writes [W; −1ᵀ][W; −1ᵀ]ᵀ for s weight vectors by its closed form, without W and
// without a Householder reflection. With P the projector onto the
// s smallest left singular vectors V₀ of G, p = P1, α = ‖p‖/√s and q = p/α,
//
//	WWᵀ = a²s·wwᵀ + ab(wqᵀ + qwᵀ) + b²P,   W1 = a·s·w + b·q
//	a = (1−λ)(1−α),   b = 1 + λ(1−α)/α
func (c *multipleCalculator) patch(g []float64, k, m, s int, dst []float64) {
	w, alone := c.weigh(g, k, m, s)
	if alone {
		rankOne(w, dst)
		return
	}
	r, rows, v1, q := k-s, float64(s), c.spectrum.vectors, c.q[:k]
	a, b := c.mixing(math.Max(c.alpha, minAlpha))
	at := 0
	for i := range k {
		for j := range i + 1 {
			var projector float64
			if i == j {
				projector = 1
			}
			for t := range r {
				projector -= v1[t*k+i] * v1[t*k+j]
			}
			dst[at] = a*a*rows*w[i]*w[j] + a*b*(w[i]*q[j]+q[i]*w[j]) + b*b*projector
			at++
		}
	}
	for j := range k {
		dst[at+j] = -(a*rows*w[j] + b*q[j])
	}
	dst[at+k] = rows
}

// weigh finds w, V₁, α and q of a patch. alone: all neighbours coincide with the sample, and
// w = 1/k is the only vector.
func (c *multipleCalculator) weigh(g []float64, k, m, s int) (w []float64, alone bool) {
	c.alpha = 0
	if vector.IsZero(g[:k*m]) {
		return c.weights.Solve(g, k, m), true
	}
	// P = I − V₁V₁ᵀ from the r = k − s largest vectors, and p = P1.
	r := k - s
	c.spectrum.analyze(g, k, m, max(r, 0))
	v1 := c.spectrum.vectors
	w = c.weights.solve(g, k, m, c.spectrum)
	q := c.q[:k]
	for a := range q {
		q[a] = 1
	}
	for j := range r {
		v := v1[j*k : j*k+k]
		blas.Axpy(-vector.Sum(v), v, q)
	}
	c.alpha = math.Sqrt(blas.Dot(q, q) / float64(s))
	if c.alpha >= minAlpha {
		blas.Scale(1/c.alpha, q)
		return w, false
	}
	// 1 is orthogonal to V₀, and with H = I, q = V₀1 with a sign rule.
	c.spectrum.analyze(g, k, m, -1)
	clear(q)
	for j := r; j < k; j++ {
		v := v1[j*k : j*k+k]
		vector.FixSign(v)
		blas.Axpy(1, v, q)
	}
	return w, false
}

// mixing returns the scalars a and b of the weight vectors.
func (r MultipleWeights) mixing(alpha float64) (a, b float64) {
	if r.Lambda == nil {
		return (1 - alpha) * (1 - alpha), 2 - alpha
	}
	return (1 - *r.Lambda) * (1 - alpha), 1 + *r.Lambda*(1-alpha)/alpha
}

// factor: the patch of NEML is [W; −1ᵀ][W; −1ᵀ]ᵀ with W = a·w1ᵀ + b·V₀H.
// Rotated by H, which is orthogonal, the factor needs no Householder vector:
// with v = V₀ᵀ1, H1 = v/α and so
//
//	M = H·[Wᵀ, −1] = b·[V₀ᵀ, 0] + (v/α)·[a·wᵀ, −1].
func (r MultipleWeights) factor(in Local) (func(int) int, func() FactorFunc, error) {
	seen, err := r.look(in)
	if err != nil {
		return nil, nil, err
	}
	r.By = seen.by
	return func(i int) int { return int(seen.count[i]) }, func() FactorFunc {
		k := in.Graph.MaxDegree()
		c := r.newCalculator(in.Kernels(), k)
		gathered := samples.NewGathered(in.X)
		return func(i int, dst []float64) {
			list := in.Graph.Of(i)
			g, m := gathered.Differences(i, list)
			c.factor(g, len(list), m, int(seen.count[i]), dst)
		}
	}, nil
}

// factor writes the rows of M.
func (c *multipleCalculator) factor(g []float64, k, m, s int, dst []float64) {
	w, alone := c.weigh(g, k, m, s)
	if alone {
		copy(dst, w)
		dst[k] = -1
		return
	}
	alpha := math.Max(c.alpha, minAlpha)
	a, b := c.mixing(alpha)
	vectors := c.spectrum.vectors
	if c.alpha >= minAlpha { // otherwise V₀ is already complete, with its signs
		complete(vectors, k, k-s)
	}
	for l := range s {
		v := vectors[(k-s+l)*k : (k-s+l+1)*k]
		along := 1.0 // v/α for this vector: its sum divided by α
		if c.alpha >= minAlpha {
			along = vector.Sum(v) / alpha
		}
		row := dst[l*(k+1) : (l+1)*(k+1)]
		for j := range k {
			row[j] = b*v[j] + along*a*w[j]
		}
		row[k] = -along
	}
}

// complete appends to r orthonormal vectors of length k those that complete them to a
// basis: the last columns of the product of the reflections that map the vectors to the
// first axes. The reflections overwrite the vectors.
func complete(vectors []float64, k, r int) {
	for j := range r { // reflection j is I − 2uuᵀ, with zeros before entry j
		u := vectors[j*k : j*k+k]
		for i := range j {
			reflect(vectors[i*k:i*k+k], u)
		}
		clear(u[:j])
		length := math.Sqrt(blas.Dot(u, u))
		u[j] += math.Copysign(length, u[j])
		vector.Normalize(u)
	}
	for j := r; j < k; j++ {
		v := vectors[j*k : j*k+k]
		clear(v)
		v[j] = 1
		for i := r - 1; i >= 0; i-- {
			reflect(vectors[i*k:i*k+k], v)
		}
	}
}

// reflect applies I − 2uuᵀ for a unit vector u.
func reflect(u, v []float64) { blas.Axpy(-2*blas.Dot(u, v), u, v) }

// beginSome is begin for the patches of a few samples, with η from these.
func (r MultipleWeights) beginSome(in Local, some []int) (func() Func, error) {
	k := in.Graph.MaxDegree()
	spectrum, gathered := newLeftSpectrum(in.Kernels(), k), samples.NewGathered(in.X)
	rho := make([]float64, len(some))
	for at, i := range some {
		list := in.Graph.Of(i)
		g, m := gathered.Differences(i, list)
		spectrum.analyze(g, len(list), m, 0)
		rho[at] = tailShare(spectrum.values[:len(list)], r.Dim)
	}
	eta := max(orderstat.LowerMedian(rho), minEta)
	if r.Eta != nil {
		eta = *r.Eta
	}
	return func() Func {
		c := r.newCalculator(in.Kernels(), k)
		own, gathered := newLeftSpectrum(in.Kernels(), k), samples.NewGathered(in.X)
		return func(i int, dst []float64) {
			list := in.Graph.Of(i)
			g, m := gathered.Differences(i, list)
			own.analyze(g, len(list), m, 0)
			c.patch(g, len(list), m, weightCount(own.values[:len(list)], r.Dim, eta), dst)
		}
	}, nil
}

// bias estimates the contribution of the weights of all samples to Σ yᵀΦy along the tangents of the data,
//
//	Σᵢ aᵢ² sᵢ ‖Mᵢᵀθᵢᵀwᵢ‖²,
//
// from some of them. For a sample, s is the number of its weight vectors, a is their mixing
// scalar of w, θ are the tangent coordinates of its neighbours about it, and M is their
// least-squares map to y. The contribution of weights that reproduce linear functions is zero.
// O(k²m + k³ + k²d) for each sample.
func (r MultipleWeights) bias(in Local, some []int, y *mat.Dense) (float64, error) {
	c, err := r.look(in)
	if err != nil {
		return 0, err
	}
	r.By = c.by
	k := in.Graph.MaxDegree()
	_, p := y.Dims()
	parts := make([]float64, len(some))
	type scratch struct {
		calculator *multipleCalculator
		gathered   *samples.Gathered
		values     []float64
	}
	workers := make([]*scratch, blas.Threads(in.Threads()))
	err = blas.For(in.Context(), in.Threads(), len(some), blockSome, func(w, lo, hi int) {
		if workers[w] == nil {
			workers[w] = &scratch{r.newCalculator(in.Kernels(), k), samples.NewGathered(in.X), make([]float64, k)}
		}
		s := workers[w]
		for at := lo; at < hi; at++ {
			i := some[at]
			list := in.Graph.Of(i)
			g, m := s.gathered.Differences(i, list)
			count := int(c.count[i])
			weights, alone := s.calculator.weigh(g, len(list), m, count)
			if alone {
				continue
			}
			a, _ := s.calculator.mixing(math.Max(s.calculator.alpha, minAlpha))
			values := s.values[:len(list)]
			var missed float64
			for f := range p {
				for b, j := range list {
					values[b] = y.At(int(j), f) - y.At(i, f)
				}
				var along float64
				for t := range min(r.Dim, len(list)-count) {
					u := s.calculator.spectrum.vectors[t*len(list) : (t+1)*len(list)]
					along += blas.Dot(u, weights) * blas.Dot(u, values)
				}
				missed += along * along
			}
			parts[at] = a * a * float64(count) * missed
		}
	})
	var sum float64
	for _, part := range parts {
		sum += part
	}
	return sum * float64(in.X.N()) / float64(max(len(some), 1)), err
}
