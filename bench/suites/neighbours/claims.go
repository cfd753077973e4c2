package neighbours

import (
	"fmt"
	"strings"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/internal/draw"
)

// point is a search: its wall time in seconds with its recall.
type point struct {
	name            string // name of its case
	setting         string // empty: of the whole case
	seconds, recall float64
}

// least is the recall from which a search counts as reaching another one: it misses at most a tenth more neighbours, which
// is about the error of the measurement.
func least(recall float64) float64 { return 1 - 1.1*(1-recall) }

// points returns the searches of a case; none if it did not run.
func points(r *bench.Records, name string) []point {
	one := r.Get(name)
	if one == nil {
		return nil
	}
	recall, found := r.Quality(name, recallKey)
	if !found || len(one.Seconds["total"].Values) == 0 {
		return nil
	}
	seconds, recalls := one.Series[wallSeconds], one.Series[recallSeries]
	if len(seconds) == 0 || len(seconds) != len(recalls) {
		return []point{{name: name, seconds: one.Seconds["total"].Median, recall: recall}}
	}
	p := programOf(name)
	list := make([]point, len(seconds))
	for i := range list {
		list[i] = point{name: name, seconds: seconds[i], recall: recalls[i]}
		if p != nil && p.setting != "" && i < len(p.values) {
			list[i].setting = fmt.Sprintf("%s %d", p.setting, p.values[i])
		}
	}
	return list
}

// programOf returns the program of a case; nil for ours.
func programOf(name string) *program {
	for i := range programs {
		if strings.HasSuffix(name, "/"+programs[i].name) {
			return &programs[i]
		}
	}
	return nil
}

// fastest returns the fastest search of some cases that reaches a recall.
func fastest(r *bench.Records, recall float64, names ...string) (best point, found bool) {
	for _, name := range names {
		for _, p := range points(r, name) {
			if p.recall >= least(recall)-1e-12 && (!found || p.seconds < best.seconds) {
				best, found = p, true
			}
		}
	}
	return best, found
}

// String words a search for a finding.
func (p point) String() string {
	of := p.name[strings.IndexByte(p.name, '/')+1:]
	if p.setting != "" {
		of += ", " + p.setting
	}
	return fmt.Sprintf("%s (%s, recall %.4f)", bench.SecondsText(p.seconds), of, p.recall)
}

// setNamed returns a set of the suite.
func setNamed(name string) *dataSet {
	for i := range sets {
		if sets[i].name == name {
			return &sets[i]
		}
	}
	panic("no set " + name)
}

// approximate returns the cases of our approximate search on two threads.
func (s *dataSet) approximate() []string {
	var names []string
	for _, recall := range s.recalls {
		names = append(names, s.caseName(oursName(recall, threads)))
	}
	return names
}

// others returns the cases of approximate searches by other programs, or also of their exact ones.
func (s *dataSet) others(exact bool) []string {
	var names []string
	for i := range programs {
		if p := &programs[i]; s.takes(p) && (exact || !p.all) {
			names = append(names, s.caseName(p.name))
		}
	}
	return names
}

// ran explains why a claim cannot be judged: none of the cases ran on the whole set.
func (s *dataSet) ran(r *bench.Records, names []string) (f bench.Finding, ran bool) {
	few := false
	for _, name := range names {
		if one := r.Get(name); one != nil {
			if one.Samples >= s.n {
				return f, true
			}
			few = true
		}
	}
	if few {
		return bench.Finding{Verdict: bench.NotRun, Why: fmt.Sprintf("it takes all %s samples (--quick takes fewer)", draw.Number(float64(s.n), 8)), Cases: names}, false
	}
	return r.FindingWithout(names...), false
}

// missed returns the finding if none of our searches reaches a recall.
func missed(r *bench.Records, recall float64, names []string) bench.Finding {
	var ran []string
	for _, name := range names {
		if r.Get(name) != nil {
			ran = append(ran, name)
		}
	}
	f := bench.TargetFinding(false, "", ran)
	f.Why = strings.Join(append([]string{fmt.Sprintf("no search of ours reaches recall %g", recall)}, r.Shortfalls(ran...)...), "; ")
	return f
}

// The targets of the suite.
const (
	timesFaster  = 3
	maxGrowth    = 13
	minThreads   = 1.8
	millionMost  = 70.0 // seconds
	largestMost  = 400.0
	largestBytes = 12 << 30
)

