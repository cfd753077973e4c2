// Package noise is the suite that embeds surfaces with noise: by the default number of
// neighbours, by the one that the samples show with the samples moved off their noise, and
// by the best of a grid of numbers.
package noise

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/measures"
)

// Suite holds the scale of neighbourhoods to its targets.
var Suite = bench.Suite{
	Name:  "noise",
	Title: "Noise, and the scale of neighbourhoods",
	About: `Swiss rolls, S-curves and the triple peak with uniform noise in every column, also in 20 columns. The half width of the noise is that on a roll, whose sheets are 2π apart; on the S-curve, 2 apart, and the triple peak, 0.5 across, it is as much less. The error is dev about the mean: the relative residual of the best affine map from the embedding to the surface's own coordinates. The floor is what the noise along the surface leaves, which nothing removes.

The default takes 12 neighbours. Auto (--neighbors auto) finds their number and moves samples onto local planes first where noise shows beyond doubt.`,
	Cases:    cases,
	Claims:   claims,
	Sections: sections,
}

// run is one embedding of the suite.
type run struct {
	surface *surface
	columns int // 0: the surface's own
	n       int
	noise   float64
	method  string
	k       string
}

func (r run) group() string {
	name := fmt.Sprintf("%s/%d/%g", r.surface.name, r.n, r.noise)
	if r.columns > 0 {
		name += fmt.Sprintf("/columns=%d", r.columns)
	}
	return name
}

func (r run) name() string { return r.group() + "/" + r.method + "/k=" + r.k }

var (
	noises  = []float64{0, 0.01, 0.03, 0.1, 0.3}
	grid    = []string{"8", "10", "15", "20", "35", "60"} // in addition to the default
	methods = []string{"neml", "mlle", "ltsa", "hlle", "lle"}
)

const (
	standard = "12"
	auto     = "auto"
)

// quick reports whether --quick runs it too: the roll of 1500 samples by the whole grid, the others with and without noise;
// and of more samples what the claims are about, at one noise and none.
func (r run) quick() bool {
	first, plain := r.surface == &surfaces[0], r.k == standard || r.k == auto
	switch {
	case r.columns > 0 || r.n > 20_000 || r.method != "neml":
		return false
	case r.n == 1500:
		return first || r.noise == 0 || r.noise == 0.1
	}
	return plain && (r.noise == 0 || r.noise == 0.1) && (r.n == reachedFrom || first)
}

// runs lists all, each once.
func runs() []run {
	var list []run
	for i := range surfaces {
		for _, n := range []int{1500, 5000, 20_000, 100_000, 200_000} {
			for _, noise := range noises {
				ks := []string{standard, auto}
				if n <= 20_000 {
					ks = append(ks, grid...)
				}
				if i > 0 && n > 20_000 {
					continue
				}
				for _, k := range ks {
					list = append(list, run{surface: &surfaces[i], n: n, noise: noise, method: "neml", k: k})
				}
			}
		}
	}
	for _, noise := range noises {
		for _, k := range []string{standard, auto} {
			list = append(list, run{surface: &surfaces[0], columns: 20, n: 20_000, noise: noise, method: "neml", k: k})
			for _, method := range methods[1:] {
				list = append(list, run{surface: &surfaces[0], n: 20_000, noise: noise, method: method, k: k})
			}
		}
	}
	return list
}

func cases(*bench.Env) []bench.Case {
	var list []bench.Case
	for _, r := range runs() {
		list = append(list, r.embedding())
	}
	return list
}

// embedding is the run as a case.
func (r run) embedding() bench.Case {
	c := bench.SetEmbedding{
		Name: r.name(), Data: r.surface.name, Method: r.method, Set: map[string]string{"neighbors": r.k, "gamma": "auto"},
		Load:    func(*bench.Env) (*datasets.Set, error) { return r.draw() },
		Measure: r.measure,
	}
	if r.method == "ltsa" || r.method == "hlle" {
		delete(c.Set, "gamma")
	}
	made := c.Case()
	made.Group, made.N, made.Full = r.group(), r.n, !r.quick()
	made.Accuracy = []bench.Accuracy{bench.Reported("dev-centred")}
	made.Params["noise"], made.Params["columns"] = r.noise, r.columns
	return made
}

func (r run) measure(_ context.Context, s *datasets.Set, e *engine.Result, out *bench.Outcome) (err error) {
	if _, out.Quality["dev-centred"], err = measures.Deviation(s.Params, e.Y); err != nil {
		return err
	}
	out.Quality["floor"] = r.floor(s.Params)
	if noise, found := e.Details["noise"].(float64); found {
		out.Quality["noise"] = noise
	}
	if k, found := e.Details["denoise_neighbors"].(int); found {
		out.Quality["planes"] = float64(k)
	}
	if k, err := strconv.Atoi(fmt.Sprint(e.Params["neighbors"])); err == nil {
		out.Quality["neighbors"] = float64(k)
	}
	return nil
}

const (
	// reached is dev that is enough from reachedFrom samples on, and of the floor this many times.
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

const readmeWords = "for 20 000 samples of a roll with noise of half width 0.1, its sheets 2π apart, NEML then has error 0.004. With the 12 nearest of the noisy samples it has 0.23"

// readmeClaim holds the figures that the README prints, to a tenth of each.
var readmeClaim = bench.Claim{
	Name: "readme/noise", Source: "orthant", Paper: readmeWords,
	Statement: "NEML on a noisy roll of 20 000 samples has the errors that the README prints, to a tenth of each.",
	Check: func(r *bench.Records) bench.Finding {
		one := run{surface: &surfaces[0], n: 20_000, noise: 0.1, method: "neml", k: auto}
		plain := one
		plain.k = standard
		names := []string{one.name(), plain.name()}
		f, ready := r.Unready(names...)
		if !ready {
			return f
		}
		a, _ := dev(r, one)
		b, _ := dev(r, plain)
		held := math.Abs(a-0.004) <= bench.FigureTolerance*0.004 && math.Abs(b-0.23) <= bench.FigureTolerance*0.23
		return bench.TargetFinding(held, fmt.Sprintf("%s with auto, %s with 12 neighbours", bench.ErrorText(a), bench.ErrorText(b)), names)
	},
}

func sections(r *bench.Records) []bench.Section {
	t := &bench.Table{Columns: []string{"surface, samples, noise", "method", "12 neighbours", "auto", "best fixed number", "floor"}}
	for _, one := range runs() {
		if one.k != auto {
			continue
		}
		plain := one
		plain.k = standard
		if _, ready := dev(r, one); !ready {
			continue
		}
		row := []bench.Cell{{Text: one.group()}, {Text: one.method}, r.AccuracyCell(plain.name()), r.AccuracyCell(one.name()), {Text: "not run", Mark: bench.Absent}, {Text: fmt.Sprintf("%.4f", floor(r, one))}}
		if _, by := atBest(r, one); by != nil && one.method == "neml" {
			row[4] = r.AccuracyCell(by[0])
		}
		t.Rows = append(t.Rows, row)
	}
	return []bench.Section{{Title: "dev by noise, samples and method", Table: t}}
}
