package verdict

import (
	"fmt"

	"github.com/orthant-go/orthant/blas"
)

// trial is one embedding of the suite.
type trial struct {
	surface *surface
	method  string
	set     map[string]string
	n       int
	seed    uint64
	noise   float64 // in units of the distance of sheets
	uneven  float64
}

func (t *trial) name() string {
	name := fmt.Sprintf("%s/%s/n=%d,noise=%g", t.surface.name, t.method, t.n, t.noise)
	for _, key := range []string{"neighbors", "dim", "gamma"} {
		if v, given := t.set[key]; given {
			name += "," + key + "=" + v
		}
	}
	if t.uneven > 1 {
		name += ",uneven"
	}
	return fmt.Sprintf("%s,seed=%d", name, t.seed)
}

const (
	perSurface = 80 // trials
	// firstStream: the trials of the second half are drawn by streams of their own, so that none
	// was run before the thresholds were fixed.
	firstStream, firstUnseen = 100, 500
)

// What is drawn from, each as often as it stands there.
var (
	methods  = []string{"neml", "neml", "mlle", "ltsa", "ltsa", "hlle", "lle", "ltsa-curvature", "isomap"}
	sizes    = []int{300, 500, 800, 1500, 2000, 4000, 8000, 20000}
	noises   = []float64{0, 0, 0, 0.002, 0.005, 0.016, 0.016, 0.048, 0.1, 0.25}
	lists    = []int{6, 8, 10, 12, 12, 12, 16, 20, 30, 45}
	gammas   = []string{"", "", "", "0.001", "0.01", "0.1"}
	distorts = []float64{1, 1, 1, 1, 2}
)

// trials draws them all, with one stream for each surface.
func trials() []trial {
	var all []trial
	for s := range surfaces {
		from := firstStream
		if !surfaces[s].seen {
			from = firstUnseen
		}
		rng := blas.NewStream(uint64(from + s))
		for t := range perSurface {
			one := trial{surface: &surfaces[s], method: pick(rng, methods), n: pick(rng, sizes), seed: uint64(from + t),
				noise: pick(rng, noises), uneven: pick(rng, distorts), set: map[string]string{}}
			k, dim, gamma := pick(rng, lists), one.surface.dim, pick(rng, gammas)
			if rng.Uniform() < 0.1 {
				if dim++; rng.Uniform() < 0.5 && dim > 2 {
					dim -= 2
				}
			}
			if one.method == "isomap" {
				one.n = min(one.n, 2000)
			}
			if one.method == "hlle" {
				k = max(k, 1+dim+dim*(dim+1)/2)
			}
			one.set["neighbors"], one.set["dim"] = fmt.Sprint(k), fmt.Sprint(dim)
			if gamma != "" && (one.method == "neml" || one.method == "mlle" || one.method == "lle") {
				one.set["gamma"] = gamma
			}
			all = append(all, one)
		}
	}
	return append(all, sheetTrials()...)
}

// perSheet trials are drawn of each sheet, by streams of their own.
const perSheet, firstSheet, firstUnseenSheet = 6, 2000, 4000

var (
	sheetMethods = []string{"ltsa", "ltsa", "neml", "mlle", "lle", "isomap"}
	sheetNoises  = []float64{0, 0, 0, 0.002, 0.005, 0.02, 0.05}
	sheetSizes   = []int{400, 800, 1500, 2000}
)

// sheetTrials draws those of the sheets: with d + 2 to 60 neighbours, at most an eighth of the
// samples.
func sheetTrials() []trial {
	var all []trial
	list := sheets()
	for s := range list {
		from := firstSheet
		if !list[s].seen {
			from = firstUnseenSheet
		}
		rng := blas.NewStream(uint64(from + s))
		for t := range perSheet {
			d := list[s].dim
			one := trial{surface: &list[s], method: pick(rng, sheetMethods), n: pick(rng, sheetSizes), seed: uint64(from + t), noise: pick(rng, sheetNoises), uneven: 1}
			k, dim := d+2+int(rng.Uniform()*float64(59-d)), d
			if rng.Uniform() < 0.4 {
				k = pick(rng, []int{12, 12, 20, 30})
			}
			if rng.Uniform() < 0.1 {
				if dim++; rng.Uniform() < 0.5 && dim > 2 {
					dim -= 2
				}
			}
			k = max(min(k, one.n/8), dim+2)
			one.set = map[string]string{"neighbors": fmt.Sprint(k), "dim": fmt.Sprint(dim)}
			all = append(all, one)
		}
	}
	return all
}

func pick[T any](rng *blas.Stream, from []T) T {
	return from[min(int(rng.Uniform()*float64(len(from))), len(from)-1)]
}
