package engine

import (
	"strings"
	"testing"
)

// promises are why a method's answer does not follow from the first one where its samples are
// in another order, moved, turned, larger, there twice, or their classes called by other
// numbers. Empty: it follows.
type promises struct{ permute, translate, rotate, scale, duplicate, relabel string }

// Reasons. Those that begin with «Not surely» hold for some data all the same: an answer that
// follows is no failure then.
const (
	origin     = "what it keeps is measured from the origin, by its definition"
	axes       = "its factors or directions are nonnegative, which is a property of the axes"
	basin      = "Not surely: of several minima rounding may choose, as its problem is not convex"
	ownStart   = "Not surely: its own start is drawn by the seed, row by row, and the minimum that it reaches may be another one"
	nearer     = "Not surely: a copy takes the place of another neighbour, and graphs are not merged by these tasks"
	standIns   = "Not surely: a copy may stand for its original, and the widths of kernels follow the number of samples"
	graphTerm  = "a copy takes the place of another neighbour in the term of the graph"
	codes      = "copies code each other, so that the learned graph joins them"
	orthonorm  = "WᵀW = I: of twice the samples, the columns of W have entries √2 times smaller"
	trained    = "its layers train their start by a decomposition whose size follows that of the data"
	renumbered = "its own start numbers the clusters by the order of the rows"
)

// Groups of methods with the same exceptions.
var (
	all           = promises{}
	fromOrigin    = promises{translate: origin}
	descents      = promises{permute: basin, translate: basin, rotate: axes, scale: basin}
	parts         = promises{translate: origin, rotate: axes}
	partsByGraph  = promises{translate: origin, rotate: axes, duplicate: graphTerm}
	partsByCodes  = promises{translate: origin, rotate: axes, duplicate: codes}
	indicators    = promises{duplicate: orthonorm}
	graphClusters = promises{duplicate: nearer}
	partClusters  = promises{permute: ownStart, translate: "Not surely: " + origin, rotate: axes, duplicate: ownStart}
	rayClusters   = promises{permute: ownStart, duplicate: nearer}
	byExemplars   = promises{duplicate: standIns}
)

// promised are the promises of all methods, by name and task. A new method has to be entered.
var promised = map[string]promises{
	"pca/embed": all, "mds/embed": all, "isomap/embed": all, "lda/embed": all,
	"lle/embed": all, "mlle/embed": all, "hlle/embed": all, "ltsa/embed": all, "ltsa-curvature/embed": all, "neml/embed": all,
	"le/embed": all, "diffusion-maps/embed": all, "lnp/embed": all, "smce/embed": all,
	"npp/embed": fromOrigin, "onpp/embed": fromOrigin, "lpp/embed": fromOrigin, "olpp/embed": fromOrigin, "olpp-cai/embed": fromOrigin,
	"nmms/embed": all, "nlle/embed": all, "nle/embed": all,
	"npca/embed":  {rotate: axes},
	"nonpp/embed": descents, "nolpp/embed": descents,

	"nmf/factorize": parts, "nmf-kl/factorize": parts, "nmf-beta/factorize": parts, "l21-nmf/factorize": parts, "cim-nmf/factorize": parts,
	"gnmf/factorize": partsByGraph, "npaf/factorize": partsByGraph, "cim-gnmf/factorize": partsByGraph, "ndla/factorize": partsByGraph,
	"gs-gnmf/factorize": partsByCodes, "lp-rna/factorize": partsByCodes, "sp-rna/factorize": partsByCodes,
	"dsmf/factorize":  {translate: origin, duplicate: trained},
	"rmnmf/factorize": indicators, "amrmf/factorize": indicators, "smrmf/factorize": indicators, "smrmf-euc/factorize": indicators,
	"f-smrmf/factorize": indicators, "smrmf-ns/factorize": indicators,
	"apmf/factorize": {permute: renumbered, duplicate: orthonorm},

	"kmeans/cluster": all,
	"lnp/cluster":    graphClusters, "smce/cluster": graphClusters, "spectral/cluster": graphClusters,
	"nmf/cluster": partClusters, "nmf-kl/cluster": partClusters, "nmf-beta/cluster": partClusters, "l21-nmf/cluster": partClusters,
	"cim-nmf/cluster": partClusters, "gnmf/cluster": partClusters, "npaf/cluster": partClusters, "cim-gnmf/cluster": partClusters,
	"gs-gnmf/cluster": partClusters, "lp-rna/cluster": partClusters,
	"dsmf/cluster":  {translate: "Not surely: " + origin},
	"rmnmf/cluster": rayClusters, "amrmf/cluster": rayClusters, "apmf/cluster": rayClusters, "smrmf/cluster": rayClusters,
	"smrmf-euc/cluster": rayClusters, "f-smrmf/cluster": rayClusters, "smrmf-ns/cluster": rayClusters,
	"ds3/cluster":     byExemplars,
	"esc-ffs/cluster": {translate: origin, duplicate: standIns},

	"ds3/select": byExemplars, "dpp/select": byExemplars,
	"ipm/select":     all,
	"esc-ffs/select": {translate: origin},
}

// Every method keeps what it promises under each transformation, and what it is excepted from
// is seen not to hold, but where the reason says that it may.
func TestPromises(t *testing.T) {
	entered := map[string]bool{}
	for _, e := range Methods() {
		for _, task := range e.Tasks {
			name := e.Name + "/" + task
			entered[name] = true
			p, there := promised[name]
			if !there {
				t.Errorf("%s has no promises: enter it, with the reasons where its answer does not follow", name)
				continue
			}
			t.Run(name, func(t *testing.T) {
				first, want := firstAnswer(t, e, task)
				for i, reason := range []string{p.permute, p.translate, p.rotate, p.scale, p.duplicate, p.relabel} {
					by := transformations[i]
					d, err := deviationBy(e, task, by, first, want)
					const tol = 1e-6 // the smallest gap of these problems, lle's, takes 1e-9
					switch {
					case reason == "" && err != nil:
						t.Errorf("%s: %v", by.name, err)
					case reason == "" && !(d <= tol):
						t.Errorf("%s moves the answer by %.1e", by.name, d)
					case reason != "" && !strings.HasPrefix(reason, "Not surely: ") && err == nil && d <= tol:
						t.Errorf("%s is excepted for nothing (%s): it moves the answer by %.1e", by.name, reason, d)
					}
				}
			})
		}
	}
	for name := range promised {
		if !entered[name] {
			t.Errorf("%s has promises and is no method with that task", name)
		}
	}
}

// Labels change nothing of a method that does not learn from them, to the bit.
func TestLabelsOnlyCountWhereTheyAreLearned(t *testing.T) {
	for _, e := range Methods() {
		for _, task := range e.Tasks {
			if e.Supervised || strings.HasPrefix(promised[e.Name+"/"+task].permute, "Not surely") {
				continue
			}
			t.Run(e.Name+"/"+task, func(t *testing.T) {
				first, want := firstAnswer(t, e, task)
				d, err := deviationBy(e, task, transformation{"no labels", func(p posed) posed { p.labels = nil; return p }}, first, want)
				if err != nil || d != 0 {
					t.Errorf("without labels the answer is another one by %.1e (%v)", d, err)
				}
			})
		}
	}
}
