package lnp

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
	"github.com/orthant-go/orthant/engine"
)

// The worked example (Fig. 1): four points along a curve of the plane. The
// weights of LLE for it are in the suite neml.

// What our reference programs found: the weights of each point, and the
// embeddings in one dimension.
var (
	pursuitColumns = [4][4]string{{"0", "1", "0", "0"}, {"0.690659", "0", "0.309341", "0"}, {"0", "0.643040", "0", "0.356960"}, {"0", "0", "1", "0"}}
	fourEmbeddings = map[string][4]string{
		"four-points/lnp y": {"-0.588", "-0.380", "0.337", "0.630"}, "four-points/lle y": {"-0.553", "-0.360", "0.186", "0.728"},
		"four-points/lle y-transposed": {"0.444", "0.325", "-0.811", "-0.199"},
	}
)

func fourPointCases() []bench.Case {
	var cases []bench.Case
	for _, x := range []chooser{byPrinted, byLLE} {
		name, params := "four-points/lle", x.recorded([]int{3}, map[string]any{"dim": 1})
		if x.own {
			name = "four-points/lnp"
		}
		cases = append(cases, bench.Case{
			Name: name, Data: "four points of Chen, Lv and Yi 2014", N: 4, M: 2, Method: x.method, Params: params, Repeats: 1,
			Run: func(ctx context.Context, _ *bench.Env, _ *bench.Case) (*bench.Outcome, error) {
				return runFourPointsByOne(ctx, x)
			},
		})
	}
	return cases
}

// runFourPointsByOne embeds the points in one dimension: by the alignment matrix
// that belongs to weights in columns, and by the transposed product, which the
// paper prints.
func runFourPointsByOne(ctx context.Context, x chooser) (*bench.Outcome, error) {
	m, err := x.with(3, map[string]string{"dim": "1"})
	if err != nil {
		return nil, err
	}
	points, o := mat.NewDense(4, 2, slices.Clone(papers.FourPoints)), engine.Options{Threads: 1, Components: "joint"}
	g, err := engine.Represent(ctx, points, m, o)
	if err != nil {
		return nil, err
	}
	r, err := engine.Embed(ctx, points, m, o)
	if err != nil {
		return nil, err
	}
	weights, off := make([]float64, 16), mat.NewDense(4, 4, nil) // row i of the one, column i of the other: of point i
	for i := range 4 {
		off.Set(i, i, 1)
		for a, j := range g.Of(i) {
			weights[4*i+int(j)] = g.Weights(i)[a]
			off.Set(int(j), i, off.At(int(j), i)-g.Weights(i)[a])
		}
	}
	transposed, constant, err := transposedOrder(off)
	if err != nil {
		return nil, err
	}
	y := mat.Col(nil, 0, r.Y)
	if y[0] > 0 { // an embedding has no sign
		for i := range y {
			y[i] = -y[i]
		}
	}
	return &bench.Outcome{
		Quality: map[string]float64{
			"monotone": monotone(y), "monotone-transposed": monotone(transposed), "constant-transposed": constant, "least-weight": slices.Min(weights),
		},
		Series: map[string][]float64{"weights": weights, "y": y, "y-transposed": transposed},
	}, nil
}

// transposedOrder returns the eigenvector of (I−X)ᵀ(I−X) to the smallest eigenvalue
// but one, and the norm of what the product makes of the constant vector.
func transposedOrder(off *mat.Dense) (y []float64, constant float64, err error) {
	n, _ := off.Dims()
	var product mat.Dense
	product.Mul(off.T(), off)
	upper := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			upper.SetSym(i, j, product.At(i, j))
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(upper, true) {
		return nil, 0, fmt.Errorf("no eigenvectors of the transposed product")
	}
	var vectors, ones mat.Dense
	eig.VectorsTo(&vectors)
	all := mat.NewDense(n, 1, slices.Repeat([]float64{1}, n))
	ones.Mul(&product, all)
	y = mat.Col(nil, 1, &vectors)
	if y[0] < 0 {
		for i := range y {
			y[i] = -y[i]
		}
	}
	return y, mat.Norm(&ones, 2), nil
}

// monotone is 1 where values only rise or only fall, and 0 otherwise.
func monotone(y []float64) float64 {
	rise, fall := 1.0, 1.0
	for i := 1; i < len(y); i++ {
		if y[i] <= y[i-1] {
			rise = 0
		}
		if y[i] >= y[i-1] {
			fall = 0
		}
	}
	return math.Max(rise, fall)
}

