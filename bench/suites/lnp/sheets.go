package lnp

import (
	"fmt"

	"github.com/orthant-go/orthant/bench"
)

// A sheet, for which LNP is not made; no figure of the paper has one.

var (
	sheetMethods   = []string{"lnp", "lle", "neml"}
	sheetReference = map[string]string{"lnp 10": ".42", "lnp 20": ".40", "lle 10": ".37", "lle 20": ".21", "neml 10": ".036", "neml 20": ".117"}
	sheetSizes     = []int{10, 20}
)

func sheetName(method string, k int) string { return fmt.Sprintf("sheet/%s/K=%d", method, k) }

func sheetCases() []bench.Case {
	var cases []bench.Case
	for _, k := range sheetSizes {
		for _, method := range sheetMethods {
			cases = append(cases, bench.SetEmbedding{
				Name: sheetName(method, k), Data: "swiss-roll-hole", Load: bench.GeneratedSet("swiss-roll-hole", 1000, 1, nil),
				Method: method, Set: map[string]string{"neighbors": fmt.Sprint(k)}, Measure: bench.MeasureDeviation,
			}.Case())
		}
	}
	return cases
}

var sheetClaims = []bench.Claim{{
	Name: "sheet", Source: "orthant", Statement: "LNP is not for sheets: on the swiss roll with a hole NEML is several times more accurate.", Paper: "no figure; dev .42 and .40 against .036 and .117 by our reference",
	Check: func(r *bench.Records) bench.Finding {
		names := []string{sheetName("lnp", 10), sheetName("neml", 10), sheetName("lnp", 20), sheetName("neml", 20)}
		dev, found := r.Qualities("dev", names...)
		if len(found) < 4 {
			return r.FindingWithout(names...)
		}
		return bench.Finding{
			Verdict: bench.ReproducesIf(dev[0] > 3*dev[1] && dev[2] > 3*dev[3]), Cases: names,
			Ours: fmt.Sprintf("dev %.3f against %.3f (K = 10), %.3f against %.3f (K = 20)", dev[0], dev[1], dev[2], dev[3]),
		}
	},
}}

func sheetSections(r *bench.Records) []bench.Section {
	s := bench.Section{
		Title: "A sheet", Table: &bench.Table{Columns: []string{"method", "K = 10", "reference", "K = 20", "reference"}},
		Text: "The swiss roll with a hole, 1000 samples, d = 2: dev against the roll's height and angle. LNP is made for curves and for telling manifolds apart; a sheet it folds.",
	}
	for _, method := range sheetMethods {
		row := []bench.Cell{bench.PlainCell(method)}
		for _, k := range sheetSizes {
			row = append(row, r.QualityCell(sheetName(method, k), "dev", "%.3f"), bench.PaperCell(sheetReference[fmt.Sprintf("%s %d", method, k)]))
		}
		s.Table.Rows = append(s.Table.Rows, row)
		s.Pictures = append(s.Pictures, bench.Figure{Case: sheetName(method, 10), Picture: "embedding", Caption: method + ", K = 10, coloured by the angle"})
	}
	return []bench.Section{s}
}