func claims() []bench.Claim {
	return []bench.Claim{
		faster("mnist", 0.99),
		{
			Name: "mnist/exact", Source: "orthant", Paper: "no more seconds than the fastest of the others at recall 0.99",
			Statement: "The exact search of MNIST takes no longer than the fastest approximate search in Python with recall 0.99.",
			Check:     exactIsFast,
		},
		within("1m-128-d15", 0.95, millionMost), faster("1m-128-d15", 0.95),
		within("1m-128-d30", 0.95, millionMost), faster("1m-128-d30", 0.95),
		faster("1m-50-d15", 0.99),
		{
			Name: "growth", Source: "orthant", Paper: fmt.Sprintf("%d times the seconds at most", maxGrowth),
			Statement: "Ten times the samples of 128 columns, a million, take little more than ten times as long at recall 0.95.",
			Check: func(r *bench.Records) bench.Finding {
				few, many := setNamed("100k-128-d15"), setNamed("1m-128-d15")
				return ratio(r, few, few.caseName(oursName(0.95, threads)), many, many.caseName(oursName(0.95, threads)),
					func(times float64) bool { return times <= maxGrowth }, "%.1f times: %s to %s")
			},
		},
		{
			Name: "threads", Source: "orthant", Paper: fmt.Sprintf("at least %g times as fast", minThreads),
			Statement: "Two threads search a million samples of 128 columns nearly twice as fast as one at recall 0.95.",
			Check: func(r *bench.Records) bench.Finding {
				s := setNamed("1m-128-d15")
				return ratio(r, s, s.caseName(oursName(s.single, threads)), s, s.caseName(oursName(s.single, 1)),
					func(times float64) bool { return times >= minThreads }, "%.2f times as fast: %s to %s")
			},
		},
		within("3m-384-d30", 0.8, largestMost),
		{
			Name: "3m-384-d30/memory", Source: "orthant", Paper: limits.FormatBytes(largestBytes) + " at most",
			Statement: "The search of 3 000 000 samples of 384 columns at recall 0.8 stays within 12 GiB.",
			Check:     largestMemory,
		},
	}
}

// faster compares with the fastest search of the others at a recall.
func faster(set string, recall float64) bench.Claim {
	s := setNamed(set)
	return bench.Claim{
		Name: set + "/faster", Source: "orthant", Paper: fmt.Sprintf("at least %d times as fast", timesFaster),
		Statement: fmt.Sprintf("%s: with recall %g our search is faster than every search of faiss, hnswlib and pynndescent with the same recall.", set, recall),
		Check: func(r *bench.Records) bench.Finding {
			names, others := s.approximate(), s.others(true)
			for _, side := range [][]string{names, others} {
				if f, ran := s.ran(r, side); !ran {
					return f
				}
			}
			a, found := fastest(r, recall, names...)
			if !found {
				return missed(r, recall, names)
			}
			b, found := fastest(r, recall, others...)
			if !found {
				return bench.Finding{Verdict: bench.CannotCheck, Why: fmt.Sprintf("no search of the others reaches recall %g", recall), Cases: others}
			}
			return r.SpeedFinding(b.seconds >= timesFaster*a.seconds, fmt.Sprintf("%.1f times: %v to %v", b.seconds/a.seconds, a, b), []string{a.name, b.name})
		},
	}
}

// within compares the fastest of our searches at a recall with a number of seconds.
func within(set string, recall, most float64) bench.Claim {
	s := setNamed(set)
	return bench.Claim{
		Name: set + "/seconds", Source: "orthant", Paper: fmt.Sprintf("%g s at most", most),
		Statement: fmt.Sprintf("%s: the search with recall %g takes at most %g seconds, reading and writing included.", set, recall, most),
		Check: func(r *bench.Records) bench.Finding {
			names := s.approximate()
			if f, ran := s.ran(r, names); !ran {
				return f
			}
			a, found := fastest(r, recall, names...)
			if !found {
				return missed(r, recall, names)
			}
			return r.SpeedFinding(a.seconds <= most, a.String(), []string{a.name})
		},
	}
}

func exactIsFast(r *bench.Records) bench.Finding {
	const recall = 0.99
	s := setNamed("mnist")
	own, others := []string{s.caseName(oursName(0, threads))}, s.others(false)
	for _, side := range [][]string{own, others} {
		if f, ran := s.ran(r, side); !ran {
			return f
		}
	}
	a, found := fastest(r, 1, own...)
	if !found {
		return missed(r, 1, own)
	}
	b, found := fastest(r, recall, others...)
	if !found {
		return bench.Finding{Verdict: bench.CannotCheck, Why: fmt.Sprintf("no search of the others reaches recall %g", recall), Cases: others}
	}
	return r.SpeedFinding(a.seconds <= b.seconds, fmt.Sprintf("%v to %v", a, b), []string{a.name, b.name})
}

// ratio judges the time of one case relative to another.
func ratio(r *bench.Records, of *dataSet, one string, toSet *dataSet, to string, holds func(times float64) bool, words string) bench.Finding {
	if f, ran := of.ran(r, []string{one}); !ran {
		return f
	}
	if f, ran := toSet.ran(r, []string{to}); !ran {
		return f
	}
	a, b := points(r, one), points(r, to)
	if len(a) == 0 || len(b) == 0 {
		return bench.Finding{Verdict: bench.CannotCheck, Why: "no recall was measured", Cases: []string{one, to}}
	}
	times := b[0].seconds / a[0].seconds
	return r.SpeedFinding(holds(times), fmt.Sprintf(words, times, a[0], b[0]), []string{one, to})
}

func largestMemory(r *bench.Records) bench.Finding {
	s := setNamed("3m-384-d30")
	name := s.caseName(oursName(0.8, threads))
	if f, ran := s.ran(r, []string{name}); !ran {
		return f
	}
	one := r.Get(name)
	if one.PeakBytes == 0 {
		return bench.Finding{Verdict: bench.CannotCheck, Why: "no peak of memory was measured", Cases: []string{name}}
	}
	return r.SpeedFinding(one.PeakBytes <= largestBytes, fmt.Sprintf("%s, %s", limits.FormatBytes(one.PeakBytes), r.AccuracyCell(name).Text), []string{name})
}
