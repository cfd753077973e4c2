package neighborhood

import (
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// SameCodes selects the t samples whose codes have the largest positive cosines
// with the sample's code; if there are none, those with the closest
// directions.
type SameCodes struct {
	T      int
	Encode func(job *run.Run, x samples.Samples) (*Coding, error)
}

// Coding holds the codes of samples over exemplars among them.
type Coding struct {
	Codes     samples.Samples // one for each sample, of unit length or zero
	Coded     samples.Samples // the samples that were coded, after scaling
	Scaling   samples.Scaling
	Exemplars []int // in the order of choice
}

// Find codes the samples and compares the codes of all pairs.
func (r SameCodes) Find(job *run.Run, x samples.Samples) (Found, error) {
	c, err := r.Encode(job, x)
	if err != nil {
		return Found{}, err
	}
	n := x.N()
	t := min(r.T, n-1)
	if t < r.T {
		job.Warn("t = %d is too many for %d samples: took %d", r.T, n, t)
	}
	g, err := closestCodes(job, c.Coded, c.Codes, t)
	return Found{Graph: g, Coding: c}, err
}

// Widen compares once and truncates.
func (r SameCodes) Widen(job *run.Run, x samples.Samples, k int) (func(k int) (*neighbors.Graph, error), error) {
	r.T = k
	wide, err := r.Find(job, x)
	return func(k int) (*neighbors.Graph, error) { return wide.Graph.Truncated(k), nil }, err
}

// closestCodes lists the t largest positive inner products of each code, of unit
// length or zero, with the others, the lower row on ties. The list of a sample that shares no exemplar
// with any other has the samples to whose lines through the origin it is closest; x are
// the samples of the codes.
func closestCodes(job *run.Run, x, codes samples.Samples, t int) (*neighbors.Graph, error) {
	const block = 64
	n := codes.N()
	lists := make([]topList, n)
	scratch := make([][]float64, blas.Threads(job.Threads()))
	err := blas.For(job.Context(), job.Threads(), n, block, func(worker, lo, hi int) {
		if scratch[worker] == nil {
			scratch[worker] = make([]float64, block*n)
		}
		products := scratch[worker]
		job.Kernels().Gemm(false, true, hi-lo, n, codes.M(), 1, codes.Data()[lo*codes.M():], codes.M(), codes.Data(), codes.M(), 0, products, n)
		for i := lo; i < hi; i++ {
			lists[i].most = t
			for j, v := range products[(i-lo)*n : (i-lo+1)*n] {
				if v > 0 && j != i {
					lists[i].offer(int32(j), v)
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	linkIsolatedVertices(job, x, lists)
	g := &neighbors.Graph{Ptr: make([]int, n+1)}
	for i, list := range lists {
		for q, j := range list.index {
			g.Index = append(g.Index, j)
			g.Dist = append(g.Dist, math.Sqrt(max(2-2*list.value[q], 0)))
		}
		g.Ptr[i+1] = len(g.Index)
	}
	return g, nil
}

// linkIsolatedVertices fills the empty lists by the absolute cosines between samples.
func linkIsolatedVertices(job *run.Run, x samples.Samples, lists []topList) {
	length := make([]float64, x.N())
	for i := range length {
		length[i] = math.Sqrt(blas.Dot(x.Row(i), x.Row(i)))
	}
	alone := 0
	for i := range lists {
		if len(lists[i].index) > 0 {
			continue
		}
		alone++
		for j := range x.N() {
			cosine := 0.0
			if both := length[i] * length[j]; both > 0 {
				cosine = math.Abs(blas.Dot(x.Row(i), x.Row(j))) / both
			}
			if j != i {
				lists[i].offer(int32(j), cosine)
			}
		}
	}
	job.Note("alone", alone)
	if alone > 0 {
		job.Warn("%d samples share no exemplar with another: they are joined to the samples of the closest directions; a larger gamma or more exemplars would code them", alone)
	}
}

// topList lists the entries of largest value, descending; on ties those
// offered first.
type topList struct {
	most  int
	index []int32
	value []float64
}

func (l *topList) offer(j int32, v float64) {
	at := len(l.index)
	if at == l.most {
		if !(v > l.value[at-1]) {
			return
		}
		at--
	} else {
		l.index, l.value = append(l.index, j), append(l.value, v)
	}
	for ; at > 0 && l.value[at-1] < v; at-- {
		l.index[at], l.value[at] = l.index[at-1], l.value[at-1]
	}
	l.index[at], l.value[at] = j, v
}
