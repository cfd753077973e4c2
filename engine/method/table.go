package method

import (
	"fmt"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/internal/suggest"
)

// Entry describes a method for lists, help texts and other languages.
type Entry struct {
	Name             string      `json:"name"`
	Title            string      `json:"title"`
	Summary          string      `json:"summary"`
	Source           string      `json:"source"`
	Supervised       bool        `json:"supervised"`               // needs Options.Labels
	Extends          bool        `json:"extends"`                  // a fit has a rule for new samples, a [Model]
	Predicts         bool        `json:"predicts"`                 // a clustering has a rule that gives labels to new samples
	FindsClusters    bool        `json:"finds_clusters,omitempty"` // a clustering finds the number of clusters
	KeepsSparse      bool        `json:"keeps_sparse"`             // sparse samples are never made dense as a whole
	Weighted         bool        `json:"weighted,omitempty"`       // takes weights of the samples: Options.Weights
	Certifies        bool        `json:"certifies"`                // an embedding's eigenvalues can be counted: Options.Certified
	InsteadOfSamples []string    `json:"instead_of_samples"`       // structures that may be given in place of samples: graph
	WithSamples      []string    `json:"beside_samples"`           // structures that may be given together with samples: graph
	Tasks            []string    `json:"tasks"`                    // the commands that accept it: embed, factorize, cluster, select
	Parameters       []Parameter `json:"parameters"`
	make             func() Method
}

