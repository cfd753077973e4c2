package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
)

// Standardize scales samples (n × m, one a row) like Options.Standardize, so that they can be measured
// beside an embedding of the scaled samples. "none" and the empty word return x itself, the others a
// copy. Entries that are not finite are an error, and for log1p entries of -1 or less. Of the options
// it reads Threads. O(nm), of robust O(nm log n).
func Standardize(ctx context.Context, x *mat.Dense, how string, o Options) (*mat.Dense, error) {
	switch {
	case how == "" || how == "none":
		return x, nil
	case !slices.Contains(samples.Standards, how):
		return nil, fmt.Errorf("standardize is %q; give one of %s", how, strings.Join(samples.Standards, ", "))
	}
	b := begun{Run: run.New(ctx, "standardize", run.Settings{Threads: threadsFor(o.Threads)})}
	all := samples.Of(x)
	if err := b.checkStandard(all, how); err != nil {
		return nil, err
	}
	s, err := all.StandardOf(ctx, b.Threads(), how)
	if err != nil {
		return nil, err
	}
	if all, err = all.Standardized(ctx, b.Threads(), s, false); err != nil {
		return nil, err
	}
	return mat.NewDense(all.N(), all.M(), all.Data()), nil
}
