package eigen

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/sddm"
	"github.com/orthant-go/orthant/sparse"
)

const (
	// fills is the number of operations of a factorisation from which a matrix that the preconditioner suits is not factorised, and is not
	// analysed to the end either.
	fills = 1e12
	// worthTrying is the number of operations of a factorisation from which the diagonal is tried in its place.
	worthTrying = 5e10
	// davidsonBasis is the number of vectors up to which the basis grows, however few pairs are wanted.
	davidsonBasis = 64
	// guards is the number of blocks of a basis that are left to vectors which are not wanted.
	guards = 2
	// belowFirst is the share of the smallest Ritz value up to which A is shifted in corrections.
	belowFirst = 0.9
	// fewestInner and mostInner bound the iterations of a correction.
	fewestInner, mostInner = 3, 8
	// firstInner are the iterations for a random block, which is then rich in the wanted vectors.
	firstInner = 12
	// foundAgain is the change of a Ritz value, relative to |A|, from which a random block has found a pair that was missed.
	foundAgain = 1e-8
)

// davidson finds the smallest pairs by a block method of Davidson's kind (Davidson 1975; Stathopoulos 2007): the residuals of the smallest Ritz pairs that have not converged,
// eight at a time, are multiplied by about (A − σI)⁻¹, made orthonormal to the whole basis, and added to it. The factor is never made: the correction is a few
// iterations of conjugate gradients with a [sddm.Preconditioner], which cost little more than making a block orthonormal. σ is just below the
// smallest Ritz value, where the wanted pairs are far apart relative to each other, also at the edge of a bulk.
//
// The basis restarts from its leading Ritz vectors. Pairs that have converged stay in it and are improved further (soft locking). At the end a random block is
// added: a pair that the search has missed shows in it, but nothing proves that there is none, as an inertia would.
type davidson struct {
	*krylov             // the basis V, and how its blocks are made orthonormal
	images  krylovBasis // AV
	theta   []float64   // Ritz values, ascending
	s       []float64   // coefficients of the Ritz vectors, in rows
	inner   correction  // of residuals
	steps   int         // corrections
	aim     float64     // ‖Ax − λx‖ of a converged pair
	known   []float64   // the Ritz values of the pairs that have converged
	again   bool        // a random block was added at the end
}

// filled reports whether the factor takes so many operations, or so much memory, that the search without a factor is tried; on the way it analyses a matrix that does not fill.
func (p *problem) filled(ctx context.Context) (string, error) {
	err := p.analyzeWithin(ctx, fills)
	if fill, is := errors.AsType[*sparse.FillError](err); is {
		return fmt.Sprintf("a factorisation takes more than %.2g flops", fill.Most), nil
	}
	switch {
	case err != nil:
		return "", err
	case p.Memory > 0 && p.factorBytes() > p.Memory:
		return "a factor does not fit the memory limit", nil
	}
	return reason(p.plan.Flops > worthTrying, "a factorisation takes %.2g flops", p.plan.Flops), nil
}

// davidson solves without a factor. It declines where nothing preconditions the matrix, and, where a factor can be made, where more than the
// diagonal is needed.
func (p *problem) davidson(ctx context.Context) (*Eigen, error) {
	if p.sigma > 0 {
		return nil, errDeclined
	}
	m, err := p.preconditioner(ctx)
	if need, is := errors.AsType[*sparse.MemoryError](err); is {
		return nil, &MemoryError{Need: need.Need, Limit: need.Limit}
	}
	if errors.Is(err, sddm.ErrUnsuited) {
		return nil, errDeclined
	}
	if err != nil {
		return nil, err
	}
	e, null := p.nullPairs(m)
	if len(e.Values) == p.wanted {
		p.plan.Solver, p.plan.Reason = "components", fmt.Sprintf("%d components, each with an eigenvalue of zero", m.Singular())
		p.plan.FactorEntries, p.plan.Flops, p.plan.Ordering = 0, 0, ""
		p.plan.Bytes = m.Bytes(0) + 8*int64(p.n)*int64(p.wanted)
		e.Converged = true
		return e, p.announce()
	}
	return p.davidsonBy(ctx, m, e, null)
}

// preconditioner is that of an expander, where the analysis has made it. Where a factor can be made, only the diagonal is tried.
func (p *problem) preconditioner(ctx context.Context) (*sddm.Preconditioner, error) {
	if p.byDiagonal != nil {
		return p.byDiagonal, nil
	}
	o := sddm.Options{Seed: p.Seed, Threads: p.Threads, Memory: p.Memory}
	if p.analysis != nil && !(p.Memory > 0 && p.factorBytes() > p.Memory) {
		o.Preconditioner = sddm.Diagonal
	}
	return sddm.NewPreconditioner(ctx, p.a, p.scales(), o)
}

