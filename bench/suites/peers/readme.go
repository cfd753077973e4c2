package peers

import (
	"fmt"

	"github.com/orthant-go/orthant/bench"
)

// readmeRows are the rows of the README's table by group, less their titles: processor seconds of
// both, times faster, both errors, and both peaks of memory.
var readmeRows = []struct{ group, words string }{
	{"swiss-roll-20000/lle", "| LLE, swiss roll, 20 000 samples, k = 12 | 0.381 | 3.69 | 9.7 | dev 0.0018 / 0.058 | 70 / 231 |"},
	{"swiss-roll-10000/mlle", "| modified LLE, 10 000 samples | 0.172 | 4.18 | 24 | dev 0.00061 / 0.0012 | 45 / 783 |"},
	{"swiss-roll-10000/ltsa", "| LTSA, 10 000 samples | 0.187 | 24.3 | 130 | dev 0.00034 / 0.00042 | 44 / 1544 |"},
	{"swiss-roll-20000/le", "| Laplacian eigenmaps, 20 000 samples | 0.260 | 17.0 | 65 | angle 0.023 / 0.023 | 49 / 165 |"},
	{"swiss-roll-5000/isomap", "| Isomap, 5000 samples | 0.430 | 17.2 | 40 | dev 0.0055 / 0.0055 | 94 / 876 |"},
	{"usps/neighbors", "| 12 nearest neighbours of 11 000 digits in 256 columns | 0.521 | 2.56 | 4.9 | recall 1 / 1 | 62 / 135 |"},
}

// todayRows are those of the table with a newer scikit-learn.
var todayRows = []struct{ group, words string }{
	{"swiss-roll-20000/lle", "| LLE, swiss roll, 20 000 samples, k = 12 | 0.460 | 5.05 | 11 | dev 0.0018 / 0.058 | 67 / 317 |"},
	{"swiss-roll-10000/mlle", "| modified LLE, 10 000 samples | 0.148 | 17.9 | 121 | dev 0.00061 / 0.0012 | 51 / 281 |"},
	{"swiss-roll-10000/ltsa", "| LTSA, 10 000 samples | 0.135 | 12.6 | 93 | dev 0.00034 / 0.00042 | 51 / 266 |"},
	{"swiss-roll-20000/le", "| Laplacian eigenmaps, 20 000 samples | 0.213 | 0.739 | 3.5 | angle 0.023 / 0.023 | 49 / 247 |"},
	{"swiss-roll-5000/isomap", "| Isomap, 5000 samples | 0.423 | 8.63 | 20 | dev 0.0055 / 0.0055 | 96 / 768 |"},
	{"usps/neighbors", "| 12 nearest neighbours of 11 000 digits in 256 columns | 0.460 | 2.31 | 5.0 | recall 1 / 1 | 63 / 217 |"},
}

// inReadme tells whether a row of the README is about a group.
func inReadme(group string) bool {
	for _, row := range readmeRows {
		if row.group == group {
			return true
		}
	}
	return false
}

func readmeClaims() []bench.Claim {
	var list []bench.Claim
	for _, row := range readmeRows {
		list = append(list, bench.Claim{
			Name: "readme/" + row.group, Source: "orthant", Paper: row.words,
			Statement: row.group + " is as many times faster than scikit-learn as the README prints, less a tenth at most, with no more than a tenth more error and memory.",
			Check:     func(r *bench.Records) bench.Finding { return asPrinted(r, row.group, sklearnSide, row.words) },
		})
	}
	for _, row := range todayRows {
		list = append(list, bench.Claim{
			Name: "readme/today/" + row.group, Source: "orthant", Paper: row.words,
			Statement: row.group + " is as many times faster than today's scikit-learn as the README prints, less a tenth at most, with no more than a tenth more error and memory.",
			Check:     func(r *bench.Records) bench.Finding { return asPrinted(r, row.group, todaySide, row.words) },
		})
	}
	return list
}

// asPrinted judges what does not depend on the machine's speed: the ratio of the seconds, the
// error and the memory.
func asPrinted(r *bench.Records, group, side, words string) bench.Finding {
	ours, theirs := group+"/"+oursSide, group+"/"+side
	f, ready := r.Sound(ours, theirs)
	if !ready {
		return f
	}
	figures := bench.Figures(words)
	figures = figures[len(figures)-7:]
	times, printedError, printedMiB := figures[2], figures[3], figures[5]
	a, _ := r.CPU(ours)
	b, _ := r.CPU(theirs)
	var why []string
	if b < times*(1-bench.Spare)*a {
		why = append(why, fmt.Sprintf("%.3g times faster, not %g", b/a, times))
	}
	one := r.Get(ours)
	accuracy := one.Accuracy[0]
	v, _ := r.Quality(ours, accuracy.Quality)
	if accuracy.Share && v < printedError || !accuracy.Share && v > printedError*(1+bench.Spare) {
		why = append(why, fmt.Sprintf("%s is %s, not %g", accuracy.Quality, bench.ErrorText(v), printedError))
	}
	if float64(one.PeakBytes) > printedMiB*(1+bench.Spare)*(1<<20) {
		why = append(why, fmt.Sprintf("%s, not %g MiB", bench.PeakText(one), printedMiB))
	}
	return r.SpeedFinding(len(why) == 0, fmt.Sprintf("%.3g s to %.3g s, %.3g times faster; %s to %s; %s to %s", a, b, b/a,
		r.AccuracyCell(ours).Text, r.AccuracyCell(theirs).Text, bench.PeakText(one), bench.PeakText(r.Get(theirs))), f.Cases, why...)
}
