package main

import (
	"fmt"
	"strings"
)

// example is what the section of a method shows: commands that anyone can type, of which the
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

// examples are the examples of methods for which their family's does not fit.
var examples = map[string]example{
	"mds":    {one, onFaces, "500 images of a head that turns. Colour is how far it is turned to the side."},
	"smacof": {three, byPerson, "240 images of three persons who turn their heads, by their distances. Colour shows the person, which the method has not seen."},
	"ltsa-curvature": {peaks, "orthant embed --method NAME --in x.npy --color t.npy --out embedding.npy",
		"A square with three peaks, laid flat. Colour is the position along one side."},
	"isomap":         {roll, onRoll, "A swiss roll, unrolled with its lengths kept. Colour is the position along the roll."},
	"le":             {knot, "orthant embed --method NAME --in x.npy --color t.npy --out embedding.npy", "A trefoil knot in 100 dimensions becomes a ring. Colour is the position along the knot."},
	"umap":           {clumps, byPerson, "Five groups in 10 dimensions. Colour is the group, which the method has not seen."},
	"tsne":           {three, byPerson, "240 images of three persons who turn their heads. Colour shows the person, which the method has not seen."},
	"pacmap":         {knots, byPerson, "Two trefoil knots that come close to each other. Colour is the knot, which the method has not seen."},
	"diffusion-maps": {one, onFaces, "500 images of a head that turns to the side and up. Colour is how far it is turned to the side."},
	"lnp": {knots, fmt.Sprintf(groups, 2) + " --out-embeddings parts",
		"Two trefoil knots that come close to each other, by their principal components, in the colours of the clusters found. `parts/` gets an embedding of each."},
	"smce": {knots, fmt.Sprintf(groups, 2) + " --out-embeddings parts",
		"Two trefoil knots that come close to each other, by their principal components, in the colours of the clusters found. `parts/` gets an embedding of each."},
	"spectral": {moons, fmt.Sprintf(groups, 2), "Two moons in the colours of the clusters found."},
	"hdbscan":  {moons, "orthant cluster --method NAME --set min_cluster_size=20 --in x.npy --out clusters.npy --out-scores scores.csv", "Two moons in the colours of the clusters found; grey samples are in none."},
	"leiden":   {clumps, "orthant cluster --method NAME --in x.npy --out clusters.npy", "Five round groups in 10 dimensions, by their principal components, in the colours of the communities found. Their number is not given."},
	"kmeans":   {clumps, fmt.Sprintf(groups, 5), "Five round groups in 10 dimensions, by their principal components, in the colours of the clusters found."},
	"lda":      {three, byPerson, "240 images of three persons who turn their heads. Colour shows the person, which the method is given."},
	"nmms":     {trio, byPerson + " --dim 3", "Three groups in 10 dimensions, in a view of the three coordinates, and the objective. Colour is the group, which the method has not seen."},
	"nlle":     {trio, byPerson + " --dim 3", "Three groups in 10 dimensions, in a view of the three coordinates, and the objective. Colour is the group, which the method has not seen."},
	"nle":      {trio, byPerson + " --dim 3", "Three groups in 10 dimensions, in a view of the three coordinates, and the objective. Colour is the group, which the method has not seen."},
	"ndla":     {three, parts + " --labels y.npy", "Components of 240 images of three persons, whose names the method is given, and the objective."},
	"sp-rna":   {three, parts + " --labels y.npy", "Components of 240 images of three persons, whose names the method is given, and the objective."},
}

// show writes the example of a section. The picture is drawn by make images.
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
