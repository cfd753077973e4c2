package neml

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/engine/neighbors"
)

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

// exactWeights returns a set of weights without error, n × k: those of least norm where
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
