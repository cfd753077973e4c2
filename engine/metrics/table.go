package metrics

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/measures"
)

// table has the metrics in the order in which they are shown.
var table = []Metric{
	{Name: "dev", Title: "what of the truth no affine map of the embedding gives: 0 is best",
		Compares: "an embedding with the truth", Needs: []string{"truth", "embedding"}, Least: true,
		Settings: map[string][]string{"centred": {"false", "true"}}, measure: measureDeviation},
	{Name: "trustworthiness", Title: "whether neighbours in the embedding are neighbours in the data: 1 is best",
		Compares: "an embedding with its data", Needs: []string{"in", "embedding"}, Neighbors: true,
		measure: func(ctx context.Context, in *Inputs, _ *Value) (float64, error) {
			return measures.Trustworthiness(ctx, in.Matrices["in"], in.Matrices["embedding"], in.K, in.measuring())
		}},
	{Name: "continuity", Title: "whether neighbours in the data stay neighbours: 1 is best",
		Compares: "an embedding with its data", Needs: []string{"in", "embedding"}, Neighbors: true,
		measure: func(ctx context.Context, in *Inputs, _ *Value) (float64, error) {
			return measures.Continuity(ctx, in.Matrices["in"], in.Matrices["embedding"], in.K, in.measuring())
		}},
	{Name: "mrre", Title: "mean relative rank error, of the neighbours in the embedding or in the data: 0 is best",
		Compares: "an embedding with its data", Needs: []string{"in", "embedding"}, Least: true, Neighbors: true,
		Settings: map[string][]string{"side": {"embedding", "data"}}, measure: measureRankError},
	{Name: "lcmc", Title: "share of neighbours that data and embedding have in common, less that of chance",
		Compares: "an embedding with its data", Needs: []string{"in", "embedding"}, Neighbors: true,
		measure: func(ctx context.Context, in *Inputs, _ *Value) (float64, error) {
			return measures.LCMC(ctx, in.Matrices["in"], in.Matrices["embedding"], in.K, in.measuring())
		}},
	{Name: "residual-variance", Title: "share of the distances along the data that the embedding does not explain: 0 is best",
		Compares: "an embedding with its data", Needs: []string{"in", "embedding"}, Least: true, Neighbors: true, OwnNeighbors: true,
		Settings: map[string][]string{"distances": {"paths", "straight"}}, measure: measureResidualVariance},
	{Name: "nalac", Title: "share of neighbours that agree rank by rank in data and embedding",
		Compares: "an embedding with its data", Needs: []string{"in", "embedding"}, Neighbors: true,
		Settings: listSettings, measure: overLists(measures.Nalac)},
	{Name: "soft-nalac", Title: "share of neighbours that agree in data and embedding, in any order (neighbor preservation)",
		Compares: "an embedding with its data", Needs: []string{"in", "embedding"}, Neighbors: true,
		Settings: listSettings, measure: overLists(measures.SoftNalac)},
	{Name: "random-triplet", Title: "share of random triplets of samples whose order of distances is kept: 1 is best",
		Compares: "an embedding with its data", Needs: []string{"in", "embedding"}, measure: measureRandomTriplet},
	{Name: "centroid-triplet", Title: "the same of the centroids of the classes",
		Compares: "an embedding with its data by classes", Needs: []string{"in", "embedding", "labels"}, measure: measureCentroidTriplet},
	{Name: "distance-correlation", Title: "rank correlation of the distances of pairs in data and embedding: 1 is best",
		Compares: "an embedding with its data", Needs: []string{"in", "embedding"}, measure: measureDistanceCorrelation},
	{Name: "kl-divergence", Title: "divergence that t-SNE lowers, in whose unit the embedding must be: 0 is best",
		Compares: "an embedding with its data", Needs: []string{"in", "embedding"}, Least: true,
		Settings: map[string][]string{"perplexity": {"30"}}, Numbers: map[string]bool{"perplexity": true}, measure: measureDivergence},
	{Name: "procrustes", Title: "disparity to another embedding, as truth, after rotation, reflection and scale: 0 is best",
		Compares: "an embedding with another one", Needs: []string{"truth", "embedding"}, Least: true, measure: measureProcrustes},
	{Name: "intrinsic-dimension", Title: "dimension of the data, by how many neighbours represent a sample",
		Compares: "the neighbours of samples", Needs: []string{"in"}, Neighbors: true, OwnNeighbors: true,
		Settings: map[string][]string{"method": {"lnp", "lle", "smce", "le"}, "rule": {"support", "gap"}}, measure: measureDimension},
	{Name: "roc-auc", Title: "how well one coordinate separates two classes: max(AUC, 1 − AUC)",
		Compares: "an n × 1 embedding with two classes", Needs: []string{"embedding", "labels"}, measure: measureAUC},
	{Name: "silhouette", Title: "how much closer samples are to their own cluster than to the next: 1 is best",
		Compares: "data with clusters", Needs: []string{"in", "predicted"},
		Settings: map[string][]string{"distances": {"exact", "simplified"}}, measure: measureSilhouette},
	{Name: "davies-bouldin", Title: "how wide clusters are for the distance of their means, of the worst pairs: 0 is best",
		Compares: "data with clusters", Needs: []string{"in", "predicted"}, Least: true,
		measure: func(_ context.Context, in *Inputs, v *Value) (float64, error) {
			in.noteNoise(v)
			return measures.DaviesBouldin(in.Matrices["in"], in.Classes["predicted"])
		}},
	{Name: "calinski-harabasz", Title: "variance between clusters over the variance within: larger is better",
		Compares: "data with clusters", Needs: []string{"in", "predicted"},
		measure: func(_ context.Context, in *Inputs, v *Value) (float64, error) {
			in.noteNoise(v)
			return measures.CalinskiHarabasz(in.Matrices["in"], in.Classes["predicted"])
		}},
	{Name: "dbcv", Title: "how well sparse regions separate dense clusters of any shape, noise counted: 1 is best",
		Compares: "data with clusters", Needs: []string{"in", "predicted"}, measure: measureDensity},
	{Name: "acc", Title: "share of samples clustered right, under the best matching of clusters to classes",
		Compares: "clusters with classes", Needs: []string{"labels", "predicted"},
		measure: func(_ context.Context, in *Inputs, _ *Value) (float64, error) {
			return measures.Accuracy(in.Classes["labels"], in.Classes["predicted"])
		}},
	{Name: "nmi", Title: "mutual information of clusters and classes, normalised",
		Compares: "clusters with classes", Needs: []string{"labels", "predicted"},
		Settings: map[string][]string{"normalise": measures.Normalizations},
		measure: func(_ context.Context, in *Inputs, _ *Value) (float64, error) {
			return measures.NMI(in.Classes["labels"], in.Classes["predicted"], in.Set["normalise"])
		}},
	{Name: "ari", Title: "share of pairs of samples on which clusters and classes agree, adjusted for chance: 1 is best",
		Compares: "clusters with classes", Needs: []string{"labels", "predicted"},
		Settings: map[string][]string{"noise": {"cluster", "leave-out"}},
		measure: func(_ context.Context, in *Inputs, v *Value) (float64, error) {
			return measures.AdjustedRand(in.labellings(v))
		}},
	{Name: "ami", Title: "mutual information of clusters and classes, adjusted for chance: 1 is best",
		Compares: "clusters with classes", Needs: []string{"labels", "predicted"},
		Settings: map[string][]string{"normalise": {"arithmetic", "max", "min", "geometric"}, "noise": {"cluster", "leave-out"}},
		measure: func(_ context.Context, in *Inputs, v *Value) (float64, error) {
			truth, predicted := in.labellings(v)
			return measures.AMI(truth, predicted, in.Set["normalise"])
		}},
	{Name: "bad-neighbors", Title: "share of the nearest neighbours that are of another class; K is √n where it is not given",
		Compares: "the neighbours of samples with classes", Needs: []string{"in", "labels"}, Least: true, Neighbors: true, OwnNeighbors: true, measure: measureBadNeighbors},
	splitMetric(measures.NN, "share of samples that the nearest training sample takes for another class, over random splits"),
	splitMetric(measures.NFL, "the same by the nearest line through two training samples of a class"),
	{Name: "reconstruction", Title: "relative error of a factorisation, ‖X − WH‖/‖X‖: 0 is best",
		Compares: "data with the product of its factors", Needs: []string{"in", "w", "h"}, Least: true,
		measure: func(ctx context.Context, in *Inputs, _ *Value) (float64, error) {
			return measures.Reconstruction(ctx, in.Matrices["in"], in.Matrices["w"], in.Matrices["h"], in.measuring())
		}},
	{Name: "component-match", Title: "mean cosine with the components of another factorisation (truth), matched best: 1 is best",
		Compares: "components with others", Needs: []string{"truth", "h"}, measure: measureMatch},
	{Name: "component-sparseness", Title: "mean sparseness of the components (Hoyer): 1 where one entry is not zero, 0 where all are equal",
		Compares: "the entries of components", Needs: []string{"h"}, measure: measureSparseness},
	{Name: "component-shares", Title: "number of components that would share the product as evenly, with the share of each",
		Compares: "the components of a factorisation", Needs: []string{"w", "h"}, Settings: map[string][]string{"of": {"sum", "squares"}}, measure: measureShares},
}

