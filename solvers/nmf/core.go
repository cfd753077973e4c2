package nmf

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
)

const (
	// tileNumbers bounds the data of a block of rows: half a MiB (a quarter where
	// weighted copies stand beside them), so that all stays in the second-level cache.
	tileNumbers = 1 << 16
	// blockUnit divides the rows of a block: the heights of the tallest tiles of the
	// products, 14 and 6 rows, leave little over.
	blockUnit = 14
	// mostChunks is the number of chunks of rows, the unit of parallel work.
	mostChunks = 16
)

// core is the factors of one run and what its passes over the data share.
type core struct {
	data          Data
	n, m, r       int
	figures       figures
	kernels       *blas.Kernels
	threads       int
	workers       int // threads there can be at most
	seed          uint64
	codesFirst    bool      // the order of the half steps
	floor         float64   // of the denominators of the squared error
	y             []float64 // n × r
	c             []float64 // r × m
	w             []float64 // Cᵀ, m × r, kept beside C for the products D·Cᵀ
	block, chunk  int       // rows; chunk is a multiple of block
	gramC         []float64 // C·Cᵀ
	share         shares    // what the last pass summed, for the step of C
	partial       []shares  // of each chunk
	scratch       []scratch // of each worker
	columns       int       // of a chunk of columns in the step of C
	width         int       // of the numerators (and denominators) of C that are summed
	denominatorsC []float64 // r × m
}

// scratch is the memory of one worker.
type scratch struct {
	tile     []float64 // block × 2m: [D∘P YC∘P]
	row      []float64 // m
	model    []float64 // block × m: YC
	num, den []float64 // block × r
	products []float64 // 2·block × r
	weighted []float64 // block × r
	weights  []float64 // block
}

// newCore lays out a run. wide is set where the step of C sums a denominator for
// every entry beside the numerator; tiles is the number of block × m tiles that a
// worker needs.
func newCore(d Data, o Options, f figures, wide bool, tiles int) *core {
	c := &core{data: d, n: d.Rows, m: d.Cols, r: o.Rank, figures: f, kernels: o.Kernels, threads: o.Threads, seed: o.Seed,
		codesFirst: o.Order == CodesFirst, floor: denominator}
	if c.codesFirst {
		c.floor = codesDenominator
	}
	c.workers = blas.Threads(o.Threads)
	c.layout(wide)
	n, m, r := c.n, c.m, c.r
	c.y, c.c, c.w = make([]float64, n*r), make([]float64, r*m), make([]float64, m*r)
	c.gramC = make([]float64, r*r)
	chunks := (n + c.chunk - 1) / c.chunk
	c.share = newShares(m, r, wide)
	for range chunks {
		c.partial = append(c.partial, newShares(m, r, wide))
	}
	c.columns = max(64, (m/mostChunks+7)/8*8)
	c.width = len(c.share.num) / r
	for range min(c.workers, max(chunks, (n+c.block-1)/c.block)) {
		s := scratch{num: make([]float64, c.block*r), den: make([]float64, c.block*r), weighted: make([]float64, c.block*r),
			products: make([]float64, 2*c.block*r), weights: make([]float64, c.block)}
		if tiles > 0 {
			s.model = make([]float64, c.block*m)
		}
		if tiles > 1 {
			s.tile, s.row = make([]float64, (tiles-1)*c.block*m), make([]float64, m)
		}
		c.scratch = append(c.scratch, s)
	}
	return c
}

// layout cuts the rows. It depends on the shape alone.
func (c *core) layout(wide bool) {
	numbers := tileNumbers
	if wide {
		numbers /= 2
	}
	c.block = min(c.n, max(1, min(4, numbers/c.m/blockUnit))*blockUnit)
	// A chunk has sums of r × m to itself; there are few where that would weigh.
	chunks := max(2, min(mostChunks, c.n/c.r))
	rows := (c.n + chunks - 1) / chunks
	c.chunk = (rows + c.block - 1) / c.block * c.block
}

