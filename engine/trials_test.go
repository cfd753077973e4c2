package engine

import (
	"github.com/orthant-go/orthant/engine/method"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/steptest"
)

// trial is a method with its settings. Its name is that of the subtests that run it,
// so that one method can be tested alone: -run 'Local/neml'.
type trial struct {
	name   string
	method Method
}

// settings are the settings "key=value key=value" to try for each method. Those under
// "" apply to the methods that are not listed, as far as they have such parameters.
type settings map[string][]string

// exceptions are the methods that do not have a property, with the reason.
type exceptions map[string]string

// trials returns the methods of a kind in the table, with each of their
// settings. The first settings of a method have the method's name alone.
func trials(t testing.TB, kind func(Entry) bool, of settings) []trial {
	t.Helper()
	var all []trial
	for _, e := range Methods() {
		if !kind(e) {
			continue
		}
		listed, exact := of[e.Name]
		if !exact {
			listed = of[""]
		}
		if len(listed) == 0 {
			listed = []string{""}
		}
		for i, setting := range listed {
			m := named(t, e.Name)
			for _, pair := range strings.Fields(setting) {
				key, value, _ := strings.Cut(pair, "=")
				if !exact && !has(e, key) {
					continue
				}
				if err := Set(m, key, value); err != nil {
					t.Fatal(err)
				}
			}
			name := e.Name
			if i > 0 {
				name += " " + setting
			}
			all = append(all, trial{name, m})
		}
	}
	if len(all) == 0 {
		t.Fatal("no method is of this kind")
	}
	for name := range of {
		if name != "" && !slices.ContainsFunc(all, func(tr trial) bool { return tr.method.Name() == name }) {
			t.Fatalf("there are settings of %s, which is not of this kind", name)
		}
	}
	return all
}

// namesOf returns the methods of trials.
func namesOf(all []trial) []string {
	var names []string
	for _, tr := range all {
		names = append(names, tr.method.Name())
	}
	return slices.Compact(names)
}

// each tests a property in a subtest for every trial except the exceptions.
func each(t *testing.T, all []trial, except exceptions, property func(t *testing.T, m Method)) {
	t.Helper()
	for name, reason := range except {
		if reason == "" || !slices.ContainsFunc(all, func(tr trial) bool { return tr.method.Name() == name }) {
			t.Errorf("%s is excepted for nothing", name)
		}
	}
	for _, tr := range all {
		if _, excepted := except[tr.method.Name()]; !excepted {
			t.Run(tr.name, func(t *testing.T) { property(t, tr.method) })
		}
	}
}

// has reports whether a method has a parameter.
func has(e Entry, key string) bool {
	return slices.ContainsFunc(e.Parameters, func(p Parameter) bool { return p.Key == key })
}

func embeds(e Entry) bool     { return slices.Contains(e.Tasks, "embed") }
func factorizes(e Entry) bool { return slices.Contains(e.Tasks, "factorize") }
func clusters(e Entry) bool   { return slices.Contains(e.Tasks, "cluster") }
func selects(e Entry) bool    { return slices.Contains(e.Tasks, "select") }

// isNonnegative reports whether a method uses multiplicative updates, which have a parameter update.
func isNonnegative(e Entry) bool { return embeds(e) && has(e, "update") }

// isProjection reports whether a method is linear with a neighbour graph, and so can skip the
// trivial direction.
func isProjection(e Entry) bool { return embeds(e) && has(e, "skip") }

// isLocal reports whether the coordinates are eigenvectors from a neighbour
// graph; linear and nonnegative methods have properties of their own.
func isLocal(e Entry) bool {
	return embeds(e) && has(e, "neighbors") && !isProjection(e) && !isNonnegative(e) && !isMap(e)
}

// isMap reports whether a method is a force layout: TestMaps tests those.
func isMap(e Entry) bool {
	m, err := New(e.Name)
	return err == nil && method.RowOf(m).Layout
}

// isGlobal reports whether a method needs neither a neighbour graph nor labels.
func isGlobal(e Entry) bool {
	return embeds(e) && !has(e, "neighbors") && !e.Supervised && !isNonnegative(e) && !isMap(e)
}

// byLagrangian reports whether the factors come from an augmented Lagrangian, which has
// a growing penalty.
func byLagrangian(e Entry) bool { return has(e, "rho") }

// local returns the methods with a neighbour graph, with ten neighbours.
func local(t testing.TB) []trial {
	t.Helper()
	return trials(t, isLocal, settings{
		"":     {"neighbors=10"},
		"ltsa": {"neighbors=10", "neighbors=10 exclude_self=true"},
		"hlle": {"neighbors=10", "neighbors=10 exclude_self=true"},
		"le":   {"neighbors=10", "neighbors=10 weights=heat"},
		"smce": {"neighbors=20"}, // of which it keeps few
	})
}

