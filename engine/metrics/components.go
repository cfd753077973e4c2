package metrics

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/engine/measures"
)

// measureMatch matches components with those of a reference. Rows in the details count from 1; 0: matched with none.
func measureMatch(_ context.Context, in *Inputs, v *Value) (float64, error) {
	c, err := measures.MatchComponents(in.Matrices["h"], in.Matrices["truth"])
	if err != nil {
		return 0, err
	}
	rows := make([]int, len(c.Of))
	for i, j := range c.Of {
		rows[i] = j + 1
	}
	v.Details = map[string]any{"reference": rows, "cosine": c.Cosine}
	return c.Mean, nil
}

// measureSparseness is the mean over the components that are not zero.
func measureSparseness(_ context.Context, in *Inputs, v *Value) (float64, error) {
	list, err := measures.Sparseness(in.Matrices["h"])
	if err != nil {
		return 0, err
	}
	v.Details = map[string]any{"components": list}
	var sum, count float64
	for _, s := range list {
		if s == s {
			sum, count = sum+s, count+1
		}
	}
	return sum / count, nil
}

// measureShares is the exponential of the entropy of the shares: how many equal components would share as evenly.
func measureShares(_ context.Context, in *Inputs, v *Value) (float64, error) {
	shares, err := measures.ComponentShares(in.Matrices["w"], in.Matrices["h"], in.Set["of"] == "squares")
	if err != nil {
		return 0, err
	}
	v.Details = map[string]any{"shares": shares}
	var entropy float64
	for _, s := range shares {
		if s > 0 {
			entropy -= float64(s * math.Log(s))
		}
	}
	return math.Exp(entropy), nil
}
