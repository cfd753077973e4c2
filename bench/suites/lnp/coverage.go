package lnp

import "github.com/orthant-go/orthant/bench"

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
	{"nalac, soft-nalac", "how neighbours fare, beside MMRE and LCMC", []string{"trefoil-nalac", "trefoil-soft-nalac"}, "no figure of MMRE and LCMC is given: ours are shown by K"},
	{"Fig. 4(a), (b)", "nalac and soft-nalac on the trefoil", []string{"trefoil-nalac", "trefoil-soft-nalac"}, ""},
	{"Fig. 4(c), (d)", "the same on the duck", []string{"duck-nalac", "duck-soft-nalac"}, ""},
	{"Fig. 5(a)", "two trefoils told apart", []string{"two-trefoils", "two-trefoils-others", "two-trefoils-by-program"}, "as Fig. 3"},
	{"Fig. 5(b)", "the people of Extended Yale B told apart", []string{"yale-b"}, "at a few K"},
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
		Text: "In the order of the paper. The claims are those of this suite.",
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
