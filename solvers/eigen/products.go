package eigen

import (
	"context"

	"github.com/orthant-go/orthant/blas"
)

const (
	// productTolerance bounds the residual of a pair found by products alone,
	// relative to the bound on the spectrum.
	productTolerance = 4e-10
	// manyPairs is the number from which a Chebyshev-filtered block is taken in
	// place of Lanczos: the basis that Lanczos would have to keep orthogonal grows
	// with it, a filtered block does not grow.
	manyPairs = 30
)

// hopelessShare: Lanczos takes about ln(1/tolerance)/(2√share) blocks to a pair
// whose eigenvalue is that share of the bound, more than a probe has.
const hopelessShare = 2e-3

// probe tries products alone, and declines where they do not converge soon.
func (p *problem) probe(ctx context.Context) (*Eigen, error) {
	p.probed = true
	e, err := p.byProducts(ctx, probeProducts)
	if err == nil && !e.Converged {
		return nil, errDeclined
	}
	return e, err
}

// products solves by products alone, however many it takes.
func (p *problem) products(ctx context.Context) (*Eigen, error) {
	return p.byProducts(ctx, maxProducts)
}

// byProducts finds the smallest pairs of A as the largest of βI − A, where β
// bounds the spectrum: thick-restart block Lanczos for few pairs, a
// Chebyshev-filtered block for many. Good where the wanted eigenvalues are not
// tiny compared with β, as in Laplacians of expanders.
func (p *problem) byProducts(ctx context.Context, most int) (*Eigen, error) {
	beta := p.Bound
	if beta == 0 {
		beta = p.norm
	}
	basis := min(max(5*p.wanted, 12*p.block()), p.n-len(p.null))
	p.plan.Bytes = 8 * int64(p.n) * int64(2*basis+4*p.block())
	if p.wanted > manyPairs {
		p.plan.Solver = "chebyshev-filtered block"
		p.plan.Bytes = 8 * int64(p.n) * int64(5*filterWidth(p.wanted))
	}
	if err := p.announce(); err != nil {
		return nil, err
	}
	if p.wanted > manyPairs {
		return p.chebyshev(ctx, beta, most)
	}
	var product []float64
	k := &krylov{
		problem: p, block: p.block(), limit: basis, keep: p.wanted + (basis-p.wanted)/3, most: most,
		tolerance: p.toleranceOr(productTolerance), start: p.start, random: blas.NewStream(p.Seed),
		apply: func(x []float64, width int) {
			if len(product) < len(x) {
				product = make([]float64, len(x))
			}
			p.product(width, x, product[:len(x)])
			for i, v := range x {
				x[i] = beta*v - product[i]
			}
		},
	}
	if most == probeProducts {
		// The Ritz values only fall: once they are that low, they will stay so.
		k.hopeless = func(theta []float64) bool { return beta-theta[min(p.wanted, len(theta))-1] < hopelessShare*beta }
	}
	theta, vectors, converged, err := k.pairs(ctx, p.wanted, false)
	if err != nil {
		return nil, err
	}
	e := &Eigen{Converged: converged, Products: k.products, Vectors: vectors}
	for _, t := range theta {
		e.Values = append(e.Values, beta-t)
	}
	return e, nil
}
