package engine

import (
	"io"

	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/model"
)

// The methods and their descriptions, from package [method].
type (
	// Method is a method with its parameters.
	Method = method.Method
	// Parameter describes one parameter of a method.
	Parameter = method.Parameter
	// Entry describes a method for lists, help texts and other languages.
	Entry = method.Entry
	// Options configure a run; they are common to all methods.
	Options = method.Options
	// Progress is the progress of one phase.
	Progress = method.Progress
)

// The methods.
type (
	// AMRMF is the method amrmf: adaptive manifold regularised matrix factorisation.
	AMRMF = method.AMRMF
	// APMF is the method apmf: adaptive projected matrix factorisation.
	APMF = method.APMF
	// CIMGNMF is the method cim-gnmf: graph-regularised NMF with the correntropy-induced metric.
	CIMGNMF = method.CIMGNMF
	// CIMNMF is the method cim-nmf: NMF with the correntropy-induced metric.
	CIMNMF = method.CIMNMF
	// DiffusionMaps is the method diffusion-maps: diffusion maps.
	DiffusionMaps = method.DiffusionMaps
	// DPP is the method dpp: determinantal point process.
	DPP = method.DPP
	// DS3 is the method ds3: dissimilarity-based sparse subset selection.
	DS3 = method.DS3
	// DSMF is the method dsmf: deep semi-NMF.
	DSMF = method.DSMF
	// ESCFFS is the method esc-ffs: exemplar-based subspace clustering.
	ESCFFS = method.ESCFFS
	// FSMRMF is the method f-smrmf: fast selective manifold regularised matrix factorisation.
	FSMRMF = method.FSMRMF
	// GNMF is the method gnmf: graph-regularised NMF.
	GNMF = method.GNMF
	// GSGNMF is the method gs-gnmf: group-sparse graph NMF (elastic-net stand-in).
	GSGNMF = method.GSGNMF
	// HDBSCAN is the method hdbscan: hierarchical density-based clustering.
	HDBSCAN = method.HDBSCAN
	// HLLE is the method hlle: Hessian locally linear embedding.
	HLLE = method.HLLE
	// IPM is the method ipm: iterative projection and matching.
	IPM = method.IPM
	// Isomap is the method isomap: isometric feature mapping.
	Isomap = method.Isomap
	// KMeans is the method kmeans: k-means clustering.
	KMeans = method.KMeans
	// L21NMF is the method l21-nmf: NMF with the L2,1 norm.
	L21NMF = method.L21NMF
	// LDA is the method lda: linear discriminant analysis.
	LDA = method.LDA
	// LE is the method le: Laplacian eigenmaps.
	LE = method.LE
	// Leiden is the method leiden: communities of the neighbour graph.
	Leiden = method.Leiden
	// LLE is the method lle: locally linear embedding.
	LLE = method.LLE
	// LNP is the method lnp: local non-negative pursuit.
	LNP = method.LNP
	// LPRNA is the method lp-rna: locality-preserving robust nonnegative patch alignment.
	LPRNA = method.LPRNA
	// LPP is the method lpp: locality preserving projections.
	LPP = method.LPP
	// LTSA is the method ltsa: local tangent space alignment.
	LTSA = method.LTSA
	// LTSACurvature is the method ltsa-curvature: curvature-weighted LTSA.
	LTSACurvature = method.LTSACurvature
	// MDS is the method mds: classical multidimensional scaling.
	MDS = method.MDS
	// SMACOF is the method smacof: metric and non-metric multidimensional scaling.
	SMACOF = method.SMACOF
	// MLLE is the method mlle: modified locally linear embedding.
	MLLE = method.MLLE
	// NDLA is the method ndla: nonnegative discriminative locality alignment.
	NDLA = method.NDLA
	// NEML is the method neml: nonlinear embedding preserving multiple local-linearities.
	NEML = method.NEML
	// NLE is the method nle: nonnegative Laplacian embedding.
	NLE = method.NLE
	// NLLE is the method nlle: nonnegative locally linear embedding.
	NLLE = method.NLLE
	// NMF is the method nmf: nonnegative matrix factorisation.
	NMF = method.NMF
	// NMFBeta is the method nmf-beta: nonnegative matrix factorisation, β-divergences.
	NMFBeta = method.NMFBeta
	// NMFKL is the method nmf-kl: nonnegative matrix factorisation, Kullback–Leibler.
	NMFKL = method.NMFKL
	// NMMS is the method nmms: nonnegative multidimensional scaling.
	NMMS = method.NMMS
	// NOLPP is the method nolpp: nonnegative orthogonal locality preserving projections.
	NOLPP = method.NOLPP
	// NONPP is the method nonpp: nonnegative orthogonal neighbourhood preserving projections.
	NONPP = method.NONPP
	// NPAF is the method npaf: nonnegative patch alignment.
	NPAF = method.NPAF
	// NPCA is the method npca: nonnegative principal component analysis.
	NPCA = method.NPCA
	// NPP is the method npp: neighbourhood preserving projections.
	NPP = method.NPP
	// OLPP is the method olpp: orthogonal locality preserving projections.
	OLPP = method.OLPP
	// OLPPCai is the method olpp-cai: orthogonal Laplacianfaces.
	OLPPCai = method.OLPPCai
	// ONPP is the method onpp: orthogonal neighbourhood preserving projections.
	ONPP = method.ONPP
	// PaCMAP is the method pacmap: pairwise controlled manifold approximation.
	PaCMAP = method.PaCMAP
	// PCA is the method pca: principal component analysis.
	PCA = method.PCA
	// RMNMF is the method rmnmf: robust manifold NMF.
	RMNMF = method.RMNMF
	// SMCE is the method smce: sparse manifold clustering and embedding.
	SMCE = method.SMCE
	// SMRMF is the method smrmf: selective manifold regularised matrix factorisation.
	SMRMF = method.SMRMF
	// SMRMFEuc is the method smrmf-euc: SMRMF by Euclidean distances.
	SMRMFEuc = method.SMRMFEuc
	// SMRMFNS is the method smrmf-ns: SMRMF without selection.
	SMRMFNS = method.SMRMFNS
	// SPRNA is the method sp-rna: supervised robust nonnegative patch alignment.
	SPRNA = method.SPRNA
	// Spectral is the method spectral: spectral clustering.
	Spectral = method.Spectral
	// TSNE is the method tsne: t-distributed stochastic neighbour embedding.
	TSNE = method.TSNE
	// UMAP is the method umap: uniform manifold approximation and projection.
	UMAP = method.UMAP
)

