package examples

// The data of the examples, small enough that all of them run within seconds.
var (
	roll   = Data{"swiss-roll --samples 1500", "t.csv"}
	holed  = Data{"swiss-roll-hole --samples 1200", "t.csv"}
	peaks  = Data{"triple-peak", "t.csv"}
	knot   = Data{"trefoil --samples 600", "t.csv"}
	knots  = Data{"two-trefoils --samples 400", "y.csv"}
	moons  = Data{"two-moons --samples 500 --set noise=0.06", "y.csv"}
	trio   = Data{"gaussians --samples 300 --set clusters=3 --set sd=2.5", "y.csv"}
	clumps = Data{"gaussians --samples 500", "y.csv"}
	one    = Data{"faces --samples 500", "t.csv"}
	three  = Data{"faces --samples 240 --set persons=3 --set size=16 --set turn=30", "y.csv"}
)

// What colours a picture, or makes images of its samples.
const (
	byTruth     = "--color t.csv"
	byArc       = "--color t.csv --color-column 2"
	byClass     = "--labels y.csv"
	byDiagnosis = "--labels testdata/wdbc.labels.csv:malignant"
	asImages    = "--image 16x16"
)

// ofMethods are the examples of methods for which their family's does not fit.
var ofMethods = map[string]Example{
	"mds":            {Data: one, Task: "embed", Picture: byTruth, Shows: "500 images of a head that turns. Colour is how far it is turned to the side."},
	"smacof":         {Data: three, Task: "embed", Picture: byClass, Shows: "240 images of three persons who turn their heads, by their distances. Colour shows the person, which the method has not seen."},
	"ltsa-curvature": {Data: peaks, Task: "embed", Picture: byTruth, Shows: "A square with three peaks, laid flat. Colour is the position along one side."},
	"isomap":         {Data: roll, Task: "embed", Picture: byArc, Shows: "A swiss roll, unrolled with its lengths kept. Colour is the position along the roll."},
	"le":             {Data: knot, Task: "embed", Picture: byTruth, Shows: "A trefoil knot in 100 dimensions becomes a ring. Colour is the position along the knot."},
	"umap":           {Data: clumps, Task: "embed", Picture: byClass, Shows: "Five groups in 10 dimensions. Colour is the group, which the method has not seen."},
	"tsne":           {Data: three, Task: "embed", Picture: byClass, Shows: "240 images of three persons who turn their heads. Colour shows the person, which the method has not seen."},
	"pacmap":         {Data: knots, Task: "embed", Picture: byClass, Shows: "Two trefoil knots that come close to each other. Colour is the knot, which the method has not seen."},
	"diffusion-maps": {Data: one, Task: "embed", Picture: byTruth, Shows: "500 images of a head that turns to the side and up. Colour is how far it is turned to the side."},
	"lnp":            {Data: knots, Task: "cluster", Count: 2, Also: "--out-embeddings parts", Shows: "Two trefoil knots that come close to each other, by their principal components, in the colours of the clusters found. `parts/` gets an embedding of each."},
	"smce":           {Data: knots, Task: "cluster", Count: 2, Also: "--out-embeddings parts", Shows: "Two trefoil knots that come close to each other, by their principal components, in the colours of the clusters found. `parts/` gets an embedding of each."},
	"spectral":       {Data: moons, Task: "cluster", Count: 2, Shows: "Two moons in the colours of the clusters found."},
	"hdbscan":        {Data: moons, Task: "cluster", Set: []Setting{{"min_cluster_size", "20"}}, Also: "--out-scores scores.csv", Shows: "Two moons in the colours of the clusters found; grey samples are in none."},
	"leiden":         {Data: clumps, Task: "cluster", Shows: "Five round groups in 10 dimensions, by their principal components, in the colours of the communities found. Their number is not given."},
	"kmeans":         {Data: clumps, Task: "cluster", Count: 5, Shows: "Five round groups in 10 dimensions, by their principal components, in the colours of the clusters found."},
	"lda":            {Data: three, Task: "embed", Labels: true, Shows: "240 images of three persons who turn their heads. Colour shows the person, which the method is given."},
	"nmms":           {Data: trio, Task: "embed", Set: []Setting{{"dim", "3"}}, Picture: byClass, Shows: "Three groups in 10 dimensions, in a view of the three coordinates, and the objective. Colour is the group, which the method has not seen."},
	"nlle":           {Data: trio, Task: "embed", Set: []Setting{{"dim", "3"}}, Picture: byClass, Shows: "Three groups in 10 dimensions, in a view of the three coordinates, and the objective. Colour is the group, which the method has not seen."},
	"nle":            {Data: trio, Task: "embed", Set: []Setting{{"dim", "3"}}, Picture: byClass, Shows: "Three groups in 10 dimensions, in a view of the three coordinates, and the objective. Colour is the group, which the method has not seen."},
	"ndla":           {Data: three, Task: "factorize", Count: 9, Labels: true, Picture: asImages, Shows: "Components of 240 images of three persons, whose names the method is given, and the objective."},
	"sp-rna":         {Data: three, Task: "factorize", Count: 9, Labels: true, Picture: asImages, Shows: "Components of 240 images of three persons, whose names the method is given, and the objective."},
}