// table lists the methods in the order in which they are shown.
var table = []Entry{
	{Name: "pca", Title: "Principal component analysis", make: func() Method { return &PCA{} },
		Summary: "the linear projection of largest variance",
		Source:  "Pearson 1901; Hotelling 1933"},
	{Name: "lle", Title: "Locally linear embedding", make: func() Method { return &LLE{} },
		Summary: "keeps the weights that reconstruct each sample from its neighbours",
		Source:  "Roweis, Saul, Science 290, 2000"},
	{Name: "mlle", Title: "Modified locally linear embedding", make: func() Method { return &MLLE{} },
		Summary: "several weight vectors for each sample, mixed without regard to their residual",
		Source:  "Zhang, Wang, NIPS 2006"},
	{Name: "ltsa", Title: "Local tangent space alignment", make: func() Method { return &LTSA{} },
		Summary: "aligns the local coordinates in each neighbourhood's tangent space",
		Source:  "Zhang, Zha, SIAM J. Sci. Comput. 26, 2004"},
	{Name: "ltsa-curvature", Title: "Curvature-weighted LTSA", make: func() Method { return &LTSACurvature{} },
		Summary: "ltsa with less weight where the data bends off the tangent space",
		Source:  "Zhang, Wang, Zha, IEEE PAMI 34, 2012"},
	{Name: "hlle", Title: "Hessian locally linear embedding", make: func() Method { return &HLLE{} },
		Summary: "looks for the functions whose Hessian in the tangent coordinates vanishes",
		Source:  "Donoho, Grimes, PNAS 100, 2003"},
	{Name: "neml", Title: "Nonlinear embedding preserving multiple local-linearities", make: func() Method { return &NEML{} },
		Summary: "keeps several nearly optimal weight vectors a sample",
		Source:  "Wang, Zhang, Pattern Recognition 43, 2010"},
	{Name: "le", Title: "Laplacian eigenmaps", make: func() Method { return &LE{} },
		Summary: "keeps neighbours close, by the weighted graph Laplacian",
		Source:  "Belkin, Niyogi, Neural Computation 15, 2003"},
	{Name: "diffusion-maps", Title: "Diffusion maps", make: func() Method { return &DiffusionMaps{} },
		Summary: "keeps the distances between random walks from the samples, with or without their density",
		Source:  "Coifman, Lafon, Appl. Comput. Harmon. Anal. 21, 2006"},
	{Name: "npp", Title: "Neighbourhood preserving projections", make: func() Method { return &NPP{} },
		Summary: "the linear form of locally linear embedding",
		Source:  "He, Cai, Yan, Zhang, ICCV 2005"},
	{Name: "onpp", Title: "Orthogonal neighbourhood preserving projections", make: func() Method { return &ONPP{} },
		Summary: "npp with orthonormal directions",
		Source:  "Kokiopoulou, Saad, IEEE TPAMI 29, 2007"},
	{Name: "lpp", Title: "Locality preserving projections", make: func() Method { return &LPP{} },
		Summary: "the linear form of Laplacian eigenmaps",
		Source:  "He, Niyogi, NIPS 2003"},
	{Name: "olpp", Title: "Orthogonal locality preserving projections", make: func() Method { return &OLPP{} },
		Summary: "lpp with orthonormal directions",
		Source:  "Kokiopoulou, Saad, IEEE TPAMI 29, 2007"},
	{Name: "olpp-cai", Title: "Orthogonal Laplacianfaces", make: func() Method { return &OLPPCai{} },
		Summary: "lpp directions one after the other, each orthogonal to those before",
		Source:  "Cai, He, Han, Zhang, IEEE TIP 15, 2006"},
	{Name: "lda", Title: "Linear discriminant analysis", make: func() Method { return &LDA{} },
		Summary: "the linear projection that best separates labelled classes",
		Source:  "Fisher 1936; Belhumeur, Hespanha, Kriegman, IEEE TPAMI 19, 1997"},
	{Name: "isomap", Title: "Isometric feature mapping", make: func() Method { return &Isomap{} },
		Summary: "keeps the lengths of shortest paths through the neighbour graph",
		Source:  "Tenenbaum, de Silva, Langford, Science 290, 2000"},
	{Name: "mds", Title: "Classical multidimensional scaling", make: func() Method { return &MDS{} },
		Summary: "keeps the distances between the samples as well as d coordinates can",
		Source:  "Torgerson, Psychometrika 17, 1952"},
	{Name: "smacof", Title: "Metric and non-metric multidimensional scaling", make: func() Method { return &SMACOF{} },
		Summary: "coordinates that keep the distances, or only their order, with the least stress",
		Source:  "de Leeuw, Heiser 1980; Kruskal, Psychometrika 29, 1964"},
	{Name: "umap", Title: "Uniform manifold approximation and projection", make: func() Method { return &UMAP{} },
		Summary: "a map of neighbourhoods and groups: the fuzzy graph of neighbours attracts, random samples repel",
		Source:  "McInnes, Healy, Melville, arXiv 1802.03426, 2018"},
	{Name: "tsne", Title: "t-distributed stochastic neighbour embedding", make: func() Method { return &TSNE{} },
		Summary: "a map of neighbourhoods and groups that keeps the probabilities of picking neighbours",
		Source:  "van der Maaten, Hinton, JMLR 9, 2008"},
	{Name: "pacmap", Title: "Pairwise controlled manifold approximation", make: func() Method { return &PaCMAP{} },
		Summary: "a map of neighbourhoods and of the order of groups, by near, mid-near and further pairs",
		Source:  "Wang, Huang, Rudin, Shaposhnik, JMLR 22, 2021"},
	{Name: "lnp", Title: "Local non-negative pursuit", make: func() Method { return &LNP{} },
		Summary: "keeps the few non-negative weights of a convex hull around each sample; for curves and clustering",
		Source:  "Chen, Lv, Yi, AAAI 2014"},
	{Name: "smce", Title: "Sparse manifold clustering and embedding", make: func() Method { return &SMCE{} },
		Summary: "joins each sample to the neighbours of a sparse affine combination",
		Source:  "Elhamifar, Vidal, NIPS 2011"},
	{Name: "spectral", Title: "Spectral clustering", make: func() Method { return &Spectral{} },
		Summary: "k-means in the leading eigenvectors of the neighbour graph",
		Source:  "Ng, Jordan, Weiss, NIPS 2001"},
	{Name: "hdbscan", Title: "Hierarchical density-based clustering", make: func() Method { return &HDBSCAN{} },
		Summary: "clusters of any form and density and their number, and samples in none",
		Source:  "Campello, Moulavi, Sander, PAKDD 2013; McInnes, Healy, ICDMW 2017"},
	{Name: "leiden", Title: "Communities by Leiden's algorithm", make: func() Method { return &Leiden{} },
		Summary: "connected communities of the neighbour graph, and their number, by modularity or the constant Potts model",
		Source:  "Traag, Waltman, van Eck, Sci. Rep. 9, 2019"},
	{Name: "kmeans", Title: "k-means clustering", make: func() Method { return &KMeans{} },
		Summary: "centres with the least sum of squared distances to their samples",
		Source:  "Lloyd 1957/1982; Arthur, Vassilvitskii, SODA 2007"},
	{Name: "nmms", Title: "Nonnegative multidimensional scaling", make: func() Method { return &NMMS{} },
		Summary: "nonnegative coordinates whose products are those of the centred samples",
		Source:  "Zafeiriou, Laskaris, ICPR 2010"},
	{Name: "nlle", Title: "Nonnegative locally linear embedding", make: func() Method { return &NLLE{} },
		Summary: "locally linear embedding with nonnegative coordinates",
		Source:  "Zafeiriou, Laskaris, ICPR 2010"},
	{Name: "nle", Title: "Nonnegative Laplacian embedding", make: func() Method { return &NLE{} },
		Summary: "Laplacian eigenmaps with nonnegative coordinates",
		Source:  "Zafeiriou, Laskaris, ICPR 2010"},
	{Name: "npca", Title: "Nonnegative principal component analysis", make: func() Method { return &NPCA{} },
		Summary: "nonnegative directions of largest variance",
		Source:  "Zafeiriou, Laskaris, ICPR 2010"},
	{Name: "nonpp", Title: "Nonnegative orthogonal neighbourhood preserving projections", make: func() Method { return &NONPP{} },
		Summary: "onpp with nonnegative directions",
		Source:  "Zafeiriou, Laskaris, ICPR 2010"},
	{Name: "nolpp", Title: "Nonnegative orthogonal locality preserving projections", make: func() Method { return &NOLPP{} },
		Summary: "olpp with nonnegative directions",
		Source:  "Zafeiriou, Laskaris, ICPR 2010"},
	{Name: "nmf", Title: "Nonnegative matrix factorisation", make: func() Method { return &NMF{} },
		Summary: "nonnegative parts whose sums are the samples, least squares",
		Source:  "Lee, Seung, NIPS 2001; Cichocki, Phan 2009"},
	{Name: "nmf-kl", Title: "Nonnegative matrix factorisation, Kullback–Leibler", make: func() Method { return &NMFKL{} },
		Summary: "nonnegative parts of counts, by the divergence of Poisson noise",
		Source:  "Lee, Seung, NIPS 2001"},
	{Name: "nmf-beta", Title: "Nonnegative matrix factorisation, β-divergences", make: func() Method { return &NMFBeta{} },
		Summary: "nonnegative parts by any β-divergence, from squares to spectra",
		Source:  "Févotte, Idier, Neural Computation 23, 2011"},
	{Name: "gnmf", Title: "Graph-regularised NMF", make: func() Method { return &GNMF{} },
		Summary: "nmf with neighbours' coordinates kept together",
		Source:  "Cai, He, Han, Huang, IEEE TPAMI 33, 2011"},
	{Name: "l21-nmf", Title: "NMF with the L2,1 norm", make: func() Method { return &L21NMF{} },
		Summary: "nmf in which samples with large residuals count less",
		Source:  "Kong, Ding, Huang, CIKM 2011"},
	{Name: "cim-nmf", Title: "NMF with the correntropy-induced metric", make: func() Method { return &CIMNMF{} },
		Summary: "nmf in which entries with large residuals count less",
		Source:  "Du, Li, Shen, ICDM 2012"},
	{Name: "cim-gnmf", Title: "Graph-regularised NMF with the correntropy-induced metric", make: func() Method { return &CIMGNMF{} },
		Summary: "cim-nmf with neighbours' coordinates kept together",
		Source:  "You et al., IEEE TNNLS 26, 2015"},
	{Name: "gs-gnmf", Title: "Group-sparse graph NMF (elastic-net stand-in)", make: func() Method { return &GSGNMF{} },
		Summary: "gnmf on a graph from an elastic net, which writes each sample as a sum of few others",
		Source:  "after Fang, Wang, Dai, ICDM 2012"},
	{Name: "dsmf", Title: "Deep semi-NMF", make: func() Method { return &DSMF{} },
		Summary: "nonnegative codes of unit samples, trained in layers; the components have any sign",
		Source:  "Trigeorgis, Bousmalis, Zafeiriou, Schuller, ICML 2014"},
	{Name: "npaf", Title: "Nonnegative patch alignment", make: func() Method { return &NPAF{} },
		Summary: "nmf, by squared error or divergence, with the alignment of the neighbour graph",
		Source:  "Guan, Tao, Luo, Yuan, IEEE TNN 22, 2011"},
	{Name: "ndla", Title: "Nonnegative discriminative locality alignment", make: func() Method { return &NDLA{} },
		Summary: "nmf that keeps samples of a class together and classes apart",
		Source:  "Guan, Tao, Luo, Yuan, IEEE TNN 22, 2011"},
	{Name: "lp-rna", Title: "Locality-preserving robust nonnegative patch alignment", make: func() Method { return &LPRNA{} },
		Summary: "cim-nmf on a locally sparse graph that forgives occlusions",
		Source:  "You et al., IEEE TNNLS 26, 2015"},
	{Name: "sp-rna", Title: "Supervised robust nonnegative patch alignment", make: func() Method { return &SPRNA{} },
		Summary: "cim-nmf with sparse codes within classes, weighed against codes between classes",
		Source:  "You et al., IEEE TNNLS 26, 2015"},
	{Name: "rmnmf", Title: "Robust manifold NMF", make: func() Method { return &RMNMF{} },
		Summary: "orthonormal indicators of clusters under the L2,1 norm, with neighbours kept together",
		Source:  "Huang, Nie, Huang, Ding, ACM TKDD 8, 2014"},
	{Name: "amrmf", Title: "Adaptive manifold regularised matrix factorisation", make: func() Method { return &AMRMF{} },
		Summary: "rmnmf with a graph that is learned with the indicators",
		Source:  "Zhang, Zhang, Du, You, Tao, IJCAI 2017"},
	{Name: "apmf", Title: "Adaptive projected matrix factorisation", make: func() Method { return &APMF{} },
		Summary: "amrmf in a subspace that is learned with the rest",
		Source:  "Chen, Wang, Li, Neurocomputing, 2018"},
	{Name: "smrmf", Title: "Selective manifold regularised matrix factorisation", make: func() Method { return &SMRMF{} },
		Summary: "rmnmf on a graph of few exemplars, learned with the clusters",
		Source:  "Mani, Domeniconi, Griva, 2020"},
	{Name: "smrmf-euc", Title: "SMRMF by Euclidean distances", make: func() Method { return &SMRMFEuc{} },
		Summary: "smrmf with distances in place of the kernel",
		Source:  "Mani, Domeniconi, Griva, 2020"},
	{Name: "f-smrmf", Title: "Fast selective manifold regularised matrix factorisation", make: func() Method { return &FSMRMF{} },
		Summary: "smrmf with squares in place of the bound on exemplars, and no search for a start",
		Source:  "Mani, Domeniconi, Griva, 2020"},
	{Name: "smrmf-ns", Title: "SMRMF without selection", make: func() Method { return &SMRMFNS{} },
		Summary: "f-smrmf on the neighbourhoods of all samples",
		Source:  "Mani, Domeniconi, Griva, 2020"},
	{Name: "ds3", Title: "Dissimilarity-based sparse subset selection", make: func() Method { return &DS3{} },
		Summary: "representatives of all samples with the least total dissimilarity",
		Source:  "Elhamifar, Sapiro, Sastry, IEEE TPAMI 38, 2016"},
	{Name: "dpp", Title: "Determinantal point process", make: func() Method { return &DPP{} },
		Summary: "a diverse subset, whose similarities have a large determinant",
		Source:  "Kulesza, Taskar, Found. Trends Mach. Learn. 5, 2012"},
	{Name: "ipm", Title: "Iterative projection and matching", make: func() Method { return &IPM{} },
		Summary: "repeatedly takes the sample closest to the leading direction of what is left",
		Source:  "Zaeemzadeh, Joneidi, Rahnavard, Shah, CVPR 2019"},
	{Name: "esc-ffs", Title: "Exemplar-based subspace clustering", make: func() Method { return &ESCFFS{} },
		Summary: "repeatedly takes the sample that a sparse code of the exemplars so far fits worst",
		Source:  "You, Li, Robinson, Vidal, ECCV 2018"},
}

