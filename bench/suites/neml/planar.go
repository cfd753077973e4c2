package neml

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/engine/neighbors"
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

// Fig. 3: points of the plane, which LLE reconstructs without any error by many sets of
// weights. Two of these are taken: the one of least norm, and that plus a drawn part of the
// vectors that change no reconstruction.

const (
	exactCase      = "planar-exact"
	exactNeighbors = 4
	// recovered and distorted bound dev of an embedding that gives the plane back, and of
	// one that does not.
	recovered, distorted = 1e-6, 0.1
)

func exactCases() []bench.Case {
	const draws = 100
	return []bench.Case{{
		Name: exactCase, Data: "20 points of the unit square", N: 20, M: 2, Method: "neml", Repeats: 1,
		Params: map[string]any{"neighbors": exactNeighbors, "dim": 2, "gamma": 1e-10, "draws": draws},
		Run: func(ctx context.Context, _ *bench.Env, c *bench.Case) (*bench.Outcome, error) {
			return runExact(ctx, draws)
		},
	}}
}

// runExact keeps the draws whose neighbourhoods determine the plane: no method can give
// the others back.
func runExact(ctx context.Context, draws int) (*bench.Outcome, error) {
	out := &bench.Outcome{Quality: map[string]float64{"determined": 0}, Series: map[string][]float64{}, Pictures: map[string]*bench.Picture{}}
	failedBefore := false
	for seed := 1; seed <= draws; seed++ {
		s, err := planarSample(uint64(seed))
		if err != nil {
			return nil, err
		}
		g, err := bench.NearestNeighbors(ctx, s.X, exactNeighbors)
		if err != nil {
			return nil, err
		}
		if _, sizes := g.Components(); len(sizes) > 1 || !determined(s.X, g) {
			continue
		}
		out.Quality["determined"]++
		random := blas.NewStream(uint64(seed) + 1000)
		first, second := exactWeights(s.X, g, nil), exactWeights(s.X, g, random)
		y := map[string]*mat.Dense{"lle, least norm": bottomOfWeights(first, g), "lle, another set": bottomOfWeights(second, g)}
		m, err := bench.NewMethod("neml", map[string]string{"neighbors": fmt.Sprint(exactNeighbors), "gamma": "1e-10"})
		if err != nil {
			return nil, err
		}
		r, err := engine.Embed(ctx, s.X, m, engine.Options{Threads: 1})
		if err != nil {
			return nil, err
		}
		y["neml"] = r.Y
		worst := 0.0
		for name, embedding := range y {
			dev, _, err := measures.Deviation(s.Params, embedding)
			if err != nil {
				return nil, err
			}
			out.Series[name] = append(out.Series[name], dev)
			if name != "neml" {
				worst = max(worst, dev)
			}
		}
		out.Series["residual"] = append(out.Series["residual"], max(residualOf(s.X, first, g), residualOf(s.X, second, g)))
		out.Series["seed"] = append(out.Series["seed"], float64(seed))
		if len(out.Pictures) == 0 || worst > distorted && !failedBefore {
			// The first draw is shown, or rather the first on which LLE fails.
			out.Pictures = map[string]*bench.Picture{"points": {Points: s.X, Color: mat.Col(nil, 0, s.X)}}
			for name, embedding := range y {
				fitted, err := affineFit(embedding, s.X)
				if err != nil {
					return nil, err
				}
				out.Pictures[name] = &bench.Picture{Points: fitted, Color: mat.Col(nil, 0, s.X)}
			}
		}
		failedBefore = failedBefore || worst > distorted
	}
	return out, nil
}

// affineFit is the affine image of y that is nearest to x, so that the eye sees dev.
func affineFit(y, x *mat.Dense) (*mat.Dense, error) {
	n, d := y.Dims()
	with := mat.NewDense(n, d+1, nil)
	for i := range n {
		copy(with.RawRowView(i), y.RawRowView(i))
		with.Set(i, d, 1)
	}
	var coefficients, fitted mat.Dense
	if err := coefficients.Solve(with, x); err != nil {
		return nil, err
	}
	fitted.Mul(with, &coefficients)
	return &fitted, nil
}

// planarLocal is the neighbourhood with its two directions in the plane.
func planarLocal(x *mat.Dense, g *neighbors.Graph, i int) *local {
	l, _ := newLocal(x, i, g.Of(i), 2)
	return l
}

// exactWeights returns a set of weights without error, n × k: the weights of least norm where
// random is nil, and else these plus a vector z of the null space of G with 1ᵀz = 0, of
// up to the same norm.
func exactWeights(x *mat.Dense, g *neighbors.Graph, random *blas.Stream) *mat.Dense {
	w := mat.NewDense(g.Len(), exactNeighbors, nil)
	for i := range g.Len() {
		l := planarLocal(x, g, i)
		least := l.limitWeights(2)
		w.SetRow(i, least)
		if random == nil {
			continue
		}
		z := make([]float64, l.k) // the null space is of two dimensions: z is what least leaves of it
		length := norm(least)
		for j := 2; j < l.k; j++ {
			column := mat.Col(nil, j, l.v)
			share := mat.Dot(mat.NewVecDense(l.k, column), mat.NewVecDense(l.k, least)) / (length * length)
			rest := make([]float64, l.k)
			for a := range rest {
				rest[a] = column[a] - share*least[a]
			}
			if norm(rest) > norm(z) {
				z = rest
			}
		}
		size := length * (2*random.Uniform() - 1) / norm(z)
		for a := range z {
			w.Set(i, a, least[a]+size*z[a])
		}
	}
	return w
}

