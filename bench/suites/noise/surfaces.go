package noise

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/datasets"
)

// surface is a generator without noise, and how far apart its sheets are.
type surface struct {
	name  string
	set   map[string]string
	apart float64
}

var surfaces = []surface{
	{"swiss-roll", map[string]string{"params": "isometric"}, 2 * math.Pi},
	{"s-curve", nil, 2},
	{"triple-peak", nil, 0.5},
}

// width is the half width of the noise on this surface.
func (r run) width() float64 { return r.noise * r.surface.apart / (2 * math.Pi) }

// draw draws the samples, turns them into more columns, and adds the noise.
func (r run) draw() (*datasets.Set, error) {
	n := r.n
	if r.surface.name == "triple-peak" { // a square grid
		side := int(math.Sqrt(float64(n)))
		n = side * side
	}
	s, err := datasets.Generate(r.surface.name, n, 1, r.surface.set)
	if err != nil {
		return nil, err
	}
	stream := blas.NewStream(78)
	if r.columns > 0 {
		_, m := s.X.Dims()
		axes := make([]float64, m*r.columns)
		stream.Normals(axes)
		for a := range m {
			axis := axes[a*r.columns : (a+1)*r.columns]
			blas.OrthogonalizeRows(axes[:a*r.columns], axis)
			blas.Scale(1/math.Sqrt(blas.Dot(axis, axis)), axis)
		}
		var turned mat.Dense
		turned.Mul(s.X, mat.NewDense(m, r.columns, axes))
		s.X = &turned
	}
	data := s.X.RawMatrix().Data
	for i := range data {
		data[i] += r.width() * (2*stream.Uniform() - 1)
	}
	return s, nil
}

// floor is the relative residual that noise along the surface alone leaves.
func (r run) floor(truth *mat.Dense) float64 {
	n, d := truth.Dims()
	square := 0.0
	for j := range d {
		mean := mat.Sum(truth.ColView(j)) / float64(n)
		for i := range n {
			square += (truth.At(i, j) - mean) * (truth.At(i, j) - mean)
		}
	}
	return r.width() * math.Sqrt(float64(d)/3*float64(n)/square)
}
