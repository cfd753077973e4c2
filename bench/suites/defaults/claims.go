package defaults

import (
	"fmt"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/bench"
)

// margin is how much less than k-means a binding method may have in the mean, and how much more
// than spectral clustering is ahead of it.
const margin = 0.02

// robust are the methods that were made for corrupted samples.
var robust = []string{"l21-nmf", "cim-nmf", "cim-gnmf", "lp-rna", "rmnmf", "amrmf", "apmf", "smrmf", "smrmf-euc", "f-smrmf", "smrmf-ns"}

func claims() []bench.Claim {
	var list []bench.Claim
	for _, key := range binding {
		list = append(list, bindingClaim(key))
	}
	return append(list, aheadClaim)
}

// namesOn are the cases of some methods on some sets.
func namesOn(sets []*dataSet, keys ...string) []string {
	var names []string
	for _, key := range keys {
		for _, s := range sets {
			names = append(names, s.key+"/"+key)
		}
	}
	return names
}

// meanOn is the mean of a figure over sets on which all of it is known.
func meanOn(r *bench.Records, sets []*dataSet, method, key string) (mean float64, known bool) {
	values, found := r.Qualities(key, namesOn(sets, method)...)
	if len(found) < len(sets) {
		return 0, false
	}
	for _, v := range values {
		mean += v / float64(len(values))
	}
	return mean, true
}

// startShare is the share of the runs of a method that returned their own start, over all sets.
func startShare(r *bench.Records, sets []*dataSet, method string) float64 {
	share := 0.0
	for _, s := range sets {
		v, _ := r.Quality(s.key+"/"+method, "start-returned")
		share += v / float64(len(sets))
	}
	return share
}

// bindingClaim holds a method to k-means on the reporting sets. A run that returned its own start counts as ACC 0.
func bindingClaim(key string) bench.Claim {
	return bench.Claim{
		Name: "no-worse/" + key, Source: "orthant", Paper: fmt.Sprintf("k-means − %.2f", margin),
		Statement: fmt.Sprintf("At its defaults %s has a mean of the median ACC over the five reporting sets that is at most %.2f below that of k-means; a run that returns its own start counts as 0.", key, margin),
		Check: func(r *bench.Records) bench.Finding {
			sets := of(reporting)
			f, ready := r.Unready(namesOn(sets, key, kmeansKey)...)
			if !ready {
				return f
			}
			acc, _ := meanOn(r, sets, key, "acc")
			credited, _ := meanOn(r, sets, key, "acc-credited")
			other, _ := meanOn(r, sets, kmeansKey, "acc")
			ours := fmt.Sprintf("%.3f, k-means %.3f", acc, other)
			share := startShare(r, sets, key)
			if share > 0 {
				ours += fmt.Sprintf("; %.0f %% of the runs returned their start, %.3f without these", 100*share, credited)
			}
			t := bench.TargetFinding(credited >= other-margin, ours, f.Cases)
			if t.Verdict == bench.TargetMissed {
				_, below := compared(r, sets, key, kmeansKey)
				t.Why = "below k-means on " + listed(below)
			}
			return t
		},
	}
}

// listed joins titles of sets.
func listed(titles []string) string {
	if len(titles) == 0 {
		return "no set"
	}
	return strings.Join(titles, ", ")
}

// compared lists the titles of the sets on which a method's median ACC is above another's by more than
// the margin, and below it.
func compared(r *bench.Records, sets []*dataSet, key, other string) (above, below []string) {
	for _, s := range sets {
		v, found := r.Qualities("acc", s.key+"/"+key, s.key+"/"+other)
		switch {
		case len(found) < 2:
		case v[0] > v[1]+margin:
			above = append(above, s.title)
		case v[0] < v[1]-margin:
			below = append(below, s.title)
		}
	}
	return above, below
}

// aheadClaim asks whether what was made for corruption is worth it.
var aheadClaim = bench.Claim{
	Name: "ahead-on-corrupted", Source: "orthant", Paper: fmt.Sprintf("spectral + %.2f", margin),
	Statement: fmt.Sprintf("Some method that was made for corrupted samples is ahead of spectral clustering by %.2f at its defaults, in the mean over the corrupted forms of the median ACC.", margin),
	Check: func(r *bench.Records) bench.Finding {
		sets := of(corrupted)
		f, ready := r.Unready(namesOn(sets, slices.Concat([]string{spectralKey}, robust)...)...)
		if !ready {
			return f
		}
		plain, _ := meanOn(r, sets, spectralKey, "acc")
		best, by := 0.0, ""
		for _, key := range robust {
			if acc, _ := meanOn(r, sets, key, "acc"); acc > best {
				best, by = acc, key
			}
		}
		return bench.TargetFinding(best >= plain+margin, fmt.Sprintf("%s %.3f, the best of %d, spectral %.3f", by, best, len(robust), plain), f.Cases)
	},
}