// residualOf is the largest error of the reconstructions by w.
func residualOf(x, w *mat.Dense, g *neighbors.Graph) float64 {
	worst := 0.0
	for i := range g.Len() {
		var error mat.VecDense
		error.MulVec(planarLocal(x, g, i).g, w.RowView(i))
		worst = max(worst, mat.Norm(&error, 2))
	}
	return worst
}

// bottomOfWeights is the embedding of LLE by given weights: the right singular vectors of
// I − W to the two smallest singular values off the constant. A row of ones below I − W
// makes the constant the vector of a large one.
func bottomOfWeights(w *mat.Dense, g *neighbors.Graph) *mat.Dense {
	n := g.Len()
	rest := mat.NewDense(n+1, n, nil)
	for i := range n {
		rest.Set(i, i, 1)
		rest.Set(n, i, 1)
		for a, j := range g.Of(i) {
			rest.Set(i, int(j), -w.At(i, a))
		}
	}
	return bottomVectors(rest, n)
}

func bottomVectors(a *mat.Dense, n int) *mat.Dense {
	var svd mat.SVD
	svd.Factorize(a, mat.SVDThin)
	var v mat.Dense
	svd.VTo(&v)
	return mat.DenseCopyOf(v.Slice(0, n, n-2, n))
}

// determined says whether all exact weights of all neighbourhoods together leave nothing
// but affine images of the plane: the third singular value off the constant is not 0.
func determined(x *mat.Dense, g *neighbors.Graph) bool {
	n := g.Len()
	all := mat.NewDense(2*n+1, n, nil)
	for i := range n {
		l := planarLocal(x, g, i)
		all.Set(2*n, i, 1)
		for j := 2; j < l.k; j++ { // z of the null space: Σ z_a(x_a − x_i) = 0
			z := mat.Col(nil, j, l.v)
			all.Set(2*i+j-2, i, -total(z))
			for a, neighbor := range g.Of(i) {
				all.Set(2*i+j-2, int(neighbor), z[a])
			}
		}
	}
	sigma := singularValues(all)
	return sigma[n-3] > 1e-6*sigma[0]
}

var exactClaims = []bench.Claim{{
	Name: "planar-exact", Source: papers.NEML + ", Fig. 3",
	Statement: "Points of the plane: by sets of weights that reconstruct every point exactly LLE does not give the plane back; NEML is perfect.",
	Paper:     "pictures of one sample",
	Check: func(r *bench.Records) bench.Finding {
		one := r.Get(exactCase)
		if one == nil {
			return r.FindingWithout(exactCase)
		}
		perfect, fails, both, draws := 0, 0, 0, len(one.Series["seed"])
		for i := range draws {
			first, second := one.Series["lle, least norm"][i] > distorted, one.Series["lle, another set"][i] > distorted
			if one.Series["neml"][i] <= recovered {
				perfect++
			}
			if first || second {
				fails++
			}
			if first && second {
				both++
			}
		}
		f := bench.Finding{Verdict: bench.DoesNot, Cases: []string{exactCase}, Ours: fmt.Sprintf(
			"of %d draws whose neighbourhoods determine the plane NEML gives back %d (dev ≤ %.0e), LLE fails by one of the two sets on %d, by both on %d (dev > %v)", draws, perfect, recovered, fails, both, distorted)}
		switch {
		case draws > 0 && perfect == draws && 2*fails >= draws:
			f.Verdict = bench.Reproduces
		case perfect > 0 && fails > 0:
			f.Verdict = bench.PartlyHolds
			f.Why = "The paper shows one sample; it is reproduced where all draws are perfect by NEML and half or more are distorted by LLE."
		}
		return f
	},
}}

func exactSections(r *bench.Records) []bench.Section {
	one := r.Get(exactCase)
	if one == nil {
		return nil
	}
	s := bench.Section{
		Title: "Weights without error (Fig. 3)",
		Text:  "20 points of the unit square, k = 4: every point is reconstructed exactly by the weights of least norm, and by these plus a drawn vector that changes no reconstruction. The table counts draws by dev. Below, a draw on which LLE fails where there is one, each embedding after the affine map that brings it nearest to the points.",
		Table: &bench.Table{Columns: []string{"embedding", "dev ≤ 1e-6", "between", "dev > 0.1"}},
	}
	for _, name := range []string{"lle, least norm", "lle, another set", "neml"} {
		var counts [3]int
		for _, dev := range one.Series[name] {
			switch {
			case dev <= recovered:
				counts[0]++
			case dev <= distorted:
				counts[1]++
			default:
				counts[2]++
			}
		}
		row := []bench.Cell{bench.PlainCell(name)}
		for _, count := range counts {
			row = append(row, bench.Cell{Text: fmt.Sprint(count), Case: exactCase})
		}
		s.Table.Rows = append(s.Table.Rows, row)
	}
	for _, name := range []string{"points", "lle, least norm", "lle, another set", "neml"} {
		s.Pictures = append(s.Pictures, bench.Figure{Case: exactCase, Picture: name, Caption: name + ", coloured by the first coordinate"})
	}
	return []bench.Section{s}
}
