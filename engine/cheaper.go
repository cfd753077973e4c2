package engine

import (
	"context"
	"fmt"

	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/wording"
)

// The sizes from which an approximate search is worth a word: below, the work takes seconds.
const (
	manyDistances = 2e13 // n²m of an exact search
	flatColumns   = 16   // up to so many columns a tree answers a search, not all distances
)

// Cheaper names a way with much less work, if the method would take minutes on n × m samples and there
// is such a way; else it returns "". It is advice: the other way may give another result.
func Cheaper(ctx context.Context, m Method, n, columns int, o Options) string {
	return wording.Text(cheaper(m, n, columns, o), wording.Of(ctx))
}

// cheaper marks the parameters that it names.
func cheaper(m Method, n, columns int, o Options) string {
	r := method.RowOf(m)
	if r.Cheaper != nil {
		if text := r.Cheaper(n, o.landmarks().asked()); text != "" {
			return fmt.Sprintf("%s of %d samples %s", m.Name(), n, text)
		}
	}
	if r.Neighbors != nil && len(o.structures()) == 0 && o.Neighbors != "approximate" && o.Landmarks == 0 && columns > flatColumns &&
		float64(n)*float64(n)*float64(columns) >= manyDistances {
		return fmt.Sprintf("the exact search for neighbours among %d samples of %d columns takes %.2g distances; ‹neighbors_method=approximate› finds most of them much sooner", n, columns, float64(n)*float64(n))
	}
	return ""
}
