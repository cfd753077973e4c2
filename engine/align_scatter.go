package engine

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// scatter is the problem of discriminants in the range of the scatter within the
// classes.
type scatter struct {
	mean   []float64     // of the samples, m
	within *denseProblem // S_w, diagonal in its own axes; it has no q
	means  []float64     // classes × order: those of the classes less the mean, times √n_c, whitened by S_w
	count  int           // classes
}

// withinFloor: scatter within the classes below this share of the whole is that of
// the rounding of their means.
const withinFloor = 1e-26

// classScatter finds the axes of the scatter within the classes and, in them, the
// means of the classes.
func classScatter(p *problem, _ patchRule) (*alignment, error) {
	defer p.clock.Phase("alignment")()
	n, m := p.x.N, p.x.M
	of, sizes := classes(p.labels)
	if err := p.checkClasses(sizes); err != nil {
		return nil, err
	}
	s := &scatter{mean: meanOf(p.x), count: len(sizes)}
	rows := centredRows(p.x, s.mean)
	whole := blas.Dot(rows, rows)
	means := takeMeans(rows, m, of, sizes)
	r, err := p.rangeOf(rows, n, m)
	switch {
	case err != nil:
		return nil, err
	case whole == 0:
		return nil, fmt.Errorf("%s: all samples are equal; there is nothing to tell classes apart by", p.name)
	case r.rank == 0 || r.values[0] <= withinFloor*whole:
		return nil, fmt.Errorf("%s: the samples of each class are equal, so that there is no scatter within the classes; no discriminant is needed to tell them apart", p.name)
	case r.rank < p.dim:
		return nil, fmt.Errorf("%s: dim %d where the scatter within the classes has rank %d; give at most %d", p.name, p.dim, r.rank, r.rank)
	}
	for c, size := range sizes {
		blas.Scale(math.Sqrt(float64(size)), means[c*m:(c+1)*m])
	}
	s.means = make([]float64, s.count*r.rank)
	p.kernels.GemmParallel(p.options.Threads, false, true, s.count, r.rank, m, 1, means, m, r.axes, m, 0, s.means, r.rank)
	s.within = &denseProblem{order: r.rank, b: r.values, axes: r.axes}
	for c := range s.count {
		s.within.unwhiten(s.means[c*r.rank : (c+1)*r.rank])
	}
	p.details["classes"], p.details["rank"] = s.count, r.rank
	p.explain("alignment: %d classes in the %d axes of the scatter within them", s.count, r.rank)
	return &alignment{scatter: s}, p.ctx.Err()
}

// checkClasses refuses classes that leave nothing to find.
func (p *problem) checkClasses(sizes []int) error {
	switch c := len(sizes); {
	case c < 2:
		return fmt.Errorf("%s: all samples are of one class; give labels of at least 2", p.name)
	case c == p.x.N:
		return fmt.Errorf("%s: every sample is a class of its own, so that there is no scatter within the classes; give labels that repeat", p.name)
	case p.dim > c-1:
		return fmt.Errorf("%s: dim %d of %d classes, whose means differ in %d direction(s); give at most %d", p.name, p.dim, c, c-1, c-1)
	}
	return nil
}

// takeMeans subtracts from the rows the means of their classes, and returns those.
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
