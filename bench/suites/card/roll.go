package card

import (
	"fmt"
	"math"
	"strings"

	"github.com/orthant-go/orthant/bench"
)

// rolls are the embeddings of the README's picture, and the one that its words add.
var rolls = []struct{ name, method, gamma string }{
	{"neml", "neml", "0.001"}, {"lle", "lle", "0.001"}, {"lle-default", "lle", "auto"},
}

func rollName(name string) string { return "roll/" + name + oursSide }

func rollCases() []bench.Case {
	var list []bench.Case
	for _, one := range rolls {
		c := bench.Embedding(rollName(one.name), bench.Generated("swiss-roll-hole", 1500), one.method,
			map[string]any{"neighbors": 15, "dim": 2, "gamma": one.gamma}, bench.Dev, bench.Draw("embedding"))
		c.Group, c.Accuracy = "roll", []bench.Accuracy{bench.Reported("dev")}
		list = append(list, c)
	}
	return list
}

const rollWords = "unrolled by NEML (left: dev 0.026) and by LLE (right: 0.182), both with the paper's γ. Colour is the position along the roll. At our default, γ by the local spectra, LLE has 0.05"

func rollClaims() []bench.Claim {
	return []bench.Claim{{
		Name: "readme/roll", Source: "orthant", Paper: rollWords,
		Statement: "The swiss roll with a hole, 1500 samples, has the errors that the README prints, to a tenth of each.",
		Check: func(r *bench.Records) bench.Finding {
			var names []string
			for _, one := range rolls {
				names = append(names, rollName(one.name))
			}
			f, ready := r.Unready(names...)
			if !ready {
				return f
			}
			devs, _ := r.Qualities("dev", names...)
			var ours, why []string
			for i, printed := range bench.Figures(rollWords) {
				ours = append(ours, rolls[i].name+" "+bench.ErrorText(devs[i]))
				if math.Abs(devs[i]-printed) > bench.FigureTolerance*printed {
					why = append(why, fmt.Sprintf("%s has %s, not %g", rolls[i].name, bench.ErrorText(devs[i]), printed))
				}
			}
			f = bench.TargetFinding(len(why) == 0, strings.Join(ours, ", "), names)
			f.Why = strings.Join(why, "; ")
			return f
		},
	}}
}

func rollSections(r *bench.Records) []bench.Section {
	t := &bench.Table{Columns: []string{"method", "γ", "CPU and error"}}
	s := bench.Section{Title: "The roll of the README", Table: t}
	for _, one := range rolls {
		name := rollName(one.name)
		t.Rows = append(t.Rows, []bench.Cell{{Text: one.method}, {Text: one.gamma}, r.TimedCell(name, "total")})
		s.Pictures = append(s.Pictures, bench.Figure{Case: name, Picture: "embedding", Caption: one.method + ", γ = " + one.gamma})
	}
	return []bench.Section{s}
}
