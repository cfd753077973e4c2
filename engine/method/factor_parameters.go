package method

import (
	"github.com/orthant-go/orthant/engine/internal/cluster"
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/nmf"
	"github.com/orthant-go/orthant/solvers/selective"
)

// The groups of parameters that factorisations share. A method embeds its groups in
// the order in which its parameters are listed, and passes them to its solver by byNMF.

// LeastSquares configures the minimisation of a squared error.
type LeastSquares struct {
	Solver string `json:"solver" default:"auto" allowed:"auto|mu|hals" doc:"mu: multiplicative updates; hals: coordinate descent (hierarchical alternating least squares), which reaches the same error in fewer iterations; auto: hals if the other parameters allow it, else mu"`
	Sweeps int    `json:"sweeps" default:"0" allowed:"≥ 0" doc:"for solver=hals: the sweeps over a factor for each product with the data; 0: as many as save time, 1: plain HALS"`
}

// Start is the start of methods with a choice of solvers.
type Start struct {
	Init string `json:"init" default:"random" allowed:"random|nndsvd|nndsvda|nndsvdar|nnsvd-lrc|rows|kmeans|spa" doc:"the start. random: uniform numbers by the seed, with the mean of the data; nndsvd (for solver=hals): parts of the leading singular vectors; nndsvda, nndsvdar: the same with zeros replaced by the mean of the data, or by small random numbers; nnsvd-lrc: both parts of half as many, fitted to their products; rows: components are means of 20 random samples; kmeans: the centres of clusters; spa: samples at the corners of the data, by successive projections"`
}

// PositiveStart is the start of methods that only have multiplicative updates, which keep zeros.
type PositiveStart struct {
	Init string `json:"init" default:"random" allowed:"random|nndsvda|nndsvdar|nnsvd-lrc|rows|kmeans|spa" doc:"the start. random: uniform numbers by the seed, with the mean of the data; nndsvda, nndsvdar: parts of the leading singular vectors, with zeros replaced by the mean of the data, or by small random numbers; nnsvd-lrc: both parts of half as many, fitted to their products; rows: components are means of 20 random samples; kmeans: the centres of clusters; spa: samples at the corners of the data, by successive projections"`
}

// Updates are the parameters of every factorisation.
type Updates struct {
	Iterations int     `json:"iterations" default:"200" allowed:"≥ 1" doc:"the most iterations"`
	Tolerance  float64 `json:"tolerance" default:"0" allowed:"≥ 0" doc:"stop when an iteration changes WH by less than this, relative to WH; 0: never"`
	Normalize  string  `json:"normalise" default:"end" allowed:"end|each|none" doc:"when components are scaled to unit length, and W by the inverse: at the end, after each iteration (the objective may then rise), or never"`
	Shift      string  `json:"shift" default:"none" allowed:"none|columns|global" doc:"for data with negative entries: subtract from each column its least entry if that is negative, or subtract the least entry of all from every entry"`
}

// Stopping selects the quantity that Updates.Tolerance applies to.
type Stopping struct {
	Stop string `json:"stop" default:"change" allowed:"change|relative-decrease|violation" doc:"the quantity that must fall below the tolerance: the relative change of WH; or, by scikit-learn's rules, the decrease of the error in 10 iterations divided by the error of the start, or (solver=hals) the violation of the conditions of the minimum divided by that of the first iteration"`
}

// Penalties keep both factors small or sparse, with the meaning of scikit-learn's parameters; see
// [nmf.Penalties].
type Penalties struct {
	AlphaW  float64  `json:"alpha_w" default:"0" allowed:"≥ 0" doc:"α_W, the penalty on the entries of W, multiplied by the number of columns of the data; 0: none"`
	AlphaH  *float64 `json:"alpha_h" default:"same" allowed:"≥ 0" doc:"α_H, the penalty on the entries of H, multiplied by the number of samples; same: alpha_w"`
	L1Ratio float64  `json:"l1_ratio" default:"0" allowed:"from 0 to 1" doc:"the kind of penalty of alpha_w and alpha_h: 1 penalises the sum of the entries, which makes entries zero; 0 penalises half the sum of their squares; a number between mixes both"`
}

