package lnp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
)

// The trefoil knot (Figs 2 and 3, 4a and 4b).

var (
	knot = closedCurve{
		prefix: "trefoil", title: "the trefoil", data: "trefoil", load: bench.GeneratedSet("trefoil", 110, 1, nil),
		params: map[string]any{"sigma": 1e-3, "seed": 1}, drawn: []int{5, 20, 40, 80},
	}
	knotNoises = []string{"0.01", "0.05"}
)

const knotSizes = 100 // the largest K

func noisyKnot(noise string) closedCurve {
	q := knot
	q.prefix, q.load = "trefoil-noise="+noise, bench.GeneratedSet("trefoil", 110, 1, map[string]string{"noise": noise})
	q.params, q.drawn = map[string]any{"sigma": noise, "seed": 1}, []int{20}
	return q
}

func knotCases(e *bench.Env) []bench.Case {
	var cases []bench.Case
	for _, x := range embedders {
		cases = append(cases, knot.asCase(x, sizesUpTo(e, knotSizes)))
	}
	for _, noise := range knotNoises {
		for _, x := range []chooser{byLNP, byLLE} {
			cases = append(cases, noisyKnot(noise).asCase(x, sizesUpTo(e, knotSizes)))
		}
	}
	return cases
}

// always says for each method at how many K of a case a figure is good, with its
// least value, such as "LNP at all 99 (least 1.00)".
func always(r *bench.Records, key string, good float64, methods []chooser, name func(chooser) string) (ours string, everywhere map[string]bool) {
	var said []string
	everywhere = map[string]bool{}
	for _, x := range methods {
		sizes, _ := byK(r, name(x), key)
		broken, low, _ := everyK(r, name(x), key, func(v float64) bool { return v >= good })
		everywhere[x.key] = len(broken) == 0 && len(sizes) > 0
		at := fmt.Sprintf("%d of %d", len(sizes)-len(broken), len(sizes))
		if everywhere[x.key] {
			at = fmt.Sprintf("all %d", len(sizes))
		}
		said = append(said, fmt.Sprintf("%s at %s K (least %.2f)", x.name, at, low))
	}
	return strings.Join(said, ", "), everywhere
}

func caseNames(methods []chooser, name func(chooser) string) []string {
	var names []string
	for _, x := range methods {
		names = append(names, name(x))
	}
	return names
}

// ranked lists the K at which another method's figure is higher than the first
// one's, by more than a tolerance, and the means.
func ranked(r *bench.Records, key string, tolerance float64, methods []chooser, name func(chooser) string) (beaten []float64, means string) {
	sizes, first := byK(r, name(methods[0]), key)
	var said []string
	for _, x := range methods {
		_, values := byK(r, name(x), key)
		sum := 0.0
		for i, v := range values {
			sum += v
			if i < len(first) && v > first[i]+tolerance && !slices.Contains(beaten, sizes[i]) {
				beaten = append(beaten, sizes[i])
			}
		}
		said = append(said, fmt.Sprintf("%s %.2f", x.name, sum/float64(max(len(values), 1))))
	}
	return beaten, strings.Join(said, ", ")
}

// fourMethods are the paper's, LNP by its cap or as printed.
func fourMethods(lnp chooser) []chooser { return []chooser{lnp, byLLE, byLE, bySMCE} }

// highestOfFour is the claim that LNP keeps lists of neighbours best.
func highestOfFour(q closedCurve, key, figure string) bench.Claim {
	return bench.Claim{
		Name: q.prefix + "-" + key, Source: papers.LNP + ", " + figure,
		Statement: fmt.Sprintf("On %s LNP has the highest %s of the four methods.", q.title, key), Paper: "curves",
		Check: func(r *bench.Records) bench.Finding {
			names := caseNames(embedders, q.name)
			if f, ready := r.Unready(names...); !ready {
				return f
			}
			// One rank in a hundred is no difference to speak of.
			sizes, _ := byK(r, names[0], key)
			of := len(sizes)
			beaten, means := ranked(r, key, 0.01, fourMethods(byLNP), q.name)
			printedBeaten, printedMeans := ranked(r, key, 0.01, fourMethods(byPrinted), q.name)
			f := bench.Finding{
				Cases: names, Verdict: bench.ReproducesIf(len(printedBeaten) == 0),
				Ours: fmt.Sprintf("highest (within 0.01) at %d of %d K with the cap, at %d as printed; means over K: %s, %s",
					of-len(beaten), of, of-len(printedBeaten), means, strings.Split(printedMeans, ", LLE")[0]),
			}
			if f.Verdict == bench.DoesNot && 2*len(beaten) < of {
				f.Verdict, f.Why = bench.PartlyHolds, "With the cap: the algorithm as printed does not keep to d + 1 neighbours."
				if len(beaten) > 0 {
					f.Why += " Even so another method is higher at K = " + rangesText(beaten, sizes) + "."
				}
			}
			return f
		},
	}
}

