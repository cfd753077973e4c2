package main

import (
	"context"
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/engine/suggest"
)

// metric is one measure of "orthant evaluate".
type metric struct {
	name, title  string
	compares     string                      // what with what, for messages
	needs        []string                    // the input flags
	ownNeighbors bool                        // whether its default is the method's, not 5
	neighbors    bool                        // whether --neighbors matters
	settings     map[string][]string         // keys of --set and their words, the default first
	numbers      map[string]bool             // the keys whose value is a number in place of words
	embeds       bool                        // whether --set method and the method's own parameters apply
	variant      func(e *evaluation) *metric // the metric that the settings make of it, nil: itself
	measure      func(ctx context.Context, e *evaluation) (float64, error)
}

// metrics are those that work, in the order in which they are shown.
var metrics = []metric{
	{name: "dev", title: "what of the truth no affine map of the embedding gives: 0 is best",
		compares: "an embedding with the truth", needs: []string{"truth", "embedding"},
		settings: map[string][]string{"centred": {"false", "true"}}, measure: measureDeviation},
	{name: "trustworthiness", title: "whether neighbours in the embedding are neighbours in the data: 1 is best",
		compares: "an embedding with its data", needs: []string{"in", "embedding"}, neighbors: true,
		measure: func(ctx context.Context, e *evaluation) (float64, error) {
			return measures.Trustworthiness(ctx, e.matrices["in"], e.matrices["embedding"], e.k, e.measuring())
		}},
	{name: "continuity", title: "whether neighbours in the data stay neighbours: 1 is best",
		compares: "an embedding with its data", needs: []string{"in", "embedding"}, neighbors: true,
		measure: func(ctx context.Context, e *evaluation) (float64, error) {
			return measures.Continuity(ctx, e.matrices["in"], e.matrices["embedding"], e.k, e.measuring())
		}},
	{name: "mrre", title: "mean relative rank error, of the neighbours in the embedding or in the data: 0 is best",
		compares: "an embedding with its data", needs: []string{"in", "embedding"}, neighbors: true,
		settings: map[string][]string{"side": {"embedding", "data"}}, measure: measureRankError},
	{name: "lcmc", title: "share of neighbours that data and embedding have in common, less that of chance",
		compares: "an embedding with its data", needs: []string{"in", "embedding"}, neighbors: true,
		measure: func(ctx context.Context, e *evaluation) (float64, error) {
			return measures.LCMC(ctx, e.matrices["in"], e.matrices["embedding"], e.k, e.measuring())
		}},
	{name: "nalac", title: "share of neighbours that agree rank by rank in data and embedding",
		compares: "an embedding with its data", needs: []string{"in", "embedding"}, neighbors: true,
		settings: listSettings, measure: overLists(measures.Nalac)},
	{name: "soft-nalac", title: "share of neighbours that agree in data and embedding, in any order",
		compares: "an embedding with its data", needs: []string{"in", "embedding"}, neighbors: true,
		settings: listSettings, measure: overLists(measures.SoftNalac)},
	{name: "intrinsic-dimension", title: "dimension of the data, by how many neighbours represent a sample",
		compares: "the neighbours of samples", needs: []string{"in"}, neighbors: true, ownNeighbors: true,
		settings: map[string][]string{"method": {"lnp", "lle", "smce", "le"}, "rule": {"support", "gap"}}, measure: measureDimension},
	{name: "roc-auc", title: "how well one coordinate tells two classes apart: max(AUC, 1 − AUC)",
		compares: "an n × 1 embedding with two classes", needs: []string{"embedding", "labels"}, measure: measureAUC},
	{name: "acc", title: "share of samples clustered right, under the best matching of clusters to classes",
		compares: "clusters with classes", needs: []string{"labels", "predicted"},
		measure: func(_ context.Context, e *evaluation) (float64, error) {
			return measures.Accuracy(e.classes["labels"], e.classes["predicted"])
		}},
	{name: "nmi", title: "mutual information of clusters and classes, normalised",
		compares: "clusters with classes", needs: []string{"labels", "predicted"},
		settings: map[string][]string{"normalise": measures.Normalizations},
		measure: func(_ context.Context, e *evaluation) (float64, error) {
			return measures.NMI(e.classes["labels"], e.classes["predicted"], e.set["normalise"])
		}},
	{name: "bad-neighbors", title: "share of the nearest neighbours that are of another class; K is √n where it is not given",
		compares: "the neighbours of samples with classes", needs: []string{"in", "labels"}, neighbors: true, ownNeighbors: true, measure: measureBadNeighbors},
	splitMetric(measures.NN, "share of samples that the nearest training sample takes for another class, over random splits"),
	splitMetric(measures.NFL, "the same by the nearest line through two training samples of a class"),
	{name: "reconstruction", title: "relative error of a factorisation, ‖X − WH‖/‖X‖: 0 is best",
		compares: "data with the product of its factors", needs: []string{"in", "w", "h"},
		measure: func(ctx context.Context, e *evaluation) (float64, error) {
			return measures.Reconstruction(ctx, e.matrices["in"], e.matrices["w"], e.matrices["h"], e.measuring())
		}},
}

// measuring returns what long measures are computed with.
func (e *evaluation) measuring() measures.Options {
	return measures.Options{Kernels: e.kernels, Threads: e.threads}
}

func metricNames() []string {
	var names []string
	for _, m := range metrics {
		names = append(names, m.name)
	}
	return names
}

// checkSettings refuses keys and words that the metric does not know.
func (m *metric) checkSettings(set settings) error {
	known := slices.Sorted(maps.Keys(m.settings))
	for _, key := range slices.Sorted(maps.Keys(set)) {
		words := m.settings[key]
		switch {
		case len(known) == 0:
			return wrong("%s has no setting %q; it has none", m.name, key)
		case words == nil:
			return wrong("%s has no setting %q%s; it has %s", m.name, key, suggest.Hint(key, known), strings.Join(known, ", "))
		case !m.numbers[key] && !slices.Contains(words, set[key]):
			return wrong("%s: %s is %q; give %s", m.name, key, set[key], strings.Join(words, ", "))
		}
	}
	return nil
}

func measureDeviation(_ context.Context, e *evaluation) (float64, error) {
	dev, centred, err := measures.Deviation(e.matrices["truth"], e.matrices["embedding"])
	if e.set["centred"] == "true" {
		return centred, err
	}
	return dev, err
}

// measureRankError takes the neighbours of one side or the other.
func measureRankError(ctx context.Context, e *evaluation) (float64, error) {
	measure := measures.MRRE
	if e.set["side"] == "data" {
		measure = measures.MRREOfData
	}
	return measure(ctx, e.matrices["in"], e.matrices["embedding"], e.k, e.measuring())
}

func measureAUC(_ context.Context, e *evaluation) (float64, error) {
	if _, cols := e.matrices["embedding"].Dims(); cols != 1 {
		return 0, wrong("roc-auc: --embedding has %d columns; give the n × 1 scores", cols)
	}
	labels := e.classes["labels"]
	low, high := slices.Min(labels), slices.Max(labels)
	positive := make([]bool, len(labels))
	for i, l := range labels {
		if l != low && l != high {
			return 0, wrong("roc-auc: --labels holds %d, %d and %d; give exactly two values, the larger one for the positives", low, l, high)
		}
		positive[i] = l == high
	}
	if low == high {
		return 0, wrong("roc-auc: --labels are all %d; give exactly two values, the larger one for the positives", low)
	}
	curve, err := measures.ROC(mat.Col(nil, 0, e.matrices["embedding"]), positive)
	if err != nil {
		return 0, err
	}
	return curve.RankAUC(), nil
}