// of returns the penalties in the type of the solver.
func (g Penalties) of() nmf.Penalties {
	p := nmf.Penalties{W: g.AlphaW, H: g.AlphaW, L1Ratio: g.L1Ratio}
	if g.AlphaH != nil {
		p.H = *g.AlphaH
	}
	return p
}

// Correntropy configures the loss Σ 1 − exp(−e²/2σ²) and its scale.
type Correntropy struct {
	ResidualScale    string   `json:"residual_scale" default:"median" allowed:"median|mean" doc:"the scale of the residuals E = X − WH, by which σ² is set. median: 1.4826 times the median of |E| with the entries of the data as weights, so that it is measured where the data are; σ² then never rises. mean: √mean(E²) over all entries, zeros included"`
	Theta            float64  `json:"theta" default:"4.5" allowed:"> 0" doc:"θ of σ² = θ·scale², the scale of the entries' weights exp(−e²/2σ²); a larger one is nearer to least squares. With 4.5 and normal residuals little is lost against least squares (the usual constant of Welsch's loss)"`
	Sigma2           *float64 `json:"sigma2" default:"auto" allowed:"> 0" doc:"σ² itself, for all iterations; auto: by θ and the scale"`
	Schedule         string   `json:"schedule" default:"paper" deprecated:"all" allowed:"paper|refresh" doc:"when the weights are computed: once in each iteration, or before each of its two steps (then no matrix of the size of the data is kept)"`
	Warm             int      `json:"warm" default:"0" deprecated:"all" allowed:"≥ 0" doc:"the number of first iterations that lower the squared error, by coordinate descent: a start close to the data, which has also taken in what is corrupted"`
	FreezeSigmaAfter *int     `json:"freeze_sigma_after" default:"50" deprecated:"all" allowed:"≥ 0" doc:"the number of weighted iterations after which σ² is kept, so that the objective stays the same function; 0: never"`
}

// CorrentropyTerm is [Correntropy] with a graph term.
type CorrentropyTerm struct {
	Correntropy
	KernelConstant bool `json:"kernel_constant" default:"false" deprecated:"all" doc:"keep the factor 1/(√(2π)σ) of the Gaussian kernel; it has the effect of multiplying λ by √(2π)σ"`
}

// ClusterLabels configures how samples are clustered by their coordinates.
type ClusterLabels struct {
	Labels string `json:"labels" default:"spectral" allowed:"spectral|kmeans|argmax" doc:"how a clustering gets labels: by spectral clustering of the graph of the 7 nearest rows, by k-means among the rows (10 starts), or by each sample's largest coordinate"`
	Rows   string `json:"rows" default:"auto" allowed:"auto|codes|unit|model|unit-model" doc:"the rows that are clustered: the rows of W (codes), of W scaled to unit length (unit), of WH (model), or of WH scaled to unit length (unit-model); auto: codes for labels=spectral, unit for kmeans"`
}

// TermScale selects the scale of a graph term.
type TermScale struct {
	Term string `json:"term" default:"balanced" deprecated:"all" allowed:"balanced|plain" doc:"the graph term: that of coordinates under components of unit length, with the mean degree of the graph divided out, so that λ means the same for data of all scales; or plainly λ tr(WᵀΦW)"`
}

// factorParameters is a group of parameters.
type factorParameters interface{ give(r *factor.ByNMF) }

// byNMF returns the solver with the parameters of some groups.
func byNMF(r factor.ByNMF, groups ...factorParameters) factor.ByNMF {
	for _, g := range groups {
		g.give(&r)
	}
	return r
}

// settle replaces auto by a solver: coordinate descent, unless other
// parameters apply only to multiplicative updates.
func (g *LeastSquares) settle(p Protocol, multiplicative bool) {
	switch {
	case g.Solver == "" && p.Protocol == param.ProtocolOfPaper, g.auto() && multiplicative:
		g.Solver = nmf.Multiplicative
	case g.auto():
		g.Solver = nmf.HALS
	}
}

func (g LeastSquares) auto() bool { return g.Solver == "" || g.Solver == "auto" }

func (g LeastSquares) give(r *factor.ByNMF) {
	g.settle(Protocol{}, r.Loss == nmf.KL)
	r.Solver, r.Sweeps = g.Solver, g.Sweeps
}

func (g TermScale) give(r *factor.ByNMF)     { r.Balanced = g.Term == "balanced" }
func (g Start) give(r *factor.ByNMF)         { r.Init = g.Init }
func (g PositiveStart) give(r *factor.ByNMF) { r.Init = g.Init }

