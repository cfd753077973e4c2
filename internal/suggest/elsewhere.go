package suggest

import (
	"slices"
	"strings"
)

// elsewhere are the names that other libraries have for parameters and measures, in small letters without
// hyphens: what they are called here, by preference.
var elsewhere = map[string][]string{
	"ncomponents": {"dim", "rank", "ranks"}, "ncomponent": {"dim", "rank", "ranks"}, "ncomps": {"dim", "rank", "ranks"}, "ndim": {"dim", "rank"}, "ndims": {"dim", "rank"},
	"dimensions": {"dim"}, "outdim": {"dim"}, "perplexity": {"neighbors"}, "knn": {"neighbors"}, "input": {"in"}, "output": {"out"}, "embeddingdimension": {"dim"}, "nneighbors": {"neighbors", "k", "p"}, "nneighbours": {"neighbors", "k", "p"},
	"neighbours": {"neighbors", "k", "p"}, "nclusters": {"clusters"}, "kclusters": {"clusters"}, "nlandmarks": {"landmarks"},
	"randomstate": {"seed"}, "randomseed": {"seed"}, "rng": {"seed"}, "njobs": {"threads"}, "nthreads": {"threads"}, "numthreads": {"threads"}, "workers": {"threads"},
	"maxiter": {"iterations"}, "niter": {"iterations"}, "maxiterations": {"iterations"}, "epochs": {"iterations"}, "nepochs": {"epochs", "iterations"}, "numiters": {"iterations"},
	"negativesamplerate": {"negatives"}, "setopmixratio": {"mix"}, "localconnectivity": {"connectivity"}, "repulsionstrength": {"repulsion"}, "learningrate": {"rate"}, "lr": {"rate"},
	"mnratio": {"mid_near"}, "fpratio": {"further"}, "angle": {"theta"}, "densmap": {"density"}, "denslambda": {"density"}, "earlyexaggerationiter": {"early_iterations"}, "initialization": {"init"},
	"tol": {"tolerance"}, "eps": {"tolerance"}, "ninit": {"restarts"}, "nruns": {"runs"}, "batchsize": {"batch"}, "reg": {"gamma"}, "regularization": {"gamma", "lambda"},
	"scale": {"standardize"}, "scaler": {"standardize"}, "scaling": {"standardize"}, "standardise": {"standardize"}, "zscore": {"standardize"},
	"whiten": {"standardize"}, "normalize": {"normalise", "standardize"}, "betaloss": {"beta"}, "nearestneighborsalgorithm": {"neighbors_method"},
	"neighborsalgorithm": {"neighbors_method"}, "l1weight": {"l1_ratio"},
	"neighborpreservation": {"soft-nalac"}, "neighbourpreservation": {"soft-nalac"}, "neighborhoodpreservation": {"soft-nalac"}, "spearman": {"distance-correlation"},
}

// remarks are what there is in place of a parameter of another library, where the parameter itself
// is not among the known names.
var remarks = map[string]string{
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

// bare takes the hyphens out of a name, including the leading ones of flags.
func bare(name string) string {
	return strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(strings.TrimSpace(name)))
}

// Instead says which method to take in place of one that is known from elsewhere and is not
// here, and why: `take isomap, which …`. It is "" for a name that it does not know. Case does
// not count, nor do '-', '_' and ' '.
func Instead(name string) string {
	name = strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(name))
	if of, known := otherNames[name]; known {
		name = of
	}
	return instead[name]
}

