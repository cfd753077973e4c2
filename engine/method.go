package engine

import (
	"fmt"
	"strings"

	"github.com/orthant-go/orthant/engine/suggest"
)

// Method is an embedding method with its parameters. The methods are the
// structs of this package; each may be passed by value or by pointer.
type Method interface {
	// Name is the lower-case name by which the method is addressed.
	Name() string
	// steps picks the four steps for parameters whose defaults are filled in.
	steps() steps
}

// checker is a method with conditions on its parameters beyond each one's range.
type checker interface {
	check(n, m int) error
}

// heavy is a method that needs memory beyond the graph, the patches and the
// alignment matrix: in bytes, for n × m data.
type heavy interface {
	memory(n, m int64, o Options) int64
}

// Entry describes a method for lists, help texts and other languages.
type Entry struct {
	Name       string      `json:"name"`
	Title      string      `json:"title"`
	Summary    string      `json:"summary"`
	Source     string      `json:"source"`
	Supervised bool        `json:"supervised"` // needs Options.Labels
	Parameters []Parameter `json:"parameters"`
	make       func() Method
}

// table is the list of methods, in the order in which they are shown.
var table = []Entry{
	{Name: "pca", Title: "Principal component analysis", make: func() Method { return &PCA{} },
		Summary: "the linear projection of largest variance",
		Source:  "Pearson 1901; Hotelling 1933"},
	{Name: "lle", Title: "Locally linear embedding", make: func() Method { return &LLE{} },
		Summary: "keeps the weights that reconstruct each sample from its neighbours",
		Source:  "Roweis, Saul, Science 290, 2000"},
	{Name: "mlle", Title: "Modified locally linear embedding", make: func() Method { return &MLLE{} },
		Summary: "several weight vectors a sample, mixed without regard to their residual",
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
}

// Methods lists all methods with their parameters.
func Methods() []Entry {
	entries := make([]Entry, len(table))
	for i, e := range table {
		m := e.make()
		e.Parameters = Parameters(m)
		_, e.Supervised = m.(supervised)
		entries[i] = e
	}
	return entries
}

// New returns the method of that name with all parameters at their defaults,
// ready for [Set]. An unknown name is an error that suggests the nearest one.
func New(name string) (Method, error) {
	known := make([]string, len(table))
	for i, e := range table {
		if e.Name == name {
			return e.make(), nil
		}
		known[i] = e.Name
	}
	if near := suggest.Nearest(name, known); near != "" {
		return nil, fmt.Errorf("unknown method %q; did you mean %q?", name, near)
	}
	return nil, fmt.Errorf("unknown method %q; the methods are %s", name, strings.Join(known, ", "))
}
