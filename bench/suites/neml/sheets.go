package neml

import (
	"fmt"
	"slices"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
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

// holeCurves returns the curves of LLE and NEML on both draws, or the finding that
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

var sheetClaims = []bench.Claim{
	{
		Name: "hole-gamma-flat", Source: papers.NEML + ", Fig. 5",
		Statement: "On the roll with a hole the error of NEML does not depend on γ, if γ is not large.",
		Paper:     "a flat curve",
		Check: func(r *bench.Records) bench.Finding {
			_, neml, cases, missing := holeCurves(r)
			if missing != nil {
				return *missing
			}
			low, high := 1.0, 0.0
			for _, c := range neml {
				for i, v := range c.Y {
					if c.X[i] < 2e-3 {
						low, high = min(low, v), max(high, v)
					}
				}
			}
			return bench.Finding{Verdict: bench.ReproducesIf(high < 0.05 && high < 1.5*low), Ours: fmt.Sprintf("dev from %.4f to %.4f for γ = 1e-10…1e-3 on two draws", low, high), Cases: cases}
		},
	},
	{
		Name: "hole-lle-erratic", Source: papers.NEML + ", Fig. 5",
		Statement: "The error of LLE is large and changes erratically with γ.",
		Paper:     "a jagged curve",
		Check: func(r *bench.Records) bench.Finding {
			lle, neml, cases, missing := holeCurves(r)
			if missing != nil {
				return *missing
			}
			large, jagged, ours := true, true, ""
			for i, c := range lle {
				turns := 0
				for q := 1; q+1 < len(c.Y); q++ {
					// A turn that shows: by a twentieth at least on both sides.
					if up, down := c.Y[q]/c.Y[q-1], c.Y[q]/c.Y[q+1]; min(up, down) > 1.05 || max(up, down) < 0.95 {
						turns++
					}
				}
				least, most, best := slices.Min(c.Y), slices.Max(c.Y), slices.Min(neml[i].Y)
				large, jagged = large && most > 2*least && least > 2*best, jagged && turns >= 3
				ours += fmt.Sprintf("dev from %.3f to %.3f with turns at %d of the γ between, NEML's best %.4f (seed %d); ", least, most, turns, best, holeSeeds[i])
			}
			f := bench.Finding{Verdict: bench.DoesNot, Ours: ours[:len(ours)-2], Cases: cases}
			switch {
			case large && jagged:
				f.Verdict = bench.Reproduces
			case large:
				f.Verdict = bench.PartlyHolds
				f.Why = "Large and changing with γ it is, but hardly erratic: below γ = 1e-6 the curve is smooth here. What a solver gives there is decided by eigenvalues below the rounding of the alignment matrix; orthant computes them from the patches' own factors, where programs that do not (our reference among them) find another value at each γ."
			}
			return f
		},
	},
	{
		Name: "hole-neml-lle", Source: papers.NEML + ", Fig. 4", Statement: "NEML embeds the roll with a hole well, LLE distorts it.", Paper: "pictures",
		Check: func(r *bench.Records) bench.Finding {
			names := []string{holeName("neml", 1, 1e-3), holeName("neml", 2, 1e-3), holeName("lle", 1, 1e-3), holeName("lle", 2, 1e-3)}
			dev, found := r.Qualities("dev", names...)
			if len(found) < 4 {
				return r.FindingWithout(names...)
			}
			return bench.Finding{
				Verdict: bench.ReproducesIf(slices.Max(dev[:2]) < 0.05 && slices.Min(dev[2:]) > 0.1), Cases: names,
				Ours: fmt.Sprintf("dev of NEML %.4f and %.4f, of LLE %.3f and %.3f (γ = 1e-3)", dev[0], dev[1], dev[2], dev[3]),
			}
		},
	},
	{
		Name: "hole-ltsa", Source: papers.NEML + ", Fig. 4", Statement: "LTSA embeds the roll with a hole well.", Paper: "a picture",
		Check: func(r *bench.Records) bench.Finding {
			names := []string{holeName("ltsa", 1, 0), holeName("ltsa", 2, 0)}
			dev, found := r.Qualities("dev", names...)
			if len(found) < 2 {
				return r.FindingWithout(names...)
			}
			return bench.Finding{Verdict: bench.ReproducesIf(slices.Max(dev) < 0.05), Ours: fmt.Sprintf("dev %.4f and %.4f", dev[0], dev[1]), Cases: names}
		},
	},
	{
		Name: "hole-isomap", Source: papers.NEML + ", Fig. 4", Statement: "Isomap dilates the hole.", Paper: "a picture",
		Check: func(r *bench.Records) bench.Finding {
			names := []string{holeName("isomap", 1, 0), holeName("isomap", 2, 0)}
			dev, found := r.Qualities("dev", names...)
			if len(found) < 2 {
				return r.FindingWithout(names...)
			}
			return bench.Finding{Verdict: bench.ReproducesIf(slices.Min(dev) > 0.1), Ours: fmt.Sprintf("dev %.3f and %.3f", dev[0], dev[1]), Cases: names}
		},
	},
	{
		Name: "peak", Source: papers.NEML + ", Fig. 6",
		Statement: "NEML recovers the triple peak's parameters perfectly up to an affine map; the other methods distort them.",
		Paper:     "pictures",
		Check: func(r *bench.Records) bench.Finding {
			var names []string
			for _, m := range peakMethods {
				names = append(names, peakName(m, 15))
			}
			dev, found := r.Qualities("dev", names...)
			if len(found) < 2 || found[0] != names[0] {
				return r.FindingWithout(names...)
			}
			ours, holds := fmt.Sprintf("dev of neml %.4f", dev[0]), dev[0] < 0.01
			for i, name := range found[1:] {
				v := dev[i+1]
				method := name[len("peak/") : len(name)-len("/k=15")]
				ours += fmt.Sprintf(", %s %.4f", method, v)
				// Modified LLE is NEML with another mixing and not in the paper's figure.
				holds = holds && (method == "mlle" || v > 5*dev[0])
			}
			return bench.Finding{Verdict: bench.ReproducesIf(holds), Ours: ours, Cases: found}
		},
	},
	{
		Name: "peak-curvature", Source: papers.NEML + ", Fig. 6",
		Statement: "LTSA weighed by curvature has a much smaller error on the triple peak than LTSA.",
		Paper:     "much reduced",
		Check: func(r *bench.Records) bench.Finding {
			names := []string{peakName("ltsa-curvature", 15), peakName("ltsa", 15)}
			dev, found := r.Qualities("dev", names...)
			if len(found) < 2 {
				return r.FindingWithout(names...)
			}
			// "Much" is half.
			return bench.Finding{Verdict: bench.ReproducesIf(dev[0] <= dev[1]/2), Ours: fmt.Sprintf("dev %.4f against %.4f", dev[0], dev[1]), Cases: names}
		},
	},
}
