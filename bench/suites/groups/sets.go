package groups

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// set draws samples whose groups are known.
type set struct {
	name, title   string
	n             int
	size, samples int     // min_cluster_size and min_samples
	least         float64 // the ARI that hdbscan must have
	timed         bool
	large         bool // programs that would take hours are left out
	fill          func(p *pen)
}

// takes reports whether a program is run on the set.
func (s *set) takes(p *program) bool {
	switch {
	case p.name == plain:
		return !s.timed
	case p.timed:
		return s.timed && (p.fast || !s.large)
	}
	return p.fast || !s.large
}

// drawn are samples with their true groups; −1 is noise.
type drawn struct {
	x      *mat.Dense
	labels []int64
}

// count returns the number of groups.
func (d *drawn) count() int {
	var largest int64 = -1
	for _, l := range d.labels {
		largest = max(largest, l)
	}
	return int(largest) + 1
}

// pen draws a set.
type pen struct {
	rng     *blas.Stream
	n       int // samples that the set will have
	columns int
	rows    []float64
	labels  []int64
}

func (s *set) draw() *drawn {
	p := &pen{rng: blas.NewStream(uint64(len(s.name)) + 40), n: s.n, columns: 2}
	s.fill(p)
	return &drawn{x: mat.NewDense(len(p.labels), p.columns, p.rows), labels: p.labels}
}

func (p *pen) add(label int64, at ...float64) {
	p.rows, p.labels = append(p.rows, at...), append(p.labels, label)
}

// share is a number of samples.
func (p *pen) share(of float64) int { return int(of * float64(p.n)) }

// blob draws a round group, stretched along one direction.
func (p *pen) blob(label int64, count int, x, y, sd, stretch, angle float64) {
	var z [2]float64
	for range count {
		p.rng.Normals(z[:])
		u, v := z[0]*sd*stretch, z[1]*sd
		p.add(label, x+u*math.Cos(angle)-v*math.Sin(angle), y+u*math.Sin(angle)+v*math.Cos(angle))
	}
}

// curve draws a group about a curve.
func (p *pen) curve(label int64, count int, sd float64, point func(t float64) (x, y float64)) {
	var z [2]float64
	for range count {
		x, y := point(p.rng.Uniform())
		p.rng.Normals(z[:])
		p.add(label, x+sd*z[0], y+sd*z[1])
	}
}

// noise draws samples of no group in a box.
func (p *pen) noise(count int, low, high float64) {
	for range count {
		p.add(-1, low+(high-low)*p.rng.Uniform(), low+(high-low)*p.rng.Uniform())
	}
}

func ring(radius float64) func(float64) (float64, float64) {
	return func(t float64) (float64, float64) {
		return radius * math.Cos(2*math.Pi*t), radius * math.Sin(2*math.Pi*t)
	}
}

func segment(x0, y0, x1, y1 float64) func(float64) (float64, float64) {
	return func(t float64) (float64, float64) { return x0 + t*(x1-x0), y0 + t*(y1-y0) }
}

func (p *pen) moons(first int64, count int, sd float64) {
	p.curve(first, count, sd, func(t float64) (float64, float64) { return math.Cos(math.Pi * t), math.Sin(math.Pi * t) })
	p.curve(first+1, count, sd, func(t float64) (float64, float64) { return 1 - math.Cos(math.Pi*t), 0.5 - math.Sin(math.Pi*t) })
}

// clusters draws clusters of different spread in a cube, and noise.
func (p *pen) clusters(count int, side, spread, noisy float64) {
	center, row := make([]float64, count*p.columns), make([]float64, p.columns)
	p.rng.Uniforms(center)
	within := p.n - p.share(noisy)
	for i := range p.n {
		if i >= within {
			p.rng.Uniforms(row)
			for j := range row {
				row[j] *= side
			}
			p.add(-1, row...)
			continue
		}
		c := i % count
		p.rng.Normals(row)
		for j := range row {
			row[j] = side*center[c*p.columns+j] + row[j]*(1+(spread-1)*float64(c)/float64(count))
		}
		p.add(int64(c), row...)
	}
}

func ten(noisy float64) func(*pen) {
	return func(p *pen) { p.columns = 10; p.clusters(10, 20, 2, noisy) }
}

