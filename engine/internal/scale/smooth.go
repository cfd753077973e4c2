package scale

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers/orderstat"
)

// Smooth moves samples near a surface of d dimensions onto it by fitting planes to k
// neighbours. With k = 0 it uses the number that [Find] returns; if that is not certain, nothing is
// moved and the smoother is nil.
func Smooth(ctx context.Context, x neighbors.Points, d, k int, s Settings, progress func(more int)) (z []float64, by *Smoother, found Found, err error) {
	f, err := newSurface(ctx, x, d, s)
	if err != nil {
		return nil, nil, found, err
	}
	if k == 0 {
		if found, err = f.find(ctx); err != nil || !found.Certain {
			return nil, nil, found, err
		}
		k = found.Neighbors
	}
	found.Neighbors = k
	if by, err = f.smoother(ctx, k); err != nil {
		return nil, nil, found, err
	}
	z = make([]float64, x.N*x.M)
	// In the order of the tree, so that successive searches are close to each other.
	return z, by, found, by.apply(ctx, x, f.near.Number, z, progress)
}

const (
	blockPlaces = 256 // samples that a worker moves at a time
	// minNeighbors is the fewest neighbours that the guard against other sheets leaves.
	minNeighbors = 12
	// doubtful is the multiple of the typical variance off the planes above which the guard looks.
	doubtful = 3.0
	// narrower is the factor by which halving the neighbours must reduce the share off the plane.
	narrower = 1.5
	// densest bounds the factor by which k differs from the typical in dense or sparse regions.
	densest = 4.0
	// lonely is the multiple of the typical squared radius beyond which a sample may lie off all sheets.
	lonely = 3.0
	// landings is the largest number of nearest samples tried as a landing place.
	landings = 12
	// rough is the noise, relative to the squared radius of an embedding's neighbours, above which a
	// second pass is needed.
	rough = 0.15
)

// Smoother moves samples to planes fitted to the kept samples.
type Smoother struct {
	Settings
	kept    neighbors.Points // the samples that planes are fitted to
	near    *neighbors.UnorderedIndex
	basis   []float64 // see surface
	center  []float64
	d, k    int     // k counts kept samples
	typical float64 // median variance off the planes
	radius  float64 // median squared radius of the k nearest
	passes  int     // after the first
}

// smoother returns a smoother by planes of k of all samples.
func (f *surface) smoother(ctx context.Context, k int) (*Smoother, error) {
	step := max((k+maxNeighbors/2)/maxNeighbors, 1)
	s := &Smoother{Settings: f.Settings, basis: f.basis, center: f.center, d: f.d, k: max(k/step, f.d+2)}
	if step == 1 {
		s.kept, s.near = f.low, f.near
	} else {
		s.kept = f.every(step)
		s.near = f.among(s.kept)
	}
	return s, s.measure(ctx, step)
}

// measure finds the typical variance off the planes and the typical radius.
func (s *Smoother) measure(ctx context.Context, step int) error {
	n := s.near.N()
	count := min(n, centersFew)
	off, radius := make([]float64, count), make([]float64, count)
	workers := make([]*plane, blas.Threads(s.Threads))
	err := blas.For(ctx, s.Threads, count, 16, func(w, lo, hi int) {
		if workers[w] == nil {
			workers[w] = newPlane(s.near, s.kept.M, s.d, s.Kernels)
		}
		for c := lo; c < hi; c++ {
			p := workers[w]
			p.fit(s.near.At(c*n/count), s.k)
			off[c], radius[c] = p.off, p.last
		}
	})
	if err != nil {
		return err
	}
	s.typical, s.radius = orderstat.LowerMedian(off), orderstat.LowerMedian(radius)
	s.passes = 1
	// The squared radius of 12 neighbours among all samples, as an embedding uses.
	spacing := s.radius * math.Pow(12/float64(s.k*step), 2/float64(s.d))
	if s.typical > rough*float64(s.kept.M-s.d)*spacing {
		s.passes = 2
	}
	return nil
}

// mover is the workspace of one worker.
type mover struct {
	*plane
	by    *Smoother
	from  []float64
	axes  []float64 // of the previous plane
	z     []float64
	low   []float64
	order []ranked
	reach float64 // squared distance of the k-th nearest, before the guard
}

func (s *Smoother) mover() *mover {
	m := s.kept.M
	return &mover{plane: newPlane(s.near, m, s.d, s.Kernels), by: s, axes: make([]float64, s.d*m), z: make([]float64, m), from: make([]float64, m), low: make([]float64, m)}
}

// moved moves a sample twice. The first ball is centred at the original sample, the second near the
// surface, so that samples close in the surface share their neighbours.
func (o *mover) moved(x []float64) []float64 {
	copy(o.z, x)
	k := o.guarded(o.z)
	if o.reach > lonely*o.by.radius {
		o.land(x, o.reach)
		k = o.guarded(o.z)
	}
	// In dense regions the best radius holds more samples: k ~ density^(4/(4+d)).
	if o.last > 0 && k == o.by.k {
		by := math.Pow(o.by.radius/o.last, float64(o.d)*2/float64(4+o.d))
		k = int(float64(k)*min(max(by, 1/densest), densest) + 0.5)
		k = min(max(k, min(minNeighbors, o.by.k)), o.by.near.N())
	}
	variance := max(o.off, o.by.typical)
	copy(o.axes, o.plane.axes)
	o.move(o.z)
	o.near(o.z, k)
	for pass := 1; ; pass++ {
		if variance > 0 {
			o.trim(o.axes, variance, o.z)
		}
		o.solve(o.z)
		o.move(o.z)
		if pass == o.by.passes {
			return o.z
		}
		copy(o.axes, o.plane.axes)
		o.near(o.z, k)
	}
}

