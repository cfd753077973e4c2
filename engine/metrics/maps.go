package metrics

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"

	"github.com/orthant-go/orthant/engine/measures"
)

func measureRandomTriplet(ctx context.Context, in *Inputs, _ *Value) (float64, error) {
	return measures.RandomTriplet(ctx, in.Matrices["in"], in.Matrices["embedding"], in.Options.Seed, in.measuring())
}

func measureCentroidTriplet(ctx context.Context, in *Inputs, _ *Value) (float64, error) {
	return measures.CentroidTriplet(ctx, in.Matrices["in"], in.Matrices["embedding"], in.Classes["labels"], in.Options.Seed, in.measuring())
}

func measureDistanceCorrelation(ctx context.Context, in *Inputs, _ *Value) (float64, error) {
	return measures.DistanceCorrelation(ctx, in.Matrices["in"], in.Matrices["embedding"], in.Options.Seed, in.measuring())
}

// measureDivergence takes the perplexity of the settings; without one, the settings get the default for
// this number of samples.
func measureDivergence(ctx context.Context, in *Inputs, _ *Value) (float64, error) {
	n, _ := in.Matrices["in"].Dims()
	perplexity := measures.DefaultPerplexity(n)
	if text, given := in.Set["perplexity"]; given {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || v == 0 {
			return 0, fmt.Errorf("kl-divergence: perplexity is %q; give a number from 1 to %.6g", text, math.Floor(100*float64(n-1)/3)/100)
		}
		perplexity = v
	} else {
		set := map[string]string{"perplexity": strconv.FormatFloat(perplexity, 'g', -1, 64)}
		maps.Copy(set, in.Set)
		in.Set = set
	}
	return measures.KLDivergence(ctx, in.Matrices["in"], in.Matrices["embedding"], perplexity, in.measuring())
}

// measureProcrustes calls the maps in errors as their inputs are called.
func measureProcrustes(_ context.Context, in *Inputs, _ *Value) (float64, error) {
	v, err := measures.Procrustes(in.Matrices["truth"], in.Matrices["embedding"])
	if err != nil {
		err = errors.New(strings.NewReplacer("the first map", in.called("truth"), "the second map", in.called("embedding")).Replace(err.Error()))
	}
	return v, err
}