// Groups of parameters that methods share.
type (
	// LeastSquares configures the minimisation of a squared error.
	LeastSquares = method.LeastSquares
	// Start is the start of methods with a choice of solvers.
	Start = method.Start
	// PositiveStart is the start of methods that only have multiplicative updates, which keep zeros.
	PositiveStart = method.PositiveStart
	// Updates are the parameters of every factorisation.
	Updates = method.Updates
	// Stopping selects the quantity that Updates.Tolerance applies to.
	Stopping = method.Stopping
	// Penalties keep both factors small or sparse, with the meaning of scikit-learn's parameters.
	Penalties = method.Penalties
	// Correntropy configures the loss Σ 1 − exp(−e²/2σ²) and its scale.
	Correntropy = method.Correntropy
	// CorrentropyTerm is [Correntropy] with a graph term.
	CorrentropyTerm = method.CorrentropyTerm
	// ClusterLabels configures how samples are clustered by their coordinates.
	ClusterLabels = method.ClusterLabels
	// TermScale selects the scale of a graph term.
	TermScale = method.TermScale
	// MiniBatch configures solver=minibatch.
	MiniBatch = method.MiniBatch
	// DivergenceSolver selects the minimisation of the divergence.
	DivergenceSolver = method.DivergenceSolver
	// Abundances make the rows of W shares of a whole.
	Abundances = method.Abundances

	// Smoothness makes neighbouring entries of a component similar.
	Smoothness = method.Smoothness
	// FixedFactor selects a factor of a given start that is kept fixed.
	FixedFactor = method.FixedFactor
	// MissingEntries selects the entries of the data that are missing.
	MissingEntries = method.MissingEntries
	// FeatureScale selects the scaling of the features, which comes first.
	FeatureScale = method.FeatureScale
	// Origin selects the origin of the rays of the clusters.
	Origin = method.Origin
	// IndicatorStart selects the start of the indicators.
	IndicatorStart = method.IndicatorStart
	// Lagrangian configures the augmented Lagrangian of rmnmf and similar methods.
	Lagrangian = method.Lagrangian
	// IndicatorLabels configures how samples are clustered by their indicators.
	IndicatorLabels = method.IndicatorLabels
	// EncodingWeights are the weights of the terms of the objective.
	EncodingWeights = method.EncodingWeights
	// LearnedGraph configures how the graph follows from the encoding.
	LearnedGraph = method.LearnedGraph
	// BoundedEncoding is an encoding with Σᵢ ‖zᵢ‖_p ≤ τ, and its graph.
	BoundedEncoding = method.BoundedEncoding
	// SquaredEncoding is an encoding with the term δ/2 ‖Z‖² in place of a bound.
	SquaredEncoding = method.SquaredEncoding
	// Protocol selects the defaults of a method's paper, where they differ from those recommended for
	// general data.
	Protocol = method.Protocol
)

