package neml

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/measures"
)

// planarSample is 20 points of the unit square.
func planarSample(seed uint64) (*datasets.Set, error) {
	x := mat.NewDense(20, 2, nil)
	blas.NewStream(seed).Uniforms(x.RawMatrix().Data)
	return &datasets.Set{X: x, Params: x}, nil
}

// planar lists the cases of Fig. 3: k = 4 leaves the third sample's graph flexible,
// k = 6 does not.
var planar = []struct {
	k    int
	seed uint64
}{{4, 1}, {4, 2}, {4, 3}, {6, 3}}

func planarName(method string, k int, seed uint64) string {
	return fmt.Sprintf("planar/%s/k=%d/seed=%d", method, k, seed)
}

func planarCases() []bench.Case {
	var cases []bench.Case
	for _, p := range planar {
		for _, method := range []string{"lle", "neml", "ltsa"} {
			c := bench.Case{
				Name: planarName(method, p.k, p.seed), Data: "20 points of the unit square", N: 20, M: 2, Method: method, Repeats: 1,
				Params: map[string]any{"neighbors": p.k, "dim": 2, "seed": p.seed},
			}
			c.Run = func(ctx context.Context, _ *bench.Env, c *bench.Case) (*bench.Outcome, error) {
				return runPlanar(ctx, c, p.k, p.seed)
			}
			cases = append(cases, c)
		}
	}
	return cases
}

func runPlanar(ctx context.Context, c *bench.Case, k int, seed uint64) (*bench.Outcome, error) {
	s, err := planarSample(seed)
	if err != nil {
		return nil, err
	}
	gammas := sweptGammas
	if c.Method == "ltsa" {
		gammas = []float64{0} // it has none
	}
	out := &bench.Outcome{Quality: map[string]float64{}, Series: map[string][]float64{}}
	for _, gamma := range gammas {
		set := map[string]string{"neighbors": fmt.Sprint(k)}
		if gamma > 0 {
			set["gamma"] = fmt.Sprint(gamma)
		}
		m, err := bench.NewMethod(c.Method, set)
		if err != nil {
			return nil, err
		}
		r, err := engine.Embed(ctx, s.X, m, engine.Options{Threads: 1})
		if err != nil {
			return nil, err
		}
		dev, _, err := measures.Deviation(s.Params, r.Y)
		if err != nil {
			return nil, err
		}
		if gamma == gammas[0] {
			out.Quality["dev"] = dev
			out.DrawEmbedding(s, r.Y, 0)
		}
		if gamma > 0 {
			out.Series["gamma"], out.Series["dev"] = append(out.Series["gamma"], gamma), append(out.Series["dev"], dev)
		}
	}
	return out, nil
}

func planarSection(r *bench.Records) bench.Section {
	s := bench.Section{
		Title: "Twenty points of the plane",
		Text:  "dev of the embeddings of 20 points of the unit square at γ = 1e-10. The data are flat, so that a method that keeps all of a patch's linear structure gives them back but for rounding and γ. The error of NEML is proportional to γ.",
		Table: &bench.Table{Columns: []string{"sample", "k", "LLE", "NEML", "LTSA"}},
		Plot:  &bench.Plot{XLabel: "γ", YLabel: "dev", LogX: true, LogY: true},
	}
	for _, p := range planar {
		row := []bench.Cell{bench.PlainCell(fmt.Sprintf("seed %d", p.seed)), bench.PlainCell(fmt.Sprint(p.k))}
		for _, method := range []string{"lle", "neml", "ltsa"} {
			name := planarName(method, p.k, p.seed)
			row = append(row, r.QualityCell(name, "dev", "%.1e"))
			if one := r.Get(name); one != nil && method != "ltsa" && p.k == 4 && p.seed < 3 {
				s.Plot.Curves = append(s.Plot.Curves, bench.Curve{Name: fmt.Sprintf("%s, seed %d", method, p.seed), X: one.Series["gamma"], Y: one.Series["dev"], Cases: []string{name}})
			}
		}
		s.Table.Rows = append(s.Table.Rows, row)
	}
	for _, method := range []string{"lle", "neml"} {
		s.Pictures = append(s.Pictures, bench.Figure{Case: planarName(method, 4, 2), Picture: "embedding", Caption: method + ", seed 2, coloured by the first coordinate"})
	}
	return s
}
