package align

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/vector"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/sparse"
)

// Projection is an eigenproblem over the features instead of the samples: find
// directions V, m × d, of small (or large, depending on the method) tr(VᵀQV) under
// VᵀBV = I. Coordinates are (X − mean)·V.
type Projection struct {
	Order int
	Q     []float64 // order × order, both triangles
	B     []float64 // the diagonal of B; nil: the identity
	Axes  []float64 // order × m, orthonormal: the axes of Q and B; nil: the features themselves
	Mean  []float64 // subtracted from the samples; nil: they are not centred
	Unit  run.Unit  // of the eigenvalues of (Q, B)
}

// Constraint selects the matrix B in the constraint VᵀBV = I of a linear projection, and the subspace
// of the problem.
type Constraint int

const (
	UnitInFeatures Constraint = iota // B = I, over all features, including null directions of the data
	UnitInRange                      // B = I, in the range of the centred samples
	SampleGram                       // B = XᵀX, in its range
	DegreeGram                       // B = XᵀDX, in its range; D is the diagonal of Φ
)

// Whitened returns B^−½QB^−½.
func (d *Projection) Whitened() []float64 {
	c := append([]float64(nil), d.Q...)
	if d.B == nil {
		return c
	}
	scale := make([]float64, d.Order)
	for i, b := range d.B {
		scale[i] = 1 / math.Sqrt(b)
	}
	for i := range d.Order {
		for j := range d.Order {
			// The product of both factors first, so that (i, j) and (j, i) are rounded equally.
			c[i*d.Order+j] *= scale[i] * scale[j]
		}
	}
	return c
}

// Unwhiten converts a vector of the whitened problem to one of the original problem.
func (d *Projection) Unwhiten(v []float64) {
	for i, b := range d.B {
		v[i] /= math.Sqrt(b)
	}
}

// Lift converts count vectors of the problem, in rows, to the columns of an m × count
// matrix over the features.
func (d *Projection) Lift(kernels *blas.Kernels, vectors []float64, count, m int) *mat.Dense {
	full := vectors
	if d.Axes != nil {
		full = make([]float64, count*m)
		kernels.Gemm(false, false, count, m, d.Order, 1, vectors, d.Order, d.Axes, m, 0, full, m)
	}
	projection := mat.NewDense(m, count, nil)
	for j := range count {
		v := full[j*m : (j+1)*m]
		vector.FixSign(v)
		projection.SetCol(j, v)
	}
	return projection
}

// Value returns aᵀQa.
func (d *Projection) Value(a []float64) float64 {
	var v float64
	for i, x := range a {
		v += x * blas.Dot(d.Q[i*d.Order:(i+1)*d.Order], a)
	}
	return v
}

// Bytes returns its memory.
func (d *Projection) Bytes() int64 { return numbers(d.Q, d.B, d.Axes, d.Mean) }

// ProjectedSum returns Q = XᵀΦX for the sum Φ of the patches: the alignment of
// linear embeddings Y = XV. Φ stays sparse. If there are more columns
// than samples, no m × m matrix is formed unless b requires all features.
//
// Φ maps constants to zero, so Q is the same for centred samples. It is computed from
// them, so a mean far from the origin costs no accuracy.
func ProjectedSum(b Constraint, dim int) Rule[*Projection] {
	return func(in Input) (*Projection, error) {
		if err := roomForProjection(in, b); err != nil {
			return nil, err
		}
		a, err := GraphTerm(in)
		if err != nil {
			return nil, err
		}
		warnOfLoose(in, a.Phi, "the projection")
		in.Run = in.Holding(a.Phi.Bytes())
		if err := roomForProjection(in, b); err != nil {
			return nil, err
		}
		defer in.Phase("alignment")()
		n, m := in.X.N(), in.X.M()
		centered := in.X.Centered(in.X.Mean()).Data()
		d := &Projection{Order: m}
		if b == UnitInFeatures || b == UnitInRange {
			d.Unit = run.Square
		}
		if b != UnitInFeatures {
			if err := restrict(in, d, b, a.Phi, centered, dim); err != nil {
				return nil, err
			}
		}
		in.CollectGarbage(numbersOf(n, m) + quadraticBytes(n, m, in.Threads())) // after releasing the memory used to find the range
		z := centered
		lifted := d.Axes != nil && n <= 2*m // cheaper than transforming Q by the axes afterwards
		if lifted {
			z = make([]float64, n*d.Order)
			in.Kernels().GemmParallel(in.Threads(), false, true, n, d.Order, m, 1, centered, m, d.Axes, m, 0, z, d.Order)
		}
		width := m
		if lifted {
			width = d.Order
		}
		if d.Q, err = quadratic(in.Run, a.Phi, z, width); err != nil {
			return nil, err
		}
		if d.Axes != nil && !lifted {
			d.Q = rotated(in.Run, d.Q, m, d.Axes, d.Order)
		}
		in.Explain("alignment: a projection problem of order %d", d.Order)
		return d, in.Err()
	}
}

