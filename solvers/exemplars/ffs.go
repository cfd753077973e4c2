package exemplars

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/lasso"
)

const (
	// codeTolerance: the conditions of optimality of a code hold to this share of 1/γ.
	codeTolerance = 1e-10
	// searchBatch is the number of samples whose costs are brought up to date at a time,
	// whatever the number of threads.
	searchBatch = 32
)

// FarthestFirstOptions of [FarthestFirst].
type FarthestFirstOptions struct {
	Options
	Gamma float64 // γ > 1
	First int     // the sample to begin with, counting from 0; not one of zeros
	Full  bool    // bring the costs of all samples up to date for every choice
}

// FarthestFirstResult is what [FarthestFirst] chooses, and the codes of all samples over it.
type FarthestFirstResult struct {
	Indices []int     // in the order of choice
	Costs   []float64 // the largest of all samples not chosen, after each choice; 0 once all are
	// Codes has a row for each sample and a column for each exemplar: the lasso
	// coefficients of the samples, scaled to unit length, over the exemplars, likewise.
	Codes     []float64
	Solves    int     // lasso problems solved, including the codes
	Violation float64 // the largest miss of the conditions of optimality among the codes, a share of 1/γ
}

// FarthestFirst chooses count of the n rows of x by farthest-first search (You, Li,
// Robinson and Vidal 2018): with all rows scaled to unit length, the next exemplar is the row
// x with the largest cost
//
//	F(T; x) = min_c ‖c‖₁ + (γ/2)‖x − Σ_{j∈T} cⱼxⱼ‖²
//
// over the exemplars T so far. Costs only fall as T grows, so that old ones are
// bounds: rows are looked at by falling bound until no bound exceeds the best cost
// found, which is the choice of a full search for a fraction of its solves.
// Rows of zeros are never chosen while there are others. γ > 1, or every code would be 0.
//
// O(n m) a choice for inner products and a lasso of order |T| for each row looked
// at; 16n·count + 8n m bytes.
func FarthestFirst(ctx context.Context, x blas.Rows, count int, o FarthestFirstOptions) (*FarthestFirstResult, error) {
	if count < 1 || count > x.N {
		return nil, fmt.Errorf("exemplars: %d exemplars requested of %d samples; give a number from 1 to %d", count, x.N, x.N)
	}
	if !(o.Gamma > 1) || math.IsInf(o.Gamma, 1) {
		return nil, fmt.Errorf("exemplars: gamma is %v; give a number above 1, as all codes are 0 for less", o.Gamma)
	}
	if o.First < 0 || o.First >= x.N {
		return nil, fmt.Errorf("exemplars: sample %d is to be the first of %d; give a number from 0 to %d", o.First, x.N, x.N-1)
	}
	if err := o.fill(); err != nil {
		return nil, err
	}
	s, err := newSearch(x, count, o)
	if err != nil {
		return nil, err
	}
	if err := s.add(ctx, o.First); err != nil {
		return nil, err
	}
	for len(s.chosen) < count {
		i, cost, err := s.farthest(ctx)
		if err != nil {
			return nil, err
		}
		s.costs = append(s.costs, cost)
		if err := s.add(ctx, i); err != nil {
			return nil, err
		}
		o.Progress(float64(len(s.chosen)) / float64(count))
	}
	return s.finish(ctx)
}

// search is a farthest-first search under way.
type search struct {
	o      FarthestFirstOptions
	unit   blas.Rows // the samples scaled to unit length
	square []float64 // 1, of a sample of zeros 0
	width  int       // of the tables: exemplars at the end

	chosen []int
	taken  []bool
	costs  []float64
	inner  []float64 // n × width, of samples and exemplars
	gram   []float64 // width × width, of exemplars
	codes  []float64 // n × width, as last solved for
	bound  []float64 // on each sample's cost
	order  []int     // of samples not chosen, by falling bound

	lassos []*lasso.DictionaryLasso // of each worker
	worst  []float64                // violation of each sample's code
	solves int
}

