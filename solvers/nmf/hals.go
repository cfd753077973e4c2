package nmf

import (
	"context"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

const (
	// Gillis and Glineur 2012: sweeps cost at most half of what the products do, and
	// end when one moves the factor by less than a tenth of the first.
	sweepShare  = 0.5
	sweepSettle = 0.1
	// New samples are encoded until a sweep moves them by less than so much of the first.
	encodeSettle = 1e-12
	// Ang and Gillis 2019, section 3.3: the momentum β, and how it grows, is limited and
	// shrinks.
	momentumStart, momentumGrows, momentumLimitGrows, momentumShrinks = 0.5, 1.01, 1.005, 1.5
)

// coordinateDescent is hierarchical alternating least squares (Cichocki and Phan
// 2009): the rows of C, and then the columns of Y, are minimised over in turn.
// The products with the data are those of the multiplicative rule and cost far
// more than a sweep, so that several sweeps share them.
type coordinateDescent struct {
	*core
	sweepsC, sweepsY int     // at most
	settle           float64 // of Y
	graph            *coupled
	extrapolate      bool
	beta, limit      float64   // the momentum and its limit
	bestY, bestC     []float64 // the factors that were minimised over, without momentum
	error            float64   // of the iteration before
	panels           []panelScratch
}

// panelScratch is what a worker needs to sweep over a block of rows of Y.
type panelScratch struct{ y, num, t []float64 }

func newHALS(c *core, g *graphTerm, o Options) *coordinateDescent {
	u := &coordinateDescent{core: c, graph: newCoupled(g), settle: sweepSettle, extrapolate: o.Extrapolate, beta: momentumStart, limit: 1, error: math.Inf(1)}
	u.sweepsC, u.sweepsY = o.Sweeps, o.Sweeps
	if o.Sweeps == 0 {
		entries := float64(c.n) * float64(c.m)
		if c.data.Sparse != nil {
			entries = float64(c.data.Sparse.NNZ())
		}
		most := func(rows, others int) int {
			products := entries*float64(c.r) + float64(others)*float64(c.r*c.r)
			return int(1 + sweepShare*(1+products/(float64(rows)*float64(c.r)*float64(c.r+1))))
		}
		u.sweepsC, u.sweepsY = most(c.m, c.n), most(c.n, c.m)
	}
	size := max(c.block, c.columns)
	for range max(len(c.scratch), c.workers) {
		u.panels = append(u.panels, panelScratch{make([]float64, c.block*c.r), make([]float64, c.block*c.r), make([]float64, size)})
	}
	return u
}

func (u *coordinateDescent) prepare(ctx context.Context) error {
	for _, x := range [][]float64{u.y, u.c} {
		for i, v := range x {
			x[i] = max(v, denominator)
		}
	}
	u.componentsChanged()
	if u.extrapolate {
		u.bestY, u.bestC = slices.Clone(u.y), slices.Clone(u.c)
	}
	return u.sumCoordinates(ctx)
}

// sumCoordinates computes YᵀD and YᵀY.
func (u *coordinateDescent) sumCoordinates(ctx context.Context) error {
	if u.data.Sparse != nil {
		return u.sumSparse(ctx)
	}
	return u.pass(ctx, u.accumulate)
}

func (u *coordinateDescent) accumulate(_ *scratch, lo, hi int, sum *shares) {
	m, r, rows := u.m, u.r, hi-lo
	y := u.y[lo*r : hi*r]
	u.kernels.Gemm(true, false, r, m, rows, 1, y, r, u.rows(lo, hi), m, sum.beta, sum.num, m)
	u.kernels.Gemm(true, false, r, r, rows, 1, y, r, y, r, 1, sum.gram, r)
}

func (u *coordinateDescent) step(ctx context.Context, _ int, _ bool) error {
	err := blas.For(ctx, u.threads, u.m, u.columns, func(worker, lo, hi int) {
		u.sweep(hi-lo, u.c[lo:], u.m, u.share.num[lo:], u.m, u.share.gram, u.sweepsC, sweepSettle, u.panels[worker].t)
	})
	if err != nil {
		return err
	}
	u.componentsChanged()
	momentum := 0.0
	if u.extrapolate {
		momentum = u.adapt()
		u.beyond(u.c, u.bestC, momentum)
		u.componentsChanged()
	}
	if u.graph != nil {
		if err := u.graph.step(ctx, u.sweepsY); err != nil {
			return err
		}
		return u.sumCoordinates(ctx)
	}
	rows := func(worker, lo, hi int) {
		u.sweepRows(worker, lo, hi)
		if u.extrapolate {
			u.beyond(u.y[lo*u.r:hi*u.r], u.bestY[lo*u.r:hi*u.r], momentum)
		}
	}
	if u.data.Sparse != nil {
		if err := blas.For(ctx, u.threads, u.n, u.block, rows); err != nil {
			return err
		}
		return u.sumSparse(ctx)
	}
	return u.passes(ctx, func(worker int, s *scratch, lo, hi int, sum *shares) {
		rows(worker, lo, hi)
		u.accumulate(s, lo, hi, sum)
	})
}

// adapt measures the new components with the extrapolated coordinates, whose
// products are at hand, and sets the momentum: none for an iteration that went
// up.
func (u *coordinateDescent) adapt() float64 {
	before := u.error
	u.error = u.gramResidual()
	if u.error > before {
		u.limit, u.beta = u.beta, u.beta/momentumShrinks
		return 0
	}
	now := u.beta
	u.beta, u.limit = min(u.limit, momentumGrows*u.beta), min(1, momentumLimitGrows*u.limit)
	return now
}

// beyond moves x, just minimised over, on by momentum times its way from the
// last, and remembers it as it was.
func (u *coordinateDescent) beyond(x, last []float64, momentum float64) {
	for i, v := range x {
		x[i] = max(denominator, v+momentum*(v-last[i]))
		last[i] = v
	}
}

// sweepRows minimises over a block of rows of Y, turned so that its columns are
// contiguous.
func (u *coordinateDescent) sweepRows(worker, lo, hi int) {
	r, rows := u.r, hi-lo
	s, p := &u.scratch[worker], &u.panels[worker]
	num := s.num[:rows*r]
	u.dataProducts(lo, hi, num)
	y := u.y[lo*r : hi*r]
	turn(rows, r, num, p.num)
	turn(rows, r, y, p.y)
	u.sweep(rows, p.y, rows, p.num, rows, u.gramC, u.sweepsY, u.settle, p.t)
	turn(r, rows, p.y, y)
}

// turn writes the transpose of a rows × cols matrix.
func turn(rows, cols int, from, to []float64) {
	for i := range rows {
		for j, v := range from[i*cols : (i+1)*cols] {
			to[j*rows+i] = v
		}
	}
}

// sweep lowers ½ tr(XᵀGX) − tr(NᵀX) over the rows of the r × width matrix X in
// turn, entries ≥ 1e-16, until a sweep moves X by little, at most so many times.
func (c *core) sweep(width int, x []float64, ldx int, num []float64, ldn int, gram []float64, most int, settle float64, t []float64) {
	r := c.r
	t = t[:width]
	var first float64
	for sweep := range most {
		var moved float64
		for k := range r {
			copy(t, num[k*ldn:k*ldn+width])
			c.kernels.Gemv(true, r, width, -1, x, ldx, gram[k*r:(k+1)*r], 1, t)
			f := 1 / max(gram[k*r+k], denominator)
			row := x[k*ldx : k*ldx+width]
			for j, v := range t {
				old := row[j]
				now := max(denominator, old+v*f)
				moved += (now - old) * (now - old)
				row[j] = now
			}
		}
		if sweep == 0 {
			first = moved
		}
		if moved <= settle*settle*first {
			break
		}
	}
}

func (u *coordinateDescent) point(ctx context.Context) (Point, error) {
	squares := u.gramResidual()
	if u.extrapolate {
		var err error
		if squares, err = u.plainResidual(ctx); err != nil {
			return Point{}, err
		}
	}
	var reg float64
	if u.graph != nil {
		if err := u.graph.apply(ctx); err != nil {
			return Point{}, err
		}
		reg = u.graph.value()
	}
	return Point{Objective: squares + reg, Surrogate: squares + reg, Residual: u.relative(squares), Regulariser: reg}, nil
}

// plainResidual is ‖D − YC‖² of the factors without momentum. It costs half the
// products of an iteration.
func (u *coordinateDescent) plainResidual(ctx context.Context) (float64, error) {
	r := u.r
	w := make([]float64, u.m*r)
	turn(r, u.m, u.bestC, w)
	inner := make([]float64, (u.n+u.block-1)/u.block)
	err := blas.For(ctx, u.threads, u.n, u.block, func(worker, lo, hi int) {
		num := u.scratch[worker].num[:(hi-lo)*r]
		if u.data.Sparse != nil {
			times(u.data.Sparse, r, lo, hi, w, num)
		} else {
			u.kernels.Gemm(false, false, hi-lo, r, u.m, 1, u.rows(lo, hi), u.m, w, r, 0, num, r)
		}
		inner[lo/u.block] = blas.Dot(num, u.bestY[lo*r:hi*r])
	})
	total := u.figures.squares
	for _, v := range inner {
		total -= 2 * v
	}
	a, b := make([]float64, r*r), make([]float64, r*r)
	u.crossGram(u.n, u.bestY, u.bestY, a)
	u.crossGram(u.m, w, w, b)
	return max(0, total+blas.Dot(a, b)), err
}

func (u *coordinateDescent) plan() string {
	return "Gram forms as for multiplicative updates, with sweeps over each factor between the products"
}

func (u *coordinateDescent) normalised() { u.normalise(nil) }

// finish leaves the momentum behind.
func (u *coordinateDescent) finish() {
	if u.extrapolate {
		copy(u.y, u.bestY)
		copy(u.c, u.bestC)
	}
}