// scales are the diagonals by which the matrix may become a Laplacian: positive null vectors, and the roots of the masses that it was divided by.
func (p *problem) scales() (scales [][]float64) {
	if p.byMass != nil {
		scales = append(scales, p.byMass)
	}
	for _, v := range p.null {
		if v[0] > 0 {
			scales = append(scales, v)
		} else {
			scales = append(scales, negated(v))
		}
	}
	return scales[:min(len(scales), 2)]
}

func negated(v []float64) []float64 {
	x := make([]float64, len(v))
	for i, t := range v {
		x[i] = -t
	}
	return x
}

// nullPairs are pairs of the null vectors of components, orthogonal to those given, as many as are wanted at most.
func (p *problem) nullPairs(m *sddm.Preconditioner) (e *Eigen, null [][]float64) {
	e, null = &Eigen{}, p.null
	for c := 0; c < m.Singular() && len(e.Values) < p.wanted; c++ {
		v := make([]float64, p.n)
		m.Null(c, v)
		for range 2 {
			blas.Orthogonalize(null, v)
		}
		// One that depends on those given is rounding by now.
		if size := math.Sqrt(blas.Dot(v, v)); size > 1e-8 {
			blas.Scale(1/size, v)
			null = append(null[:len(null):len(null)], v)
			e.Values, e.Vectors = append(e.Values, 0), append(e.Vectors, v)
		}
	}
	return e, null
}

// davidsonBy finds the pairs that e does not have, orthogonal to the null vectors.
func (p *problem) davidsonBy(ctx context.Context, m *sddm.Preconditioner, e *Eigen, null [][]float64) (*Eigen, error) {
	b, wanted := p.block(), p.wanted-len(e.Values)
	least := (wanted+guards*b+b-1)/b*b + b
	limit := max(davidsonBasis, 2*(wanted+guards*b)) / b * b
	limit = min(max(limit, least), (p.n-len(null))/b*b)
	bytes := func(limit int) int64 {
		return m.Bytes(b) + 8*int64(p.n)*int64(2*(limit+b)+len(null)+wanted+8*b)
	}
	for p.Memory > 0 && bytes(limit) > p.Memory && limit > least {
		limit -= b
	}
	if limit < least {
		return nil, errDeclined
	}
	q := *p
	q.null, q.wanted = null, wanted
	k := &krylov{problem: &q, block: b, limit: limit, keep: (wanted + (limit-wanted)/3) / b * b, random: blas.NewStream(p.Seed), deflated: null, start: p.start}
	d := &davidson{krylov: k, aim: p.toleranceOr(productTolerance) * p.norm}
	d.inner = newCorrection(&q, m, b)
	d.inner.iterations = p.innerIterations(m, limit)
	p.plan.Reason = fmt.Sprintf("order %d, %s: corrections by conjugate gradients with %s; no count proves that no pair is missed", p.n, p.plan.Reason, m.Reason())
	p.plan.FactorEntries, p.plan.Flops, p.plan.Ordering, p.plan.Bytes = 0, 0, "", bytes(limit)
	if err := p.announce(); err != nil {
		return nil, err
	}
	converged, err := d.search(ctx)
	if err != nil {
		return nil, err
	}
	found := min(wanted, d.q.size)
	d.q.rotate(append([]float64(nil), d.s[:found*d.q.size]...), found)
	e.Values, e.Vectors = append(e.Values, d.theta[:found]...), append(e.Vectors, d.q.vectors()...)
	e.Converged, e.Products = converged, d.products+d.inner.products
	return e, nil
}

// innerIterations is the number of iterations of a correction that cost about as much as making its block orthonormal to half of a basis: both are bound
// by memory, of which seven passes over the basis and its images, and the entries of A, are read.
func (p *problem) innerIterations(m *sddm.Preconditioner, limit int) int {
	basis := 7 * float64(limit) / 2 * float64(p.n)
	iteration := 3*(1+m.Work())*float64(p.a.NNZ()) + 12*float64(p.n)
	return int(min(max(math.Round(basis/iteration), fewestInner), mostInner))
}

// search runs until all wanted pairs have converged, or no more products are allowed.
func (d *davidson) search(ctx context.Context) (converged bool, err error) {
	d.prepare()
	d.images = krylovBasis{n: d.n, lanes: d.block, threads: d.Threads, each: d.block}
	most := max(maxSolves, solvesPerPair*d.wanted)
	if err := d.refresh(ctx, d.next); err != nil {
		return false, err
	}
	for {
		if err := d.ritz(); err != nil {
			return false, err
		}
		if d.q.size+d.block > d.limit {
			d.contract()
		}
		from, r := d.front()
		if from >= d.wanted {
			if d.again {
				return true, nil
			}
			d.again = true
			if err := d.refresh(ctx, d.next); err != nil {
				return false, err
			}
			continue
		}
		if d.products >= most {
			return false, nil
		}
		d.Progress(float64(from) / float64(d.wanted))
		d.steps++
		if err := d.inner.run(ctx, r, d.inner.iterations); err != nil {
			return false, err
		}
		if err := d.add(); err != nil {
			return false, err
		}
	}
}