// otherNames are further names of the same methods.
var otherNames = map[string]string{
	"sne": "tsne", "opentsne": "tsne", "fitsne": "tsne", "bhtsne": "tsne", "multicoretsne": "tsne", "parametricumap": "umap", "largevis": "umap", "paramrepulsor": "pacmap",
	"kernelpca": "kpca", "sparsepca": "spca", "incrementalpca": "ipca", "truncatedsvd": "svd", "lsa": "svd", "lsi": "svd", "fastica": "ica",
	"fa": "factoranalysis", "autoencoder": "vae", "selforganizingmap": "som", "selforganisingmap": "som",
	"sammonmapping": "sammon", "mvu": "sde", "semidefiniteembedding": "sde", "forceatlas2": "forceatlas",
	"agglomerative": "hierarchical", "ward": "hierarchical", "linkage": "hierarchical", "gaussianmixture": "gmm", "optics": "dbscan", "meanshift": "dbscan",
	"affinitypropagation": "ap", "kmedoids": "pam", "latentdirichletallocation": "topicmodel", "plsa": "topicmodel", "randomprojection": "rp",
	"laplacianeigenmap": "laplacian", "laplacianeigenmaps": "laplacian", "spectralembedding": "laplacian", "locallylinearembedding": "locallylinear",
	"infomap": "louvain", "labelpropagation": "louvain", "walktrap": "louvain", "phenograph": "louvain", "fastgreedy": "louvain", "snn": "louvain", "dm": "dpt", "archetypal": "archetypalanalysis", "aa": "archetypalanalysis",
}

const (
	ofDensity = "take spectral, which finds clusters of any form in the neighbour graph; you have to give their number, and no sample is left out as noise"
	ofLinear  = "take pca, the linear projection of largest variance"
	ofFactors = "take nmf, whose parts are nonnegative"
)

// instead is what there is here, by the names in small letters without hyphens.
var instead = map[string]string{
	"tsne":     "take tsne, which is t-SNE",
	"umap":     "take umap, which is UMAP",
	"pacmap":   "take pacmap, which is PaCMAP",
	"densmap":  "take umap with ‹density=2›, which is densMAP",
	"localmap": "take pacmap with ‹local=true›, which is LocalMAP",
	"trimap":   "take pacmap, which keeps near and far distances by pairs, as TriMap does by triplets",
	"phate":    "take diffusion-maps, the random walks that PHATE takes its potentials from",
	"dpt":      "take diffusion-maps, the random walks that it is made of",

	"kpca":           "take isomap, which is kernel PCA with a kernel made of the distances along the data; for a kernel of your own, give its distances to mds (‹given_distances›)",
	"spca":           "take npca, whose directions are nonnegative and so have few entries",
	"ipca":           ofLinear,
	"svd":            ofLinear + "; sparse samples stay sparse in it",
	"rp":             ofLinear + ", which costs little more than a random one and keeps more",
	"ica":            ofFactors + "; no method here looks for independent ones",
	"factoranalysis": "take pca, which finds the same space where all columns have about the same noise",
	"vae":            "take neml, which finds the coordinates of a bent surface without training a network, and maps new samples by its model",
	"som":            "take isomap, which lays the samples themselves in the plane, while SOM fits a grid to them",
	"metricmds":      "take smacof, which minimises the stress",
	"nonmetricmds":   "take smacof with ‹nonmetric=true›, which keeps the order of the distances",
	"sammon":         "take smacof with ‹weights=sammon›, which is Sammon's mapping",
	"sde":            "take isomap, which keeps the distances along the data, while maximum variance unfolding keeps those of neighbours",
	"laplacian":      "take le, which is Laplacian eigenmaps",
	"locallylinear":  "take lle, which is locally linear embedding",
	"forceatlas":     "take le, which lays a graph out by its Laplacian, without a simulation",
	"node2vec":       "take le with ‹given_graph›, which embeds the samples of a graph by its Laplacian",
	"cca":            "take lda where there are classes; no method here takes two sets of columns",
	"pls":            "take lda where there are classes; no method here takes two sets of columns",

	"dbscan":             ofDensity,
	"hdbscan":            ofDensity,
	"louvain":            "take leiden, which maximises the same modularity; Louvain's communities may be badly connected, even disconnected, and leiden refines them so that none is",
	"hierarchical":       "take spectral, or kmeans for round clusters; neither makes a tree",
	"gmm":                "take kmeans, which is a mixture of equal round clusters; take spectral where they are of another form",
	"birch":              "take kmeans, which is fast enough for large data without a tree",
	"ap":                 "take ds3, which chooses exemplars and groups by one convex problem (‹call=select›)",
	"pam":                "take ds3, which chooses samples as centres by one convex problem (‹call=select›)",
	"topicmodel":         "take nmf-kl, whose updates are those of probabilistic latent semantic analysis, for counts",
	"archetypalanalysis": ofFactors + ", or smrmf, whose parts are mixtures of exemplars of the data",
}
