package neml

import (
	"fmt"
	"slices"

	"github.com/orthant-go/orthant/bench"
)

// The roll with a hole (Figs 4 and 5) and the triple peak (Fig. 6).

var (
	holeSeeds   = []uint64{1, 2}
	holeOthers  = []string{"mlle", "ltsa", "hlle", "isomap"} // without a γ that matters
	peakMethods = []string{"neml", "mlle", "lle", "isomap", "hlle", "ltsa"}
)

// What our reference programs measured on the same points.
var (
	holeReference = map[string][]string{
		"lle 1":  {".274", "", ".360", "", ".171", ".072", ".114", ".183", ".331", ".399"},
		"neml 1": {".0263", "", ".0263", "", ".0263", ".0263", ".0263", ".0260", ".125", ".428"},
		"lle 2":  {".374", "", ".184", "", ".186", ".134", ".172", ".184", ".238", ".418"},
		"neml 2": {".0311", "", ".0311", "", ".0311", ".0311", ".0310", ".0303", ".083", ".419"},
		"mlle 1": {".0248"}, "ltsa 1": {".0244"}, "hlle 1": {".0244"}, "isomap 1": {".141"}, "isomap 2": {".154"}, "ltsa 2": {".0254"},
	}
	peakReference = map[string]string{"neml": "0.0059", "mlle": "0.0065", "lle": "0.067", "isomap": "0.071", "hlle": "0.149", "ltsa": "0.155", "ltsa-curvature": "0.068"}
)

func holeName(method string, seed uint64, gamma float64) string {
	if gamma == 0 {
		return fmt.Sprintf("hole/%s/seed=%d", method, seed)
	}
	return fmt.Sprintf("hole/%s/seed=%d/gamma=%s", method, seed, powerOfTen(gamma))
}

func holeCases() []bench.Case {
	var cases []bench.Case
	add := func(method string, seed uint64, gamma float64) {
		set := map[string]string{"neighbors": "15"}
		if gamma > 0 {
			set["gamma"] = powerOfTen(gamma)
		}
		asPublished(method, set)
		cases = append(cases, bench.SetEmbedding{
			Name: holeName(method, seed, gamma), Data: "swiss-roll-hole", Load: bench.GeneratedSet("swiss-roll-hole", 1500, seed, nil),
			Method: method, Set: set, Measure: bench.MeasureDeviation,
		}.Case())
	}
	for _, seed := range holeSeeds {
		for _, method := range []string{"lle", "neml"} {
			for _, gamma := range sweptGammas {
				add(method, seed, gamma)
			}
		}
		for _, method := range holeOthers {
			add(method, seed, 0)
		}
	}
	return cases
}

// asPublished is the patch of Hessian LLE that its authors define: without the sample itself.
func asPublished(method string, set map[string]string) {
	if method == "hlle" {
		set["exclude_self"] = "true"
	}
}

func peakName(method string, k int) string { return fmt.Sprintf("peak/%s/k=%d", method, k) }

func peakCases() []bench.Case {
	var cases []bench.Case
	add := func(method string, k int) {
		set := map[string]string{"neighbors": fmt.Sprint(k)}
		asPublished(method, set)
		cases = append(cases, bench.SetEmbedding{
			Name: peakName(method, k), Data: "triple-peak", Load: bench.GeneratedSet("triple-peak", 1225, 1, nil),
			Method: method, Set: set, Measure: bench.MeasureDeviation,
		}.Case())
	}
	for _, method := range append(slices.Clone(peakMethods), "ltsa-curvature") {
		add(method, 15)
	}
	for _, k := range []int{8, 10, 12, 16, 20} {
		add("neml", k)
	}
	return cases
}

// holeCurve returns dev against γ of a method on one draw of the roll.
func holeCurve(r *bench.Records, method string, seed uint64) bench.Curve {
	c := bench.Curve{Name: fmt.Sprintf("%s, seed %d", method, seed), Dashed: seed > 1}
	for _, gamma := range sweptGammas {
		name := holeName(method, seed, gamma)
		if v, found := r.Quality(name, "dev"); found {
			c.X, c.Y, c.Cases = append(c.X, gamma), append(c.Y, v), append(c.Cases, name)
		}
	}
	return c
}

