package align

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// Scatter is the problem of discriminant analysis in the range of the scatter within the
// classes.
type Scatter struct {
	Mean   []float64   // of the samples, m
	Within *Projection // S_w, diagonal in its own axes; its Q is nil
	Means  []float64   // classes × order: class means minus the mean, times √n_c, whitened by S_w
	Count  int         // number of classes
}

// withinFloor: scatter within the classes below this share of the total is due to
// the rounding of the means.
const withinFloor = 1e-26

// ClassScatter returns the rule that finds the axes of the scatter within the classes and, in them, the
// means of the classes, for dim directions.
func ClassScatter(dim int) Rule[*Scatter] {
	return func(in Input) (*Scatter, error) { return classScatter(in, dim) }
}

func classScatter(in Input, dim int) (*Scatter, error) {
	defer in.Phase("alignment")()
	n, m := in.X.N(), in.X.M()
	if err := roomForDense(in, numbersOf(n, m)+spanBytes(n, m)); err != nil {
		return nil, err
	}
	of, sizes := in.X.Classes()
	if err := checkClasses(in, sizes, dim); err != nil {
		return nil, err
	}
	s := &Scatter{Mean: in.X.Mean(), Count: len(sizes)}
	rows := in.X.Centered(s.Mean).Data()
	whole := blas.Dot(rows, rows)
	means := takeMeans(rows, m, of, sizes)
	r, err := rangeOf(in.Run, rows, n, m)
	switch {
	case err != nil:
		return nil, err
	case whole == 0:
		return nil, fmt.Errorf("%s: all samples are equal; nothing separates the classes", in.Method())
	case r.Rank == 0 || r.Values[0] <= withinFloor*whole:
		return nil, fmt.Errorf("%s: the samples of each class are equal, so that there is no scatter within the classes; no discriminant is needed to separate them", in.Method())
	case r.Rank < dim:
		return nil, fmt.Errorf("%s: dim %d where the scatter within the classes has rank %d; give at most %d", in.Method(), dim, r.Rank, r.Rank)
	}
	for c, size := range sizes {
		blas.Scale(math.Sqrt(float64(size)), means[c*m:(c+1)*m])
	}
	s.Means = make([]float64, s.Count*r.Rank)
	in.Kernels().GemmParallel(in.Threads(), false, true, s.Count, r.Rank, m, 1, means, m, r.Axes, m, 0, s.Means, r.Rank)
	s.Within = &Projection{Order: r.Rank, B: r.Values, Axes: r.Axes}
	for c := range s.Count {
		s.Within.Unwhiten(s.Means[c*r.Rank : (c+1)*r.Rank])
	}
	in.Note("classes", s.Count)
	in.Note("rank", r.Rank)
	in.Explain("alignment: %d classes in the %d axes of the scatter within them", s.Count, r.Rank)
	return s, in.Err()
}

// checkClasses returns an error for classes without discriminant directions.
func checkClasses(in Input, sizes []int, dim int) error {
	switch c := len(sizes); {
	case c < 2:
		return fmt.Errorf("%s: all samples are of one class; give labels of at least 2", in.Method())
	case c == in.X.N():
		return fmt.Errorf("%s: every sample is a class of its own, so that there is no scatter within the classes; give labels that repeat", in.Method())
	case dim > c-1:
		return fmt.Errorf("%s: dim %d of %d classes, whose means differ in %d direction(s); give at most %d", in.Method(), dim, c, c-1, c-1)
	}
	return nil
}

// takeMeans subtracts the class means from the rows, and returns the means.
func takeMeans(rows []float64, width int, of, sizes []int) []float64 {
	means := make([]float64, len(sizes)*width)
	for i, c := range of {
		blas.Axpy(1/float64(sizes[c]), rows[i*width:(i+1)*width], means[c*width:(c+1)*width])
	}
	for i, c := range of {
		blas.Axpy(-1, means[c*width:(c+1)*width], rows[i*width:(i+1)*width])
	}
	return means
}

// Bytes returns its memory.
func (s *Scatter) Bytes() int64 { return numbers(s.Mean, s.Means) + s.Within.Bytes() }