func (g Updates) give(r *factor.ByNMF) {
	r.Iterations, r.Tolerance, r.Normalize, r.Shift = g.Iterations, g.Tolerance, g.Normalize, g.Shift
	if r.Normalize == "auto" {
		r.Normalize = ""
	}
}

func (g Stopping) give(r *factor.ByNMF) { r.Stop = g.Stop }

func (g Penalties) give(r *factor.ByNMF) {
	if r.Penalties = g.of(); r.Penalties.Present() && r.Normalize == "" {
		r.Normalize = nmf.Never
	}
}

func (g Correntropy) give(r *factor.ByNMF) {
	r.Loss, r.Schedule, r.Warm = nmf.Correntropy, g.Schedule, g.Warm
	r.Sigma.Scale, r.Sigma.Theta = g.ResidualScale, g.Theta
	if g.FreezeSigmaAfter != nil {
		r.Sigma.FreezeAfter = *g.FreezeSigmaAfter
	}
	if g.Sigma2 != nil {
		r.Sigma.Fixed = *g.Sigma2
	}
}

func (g CorrentropyTerm) give(r *factor.ByNMF) {
	g.Correntropy.give(r)
	r.Sigma.KernelConstant = g.KernelConstant
}

// MiniBatch configures solver=minibatch: see [nmf.Online].
type MiniBatch struct {
	Batch    int     `json:"batch" default:"1024" allowed:"≥ 1" doc:"for solver=minibatch: the samples of one batch, after which H is updated; two batches are held in memory"`
	Forget   float64 `json:"forget" default:"0.01" allowed:"> 0" doc:"for solver=minibatch, at most 1: the share of the past that remains after one pass over the samples; a larger share is steadier and slower"`
	Patience *int    `json:"patience" default:"10" allowed:"≥ 0" doc:"for solver=minibatch: stop after this many batches without a new minimum of the smoothed error; 0: never"`
}

func (g MiniBatch) give(r *factor.ByNMF) {
	r.Batches = nmf.Batches{Rows: g.Batch, Forget: g.Forget, Patience: defaultPatience}
	if g.Patience != nil {
		r.Batches.Patience = *g.Patience
	}
}

const (
	defaultPatience = 10
	// batchPasses is the default of iterations, which are passes over the samples.
	batchPasses = 20
)

// settlePasses sets the default number of passes.
func settlePasses(solver string, u *Updates) {
	if solver == nmf.MiniBatch && u.Iterations == 0 {
		u.Iterations = batchPasses
	}
}

// check returns an error for a meaningless forgetting factor.
func (g MiniBatch) check(method string) error {
	if g.Forget > 1 {
		return wording.Errorf("%s: ‹forget› is %v; give a number above 0, at most 1", method, g.Forget)
	}
	return nil
}

// DivergenceSolver selects the minimisation of the divergence.
type DivergenceSolver struct {
	Solver string `json:"solver" default:"mu" allowed:"mu|minibatch" doc:"multiplicative updates over all samples, or batch by batch, for data that need not fit into memory"`
}

func (g DivergenceSolver) give(r *factor.ByNMF) { r.Solver = g.Solver }

// FixedFactor selects a factor of a given start that is kept fixed.
type FixedFactor struct {
	Fixed string `json:"fixed" default:"none" allowed:"none|w|h" doc:"the factor that keeps the values of the given start while the other is learned; the factors are then not rescaled. If the given H has fewer rows than the rank, these are the first components, and those after them are learned as well"`
}

// Abundances make the rows of W shares of a whole.
type Abundances struct {
	SumToOne bool `json:"sum_to_one" default:"false" doc:"each row of W sums to one, as the shares of materials in a pixel do; the components then keep the scale of the samples. The factors are not rescaled"`
}

func (g Abundances) give(r *factor.ByNMF) {
	if r.SumToOne = g.SumToOne; g.SumToOne && r.Normalize == "" {
		r.Normalize = nmf.Never
	}
}

// Smoothness makes neighbouring entries of a component similar.
type Smoothness struct {
	SmoothH float64 `json:"smooth_h" default:"0" allowed:"≥ 0" doc:"for columns in an order, as the bands of a spectrum are: λ, the weight of the term λ/2 Σ‖w_k‖² Σ(h_kj − h_k,j+1)², by which components are smooth; it is relative to the curvature of the error and has no unit; 0: none"`
}

