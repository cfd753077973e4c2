package card

import (
	"fmt"

	"github.com/orthant-go/orthant/bench"
)

const transformWords = "a million samples of 50 columns with a model of 20 000 samples take 66 s of processor time and 86 MiB, from a pipe or a file, with the same bits as in one piece: error 0"

// The figures of transformWords.
const (
	transformSeconds = 2
	transformMiB     = 3
)

func transformClaims() []bench.Claim {
	return []bench.Claim{
		{
			Name: "readme/transform", Source: "orthant", Paper: transformWords,
			Statement: "A million new samples take the processor time and memory that the README prints, a tenth more at most, from a pipe as from a file, with the bits of all at once.",
			Check: func(r *bench.Records) bench.Finding {
				printed := bench.Figures(transformWords)
				names := []string{transformName("file/orthant", manyRows), transformName("pipe/orthant", manyRows)}
				f, ready := r.Sound(names...)
				if !ready {
					return f
				}
				var ours string
				var why []string
				for i, way := range []string{"file", "pipe"} {
					one := r.Get(names[i])
					seconds := one.CPUSeconds["total"].Median
					ours += fmt.Sprintf("%s: %.3g s, %s, %s; ", way, seconds, bench.PeakText(one), r.AccuracyCell(names[i]).Text)
					if seconds > printed[transformSeconds]*(1+bench.Spare) {
						why = append(why, fmt.Sprintf("%s takes %.3g s of the processor", way, seconds))
					}
					if float64(one.PeakBytes) > printed[transformMiB]*(1+bench.Spare)*(1<<20) {
						why = append(why, way+" takes "+bench.PeakText(one))
					}
				}
				return r.SpeedFinding(len(why) == 0, ours[:len(ours)-2], names, why...)
			},
		},
		{
			Name: "transform/scikit-learn", Source: "orthant", Paper: "no more time, no more memory",
			Statement: "Mapping 20 000 samples by a model of LLE takes no more processor time and memory than scikit-learn's transform, reading and all.",
			Check: func(r *bench.Records) bench.Finding {
				ours, theirs := transformName("file/orthant", fewRows), transformName("scikit-learn", fewRows)
				f, ready := r.Sound(ours, theirs)
				if !ready {
					return f
				}
				a, _ := r.CPU(ours)
				b, _ := r.CPU(theirs)
				var why []string
				if b < a {
					why = append(why, fmt.Sprintf("%.2f times as fast only", b/a))
				}
				if r.Get(ours).PeakBytes > r.Get(theirs).PeakBytes {
					why = append(why, "more memory")
				}
				return r.SpeedFinding(len(why) == 0, fmt.Sprintf("%.3g times as fast, %s to %s; %s to %s", b/a, bench.PeakText(r.Get(ours)), bench.PeakText(r.Get(theirs)),
					r.AccuracyCell(ours).Text, r.AccuracyCell(theirs).Text), f.Cases, why...)
			},
		},
	}
}

func transformSections(r *bench.Records) []bench.Section {
	t := &bench.Table{Columns: []string{"rows", "", "CPU and error", "rows a second by the clock", "peak of memory"}}
	for _, c := range transformCases() {
		if c.N == quickRows && r.Lookup(c.Name) == nil {
			continue
		}
		rows := func(*bench.Record) string { return fmt.Sprintf("%.3g", rate(r, c.Name)) }
		t.Rows = append(t.Rows, []bench.Cell{{Text: fmt.Sprint(c.N)}, {Text: c.Name[len(c.Group)+1:]}, r.TimedCell(c.Name, "total"), r.Cell(c.Name, rows), r.Cell(c.Name, bench.PeakText)})
	}
	return []bench.Section{{Title: "New samples by a model of 20 000, or of as many where they are fewer, 50 columns, one thread", Table: t,
		Text: "Ours is the whole command, which reads and writes; scikit-learn is timed around transform, after it has fitted and read."}}
}
