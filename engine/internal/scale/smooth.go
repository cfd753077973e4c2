package scale

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers/orderstat"
)

// Smooth moves samples near a surface of d dimensions onto it. Planes are fitted to k
// neighbours; 0: to as many as [Find] says, and nothing is moved where it is not certain.
// The smoother is nil then.
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
	// In the order of the tree, so that neighbours are looked for one after the other.
	return z, by, found, by.apply(ctx, x, f.near.Number, z, progress)
}

const (
	blockPlaces = 256 // samples that a worker moves at a time
	// leastNeighbors bounds what the guard against other sheets leaves of a neighbourhood.
	leastNeighbors = 12
	// doubtful, times the typical variance off the planes, has the guard look.
	doubtful = 3.0
	// narrower planes are taken while half the neighbours have so much smaller a share off them.
	narrower = 1.5
	// densest bounds by how much k differs from the typical where samples are dense or rare.
	densest = 4.0
	// lonely, times the typical squared radius, is that of a sample that may lie off all sheets.
	lonely = 3.0
	// landings are this many of its nearest samples at most.
	landings = 12
	// rough, times the squared radius of an embedding's neighbours, is noise of which a second
	// ball leaves too much.
	rough = 0.15
)

// Smoother moves samples to the planes of samples that are kept.
type Smoother struct {
	Settings
	kept    neighbors.Points // the samples that planes are fitted to
	near    *neighbors.Surroundings
	basis   []float64 // see surface
	center  []float64
	d, k    int     // k of those that are kept
	typical float64 // variance off the planes: the median
	radius  float64 // squared, of the k nearest: the median
	passes  int     // behind the first
}

// smoother makes ready to smooth by planes of k of all samples.
func (f *surface) smoother(ctx context.Context, k int) (*Smoother, error) {
	step := max((k+mostNeighbors/2)/mostNeighbors, 1)
	s := &Smoother{Settings: f.Settings, basis: f.basis, center: f.center, d: f.d, k: max(k/step, f.d+2)}
	if step == 1 {
		s.kept, s.near = f.low, f.near
	} else {
		s.kept = f.every(step)
		s.near = f.among(s.kept)
	}
	return s, s.measure(ctx, step)
}

// measure finds the typical variance off the planes and their typical radius.
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
	// The squared radius of 12 of all samples: neighbours of an embedding.
	spacing := s.radius * math.Pow(12/float64(s.k*step), 2/float64(s.d))
	if s.typical > rough*float64(s.kept.M-s.d)*spacing {
		s.passes = 2
	}
	return nil
}

// mover is one worker's memory.
type mover struct {
	*plane
	by    *Smoother
	from  []float64
	axes  []float64 // of the plane before
	z     []float64
	low   []float64
	order []ranked
	reach float64 // squared distance of the k-th nearest, before the guard
}

func (s *Smoother) mover() *mover {
	m := s.kept.M
	return &mover{plane: newPlane(s.near, m, s.d, s.Kernels), by: s, axes: make([]float64, s.d*m), z: make([]float64, m), from: make([]float64, m), low: make([]float64, m)}
}

// moved moves a sample twice: the first ball is around a sample that strays, the second
// around one that hardly does, so that neighbours in the surface share theirs.
func (o *mover) moved(x []float64) []float64 {
	copy(o.z, x)
	k := o.guarded(o.z)
	if o.reach > lonely*o.by.radius {
		o.land(x, o.reach)
		k = o.guarded(o.z)
	}
	// Where samples are dense, more of them are within the radius that is best:
	// k ~ density^(4/(4+d)).
	if o.last > 0 && k == o.by.k {
		by := math.Pow(o.by.radius/o.last, float64(o.d)*2/float64(4+o.d))
		k = int(float64(k)*min(max(by, 1/densest), densest) + 0.5)
		k = min(max(k, min(leastNeighbors, o.by.k)), o.by.near.N())
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

// guarded fits the plane at a sample to fewer than k neighbours where that shows that the
// others lie on another sheet.
func (o *mover) guarded(z []float64) int {
	k := o.by.k
	o.fit(z, k)
	o.reach = o.last
	if o.off <= doubtful*o.by.typical {
		return k
	}
	for k/2 >= leastNeighbors {
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

// Apply moves the rows of x, in blocks, and writes them to out. A row does not depend on the
// others.
func (s *Smoother) Apply(ctx context.Context, x neighbors.Points, out []float64, progress func(more int)) error {
	return s.apply(ctx, x, func(at int) int { return at }, out, progress)
}

// apply is Apply in an order: row has the number of the row that is the next but this many.
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

// land brings a sample that lies off all sheets to one: to its foot on the plane at the
// nearest sample that is much less lonely. Without one it stays. A plane of its own nearest would lie between the
// sheets.
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
			return // it is on the plane: of a corner, or of a place with few samples
		}
		copy(o.z, at)
		// Beyond the rim of a sheet the plane says nothing.
		by := min(1, math.Sqrt(o.last/max(length, math.SmallestNonzeroFloat64))/4)
		for a, v := range along {
			blas.Axpy(by*v, o.plane.axes[a*o.m:(a+1)*o.m], o.z)
		}
		return
	}
}

// Parts are what a smoother is made of, for models.
type Parts struct {
	Kept          neighbors.Points // the samples that planes are fitted to
	Basis, Center []float64        // p × m components of them, and the mean; nil: all columns count
	Dim           int
	Neighbors     int     // of a plane
	Variance      float64 // off the planes: the typical
	Radius        float64 // squared, of the neighbours: the typical
	Passes        int     // behind the first
}

// Parts takes the smoother apart. Slices are shared.
func (s *Smoother) Parts() Parts {
	return Parts{s.kept, s.basis, s.center, s.d, s.k, s.typical, s.radius, s.passes}
}

// Smoother puts it together again, among the same samples in the same order.
func (p Parts) Smoother(s Settings) (*Smoother, error) {
	m := p.Kept.M
	if p.Dim < 1 || p.Dim >= m || p.Neighbors < p.Dim+2 || p.Neighbors > p.Kept.N || p.Passes < 1 || p.Variance < 0 || p.Radius < 0 {
		return nil, fmt.Errorf("planes of %d dimensions among %d of %d × %d samples cannot be", p.Dim, p.Neighbors, p.Kept.N, m)
	}
	f := &surface{Settings: s, basis: p.Basis}
	return &Smoother{Settings: s, kept: p.Kept, near: f.among(p.Kept), basis: p.Basis, center: p.Center,
		d: p.Dim, k: p.Neighbors, typical: p.Variance, radius: p.Radius, passes: p.Passes}, nil
}

// Bytes is the most memory that [Smooth] takes in addition to n × m samples: those that are moved,
// the tree, and as much again of samples that are thinned out.
func Bytes(n, m int) int64 {
	rows, low := int64(n), int64(min(m, MostColumns))
	size := 8*rows*int64(m) + 2*(8*rows*low+16*rows)
	if m > treeColumns {
		size += 2 * 8 * rows * treeColumns
	}
	if m > MostColumns {
		size += 8*rows*low + 8*principalRows*int64(m)
	}
	return size + 16<<20
}
