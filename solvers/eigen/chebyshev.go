package eigen

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
)

const (
	// filterDegree is the degree of the Chebyshev filter.
	filterDegree = 20
	// redraws bounds how often a row that vanishes is drawn: one is enough unless a number is not finite.
	redraws = 10
)

// filterWidth is the number of vectors that are filtered for the sake of those
// wanted: the further ones set the edge of the filter.
func filterWidth(wanted int) int { return wanted + max(8, wanted/5) }

// chebyshev is subspace iteration with a Chebyshev filter (Zhou, Saad, Tiago,
// Chelikowsky 2006): a block of vectors is multiplied by a polynomial in A that
// is small on the unwanted part [a, β] of the spectrum and grows fast below it,
// made orthonormal, and rotated to its Ritz vectors; a follows the largest Ritz
// value.
func (p *problem) chebyshev(ctx context.Context, beta float64, most int) (*Eigen, error) {
	n, null := p.n, len(p.null)
	width := min(filterWidth(p.wanted), n-null)
	c := &filtered{problem: p, width: width, columns: make([]float64, 3*n*width), rows: make([]float64, width*n), image: make([]float64, width*n)}
	random := blas.NewStream(p.Seed)
	random.Normals(c.rows)
	for j, v := range p.start[:min(width, len(p.start))] {
		copy(c.rows[j*n:], v)
	}
	if err := c.rotate(random); err != nil {
		return nil, err
	}
	e := &Eigen{Products: width}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		found := c.converged(p.wanted, beta)
		p.Progress(float64(found) / float64(p.wanted))
		if e.Converged = found == p.wanted; e.Converged || e.Products >= most {
			break
		}
		edge := c.values[width-1]
		c.filter(min(edge, beta*(1-1e-3)), beta)
		if err := c.rotate(random); err != nil {
			return nil, err
		}
		e.Products += (filterDegree + 1) * width
	}
	for j := range p.wanted {
		e.Values = append(e.Values, c.values[j])
		e.Vectors = append(e.Vectors, c.rows[j*n:j*n+n])
	}
	return e, nil
}

// filtered is the block of a Chebyshev iteration: its vectors as rows, and their
// images under A.
type filtered struct {
	*problem
	width       int
	rows, image []float64
	columns     []float64 // three n × width blocks
	values      []float64 // Ritz values, ascending
}

// filter replaces the block by T_m((A − cI)/e)·block for the interval c ± e.
func (f *filtered) filter(low, high float64) {
	n, w := f.n, f.width
	size := n * w
	before, now, next := f.columns[:size], f.columns[size:2*size], f.columns[2*size:]
	center, half := (low+high)/2, (high-low)/2
	toColumns(f.rows, w, n, before)
	step := func(x, minus, out []float64, scale float64) { // out = scale·(A − c)x − minus
		f.product(w, x, out)
		for i, v := range x {
			out[i] = scale * (out[i] - center*v)
		}
		if minus != nil {
			blas.Axpy(-1, minus, out)
		}
	}
	step(before, nil, now, 1/half)
	for range filterDegree - 1 {
		step(now, before, next, 2/half)
		before, now, next = now, next, before
	}
	toRows(now, w, n, f.rows)
}

// rotate makes the block orthonormal and turns it to its Ritz vectors.
func (f *filtered) rotate(random *blas.Stream) error {
	n, w := f.n, f.width
	f.orthonormalize(random)
	f.multiply()
	h, values := make([]float64, w*w), make([]float64, w)
	f.Kernels.Gemm(false, true, w, w, n, 1, f.rows, n, f.image, n, 0, h, w)
	for i := range w {
		for j := range i {
			h[i*w+j] = (h[i*w+j] + h[j*w+i]) / 2
			h[j*w+i] = h[i*w+j]
		}
	}
	if err := f.Kernels.SymEig(w, h, w, values, new(blas.Work)); err != nil {
		return err
	}
	turned := make([]float64, w*n)
	f.Kernels.Gemm(false, false, w, n, w, 1, h, w, f.rows, n, 0, turned, n)
	f.rows, turned = turned, f.rows
	f.Kernels.Gemm(false, false, w, n, w, 1, h, w, f.image, n, 0, turned, n)
	f.image, f.values = turned, values
	return nil
}

// orthonormalise is modified Gram–Schmidt against the null vectors and among the
// rows, twice; a row that vanishes is drawn again.
func (f *filtered) orthonormalize(random *blas.Stream) {
	n := f.n
	for j := range f.width {
		v := f.rows[j*n : j*n+n]
		for range redraws {
			before := math.Sqrt(blas.Dot(v, v))
			blas.Orthogonalize(f.null, v)
			blas.OrthogonalizeRows(f.rows[:j*n], v)
			if norm := math.Sqrt(blas.Dot(v, v)); norm > 1e-12*before {
				blas.Scale(1/norm, v)
				break
			}
			random.Normals(v)
		}
	}
}

// multiply computes the images of the rows under A.
func (f *filtered) multiply() {
	n, w := f.n, f.width
	x, y := f.columns[:n*w], f.columns[n*w:2*n*w]
	toColumns(f.rows, w, n, x)
	f.product(w, x, y)
	toRows(y, w, n, f.image)
}

// converged counts the leading pairs whose residual is small enough; the pair
// behind the last one asked for need only be known roughly.
func (f *filtered) converged(wanted int, beta float64) int {
	n := f.n
	r := make([]float64, n)
	for j := range wanted {
		copy(r, f.image[j*n:j*n+n])
		blas.Axpy(-f.values[j], f.rows[j*n:j*n+n], r)
		tolerance := f.toleranceOr(productTolerance)
		if j >= f.count {
			tolerance = max(tolerance, nextTolerance)
		}
		if !(math.Sqrt(blas.Dot(r, r)) <= tolerance*beta) {
			return j
		}
	}
	return wanted
}
