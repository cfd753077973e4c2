package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/engine"
)

// family is methods that are shown together.
type family struct {
	title, what string
	names       []string
	example     example // of its methods that have none of their own
}

// families hold every method once.
var families = []family{
	{"Maps of curved data", "a sheet, a curve or groups, mapped to a few coordinates",
		[]string{"lle", "mlle", "ltsa", "ltsa-curvature", "hlle", "neml", "isomap", "mds", "smacof", "le", "diffusion-maps"},
		example{holed, onRoll, "A swiss roll with a hole, unrolled. Colour is the position along the roll."}},
	{"Maps of neighbourhoods", "a picture of which samples are neighbours, and which groups they form",
		[]string{"umap", "tsne", "pacmap"}, example{}},
	{"Linear projections", "a few directions of the data, one matrix for all samples and for new ones",
		[]string{"pca", "npp", "onpp", "lpp", "olpp", "olpp-cai", "lda"},
		example{tumours, onTable, "569 tumours by their 30 measurements. Colour shows which were malignant; the method has not seen the diagnosis."}},
	{"Nonnegative embeddings", "coordinates or directions without negative entries",
		[]string{"nmms", "nlle", "nle", "npca", "nonpp", "nolpp"},
		example{tumours, strings.Replace(onTable, "standard", "minmax", 1), "569 tumours by their 30 measurements, and the objective. Colour shows which were malignant; the method has not seen the diagnosis."}},
	{"Clusterings", "groups; the first two also find manifolds that come close to each other, and embed each",
		[]string{"lnp", "smce", "spectral", "hdbscan", "leiden", "kmeans"}, example{}},
	{"Nonnegative factorisations", "samples as sums of parts, X ≈ WH, by several losses",
		[]string{"nmf", "nmf-kl", "nmf-beta", "l21-nmf", "cim-nmf", "dsmf"}, factors},
	{"Factorisations with a graph", "neighbours, or samples of one class, get similar coordinates",
		[]string{"gnmf", "cim-gnmf", "gs-gnmf", "npaf", "ndla", "lp-rna", "sp-rna"}, factors},
	{"Factorisations that learn their graph or their exemplars", "robust ones, with orthonormal coordinates",
		[]string{"rmnmf", "amrmf", "apmf", "smrmf", "smrmf-euc", "f-smrmf", "smrmf-ns"},
		example{three, people, "240 images of three persons, by their principal components, in the colours of the clusters found."}},
	{"Exemplars", "a few samples that represent all",
		[]string{"ds3", "dpp", "ipm", "esc-ffs"},
		example{three, chosen, "12 exemplars of 240 images of three persons, and all images by their principal components, the exemplars ringed."}},
}

var factors = example{three, parts, "Components of 240 images of three persons, drawn as images, and the objective."}

// checkFamilies says which methods are in no family or in several, and which names are
// none of a method.
func checkFamilies(entries []engine.Entry) error {
	var wrong []error
	times := map[string]int{}
	for _, f := range families {
		for _, name := range f.names {
			times[name]++
		}
	}
	for _, e := range entries {
		if times[e.Name] != 1 {
			wrong = append(wrong, fmt.Errorf("%s is in %d families of cmd/pages, and has to be in one", e.Name, times[e.Name]))
		}
		delete(times, e.Name)
	}
	for name := range times {
		wrong = append(wrong, fmt.Errorf("the families of cmd/pages name %s, which is not a method", name))
	}
	return errors.Join(wrong...)
}

// exampleOf gives the example of a method: its own, or its family's.
func exampleOf(name string) (example, error) {
	if own, ok := examples[name]; ok {
		return own, nil
	}
	for _, f := range families {
		if slices.Contains(f.names, name) && f.example.fit != "" {
			return f.example, nil
		}
	}
	return example{}, fmt.Errorf("%s has no example: add one to cmd/pages/examples.go", name)
}
