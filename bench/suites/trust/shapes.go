package trust

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// kind says what is known of a shape.
type kind int

const (
	clusters kind = iota // labels
	curve                // a truth of one dimension, whose neighbours a good map keeps without a tear
	surface              // a truth of more dimensions
	noise                // nothing
)

// shape draws samples of which it is known what a good map shows.
type shape struct {
	name string
	kind kind
	seen bool // thresholds were chosen on it; the others are scored
	draw func(n int, rng *blas.Stream) drawn
}

// drawn are samples with their truth: labels, or coordinates whose neighbours are the true ones.
type drawn struct {
	x, truth *mat.Dense
	label    []int
}

var shapes = []shape{
	{"clusters", clusters, true, gaussians(equal(5), 10, 12, 1)},
	{"clusters-sizes", clusters, true, gaussians([]float64{16, 8, 4, 2, 1}, 10, 14, 1)},
	{"clusters-two", clusters, true, gaussians(equal(2), 30, 14, 1)},
	{"circle", curve, true, bent(1, circle)},
	{"tree", curve, true, tree(3)},
	{"roll", surface, true, bent(2, roll)},
	{"torus", surface, true, bent(2, torus)},
	{"gaussian", noise, true, random(false)},
	{"gaussian-plane", surface, true, plane(false)},

	{"clusters-many", clusters, false, gaussians(equal(8), 30, 14, 1)},
	{"clusters-spreads", clusters, false, gaussians(equal(5), 15, 24, 3)},
	{"clusters-four", clusters, false, gaussians([]float64{6, 3, 2, 1}, 8, 12, 1)},
	{"trefoil", curve, false, bent(1, trefoil)},
	{"spiral", curve, false, bent(1, spiral)},
	{"tree-five", curve, false, tree(5)},
	{"s-curve", surface, false, bent(2, sCurve)},
	{"sphere", surface, false, bent(2, sphere)},
	{"uniform", noise, false, random(true)},
	{"uniform-plane", surface, false, plane(true)},
}

func equal(count int) []float64 {
	share := make([]float64, count)
	for c := range share {
		share[c] = 1
	}
	return share
}

// gaussians draws round clusters with the given shares of the samples, whose centres are about apart standard deviations from each
// other. The deviations grow from 1 to spread.
func gaussians(share []float64, m int, apart, spread float64) func(int, *blas.Stream) drawn {
	return func(n int, rng *blas.Stream) drawn {
		centers := make([]float64, len(share)*m)
		rng.Normals(centers)
		blas.Scale(apart/math.Sqrt(2*float64(m)), centers)
		var all float64
		for _, s := range share {
			all += s
		}
		d := drawn{x: mat.NewDense(n, m, nil), label: make([]int, n)}
		rng.Normals(d.x.RawMatrix().Data)
		for i := range n {
			at, c := (float64(i)+0.5)/float64(n)*all, 0
			for ; at > share[c]; c++ {
				at -= share[c]
			}
			sd := 1.0
			if len(share) > 1 {
				sd = math.Pow(spread, float64(c)/float64(len(share)-1))
			}
			row := d.x.RawRowView(i)
			blas.Scale(sd, row)
			blas.Axpy(1, centers[c*m:(c+1)*m], row)
			d.label[i] = c
		}
		return d
	}
}

// columns is the number of columns of the curves and surfaces, which have a little noise in all of them.
const columns, noiseShare = 10, 0.1

// bent draws points of a shape given by numbers in [0, 1), with their truth. The noise has a tenth of the distance of neighbours
// on a curve or surface with unit distance between its folds.
func bent(sides int, point func(u []float64) (x, truth []float64)) func(int, *blas.Stream) drawn {
	return func(n int, rng *blas.Stream) drawn {
		x := mat.NewDense(n, columns, nil)
		var truth []float64
		u := make([]float64, sides)
		for i := range n {
			rng.Uniforms(u)
			at, t := point(u)
			copy(x.RawRowView(i), at)
			truth = append(truth, t...)
		}
		return drawn{x: noisy(x, noiseShare/math.Pow(float64(n), 1/float64(sides)), rng), truth: mat.NewDense(n, len(truth)/n, truth)}
	}
}