func (g Smoothness) give(r *factor.ByNMF) { r.Smooth = g.SmoothH }

func (g FixedFactor) give(r *factor.ByNMF) {
	if r.Fixed = g.Fixed; g.Fixed != nmf.NoneFixed && r.Normalize == "" {
		r.Normalize = nmf.Never
	}
}

const (
	// Defaults for the iterations, and for the relative change of the objective at which they stop, if
	// the codes are updated first (Cai et al. 2011).
	codesFirstIterations = 500
	codesFirstTolerance  = 1e-5
)

// settleOrder sets the order of the updates, the solver and the parameters that depend on them: in a
// clustering by multiplicative updates the codes come first, otherwise the components.
func settleOrder(task string, p Protocol, least *LeastSquares, order *string, u *Updates) {
	least.settle(p, *order == nmf.CodesFirst)
	if *order == "" || *order == "auto" {
		*order = nmf.BasisFirst
		if task == "cluster" && least.Solver == nmf.Multiplicative {
			*order = nmf.CodesFirst
		}
	}
	if *order != nmf.CodesFirst {
		return
	}
	if u.Iterations == 0 {
		u.Iterations = codesFirstIterations
	}
	if u.Tolerance == 0 {
		u.Tolerance = codesFirstTolerance
	}
}

// checkOrder returns an error for an order that the solver does not support.
func checkOrder(method, solver, order string) error {
	if order == nmf.CodesFirst && solver != nmf.Multiplicative {
		return wording.Errorf("%s: ‹order=%s› is for ‹solver=%s›", method, order, nmf.Multiplicative)
	}
	return nil
}

// ordered returns the solver with an order of updates and the matching stopping rule: the change of
// WH, or with the codes first the change of the objective, unless another rule is given. With W
// first the factors are not rescaled.
func ordered(r factor.ByNMF, order string) factor.ByNMF {
	r.Order = order
	if order == nmf.WFirst && r.Normalize == "" {
		r.Normalize = nmf.Never
	}
	if order == nmf.CodesFirst && (r.Stop == "" || r.Stop == nmf.Change) {
		r.Settle, r.Tolerance = r.Tolerance, 0
	}
	return r
}

// MissingEntries selects the entries of the data that are missing. A factorisation gives them
// weight 0: see [nmf.Weights].
type MissingEntries struct {
	Missing  string `json:"missing" default:"error" allowed:"error|weight" doc:"in a factorisation: an entry NaN is an error, or is missing and has the weight 0"`
	Unstored string `json:"unstored" default:"zero" allowed:"zero|missing" doc:"in a factorisation of sparse data with missing=weight: an entry that is not stored is 0, or is missing"`
}

func (g MissingEntries) give(r *factor.ByNMF) {
	r.Missing, r.Unstored = g.Missing == "weight", g.Unstored == "missing"
}

// keepsSingle reports whether a factorisation with the given start keeps samples in float32. It does
// not if entries may be missing.
func keepsSingle(init string, u Updates, g MissingEntries) bool {
	return g.Missing != "weight" && (init == "" || init == nmf.RandomStart) && (u.Shift == "" || u.Shift == "none")
}

// nearestRows is the number of neighbours in the graph of the rows of a factorisation.
const nearestRows = 7

// clusteredBy clusters by the coordinates of a factorisation of rank C.
func (l ClusterLabels) clusteredBy(f factor.Plan) Grouping {
	g := factorGrouping(l.Labels, f)
	if g.Rows = l.Rows; l.Rows == "auto" {
		g.Rows = cluster.Codes
		if l.Labels == "kmeans" {
			g.Rows = cluster.Unit
		}
	}
	if l.Labels == "spectral" {
		g.Among = func(n int) cluster.Plan {
			return Spectral{Neighbors: min(nearestRows, n-1), Graph: "union", Weights: "binary"}.grouping(0).Plan
		}
	}
	return g
}