func measureDeviation(_ context.Context, in *Inputs, _ *Value) (float64, error) {
	dev, centred, err := measures.Deviation(in.Matrices["truth"], in.Matrices["embedding"])
	if in.Set["centred"] == "true" {
		return centred, err
	}
	return dev, err
}

// measureRankError takes the neighbours of one side or the other.
func measureRankError(ctx context.Context, in *Inputs, _ *Value) (float64, error) {
	measure := measures.MRRE
	if in.Set["side"] == "data" {
		measure = measures.MRREOfData
	}
	return measure(ctx, in.Matrices["in"], in.Matrices["embedding"], in.K, in.measuring())
}

// measureResidualVariance takes the distances along a neighbour graph, or straight ones.
func measureResidualVariance(ctx context.Context, in *Inputs, _ *Value) (float64, error) {
	if n, _ := in.Matrices["in"].Dims(); in.K == 0 {
		in.K = max(min(12, n-1), 1)
	}
	k := in.K
	if in.Set["distances"] == "straight" {
		k = 0
	}
	return measures.ResidualVariance(ctx, in.Matrices["in"], in.Matrices["embedding"], k, in.measuring())
}

func measureAUC(_ context.Context, in *Inputs, _ *Value) (float64, error) {
	if _, cols := in.Matrices["embedding"].Dims(); cols != 1 {
		return 0, fmt.Errorf("roc-auc: %s has %d columns; give the n × 1 scores", in.called("embedding"), cols)
	}
	labels := in.Classes["labels"]
	low, high := slices.Min(labels), slices.Max(labels)
	positive := make([]bool, len(labels))
	for i, l := range labels {
		if l != low && l != high {
			return 0, fmt.Errorf("roc-auc: %s holds %d, %d and %d; give exactly two values, the larger one for the positives", in.called("labels"), low, l, high)
		}
		positive[i] = l == high
	}
	if low == high {
		return 0, fmt.Errorf("roc-auc: %s are all %d; give exactly two values, the larger one for the positives", in.called("labels"), low)
	}
	curve, err := measures.ROC(mat.Col(nil, 0, in.Matrices["embedding"]), positive)
	if err != nil {
		return 0, err
	}
	return curve.RankAUC(), nil
}

