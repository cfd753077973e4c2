package align

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/smacof"
	"github.com/orthant-go/orthant/sparse"
)

// Dissimilar are the dissimilarities between samples, each stored once.
type Dissimilar struct{ *smacof.Pairs }

// Dissimilarities is the rule that measures all pairs of samples by the metric of the run, or takes what is given of them.
type Dissimilarities struct {
	Distances samples.Samples  // n × n, NaN where a distance is unknown; empty: none are given
	Graph     *neighbors.Graph // the pairs whose distance is known; nil: not given
	Weights   *neighbors.Graph // the weights of pairs, 0 for others; nil: 1
	// Power has a distance d count by d^(−Power).
	Power float64
}

// DissimilaritiesBytes returns the memory of the dissimilarities between n samples, if all are known.
func DissimilaritiesBytes(n int64, weighted bool) int64 {
	if weighted {
		return 8 * n * (n - 1)
	}
	return 4 * n * (n - 1)
}

// Take is the rule.
func (d Dissimilarities) Take(in Input) (*Dissimilar, error) {
	defer in.Phase("alignment")()
	p, err := d.layOut(in)
	if err != nil {
		return nil, err
	}
	if d.Graph == nil {
		if err := d.measure(in, p); err != nil {
			return nil, err
		}
	}
	d.weigh(p)
	known := 0
	for _, v := range p.Delta {
		if v == v {
			known++
		}
	}
	if known < len(p.Delta) {
		p = onlyKnown(p, known)
	}
	if groups := p.Groups(); len(groups) > 1 {
		return nil, wording.Errorf("%s: the known distances leave the samples in %d groups (the largest of %d samples), whose places relative to each other are not determined; give distances between the groups", in.Method(), len(groups), groups[0])
	}
	if all := p.N * (p.N - 1) / 2; known < all {
		in.Note("known_pairs", known)
	}
	in.Explain("alignment: %d distances between %d samples", len(p.Delta), p.N)
	return &Dissimilar{p}, in.Err()
}

// layOut returns the pairs, with the distances of a graph.
func (d Dissimilarities) layOut(in Input) (*smacof.Pairs, error) {
	n := in.X.N()
	bytes, what := DissimilaritiesBytes(int64(n), d.Power > 0), "distances"
	if d.Graph != nil {
		bytes, what = 52*int64(len(d.Graph.Index)), "known distances"
	} else if d.Weights != nil {
		bytes, what = 20*int64(len(d.Weights.Index))/2, "weighted distances"
	}
	if err := in.Fit(bytes, fmt.Sprintf("the %s between %d samples need", what, n), "embed landmarks and place the others by them (‹landmarks=M›), take fewer samples, or raise the limit"); err != nil {
		return nil, err
	}
	p := &smacof.Pairs{N: n}
	switch {
	case d.Graph != nil:
		lengths := UnionGraph(d.Graph)
		upper(p, lengths, func(i, j int, v float64) { p.Delta = append(p.Delta, (v+lengths.At(j, i))/2) })
		if d.Weights != nil {
			weights := UnionGraph(&neighbors.Graph{Ptr: d.Weights.Ptr, Index: d.Weights.Index, Dist: d.Weights.Weight})
			for i := range n {
				for at := p.Ptr[i]; at < p.Ptr[i+1]; at++ {
					p.Weight = append(p.Weight, weights.At(i, int(p.Index[at])))
				}
			}
		}
	case d.Weights != nil:
		weights := UnionGraph(&neighbors.Graph{Ptr: d.Weights.Ptr, Index: d.Weights.Index, Dist: d.Weights.Weight})
		upper(p, weights, func(_, _ int, v float64) { p.Weight = append(p.Weight, v) })
		p.Delta = make([]float64, len(p.Index))
	default:
		p.Delta = make([]float64, n*(n-1)/2)
	}
	return p, nil
}

// upper lists the entries above the diagonal.
func upper(p *smacof.Pairs, a *sparse.CSR, take func(i, j int, v float64)) {
	p.Ptr = make([]int, 1, p.N+1)
	for i := range a.Rows {
		cols, vals := a.Row(i)
		for q, j := range cols {
			if int(j) > i {
				p.Index = append(p.Index, j)
				take(i, int(j), vals[q])
			}
		}
		p.Ptr = append(p.Ptr, len(p.Index))
	}
}