// factorGrouping clusters by the coordinates of a factorisation of rank C: by k-means,
// or each sample by its largest coordinate.
func factorGrouping(labels string, f factor.Plan) Grouping {
	return Grouping{Plan: cluster.Plan{
		Factors: &f, Argmax: labels == "argmax",
		KMeans: cluster.KMeans{Restarts: 10, Iterations: 300, Tolerance: 1e-6}, // the defaults of kmeans
		Within: cluster.PursuitWithin(12),
	}, Embed: byPCA}
}

// The groups of parameters of methods that find cluster indicators.

// FeatureScale selects the scaling of the features, which comes first.
type FeatureScale struct {
	Scale string `json:"scale" default:"minmax" allowed:"minmax|shift|none" doc:"how the features are scaled: to [0, 1] (constant ones to 0), shifted to a least value of 0, or not at all"`
}

// Origin selects the origin of the rays of the clusters.
type Origin struct {
	Offset string `json:"offset" default:"mean" allowed:"mean|none" doc:"what is first subtracted from the scaled samples, and added to the result, X ≈ offset + WH: their mean, or nothing"`
}

// IndicatorStart selects the start of the indicators.
type IndicatorStart struct {
	Init string `json:"init" default:"spectral" allowed:"spectral|kmeans|nndsvd" doc:"the start: spectral clusters of the neighbour graph (k-means clusters if a sample has no neighbour in the graph), the clusters of k-means, or parts of the leading singular vectors"`
}

// Lagrangian configures the augmented Lagrangian of rmnmf and similar methods. A tolerance of 0 runs all
// iterations.
type Lagrangian struct {
	Mu         float64  `json:"mu" default:"auto" allowed:"> 0" doc:"μ, the penalty of the first iteration; auto: 0.1 divided by the median residual of the start, or 2λ times the largest degree if that is larger"`
	Hold       *int     `json:"hold" default:"10" allowed:"≥ 0" doc:"iterations before the penalty begins to grow"`
	Rho        float64  `json:"rho" default:"1.1" allowed:"≥ 1" doc:"ρ, the factor by which the penalty grows in each iteration, up to 10¹⁰"`
	Iterations int      `json:"iterations" default:"150" allowed:"≥ 1" doc:"the most iterations"`
	Tolerance  *float64 `json:"tolerance" default:"1e-5" allowed:"≥ 0" doc:"stop when all residuals of the splittings are at most this; 0: never"`
	Harden     *int     `json:"harden" default:"20" allowed:"≥ 0" doc:"every this many iterations, make a partition by the largest entries of G; return the best one, with the factors that fit it. The partition of the start counts, too; if it is the best, it is first improved by moving single samples. 0: return the factors of the last iteration"`
}

// IndicatorLabels configures how samples are clustered by their indicators.
type IndicatorLabels struct {
	Labels string `json:"labels" default:"argmax" allowed:"argmax|kmeans" doc:"how a clustering gets labels: by each sample's largest entry of G (the first of equal ones; clusters can stay empty), or by k-means among the rows of G"`
}

// maxNeighbors is the largest default of neighbors.
const maxNeighbors = 7

// startingGraph returns the starts, with a graph of the nearest samples for the spectral one.
func startingGraph() factor.Starts {
	return factor.Starts{Spectral: cluster.Spectral, KMeans: cluster.Means,
		Neighbors: neighborhood.RootNearest{Most: maxNeighbors}, Patch: patch.Edges{Graph: "union", Weights: "adaptive"}.Rule()}
}

// nearest returns the rule for k neighbours, by default ⌊√n⌋, at most maxNeighbors
// unless the paper's defaults apply.
func (p Protocol) nearest(k *int) neighborhood.RootNearest {
	if p.Protocol == param.ProtocolOfPaper {
		return neighborhood.RootNearest{K: k}
	}
	return neighborhood.RootNearest{K: k, Most: maxNeighbors}
}

// indicatorParameters are the groups that all methods with indicators have.
type indicatorParameters struct {
	FeatureScale
	Origin
	IndicatorStart
	Lagrangian
}

// The graph terms of partitions that cut all edges, as shares of the loss without
// components. They determine the default λ. They were chosen on Sonar,
// Ionosphere, Wave, WDBC and ORL; half and twice as much are nearly as good.
const (
	shareOfNearest = 0.5
	shareOfLearned = 0.25
	// shareOfFew is the share for f-smrmf, whose exemplars have a small part of the encoding.
	shareOfFew = 2
)