// Methods returns all methods with their parameters.
func Methods() []Entry {
	entries := make([]Entry, len(table))
	for i, e := range table {
		entries[i] = e.described()
	}
	return entries
}

// MethodNamed returns the entry of [Methods] with the given name.
func MethodNamed(name string) (Entry, error) {
	for _, e := range table {
		if e.Name == name {
			return e.described(), nil
		}
	}
	_, err := New(name)
	return Entry{}, err
}

// described returns the entry with the properties of its method filled in.
func (e Entry) described() Entry {
	m := e.make()
	r := DefaultRow(m)
	e.Parameters, e.Tasks = Parameters(m), TasksOf(m)
	e.Supervised, e.Extends, e.Predicts, e.KeepsSparse = r.Labels, r.extends(), r.predicts(), r.KeepsSparse()
	e.Weighted, e.FindsClusters = r.Weighted != nil, r.FindsClusters
	e.Certifies = r.Embed != nil && SolvesForSmallest(m, r.Embed())
	e.InsteadOfSamples, e.WithSamples = r.structure()
	return e
}

// DefaultRow returns the row of a method for data of any size, with the defaults of its
// parameters filled in.
func DefaultRow(m Method) Row {
	if full, err := param.Resolve(m.Name(), m, AnySize, func(string, ...any) {}); err == nil {
		return RowOf(full)
	}
	return Row{}
}

