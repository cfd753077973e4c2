package main

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/engine"
)

// example is what the page of a method shows: commands that anyone can type, of which the
// last one draws the picture, and what is to be seen in it. NAME is the method's name.
type example struct {
	data  string // the commands that make the data
	fit   string // the command that runs the method, without its picture
	shows string
}

// The data of the examples, small enough that all of them run within seconds.
const (
	roll     = "orthant generate swiss-roll --samples 1500 --out x.npy --out-params t.npy"
	holed    = "orthant generate swiss-roll-hole --samples 1200 --out x.npy --out-params t.npy"
	peaks    = "orthant generate triple-peak --out x.npy --out-params t.npy"
	knot     = "orthant generate trefoil --samples 600 --out x.npy --out-params t.npy"
	knots    = "orthant generate two-trefoils --samples 400 --out x.npy --out-labels y.npy"
	moons    = "orthant generate two-moons --samples 500 --set noise=0.06 --out x.npy --out-labels y.npy"
	trio     = "orthant generate gaussians --samples 300 --set clusters=3 --set sd=2.5 --out x.npy --out-labels y.npy"
	clumps   = "orthant generate gaussians --samples 500 --out x.npy --out-labels y.npy"
	one      = "orthant generate faces --samples 500 --out x.npy --out-params t.npy"
	three    = "orthant generate faces --samples 240 --set persons=3 --set size=16 --set turn=30 --out x.npy --out-labels y.npy"
	tumours  = "" // the table in testdata is there already
	onRoll   = "orthant embed --method NAME --in x.npy --color t.npy --color-column 2 --out embedding.npy"
	onFaces  = "orthant embed --method NAME --in x.npy --color t.npy --out embedding.npy"
	onTable  = "orthant embed --method NAME --scale standard --in testdata/wdbc.csv --labels testdata/wdbc.labels.csv:malignant --out embedding.csv"
	byPerson = "orthant embed --method NAME --in x.npy --labels y.npy --out embedding.npy"
	parts    = "orthant factorize --method NAME --rank 9 --in x.npy --image 16x16 --out-w w.npy --out-h h.npy"
	people   = "orthant cluster --method NAME --clusters 3 --in x.npy --out clusters.npy"
	groups   = "orthant cluster --method NAME --clusters %d --in x.npy --out clusters.npy"
	chosen   = "orthant select --method NAME --count 12 --in x.npy --image 16x16 --out exemplars.npy"
)

// examples are those of methods for which that of their family does not do.
var examples = map[string]example{
	"mds": {one, onFaces, "500 images of a head that turns. Colour is how far it is turned to the side."},
	"ltsa-curvature": {peaks, "orthant embed --method NAME --in x.npy --color t.npy --out embedding.npy",
		"A square with three peaks, laid flat. Colour is the position along one side."},
	"isomap":         {roll, onRoll, "A swiss roll, unrolled with its lengths kept. Colour is the position along the roll."},
	"le":             {knot, "orthant embed --method NAME --in x.npy --color t.npy --out embedding.npy", "A trefoil knot in 100 dimensions becomes a ring. Colour is the position along the knot."},
	"diffusion-maps": {one, onFaces, "500 images of a head that turns to the side and up. Colour is how far it is turned to the side."},
	"lnp": {knots, fmt.Sprintf(groups, 2) + " --out-embeddings parts",
		"Two trefoil knots that come close to each other, by their principal components, in the colours of the clusters found. `parts/` gets an embedding of each."},
	"smce": {knots, fmt.Sprintf(groups, 2) + " --out-embeddings parts",
		"Two trefoil knots that come close to each other, by their principal components, in the colours of the clusters found. `parts/` gets an embedding of each."},
	"spectral": {moons, fmt.Sprintf(groups, 2), "Two moons in the colours of the clusters found."},
	"kmeans":   {clumps, fmt.Sprintf(groups, 5), "Five round groups in 10 dimensions, by their principal components, in the colours of the clusters found."},
	"lda":      {three, byPerson, "240 images of three persons who turn their heads. Colour is the person, which the method is told."},
	"nmms":     {trio, byPerson + " --dim 3", "Three groups in 10 dimensions, in a view of the three coordinates, and the objective. Colour is the group, which the method has not seen."},
	"nlle":     {trio, byPerson + " --dim 3", "Three groups in 10 dimensions, in a view of the three coordinates, and the objective. Colour is the group, which the method has not seen."},
	"nle":      {trio, byPerson + " --dim 3", "Three groups in 10 dimensions, in a view of the three coordinates, and the objective. Colour is the group, which the method has not seen."},
	"ndla":     {three, parts + " --labels y.npy", "Components of 240 images of three persons, whose names the method is told, and the objective."},
	"sp-rna":   {three, parts + " --labels y.npy", "Components of 240 images of three persons, whose names the method is told, and the objective."},
}

