package engine

import (
	"math"
	"slices"

	"github.com/orthant-go/orthant/engine/internal/trust"
	"github.com/orthant-go/orthant/engine/method"
)

// Trust has numbers for each sample of a map (umap, tsne, pacmap), by which a picture can be coloured. A list that was not
// measured is nil. NaN: the sample was not compared, because it is not among those that were embedded.
type Trust struct {
	Torn     []float32 // the share of its nearest in the data that are far in the map
	Invented []float32 // the share of its nearest in the map that are far in the data
	Unstable []float32 // the share of its nearest in the map that are far in maps with other starts; needs Options.Stability
	Nearest  []int32   // its five nearest in the data, sample after sample; −1: there are fewer. nil where samples were merged or left out
	Density  []float32 // the logarithm of the local radius in the map divided by that in the data, less the median: above 0 the map shows it sparser than it is
}

// MapQuality holds the measurements of a map. Numbers that were not measured are NaN. A neighbour is far if two steps along the
// lists of the nearest do not reach it.
type MapQuality struct {
	Neighbors int     // nearest samples compared of each sample
	Torn      float64 // mean of Trust.Torn
	Invented  float64 // mean of Trust.Invented
	Noise     float64 // the share of the nearest in the data that are in another community of the neighbour graph; above 0.28 the data are called noise
	Mixed     float64 // the share of the nearest in the map that are in another community, less Noise
	Groups    int     // groups that the neighbour graph keeps apart
	Shown     int     // groups that the map keeps apart
	Severed   float64 // the share of the nearest in the data that are in another group of the map
	Merged    float64 // the share of the nearest in the map that are in another group of the neighbour graph
	Tears     int     // of data of one dimension: pairs of nearest samples that are far apart in the map

	DensityKept   float64 // rank correlation of the local radii in the data and in the map
	DistancesKept float64 // rank correlation of the distances between communities in the data and in the map
	Unstable      float64 // mean of Trust.Unstable
	Falling       float64 // relative decrease of the objective from its last record but one to the last
}

// IsMap reports whether a method makes a map, an embedding for the eye, which is judged by its neighbourhoods and groups.
func IsMap(name string) bool {
	m, err := New(name)
	return err == nil && method.RowOf(m).Layout
}

// lists are the lists, to be changed.
func (t *Trust) lists() []*[]float32 {
	return []*[]float32{&t.Torn, &t.Invented, &t.Unstable, &t.Density}
}

// copied gives samples the numbers of others: sample i those of of[i].
func (t *Trust) copied(of []int32) {
	if t == nil {
		return
	}
	t.Nearest = nil
	for _, list := range t.lists() {
		if own := *list; own != nil {
			*list = make([]float32, len(of))
			for i, at := range of {
				(*list)[i] = own[at]
			}
		}
	}
}

// among gives the numbers to some rows of n; the others have NaN.
func (t *Trust) among(rows []int, n int) {
	if t == nil {
		return
	}
	t.Nearest = nil
	for _, list := range t.lists() {
		if own := *list; own != nil {
			*list = slices.Repeat([]float32{float32(math.NaN())}, n)
			for at, i := range rows {
				(*list)[i] = own[at]
			}
		}
	}
}

// trustIn returns the numbers of the samples of a map; nil: they were not measured.
func trustIn(s *trust.Scores) *Trust {
	if s == nil {
		return nil
	}
	return &Trust{Torn: s.Torn, Invented: s.Invented, Density: s.Density, Nearest: s.Nearest}
}

// mapQualityOf returns the measurements of a map, given its objective; nil: there are none.
func mapQualityOf(s *trust.Scores, objective []float64) *MapQuality {
	if s == nil {
		return nil
	}
	q := &MapQuality{Neighbors: s.Neighbors, Torn: s.TornShare, Invented: s.InventedShare, Noise: s.Noise, Mixed: s.Mixed, Groups: s.Groups, Shown: s.Shown,
		Severed: s.Severed, Merged: s.Merged, Tears: s.Tears, DensityKept: s.DensityKept, DistancesKept: s.DistancesKept, Unstable: math.NaN(), Falling: math.NaN()}
	if last := len(objective) - 1; last > 0 {
		q.Falling = (objective[last-1] - objective[last]) / math.Abs(objective[last])
	}
	return q
}

// properties returns the JSON of the measurements.
func (q *MapQuality) properties() map[string]any {
	return map[string]any{"neighbors": q.Neighbors, "torn": orNull(q.Torn), "invented": orNull(q.Invented), "noise": orNull(q.Noise), "mixed": orNull(q.Mixed),
		"groups": q.Groups, "groups_shown": q.Shown, "severed": orNull(q.Severed), "merged": orNull(q.Merged), "tears": q.Tears,
		"density_kept": orNull(q.DensityKept), "distances_kept": orNull(q.DistancesKept), "unstable": orNull(q.Unstable), "falling": orNull(q.Falling)}
}
