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

nalac compares each sample's list of neighbours with the list that the same method picks in the embedding, rank by rank, soft-nalac as sets; for lists of K nearest the latter tends to 1 by itself as K comes near the number of samples. ring is ours, for closed curves: the share of samples whose two nearest in the embedding are the two next to them on the curve. The paper calls its noise small; ours is σ = 0.001 unless said otherwise.

The program that the authors published (MATLAB, September 2014) differs from the paper in how it embeds and clusters. What it does is measured besides, under "by the published program". The last table lists every statement of the paper with the claims that judge it.

Figures in italics are not the paper's, which has none. They come from our reference programs, written independently of this one. The faces of Extended Yale B (Figs 5b, 6d, 8) are read from the data folder ("orthant-bench data" names their files), 32 × 32 where the paper has 192 × 168, with the bytes as they are; they are clustered at a few K only.`,
	Cases: func(e *bench.Env) []bench.Case {
		return slices.Concat(fourPointCases(), knotCases(e), duckCases(e), knot.programCases(sizesUpTo(e, knotSizes)), duck.programCases(sizesUpTo(e, duckSizes)), twoKnots.programCases(sizesUpTo(e, knotSizes)), twoKnotCases(e), twoObjectCases(e), faceCases(), pursuitTimeCases(e), countCases(), residualCases(), sheetCases())
	},
	Claims: slices.Concat(fourPointClaims, knotClaims, duckClaims, programClaims, twoKnotClaims, faceClaims, pursuitTimeClaims, countClaims, residualClaims, sheetClaims),
	Sections: func(r *bench.Records) []bench.Section {
		return slices.Concat(fourPointSections(r), knotSections(r), duckSections(r), programSections(r), twoKnotSections(r), faceSections(r), pursuitTimeSections(r), countSections(r), sheetSections(r), []bench.Section{coverageSection()})
	},
}

// shownSizes are the K of tables: the K of the quick run, and few enough for a row.
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

// Every statement of the paper, with the claims that judge it, or why none does.

// statement is one of the paper's.
type statement struct {
	place  string   // in the paper
	says   string   // in our words
	judged []string // claims of this suite; none: note says why
	note   string
}

var statements = []statement{
	{"Fig. 1(a), (b)", "the weights of LLE on four points, with negative ones among them", nil, "judged in the suite neml, with the other weights of LLE"},
	{"Fig. 1(c)", "the embedding of LLE breaks the order of the four points", []string{"four-points-lle"}, ""},
	{"Fig. 1, LNP", "weights without negative ones, and the order kept", []string{"four-points-lnp"}, ""},
	{"Algorithm 1", "the pursuit, as printed", []string{"trefoil-convex"}, "it runs in every case named \"no cap\"; that it is the printed algorithm is held by a test against least squares by its words"},
	{"Theorems 1, 4", "weights that are positive and sum to 1", []string{"trefoil-convex"}, ""},
	{"Theorem 2", "", nil, "its text is not at hand"},
	{"Theorem 3", "the residual falls with each neighbour", []string{"residuals"}, ""},
	{"section 3", "at most d + 1 neighbours", []string{"trefoil-convex"}, ""},
	{"complexity", "O(k(K − k)/2) a sample", []string{"complexity", "complexity-constant"}, "by counts"},
	{"eqs 8, 9", "the dimension by the largest gap of the mean sorted weights", []string{"trefoil-dimension", "duck-dimension"}, "on samples drawn at random it answers 0: see the page on the method"},
	{"Fig. 2", "the mean sorted weights of trefoil and duck", []string{"trefoil-dimension", "duck-dimension"}, "the curves are pictures; what is judged is the dimension they are drawn for"},
	{"Fig. 3", "the trefoil as a ring", []string{"trefoil-embedding", "trefoil-embedding-by-program"}, "the program that the authors published embeds another way"},
	{"nalac, soft-nalac", "how neighbours fare, compared with MMRE and LCMC", []string{"trefoil-nalac", "trefoil-soft-nalac"}, "no figure of MMRE and LCMC is given: ours are shown by K"},
	{"Fig. 4(a), (b)", "nalac and soft-nalac on the trefoil", []string{"trefoil-nalac", "trefoil-soft-nalac"}, ""},
	{"Fig. 4(c), (d)", "the same on the duck", []string{"duck-nalac", "duck-soft-nalac"}, ""},
	{"Fig. 5(a)", "two trefoils separated", []string{"two-trefoils", "two-trefoils-others", "two-trefoils-by-program"}, "as Fig. 3"},
	{"Fig. 5(b)", "the people of Extended Yale B separated", []string{"yale-b"}, "at a few K"},
	{"Fig. 6(a), (b)", "the smallest time on the trefoils", []string{"time/trefoil-110", "time/two-trefoils-400"}, ""},
	{"Fig. 6(c)", "LNP runs fast on the duck", []string{"time/duck"}, ""},
	{"Fig. 6(d)", "times on Extended Yale B", nil, "shown and not judged: of an order of the methods there the text, as far as it is at hand, says nothing"},
	{"Fig. 7", "the views of the duck as a ring", []string{"duck-embedding", "duck-embedding-by-program"}, "as Fig. 3"},
	{"Fig. 8", "two people of Extended Yale B in the plane", []string{"yale-b-embedding"}, ""},
	{"eq. 16, appendix", "an equality of the proof", nil, "only an inclusion; the proof of our own needs none of it"},
	{"Φ = (I−X)ᵀ(I−X)", "the alignment matrix", []string{"four-points-lle"}, "for weights in columns it is (I−X)(I−X)ᵀ: the printed one does not send constants to zero"},
}

func coverageSection() bench.Section {
	s := bench.Section{
		Title: "Every statement of the paper", Table: &bench.Table{Columns: []string{"in the paper", "says", "judged by", "note"}},
		Text: "In the order of the paper. The claims belong to this suite.",
	}
	for _, one := range statements {
		judged := ""
		for i, name := range one.judged {
			if i > 0 {
				judged += ", "
			}
			judged += name
		}
		s.Table.Rows = append(s.Table.Rows, []bench.Cell{bench.PlainCell(one.place), bench.PlainCell(one.says), bench.PlainCell(judged), bench.PlainCell(one.note)})
	}
	return s
}