func newSearch(x blas.Rows, count int, o FarthestFirstOptions) (*search, error) {
	n := x.N
	s := &search{o: o, width: count, unit: blas.Rows{N: n, M: x.M, Data: append([]float64(nil), x.Data[:n*x.M]...)},
		square: make([]float64, n), taken: make([]bool, n), inner: make([]float64, n*count), gram: make([]float64, count*count),
		codes: make([]float64, n*count), bound: make([]float64, n), worst: make([]float64, n)}
	for i := range n {
		row := s.unit.Row(i)
		length := norm(row)
		if math.IsNaN(length) || math.IsInf(length, 0) {
			return nil, fmt.Errorf("exemplars: sample %d (counting from 0) has entries that are not finite, or too large to square", i)
		}
		if length > 0 {
			blas.Scale(1/length, row)
			s.square[i] = 1
		}
		s.bound[i] = math.Inf(1)
	}
	if s.square[o.First] == 0 {
		return nil, fmt.Errorf("exemplars: sample %d (counting from 0), the first, is all zeros, which has no direction; give another", o.First)
	}
	for range blas.Threads(o.Threads) {
		s.lassos = append(s.lassos, lasso.NewDictionaryLasso(o.Kernels))
	}
	return s, nil
}

// add makes a sample an exemplar.
func (s *search) add(ctx context.Context, i int) error {
	q, row := len(s.chosen), s.unit.Row(i)
	s.chosen, s.taken[i] = append(s.chosen, i), true
	err := blas.For(ctx, s.o.Threads, s.unit.N, blockRows, func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			s.inner[j*s.width+q] = blas.Dot(row, s.unit.Row(j))
		}
	})
	for r, j := range s.chosen {
		v := s.inner[j*s.width+q]
		s.gram[q*s.width+r], s.gram[r*s.width+q] = v, v
	}
	return err
}

// solve brings the code and the cost of a sample up to date.
func (s *search) solve(worker, i int) {
	at, gamma := i*s.width, s.o.Gamma
	r := s.lassos[worker].Solve(s.gram, s.width, len(s.chosen), s.inner[at:at+s.width], 1/gamma, codeTolerance, s.codes[at:at+s.width])
	s.bound[i], s.worst[i] = gamma*(r.Objective+s.square[i]/2), r.Violation
}

// farthest finds the sample of the largest cost, the lower index on ties.
func (s *search) farthest(ctx context.Context) (best int, cost float64, err error) {
	s.order = s.order[:0]
	for i, taken := range s.taken {
		if !taken {
			s.order = append(s.order, i)
		}
	}
	slices.SortStableFunc(s.order, func(a, b int) int {
		switch {
		case s.bound[a] > s.bound[b]:
			return -1
		case s.bound[a] < s.bound[b]:
			return 1
		}
		return 0
	})
	best, cost = -1, math.Inf(-1)
	for lo := 0; lo < len(s.order); lo += searchBatch {
		if !s.o.Full && s.bound[s.order[lo]] < cost {
			break
		}
		batch := s.order[lo:min(lo+searchBatch, len(s.order))]
		err := blas.For(ctx, s.o.Threads, len(batch), 1, func(worker, from, _ int) { s.solve(worker, batch[from]) })
		if err != nil {
			return 0, 0, err
		}
		s.solves += len(batch)
		for _, i := range batch {
			if c := s.bound[i]; c > cost || c == cost && i < best {
				best, cost = i, c
			}
		}
	}
	return best, cost, nil
}

// finish computes the codes of all samples.
func (s *search) finish(ctx context.Context) (*FarthestFirstResult, error) {
	err := blas.For(ctx, s.o.Threads, s.unit.N, 4, func(worker, lo, hi int) {
		for i := lo; i < hi; i++ {
			s.solve(worker, i)
		}
	})
	if err != nil {
		return nil, err
	}
	s.solves += s.unit.N
	last := 0.0
	for i, bound := range s.bound {
		if !s.taken[i] {
			last = max(last, bound)
		}
	}
	s.costs = append(s.costs, last)
	r := &FarthestFirstResult{Indices: s.chosen, Costs: s.costs, Codes: s.codes, Solves: s.solves}
	for q, i := range s.chosen {
		// The code of an exemplar is known; a solver may find the code of a copy.
		code := s.codes[i*s.width : (i+1)*s.width]
		clear(code)
		if s.worst[i] = 0; s.square[i] > 0 {
			code[q] = 1 - 1/s.o.Gamma
		}
	}
	r.Violation = slices.Max(s.worst)
	return r, nil
}
