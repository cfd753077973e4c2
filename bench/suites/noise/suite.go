// Package noise is the suite that embeds surfaces with noise: by the default number of
// neighbours, by the one that the samples show with the samples moved off their noise, and
// by the best of a grid of numbers.
package noise

import (
	"context"
	"fmt"
	"strconv"

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
	columns int // 0: those of the surface
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
	grid    = []string{"8", "10", "15", "20", "35", "60"} // beside the default
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
	made.Accuracy = []bench.Accuracy{bench.Shown("dev-centred")}
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
