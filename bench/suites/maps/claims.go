package maps

import (
	"fmt"
	"strings"

	"github.com/orthant-go/orthant/bench"
)

// target is a goal for our maps on every set that the other program mapped too.
type target struct {
	name      string
	statement string // about the method %s
	wanted    string // in few words
	of        func(r *bench.Records, name string) (v float64, found bool)
	digits    string
	against   func(r *bench.Records, set, method string) (name string, v float64)
	holds     func(ours, theirs float64) bool
}

// little is a negligible difference of shares.
const little = 0.005

var targets = []target{
	{"neighbors", "%s keeps as many neighbours as the original.", "np15 of the original − 0.005 at least", quality(keptNeighbors), "%.3f", nil,
		func(ours, theirs float64) bool { return ours >= theirs-little }},
	{"classes", "Neighbours in the map of %s are of the right class as often as with the original.", "10-NN error of the original + 0.005 at most", quality(classError), "%.3f", nil,
		func(ours, theirs float64) bool { return ours <= theirs+little }},
	{"triplets", "%s keeps as much of the structure at large as the original.", "random triplets of the original − 0.005 at least", quality(triplets), "%.3f", nil,
		func(ours, theirs float64) bool { return ours >= theirs-little }},
	{"memory", "%s takes at most half the memory of umap-learn.", "half of umap-learn's peak at most", peak, "%.0f MiB", umapLearn,
		func(ours, theirs float64) bool { return ours <= 0.5*theirs }},
	{"seeds", "Maps of %s by different seeds agree as well as those of the original.", "the original's disparity at most, or 0.005", quality(disparity), "%.3f", nil,
		func(ours, theirs float64) bool { return ours <= max(theirs, little) }},
}

// lowest is a target only for tsne.
var lowest = target{"divergence", "%s reaches the divergence of the best other program.", "the lowest KL of a peer + 0.5 % at most", quality(divergence), "%.4f", minDivergence,
	func(ours, theirs float64) bool { return ours <= 1.005*theirs }}

func claims() []bench.Claim {
	var list []bench.Claim
	for _, method := range []string{"umap", "tsne", "pacmap"} {
		own := targets
		if method == "tsne" {
			own = append([]target{lowest}, targets...)
		}
		for _, t := range own {
			list = append(list, bench.Claim{
				Name: method + "/" + t.name, Source: "orthant", Statement: fmt.Sprintf(t.statement, method), Paper: t.wanted,
				Check: func(r *bench.Records) bench.Finding { return t.check(r, method) },
			})
		}
	}
	return list
}

func quality(key string) func(*bench.Records, string) (float64, bool) {
	return func(r *bench.Records, name string) (float64, bool) { return r.Quality(name, key) }
}

func peak(r *bench.Records, name string) (float64, bool) {
	one := r.Get(name)
	if one == nil || one.PeakBytes == 0 {
		return 0, false
	}
	return float64(one.PeakBytes) / (1 << 20), true
}

// original is the first peer of the method that ran on the set.
func (t *target) original(r *bench.Records, set, method string) (name string, v float64) {
	for _, p := range programs {
		if p.method == method && !p.own() {
			if v, found := t.of(r, caseName(set, method, p.name)); found {
				return caseName(set, method, p.name), v
			}
		}
	}
	return "", 0
}

func umapLearn(r *bench.Records, set, _ string) (name string, v float64) {
	name = caseName(set, "umap", "umap-learn")
	v, found := peak(r, name)
	if !found {
		return "", 0
	}
	return name, v
}

// minDivergence returns the peer with the lowest divergence.
func minDivergence(r *bench.Records, set, method string) (name string, v float64) {
	for _, p := range programs {
		if p.method != method || p.own() {
			continue
		}
		one := caseName(set, method, p.name)
		if its, found := r.Quality(one, divergence); found && (name == "" || its < v) {
			name, v = one, its
		}
	}
	return name, v
}

// check compares the programs on all sets that both mapped.
func (t *target) check(r *bench.Records, method string) bench.Finding {
	against := t.against
	if against == nil {
		against = t.original
	}
	var cases, asked, said, missed []string
	for _, set := range sets {
		ours := caseName(set.name, method, own)
		asked = append(asked, ours)
		v, found := t.of(r, ours)
		if !found {
			continue
		}
		theirs, its := against(r, set.name, method)
		if theirs == "" {
			asked = append(asked, peersOf(&set, method)...)
			continue
		}
		cases = append(cases, ours, theirs)
		peer := theirs[strings.LastIndexByte(theirs, '/')+1:]
		said = append(said, fmt.Sprintf("%s "+t.digits+" to "+t.digits+" (%s)", set.name, v, its, peer))
		if !t.holds(v, its) {
			missed = append(missed, set.name)
		}
	}
	if len(cases) == 0 {
		return r.FindingWithout(asked...)
	}
	f := bench.TargetFinding(len(missed) == 0, strings.Join(said, ", "), cases)
	if len(missed) > 0 {
		f.Why = "missed on " + strings.Join(missed, ", ")
	}
	return f
}

// peersOf returns the names of the other programs' cases for the method on a set.
func peersOf(set *dataSet, method string) []string {
	var names []string
	for _, p := range programs {
		if p.method == method && !p.own() && set.takes(p) {
			names = append(names, caseName(set.name, method, p.name))
		}
	}
	return names
}