// rows is a block of the dense data.
func (c *core) rows(lo, hi int) []float64 { return c.data.Dense[lo*c.m : hi*c.m] }

// modelRows computes the rows of YC.
func (c *core) modelRows(lo, hi int, to []float64) {
	c.kernels.Gemm(false, false, hi-lo, c.m, c.r, 1, c.y[lo*c.r:], c.r, c.c, c.m, 0, to, c.m)
}

// componentsChanged brings Cᵀ and CCᵀ up to date with C.
func (c *core) componentsChanged() {
	m, r := c.m, c.r
	_ = blas.For(context.Background(), c.threads, m, c.columns, func(_, lo, hi int) {
		for k := range r {
			row := c.c[k*m : (k+1)*m]
			for j := lo; j < hi; j++ {
				c.w[j*r+k] = row[j]
			}
		}
	})
	c.kernels.SyrkParallel(c.threads, true, r, m, 1, c.w, r, 0, c.gramC, r)
	mirror(r, c.gramC)
}

// mirror copies the upper triangle to the lower.
func mirror(r int, g []float64) {
	for k := range r {
		for l := range k {
			g[k*r+l] = g[l*r+k]
		}
	}
}

// stepComponents is the multiplicative step C ← C ∘ num/den.
func (c *core) stepComponents(num, den []float64, ld int) {
	_ = blas.For(context.Background(), c.threads, c.r, 1, func(_, k, _ int) {
		blas.MultiplyRatios(c.c[k*c.m:(k+1)*c.m], c.floor, vanished, num[k*ld:k*ld+c.m], den[k*ld:k*ld+c.m])
	})
	c.componentsChanged()
}

// gramDenominators is (YᵀY)·C.
func (c *core) gramDenominators() []float64 {
	if c.denominatorsC == nil {
		c.denominatorsC = make([]float64, c.r*c.m)
	}
	c.kernels.GemmParallel(c.threads, false, false, c.r, c.m, c.r, 1, c.share.gram, c.r, c.c, c.m, 0, c.denominatorsC, c.m)
	return c.denominatorsC
}

// gramResidual is ‖D − YC‖² from the Gram matrices, for shares of the present Y.
func (c *core) gramResidual() float64 {
	return max(0, c.figures.squares-2*blas.Dot(c.share.num[:c.r*c.m], c.c)+blas.Dot(c.share.gram, c.gramC))
}

// relative is ‖E‖/‖D‖ for ‖E‖².
func (c *core) relative(squares float64) float64 {
	if c.figures.squares == 0 {
		return 0
	}
	return math.Sqrt(squares / c.figures.squares)
}

// norms are the lengths of the components; 1 for one that is zero.
func (c *core) norms() []float64 {
	norms := make([]float64, c.r)
	for k := range norms {
		row := c.c[k*c.m : (k+1)*c.m]
		norms[k] = math.Sqrt(blas.Dot(row, row))
		if !(norms[k] > 0) {
			norms[k] = 1
		}
	}
	return norms
}

// normalise scales the components to unit length and the coordinates against
// them, and all that was summed with the coordinates.
func (c *core) normalise(g *graphTerm) {
	norms := c.norms()
	for k, s := range norms {
		blas.Scale(1/s, c.c[k*c.m:(k+1)*c.m])
		blas.Scale(s, c.share.num[k*c.width:(k+1)*c.width])
		c.share.sums[k] *= s
		for l, t := range norms {
			c.share.gram[k*c.r+l] *= s * t
		}
	}
	panels := [][]float64{c.y}
	if g != nil {
		panels = append(panels, g.plus, g.minus)
	}
	for _, p := range panels {
		for i := 0; i < len(p); i += c.r {
			for k, s := range norms {
				p[i+k] *= s
			}
		}
	}
	c.componentsChanged()
}

func (c *core) finish() {}