// guarded fits the plane at a sample, to fewer than k neighbours if the fit shows that the
// others lie on another sheet.
func (o *mover) guarded(z []float64) int {
	k := o.by.k
	o.fit(z, k)
	o.reach = o.last
	if o.off <= doubtful*o.by.typical {
		return k
	}
	for k/2 >= minNeighbors {
		share := o.off / o.all
		o.fit(z, k/2)
		if !(share > narrower*o.off/o.all) {
			o.fit(z, k)
			break
		}
		k /= 2
	}
	return k
}

// Apply moves the rows of x, in blocks, and writes them to out. Rows are independent of each other.
func (s *Smoother) Apply(ctx context.Context, x neighbors.Points, out []float64, progress func(more int)) error {
	return s.apply(ctx, x, func(at int) int { return at }, out, progress)
}

// apply is Apply in a given order: row(i) is the i-th row to move.
func (s *Smoother) apply(ctx context.Context, x neighbors.Points, row func(at int) int, out []float64, progress func(more int)) error {
	workers := make([]*mover, blas.Threads(s.Threads))
	return blas.For(ctx, s.Threads, x.N, blockPlaces, func(w, lo, hi int) {
		if workers[w] == nil {
			workers[w] = s.mover()
		}
		for at := lo; at < hi; at++ {
			i := row(at)
			s.one(workers[w], x.Row(i), out[i*x.M:(i+1)*x.M])
		}
		progress(hi - lo)
	})
}

// one moves a sample of all columns.
func (s *Smoother) one(o *mover, x, out []float64) {
	if s.basis == nil {
		copy(out, o.moved(x))
		return
	}
	m := len(x)
	low := o.low
	for a := range low {
		low[a] = 0
		for j, v := range s.basis[a*m : (a+1)*m] {
			low[a] += v * (x[j] - s.center[j])
		}
	}
	copy(out, s.center)
	for a, v := range o.moved(low) {
		blas.Axpy(v, s.basis[a*m:(a+1)*m], out)
	}
}

// land brings a sample that lies off all sheets to one: to its projection on the plane at the
// nearest sample that is much less isolated. Without such a sample it stays. A plane of the
// sample's own neighbours would lie between the sheets.
func (o *mover) land(x []float64, far float64) {
	k := min(landings+1, o.by.near.N())
	o.search.Nearest(x, k)
	o.order = ordered(o.order[:0], o.search)
	for _, c := range o.order {
		at := o.by.near.At(int(c.place))
		o.fit(at, o.by.k)
		if c.square == 0 || far < lonely*o.last {
			continue
		}
		for j, v := range x {
			o.from[j] = v - at[j]
		}
		along, length := o.scratch[:o.d], 0.0
		for a := range along {
			along[a] = blas.Dot(o.plane.axes[a*o.m:(a+1)*o.m], o.from[:o.m])
			length += along[a] * along[a]
		}
		if c.square-length <= 4*max(o.off, o.by.typical) {
			return // it is on the plane: at a corner, or in a sparse region
		}
		copy(o.z, at)
		// Beyond the rim of a sheet the plane is unreliable.
		by := min(1, math.Sqrt(o.last/max(length, math.SmallestNonzeroFloat64))/4)
		for a, v := range along {
			blas.Axpy(by*v, o.plane.axes[a*o.m:(a+1)*o.m], o.z)
		}
		return
	}
}

// Parts are the components of a smoother, for models.
type Parts struct {
	Kept          neighbors.Points // the samples that planes are fitted to
	Basis, Center []float64        // p × m principal components, and the mean; nil: all columns are used
	Dim           int
	Neighbors     int     // of a plane
	Variance      float64 // typical variance off the planes
	Radius        float64 // typical squared radius of the neighbours
	Passes        int     // after the first
}

// Parts returns the components of the smoother. Slices are shared.
func (s *Smoother) Parts() Parts {
	return Parts{s.kept, s.basis, s.center, s.d, s.k, s.typical, s.radius, s.passes}
}

// Smoother rebuilds a smoother from its parts.
func (p Parts) Smoother(s Settings) (*Smoother, error) {
	m := p.Kept.M
	if p.Dim < 1 || p.Dim >= m || p.Neighbors < p.Dim+2 || p.Neighbors > p.Kept.N || p.Passes < 1 || p.Variance < 0 || p.Radius < 0 {
		return nil, fmt.Errorf("planes of %d dimensions among %d of %d × %d samples cannot be", p.Dim, p.Neighbors, p.Kept.N, m)
	}
	f := &surface{Settings: s, basis: p.Basis}
	return &Smoother{Settings: s, kept: p.Kept, near: f.among(p.Kept), basis: p.Basis, center: p.Center,
		d: p.Dim, k: p.Neighbors, typical: p.Variance, radius: p.Radius, passes: p.Passes}, nil
}

// Bytes returns the peak memory of [Smooth] in addition to n × m samples: the moved samples,
// the tree, and the same again for thinned samples.
func Bytes(n, m int) int64 {
	rows, low := int64(n), int64(min(m, MaxColumns))
	size := 8*rows*int64(m) + 2*(8*rows*low+16*rows)
	if m > treeColumns {
		size += 2 * 8 * rows * treeColumns
	}
	if m > MaxColumns {
		size += 8*rows*low + 8*principalRows*int64(m)
	}
	return size + 16<<20
}