// measure writes the distances of all listed pairs.
func (d Dissimilarities) measure(in Input, p *smacof.Pairs) error {
	metric := in.Metric()
	measure := func(_, i int, others []int32, into []float64) {
		for q, j := range others {
			v, mirror := d.Distances.Row(i)[j], d.Distances.Row(int(j))[i]
			switch {
			case v != v:
				into[q] = mirror
			case mirror != mirror:
				into[q] = v
			default:
				into[q] = (v + mirror) / 2
			}
		}
	}
	if d.Distances.N() == 0 {
		if err := in.Fit(in.X.PairDistancesBytes(metric)+p.Bytes(), "the distances of the samples need", "take fewer samples, or raise the limit"); err != nil {
			return err
		}
		of, err := in.X.PairDistances(metric, blas.Threads(in.Threads()))
		if err != nil {
			return fmt.Errorf("%s: %w", in.Method(), err)
		}
		measure = func(worker, i int, others []int32, into []float64) {
			of(worker, i, others, into)
			in.X.Rescale(&neighbors.Graph{Dist: into}, metric)
		}
	}
	n := p.N
	all := make([]int32, n)
	for j := range all {
		all[j] = int32(j)
	}
	progress := in.Counted("alignment", n)
	beyond := make([]bool, n)
	err := blas.For(in.Context(), in.Threads(), n, 8, func(worker, lo, hi int) {
		for i := lo; i < hi; i++ {
			others, at := all[i+1:], i*(2*n-i-1)/2
			if p.Ptr != nil {
				others, at = p.Index[p.Ptr[i]:p.Ptr[i+1]], p.Ptr[i]
			}
			into := p.Delta[at : at+len(others)]
			measure(worker, i, others, into)
			for _, v := range into {
				beyond[i] = beyond[i] || math.IsInf(v, 1)
			}
		}
		progress(hi - lo)
	})
	for i, yes := range beyond {
		if yes && err == nil {
			return fmt.Errorf("%s: a distance of sample %d (counting from 1) by %s is beyond the range of numbers; divide the data by a power of ten", in.Method(), i+1, metric)
		}
	}
	return err
}

// weigh gives the pairs weights by their distances, and scales given ones so that the largest is 1.
func (d Dissimilarities) weigh(p *smacof.Pairs) {
	var most float64
	for _, w := range p.Weight {
		most = max(most, w)
	}
	for at, w := range p.Weight {
		p.Weight[at] = w / most
	}
	if d.Power == 0 {
		return
	}
	least := math.Inf(1)
	for _, v := range p.Delta {
		if v > 0 {
			least = min(least, v)
		}
	}
	if p.Weight == nil {
		p.Weight = make([]float64, len(p.Delta))
		for at := range p.Weight {
			p.Weight[at] = 1
		}
	}
	for at, v := range p.Delta {
		if v > least {
			p.Weight[at] *= math.Pow(least/v, d.Power)
		}
	}
}

// onlyKnown returns the pairs without those whose distance is NaN.
func onlyKnown(p *smacof.Pairs, known int) *smacof.Pairs {
	k := &smacof.Pairs{N: p.N, Ptr: make([]int, 1, p.N+1), Index: make([]int32, 0, known), Delta: make([]float64, 0, known)}
	at := 0
	for i := range p.N {
		count := p.N - 1 - i
		if p.Ptr != nil {
			count = p.Ptr[i+1] - p.Ptr[i]
		}
		for q := range count {
			j := int32(i + 1 + q)
			if p.Ptr != nil {
				j = p.Index[at]
			}
			if v := p.Delta[at]; v == v {
				k.Index, k.Delta = append(k.Index, j), append(k.Delta, v)
				if p.Weight != nil {
					k.Weight = append(k.Weight, p.Weight[at])
				}
			}
			at++
		}
		k.Ptr = append(k.Ptr, len(k.Index))
	}
	return k
}
