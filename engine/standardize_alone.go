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

// Standardize returns samples (n × m, one a row) as Options.Standardize brings them to a
// common scale, for what measures them beside an embedding of such samples. "none" and the
// empty word return x itself, the others a copy. It refuses what has no such scale: an entry that
// is not finite, and of log1p one that is -1 or less. Of the options it reads Threads.
// O(nm), of robust O(nm log n).
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
