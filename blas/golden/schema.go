package golden

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tests are the names of the tests that run the cases of one kind.
type tests = []string

// schema says how to recognise the kinds of the cases of a file, and which tests run each kind.
type schema struct {
	// field holds the kind: "kind" or "name". It is empty where a case is the sum
	// of its parts, whose kinds are its keys.
	field string
	// shared are the keys that are no part: inputs, tolerances and remarks.
	shared []string
	kinds  map[string]tests
}

// whole is the schema of cases of one kind, and the tests of that kind.
func whole(all ...string) schema { return schema{kinds: map[string]tests{"": all}} }

// schemas lists every schema of golden file. A file's name picks its schema:
// local-patches.json and local-patches-more.json are both of "local-patches". A
// kind is found the same way: the case "nle-shift1" is of "nle".
var schemas = map[string]schema{
	"cluster-measures": {field: "kind", kinds: map[string]tests{
		"clusters": {"TestGoldenClusterMeasures"}, "labels": {"TestGoldenClusterMeasures"},
	}},
	"profiles":         whole("TestGoldenProfiles"),
	"hdbscan":          whole("TestGoldenHDBSCAN"),
	"local-embeddings": whole("TestGoldenEmbeddings", "TestGoldenWeightCounts"),
	"local-patches": {field: "kind", kinds: map[string]tests{
		"weights": {"TestGoldenPatches"}, "patch": {"TestGoldenPatches"},
		"selection": {"TestGoldenPatches"}, "mid-value": {"TestGoldenPatches"},
	}},
	"local-generators": {field: "kind", kinds: map[string]tests{
		"random": {"TestGoldenGenerators"}, "data": {"TestGoldenGenerators"},
	}},
	"local-metrics": {field: "kind", kinds: map[string]tests{
		"dev": {"TestGoldenMetrics"}, "nalac": {"TestGoldenMetrics"}, "misclassification": {"TestGoldenMetrics"},
		"roc": {"TestGoldenMetrics"}, "classify": {"TestGoldenMetrics"},
		"interpolate": {"TestGoldenInterpolation"}, "map": {"TestGoldenMaps"},
	}},
	"local-lnp": {field: "kind", kinds: map[string]tests{
		"pursuit": {"TestGoldenLNP"}, "data": {"TestGoldenLNP", "TestGoldenLNPEmbeddings"},
	}},
	"local-smce": whole("TestGoldenSMCE"),
	"maps": {shared: []string{"n", "m", "seed", "X", "Y", "b", "min_dist", "spread"}, kinds: map[string]tests{
		"a":    {"TestGoldenCurve"},
		"umap": {"TestGoldenFuzzy"}, "tsne": {"TestGoldenPerplexity", "TestGoldenDivergence"},
		"pacmap": {"TestGoldenPairs", "TestGoldenPairObjective"},
	}},
	"nonnegative-embeddings": {field: "name", kinds: map[string]tests{
		"npca": {"TestGoldenNonnegative"}, "nle": {"TestGoldenNonnegative"}, "nlle": {"TestGoldenNonnegative"},
		"nonpp": {"TestGoldenNonnegative"}, "nolpp": {"TestGoldenNonnegative"}, "nmms": {"TestGoldenNonnegative"},
		"round":     {"TestGoldenRounding"},
		"baselines": {"TestGoldenSignedMethods"},
	}},
	"rnpa": {field: "name", kinds: map[string]tests{
		"nmf-fro": {"TestGoldenNMF", "TestGoldenFactorizations"}, "nmf-kl": {"TestGoldenNMF", "TestGoldenFactorizations"},
		"hals": {"TestGoldenNMF", "TestGoldenFactorizations"}, "l21": {"TestGoldenNMF", "TestGoldenFactorizations"},
		"gnmf":         {"TestGoldenNMF", "TestGoldenFactorizations"},
		"cim-adaptive": {"TestGoldenNMF", "TestGoldenFactorizations"}, "cim-fixed": {"TestGoldenNMF", "TestGoldenFactorizations"},
		// Their matrix L is given, which no method takes.
		"npaf-fro": {"TestGoldenNMF"}, "npaf-kl": {"TestGoldenNMF"},
		"kgnmf-adaptive": {"TestGoldenNMF"}, "kgnmf-fixed": {"TestGoldenNMF"},
		"nndsvd-zero": {"TestGoldenNMF"}, "nndsvd-mean": {"TestGoldenNMF"},
		"encode":   {"TestGoldenNMF", "TestGoldenRobustMeasures"},
		"measures": {"TestGoldenRobustMeasures"},
		"lp-graph": {"TestGoldenRobustGraphs"}, "sp-graph": {"TestGoldenRobustGraphs"},
		"ndla-graph": {"TestGoldenRobustGraphs"}, "fisher-weight": {"TestGoldenRobustGraphs"},
	}},
	"smrmf-baselines": {shared: []string{"tol", "X", "note"}, kinds: map[string]tests{
		"ipm": {"TestGoldenSelections"}, "dpp": {"TestGoldenSelections"}, "esc": {"TestGoldenSelections"},
		"gnmf":                {"TestGoldenGNMFCodesFirst"},
		"dsmf":                {"TestGoldenDSMF"},
		"adaptive_neighbours": {"TestGoldenAdaptiveNeighbors"},
	}},
	"smrmf-ds3":    whole("TestGoldenDS3"),
	"smrmf-efhg":   whole("TestGoldenPass"),
	"smrmf-kernel": whole("TestGoldenKernel"),
	"smrmf-metrics": {shared: []string{"tol", "note", "y", "p"}, kinds: map[string]tests{
		"acc": {"TestGoldenClusterMetrics"}, "nmi": {"TestGoldenClusterMetrics"},
		"neighbourhood": {"TestGoldenClusterMetrics"},
	}},
	"smrmf-projections": {shared: []string{"tol", "note"}, kinds: map[string]tests{
		"simplex": {"TestGoldenProjections"}, "l1inf": {"TestGoldenProjections"},
		"l12": {"TestGoldenProjections"}, "prox": {"TestGoldenProjections"},
	}},
	"smrmf-runs": {shared: []string{"tol", "X_raw", "y", "note", "k", "tau"}, kinds: map[string]tests{
		"runs":  {"TestGoldenLearnedGraphs", "TestGoldenSelectiveRuns"},
		"rmnmf": {"TestGoldenLagrangianRuns"}, "amrmf": {"TestGoldenLagrangianRuns"},
	}},
}