// extends reports whether a fit has a rule for new samples. Factorisations use their
// components.
func (r Row) extends() bool {
	if r.Embed != nil {
		s := r.Embed()
		return s.Neighbors != nil || s.Joint.Extends
	}
	return r.Factorize != nil && r.Factorize().Solve.WithoutExtension() == ""
}

// KeepsSparse reports whether samples in compressed rows are kept sparse.
func (r Row) KeepsSparse() bool {
	return r.sparse || r.Factorize != nil && r.Factorize().Sparse
}

// predicts reports whether a clustering has a rule for new samples.
func (r Row) predicts() bool {
	return r.Cluster != nil && r.Cluster(2).WithoutExtension() == ""
}

// NamesWhere returns the names of the methods that satisfy a condition, at the defaults of their
// parameters.
func NamesWhere(holds func(m Method, r Row) bool) (names []string) {
	for _, e := range table {
		if m := e.make(); holds(m, DefaultRow(m)) {
			names = append(names, e.Name)
		}
	}
	return names
}

// PreservesDistances reports whether the method of that name preserves distances, straight or along
// the data, so that a plot should have the same scale on both axes.
func PreservesDistances(name string) bool {
	m, err := New(name)
	return err == nil && RowOf(m).lengths
}

// EmbedsClustersByGraph reports whether a clustering by the method of that name embeds its
// clusters by neighbour graphs, to which Options.Components applies.
func EmbedsClustersByGraph(name string) bool {
	m, err := New(name)
	if err != nil {
		return false
	}
	r := DefaultRow(m)
	return r.Cluster != nil && RowOf(r.Cluster(2).Embed(AnySize, 2)).Neighbors != nil
}

