package neml

import (
	"fmt"
	"math"
	"strings"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
)

// loneValue is an error of Table 1 whose row is lost: of the columns other than
// d = 9 one value each is legible, and not whose of the three methods it is.
type loneValue struct {
	classifier string
	d          int
	mean, sd   float64 // percent
}

var newsLone = []loneValue{
	{"nn", 3, 62.6, 1.3}, {"nn", 6, 46.5, 0.1}, {"nn", 12, 35.2, 0.4}, {"nn", 15, 30.5, 0.2},
	{"nfl", 3, 64.5, 1.5}, {"nfl", 6, 45.4, 0.4}, {"nfl", 12, 28.2, 0.4}, {"nfl", 15, 25.3, 0.5},
}

// loneCell is the legible value of a column, where there is one.
func loneCell(classifier string, d int) bench.Cell {
	for _, v := range newsLone {
		if v.classifier == classifier && v.d == d {
			return bench.PaperCell(v.text())
		}
	}
	return bench.PlainCell("")
}

func (v loneValue) text() string { return fmt.Sprintf("%v ± %v", v.mean, v.sd) }

// claim is judged by the rule of the values whose row is known (see [newsClaim]):
// it is reproduced where one of the three methods agrees.
func (v loneValue) claim() bench.Claim {
	return bench.Claim{
		Name: fmt.Sprintf("20news-%s-d%d", v.classifier, v.d), Source: papers.NEML + ", Table 1",
		Statement: fmt.Sprintf("20newsgroups in %d dimensions: one of the three methods lets the %s be wrong in %v %% of the cases.", v.d, classifierNames[v.classifier], v.mean),
		Paper:     v.text() + " %",
		Check:     v.check,
	}
}

func (v loneValue) check(r *bench.Records) bench.Finding {
	q := newsTrials(&bench.Env{})
	var ours, agree, names []string
	for _, method := range q.methods {
		name := q.name(method, v.d)
		names = append(names, name)
		mean, found := r.Quality(name, v.classifier+"-error")
		if !found {
			continue
		}
		sd, _ := r.Quality(name, v.classifier+"-sd")
		ours = append(ours, fmt.Sprintf("%s %.1f ± %.1f %%", strings.ToUpper(method), mean, sd))
		if agrees(mean, sd, v.mean, v.sd) {
			agree = append(agree, strings.ToUpper(method))
		}
	}
	if len(ours) < len(q.methods) {
		return r.FindingWithout(names...)
	}
	f := bench.Finding{Verdict: bench.ReproducesIf(len(agree) > 0), Ours: strings.Join(ours, ", "), Cases: names}
	f.Why = "The value is the only legible one of its column, and its row is lost; "
	if len(agree) > 0 {
		f.Why += "it agrees with " + strings.Join(agree, " and ") + "."
	} else {
		f.Why += "none of the three agrees. LE, of which one column is known, errs less here than in the paper."
	}
	return f
}

// agrees is the rule of every value of Table 1: within twice the deviation of the
// splits, the paper's and ours together, and one point.
func agrees(mean, sd, paper, paperSD float64) bool {
	return math.Abs(mean-paper) <= 1+2*math.Hypot(sd, paperSD)
}
