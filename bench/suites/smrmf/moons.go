package smrmf

import (
	"fmt"
	"strconv"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
)

// moonClaim is a row of Table 2: whether the paper's figures lie in what drawn sets
// give, or are within 0.01 of it.
func moonClaim(s dataSet, key string) bench.Claim {
	paper, at, name, what := printedMoons[s.key], 0, s.key, "accuracies"
	if key == "nmi" {
		at, name, what = 1, s.key+"-nmi", "normalised mutual information"
	}
	return bench.Claim{
		Name: name, Source: papers.SMRMF + ", Table 2",
		Statement: fmt.Sprintf("The %s of RMNMF and SMRMF on %s.", what, s.title), Paper: fmt.Sprintf("RMNMF %s, SMRMF %s", paper[0][at], paper[1][at]),
		Check: func(r *bench.Records) bench.Finding {
			f, ready := r.Unready(namesOf(s, "RMNMF", "SMRMF")...)
			if !ready {
				return f
			}
			inside := 0
			for i, title := range []string{"RMNMF", "SMRMF"} {
				name := caseName(s, methodTitled(title))
				middle, _ := r.Quality(name, key)
				low, _ := r.Quality(name, key+"-low")
				high, _ := r.Quality(name, key+"-high")
				want, _ := strconv.ParseFloat(paper[i][at], 64)
				f.Ours = join(f.Ours, fmt.Sprintf("%s %.3f, from %.3f to %.3f over the drawn sets", title, middle, low, high))
				if want >= low-0.01 && want <= high+0.01 {
					inside++
				} else {
					f.Why = join(f.Why, fmt.Sprintf("what is printed of %s is outside this range", title))
				}
			}
			f.Verdict = []bench.Verdict{bench.DoesNot, bench.PartlyHolds, bench.Reproduces}[inside]
			return f
		},
	}
}

// moonGain is that SMRMF clusters the moons better.
func moonGain(s dataSet) bench.Claim {
	paper := printedMoons[s.key]
	return bench.Claim{
		Name: s.key + "-gain", Source: papers.SMRMF + ", Table 2",
		Statement: fmt.Sprintf("SMRMF clusters %s better than RMNMF.", s.title), Paper: fmt.Sprintf("%s against %s", paper[1][0], paper[0][0]),
		Check: func(r *bench.Records) bench.Finding {
			names := namesOf(s, "SMRMF", "RMNMF")
			f, ready := r.Unready(names...)
			if !ready {
				return f
			}
			ours, theirs := r.Get(names[0]).Series["acc"], r.Get(names[1]).Series["acc"]
			a, b := bench.Summarize(ours).Median, bench.Summarize(theirs).Median
			wins := 0
			for i := range min(len(ours), len(theirs)) {
				if ours[i] > theirs[i] {
					wins++
				}
			}
			f.Ours = fmt.Sprintf("median %.3f against %.3f, better on %d of %d drawn sets", a, b, wins, len(ours))
			switch {
			case a > b && 3*wins >= 2*len(ours):
				f.Verdict = bench.Reproduces
			case a > b:
				f.Verdict, f.Why = bench.PartlyHolds, "on fewer than two thirds of the sets"
			default:
				f.Verdict = bench.DoesNot
			}
			return f
		},
	}
}

// moonsLearned is what Fig. 1 shows, counted as in Table 1.
var moonsLearned = bench.Claim{
	Name: "figure-1", Source: papers.SMRMF + ", Fig. 1 and Table 1",
	Statement: "On 2DMoons no edge of the learned graph of SMRMF joins the two moons, where some of the graph of RMNMF do.", Paper: ".01 of the neighbours are bad before, 0 after",
	Check: func(r *bench.Records) bench.Finding {
		names := []string{nearestName(planeMoons), caseName(planeMoons, methodTitled("SMRMF"))}
		f, ready := r.Unready(names...)
		if !ready {
			return f
		}
		before, _ := r.Quality(names[0], "bad-nn")
		after, found := r.Quality(names[1], "bad-nn")
		if !found {
			return bench.Finding{Verdict: bench.CannotCheck, Why: "the method gave no learned graph", Cases: names}
		}
		f.Ours = fmt.Sprintf("%.4f before, %.4f after, medians of the drawn sets", before, after)
		switch {
		case before > 0 && after == 0:
			f.Verdict = bench.Reproduces
		case after < before:
			f.Verdict, f.Why = bench.PartlyHolds, "fewer join them, but some do"
		default:
			f.Verdict = bench.DoesNot
		}
		return f
	},
}

// moonSections shows Table 2.
func moonSections(r *bench.Records) []bench.Section {
	s := bench.Section{
		Title: "Table 2: the two moons",
		Text:  "250 samples a moon. Ours: median (least–greatest) over drawn sets of the best accuracy in the grid of λ, its NMI over the larger entropy, and the median over the sets of the grid's median.",
		Table: &bench.Table{Columns: []string{"set", "method", "ACC", "paper", "NMI", "paper", "ACC, median of the grid"}},
	}
	for _, set := range moonSets {
		for i, title := range []string{"RMNMF", "SMRMF", "f-SMRMF"} {
			name := caseName(set, methodTitled(title))
			paper := []string{"–", "–"}
			if i < 2 {
				paper = printedMoons[set.key][i]
			}
			s.Table.Rows = append(s.Table.Rows, []bench.Cell{bench.PlainCell(set.title), bench.PlainCell(title), set.spread(r, name, "acc"), bench.PaperCell(paper[0]), set.spread(r, name, "nmi"), bench.PaperCell(paper[1]), set.ours(r, name, "grid-median", "%.3f")})
		}
	}
	return []bench.Section{s}
}
