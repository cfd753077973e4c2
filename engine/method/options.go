package method

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// Options configure a run; they are common to all methods. The fields
// with tags are parameters of every method in addition to its own (see
// engine.CommonParameters) and may change the result; the others change no result
// beyond rounding.
type Options struct {
	// Backend names the linear-algebra backend; empty: $ORTHANT_BLAS, else auto.
	Backend string
	// Threads is the number of workers; 0: $ORTHANT_NUM_THREADS, else
	// $OMP_NUM_THREADS, else all cores. It is capped at the number that this process may use
	// (package limits). It changes no bit of the result.
	Threads int
	// Seed is the seed of random start vectors, of the approximate neighbour search and of
	// landmarks; 0 means 1.
	Seed uint64
	// Neighbors selects the neighbour search: "exact" (the default) or
	// "approximate"; see [neighbors.Approximate].
	Neighbors string
	// Memory is a limit in bytes beyond which work is refused before it begins; 0: none.
	// It applies to the whole process: it includes [memory.Program], room for the garbage collector,
	// the data, and the memory of every step, as results report it (EstimatedBytes). Remedies
	// for a doubtful result are tried only if they fit into the limit, and do not count in the estimate. To keep
	// the Go runtime within the limit too, see [memory.Bound].
	Memory int64
	// Labels are the classes of the samples, one for each. Supervised methods need them (see [Entry]); the
	// others ignore them.
	Labels []int64
	// Targets are numbers that are known of the samples, one row for each. Umap learns from them with
	// target_metric=euclidean; the others ignore them.
	Targets *mat.Dense
	// Weights are the weights of the samples, one for each: finite, ≥ 0 and not all 0. pca and kmeans count a sample by its
	// weight (see [Entry]); the others refuse them. nil: all samples have the same weight.
	Weights []float64
	// Dataset is the label of the dataset that new samples belong to, by a model of a factorisation with datasets. nil: it
	// was not among those of the fit, and the samples are mapped by the shared components. Only Model.Transform and Prepare read it.
	Dataset *int64
	// LandmarkRows are the rows to take as landmarks, in place of Landmarks that
	// are chosen.
	LandmarkRows []int
	// Model makes engine.Embed, Factorize and Cluster return an error if there would be no rule for new
	// samples, before the work if that is known by then.
	Model bool
	// Certified requests a proof that the eigenpairs are the smallest, for methods that solve for those of a
	// sparse alignment matrix. One more factorisation counts the eigenvalues below a shift beyond the last
	// ([sparse.Certificate]); the result is Result.Details["certificate"]. A missed eigenvalue is searched
	// for and causes a warning.
	Certified bool
	// Graph lists the neighbours of every sample with their distances, in place of a
	// search: see [neighbors.FromMatrix] and [neighbors.FromLists]. Its lists may have any
	// length and need not be mutual. Methods that use only a graph accept it without samples
	// (nil); the others need both: see [Entry]. It must not change during the run.
	Graph *neighbors.Graph
	// Affinities is a sparse symmetric n × n matrix W ≥ 0 of edge weights, in place
	// of a search and of a method's own weights: the Laplacian is D − W. Its diagonal is
	// ignored. [Entry] says which methods accept it, and which accept it without samples. For smacof it holds the weights of pairs, together
	// with samples, a graph or distances.
	Affinities mat.Matrix
	// Distances is a full symmetric n × n matrix of distances ≥ 0, in place of samples. mds and nmms
	// scale it; methods with a neighbour search take the nearest samples from it. [Entry] says which
	// methods accept it, and which only with samples. At most one of Graph, Affinities and
	// Distances may be given, but for smacof, for which the Graph lists the distances that are known, and NaN in
	// Distances is an unknown one.
	Distances mat.Matrix
	// Overwrite allows the run to change the samples: Standardize then needs no memory for
	// a copy of them.
	Overwrite bool
	// Init is the start of an iterative method in place of its own, one row for each sample (embeddings)
	// or column (projections) and dim columns. Nonnegative methods need entries ≥ 0; umap, tsne and pacmap
	// accept any coordinates and start from them unscaled.
	Init *mat.Dense
	// Progress is called now and then, from any goroutine.
	Progress func(Progress)
	// Explain receives lines about the planned work and its cost, one at a time, from any goroutine.
	// Lines with seconds come from rates measured in this run, and differ from run to run.
	Explain func(line string)

	Components     string  `json:"components" default:"auto" allowed:"auto|error|largest|each|joint|bridge" doc:"what to do if the neighbour graph has several components. auto: each if they are few and the method fits a patch to each neighbourhood (lle, ltsa, neml), bridge otherwise, with a warning; error: refuse; largest: embed the largest one; each: embed each one, and lay them side by side; joint: embed all as one problem; bridge: first link the components by their shortest edges"`
	Duplicates     string  `json:"duplicates" default:"keep" allowed:"keep|merge" doc:"keep: equal samples stay separate samples; merge: one of them is embedded, and the others get the same coordinates"`
	Landmarks      int     `json:"landmarks" default:"0" allowed:"≥ 0" doc:"embed only this many samples, the landmarks. The others get coordinates from their nearest landmarks by barycentric weights (isomap: from their distances to the landmarks along the graph of all samples; smacof: where their stress to the landmarks is least); 0: embed all"`
	LandmarkChoice string  `json:"landmark_choice" default:"auto" allowed:"auto|farthest|random" doc:"how landmarks are chosen: each is the sample farthest from those before it, or at random. auto: at random for smacof and for isomap, except with components=each; farthest for the others"`
	Metric         string  `json:"metric" default:"euclidean" doc:"the metric by which the nearest samples are found, of methods that take a graph, and by which smacof measures all pairs: one of those that neighbors has, such as cosine, correlation, manhattan, chebyshev, minkowski=P, hamming, jaccard. Weights and paths are made of its distances; patches (lle, ltsa, neml and others) are made of the samples as they are"`
	Recall         float64 `json:"recall" default:"1" allowed:"> 0" doc:"below 1, neighbours may be found approximately where that is faster: the least share of true neighbours that the search must find, measured on a sample of the rows. 1: exactly. With neighbors_method=approximate the default is 0.99"`
	Denoise        string  `json:"denoise" default:"off" allowed:"auto|off|K" doc:"first move each sample onto the plane of dim dimensions that fits its K nearest, which removes noise across the surface. auto: only if that is certain to help, with a K found from the data; neighbors=auto and radius make auto the default"`
	Stability      string  `json:"stability" default:"off" allowed:"off|subset|reruns" doc:"reruns: for maps (umap, tsne, pacmap), make two more maps with other random starts and half of the iterations, and report the share of the nearest of each sample that are far in them. subset: also embed every eighth sample alone, in an eighth of the time; quality then reports how far the coordinates of the two embeddings are from an affine map of each other"`
	Remedies       string  `json:"remedies" default:"tried" allowed:"tried|named" doc:"what to do if an embedding of up to 3000 samples is doubtful. tried: embed the samples again with what may help, which takes as long for each trial, and name what did help; named: name what may help without trying it"`
	Reduce         string  `json:"reduce" default:"auto" allowed:"auto|none|K" doc:"first replace the samples by their K leading principal components, among which neighbours are found faster. auto: 100 for pacmap, as its authors do, and none for the other methods; fewer columns stay as they are"`
	Radius         string  `json:"radius" default:"none" allowed:"none|auto|R" doc:"take as neighbours the samples within a distance of R, but at least the 6 or dim + 2 nearest and at most 64. auto: the R within which half of the samples have as many neighbours as neighbors says; none: take as many as neighbors says"`
	Standardize    string  `json:"standardize" default:"none" allowed:"none|standard|minmax|unit|robust|log1p|counts|asinh" doc:"how the data are first brought to a common scale. Each column: minus its mean, divided by its standard deviation (standard); to [0, 1] (minmax); minus its median, divided by the distance of its quartiles (robust), and the inverse hyperbolic sine of that (asinh). Each row: to length 1 (unit). Each entry: log(1 + v) (log1p), or log(1 + vT/t), with the sum t of its row and the median T of the sums (counts). A model applies the same to new samples"`
}