// refresh adds a random block, smoothed by the inverse.
func (d *davidson) refresh(ctx context.Context, block []float64) error {
	normals(d.random, block, d.block, d.block)
	d.startFrom(d.block)
	d.clean(block)
	d.inner.sigma = 0
	if err := d.inner.run(ctx, block, firstInner); err != nil {
		return err
	}
	return d.add()
}

// clean takes from a block what lies along null vectors, so that it is in the range of A.
func (d *davidson) clean(block []float64) {
	if d.apart.size == 0 {
		return
	}
	null := along{q: &d.apart}
	null.measure(block, nil)
	d.own.strips(func(lo, hi int) { null.subtract(block, lo, hi) })
}

// front finds the first Ritz pair that has not converged, and writes the residuals from that one on to the next block.
func (d *davidson) front() (from int, r []float64) {
	d.due = nil
	// Pairs are known to have converged until their values change: then one was missed.
	for from < len(d.known) && d.known[from]-d.theta[from] <= foundAgain*d.norm {
		from++
	}
	d.known = d.known[:from]
	for {
		from = min(from, d.q.size-d.block)
		lengths := d.residuals(from, d.next)
		if from == 0 {
			// A Ritz value is above the eigenvalue by no more than the residual, unless that one is missing.
			d.inner.sigma = min(belowFirst*d.theta[0], d.theta[0]-2*lengths[0])
		}
		if d.inner.sigma = max(d.inner.sigma, 0); d.q.size < fewestBlocks*d.block {
			d.inner.sigma = 0
		}
		moved := 0
		for moved < d.block && from+moved < d.wanted && lengths[moved] <= d.aim {
			moved++
		}
		for at := len(d.known); at < from+moved; at++ {
			d.known = append(d.known, d.theta[at])
		}
		if from += moved; moved == 0 || from >= d.wanted || from > d.q.size-d.block {
			return from, d.next
		}
	}
}

// ritz solves the projected problem.
func (d *davidson) ritz() error {
	m := d.q.size
	d.s, d.theta = grown(d.s, m*m), grown(d.theta, m)
	for i := range m {
		for j := range i + 1 {
			v := d.t[i*d.room+j]
			d.s[i*m+j], d.s[j*m+i] = v, v
		}
	}
	if !finite(d.s) {
		return errVanished
	}
	return d.Kernels.SymEig(m, d.s, m, d.theta, new(blas.Work))
}

// residuals writes AX − XΘ of a block of Ritz pairs, from one on, and returns their lengths.
func (d *davidson) residuals(from int, r []float64) []float64 {
	m, b, pieces := d.q.size, d.block, d.q.used()
	tile := b * b
	values, images := make([]float64, pieces*tile), make([]float64, pieces*tile)
	for j := range b {
		for i, v := range d.s[(from+j)*m : (from+j+1)*m] {
			at := i/b*tile + i%b*b + j
			images[at], values[at] = -v, d.theta[from+j]*v
		}
	}
	sums := make([]float64, (d.n+basisStrip-1)/basisStrip*b)
	d.q.strips(func(lo, hi int) {
		to := r[lo*b : hi*b]
		clear(to)
		for p := range pieces {
			blas.SubtractRows(b, b, hi-lo, d.images.pieces[p][lo*b:], b, images[p*tile:], to, nil)
			blas.SubtractRows(b, b, hi-lo, d.q.pieces[p][lo*b:], b, values[p*tile:], to, nil)
		}
		sum := sums[lo/basisStrip*b:][:b]
		for at := 0; at < len(to); at += b {
			for l, v := range to[at : at+b] {
				sum[l] += v * v
			}
		}
	})
	lengths := make([]float64, b)
	for at, v := range sums {
		lengths[at%b] += v
	}
	for l, v := range lengths {
		lengths[l] = math.Sqrt(v)
	}
	return lengths
}

// contract makes the leading Ritz vectors the basis, once the projected problem is solved.
func (d *davidson) contract() {
	keep := min(max(d.keep, d.block), d.q.size)
	rows := d.s[:keep*d.q.size]
	d.q.rotate(rows, keep)
	d.images.rotate(rows, keep)
	clear(d.t)
	d.s, d.theta = d.s[:keep*keep], d.theta[:keep]
	clear(d.s)
	for j, v := range d.theta {
		d.t[j*d.room+j], d.s[j*keep+j] = v, 1
	}
}

