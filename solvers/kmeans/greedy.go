package kmeans

import (
	"context"
	"fmt"
	"math"
	"sort"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// Greedy are the draws of a k-means++ start (Arthur and Vassilvitskii 2007, section 5):
// the first centre is a given sample, and each further one is the best of some samples
// drawn with probabilities in proportion to their squared distances from the centres
// before, the one that leaves the least sum of these. With Weighted probabilities and sums are
// of squared distances times the weights of the samples.
type Greedy struct {
	First  int       // the sample that is the first centre
	Trials int       // samples drawn for each further centre
	Draws  []float64 // uniform in [0, 1), Trials for each further centre
	Single bool      // squared distances are rounded to single precision, as of samples in it
	// Weighted has the weights of the options count, where there are any.
	Weighted bool
}

// GreedyStart returns the samples that are the first centres by given draws, clusters of
// them. x and the weights are as in [KMeansFrom]. Of equally good samples the first
// that was drawn is taken. The bits do not depend on the threads.
// O(n m clusters trials), 8n(trials + 1) bytes.
func GreedyStart(ctx context.Context, x mat.Matrix, clusters int, g Greedy, o KMeansFromOptions) ([]int, error) {
	n, _ := x.Dims()
	switch {
	case clusters < 1 || clusters > n:
		return nil, fmt.Errorf("solvers: %d clusters requested of %d samples; give a number from 1 to %d", clusters, n, n)
	case g.First < 0 || g.First >= n:
		return nil, fmt.Errorf("solvers: the first centre is sample %d of %d; give a number from 0 to %d", g.First, n, n-1)
	case g.Trials < 1 || len(g.Draws) != (clusters-1)*g.Trials:
		return nil, fmt.Errorf("solvers: %d draws for %d centres with %d trials each", len(g.Draws), clusters-1, g.Trials)
	}
	for at, v := range g.Draws {
		if !(v >= 0 && v < 1) {
			return nil, fmt.Errorf("solvers: draw %d (counting from 1) is %v; give numbers from 0 to below 1", at+1, v)
		}
	}
	if err := checkWeights(o.Weights, n); err != nil {
		return nil, err
	}
	samples, err := newWeighted(x, o)
	if err != nil {
		return nil, err
	}
	s := &greedyStart{Greedy: g, x: samples, threads: o.Threads}
	if g.Weighted {
		s.weights = o.Weights
	}
	s.n, s.m = samples.dims()
	return s.run(ctx, clusters)
}

// greedyStart is a choice under way.
type greedyStart struct {
	Greedy
	x          weighted
	n, m       int
	threads    int
	weights    []float64   // of the samples, where they count; nil: 1 each
	own        []float64   // squared lengths of the samples
	nearest    []float64   // squared distance of each sample to its nearest centre
	squares    [][]float64 // the same with each candidate added to the centres
	sums       [][]float64 // of blocks of squares
	cumulative []float64   // of blocks of nearest
	candidates []float64   // trials × m
	workers    []fromScratch
}

func (s *greedyStart) run(ctx context.Context, clusters int) ([]int, error) {
	blocks := (s.n + fromRows - 1) / fromRows
	s.own, s.nearest, s.cumulative = make([]float64, s.n), make([]float64, s.n), make([]float64, blocks)
	s.candidates = make([]float64, s.Trials*s.m)
	for range s.Trials {
		s.squares, s.sums = append(s.squares, make([]float64, s.n)), append(s.sums, make([]float64, blocks))
	}
	s.workers = make([]fromScratch, min(blas.Threads(s.threads), blocks))
	err := blas.For(ctx, s.threads, s.n, fromRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			s.own[i], s.nearest[i] = s.x.norm(i), math.Inf(1)
		}
	})
	if err != nil {
		return nil, err
	}
	for i, v := range s.own {
		if !(v <= math.MaxFloat64) {
			return nil, fmt.Errorf("solvers: row %d (counting from 1) of the samples has an entry that is not finite, or too large to be squared", i+1)
		}
	}
	chosen := []int{s.First}
	if err := s.measure(ctx, chosen); err != nil {
		return nil, err
	}
	s.take(0)
	drawn := make([]int, s.Trials)
	for len(chosen) < clusters {
		at := (len(chosen) - 1) * s.Trials
		for t := range drawn {
			drawn[t] = s.at(s.Draws[at+t])
		}
		if err := s.measure(ctx, drawn); err != nil {
			return nil, err
		}
		best, least := 0, math.Inf(1)
		for t := range drawn {
			var sum float64
			for _, v := range s.sums[t] {
				sum += v
			}
			if sum < least {
				best, least = t, sum
			}
		}
		chosen = append(chosen, drawn[best])
		s.take(best)
	}
	return chosen, nil
}