// Progress is the progress of one phase.
type Progress struct {
	Phase string
	Done  float64 // 0 to 1
	// Count of Of are done, in the unit of the phase: "rows", "iterations", "landmarks" or
	// "columns of the factor". Of is 0 where the phase is not counted.
	Count, Of int
	Unit      string
	// Objective is the latest objective of an iteration, valid if Measured.
	Objective float64
	Measured  bool
}

// exactWithin has the CPU seconds up to which an exact search is preferred to an approximate one.
var exactWithin = map[string]float64{"auto": neighbors.ShortSearch}

// NewRun begins a run under a name that errors begin with, timed from the start of the clock.
func NewRun(ctx context.Context, name string, kernels *blas.Kernels, o Options, clock *run.Clock) *run.Run {
	s := run.Settings{Kernels: kernels, Threads: run.ThreadsFor(o.Threads), Seed: o.Seed, Memory: o.Memory,
		Metric: neighbors.Metric(o.Metric), Approximate: o.Neighbors != "exact", ExactWithin: exactWithin[o.Neighbors], Recall: o.Recall, Certified: o.Certified, Explain: o.Explain, Phase: clock.Phase}
	if o.Progress != nil {
		s.Progress = func(at run.At) { o.Progress(Progress(at)) }
	}
	return run.New(ctx, name, s)
}
