package metrics

import (
	"context"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// listSettings are the settings of the metrics that compare lists of neighbours.
var listSettings = map[string][]string{"method": {"knn", "lnp", "smce"}, "cap": {"auto", "none"}}

// overLists measures the neighbours of each sample in the data, as the method of
// the settings selects them, against those in the embedding.
func overLists(measure func(first, second [][]int) (float64, error)) func(context.Context, *Inputs, *Value) (float64, error) {
	return func(ctx context.Context, in *Inputs, _ *Value) (float64, error) {
		var lists [2][][]int
		for i, name := range []string{"in", "embedding"} {
			g, err := in.neighbours(ctx, in.Matrices[name])
			if err != nil {
				return 0, err
			}
			for p := range g.Len() {
				var list []int
				for _, j := range g.Of(p) {
					list = append(list, int(j))
				}
				lists[i] = append(lists[i], list)
			}
		}
		return measure(lists[0], lists[1])
	}
}

// neighbours lists the neighbours that the method of the settings selects; with
// none given, the k nearest.
func (in *Inputs) neighbours(ctx context.Context, x *mat.Dense) (*neighbors.Graph, error) {
	if method := in.Set["method"]; method == "lnp" || method == "smce" {
		return in.represent(ctx, x, method, in.Set["cap"])
	}
	n, m := x.Dims()
	return neighbors.Exact(ctx, neighbors.Points{N: n, M: m, Data: x.RawMatrix().Data}, in.K,
		neighbors.Options{Kernels: in.Kernels, Threads: in.Options.Threads})
}

// represent lists the neighbours by which a method represents each sample, with
// their weights.
func (in *Inputs) represent(ctx context.Context, x *mat.Dense, method, limit string) (*neighbors.Graph, error) {
	m, err := engine.New(method)
	if err != nil {
		return nil, err
	}
	given := map[string]string{}
	if in.K > 0 {
		given["neighbors"] = strconv.Itoa(in.K)
	}
	switch {
	case method == "lnp" && limit != "":
		given["cap"] = limit
	case method == "le":
		given["weights"] = "heat"
	case method == "lle":
		given["gamma"] = "0.001" // auto looks for as many tangents as its dim, which is not known here
	}
	for key, text := range given {
		if err := engine.Set(m, key, text); err != nil {
			return nil, err
		}
	}
	return engine.Represent(ctx, x, m, engine.Options{Backend: in.Options.Backend, Threads: in.Options.Threads, Seed: in.Options.Seed})
}

// measureBadNeighbors judges the nearest neighbours by classes; what it says besides
// its value is about whole neighbourhoods.
func measureBadNeighbors(ctx context.Context, in *Inputs, v *Value) (float64, error) {
	if in.K == 0 {
		n, _ := in.Matrices["in"].Dims()
		in.K = measures.DefaultNeighbors(n)
	}
	b, err := measures.NearestBadNeighbors(ctx, in.Matrices["in"], in.Classes["labels"], in.K, in.measuring())
	if err != nil {
		return 0, err
	}
	v.Details = map[string]any{"bad_neighbors": b.Neighbors, "bad_neighborhoods": b.Neighborhoods, "good": b.Good, "bad": b.Bad}
	if b.Good > 0 {
		v.Details["similarity_good"] = b.SimilarityGood
	}
	if b.Bad > 0 {
		v.Details["similarity_bad"] = b.SimilarityBad
	}
	return b.Neighbors, nil
}

// measureDimension estimates the dimension of the data by both rules, from all
// the neighbours that are selected: a cap would be the answer itself.
func measureDimension(ctx context.Context, in *Inputs, v *Value) (float64, error) {
	method := in.Set["method"]
	if method == "" {
		method = "lnp"
	}
	g, err := in.represent(ctx, in.Matrices["in"], method, "none")
	if err != nil {
		return 0, err
	}
	lists := make([][]float64, g.Len())
	for i := range lists {
		lists[i] = g.Weights(i)
	}
	rho := measures.WeightProfile(lists)
	gap, support := measures.GapDimension(rho), measures.SupportDimension(lists)
	v.Details = map[string]any{"gap_dimension": gap, "support_dimension": support, "rho": rho}
	if in.Set["rule"] == "gap" {
		return float64(gap), nil
	}
	return float64(support), nil
}
