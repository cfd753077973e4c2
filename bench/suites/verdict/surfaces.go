package verdict

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/datasets"
)

// surface is a manifold whose embedding is known up to an affine map.
type surface struct {
	name   string
	dim    int
	seen   bool    // thresholds were fixed by it; the others are what they are scored on
	sheets float64 // about the distance of its sheets, the unit of noise
	draw   drawer
}

// surfaces are the surfaces of both halves. No shape is in both except rolls, of which the second half
// has one with a hole, one with a third side and one in 20 columns.
var surfaces = []surface{
	{"roll", 2, true, 2 * math.Pi, generated("swiss-roll", map[string]string{"params": "isometric"})},
	{"s-curve", 2, true, 2, generated("s-curve", nil)},
	{"arch", 2, true, 0.6, drawn(2, arch)},
	{"helix", 1, true, 1.8, generated("helix", nil)},
	{"s-curve-3d", 3, true, 2, drawn(3, sCurve3D)},
	{"roll-hole", 2, false, 2 * math.Pi, generated("swiss-roll-hole", map[string]string{"params": "isometric"})},
	{"wave", 2, false, 2, drawn(2, wave)},
	{"cone", 2, false, 1, drawn(2, cone)},
	{"triple-peak", 2, false, 1, generated("triple-peak", nil)},
	{"roll-20-columns", 2, false, 2 * math.Pi, inColumns(20, generated("swiss-roll", map[string]string{"params": "isometric"}))},
	{"spiral", 1, false, 1, drawn(1, spiral)},
	{"roll-3d", 3, false, 2 * math.Pi, generated("swiss-roll-3d", map[string]string{"params": "isometric"})},
}

// drawer draws samples without noise, with their true coordinates. uneven is 1 for evenly drawn
// samples; more crowds them at one end.
type drawer = func(n int, seed uint64, uneven float64) (x, truth *mat.Dense, err error)

// generated draws a set of package datasets. Of uneven sets it keeps each sample with a
// probability that falls along the last true coordinate.
func generated(name string, set map[string]string) drawer {
	return func(n int, seed uint64, uneven float64) (*mat.Dense, *mat.Dense, error) {
		if name == "triple-peak" {
			g := int(math.Sqrt(float64(n)))
			n = g * g
		}
		most := n
		if uneven > 1 && name != "triple-peak" {
			most = 4 * n
		}
		s, err := datasets.Generate(name, most, seed, set)
		if err != nil || most == n {
			return s.X, s.Params, err
		}
		rng := blas.NewStream(seed + 1)
		_, p := s.Params.Dims()
		along := mat.Col(nil, p-1, s.Params)
		low, high := along[0], along[0]
		for _, v := range along {
			low, high = min(low, v), max(high, v)
		}
		var kept []int
		for i, v := range along {
			if rng.Uniform() < math.Pow((v-low)/(high-low), uneven-1) && len(kept) < n {
				kept = append(kept, i)
			}
		}
		return rows(s.X, kept), rows(s.Params, kept), nil
	}
}

// rows copies the rows of a list.
func rows(x *mat.Dense, list []int) *mat.Dense {
	_, m := x.Dims()
	y := mat.NewDense(len(list), m, nil)
	for at, i := range list {
		y.SetRow(at, x.RawRowView(i))
	}
	return y
}

// drawn draws samples of a chart: point maps numbers in [0, 1] to the sample and its truth.
func drawn(sides int, point func(u []float64) (x, truth []float64)) drawer {
	return func(n int, seed uint64, uneven float64) (*mat.Dense, *mat.Dense, error) {
		rng := blas.NewStream(seed)
		var data, truth []float64
		u := make([]float64, sides)
		for range n {
			for s := range u {
				u[s] = rng.Uniform()
			}
			u[0] = math.Pow(u[0], uneven)
			x, t := point(u)
			data, truth = append(data, x...), append(truth, t...)
		}
		return mat.NewDense(n, len(data)/n, data), mat.NewDense(n, len(truth)/n, truth), nil
	}
}

// arch is a strip around eight tenths of a cylinder.
func arch(u []float64) (x, truth []float64) {
	t := 1.6 * math.Pi * u[0]
	return []float64{math.Cos(t), math.Sin(t), 1.5 * u[1]}, []float64{t, 1.5 * u[1]}
}

// cone is a part of a cone of half angle 30°, which unrolls to a sector of a ring.
func cone(u []float64) (x, truth []float64) {
	t, r := 1.6*math.Pi*u[0], 1+2*u[1]
	return []float64{r / 2 * math.Cos(t), r / 2 * math.Sin(t), r * math.Sqrt(3) / 2}, []float64{r * math.Cos(t/2), r * math.Sin(t/2)}
}