var sets = []set{
	{name: "moons", title: "two moons", n: 800, size: 15, samples: 10, least: 0.8, fill: func(p *pen) { p.moons(0, p.n/2, 0.08) }},
	{name: "rings", title: "two rings, one in the other", n: 900, size: 15, samples: 8, least: 0.8, fill: func(p *pen) {
		p.curve(0, p.share(0.35), 0.06, ring(1))
		p.curve(1, p.share(0.65), 0.06, ring(2))
	}},
	{name: "ring-blob", title: "a round group in a ring", n: 800, size: 15, samples: 8, least: 0.8, fill: func(p *pen) {
		p.blob(0, p.share(0.4), 0, 0, 0.35, 1, 0)
		p.curve(1, p.share(0.6), 0.08, ring(2))
	}},
	{name: "spirals", title: "three spirals", n: 1200, size: 15, samples: 5, least: 0.8, fill: func(p *pen) {
		for arm := range 3 {
			p.curve(int64(arm), p.n/3, 0.05, func(t float64) (float64, float64) {
				a := 1.5*math.Pi*math.Sqrt(t) + 2*math.Pi*float64(arm)/3
				r := 0.4 + 3*math.Sqrt(t)
				return r * math.Cos(a), r * math.Sin(a)
			})
		}
	}},
	{name: "segments", title: "four parallel segments", n: 1000, size: 15, samples: 8, least: 0.8, fill: func(p *pen) {
		for s := range 4 {
			p.curve(int64(s), p.n/4, 0.08, segment(0, float64(s), 6, float64(s)+1))
		}
	}},
	{name: "stretched", title: "three stretched groups", n: 900, size: 20, samples: 10, least: 0.8, fill: func(p *pen) {
		for c := range 3 {
			p.blob(int64(c), p.n/3, 0, 3*float64(c), 0.35, 6, 0.6)
		}
	}},
	{name: "spreads", title: "three groups of different spread", n: 900, size: 20, samples: 10, least: 0.8, fill: func(p *pen) {
		p.blob(0, p.n/3, 0, 0, 0.2, 1, 0)
		p.blob(1, p.n/3, 4, 0, 0.6, 1, 0)
		p.blob(2, p.n/3, 1, 6, 1.2, 1, 0)
	}},
	{name: "sizes", title: "groups of 700, 150 and 50 samples", n: 900, size: 15, samples: 10, least: 0.8, fill: func(p *pen) {
		p.blob(0, 700, 0, 0, 1, 1, 0)
		p.blob(1, 150, 6, 0, 0.5, 1, 0)
		p.blob(2, 50, 4, 5, 0.3, 1, 0)
	}},
	{name: "among-noise", title: "five groups, a quarter is noise", n: 1200, size: 20, samples: 10, least: 0.75, fill: func(p *pen) {
		for c := range 5 {
			p.blob(int64(c), p.share(0.15), 3*math.Cos(1.2566*float64(c)), 3*math.Sin(1.2566*float64(c)), 0.3, 1, 0)
		}
		p.noise(p.share(0.25), -5, 5)
	}},
	{name: "densities", title: "a dense and a sparse group among noise", n: 1000, size: 30, samples: 15, least: 0.8, fill: func(p *pen) {
		p.blob(0, p.share(0.4), -2, 0, 0.25, 1, 0)
		p.blob(1, p.share(0.5), 3, 0, 1, 1, 0)
		p.noise(p.share(0.1), -6, 6)
	}},
	{name: "bridge", title: "two groups joined by a chain of samples", n: 830, size: 30, samples: 10, least: 0.8, fill: func(p *pen) {
		p.blob(0, 400, 0, 0, 0.6, 1, 0)
		p.blob(1, 400, 7, 0, 0.6, 1, 0)
		for i := range 30 {
			p.add(-1, 1.5+4*float64(i)/29, 0)
		}
	}},
	{name: "mixed", title: "two moons and three groups among noise", n: 1500, size: 15, samples: 8, least: 0.8, fill: func(p *pen) {
		p.moons(0, p.share(0.2), 0.07)
		p.blob(2, p.share(0.2), -1.5, 2, 0.25, 1, 0)
		p.blob(3, p.share(0.15), 2.5, 2, 0.15, 3, 0.8)
		p.blob(4, p.share(0.1), -1.5, -1.5, 0.3, 1, 0)
		p.noise(p.share(0.15), -3, 4)
	}},

	{name: "plane-100k", title: "50 clusters in two columns, a tenth is noise", n: 100_000, size: 100, samples: 10, least: 0.8, timed: true, fill: func(p *pen) { p.clusters(50, 400, 5, 0.1) }},
	{name: "ten-columns", title: "ten clusters in ten columns", n: 70_000, size: 100, samples: 10, least: 0.8, timed: true, large: true, fill: ten(0)},
	{name: "ten-columns-noise", title: "ten clusters in ten columns, a tenth is noise", n: 70_000, size: 100, samples: 10, least: 0.8, timed: true, large: true, fill: ten(0.1)},
	{name: "plane-1m", title: "50 clusters in two columns, a tenth is noise", n: 1_000_000, size: 500, samples: 10, least: 0.75, timed: true, large: true, fill: func(p *pen) { p.clusters(50, 400, 5, 0.1) }},
}
