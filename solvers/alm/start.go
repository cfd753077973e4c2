package alm

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// Beginning is where an iteration starts.
type Beginning struct {
	Norm                   float64   // the spectral norm of the data before they were divided by it
	Indicators, Components []float64 // as in [Options], of the data divided by Norm
	Filled                 int       // columns of G that the data do not determine
}

// filling is the size of the entries of columns that no singular pair determines.
const filling = 1e-3

// Start divides the n × m data x, in place, by their spectral norm, which puts the loss
// and the graph term on one scale and keeps the data from outweighing H in the step
// of G, and finds the start of rank c: NNDSVD without fill (Boutsidis and Gallopoulos
// 2008).
//
// Where c exceeds min(n, m), or the number of singular values that are more than
// rounding, the columns of G left over get 1e-3 at every so-many-th sample, each at
// samples of its own, and no components: without them N would be singular, and the
// step of G arbitrary. Data of zeros are left as they are, with norm 1.
//
// For data with negative entries the start is that of the data less their least
// entry, with the F that fits it best.
func Start(ctx context.Context, n, m int, x []float64, c int, o Options) (*Beginning, error) {
	if c < 1 || c > n {
		return nil, fmt.Errorf("alm: rank %d for %d samples; give a number from 1 to %d", c, n, n)
	}
	if err := check(n, m, x); err != nil {
		return nil, err
	}
	if o.Kernels == nil {
		var err error
		if o.Kernels, err = blas.Select(""); err != nil {
			return nil, err
		}
	}
	least := 0.0
	for _, v := range x {
		least = min(least, v)
	}
	with := nmf.Options{Kernels: o.Kernels, Threads: o.Threads, Seed: 1}
	rank := min(c, n, m)
	begin := &Beginning{Norm: 1, Indicators: make([]float64, n*c), Components: make([]float64, c*m)}
	from := x
	if least < 0 {
		_, _, values, err := nmf.SVDStart(ctx, nmf.Dense(n, m, x), 1, with)
		if err != nil {
			return nil, err
		}
		begin.scale(values[0], x)
		from = make([]float64, len(x))
		for i, v := range x {
			from[i] = v - least/begin.Norm
		}
	}
	g, f, values, err := nmf.SVDStart(ctx, nmf.Dense(n, m, from), rank, with)
	if err != nil {
		return nil, err
	}
	root := 1.0
	if least >= 0 {
		begin.scale(values[0], x)
		root = 1 / math.Sqrt(begin.Norm)
	}
	sure := 0
	for sure < rank && values[sure] > float64(max(n, m))*0x1p-52*values[0] {
		sure++
	}
	for i := range n {
		for k := range sure {
			begin.Indicators[i*c+k] = root * g[i*rank+k]
		}
	}
	copy(begin.Components, f[:sure*m])
	blas.Scale(root, begin.Components)
	begin.fill(n, c, sure)
	if least < 0 {
		return begin, begin.fit(ctx, n, m, x, c, o)
	}
	return begin, nil
}

// scale divides the data by their largest singular value.
func (b *Beginning) scale(largest float64, x []float64) {
	if largest > tiny {
		b.Norm = largest
		for i := range x {
			x[i] /= largest
		}
	}
}

// fill sets the columns of G from the sure-th on.
func (b *Beginning) fill(n, c, sure int) {
	b.Filled = c - sure
	for i := range n {
		if b.Filled > 0 {
			b.Indicators[i*c+sure+i%b.Filled] = filling
		}
	}
}

// fit replaces F by the one that is best for G.
func (b *Beginning) fit(ctx context.Context, n, m int, x []float64, c int, o Options) error {
	o.Rank, o.Indicators, o.Components = c, b.Indicators, b.Components
	o, err := o.filled(n, m)
	if err != nil {
		return err
	}
	s := newState(n, m, x, o)
	copy(s.a, x)
	err = blas.For(ctx, s.threads, s.chunks, 1, func(_, at, _ int) {
		lo, hi := s.rows(at)
		s.kernels.Gemm(true, false, c, m, hi-lo, 1, s.g[lo*c:], c, s.a[lo*m:], m, 0, s.share[at], m)
	})
	if err == nil {
		err = s.stepComponents(ctx)
	}
	copy(b.Components, s.f)
	return err
}

// check refuses data of the wrong size, or that are not finite.
func check(n, m int, x []float64) error {
	if n < 2 || m < 1 || len(x) != n*m {
		return fmt.Errorf("alm: %d numbers are no %d × %d data; give at least 2 samples and 1 column", len(x), n, m)
	}
	var squares float64
	for at, v := range x {
		if v-v != 0 {
			return fmt.Errorf("alm: row %d, column %d (counting from 1) is %v; remove or fill in what is not finite", at/m+1, at%m+1, v)
		}
		squares += v * v
	}
	if squares-squares != 0 {
		return fmt.Errorf("alm: the squares of the data overflow; scale the data down")
	}
	return nil
}
