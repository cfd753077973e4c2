package bench

import "fmt"

// A sheet, for which LNP is not made; no figure of the paper has one.

var (
	sheetMethods   = []string{"lnp", "lle", "neml"}
	sheetReference = map[string]string{"lnp 10": ".42", "lnp 20": ".40", "lle 10": ".37", "lle 20": ".21", "neml 10": ".036", "neml 20": ".117"}
	sheetSizes     = []int{10, 20}
)

func sheetName(method string, k int) string { return fmt.Sprintf("sheet/%s/K=%d", method, k) }

func sheetCases() []Case {
	var cases []Case
	for _, k := range sheetSizes {
		for _, method := range sheetMethods {
			cases = append(cases, embedded{
				name: sheetName(method, k), data: "swiss-roll-hole", load: generated("swiss-roll-hole", 1000, 1, nil),
				method: method, set: map[string]string{"neighbors": fmt.Sprint(k)}, measure: measureDev,
			}.asCase())
		}
	}
	return cases
}

var sheetClaims = []Claim{{
	Name: "sheet", Source: "orthant", Statement: "LNP is not for sheets: on the swiss roll with a hole NEML is several times more accurate.", Paper: "no figure; dev .42 and .40 against .036 and .117 by our reference",
	Check: func(r *Records) Finding {
		names := []string{sheetName("lnp", 10), sheetName("neml", 10), sheetName("lnp", 20), sheetName("neml", 20)}
		dev, found := r.have("dev", names...)
		if len(found) < 4 {
			return r.absent(names...)
		}
		return Finding{
			Verdict: verdict(dev[0] > 3*dev[1] && dev[2] > 3*dev[3]), Cases: names,
			Ours: fmt.Sprintf("dev %.3f against %.3f (K = 10), %.3f against %.3f (K = 20)", dev[0], dev[1], dev[2], dev[3]),
		}
	},
}}

func sheetSections(r *Records) []Section {
	s := Section{
		Title: "A sheet", Table: &Table{Columns: []string{"method", "K = 10", "reference", "K = 20", "reference"}},
		Text: "The swiss roll with a hole, 1000 samples, d = 2: dev against the roll's height and angle. LNP is made for curves and for telling manifolds apart; a sheet it folds.",
	}
	for _, method := range sheetMethods {
		row := []Cell{plain(method)}
		for _, k := range sheetSizes {
			row = append(row, r.figure(sheetName(method, k), "dev", "%.3f"), printed(sheetReference[fmt.Sprintf("%s %d", method, k)]))
		}
		s.Table.Rows = append(s.Table.Rows, row)
		s.Pictures = append(s.Pictures, Figure{Case: sheetName(method, 10), Picture: "embedding", Caption: method + ", K = 10, coloured by the angle"})
	}
	return []Section{s}
}
