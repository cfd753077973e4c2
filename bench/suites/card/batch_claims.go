package card

import (
	"fmt"

	"github.com/orthant-go/orthant/bench"
)

const batchWords = "2000 jobs of 500 samples (LLE, dev 0.29 in the median) run at 157 a second on two cores by `orthant batch`, at 34 by scikit-learn with joblib in one Python (dev 0.26), and at 1.7 with a Python process for each"

// The figures of batchWords.
const (
	_ = iota
	_
	batchDev
	batchRate
	joblibRate
	joblibDev
	processRate
)

func batchClaims() []bench.Claim {
	printed := bench.Figures(batchWords)
	// wrong says how a median dev is larger than the README's.
	wrong := func(r *bench.Records, name string, figure int) []string {
		if dev, _ := r.Quality(name, "dev"); dev > printed[figure]*(1+bench.Spare) {
			return []string{fmt.Sprintf("dev of %s is %s, not %g", name, bench.ErrorText(dev), printed[figure])}
		}
		return nil
	}
	claim := func(name, than string, figure int, others ...string) bench.Claim {
		times := printed[batchRate] / printed[figure]
		return bench.Claim{
			Name: "readme/batch-" + name, Source: "orthant", Paper: batchWords,
			Statement: fmt.Sprintf("A batch of LLE of 500 samples does %.3g times the jobs a second of %s, less a tenth at most, at no larger an error than the README's.", times, than),
			Check: func(r *bench.Records) bench.Finding {
				ours := batchWays[0].name
				f, ready := r.Sound(append([]string{ours}, others...)...)
				if !ready {
					return f
				}
				fastest := 0.0
				for _, name := range others {
					fastest = max(fastest, rate(r, name))
				}
				why := append(wrong(r, ours, batchDev), wrong(r, others[0], joblibDev)...)
				got := rate(r, ours) / fastest
				if got < times*(1-bench.Spare) {
					why = append(why, fmt.Sprintf("%.3g times, not %.3g", got, times))
				}
				return r.SpeedFinding(len(why) == 0, fmt.Sprintf("%.0f a second to %.3g, %.3g times; %s to %s", rate(r, ours), fastest, got, r.AccuracyCell(ours).Text, r.AccuracyCell(others[0]).Text), f.Cases, why...)
			},
		}
	}
	return []bench.Claim{
		claim("joblib", "scikit-learn with joblib", joblibRate, batchWays[3].name, batchWays[4].name),
		claim("processes", "a Python process for each job", processRate, batchWays[5].name),
	}
}

func batchSections(r *bench.Records) []bench.Section {
	t := &bench.Table{Columns: []string{"", "jobs", "jobs a second and error", "seconds by the clock"}}
	for _, way := range batchWays {
		count := func(one *bench.Record) string { return fmt.Sprint(one.Samples) }
		t.Rows = append(t.Rows, []bench.Cell{{Text: way.title}, r.Cell(way.name, count), rateCell(r, way.name, "%.4g"), r.Cell(way.name, bench.WallText("total"))})
	}
	return []bench.Section{{Title: "Batches: LLE of 500 samples, k = 10", Table: t}}
}

// rateCell prints what a case did in a second, with its errors.
func rateCell(r *bench.Records, name, format string) bench.Cell {
	return r.CellWithError(name, func(*bench.Record) string { return fmt.Sprintf(format, rate(r, name)) })
}
