package smrmf

import (
	"slices"
	"strings"

	"github.com/orthant-go/orthant/bench"
)

// statement is a table, figure or sentence of the paper: the claims that judge it, and
// what is not judged, with the reason.
type statement struct {
	what   string
	judged func(c bench.Claim) bool
	left   string
}

// claimed are the claims with one of these words in their source.
func claimed(words ...string) func(bench.Claim) bool {
	return func(c bench.Claim) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(c.Source, word) })
	}
}

// statements are those of the paper, in its order.
var statements = []statement{
	{what: "Fig. 1: the graphs of RMNMF and SMRMF on 2DMoons", judged: claimed("Fig. 1"), left: "a picture without numbers; its edges between the moons are counted"},
	{what: "Far affinities of the kernel vanish", left: "no threshold is given. Of the entries below 0.001 our reference programs counted two thirds on 2DMoons and hardly any on the sets of more features"},
	{what: "Problem, splitting and steps of both algorithms", left: "mathematics: every step is held to its subproblem by the tests of the solvers"},
	{what: "Convergence of the start, A2DM2", left: "its pseudo code and proof are in the supplement and in the work that it cites, which were not at hand"},
	{what: "Cost of a pass: O(n³) for the columns of Z, O(n² log n + n³) for the projection of C", left: "exponents are fitted in the suite on complexity; ours needs no cubic step"},
	{what: "Table 1: violations of the cluster assumption, before and after", judged: claimed("Table 1")},
	{what: "Table 2: the two moons", judged: claimed("Table 2")},
	{what: "Table 3: the data sets", judged: claimed("Table 3"), left: "20-news and OVA_Colon are not at hand; of ISOLET neither the five letters are named nor are the speakers of its 1200 samples at hand: A to E of the first group, 300 samples, stand for them; which five objects COIL-5 has is not said"},
	{what: "Table 4: accuracy, fourteen methods", judged: claimed("Table 4", "Tables 4 and 5"), left: "the settings of the rivals are in the supplement; ours are the defaults. The column AMRMF has the mean .616, printed .61"},
	{what: "Table 5: mutual information, fourteen methods", judged: claimed("Table 5", "Tables 4 and 5"), left: "the column DS3 has the mean .205, printed .20, RMNMF .395, printed .39"},
	{what: "Table 6: seconds", judged: claimed("Table 6"), left: "its time on each set is not printed, only the average"},
	{what: "Table 7: selected and other samples", judged: claimed("Table 7"), left: "rows of Z that are empty have no neighbourhood; the paper does not say what it takes for them"},
	{what: "Protocol: k = ⌊√n⌋, a tenth as exemplars, the best of four λ, thirty runs", judged: claimed("protocol"), left: "sweeps of τ and k and curves over the passes are ours, as the paper has none"},
}

// inventorySection says where each statement of the paper is judged.
func inventorySection() bench.Section {
	s := bench.Section{Title: "The paper's statements", Text: "Where each is judged, and what is not, with the reason.", Table: &bench.Table{Columns: []string{"statement", "claims", "not judged"}}}
	for _, one := range statements {
		var names []string
		for _, c := range claims {
			if one.judged != nil && one.judged(c) {
				names = append(names, c.Name)
			}
		}
		s.Table.Rows = append(s.Table.Rows, []bench.Cell{bench.PlainCell(one.what), bench.PlainCell(strings.Join(names, ", ")), bench.PlainCell(one.left)})
	}
	return s
}
