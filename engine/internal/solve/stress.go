package solve

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/vector"
	"github.com/orthant-go/orthant/solvers/eigen"
	"github.com/orthant-go/orthant/solvers/smacof"
	"github.com/orthant-go/orthant/sparse"
)

// Stress is the solve of metric and non-metric scaling: coordinates of the least stress, by majorisation.
type Stress struct {
	Dim    int
	Init   string // classical or random
	Starts int    // the first as Init says, the others random
	smacof.Options
}

// Scaled is the solution of [Stress] with the function of the dissimilarities that it approximates.
type Scaled struct {
	*Solution
	Curve smacof.Curve // without corners: the dissimilarities themselves
}

// Coordinates is the rule.
func (r Stress) Coordinates(in Input, d *align.Dissimilar) (*Scaled, error) {
	n := in.X.N()
	o := r.Options
	o.Kernels, o.Threads = in.Kernels(), in.Threads()
	bytes := o.Bytes(d.Pairs, r.Dim)
	if err := in.Fit(max(bytes, r.startBytes(d)), fmt.Sprintf("the scaling of %d samples needs", n), "embed landmarks and place the others by them (‹landmarks=M›), take fewer samples, or raise the limit"); err != nil {
		return nil, err
	}
	starts := r.Starts
	if in.Start != nil {
		starts = 1
	}
	in.Explain("solve: at most %d iterations of %d samples in %d columns, from %d start(s)", o.Iterations, n, r.Dim, starts)
	progress, objective := in.Iterating("solve", starts*o.Iterations)
	random := blas.NewStream(in.Seed())
	best := &Scaled{}
	var ends []float64
	for start := range starts {
		y, err := r.start(in, d, start, random)
		if err != nil {
			return nil, err
		}
		o.Progress = func(iteration int, stress1 float64) {
			objective(stress1)
			progress(float64(start*o.Iterations+iteration) / float64(starts*o.Iterations))
		}
		found, err := smacof.Minimize(in.Context(), d.Pairs, y, o)
		if err != nil {
			return nil, in.WrapMemoryError(err)
		}
		last := found.Stress1[len(found.Stress1)-1]
		if ends = append(ends, last); best.Solution == nil || last < best.Objective[len(best.Objective)-1] {
			best.Curve = found.Curve
			best.Solution = &Solution{Y: y, Next: math.NaN(), Angle: math.NaN(), KKT: math.NaN(), Converged: found.Converged, Iterations: found.Iterations, Objective: found.Stress1}
		}
	}
	in.Note("stress_1", best.Objective[len(best.Objective)-1])
	if starts > 1 {
		in.Note("stress_1_of_starts", ends)
	}
	return best, onPrincipalAxes(in, best.Y)
}

// startBytes returns the memory of a classical start.
func (r Stress) startBytes(d *align.Dissimilar) int64 {
	n := int64(d.N)
	switch {
	case r.Init == "random":
		return 0
	case d.Ptr == nil:
		return eigen.UpperBytes(n) + 64*n*int64(r.Dim)
	}
	return 48*int64(len(d.Delta)) + 16*n*pivots + 8*blas.PathLanes*n*int64(blas.Threads(r.Threads))
}

// start returns the initial coordinates.
func (r Stress) start(in Input, d *align.Dissimilar, start int, random *blas.Stream) (*mat.Dense, error) {
	if in.Start != nil {
		return given(in, r.Dim)
	}
	y := mat.NewDense(d.N, r.Dim, nil)
	if start > 0 || r.Init == "random" {
		random.Normals(y.RawMatrix().Data)
		return y, nil
	}
	var err error
	if d.Ptr == nil {
		y, err = classicalStart(in, d, r.Dim)
	} else {
		err = pivotStart(in, d, y)
	}
	if err != nil {
		return nil, err
	}
	r.fillColumns(y, random)
	return y, in.Err()
}

// emptyColumn is the standard deviation, relative to the largest coordinate, that columns of 0 of a start get. Otherwise they
// would stay 0.
const emptyColumn = 1e-2

func (r Stress) fillColumns(y *mat.Dense, random *blas.Stream) {
	n, dim := y.Dims()
	size := max(mat.Max(y), -mat.Min(y))
	column := make([]float64, n)
	for c := range dim {
		if mat.Col(column, c, y); size > 0 && vector.IsZero(column) {
			random.Normals(column)
			blas.Scale(emptyColumn*size, column)
			y.SetCol(c, column)
		}
	}
}