func noisy(x *mat.Dense, sd float64, rng *blas.Stream) *mat.Dense {
	raw := x.RawMatrix().Data
	more := make([]float64, len(raw))
	rng.Normals(more)
	blas.Axpy(sd, more, raw)
	return x
}

func circle(u []float64) (x, truth []float64) {
	t := 2 * math.Pi * u[0]
	x = []float64{math.Cos(t), math.Sin(t)}
	return x, x
}

func trefoil(u []float64) (x, truth []float64) {
	t := 2 * math.Pi * u[0]
	return []float64{math.Sin(t) + 2*math.Sin(2*t), math.Cos(t) - 2*math.Cos(2*t), -math.Sin(3 * t)}, []float64{math.Cos(t), math.Sin(t)}
}

func spiral(u []float64) (x, truth []float64) {
	t := 2 * math.Pi * (1 + 2*u[0])
	return []float64{t * math.Cos(t) / 3, t * math.Sin(t) / 3}, []float64{(t*math.Hypot(1, t) + math.Asinh(t)) / 6}
}

func roll(u []float64) (x, truth []float64) {
	t := 1.5 * math.Pi * (1 + 2*u[0])
	return []float64{t * math.Cos(t) / 6, t * math.Sin(t) / 6, 3.5 * u[1]}, []float64{(t*math.Hypot(1, t) + math.Asinh(t)) / 12, 3.5 * u[1]}
}

func sCurve(u []float64) (x, truth []float64) {
	t := 3 * math.Pi * (u[0] - 0.5)
	return []float64{math.Sin(t), 2 * u[1], math.Copysign(1-math.Cos(t), -t)}, []float64{t, 2 * u[1]}
}

// torus is flat, in four columns.
func torus(u []float64) (x, truth []float64) {
	s, t := 2*math.Pi*u[0], 2*math.Pi*u[1]
	x = []float64{math.Cos(s), math.Sin(s), math.Cos(t), math.Sin(t)}
	return x, x
}

func sphere(u []float64) (x, truth []float64) {
	z, t := 2*u[0]-1, 2*math.Pi*u[1]
	r := math.Sqrt(1 - z*z)
	x = []float64{r * math.Cos(t), r * math.Sin(t), z}
	return x, x
}

// tree draws branches that leave one point in orthogonal directions.
func tree(branches int) func(int, *blas.Stream) drawn {
	return func(n int, rng *blas.Stream) drawn {
		x := mat.NewDense(n, columns, nil)
		for i := range n {
			x.Set(i, i%branches, rng.Uniform())
		}
		truth := mat.DenseCopyOf(x)
		return drawn{x: noisy(x, noiseShare*float64(branches)/float64(n), rng), truth: truth}
	}
}

// random draws noise without structure in 6 to 50 columns.
func random(uniform bool) func(int, *blas.Stream) drawn {
	return func(n int, rng *blas.Stream) drawn {
		m := pick(rng, []int{6, 8, 10, 20, 50})
		return drawn{x: spread(n, m, uniform, rng)}
	}
}

// plane draws noise in two columns, which a map can show.
func plane(uniform bool) func(int, *blas.Stream) drawn {
	return func(n int, rng *blas.Stream) drawn {
		x := spread(n, 2, uniform, rng)
		return drawn{x: x, truth: x}
	}
}

func spread(n, m int, uniform bool, rng *blas.Stream) *mat.Dense {
	x := mat.NewDense(n, m, nil)
	if uniform {
		rng.Uniforms(x.RawMatrix().Data)
	} else {
		rng.Normals(x.RawMatrix().Data)
	}
	return x
}

func pick[T any](rng *blas.Stream, from []T) T { return from[rng.Below(len(from))] }