// schemaOf returns the schema of a golden file's name, "" where none fits.
func schemaOf(file string) string {
	return longest(schemas, strings.TrimSuffix(filepath.Base(file), ".json"))
}

// longest returns the longest key that is the name or its beginning up to a hyphen,
// an underscore or a blank, "" where none is.
func longest[V any](of map[string]V, name string) string {
	best := ""
	for key := range of {
		rest, begins := strings.CutPrefix(name, key)
		if begins && (rest == "" || strings.ContainsAny(rest[:1], "-_ ")) && len(key) > len(best) {
			best = key
		}
	}
	return best
}

// kindsOf returns the kinds of a case of the schema, and the parts of it that belong to none.
func (s schema) kindsOf(one fields) (kinds, unknown []string) {
	if _, single := s.kinds[""]; single {
		return []string{""}, nil
	}
	names := []string{one.text(s.field)}
	if s.field == "" {
		names = names[:0]
		for key := range one {
			if !slices.Contains(s.shared, key) {
				names = append(names, key)
			}
		}
		slices.Sort(names)
	}
	for _, name := range names {
		if kind := longest(s.kinds, name); kind != "" {
			kinds = append(kinds, kind)
		} else {
			unknown = append(unknown, name)
		}
	}
	return slices.Compact(kinds), unknown
}

// Kind returns the kind of a case whose schema has one field for it.
func Kind(t testing.TB, name string, one json.RawMessage) string {
	t.Helper()
	kinds, unknown := schemas[name].kindsOf(decoded(t, one))
	if len(kinds) != 1 || len(unknown) > 0 {
		t.Fatalf("the case %.80s of %s is of the kinds %q, and %q of none", one, name, kinds, unknown)
	}
	return kinds[0]
}