// wave is a sheet over three periods of a sine.
func wave(u []float64) (x, truth []float64) {
	t := 6 * math.Pi * u[0]
	// The length of the sine from 0 to t, by Simpson's rule.
	const steps = 200
	var length float64
	for i := range steps {
		a, h := t*float64(i)/steps, t/steps
		f := func(t float64) float64 { return math.Hypot(1, math.Cos(t)) }
		length += h / 6 * (f(a) + 4*f(a+h/2) + f(a+h))
	}
	return []float64{t, 8 * u[1], math.Sin(t)}, []float64{length, 8 * u[1]}
}

// spiral is the spiral of Archimedes, of two turns.
func spiral(u []float64) (x, truth []float64) {
	t := 2 * math.Pi * (1 + 2*u[0])
	a := 1 / (2 * math.Pi)
	return []float64{a * t * math.Cos(t), a * t * math.Sin(t)}, []float64{a / 2 * (t*math.Hypot(1, t) + math.Asinh(t))}
}

// sCurve3D is the S-curve with a third side.
func sCurve3D(u []float64) (x, truth []float64) {
	t := 3 * math.Pi * (u[0] - 0.5)
	return []float64{math.Sin(t), 2 * u[1], math.Copysign(1-math.Cos(t), -t), 3 * u[2]}, []float64{t, 2 * u[1], 3 * u[2]}
}

// inColumns turns the samples at random into the given number of columns.
func inColumns(m int, draw drawer) drawer {
	return func(n int, seed uint64, uneven float64) (*mat.Dense, *mat.Dense, error) {
		x, truth, err := draw(n, seed, uneven)
		if err != nil {
			return nil, nil, err
		}
		_, own := x.Dims()
		turn := mat.NewDense(m, own, nil)
		blas.NewStream(seed + 2).Normals(turn.RawMatrix().Data)
		var qr mat.QR
		qr.Factorize(turn)
		var q, wide mat.Dense
		qr.QTo(&q)
		wide.Mul(x, q.Slice(0, m, 0, own).T())
		return &wide, truth, nil
	}
}

// withNoise adds normal noise to every column.
func withNoise(x *mat.Dense, sd float64, seed uint64) {
	data := x.RawMatrix().Data
	e := make([]float64, len(data))
	blas.NewStream(seed + 3).Normals(e)
	for i := range data {
		data[i] += sd * e[i]
	}
}

// maxSheetDim is the largest dimension of the sheets in many dimensions, and sheetColumns the
// number of columns they are turned into.
const maxSheetDim, sheetColumns = 20, 50

// sheets are flat and bent sheets of 1 to 20 dimensions, each in 50 columns. The thresholds were
// fixed on the first two kinds.
func sheets() []surface {
	var list []surface
	for _, kind := range []struct {
		name  string
		seen  bool
		point func(u []float64) (x, truth []float64)
	}{{"cube", true, flat}, {"bent-cube", true, bent}, {"ball", false, nil}, {"arcs", false, arcs}} {
		for d := 1; d <= maxSheetDim; d++ {
			draw := drawn(d, kind.point)
			if kind.point == nil {
				draw = ball(d)
			}
			list = append(list, surface{fmt.Sprintf("%s-%d", kind.name, d), d, kind.seen, 1, inColumns(sheetColumns, draw)})
		}
	}
	return list
}

// many reports whether the surface is one of the sheets.
func (s *surface) many() bool {
	for _, kind := range []string{"cube-", "bent-cube-", "ball-", "arcs-"} {
		if len(s.name) > len(kind) && s.name[:len(kind)] == kind {
			return true
		}
	}
	return false
}

// flat is the unit cube.
func flat(u []float64) (x, truth []float64) { return u, append([]float64(nil), u...) }

// bent is the unit cube with its first side around an S of two arcs.
func bent(u []float64) (x, truth []float64) {
	const radius = 0.5
	t := (u[0] - 0.5) / radius
	x = append([]float64{radius * math.Sin(t), radius * math.Copysign(1-math.Cos(t), -t)}, u[1:]...)
	return x, append([]float64(nil), u...)
}

// arcs has each side of the unit cube around an arc of radius 0.8.
func arcs(u []float64) (x, truth []float64) {
	const radius = 0.8
	for _, v := range u {
		sin, cos := math.Sincos(v / radius)
		x = append(x, radius*sin, radius*cos)
	}
	return x, append([]float64(nil), u...)
}

// ball draws evenly from a ball of as much variance in each coordinate as the unit cube has.
func ball(d int) drawer {
	return func(n int, seed uint64, uneven float64) (*mat.Dense, *mat.Dense, error) {
		rng := blas.NewStream(seed)
		x := mat.NewDense(n, d, nil)
		row := make([]float64, d)
		for i := range n {
			rng.Normals(row)
			length := math.Sqrt(blas.Dot(row, row))
			radius := math.Pow(rng.Uniform(), uneven/float64(d)) * math.Sqrt(float64(d+2)/12)
			for j, v := range row {
				x.Set(i, j, v/length*radius)
			}
		}
		return x, mat.DenseCopyOf(x), nil
	}
}
