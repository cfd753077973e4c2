// Package trust measures how far a map, an embedding for the eye, can be trusted: which neighbourhoods it tears
// apart and which it invents, and whether its groups are those of the neighbour graph (docs/quality.md).
package trust

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers/communities"
)

const (
	// Compared is the number of nearest samples that are compared. Lists shorter than fewest are searched anew, if all
	// distances take at most searchable multiplications.
	Compared, fewest, searchable = 15, 10, 1 << 36
	// MinSamples is the smallest number of samples for which a map is judged.
	MinSamples = 100
	// Nearest is the number of nearest samples in the data that a picture shows of each.
	Nearest = 5
)

// Scores are the measurements of a map. NaN: not measured.
type Scores struct {
	Neighbors int // compared of each sample
	// Of each sample: the share of its nearest in the data that are not within two steps in the map, the share of its
	// nearest in the map that are not within two steps in the data, and the logarithm of the ratio of the local radii.
	Torn, Invented, Density []float32
	Nearest                 []int32 // its nearest in the data, the first Nearest of them; −1: there are fewer

	TornShare, InventedShare float64 // their means

	Noise   float64 // the share of the neighbours in the data that are in another community of the neighbour graph
	Mixed   float64 // the share of the neighbours in the map that are in another community, less Noise
	Groups  int     // groups of the neighbour graph that are apart
	Shown   int     // groups of the map with gaps between them
	Severed float64 // the share of the neighbours in the data that are beyond a gap of the map
	Merged  float64 // the share of the neighbours in the map that are in another group of the data
	Tears   int     // pairs of nearest samples that are far apart in the map of a curve
	TornAt  int     // the sample of the widest tear

	DensityKept   float64 // rank correlation of the local radii in the data and in the map
	DistancesKept float64 // rank correlation of the distances between the communities in the data and in the map
}

// Bytes returns the memory for judging a map of n samples: two lists of neighbours, the graph with each edge twice, the search for
// its communities, and the numbers of each sample.
func Bytes(n, dim, threads int) int64 {
	const listed, edge = 12, 12 // bytes of a neighbour, and of an edge
	perSample := int64(2*listed*Compared + 2*edge*Compared + 4*Compared + 4*Nearest + 8*dim + 150)
	return int64(n)*(perSample+4*int64(blas.Threads(threads))) + communities.Bytes(n, 2*n*Compared, 1, threads)
}

// Measure measures a map of samples with a neighbour graph. dimension is the one that the data show.
func Measure(in patch.Local, y *mat.Dense, dimension float64) (*Scores, error) {
	data, err := listed(in)
	if err != nil {
		return nil, err
	}
	there, err := search(in, y, data.MaxDegree())
	if err != nil {
		return nil, err
	}
	s := &Scores{Neighbors: data.MaxDegree(), Nearest: nearestIn(data)}
	if s.Torn, err = beyond(in.Context(), in.Threads(), data, there); err != nil {
		return nil, err
	}
	if s.Invented, err = beyond(in.Context(), in.Threads(), there, data); err != nil {
		return nil, err
	}
	s.TornShare, s.InventedShare = Mean(s.Torn), Mean(s.Invented)
	s.Density, s.DensityKept = density(data, there)
	known, err := group(in.Context(), data, in.Threads())
	if err != nil {
		return nil, err
	}
	s.Noise = crossing(data, known.community)
	s.Mixed = crossing(there, known.community) - s.Noise
	s.Merged = crossing(there, known.label)
	s.DistancesKept = between(in.X, y, known.community, known.communities)
	s.Groups = large(known.sizes, len(known.label))
	if there.Dist != nil {
		label, sizes := islands(there)
		s.Severed, s.Shown = severed(data, label, sizes), large(sizes, len(label))
	}
	if dimension < maxCurve {
		s.Tears, s.TornAt = tears(data, y)
	}
	return s, in.Err()
}

// listed returns the lists of the nearest samples in the data, as long as they are compared.
func listed(in patch.Local) (*neighbors.Graph, error) {
	g := in.Graph
	least, _, most := g.Degrees()
	n, m := in.X.N(), in.X.M()
	if least < min(fewest, n-1) && !in.X.Absent() && in.X.Compressed() == nil && n*n*m <= searchable {
		return search(in, mat.NewDense(n, m, in.X.Data()), min(Compared, n-1))
	}
	if most > Compared {
		return g.Truncated(Compared), nil
	}
	return g, nil
}

// nearestIn returns the first samples of each list; −1: there is none.
func nearestIn(g *neighbors.Graph) []int32 {
	list := make([]int32, Nearest*g.Len())
	for i := range g.Len() {
		row := list[i*Nearest : (i+1)*Nearest]
		for k := copy(row, g.Of(i)); k < Nearest; k++ {
			row[k] = -1
		}
	}
	return list
}

// search finds the nearest rows.
func search(in patch.Local, y *mat.Dense, k int) (*neighbors.Graph, error) {
	n, dim := y.Dims()
	points := neighbors.Points{N: n, M: dim, Data: y.RawMatrix().Data}
	if y.RawMatrix().Stride != dim {
		points.Data = mat.DenseCopyOf(y).RawMatrix().Data
	}
	return neighbors.Exact(in.Context(), points, k, neighbors.Options{Kernels: in.Kernels(), Threads: in.Threads()})
}

// crossing returns the share of the listed neighbours that have another label.
func crossing(g *neighbors.Graph, label []int32) float64 {
	other := 0
	for i := range g.Len() {
		for _, j := range g.Of(i) {
			if label[j] != label[i] {
				other++
			}
		}
	}
	return float64(other) / float64(len(g.Index))
}

const (
	// maxCurve: data that show fewer dimensions are curves, which a map need not tear.
	maxCurve = 1.6
	// A tear is tearSteps times as wide as nearest samples are apart, and tearWidth of the map. nearest are looked at of each sample.
	tearSteps, tearWidth, nearest = 8, 0.08, 4
)

// tears counts the pairs of nearest samples that are far apart in the map, and returns a sample of the widest.
func tears(data *neighbors.Graph, y *mat.Dense) (count, at int) {
	var steps []float64
	widest := 0.0
	for i := range data.Len() {
		list := data.Of(i)
		for _, j := range list[:min(nearest, len(list))] {
			step := math.Sqrt(blas.SquaredDistance(y.RawRowView(i), y.RawRowView(int(j))))
			if steps = append(steps, step); step > widest {
				widest, at = step, i
			}
		}
	}
	slices.Sort(steps)
	if len(steps) == 0 {
		return 0, 0
	}
	_, dim := y.Dims()
	var width float64
	for c := range dim {
		column := mat.Col(nil, c, y)
		width = max(width, slices.Max(column)-slices.Min(column))
	}
	first, _ := slices.BinarySearch(steps, max(tearSteps*steps[len(steps)/2], tearWidth*width))
	return len(steps) - first, at
}
