package verdict

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// mostSheetDim is the largest dimension of the sheets in many dimensions, and sheetColumns the
// number of columns they are turned into.
const mostSheetDim, sheetColumns = 20, 50

// sheets are flat and bent sheets of 1 to 20 dimensions, each in 50 columns. The thresholds were
// fixed on the first two kinds.
func sheets() []surface {
	var list []surface
	for _, kind := range []struct {
		name  string
		seen  bool
		point func(u []float64) (x, truth []float64)
	}{{"cube", true, flat}, {"bent-cube", true, bent}, {"ball", false, nil}, {"arcs", false, arcs}} {
		for d := 1; d <= mostSheetDim; d++ {
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