// The metrics that are taken if none is named, in the order in which they are shown: first
// the metrics that judge a result, then those of clusters in their data and, if none of them has all that it needs, the metrics of data
// alone.
var (
	ofResults  = []string{"dev", "trustworthiness", "continuity", "lcmc", "residual-variance", "nn-error", "acc", "nmi", "reconstruction"}
	ofClusters = []string{"silhouette", "davies-bouldin", "calinski-harabasz", "dbcv"}
	ofData     = []string{"bad-neighbors", "intrinsic-dimension"}
)

// Defaults are the names of the metrics to take for what is given, of [InputNames]; none: too
// little is given for any.
func Defaults(given []string) []string {
	for _, set := range [][]string{ofResults, ofClusters, ofData} {
		var names []string
		for _, m := range table {
			if slices.Contains(set, m.Name) && !slices.ContainsFunc(m.Needs, func(need string) bool { return !slices.Contains(given, need) }) {
				names = append(names, m.Name)
			}
		}
		if names != nil {
			return names
		}
	}
	return nil
}

// Own are the settings that the metric has a key for.
func (m *Metric) Own(set map[string]string) map[string]string {
	own := map[string]string{}
	for key, text := range set {
		if m.Settings[key] != nil {
			own[key] = text
		}
	}
	return own
}
