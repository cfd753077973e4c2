package smrmf

import (
	"fmt"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
)

// machine is that of Table 6.
const machine = "MATLAB 2019b, 2.3 GHz Core i5, 16 GB"

// took is a method's row of Table 6.
func (m method) took() string {
	return fmt.Sprintf("%.4g s, the average over %d data sets; %s", m.seconds, len(m.printedSets()), machine)
}

// printedSets are those on which the paper could run the method: the average of its time
// is over these.
func (m method) printedSets() []dataSet {
	return slices.DeleteFunc(slices.Clone(dataSets), func(s dataSet) bool { return !m.ranOn(s) })
}

func (m method) ranOn(s dataSet) bool { return printedACC[s.key][m.column()] != "–" }

// secondsClaims are the rows of Table 6 as they are printed, and in proportion to SMRMF.
func secondsClaims() []bench.Claim {
	var list []bench.Claim
	for _, m := range methods {
		list = append(list, secondsClaim(m))
		// f-SMRMF and RMNMF have claims of their own.
		if m.title != "SMRMF" && m.title != "f-SMRMF" && m.title != "RMNMF" {
			list = append(list, timesAsLong(strings.ToLower(m.title)+"-over-smrmf", m.title, "SMRMF", m.seconds/methodTitled("SMRMF").seconds, fmt.Sprintf("The time of %s over that of SMRMF", m.title)))
		}
	}
	return list
}

// secondsClaim is a row of Table 6. It holds where our processor time lies within a
// factor of two of it.
func secondsClaim(m method) bench.Claim {
	return bench.Claim{
		Name: strings.ToLower(m.title) + "-seconds", Source: papers.SMRMF + ", Table 6",
		Statement: fmt.Sprintf("%s takes %.4g s on average.", m.title, m.seconds), Paper: fmt.Sprintf("%.4g s", m.seconds), Took: m.took(),
		Check: func(r *bench.Records) bench.Finding {
			var names []string
			var sum float64
			for _, s := range m.printedSets() {
				names = append(names, timeName(s, m))
				cpu, _ := r.CPU(timeName(s, m))
				sum += cpu
			}
			f, ready := r.Unready(names...)
			if !ready {
				return f
			}
			mean := sum / float64(len(names))
			f.Ours = fmt.Sprintf("%.3g s of processor time, the average over %d sets", mean, len(names))
			f.Verdict = bench.ReproducesIf(mean >= m.seconds/2 && mean <= 2*m.seconds)
			switch {
			case mean < m.seconds/2:
				f.Why = fmt.Sprintf("%.3g times faster: another machine, language and year, and other numbers of iterations", m.seconds/mean)
			case mean > 2*m.seconds:
				f.Why = fmt.Sprintf("%.3g times slower", mean/m.seconds)
			}
			return f
		},
	}
}