// byALM returns the solver with the parameters of the groups and the weight λ; nil: derived from the loss
// and the graph.
func byALM(lambda *float64, share float64, g indicatorParameters) factor.ByALM {
	r := factor.ByALM{Scale: g.Scale, Centered: g.Offset == "mean", Lambda: lambda, Share: share, Starts: startingGraph()}
	r.Starts.Init = g.Init
	r.Mu, r.Balanced, r.Rho = g.Mu, g.Mu == 0, g.Rho
	r.Passes, r.Tolerance, r.Hold, r.Harden = g.Iterations, *g.Tolerance, *g.Hold, *g.Harden
	return r
}

// The groups of parameters of the selective methods, which learn their graph from an
// encoding Z of the samples. A method passes its groups to its solver by bySelection.

// EncodingWeights are the weights of the terms of the objective.
type EncodingWeights struct {
	Lambda *float64 `json:"lambda" default:"auto" allowed:"≥ 0" doc:"λ, the weight of the graph term, also in the encoding; auto: the λ with which the term of a partition that cuts all of Z is a quarter of (f-smrmf: twice) the loss without components"`
	Beta   *float64 `json:"dissimilarity_weight" former:"beta" default:"auto" allowed:"> 0" doc:"β, the weight of the samples' dissimilarities in the encoding; auto: λ, or 1 if λ is 0"`
}

// LearnedGraph configures how the graph follows from the encoding.
type LearnedGraph struct {
	Mode string `json:"mode" default:"learned" allowed:"learned|input" doc:"which neighbours of an exemplar count: the k with the largest entries in Z, or the k nearest samples; their weights are their entries in Z in both cases"`
	Diag string `json:"diag" default:"keep" allowed:"keep|rank|drop" doc:"a sample may represent itself. keep: that counts in the choice of exemplars; rank: it does not count; drop: no sample represents itself"`
}

// BoundedEncoding is an encoding with Σᵢ ‖zᵢ‖_p ≤ τ, and its graph.
type BoundedEncoding struct {
	Exemplars int `json:"exemplars" default:"0" allowed:"≥ 0" doc:"τ, the samples whose neighbourhoods regularise the factors, and the bound on the sum of the norms of Z's rows; 0: a tenth of all samples, at least 1"`
	EncodingWeights
	P string `json:"p" default:"inf" allowed:"inf|2" doc:"the norm of the rows of Z; the sum of these norms is at most τ; with p=2, τ has to be at least √n"`
	LearnedGraph
	StartSteps int `json:"start_steps" default:"500" allowed:"≥ 1" doc:"the most steps of A2DM2, which finds the first encoding; a step costs a fraction of an iteration"`
}

// SquaredEncoding is an encoding with the term δ/2 ‖Z‖² in place of a bound.
type SquaredEncoding struct {
	EncodingWeights
	Delta float64 `json:"square_weight" former:"delta" default:"0" allowed:"≥ 0" doc:"δ, the weight of the squares of Z: with a larger δ more samples represent each sample; 0: the mean, over the samples, of the δ with which k samples would represent it by the dissimilarities alone"`
}

// encodingParameters is a group of parameters.
type encodingParameters interface{ encode(r *factor.BySelection) }

// bySelection returns the solver with the parameters of some groups.
func bySelection(r factor.BySelection, groups ...encodingParameters) factor.BySelection {
	for _, g := range groups {
		g.encode(&r)
	}
	return r
}

func (g EncodingWeights) encode(r *factor.BySelection) {
	r.Lambda = g.Lambda
	if g.Beta != nil {
		r.Graph.Beta = *g.Beta
	}
}

func (g LearnedGraph) encode(r *factor.BySelection) {
	r.Graph.Input, r.Graph.Diagonal = g.Mode == "input", g.Diag
}

func (g BoundedEncoding) encode(r *factor.BySelection) {
	g.EncodingWeights.encode(r)
	g.LearnedGraph.encode(r)
	r.Graph.Exemplars, r.Graph.Start = g.Exemplars, g.StartSteps
	if g.P == "2" {
		r.Graph.Norm = selective.Euclidean
	}
}

func (g SquaredEncoding) encode(r *factor.BySelection) {
	g.EncodingWeights.encode(r)
	r.Graph.Fast, r.Graph.Delta = true, g.Delta
}