// classicalStart is classical scaling of all dissimilarities.
func classicalStart(in Input, d *align.Dissimilar, dim int) (*mat.Dense, error) {
	squares := eigen.NewUpper(d.N)
	at := 0
	row := make([]float64, d.N)
	for i := range d.N {
		for j := i + 1; j < d.N; j++ {
			row[j] = d.Delta[at] * d.Delta[at]
			at++
		}
		squares.Set(i, i+1, row[i+1:])
	}
	squares.Mirror()
	within := in
	within.Run = in.Within()
	found, err := ClassicalScaling(dim)(within, &align.Geodesic{Squares: squares})
	if err != nil {
		return nil, err
	}
	return found.Y, nil
}

// pivots is the number of samples from which distances lead to all others for the start where some are unknown.
const pivots = 128

// pivotStart writes classical scaling of the lengths of shortest paths through the known dissimilarities, from some of the samples
// to all (pivot scaling; Brandes and Pich 2007).
func pivotStart(in Input, d *align.Dissimilar, y *mat.Dense) error {
	n, count := d.N, min(pivots, d.N)
	_, dim := y.Dims()
	paths, err := sparse.NewPaths(in.Context(), d.Matrix(func(at int) float64 { return d.Delta[at] }, false), count)
	if err != nil {
		return err
	}
	random := blas.NewStream(in.Seed())
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	for i := range count {
		j := i + random.Below(n-i)
		order[i], order[j] = order[j], order[i]
	}
	c := make([]float64, n*count) // squares of lengths by sample
	err = paths.Search(in.Context(), in.Threads(), count, nil,
		func(q int, reach func(int, float64)) { reach(int(paths.Place()[order[q]]), 0) },
		func(_, lo, hi int, length []float64) {
			for v, i := range paths.Order() {
				for q := lo; q < hi; q++ {
					l := length[v*blas.PathLanes+q-lo]
					c[int(i)*count+q] = l * l
				}
			}
		})
	if err != nil {
		return err
	}
	mean := make([]float64, count)
	for i := range n {
		blas.Axpy(1/float64(n), c[i*count:(i+1)*count], mean)
	}
	all := vector.Sum(mean) / float64(count)
	for i := range n {
		row := c[i*count : (i+1)*count]
		own := vector.Sum(row) / float64(count)
		for q := range row {
			row[q] = -0.5 * (row[q] - own - mean[q] + all)
		}
	}
	kernels := in.Kernels()
	s, w := make([]float64, count*count), make([]float64, count)
	kernels.Gemm(true, false, count, count, n, 1, c, count, c, count, 0, s, count)
	if err := kernels.SymEig(count, s, count, w, new(blas.Work)); err != nil {
		return err
	}
	column := make([]float64, n)
	for k := range min(dim, count) {
		value := w[count-1-k]
		if !(value > w[count-1]*0x1p-40) {
			break
		}
		kernels.Gemv(false, n, count, 1/math.Sqrt(math.Sqrt(value)), c, count, s[(count-1-k)*count:(count-k)*count], 0, column)
		y.SetCol(k, column)
	}
	return nil
}

// onPrincipalAxes rotates centred coordinates to their principal axes, the largest first. Stress determines them up to a rotation.
func onPrincipalAxes(in Input, y *mat.Dense) error {
	n, dim := y.Dims()
	raw := y.RawMatrix()
	kernels := in.Kernels()
	s, w := make([]float64, dim*dim), make([]float64, dim)
	kernels.Gemm(true, false, dim, dim, n, 1, raw.Data, raw.Stride, raw.Data, raw.Stride, 0, s, dim)
	if err := kernels.SymEig(dim, s, dim, w, new(blas.Work)); err != nil {
		return err
	}
	var turned mat.Dense
	axes := mat.NewDense(dim, dim, nil)
	for k := range dim {
		axes.SetCol(k, s[(dim-1-k)*dim:(dim-k)*dim])
	}
	turned.Mul(y, axes)
	column := make([]float64, n)
	for k := range dim {
		if mat.Col(column, k, &turned); vector.Dominant(column) < 0 {
			blas.Scale(-1, column)
		}
		y.SetCol(k, column)
	}
	return in.Err()
}

// ties are the treatments by name.
var ties = map[string]smacof.Ties{"primary": smacof.Primary, "secondary": smacof.Secondary}

// TiesNamed returns the treatment of ties with the given name; empty: primary.
func TiesNamed(name string) smacof.Ties { return ties[cmp.Or(name, "primary")] }
