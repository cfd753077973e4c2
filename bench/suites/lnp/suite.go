// Package lnp is the suite of the paper that introduced local non-negative pursuit (LNP).
package lnp

import (
	"slices"

	"github.com/orthant-go/orthant/bench"
)

// Suite measures what the paper on local non-negative pursuit shows.
var Suite = bench.Suite{
	Name:  "lnp",
	Title: "Local non-negative pursuit",
	About: `The figures of the paper that introduced LNP, on the same data where it is to be had. All of its results are curves and pictures without numbers; the claims are what the text says of them. K is the number of nearest neighbours, among which LNP and SMCE choose a sample's own and which LLE and Laplacian eigenmaps (LE, the paper's LEM) take as they are. λ of SMCE is 60/K, as in the paper.

LNP comes twice. The paper says that a sample gets at most d + 1 neighbours, but its algorithm as printed does not keep to that: "LNP" is ours, capped at the estimated dimension and one more (cap=auto), "LNP, no cap" the printed one.

nalac compares each sample's list of neighbours with the list that the same method picks in the embedding, rank by rank, soft-nalac as sets; for lists of K nearest the latter tends to 1 by itself as K comes near the number of samples. ring is ours, for closed curves: the share of samples whose two nearest in the embedding are the two beside them on the curve. The paper calls its noise small; ours is σ = 0.001 unless said otherwise.

The program that the authors published (MATLAB, September 2014) differs from the paper in how it embeds and clusters. What it does is measured besides, under "by the published program". The last table lists every statement of the paper with the claims that judge it.

Figures in italics are not the paper's, which has none, but those of our reference programs, written independently of this one. The faces of Extended Yale B (Figs 5b, 6d, 8) are read from the data folder ("orthant-bench data" names their files), 32 × 32 where the paper has 192 × 168, with the bytes as they are; they are clustered at a few K only.`,
	Cases: func(e *bench.Env) []bench.Case {
		return slices.Concat(fourPointCases(), knotCases(e), duckCases(e), knot.programCases(sizesUpTo(e, knotSizes)), duck.programCases(sizesUpTo(e, duckSizes)), twoKnots.programCases(sizesUpTo(e, knotSizes)), twoKnotCases(e), twoObjectCases(e), faceCases(), pursuitTimeCases(e), countCases(), residualCases(), sheetCases())
	},
	Claims: slices.Concat(fourPointClaims, knotClaims, duckClaims, programClaims, twoKnotClaims, faceClaims, pursuitTimeClaims, countClaims, residualClaims, sheetClaims),
	Sections: func(r *bench.Records) []bench.Section {
		return slices.Concat(fourPointSections(r), knotSections(r), duckSections(r), programSections(r), twoKnotSections(r), faceSections(r), pursuitTimeSections(r), countSections(r), sheetSections(r), []bench.Section{coverageSection()})
	},
}

// shownSizes are the K of tables: those of the quick run, and few enough for a row.
var shownSizes = []int{2, 3, 5, 10, 15, 20, 30, 40, 60, 80, 100}

// sizesUpTo lists the K that are measured, from 2: all of them, or with --quick
// those that tables show.
func sizesUpTo(e *bench.Env, last int) []int {
	var sizes []int
	for k := 2; k <= last; k++ {
		if !e.Quick || slices.Contains(shownSizes, k) {
			sizes = append(sizes, k)
		}
	}
	return sizes
}