// restrict finds the range of B, and B in it.
func restrict(in Input, d *Projection, b Constraint, phi *sparse.CSR, centered []float64, dim int) error {
	n, m := in.X.N(), in.X.M()
	rows := centered
	if b != UnitInRange {
		rows = in.X.Data()
	}
	if b == DegreeGram {
		rows = append([]float64(nil), rows...)
		for i := range n {
			blas.Scale(math.Sqrt(max(phi.At(i, i), 0)), rows[i*m:i*m+m])
		}
	}
	s, err := rangeOf(in.Run, rows, n, m)
	if err != nil {
		return err
	}
	in.Note("rank", s.Rank)
	switch {
	case s.Rank == 0 && b == DegreeGram && !vector.IsZero(in.X.Data()):
		return wording.Errorf("%s: all edges of the neighbour graph have weight 0; take a larger ‹t›, or other weights", in.Method())
	case s.Rank == 0:
		return fmt.Errorf("%s: all samples are equal; there is no direction to project them on", in.Method())
	case s.Rank < dim:
		return fmt.Errorf("%s: dim %d of data of rank %d; give at most %d", in.Method(), dim, s.Rank, s.Rank)
	}
	if s.Rank < m {
		in.Explain("alignment: restricted to the range of the data, rank %d of %d columns", s.Rank, m)
	}
	if b != UnitInRange {
		d.Order, d.Axes, d.B = s.Rank, s.Axes, s.Values
	} else if s.Rank < m {
		d.Order, d.Axes = s.Rank, s.Axes
	}
	return nil
}

// roomForProjection returns an error if the memory limit does not allow the centred samples
// and Φ times them, or the range of B, and the matrices of the order of the problem.
func roomForProjection(in Input, b Constraint) error {
	n, m := in.X.N(), in.X.M()
	need := quadraticBytes(n, m, in.Threads())
	if b != UnitInFeatures {
		order := min(n, m)
		span := spanBytes(n, m)
		if b == DegreeGram {
			span += numbersOf(n, m)
		}
		if n <= 2*m { // lifted
			need = numbersOf(n, order) + quadraticBytes(n, order, in.Threads())
		}
		need = max(span, numbersOf(order, m)+need)
		need = max(need, numbersOf(order, m)+numbersOf(order, order)+eigenBytes(order))
	}
	need += numbersOf(n, m)
	return in.Fit(need, fmt.Sprintf("%d × %d samples need", n, m), "for the projection: take fewer columns or landmarks, or raise the limit")
}

// rotated returns AQAᵀ for r rows A of length m.
func rotated(job *run.Run, q []float64, m int, axes []float64, r int) []float64 {
	half, out := make([]float64, r*m), make([]float64, r*r)
	job.Kernels().GemmParallel(job.Threads(), false, false, r, m, m, 1, axes, m, q, m, 0, half, m)
	job.Kernels().GemmParallel(job.Threads(), false, true, r, r, m, 1, half, m, axes, m, 0, out, r)
	vector.Mirror(out, r)
	return out
}

// spreadWidth is the number of columns that a sparse product handles at a time: as
// many as are fast while the columns stay in cache.
const spreadWidth = 16

