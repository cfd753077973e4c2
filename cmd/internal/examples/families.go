package examples

import (
	"errors"
	"fmt"

	"github.com/orthant-go/orthant/engine"
)

// Family is methods that are shown together.
type Family struct {
	Title, What string
	Names       []string
	example     Example // of its methods that have none of their own
}

// Families hold every method once.
var Families = []Family{
	{"Maps of curved data", "a sheet, a curve or groups, mapped to a few coordinates",
		[]string{"lle", "mlle", "ltsa", "ltsa-curvature", "hlle", "neml", "isomap", "mds", "smacof", "le", "diffusion-maps"},
		Example{Data: holed, Task: "embed", Picture: byArc, Shows: "A swiss roll with a hole, unrolled. Colour is the position along the roll."}},
	{"Maps of neighbourhoods", "a picture of which samples are neighbours, and which groups they form",
		[]string{"umap", "tsne", "pacmap"}, Example{}},
	{"Linear projections", "a few directions of the data, one matrix for all samples and for new ones",
		[]string{"pca", "npp", "onpp", "lpp", "olpp", "olpp-cai", "lda"},
		Example{Task: "embed", Set: []Setting{{"standardize", "standard"}}, Picture: byDiagnosis, Shows: "569 tumours by their 30 measurements. Colour shows which were malignant; the method has not seen the diagnosis."}},
	{"Nonnegative embeddings", "coordinates or directions without negative entries",
		[]string{"nmms", "nlle", "nle", "npca", "nonpp", "nolpp"},
		Example{Task: "embed", Set: []Setting{{"standardize", "minmax"}}, Picture: byDiagnosis, Shows: "569 tumours by their 30 measurements, and the objective. Colour shows which were malignant; the method has not seen the diagnosis."}},
	{"Clusterings", "groups; the first two also find manifolds that come close to each other, and embed each",
		[]string{"lnp", "smce", "spectral", "hdbscan", "leiden", "kmeans"}, Example{}},
	{"Nonnegative factorisations", "samples as sums of parts, X ≈ WH, by several losses",
		[]string{"nmf", "nmf-kl", "nmf-beta", "l21-nmf", "cim-nmf", "dsmf"}, factors},
	{"Factorisations with a graph", "neighbours, or samples of one class, get similar coordinates",
		[]string{"gnmf", "cim-gnmf", "gs-gnmf", "npaf", "ndla", "lp-rna", "sp-rna"}, factors},
	{"Factorisations that learn their graph or their exemplars", "robust ones, with orthonormal coordinates",
		[]string{"rmnmf", "amrmf", "apmf", "smrmf", "smrmf-euc", "f-smrmf", "smrmf-ns"},
		Example{Data: three, Task: "cluster", Count: 3, Shows: "240 images of three persons, by their principal components, in the colours of the clusters found."}},
	{"Exemplars", "a few samples that represent all",
		[]string{"ds3", "dpp", "ipm", "esc-ffs"},
		Example{Data: three, Task: "select", Count: 12, Picture: asImages, Shows: "12 exemplars of 240 images of three persons, and all images by their principal components, the exemplars ringed."}},
}

var factors = Example{Data: three, Task: "factorize", Count: 9, Picture: asImages, Shows: "Components of 240 images of three persons, drawn as images, and the objective."}

// Check says which methods are in no family or in several, and which names are none of a method.
func Check(entries []engine.Entry) error {
	var wrong []error
	times := map[string]int{}
	for _, f := range Families {
		for _, name := range f.Names {
			times[name]++
		}
	}
	for _, e := range entries {
		if times[e.Name] != 1 {
			wrong = append(wrong, fmt.Errorf("%s is in %d families of cmd/internal/examples, and has to be in one", e.Name, times[e.Name]))
		}
		delete(times, e.Name)
	}
	for name := range times {
		wrong = append(wrong, fmt.Errorf("the families of cmd/internal/examples name %s, which is not a method", name))
	}
	return errors.Join(wrong...)
}