// add makes the next block orthonormal to the basis and adds it, with its images. Columns that depend on others are replaced by random ones.
func (d *davidson) add() error {
	b := d.block
	lengths, coupling := make([]float64, b), make([]float64, b*b)
	width := 0
	for range redraws {
		d.removeLocal(0, -1, b, lengths)
		width = d.orthonormalize(b, lengths, coupling)
		if width = d.settle(-1, width, b, coupling); width == b {
			break
		}
		if d.due != nil {
			d.own.strips(d.due)
			d.due = nil
		}
		for at := 0; at < len(d.next); at += b {
			d.random.Normals(d.next[at+width : at+b])
		}
	}
	if width < b {
		return errVanished
	}
	first := d.q.size
	d.enter(b)
	image := d.images.piece()
	d.product(b, d.q.pieces[first/b], image)
	d.products += b
	d.images.size = d.q.size
	c := along{q: &d.q, c: d.measured}
	c.measure(image, nil)
	d.measured = c.c
	d.record(c.c, b, first)
	return nil
}

// correction applies about (A − σI)⁻¹ to a block of residuals.
type correction struct {
	*problem
	by         *sddm.Preconditioner
	work       sddm.Work
	iterations int
	sigma      float64
	products   int

	width                  int       // of the block
	x, z, direction, image []float64 // n × width
	partial                []float64
}

// correctionRows is the number of rows of a task and of a partial sum. It decides bits.
const correctionRows = 4096

func newCorrection(p *problem, by *sddm.Preconditioner, width int) correction {
	size := p.n * width
	return correction{problem: p, by: by, width: width, x: make([]float64, size), z: make([]float64, size), direction: make([]float64, size), image: make([]float64, size),
		partial: make([]float64, (p.n+correctionRows-1)/correctionRows*width)}
}

// run replaces the block by the result of a few iterations of conjugate gradients.
func (c *correction) run(ctx context.Context, block []float64, iterations int) error {
	b, r := c.width, block[:len(c.x)]
	slope, alpha, beta := make([]float64, b), make([]float64, b), make([]float64, b)
	for at := range iterations {
		if err := ctx.Err(); err != nil {
			return err
		}
		c.by.Apply(c.Threads, b, r, c.z, &c.work)
		next := c.sum(func(lo, hi int, sums []float64) { addProducts(r[lo*b:hi*b], c.z[lo*b:hi*b], sums) })
		for l := range beta {
			if beta[l] = 0; at > 0 && slope[l] > 0 {
				beta[l] = next[l] / slope[l]
			}
		}
		slope = next
		c.each(func(_, lo, hi int) {
			for i := lo * b; i < hi*b; i += b {
				p, z := c.direction[i:i+b], c.z[i:i+b]
				for l, t := range beta {
					p[l] = z[l] + float64(t*p[l])
				}
			}
		})
		c.product(b, c.direction, c.image)
		c.products += b
		curvatures := c.sum(func(lo, hi int, sums []float64) {
			p, y := c.direction[lo*b:hi*b], c.image[lo*b:hi*b]
			if c.sigma != 0 {
				blas.Axpy(-c.sigma, p, y)
			}
			addProducts(p, y, sums)
		})
		for l, curvature := range curvatures {
			alpha[l] = 0
			if curvature > 0 {
				alpha[l] = slope[l] / curvature
			} else if at == 0 {
				alpha[l] = 1 // σ is above the pair: the preconditioner alone
			}
		}
		c.each(func(_, lo, hi int) {
			if at == 0 {
				clear(c.x[lo*b : hi*b])
			}
			for i := lo * b; i < hi*b; i += b {
				x, r, p, y := c.x[i:i+b], r[i:i+b], c.direction[i:i+b], c.image[i:i+b]
				for l, a := range alpha {
					x[l] += float64(a * p[l])
					r[l] -= float64(a * y[l])
				}
			}
		})
	}
	c.each(func(_, lo, hi int) { copy(r[lo*b:hi*b], c.x[lo*b:hi*b]) })
	return nil
}

func (c *correction) each(do func(task, lo, hi int)) {
	// The context is asked once an iteration.
	_ = blas.For(context.Background(), c.Threads, c.n, correctionRows, func(_, lo, hi int) { do(lo/correctionRows, lo, hi) })
}

// sum adds what a function finds in the rows of each task, column by column.
func (c *correction) sum(of func(lo, hi int, sums []float64)) []float64 {
	b := c.width
	c.each(func(task, lo, hi int) {
		sums := c.partial[task*b : (task+1)*b]
		clear(sums)
		of(lo, hi, sums)
	})
	total := make([]float64, b)
	for at, v := range c.partial {
		total[at%b] += v
	}
	return total
}

// addProducts adds the inner products of the columns of two blocks.
func addProducts(x, y, sums []float64) {
	b := len(sums)
	for i := 0; i < len(x); i += b {
		u, v := x[i:i+b], y[i:i+b]
		for l, t := range u {
			sums[l] += float64(t * v[l])
		}
	}
}
