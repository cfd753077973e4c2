package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/memory"
	"github.com/orthant-go/orthant/solvers/eigen"
	"github.com/orthant-go/orthant/sparse"
)

// spectralStart is one call of [SpectralInit] under way.
type spectralStart struct {
	w       *sparse.CSR
	dim     int
	options SpectralInitOptions
	held    int64
	kernels *blas.Kernels
	random  *blas.Stream
	result  *SpectralStart
	place   []int32 // of each vertex in its component, of the one that is worked on
	done    int     // vertices that have coordinates
}

// drawn tells whether a component is too small for its eigenvectors.
func (s *spectralStart) drawn(size int) bool { return size <= s.dim+1 || size < 2*s.dim }

// whole embeds all vertices by one problem.
func (s *spectralStart) whole(ctx context.Context, members []int) error {
	if s.drawn(len(members)) {
		s.draw(members, make([]float64, s.dim), 1)
		return nil
	}
	vectors, err := s.eigenvectors(ctx, members)
	if err != nil {
		return err
	}
	for j, v := range vectors {
		s.result.Y.SetCol(j, v)
	}
	return nil
}

// apart embeds every component on its own.
func (s *spectralStart) apart(ctx context.Context, lists [][]int) error {
	places, reach := componentPlaces(len(lists), s.dim)
	for c, members := range lists {
		if s.drawn(len(members)) {
			s.draw(members, places(c), reach)
			continue
		}
		vectors, err := s.eigenvectors(ctx, members)
		if err != nil {
			return err
		}
		var most float64
		for _, v := range vectors {
			for _, x := range v {
				most = max(most, math.Abs(x))
			}
		}
		at := places(c)
		for j, v := range vectors {
			for to, i := range members {
				s.result.Y.Set(i, j, at[j]+v[to]*reach/most)
			}
		}
	}
	return nil
}

// draw places vertices at random within reach of a place.
func (s *spectralStart) draw(members []int, at []float64, reach float64) {
	for _, i := range members {
		for j := range s.dim {
			s.result.Y.Set(i, j, at[j]+reach*(2*s.random.Uniform()-1))
		}
	}
	s.done += len(members)
}

// eigenvectors returns those of the normalised Laplacian of some vertices.
func (s *spectralStart) eigenvectors(ctx context.Context, members []int) ([][]float64, error) {
	laplacian, null := s.laplacian(members)
	o := eigen.Options{Kernels: s.kernels, Threads: s.options.Threads, Seed: max(s.options.Seed, 1), Laplacian: true, Bound: 2, Trusted: true}
	if s.options.Memory > 0 {
		o.Memory = max(memory.Live(s.options.Memory)-s.held-laplacian.Bytes(), 1)
	}
	if tell := s.options.Progress; tell != nil {
		before, share := float64(s.done)/float64(s.w.Rows), float64(len(members))/float64(s.w.Rows)
		o.Progress = func(done float64) { tell(Progress{Phase: "solve", Done: before + share*done}) }
	}
	e, err := eigen.Smallest(ctx, laplacian, [][]float64{null}, s.dim, o)
	if e, is := errors.AsType[*eigen.MemoryError](err); is {
		return nil, run.Refusal("spectral init: the eigensolver needs about %s where the limit is %s; give fewer edges, or raise the limit",
			limits.FormatBytes(memory.Process(s.held+laplacian.Bytes()+e.Need)), limits.FormatBytes(s.options.Memory))
	}
	if err != nil {
		return nil, fmt.Errorf("spectral init: %w", err)
	}
	for _, v := range e.Vectors {
		if largest := slices.MaxFunc(v, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) }); largest < 0 {
			blas.Scale(-1, v)
		}
	}
	s.result.Converged = s.result.Converged && e.Converged
	if s.result.Values == nil {
		s.result.Values = e.Values // the largest component comes first
	}
	s.done += len(members)
	return e.Vectors, nil
}

// laplacian returns that of the subgraph of some vertices, ascending, and its known null
// vector D^½1. A vertex without edges has a row of zeros.
func (s *spectralStart) laplacian(members []int) (*sparse.CSR, []float64) {
	place, root := s.place, make([]float64, len(members))
	var entries int
	for to, i := range members {
		place[i] = int32(to)
		_, vals := s.w.Row(i)
		entries += len(vals) + 1
		var degree float64
		for _, v := range vals {
			degree += v
		}
		root[to] = math.Sqrt(degree)
	}
	l := &sparse.CSR{Rows: len(members), Cols: len(members), Ptr: make([]int, 1, len(members)+1), Col: make([]int32, 0, entries), Val: make([]float64, 0, entries)}
	for to, i := range members {
		cols, vals := s.w.Row(i)
		put := len(cols) == 0
		for p, j := range cols {
			if int(j) > i && !put {
				l.Col, l.Val, put = append(l.Col, int32(to)), append(l.Val, 1), true
			}
			l.Col, l.Val = append(l.Col, place[j]), append(l.Val, -vals[p]/(root[to]*root[place[j]]))
		}
		if !put {
			l.Col, l.Val = append(l.Col, int32(to)), append(l.Val, 1)
		}
		l.Ptr = append(l.Ptr, len(l.Col))
	}
	blas.Scale(1/math.Sqrt(blas.Dot(root, root)), root)
	return l, root
}

// scale brings the coordinates to the size that was asked for.
func (s *spectralStart) scale() {
	y := s.result.Y
	switch s.options.Scale {
	case "umap":
		if most := max(mat.Max(y), -mat.Min(y)); most > 0 {
			y.Scale(10/most, y)
		}
	case "tsne":
		column := mat.Col(nil, 0, y)
		mean := floats.Sum(column) / float64(len(column))
		floats.AddConst(-mean, column)
		if deviation := floats.Norm(column, 2) / math.Sqrt(float64(len(column))); deviation > 0 {
			y.Scale(1e-4/deviation, y)
		}
	}
}