// holeCurves returns those of LLE and NEML on both draws, or the finding that
// they are not there.
func holeCurves(r *bench.Records) (lle, neml [2]bench.Curve, cases []string, missing *bench.Finding) {
	for i, seed := range holeSeeds {
		lle[i], neml[i] = holeCurve(r, "lle", seed), holeCurve(r, "neml", seed)
		cases = append(append(cases, lle[i].Cases...), neml[i].Cases...)
	}
	if len(cases) < 4*len(sweptGammas) {
		f := r.FindingWithout(holeName("lle", 1, 1e-3), holeName("neml", 1, 1e-3), holeName("lle", 2, 1e-3), holeName("neml", 2, 1e-3))
		return lle, neml, cases, &f
	}
	return lle, neml, cases, nil
}

func sheetSections(r *bench.Records) []bench.Section {
	return []bench.Section{holeSection(r), peakSection(r)}
}

func holeSection(r *bench.Records) bench.Section {
	s := bench.Section{
		Title: "The roll with a hole (Figs 4 and 5)",
		Text:  "1500 samples, k = 15, d = 2: dev against the roll's height and angle, for two draws. In every second row what our reference programs, written independently of this one, measured on the same points. LLE's null vectors are not determined by the data to more than γ, so that at small γ two right programs differ.",
		Table: &bench.Table{Columns: []string{"method", "draw"}},
		Plot:  &bench.Plot{XLabel: "γ", YLabel: "dev", LogX: true, LogY: true},
	}
	for _, gamma := range sweptGammas {
		s.Table.Columns = append(s.Table.Columns, "γ = "+powerOfTen(gamma))
	}
	for _, seed := range holeSeeds {
		for _, method := range []string{"lle", "neml"} {
			row := []bench.Cell{bench.PlainCell(method), bench.PlainCell(fmt.Sprintf("seed %d", seed))}
			reference := []bench.Cell{bench.PlainCell(""), bench.PlainCell("reference")}
			for i, gamma := range sweptGammas {
				row = append(row, r.QualityCell(holeName(method, seed, gamma), "dev", "%.4f"))
				reference = append(reference, bench.PaperCell(holeReference[fmt.Sprintf("%s %d", method, seed)][i]))
			}
			s.Table.Rows = append(s.Table.Rows, row, reference)
			s.Plot.Curves = append(s.Plot.Curves, holeCurve(r, method, seed))
		}
		for _, method := range holeOthers {
			reference := ""
			if known := holeReference[fmt.Sprintf("%s %d", method, seed)]; known != nil {
				reference = known[0]
			}
			s.Table.Rows = append(s.Table.Rows, []bench.Cell{bench.PlainCell(method), bench.PlainCell(fmt.Sprintf("seed %d", seed)), r.QualityCell(holeName(method, seed, 0), "dev", "%.4f"), bench.PaperCell(reference)})
		}
	}
	for _, method := range []string{"lle", "neml"} {
		s.Pictures = append(s.Pictures, bench.Figure{Case: holeName(method, 1, 1e-3), Picture: "embedding", Caption: method + ", γ = 1e-3, coloured by the angle"})
	}
	for _, method := range []string{"ltsa", "isomap"} {
		s.Pictures = append(s.Pictures, bench.Figure{Case: holeName(method, 1, 0), Picture: "embedding", Caption: method + ", coloured by the angle"})
	}
	return s
}

func peakSection(r *bench.Records) bench.Section {
	s := bench.Section{
		Title: "The triple peak (Fig. 6)",
		Text:  "The 35 × 35 grid, k = 15, d = 2: dev against the grid's own coordinates, and of NEML for other k.",
		Table: &bench.Table{Columns: []string{"method", "k", "dev", "reference"}},
	}
	for _, method := range append(slices.Clone(peakMethods), "ltsa-curvature") {
		name := peakName(method, 15)
		s.Table.Rows = append(s.Table.Rows, []bench.Cell{bench.PlainCell(method), bench.PlainCell("15"), r.QualityCell(name, "dev", "%.4f"), bench.PaperCell(peakReference[method])})
		s.Pictures = append(s.Pictures, bench.Figure{Case: name, Picture: "embedding", Caption: method + ", coloured by the fast coordinate"})
	}
	for i, k := range []int{8, 10, 12, 16, 20} {
		reference := []string{".0017", ".0032", ".0052", ".0045", ".0053"}[i]
		s.Table.Rows = append(s.Table.Rows, []bench.Cell{bench.PlainCell("neml"), bench.PlainCell(fmt.Sprint(k)), r.QualityCell(peakName("neml", k), "dev", "%.4f"), bench.PaperCell(reference)})
	}
	return s
}