var knotClaims = []bench.Claim{
	{
		Name: "trefoil-convex", Source: papers.LNP + ", Theorems 1 and 4 and section 3",
		Statement: "The weights of LNP are not negative, and at most d + 1 of a sample's are not zero.",
		Paper:     "a theorem and a bound",
		Check: func(r *bench.Records) bench.Finding {
			names := caseNames([]chooser{byLNP, byPrinted}, knot.name)
			if f, ready := r.Unready(names...); !ready {
				return f
			}
			positive := func(v float64) bool { return v > 0 }
			few := func(v float64) bool { return v <= 2 }
			negative, least, _ := everyK(r, names[1], "least-weight", positive)
			many, _, most := everyK(r, names[1], "most-neighbours", few)
			cappedMany, _, cappedMost := everyK(r, names[0], "most-neighbours", few)
			f := bench.Finding{
				Cases: names, Verdict: bench.DoesNot,
				Ours: fmt.Sprintf("least weight %.1e; at most %.0f neighbours as printed, %.0f with the cap", least, most, cappedMost),
			}
			switch {
			case len(negative) > 0:
			case len(many) == 0:
				f.Verdict = bench.Reproduces
			case len(cappedMany) == 0:
				f.Verdict = bench.PartlyHolds
				f.Why = fmt.Sprintf("No weight is negative. The bound is not kept by the algorithm as printed: more than 2 neighbours on a curve from K = %d on.", many[0])
			}
			return f
		},
	},
	{
		Name: "trefoil-dimension", Source: papers.LNP + ", Fig. 2",
		Statement: "On the trefoil the largest gap in the mean sorted weights of LNP gives the dimension 1 for every K; that of LLE does not.",
		Paper:     "curves",
		Check:     func(r *bench.Records) bench.Finding { return dimensionOne(r, knot, true) },
	},
	{
		Name: "trefoil-embedding", Source: papers.LNP + ", Fig. 3",
		Statement: "LNP embeds the trefoil as a ring for every K, and of the four methods it alone does.",
		Paper:     "pictures: only LNP always embeds well",
		Check:     func(r *bench.Records) bench.Finding { return onlyRing(r, knot, 1) },
	},
	highestOfFour(knot, "nalac", "Fig. 4(a)"), highestOfFour(knot, "soft-nalac", "Fig. 4(b)"),
}

// dimensionOne judges the dimension by the largest gap on a closed curve: whether
// it is 1 for LNP, and where alone is set not for LLE.
func dimensionOne(r *bench.Records, q closedCurve, alone bool) bench.Finding {
	names := caseNames([]chooser{byPrinted, byLLE}, q.name)
	if f, ready := r.Unready(names...); !ready {
		return f
	}
	one := func(v float64) bool { return v == 1 }
	sizes, _ := byK(r, names[0], "gap")
	broken, low, high := everyK(r, names[0], "gap", one)
	others, least, most := everyK(r, names[1], "gap", one)
	return bench.Finding{
		Cases: names, Verdict: bench.ReproducesIf(len(broken) == 0 && (len(others) > 0 || !alone)),
		Ours: fmt.Sprintf("LNP from %.0f to %.0f over %d values of K; LLE from %.0f to %.0f, not 1 at %d of them", low, high, len(sizes), least, most, len(others)),
	}
}

// onlyRing judges whether LNP, and no other method, gives a ring at every K.
func onlyRing(r *bench.Records, q closedCurve, good float64) bench.Finding {
	names := caseNames(embedders, q.name)
	if f, ready := r.Unready(names...); !ready {
		return f
	}
	ours, everywhere := always(r, "ring", good, embedders, q.name)
	f := bench.Finding{Cases: names, Ours: "ring at least " + fmt.Sprint(good) + ": " + ours, Verdict: bench.DoesNot}
	others := everywhere[byLLE.key] || everywhere[byLE.key] || everywhere[bySMCE.key]
	switch {
	case everywhere[byPrinted.key] && !others:
		f.Verdict = bench.Reproduces
	case everywhere[byPrinted.key] || everywhere[byLNP.key] && others:
		f.Verdict, f.Why = bench.PartlyHolds, "LNP is not the only one."
	case everywhere[byLNP.key]:
		f.Verdict = bench.PartlyHolds
		f.Why = "With the cap on the number of neighbours, which the paper's bound asks for. The algorithm as printed takes far neighbours with tiny weights at large K, and the ring breaks."
	}
	return f
}

func knotSections(r *bench.Records) []bench.Section {
	sections := knot.sections(r, "The trefoil", "Figs 2–4", knotSizes,
		"110 samples, evenly along a closed knot in 3 of 100 dimensions, noise σ = 0.001, embedded in two dimensions at every K. A knot cannot be drawn in the plane without crossings, but a method that keeps to neighbours opens it to a ring.",
		"t, the parameter along the knot")
	return append(sections, noisySection(r))
}

func noisySection(r *bench.Records) bench.Section {
	s := bench.Section{
		Title: "The trefoil with more noise",
		Text:  "ring for larger σ. At σ = 0.05 the noise is comparable with the distance of neighbouring samples: no ring is whole, and LLE, which takes more neighbours, keeps more of it than LNP.",
		Table: &bench.Table{},
	}
	for _, noise := range knotNoises {
		q := noisyKnot(noise)
		t := tableByK(r, "ring", "%.2f", knotSizes, []chooser{byLNP, byLLE}, q.name)
		s.Table.Columns = append([]string{"method", "σ"}, t.Columns[1:]...)
		for _, row := range t.Rows {
			s.Table.Rows = append(s.Table.Rows, append([]bench.Cell{row[0], bench.PlainCell(noise)}, row[1:]...))
		}
		s.Pictures = append(s.Pictures, bench.Figure{Case: q.name(byLNP), Picture: pictureOf(20), Caption: "LNP, K = 20, σ = " + noise + ", coloured by t", Cyclic: true})
	}
	return s
}