// measure fills the squares and their sums for some candidates.
func (s *greedyStart) measure(ctx context.Context, drawn []int) error {
	count := len(drawn)
	norms := make([]float64, count)
	clear(s.candidates)
	for t, i := range drawn {
		s.x.add(i, 1, s.candidates[t*s.m:(t+1)*s.m])
		norms[t] = s.own[i]
	}
	s.x.take(s.candidates[:count*s.m], count)
	return blas.For(ctx, s.threads, s.n, fromRows, func(worker, lo, hi int) {
		w := &s.workers[worker]
		if w.products == nil {
			w.at, w.products = make([]int32, fromRows), make([]float64, fromRows*s.Trials)
		}
		at := w.at[:hi-lo]
		for q := range at {
			at[q] = int32(lo + q)
		}
		w.rows = s.x.products(at, w.rows, w.products)
		for t := range count {
			var sum float64
			squares := s.squares[t]
			for i := lo; i < hi; i++ {
				d := max(norms[t]+s.own[i]-2*w.products[(i-lo)*count+t], 0)
				if s.Single {
					d = float64(float32(d))
				}
				d = min(d, s.nearest[i])
				squares[i] = d
				sum += s.weighed(i, d)
			}
			s.sums[t][lo/fromRows] = sum
		}
	})
}

// weighed is v times the weight of sample i.
func (s *greedyStart) weighed(i int, v float64) float64 {
	if s.weights == nil {
		return v
	}
	return s.weights[i] * v
}

// take makes candidate t a centre.
func (s *greedyStart) take(t int) {
	s.nearest, s.squares[t] = s.squares[t], s.nearest
	var sum float64
	for b, v := range s.sums[t] {
		sum += v
		s.cumulative[b] = sum
	}
}

// at is the first sample up to which the nearest squares sum to the share u of all.
func (s *greedyStart) at(u float64) int {
	target := u * s.cumulative[len(s.cumulative)-1]
	block := sort.SearchFloat64s(s.cumulative, target)
	if block == len(s.cumulative) {
		return s.n - 1
	}
	sum := 0.0
	if block > 0 {
		sum = s.cumulative[block-1]
	}
	for i := block * fromRows; i < min((block+1)*fromRows, s.n); i++ {
		if sum += s.weighed(i, s.nearest[i]); sum >= target {
			return i
		}
	}
	return min((block+1)*fromRows, s.n) - 1 // by rounding
}

// samplesAt are some samples as the rows of a full matrix.
func samplesAt(x mat.Matrix, at []int) *mat.Dense {
	_, m := x.Dims()
	rows := mat.NewDense(len(at), m, nil)
	for q, i := range at {
		if a, is := x.(*sparse.CSR); is {
			cols, vals := a.Row(i)
			row := rows.RawRowView(q)
			for p, j := range cols {
				row[j] += vals[p]
			}
			continue
		}
		rows.SetRow(q, x.(*mat.Dense).RawRowView(i))
	}
	return rows
}

// KMeansGreedy is [KMeansFrom] from the start of [GreedyStart].
func KMeansGreedy(ctx context.Context, x mat.Matrix, clusters int, g Greedy, o KMeansFromOptions) (*Refined, error) {
	chosen, err := GreedyStart(ctx, x, clusters, g, o)
	if err != nil {
		return nil, err
	}
	return KMeansFrom(ctx, x, samplesAt(x, chosen), o)
}