// Auto, as the number of neighbours of an embedding method (the field Neighbors, or the text "auto"
// under the key neighbors), chooses the number from the samples: the default of the
// method, or fewer if neighbourhoods would reach other sheets. Noise is first removed from the
// samples, unless Options.Denoise says otherwise: see docs/noise.md.
//
// As the number of coordinates (Dim, dim) it chooses the intrinsic dimension of the samples: see
// docs/choosing.md. Result.Details has the number and the reason under dim_found, dim_estimate,
// dim_gaps and dim_reason.
const Auto = method.Auto

// Methods returns all methods with their parameters.
func Methods() []Entry { return method.Methods() }

// MethodNamed returns the entry of [Methods] with the given name.
func MethodNamed(name string) (Entry, error) { return method.MethodNamed(name) }

// New returns the method of that name with all parameters at their defaults,
// ready for [Set]. An unknown name is an error that suggests the closest one.
func New(name string) (Method, error) { return method.New(name) }

// NewFor is New among the methods for one task: "embed", "factorize", "cluster" or "select". A method
// for other tasks is an error, which names the command to use.
func NewFor(task, name string) (Method, error) { return method.NewFor(task, name) }

// Parameters describes the parameters of a method.
func Parameters(m Method) []Parameter { return method.Parameters(m) }

// Values returns the parameters of a method by key, with defaults for those left at
// zero.
func Values(m Method) map[string]any { return method.Values(m) }

// Set sets one parameter of a method from text. The method must be a pointer, as returned by
// [New]. An error names the parameter, the value and the allowed values; for an unknown key it
// suggests the closest one.
func Set(m Method, key, text string) error { return method.Set(m, key, text) }

// SetJSON sets the parameters of a method from a JSON object, by the rules of [Set]. A repeated
// key is an error.
func SetJSON(m Method, object []byte) error { return method.SetJSON(m, object) }

// PreservesDistances reports whether the method of that name preserves distances, straight or along
// the data, so that a plot should have the same scale on both axes.
func PreservesDistances(name string) bool { return method.PreservesDistances(name) }

// KeepsLengths is [PreservesDistances].
//
// Deprecated: use [PreservesDistances].
func KeepsLengths(name string) bool { return PreservesDistances(name) }

// EmbedsClustersByGraph reports whether a clustering by the method of that name embeds its
// clusters by neighbour graphs, to which Options.Components applies.
func EmbedsClustersByGraph(name string) bool { return method.EmbedsClustersByGraph(name) }

// Models and their transformers, from package [model].
type (
	// Model is a fitted method, which gives new samples coordinates or labels.
	Model = model.Model
	// Transformer is a model that is ready to map samples, block after block.
	Transformer = model.Transformer
	// Streamed describes a finished stream.
	Streamed = model.Streamed
	// RowSource gives the rows of a matrix in order.
	RowSource = model.RowSource
	// SparseRowSource is a RowSource that may already hold all its rows in compressed form.
	SparseRowSource = model.SparseRowSource
	// RowSink takes the rows of a matrix in order.
	RowSink = model.RowSink
)

// LoadModel reads a model written by [Model.Save]: see [model.Load].
func LoadModel(r io.Reader) (*Model, error) { return model.Load(r) }

// LoadModelWithin is [LoadModel] with a memory limit in bytes, 0 for none: see [model.LoadWithin].
func LoadModelWithin(r io.Reader, limit int64) (*Model, error) { return model.LoadWithin(r, limit) }
