package suggest

import (
	"slices"
	"strings"
)

// elsewhere are the names that other libraries have for parameters, in small letters without
// hyphens: what they are called here, by preference.
var elsewhere = map[string][]string{
	"ncomponents": {"dim", "rank", "ranks"}, "ncomponent": {"dim", "rank", "ranks"}, "ncomps": {"dim", "rank", "ranks"}, "ndim": {"dim", "rank"}, "ndims": {"dim", "rank"},
	"dimensions": {"dim"}, "outdim": {"dim"}, "perplexity": {"neighbors"}, "knn": {"neighbors"}, "input": {"in"}, "output": {"out"}, "embeddingdimension": {"dim"}, "nneighbors": {"neighbors", "k", "p"}, "nneighbours": {"neighbors", "k", "p"},
	"neighbours": {"neighbors", "k", "p"}, "nclusters": {"clusters"}, "kclusters": {"clusters"}, "nlandmarks": {"landmarks"},
	"randomstate": {"seed"}, "randomseed": {"seed"}, "rng": {"seed"}, "njobs": {"threads"}, "nthreads": {"threads"}, "numthreads": {"threads"}, "workers": {"threads"},
	"maxiter": {"iterations"}, "niter": {"iterations"}, "maxiterations": {"iterations"}, "epochs": {"iterations"}, "nepochs": {"iterations"},
	"tol": {"tolerance"}, "eps": {"tolerance"}, "ninit": {"restarts"}, "nruns": {"runs"}, "batchsize": {"batch"}, "reg": {"gamma"}, "regularization": {"gamma", "lambda"},
	"scale": {"standardize"}, "scaler": {"standardize"}, "scaling": {"standardize"}, "standardise": {"standardize"}, "zscore": {"standardize"},
	"whiten": {"standardize"}, "normalize": {"normalise", "standardize"}, "betaloss": {"beta"}, "nearestneighborsalgorithm": {"neighbors_method"},
	"neighborsalgorithm": {"neighbors_method"}, "l1weight": {"l1_ratio"},
}

// remarks are what there is in place of a parameter of another library, where the parameter itself
// is not among the known names.
var remarks = map[string]string{
	"metric":   "for another metric give the graph, or the distances, that it makes",
	"affinity": "give affinities of your own as affinities",
}

// named returns what a name of another library is called among the known ones; listed says that
// the name is one of these, whether or not there is anything like it.
func named(name string, known []string) (here string, listed bool) {
	list, listed := elsewhere[bare(name)]
	if !listed {
		return "", false
	}
	for _, wanted := range append([]string{name}, list...) { // the name itself may well be known
		if at := slices.IndexFunc(known, func(k string) bool { return bare(k) == bare(wanted) }); at >= 0 {
			return known[at], true
		}
	}
	return "", true
}

// bare takes the hyphens out of a name, which those of flags begin with, too.
func bare(name string) string {
	return strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(strings.TrimSpace(name)))
}