// New returns the method of that name with all parameters at their defaults,
// ready for [Set]. An unknown name is an error that suggests the closest one.
func New(name string) (Method, error) { return newOf(name, table) }

// NewFor is New among the methods for one task: "embed", "factorize", "cluster" or "select". A method
// for other tasks is an error, which names the command to use.
func NewFor(task, name string) (Method, error) {
	var fit []Entry
	for _, e := range table {
		if e.Name == name { // first, because a small embedding takes no longer than examining all methods
			m := e.make()
			if !slices.Contains(TasksOf(m), task) {
				return nil, WrongTask(m, task)
			}
			return m, nil
		}
	}
	for _, e := range table {
		if slices.Contains(TasksOf(e.make()), task) {
			fit = append(fit, e)
		}
	}
	return newOf(name, fit)
}

func newOf(name string, entries []Entry) (Method, error) {
	known := make([]string, len(entries))
	for i, e := range entries {
		if e.Name == name {
			return e.make(), nil
		}
		known[i] = e.Name
	}
	if instead := suggest.Instead(name); instead != "" {
		return nil, wording.Errorf("unknown method %q; %s%s", name, instead, ofOtherTask(instead, known))
	}
	if near := suggest.Nearest(name, known); near != "" {
		return nil, fmt.Errorf("unknown method %q; did you mean %q?", name, near)
	}
	return nil, fmt.Errorf("unknown method %q; the methods are %s", name, strings.Join(known, ", "))
}

// ofOtherTask names the task of the suggested method, if it is not among the known
// ones.
func ofOtherTask(instead string, known []string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(instead, "take "), " ")
	name = strings.Trim(name, ",;")
	if m, err := New(name); err == nil && !slices.Contains(known, name) && !strings.Contains(instead, "‹call=") {
		return "; it is a method of ‹call=" + strings.Join(TasksOf(m), "› and ‹call=") + "›"
	}
	return ""
}
