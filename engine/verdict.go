package engine

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/engine/internal/factor"
)

// Verdict is what was measured of a factorisation or a clustering, and what speaks against it
// (docs/quality.md). Numbers that were not measured are NaN.
type Verdict struct {
	Verdict   Judgement
	Sentence  string     // what speaks against it, with a remedy; empty where all is well
	NotJudged []Unjudged // checks that were not made

	Improvement float64 // the share of the objective of the start that was taken off; below 0: it rose
	GraphShare  float64 // of a factorisation with a graph: the share of its term λ tr(WᵀΦW) in the objective, in the end
}

// verdictOn is what was said of factors.
func verdictOn(j factor.Judged) *Verdict {
	return &Verdict{Verdict: judgement(j.Verdict != "", nil), Sentence: j.Verdict, Improvement: j.Improvement, GraphShare: j.GraphShare}
}

// agreeing: eigenvalues this close to each other tell no number of clusters.
const agreeing = 1.01

// A clustering is doubted where all clusters but the largest hold together less than
// leastShare of the samples for each cluster, counting at most mostShares of these: less than
// 2 % of two clusters, and less than 10 % of ten or more.
const (
	leastShare = 0.01
	mostShares = 10
)

// judge says what speaks against a clustering. Of what nobody has warned of yet it warns.
func (s state) judge(r *Clustering, factors *factor.Judged) *Verdict {
	v := &Verdict{Improvement: math.NaN(), GraphShare: math.NaN()}
	var doubts []string
	if factors != nil {
		v.Improvement, v.GraphShare = factors.Improvement, factors.GraphShare
		if factors.Verdict != "" {
			doubts = append(doubts, factors.Verdict)
		}
	} else if r.FirstCost > 0 {
		v.Improvement = 1 - r.Cost/r.FirstCost
	}
	empty, largest := 0, slices.Max(r.Sizes)
	for _, size := range r.Sizes {
		if size == 0 {
			empty++
		}
	}
	if empty > 0 {
		doubts = append(doubts, fmt.Sprintf("%d of %d clusters have no samples: take fewer", empty, len(r.Sizes)))
	}
	add := func(text string) {
		s.Warn("%s", text)
		doubts = append(doubts, text)
	}
	if c := len(r.Sizes); c > 1 && float64(r.Samples-largest) < leastShare*float64(min(c, mostShares)*r.Samples) {
		add(fmt.Sprintf("%d of %d samples are in one of %d clusters: take another method, more neighbours if it has a graph, or leave out samples that are far from all others", largest, r.Samples, c))
	}
	if r.Cost > r.FirstCost*(1+1e-9) {
		add(fmt.Sprintf("the objective rises from %.4g to %.4g: take more restarts", r.FirstCost, r.Cost))
	}
	if c := len(r.Values); c > 1 && r.Components < c {
		if last, next := 1-r.Values[c-1], 1-r.Next; last > 1e-12 && next < agreeing*last {
			add(fmt.Sprintf("eigenvalues %d and %d of the graph agree to %.2g: it does not tell %d clusters; take another number of clusters, or more neighbours", c, c+1, next/last-1, c))
		}
	}
	v.Sentence = strings.Join(doubts, "; ")
	v.Verdict = judgement(len(doubts) > 0, nil)
	return v
}