func global(t testing.TB) []trial { t.Helper(); return trials(t, isGlobal, nil) }

// projections returns the linear methods with a neighbour graph, with eight neighbours.
func projections(t testing.TB, dim string) []trial {
	t.Helper()
	return trials(t, isProjection, settings{"": {"neighbors=8 dim=" + dim}})
}

// linearMethods returns projections and the linear methods without a neighbour graph.
func linearMethods(t testing.TB) []trial {
	t.Helper()
	return slices.Concat(projections(t, "2"), trials(t, func(e Entry) bool { return e.Name == "lda" || isGlobal(e) }, nil))
}

// nonnegativeTrials returns the methods with a nonnegative factor, with the given number of iterations.
func nonnegativeTrials(t testing.TB, iterations string) []trial {
	t.Helper()
	return trials(t, isNonnegative, settings{
		"":     {"neighbors=10 iterations=" + iterations},
		"nmms": {"iterations=" + iterations, "distances=geodesic neighbors=10 iterations=" + iterations},
	})
}

// clusterers returns the methods for Cluster, with few neighbours, that neither factorise nor
// select; TestClusterByFactors and TestDS3ClustersByExemplars test those.
func clusterers(t testing.TB) []trial {
	t.Helper()
	return trials(t, func(e Entry) bool { return clusters(e) && !factorizes(e) && !selects(e) }, settings{
		"":         {"neighbors=8"},
		"smce":     {"neighbors=15"},
		"spectral": {"neighbors=8", "neighbors=8 weights=heat graph=average"},
		"hdbscan":  {"min_cluster_size=12 min_samples=2"},
		"leiden":   {"neighbors=8 resolution=0.05"}, // at 1 it divides a cloud
	})
}

// factorizers returns all methods of Factorize that minimise a loss of nonnegative factors,
// with few iterations, and settings worth testing in addition to the defaults. The components of
// dsmf have any sign and length: see TestDSMF.
func factorizers(t testing.TB) []trial {
	t.Helper()
	const few, descent = "iterations=40", "solver=hals init=nndsvd"
	return trials(t, func(e Entry) bool { return factorizes(e) && !byLagrangian(e) && e.Name != "dsmf" }, settings{
		"":        {few},
		"nmf":     {few, descent, "solver=hals sweeps=1 init=nndsvdar"},
		"gnmf":    {few, descent},
		"gs-gnmf": {few, descent},
		"npaf":    {few, descent, "loss=kl init=nndsvda"},
		"ndla":    {few, descent},
		"cim-nmf": {few, "iterations=40 sigma2=0.05 schedule=refresh"},
		"cim-gnmf": {few, "warm=10 freeze_sigma_after=5 iterations=60 lambda=0.1",
			"kernel_constant=true normalise=each theta=8"},
		"sp-rna": {few, "combine=ridge k1=3 k2=4 lambda=0.5"},
	})
}

// indicatorMethods returns the augmented Lagrangian methods with their defaults.
func indicatorMethods(t testing.TB) []trial {
	t.Helper()
	return trials(t, byLagrangian, nil)
}

// isSelective reports whether a method learns its graph of exemplars.
func isSelective(e Entry) bool { return byLagrangian(e) && has(e, "dissimilarity_weight") }

// selectiveMethods returns the selective methods, with few iterations.
func selectiveMethods(t testing.TB) []trial {
	t.Helper()
	return trials(t, isSelective, settings{"": {"iterations=20 start_steps=20"}})
}

// selectors returns the methods for Select, in all their forms.
func selectors(t testing.TB) []trial {
	t.Helper()
	return trials(t, selects, settings{
		"dpp":     {"", "sample=exact", "negative=keep"},
		"ipm":     {"", "scale=shift"},
		"esc-ffs": {"", "misfit_cost=80 scale=minmax"},
		"ds3": {"iterations=300 tolerance=0", "p=2 iterations=300 tolerance=0", "form=regularised norm_weight=0.02",
			"dissimilarities=kernel iterations=300 tolerance=0"},
	})
}

// shapes returns nonnegative samples around three patterns, see [steptest.Shapes].
func shapes(n, m int) (*mat.Dense, []int64) { return steptest.Shapes(n, m) }

// predictors returns the methods whose clusterings label new samples.
func predictors(t testing.TB) []trial {
	t.Helper()
	return trials(t, func(e Entry) bool { return e.Predicts }, settings{"leiden": {"resolution=0.05"}})
}
