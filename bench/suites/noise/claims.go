package noise

import (
	"fmt"
	"strings"

	"github.com/orthant-go/orthant/bench"
)

const (
	// reached is dev that is enough from reachedFrom samples on, and of the floor so many times.
	reached, reachedFrom, overFloor = 0.02, 5000, 1.5
	// spare is added where dev is held to the floor or to dev without noise, from spareFrom on.
	spare, spareFrom = 0.0005, 20_000
	// overBest is how many times the best fixed number's dev auto may have.
	overBest = 1.2
)

// claims are the targets.
var claims = []bench.Claim{
	readmeClaim,
	{Name: "noise/reached", Source: "orthant", Paper: "dev at most 0.02, or 1.5 times the floor",
		Statement: "With --neighbors auto dev is at most 0.02, or 1.5 times what the noise along the surface leaves, from 5000 samples on.",
		Check:     func(r *bench.Records) bench.Finding { return held(r, atReach) }},
	{Name: "noise/floor", Source: "orthant", Paper: "1.5 times the floor, or dev without noise, and 0.0005",
		Statement: "With --neighbors auto dev is at most 1.5 times the larger of the floor and of dev without noise, and 0.0005 more, from 20 000 samples on.",
		Check:     func(r *bench.Records) bench.Finding { return held(r, atFloor) }},
	{Name: "noise/best", Source: "orthant", Paper: "1.2 times the best fixed number",
		Statement: "With --neighbors auto dev is at most 1.2 times that of the best number of neighbours of a grid.",
		Check:     func(r *bench.Records) bench.Finding { return held(r, atBest) }},
}

// limit is what a run with auto is held to; 0: to nothing.
type limit func(r *bench.Records, one run) (most float64, by []string)

// dev is a run's, where it has ended.
func dev(r *bench.Records, one run) (float64, bool) { return r.Quality(one.name(), "dev-centred") }

func floor(r *bench.Records, one run) float64 {
	v, _ := r.Quality(one.name(), "floor")
	return v
}

func atReach(r *bench.Records, one run) (float64, []string) {
	if one.n < reachedFrom {
		return 0, nil
	}
	return max(reached, overFloor*floor(r, one)), nil
}

func atFloor(r *bench.Records, one run) (float64, []string) {
	clean := one
	clean.noise, clean.k = 0, standard
	without, ready := dev(r, clean)
	if one.n < spareFrom || !ready {
		return 0, nil
	}
	return overFloor*max(floor(r, one), without) + spare, []string{clean.name()}
}

func atBest(r *bench.Records, one run) (float64, []string) {
	best, by := 0.0, ""
	for _, k := range append([]string{standard}, grid...) {
		fixed := one
		fixed.k = k
		if d, ready := dev(r, fixed); ready && (by == "" || d < best) {
			best, by = d, fixed.name()
		}
	}
	if one.n > 20_000 || by == "" {
		return 0, nil
	}
	return overBest * best, []string{by}
}

// held compares all runs of neml with auto.
func held(r *bench.Records, to limit) bench.Finding {
	var names, why []string
	count := 0
	for _, one := range runs() {
		if one.k != auto || one.method != "neml" || one.noise == 0 {
			continue
		}
		d, ready := dev(r, one)
		if !ready {
			continue
		}
		most, by := to(r, one)
		if most == 0 {
			continue
		}
		count++
		names = append(append(names, one.name()), by...)
		if d > most {
			why = append(why, fmt.Sprintf("%s has %s, not %s", one.group(), bench.ErrorText(d), bench.ErrorText(most)))
		}
	}
	if count == 0 {
		f, _ := r.Unready(run{surface: &surfaces[0], n: reachedFrom, noise: 0.1, method: "neml", k: auto}.name())
		return f
	}
	f := bench.TargetFinding(len(why) == 0, fmt.Sprintf("%d of %d runs", count-len(why), count), names)
	f.Why = strings.Join(why, "; ")
	return f
}