var fourPointClaims = []bench.Claim{
	{
		Name: "four-points-lnp", Source: papers.LNP + ", Fig. 1",
		Statement: "LNP writes each of four points as a convex combination of its neighbours, and its embedding in one dimension keeps them in order.",
		Paper:     "a picture",
		Check: func(r *bench.Records) bench.Finding {
			const name = "four-points/lnp"
			one := r.Get(name)
			if one == nil {
				return r.FindingWithout(name)
			}
			order, _ := r.Quality(name, "monotone")
			least, _ := r.Quality(name, "least-weight")
			return bench.Finding{
				Verdict: bench.ReproducesIf(order == 1 && least >= 0), Cases: []string{name},
				Ours: fmt.Sprintf("embedding %.3f, least weight %.3g", one.Series["y"], least),
			}
		},
	},
	{
		Name: "four-points-lle", Source: papers.LNP + ", Fig. 1(c)",
		Statement: "The embedding of LLE in one dimension breaks the order of the four points.",
		Paper:     "a picture",
		Check: func(r *bench.Records) bench.Finding {
			const name = "four-points/lle"
			one := r.Get(name)
			if one == nil {
				return r.FindingWithout(name)
			}
			order, _ := r.Quality(name, "monotone")
			constant, _ := r.Quality(name, "constant-transposed")
			return bench.Finding{
				Verdict: bench.ReproducesIf(order == 0), Cases: []string{name}, Ours: fmt.Sprintf("embedding %.3f", one.Series["y"]),
				Why: fmt.Sprintf("With weights in columns the alignment matrix is (I−X)(I−X)ᵀ, and LLE keeps the order. The paper prints (I−X)ᵀ(I−X), which belongs to weights in rows and does not send constants to zero (‖(I−X)ᵀ(I−X)1‖ = %.1f); by that the order breaks as in the figure: %.3f.", constant, one.Series["y-transposed"]),
			}
		},
	},
}

func fourPointSections(r *bench.Records) []bench.Section {
	weights := &bench.Table{Columns: []string{"weight of … in", "point 1", "reference", "point 2", "reference", "point 3", "reference", "point 4", "reference"}}
	if one := r.Get("four-points/lnp"); one != nil {
		for j := range 4 {
			row := []bench.Cell{bench.PlainCell(fmt.Sprintf("point %d", j+1))}
			for i := range 4 {
				row = append(row, bench.Cell{Text: fmt.Sprintf("%.6f", one.Series["weights"][4*i+j]), Case: one.Case}, bench.PaperCell(pursuitColumns[i][j]))
			}
			weights.Rows = append(weights.Rows, row)
		}
	}
	order := &bench.Table{Columns: []string{"embedding", "point 1", "point 2", "point 3", "point 4", "in order"}}
	for _, line := range []struct{ title, name, key, judged string }{
		{"LNP", "four-points/lnp", "y", "monotone"}, {"LLE, (I−X)(I−X)ᵀ", "four-points/lle", "y", "monotone"},
		{"LLE, (I−X)ᵀ(I−X) as printed", "four-points/lle", "y-transposed", "monotone-transposed"},
	} {
		one := r.Get(line.name)
		if one == nil {
			continue
		}
		row, reference := []bench.Cell{bench.PlainCell(line.title)}, []bench.Cell{bench.PlainCell("reference")}
		for i, v := range one.Series[line.key] {
			row, reference = append(row, bench.Cell{Text: fmt.Sprintf("%.3f", v), Case: one.Case}), append(reference, bench.PaperCell(fourEmbeddings[line.name+" "+line.key][i]))
		}
		said := "no"
		if v, _ := r.Quality(line.name, line.judged); v == 1 {
			said = "yes"
		}
		order.Rows = append(order.Rows, append(row, bench.Cell{Text: said, Case: one.Case}), append(reference, bench.PlainCell("")))
	}
	return []bench.Section{
		{
			Title: "Four points (Fig. 1)", Table: weights,
			Text: "The weights of LNP at K = 3: none negative, and two neighbours at most. Next to ours is what our reference programs, written independently of this one, found. The weights of LLE, negative ones among them, are in the suite neml.",
		},
		{
			Title: "The four points in one dimension", Table: order,
			Text: "The points lie along a curve in the order of their numbers. The figure shows LLE breaking that order; it does so by the matrix that the paper prints, which is the transpose of the one that belongs to weights in columns, and not by the right one. Below ours what our reference programs found.",
		},
	}
}
