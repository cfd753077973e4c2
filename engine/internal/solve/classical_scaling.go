package solve

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/vector"
	"github.com/orthant-go/orthant/solvers/eigen"
)

// ClassicalScaling finds coordinates whose distances approximate those along a graph, or given ones:
// Y = V√λ for the d largest eigenpairs of B = −½JD²J, with negative λ replaced by 0.
// If D is between landmarks, a sample with distances δ to them has the coordinates
//
//	y = −½·L#ᵀ(δ² − μ),   L# = V/√λ,
//
// where μ has the row means of D² (de Silva and Tenenbaum 2003); for a landmark these
// are its row of V√λ.
func ClassicalScaling(dim int) Rule[*align.Geodesic, *GeodesicScaling] {
	return func(in Input, g *align.Geodesic) (*GeodesicScaling, error) {
		var plan eigen.Plan
		e, err := eigen.Largest(in.Context(), g.Operator(in.Context(), in.Kernels(), in.Threads()), dim, eigen.Options{
			Kernels: in.Kernels(), Threads: in.Threads(), Seed: in.Seed(), Memory: in.Remaining(),
			Progress: in.Fraction("solve"), Planned: func(chosen eigen.Plan) { plan = chosen; RecordPlan(in.Run, chosen) },
		})
		if err != nil {
			return nil, in.WrapMemoryError(err)
		}
		if err := in.Err(); err != nil {
			return nil, err
		}
		n := in.X.N()
		s := &GeodesicScaling{Geodesic: g, Solution: &Solution{Y: mat.NewDense(n, dim, nil), Next: e.Next, Residuals: e.Residuals, Converged: e.Converged, Plan: &plan, Products: e.Products, Angle: e.Angle}}
		s.place(in.Run, e.Values, e.Vectors)
		for j, v := range e.Vectors {
			lambda := max(e.Values[j], 0)
			s.Values = append(s.Values, lambda)
			column := make([]float64, n)
			for place := range n {
				i := g.Sample(place)
				if g.Landmarks == nil {
					column[i] = math.Sqrt(lambda) * v[place]
				} else {
					column[i] = s.coordinate(place, j)
				}
			}
			if vector.Dominant(column) < 0 {
				blas.Scale(-1, column)
				for l := range s.Mean {
					s.Projection[l*dim+j] *= -1
				}
			}
			s.Y.SetCol(j, column)
		}
		s.Spectrum = &Spectrum{Doubt: doubtOfScaling(e)}
		if !e.Converged {
			in.Warn("some eigenpairs missed their residual: the embedding is the best found")
		}
		return s, nil
	}
}

// GeodesicScaling is the solution of classical scaling of distances along a graph. A
// sample with squared path lengths δ² has the coordinates −½L#ᵀ(δ² − μ).
type GeodesicScaling struct {
	*Solution
	Geodesic   *align.Geodesic
	Projection []float64 // −½L#, one row for each landmark
	Mean       []float64 // μ
}

// place computes −½L# and μ, which place samples.
func (s *GeodesicScaling) place(in *run.Run, values []float64, vectors [][]float64) {
	count, dim := s.Geodesic.Squares.Order(), len(values)
	ones := make([]float64, count)
	for i := range ones {
		ones[i] = 1 / float64(count)
	}
	s.Mean, s.Projection = make([]float64, count), make([]float64, count*dim)
	s.Geodesic.Squares.Mul(in.Kernels(), in.Threads(), 1, ones, s.Mean)
	for j, v := range vectors {
		// A direction at rounding level has no extent: all samples have coordinate 0 in it.
		if values[j] <= scalingRounding*float64(count)*values[0]+s.Geodesic.Squares.Rounding() {
			continue
		}
		for l := range count {
			s.Projection[l*dim+j] = -0.5 * v[l] / math.Sqrt(values[j])
		}
	}
}

// scalingRounding, times n times the largest eigenvalue of B, is the level below
// which an eigenvalue is due to rounding.
const scalingRounding = 0x1p-52

// coordinate returns coordinate j of a vertex, from its distances to the landmarks.
func (s *GeodesicScaling) coordinate(v, j int) float64 {
	count := len(s.Geodesic.Landmarks)
	dim := len(s.Projection) / count
	var y float64
	for l, d := range s.Geodesic.Lengths[v*count : (v+1)*count] {
		y += s.Projection[l*dim+j] * (d*d - s.Mean[l])
	}
	return y
}

// doubtOfScaling returns the doubt that follows from the eigenvalues.
func doubtOfScaling(e *eigen.Eigen) string {
	last := e.Values[len(e.Values)-1]
	switch {
	case last <= 0:
		return fmt.Sprintf("fewer than %d eigenvalues are positive: the distances have no more dimensions, and the last coordinates are 0", len(e.Values))
	case e.Next > last/1.01:
		return fmt.Sprintf("eigenvalues %d and %d agree to %.2g: the embedding is not determined (take another dim)", len(e.Values), len(e.Values)+1, 1-e.Next/last)
	}
	return ""
}
