package engine

import (
	"context"
	"fmt"

	"github.com/orthant-go/orthant/engine/wording"
)

// The sizes from which a cheaper way is worth a word: below, the work takes seconds.
const (
	manyPaths     = 20_000 // samples between which all paths are found
	manyPairs     = 5_000  // samples whose similarities have all eigenpairs taken, or n² unknowns
	manyDistances = 2e13   // n²m of an exact search
	flatColumns   = 16     // up to so many columns a tree answers a search, not all distances
)

// Cheaper names a way with much less work, if the method would take minutes on n × m samples and there
// is such a way; else it returns "". It is advice: the other way may give another result.
func Cheaper(ctx context.Context, m Method, n, columns int, o Options) string {
	return wording.Text(cheaper(m, n, columns, o), wording.Of(ctx))
}

// cheaper marks the parameters that it names.
func cheaper(m Method, n, columns int, o Options) string {
	r := rowOf(m)
	if r.cheaper != nil {
		if text := r.cheaper(n, o); text != "" {
			return fmt.Sprintf("%s of %d samples %s", m.Name(), n, text)
		}
	}
	if r.neighbors != nil && len(o.structures()) == 0 && o.Neighbors != "approximate" && o.Landmarks == 0 && columns > flatColumns &&
		float64(n)*float64(n)*float64(columns) >= manyDistances {
		return fmt.Sprintf("the exact search for neighbours among %d samples of %d columns takes %.2g distances; ‹neighbors_method=approximate› finds most of them much sooner", n, columns, float64(n)*float64(n))
	}
	return ""
}

func (p Isomap) cheaper(n int, o Options) string {
	if n < manyPaths || o.Landmarks > 0 || o.LandmarkRows != nil {
		return ""
	}
	return fmt.Sprintf("finds %.2g paths; ‹landmarks=%d› finds those from so many samples alone, with 1/%d of the work and of the memory, and places the others by them", float64(n)*float64(n), landmarksFor(n), n/landmarksFor(n))
}

// landmarksFor is a number of landmarks that mostly changes coordinates little.
func landmarksFor(n int) int { return max(1000, n/50/1000*1000) }

func (m DPP) cheaper(n int, _ Options) string {
	if n < manyPairs || m.Negative == "keep" {
		return ""
	}
	text := "takes all eigenpairs of their similarities, in time that grows as n³"
	if m.Sample != "exact" {
		return text + "; ‹negative=keep› takes none, in time that grows as n², and leaves negative eigenvalues as they are; esc-ffs and ipm choose in time that grows as n"
	}
	return text + "; ‹sample=map› with ‹negative=keep› takes none, in time that grows as n², and chooses the likeliest set in place of a random one"
}

func (m DS3) cheaper(n int, _ Options) string {
	if n < manyPairs {
		return ""
	}
	return "has n² unknowns in each iteration; esc-ffs and ipm choose in time that grows as n"
}
