package card

import (
	"fmt"
	"strings"

	"github.com/orthant-go/orthant/bench"
)

// The README's words on factorisations.
const (
	sweepWords   = "a multiplicative sweep takes 1.16 to 1.30 of scikit-learn's time to the same error"
	klWords      = "with the Kullback–Leibler loss 0.37 to 0.83"
	descentWords = "coordinate descent reaches the error of its 20th and 200th sweep in 0.31 to 0.79 and in 0.13 to 0.84 of the time"
	errorWords   = "COIL-20, relative error 0.26 after 200 sweeps, and a dense 4000 × 2000"
)

func sweepClaims() []bench.Claim {
	claim := func(name, words, statement string, most float64, pairs func(s *nmfSet) []pair) bench.Claim {
		return bench.Claim{Name: "readme/" + name, Source: "orthant", Paper: words,
			Statement: statement + fmt.Sprintf(" in at most %g of scikit-learn's time, a tenth more at most.", most),
			Check:     func(r *bench.Records) bench.Finding { return shareOfTime(r, most, pairs) }}
	}
	sweep := func(loss string) func(*nmfSet) []pair {
		return func(s *nmfSet) []pair {
			return []pair{{s.sweepGroup(loss) + oursSide, s.sweepGroup(loss) + sklearnSide}}
		}
	}
	descent := func(sweeps int) func(*nmfSet) []pair {
		return func(s *nmfSet) (list []pair) {
			for _, start := range starts {
				group := s.descentGroup(sweeps, start)
				list = append(list, pair{group + "/hals" + oursSide, group + sklearnSide}, pair{group + "/hals-extrapolated" + oursSide, group + sklearnSide})
			}
			return list
		}
	}
	mu, kl, cd := bench.Figures(sweepWords), bench.Figures(klWords), bench.Figures(descentWords)
	return []bench.Claim{
		claim("nmf-sweep", sweepWords, "A multiplicative sweep for the squared error is done", mu[1], sweep("frobenius")),
		claim("nmf-kl-sweep", klWords, "A multiplicative sweep for the Kullback–Leibler loss is done", kl[1], sweep("kullback-leibler")),
		claim("nmf-20-sweeps", descentWords, "Coordinate descent reaches the error of scikit-learn's 20th sweep, with extrapolation and without,", cd[3], descent(20)),
		claim("nmf-200-sweeps", descentWords, "Coordinate descent reaches the error of scikit-learn's 200th sweep, with extrapolation and without,", cd[5], descent(200)),
		{
			Name: "readme/nmf-error", Source: "orthant", Paper: errorWords,
			Statement: "The error of COIL-20 after 200 sweeps is the README's, to a tenth.",
			Check: func(r *bench.Records) bench.Finding {
				name, printed := nmfSets[0].descentGroup(200, starts[0])+sklearnSide, bench.Figures(errorWords)[1]
				f, ready := r.Unready(name)
				if !ready {
					return f
				}
				v, _ := r.Quality(name, "reconstruction")
				f = bench.TargetFinding(v >= printed*(1-bench.Spare) && v <= printed*(1+bench.Spare), bench.ErrorText(v), f.Cases)
				if f.Verdict == bench.TargetMissed {
					f.Why = fmt.Sprintf("not %g", printed)
				}
				return f
			},
		},
	}
}

// pair is a case of ours and one of scikit-learn.
type pair struct{ ours, theirs string }

// shareOfTime judges the largest share of scikit-learn's time over the sets and starts.
func shareOfTime(r *bench.Records, most float64, pairs func(*nmfSet) []pair) bench.Finding {
	var list []pair
	var all, ours, why []string
	for i := range nmfSets {
		list = append(list, pairs(&nmfSets[i])...)
	}
	for _, p := range list {
		all = append(all, p.ours, p.theirs)
	}
	f, ready := r.Sound(all...)
	if !ready {
		return f
	}
	for _, p := range list {
		a, _ := r.CPU(p.ours)
		b, _ := r.CPU(p.theirs)
		what := strings.TrimSuffix(strings.TrimPrefix(p.ours, "nmf/"), oursSide)
		ours = append(ours, fmt.Sprintf("%s %.2f at %s to %s", what, a/b, r.AccuracyCell(p.ours).Text, r.AccuracyCell(p.theirs).Text))
		if !(a <= most*(1+bench.Spare)*b) {
			why = append(why, fmt.Sprintf("%s takes %.2f of the time", what, a/b))
		}
	}
	return r.SpeedFinding(len(why) == 0, strings.Join(ours, "; "), all, why...)
}

func sweepSections(r *bench.Records) []bench.Section {
	t := &bench.Table{Columns: []string{"matrix", "", "orthant", "scikit-learn", "of its time"}}
	add := func(set, title, ours, theirs string) {
		share := bench.Cell{Text: "–", Mark: bench.Absent}
		a, found := r.CPU(ours)
		if b, both := r.CPU(theirs); found && both && b > 0 {
			share = bench.Cell{Text: fmt.Sprintf("%.2f", a/b), Case: ours}
		}
		t.Rows = append(t.Rows, []bench.Cell{{Text: set}, {Text: title}, r.TimedCell(ours, "total"), r.TimedCell(theirs, "total"), share})
	}
	for i := range nmfSets {
		s := &nmfSets[i]
		for _, l := range losses {
			add(s.name, "a multiplicative sweep, "+l.name, s.sweepGroup(l.name)+oursSide, s.sweepGroup(l.name)+sklearnSide)
		}
		for _, d := range descents() {
			group := s.descentGroup(d.sweeps, d.start)
			for _, way := range []string{"hals", "hals-extrapolated"} {
				add(s.name, fmt.Sprintf("%s to the error of %d sweeps, start %d", way, d.sweeps, d.start), group+"/"+way+oursSide, group+sklearnSide)
			}
		}
	}
	return []bench.Section{{Title: "Factorisations from the same start, one thread", Table: t}}
}