// show writes the section of a page. The picture is drawn by make images.
func (x example) show(name string) string {
	var b strings.Builder
	for _, line := range []string{x.data, x.fit + " --plot NAME.png"} {
		if line != "" {
			fmt.Fprintf(&b, "    %s\n", strings.ReplaceAll(line, "NAME", name))
		}
	}
	fmt.Fprintf(&b, "\n![%s](../images/methods/%s.png)\n\n*%s*\n", "What the commands draw: "+name, name, x.shows)
	return b.String()
}

// family is methods that are shown together.
type family struct {
	title, what string
	names       []string
	example     example // of its methods that have none of their own
}

// families hold every method once.
var families = []family{
	{"Maps of curved data", "a sheet, a curve or groups, laid into few coordinates",
		[]string{"lle", "mlle", "ltsa", "ltsa-curvature", "hlle", "neml", "isomap", "mds", "le", "diffusion-maps"},
		example{holed, onRoll, "A swiss roll with a hole, unrolled. Colour is the position along the roll."}},
	{"Linear projections", "a few directions of the data, one matrix for all samples and for new ones",
		[]string{"pca", "npp", "onpp", "lpp", "olpp", "olpp-cai", "lda"},
		example{tumours, onTable, "569 tumours by their 30 measurements. Colour tells which were malignant; the method has not seen it."}},
	{"Nonnegative embeddings", "coordinates or directions without negative entries",
		[]string{"nmms", "nlle", "nle", "npca", "nonpp", "nolpp"},
		example{tumours, strings.Replace(onTable, "standard", "minmax", 1), "569 tumours by their 30 measurements, and the objective. Colour tells which were malignant; the method has not seen it."}},
	{"Clusterings", "groups; the first two also find manifolds that come close to each other, and embed each",
		[]string{"lnp", "smce", "spectral", "kmeans"}, example{}},
	{"Nonnegative factorisations", "samples as sums of parts, X ≈ WH, by several losses",
		[]string{"nmf", "nmf-kl", "nmf-beta", "l21-nmf", "cim-nmf", "dsmf"}, factors},
	{"Factorisations with a graph", "neighbours, or samples of one class, get similar coordinates",
		[]string{"gnmf", "cim-gnmf", "gs-gnmf", "npaf", "ndla", "lp-rna", "sp-rna"}, factors},
	{"Factorisations that learn their graph or their exemplars", "robust ones, with orthonormal coordinates",
		[]string{"rmnmf", "amrmf", "apmf", "smrmf", "smrmf-euc", "f-smrmf", "smrmf-ns"},
		example{three, people, "240 images of three persons, by their principal components, in the colours of the clusters found."}},
	{"Exemplars", "a few samples that stand for all",
		[]string{"ds3", "dpp", "ipm", "esc-ffs"},
		example{three, chosen, "12 exemplars of 240 images of three persons, and all images by their principal components, the exemplars ringed."}},
}

var factors = example{three, parts, "Components of 240 images of three persons, drawn as images, and the objective."}

// checkFamilies reports which methods are in no family or in several, and which names are
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
		wrong = append(wrong, fmt.Errorf("the families of cmd/pages name %s, which is no method", name))
	}
	return errors.Join(wrong...)
}

// exampleOf gives the example of a method: its own, or that of its family.
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

// call is a line that is typed: of the command, or of the tools that put its inputs together.
var call = regexp.MustCompile(`^    (orthant|paste|head) `)

// commands are the lines of a page that are typed.
func commands(page string) []string {
	var list []string
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, "\n")
		if call.MatchString(line) {
			list = append(list, strings.TrimSpace(line))
		}
	}
	return list
}

var picture = regexp.MustCompile(`!\[[^\]]*\]\(([^)]+[.]png)\)`)

// pictures are the addresses of those that a page shows.
func pictures(page string) []string {
	var list []string
	for _, found := range picture.FindAllStringSubmatch(page, -1) {
		list = append(list, found[1])
	}
	return list
}

var plotted = regexp.MustCompile(`--plot (\S+[.]png)\b`)

// drawn tells which of the pictures of a page its own commands draw: a picture has the name
// of the file behind --plot.
func drawn(page string) (list []string) {
	names := map[string]bool{}
	for _, command := range commands(page) {
		for _, found := range plotted.FindAllStringSubmatch(command, -1) {
			names[found[1]] = true
		}
	}
	for _, address := range pictures(page) {
		if names[path.Base(address)] {
			list = append(list, address)
		}
	}
	return list
}
