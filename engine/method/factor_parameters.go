package method

import (
	"github.com/orthant-go/orthant/engine/internal/cluster"
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/nmf"
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
	Init string `json:"init" default:"random" allowed:"random|nndsvd|nndsvda|nndsvdar" doc:"the start. random: uniform numbers by the seed, with the mean of the data; nndsvd (for solver=hals): parts of the leading singular vectors; nndsvda, nndsvdar: the same with zeros replaced by the mean of the data, or by small random numbers"`
}

// PositiveStart is the start of methods that only have multiplicative updates, which keep zeros.
type PositiveStart struct {
	Init string `json:"init" default:"random" allowed:"random|nndsvda|nndsvdar" doc:"the start. random: uniform numbers by the seed, with the mean of the data; nndsvda, nndsvdar: parts of the leading singular vectors, with zeros replaced by the mean of the data, or by small random numbers"`
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
	Fixed string `json:"fixed" default:"none" allowed:"none|w|h" doc:"the factor that keeps the values of the given start while the other is learned; the factors are then not rescaled"`
}

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