// applied returns Φz for rows z of the given width.
func applied(job *run.Run, phi *sparse.CSR, z []float64, width int) ([]float64, error) {
	n := phi.Rows
	t := make([]float64, n*width)
	if width <= spreadWidth {
		// One panel, whose rows are divided among the workers.
		w := 4
		for w < width {
			w *= 2
		}
		x, y := make([]float64, n*w), make([]float64, n*w)
		copyPanel(n, width, x, w, z, width)
		phi.MulBlock(job.Threads(), w, x, y)
		copyPanel(n, width, t, width, y, w)
		return t, job.Err()
	}
	type scratch struct{ x, y []float64 }
	workers := make([]scratch, blas.Threads(job.Threads()))
	err := blas.For(job.Context(), job.Threads(), width, spreadWidth, func(w, lo, hi int) {
		s := &workers[w]
		if s.x == nil {
			s.x, s.y = make([]float64, n*spreadWidth), make([]float64, n*spreadWidth)
		}
		if hi-lo < spreadWidth {
			clear(s.x)
		}
		copyPanel(n, hi-lo, s.x, spreadWidth, z[lo:], width)
		blas.MulCSRBlock(spreadWidth, 0, n, phi.Ptr, phi.Col, phi.Val, s.x, s.y)
		copyPanel(n, hi-lo, t[lo:], width, s.y, spreadWidth)
	})
	return t, err
}

// copyPanel copies the leading columns of n rows from one stride to another.
func copyPanel(n, columns int, dst []float64, to int, src []float64, from int) {
	for i := range n {
		copy(dst[i*to:i*to+columns], src[i*from:i*from+columns])
	}
}

const (
	// upperPanel is the number of columns of a symmetric product computed at a time.
	upperPanel = 96
	// Up to slabColumns columns, more rows than slabRows are summed slab by slab.
	slabColumns, slabRows, slabRound = 256, 4096, 16
)

// quadraticBytes returns the peak memory of [quadratic] in addition to z and Φ.
func quadraticBytes(n, width, threads int) int64 {
	bytes := numbersOf(n, width) + numbersOf(width, width)
	if width <= spreadWidth {
		return bytes + 2*numbersOf(n, spreadWidth)
	}
	if width <= slabColumns && n > slabRows {
		bytes += slabRound * numbersOf(width, width)
	}
	return bytes + int64(blas.Threads(threads))*2*numbersOf(n, spreadWidth)
}

// quadratic returns zᵀΦz, both triangles. The bits do not depend on threads: panels of
// columns are computed separately, and sums over slabs of rows are added in order.
func quadratic(job *run.Run, phi *sparse.CSR, z []float64, width int) ([]float64, error) {
	t, err := applied(job, phi, z, width)
	if err != nil {
		return nil, err
	}
	n, q := phi.Rows, make([]float64, width*width)
	panel := func(rows, first, lo, hi int, c []float64) {
		job.Kernels().Gemm(true, false, hi, hi-lo, rows, 1, z[first*width:], width, t[first*width+lo:], width, 0, c[lo:], width)
	}
	if width > slabColumns || n <= slabRows {
		err = blas.For(job.Context(), job.Threads(), width, upperPanel, func(_, lo, hi int) { panel(n, 0, lo, hi, q) })
		vector.Mirror(q, width)
		return q, err
	}
	partial := make([]float64, slabRound*width*width)
	for from := 0; from < n; from += slabRound * slabRows {
		count := min(slabRound, (n-from+slabRows-1)/slabRows)
		err := blas.For(job.Context(), job.Threads(), count, 1, func(_, s, _ int) {
			first := from + s*slabRows
			for lo := 0; lo < width; lo += upperPanel {
				panel(min(slabRows, n-first), first, lo, min(lo+upperPanel, width), partial[s*width*width:(s+1)*width*width])
			}
		})
		if err != nil {
			return nil, err
		}
		for s := range count {
			blas.Axpy(1, partial[s*width*width:(s+1)*width*width], q)
		}
	}
	vector.Mirror(q, width)
	return q, nil
}
